"""An attack by linkage: whose text is it, for one who holds the table of what the originals said (spec 02 §2.5).

The attacker has a row for each original text, with the values of every type that stand in it, and sees only the texts
that left. A value that can still be read speaks for the rows that have it, the more the fewer they are; and the number
of values of a type, hidden ones counted by their placeholders, speaks against rows that have another. The weights are
ours: a better attacker may link more. What this one links is linked.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.evals.metrics.entities import readable, surface
from gama.state.entities import TYPE_OF, placeholder_kind

KIND_TYPES: Mapping[str, str] = {placeholder_kind(subtype): kind for subtype, kind in TYPE_OF.items()}
"""The type of what each word of a placeholder stands for."""

# Accepts a placeholder as it leaves: `<name-1>`; what a model made of it does not matter here.
_PLACEHOLDER = re.compile(r"<([a-z_]+)-(\d+)>")

COUNTS_WEIGHT = 1.0
"""How much one value more or less of a type speaks against a row, in units of a value shared by one row in e."""

Row = Mapping[str, frozenset[str]]
"""The values of one original, by type, as `surface` levels them."""


class Linked(NamedTuple):
    """What an attack links."""

    records: int
    surely: float
    """Share of records whose best match is one row alone, and the right one."""
    expected: float
    """The same where one of several rows that match equally well is drawn."""
    by_chance: float
    """What drawing a row would link."""


class Attacks(NamedTuple):
    """The three attackers of the formulas, as attacks."""

    prosecutor: Linked
    """Knows that the text is one of the sample's: its rows are the sample's."""
    journalist: Linked
    """Does not: the rows are all of the population's."""
    marketer: Linked
    """Links all texts of the population at once, whoever they are."""


def hidden_counts(text: str) -> Counter[str]:
    """Return how many values of each type are hidden in a text, by its placeholders."""
    found = {(kind, number) for kind, number in _PLACEHOLDER.findall(text) if kind in KIND_TYPES}
    return Counter(KIND_TYPES[kind] for kind, _ in found)


def attack(
    texts: Sequence[str], rows: Sequence[Row], sample: Sequence[int] | None = None, *, counts: bool = True
) -> Attacks:
    """Attack the texts of a population.

    Args:
        texts: what left, one text for each row.
        rows: what the originals said.
        sample: which of them were published, by their places; None: all.
        counts: whether the attacker looks at the number of values too.
    """
    scores = match_scores(texts, rows, counts=counts)
    everybody = list(range(len(rows)))
    some = everybody if sample is None else list(sample)
    return Attacks(_linked(scores, some, some), _linked(scores, some, everybody), _linked(scores, everybody, everybody))


def match_scores(texts: Sequence[str], rows: Sequence[Row], *, counts: bool = True) -> NDArray[np.float64]:
    """Return how well each text, down, matches each row, across."""
    holders = Counter(value for row in rows for value in set().union(*row.values()))
    weights = {value: math.log((len(rows) + 1) / count) for value, count in holders.items()}
    scores = np.zeros((len(texts), len(rows)))
    for at, text in enumerate(texts):
        levelled = surface(text)
        # Most values are not there at all: the search by words is for the others.
        read = {value for value in weights if value in levelled and readable(value, levelled)}
        hidden = hidden_counts(text)
        for column, row in enumerate(rows):
            seen = {kind: values & read for kind, values in row.items()}
            scores[at, column] = sum(weights[value] for value in set().union(*seen.values()))
            if counts:
                kinds = hidden.keys() | row.keys()
                off = sum(abs(len(row.get(kind, ())) - len(seen.get(kind, ())) - hidden[kind]) for kind in kinds)
                scores[at, column] -= COUNTS_WEIGHT * off
    return scores


def _linked(scores: NDArray[np.float64], records: Sequence[int], rows: Sequence[int]) -> Linked:
    """Return what is linked of some records to some rows; a record's right row stands at its own place."""
    if not records:
        return Linked(0, 0.0, 0.0, 0.0)
    place = {row: at for at, row in enumerate(rows)}
    chances = []
    for own, record in zip(scores[np.ix_(records, rows)], records, strict=True):
        best = np.isclose(own, own.max())
        chances.append(float(best[place[record]]) / int(best.sum()))
    return Linked(len(records), fmean(float(one == 1) for one in chances), fmean(chances), 1 / len(rows))
