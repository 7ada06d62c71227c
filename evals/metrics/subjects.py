"""PII-Bench's scores: whose is what (spec 03 §3.5).

A text's spans are grouped by the person they belong to. Predicted and annotated persons are paired so that the sum of
their F1 is greatest (Hungarian algorithm), and the pairs' scores are averaged over the larger number of persons. Names
of persons play no part, only their sets of spans. Figures of a set of texts are means over its texts.

What the paper leaves open is settled as in the spec: spans are compared as strings (NFKC, trimmed), mentions of one
string collapse, both sides empty score 1, one empty 0. Ours: spans that belong to nobody make one more group.
"""

import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.evals.metrics.spans import Stretch
from gama.state.errors import OptionError

Item = tuple[str, str]
"""A span as these metrics compare it: its string and its type."""
Persons = Sequence[frozenset[Item]]
"""The persons of a text, each as the set of what belongs to them."""


class Score(NamedTuple):
    """Precision, recall and F1 of one text."""

    precision: float
    recall: float
    f1: float


class SubjectScores(NamedTuple):
    """All scores of one text. `f1` is the mean over pairs, not the harmonic mean of the other two."""

    strict: Score
    """String and type agree, within paired persons."""
    ent_matched: Score
    """The string agrees, within the same pairs: the paper's appendix."""
    ent_global: Score
    """The string agrees, whoever it belongs to: the paper's text, and what methods without persons are scored by."""
    fuzzy: Score
    """RougeL: parts of strings count, within `fuzzy_scope`."""


NOTHING, PERFECT = Score(0.0, 0.0, 0.0), Score(1.0, 1.0, 1.0)


def normal(surface: str, *, case_sensitive: bool = True) -> str:
    """Return a string as it is compared."""
    shown = unicodedata.normalize("NFKC", surface).strip()
    return shown if case_sensitive else shown.casefold()


def persons(text: str, stretches: Iterable[Stretch], *, case_sensitive: bool = True) -> list[frozenset[Item]]:
    """Group the private spans of a text by the person they belong to."""
    groups: dict[str | None, set[Item]] = {}
    for item in stretches:
        surface = normal(text[item.start : item.end], case_sensitive=case_sensitive)
        if item.private and surface:
            groups.setdefault(item.subject, set()).add((surface, item.type))
    return [frozenset(group) for group in groups.values()]


def set_scores(predicted: Collection[object], gold: Collection[object]) -> Score:
    """Compare two sets: both empty score 1, one empty 0.

    With strings this is the score of query-related detection (the benchmark's second task).
    """
    found, wanted = set(predicted), set(gold)
    if not found or not wanted:
        return NOTHING if found or wanted else PERFECT
    hits = len(found & wanted)
    return Score(hits / len(found), hits / len(wanted), 2 * hits / (len(found) + len(wanted)))


def rouge_l(one: str, other: str) -> float:
    """Return the F-measure (beta 1) of the longest common subsequence of two strings' lower-case words."""
    left, right = one.lower().split(), other.lower().split()
    if not left or not right:
        return float(left == right)
    lengths = [0] * (len(right) + 1)
    for word in left:
        before = 0
        for at, mate in enumerate(right, 1):
            above = lengths[at]
            lengths[at] = before + 1 if word == mate else max(above, lengths[at - 1])
            before = above
    return 2 * lengths[-1] / (len(left) + len(right))


def fuzzy_scores(predicted: Collection[str], gold: Collection[str]) -> Score:
    """Compare two sets of strings of which parts may agree; both empty score 1, one empty 0.

    Each string counts as much as the most alike of the other side: what is predicted for the precision, what is
    annotated for the recall.
    """
    return _fuzzy([(text, "") for text in set(predicted)], [(text, "") for text in set(gold)])


def score_subjects(
    predicted: Persons, gold: Persons, *, fuzzy_scope: Literal["matched_typed", "global"] = "matched_typed"
) -> SubjectScores:
    """Score one text.

    Args:
        predicted: The persons that were found, see `persons`.
        gold: The annotated ones.
        fuzzy_scope: Where RougeL looks: within paired persons and equal types, as the published table suggests, or
            over all strings of the text.

    Raises:
        OptionError: scipy is not installed.
    """
    found, wanted = [group for group in predicted if group], [group for group in gold if group]
    everything = [{item[0] for group in groups for item in group} for groups in (found, wanted)]
    ent_global = set_scores(*everything)
    if not found or not wanted:
        one = NOTHING if found or wanted else PERFECT
        return SubjectScores(one, one, one, one)
    strict = [[set_scores(mine, theirs) for theirs in wanted] for mine in found]
    ent = [[set_scores(_strings(mine), _strings(theirs)) for theirs in wanted] for mine in found]
    pairs = assign(*(np.array([[score.f1 for score in row] for row in table]) for table in (strict, ent)))
    fuzzy = (
        _averaged([_fuzzy(found[i], wanted[j]) for i, j in pairs], found, wanted)
        if fuzzy_scope == "matched_typed"
        else fuzzy_scores(*everything)
    )
    return SubjectScores(
        _averaged([strict[i][j] for i, j in pairs], found, wanted),
        _averaged([ent[i][j] for i, j in pairs], found, wanted),
        ent_global,
        fuzzy,
    )


def assign(strict: NDArray[np.float64], ent: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pair rows with columns, one to one, so that the sum of `strict` is greatest; of equal sums, that of `ent`.

    The paper does not say what breaks ties. Without a rule the ent scores would depend on the order of the persons.

    Raises:
        OptionError: scipy is not installed.
    """
    solve = solver()
    # F1 values of sets of some hundred spans differ by more than this share of them.
    rows, columns = solve(strict + 1e-9 * ent, maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]


def solver() -> Callable[..., Any]:
    """Return scipy's Hungarian algorithm.

    Raises:
        OptionError: scipy is not installed.
    """
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        missing = True
    else:
        missing = False
    if missing:
        raise OptionError("scores per subject need scipy: pip install 'gama-privacy[evals]'")
    return linear_sum_assignment  # type: ignore[no-any-return]


def _strings(group: Iterable[Item]) -> set[str]:
    return {text for text, _ in group}


def _averaged(scores: Sequence[Score], found: Sequence[object], wanted: Sequence[object]) -> Score:
    return Score(
        sum(score.precision for score in scores) / len(found),
        sum(score.recall for score in scores) / len(wanted),
        sum(score.f1 for score in scores) / max(len(found), len(wanted)),
    )


def _fuzzy(found: Collection[Item], wanted: Collection[Item]) -> Score:
    """Compare two sets by RougeL; strings of different types have nothing in common."""
    if not found or not wanted:
        return NOTHING if found or wanted else PERFECT
    table = [[rouge_l(mine, theirs) if kind == other else 0.0 for theirs, other in wanted] for mine, kind in found]
    precision = sum(max(row) for row in table) / len(found)
    recall = sum(max(column) for column in zip(*table, strict=True)) / len(wanted)
    total = precision + recall
    return Score(precision, recall, 2 * precision * recall / total if total else 0.0)
