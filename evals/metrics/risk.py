"""Risk of re-identification by ARX's formulas (after El Emam): prosecutor, journalist and marketer (spec 02 §2.5).

Records that agree in every quasi-identifier form a class: within it nobody can be told from another. A prosecutor knows
that the target is among the records, a journalist only that the target is in a larger population that contains them, a
marketer wants to name as many records as possible. All three are told from the sizes of classes alone.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.state.errors import InputError

Record = tuple[str | None, ...]
"""The quasi-identifiers of a record; None: the cell is suppressed."""

THRESHOLD = 0.2
"""Risk above which a record is at risk (ARX's default of the highest risk)."""


class Risk(NamedTuple):
    """What an attacker may expect."""

    at_risk: float | None
    """Share of records whose risk is above the threshold; None: not defined."""
    highest: float | None
    """Risk of the record that is easiest to name; None: not defined."""
    success: float
    """Share of records that are named rightly, on average."""


class Risks(NamedTuple):
    """The risks of records."""

    prosecutor: Risk
    journalist: Risk
    marketer: Risk
    records: int
    """Without those that are suppressed."""
    classes: int
    suppressed: int


class Class(NamedTuple):
    """Records that cannot be told from each other."""

    records: int
    """f: how many the sample has."""
    alike: int
    """How many of the sample they cannot be told from: the same, unless suppressed cells match anything."""
    population: int
    """F: how many of the population."""


def risks(
    sample: Sequence[Record],
    population: Sequence[Record] | None = None,
    *,
    threshold: float = THRESHOLD,
    wildcard: bool = False,
) -> Risks:
    """Return the risks of a sample of records.

    Args:
        sample: the records that are published; those without a cell that is not suppressed are left out.
        population: records among which the sample's are; None: the sample is all there is.
        threshold: risk above which a record is at risk.
        wildcard: whether a suppressed cell matches anything; otherwise it matches suppressed cells alone.

    Raises:
        InputError: records differ in their number of cells, or the population does not contain the sample.
    """
    shown = [one for one in sample if any(cell is not None for cell in one)]
    around = shown if population is None else [one for one in population if any(cell is not None for cell in one)]
    if len({len(one) for one in (*shown, *around)}) > 1:
        raise InputError("records have different numbers of cells: each needs the same quasi-identifiers")
    return of_classes(_classes(shown, around, wildcard), threshold=threshold, suppressed=len(sample) - len(shown))


def of_classes(classes: Sequence[Class], *, threshold: float = THRESHOLD, suppressed: int = 0) -> Risks:
    """Return the risks of records in classes.

    Raises:
        InputError: the population has fewer records of a class than the sample, or the threshold is not a share.
    """
    if any(one.population < one.alike for one in classes):
        raise InputError("the population has fewer records of a class than the sample: it must contain the sample")
    n, least = sum(one.records for one in classes), least_class(threshold)
    if not n:
        nothing = Risk(0.0, 0.0, 0.0)
        return Risks(nothing, nothing, Risk(None, None, 0.0), 0, 0, suppressed)
    within = sum(one.records / one.alike for one in classes) / n
    among = sum(one.records / one.population for one in classes) / n
    prosecutor = Risk(
        sum(one.records for one in classes if one.alike < least) / n, 1 / min(one.alike for one in classes), within
    )
    journalist = Risk(
        sum(one.records for one in classes if one.population < least) / n,
        1 / min(one.population for one in classes),
        max(len(classes) / sum(one.population for one in classes), among),
    )
    return Risks(prosecutor, journalist, Risk(None, None, among), n, len(classes), suppressed)


def least_class(threshold: float) -> float:
    """Return the size from which on the records of a class are not at risk; as ARX, with one percent of tolerance.

    Raises:
        InputError: the threshold is not between 0 and 1.
    """
    if not 0 <= threshold <= 1:
        raise InputError(f"the threshold {threshold!r} is not a share between 0 and 1")
    if not threshold:
        return math.inf
    # A threshold of .333 means classes of three, though a third is a little more.
    size = math.floor(1 / threshold)
    return size + 1 if 1 / size - threshold >= 0.01 * threshold else size


def _classes(sample: Sequence[Record], population: Sequence[Record], wildcard: bool) -> list[Class]:
    mine, theirs = Counter(sample), Counter(population)
    if not wildcard:
        return [Class(count, count, theirs[one]) for one, count in mine.items()]
    codes: dict[str | None, int] = {None: -1}
    coded = [_coded(list(counted), codes) for counted in (mine, theirs)]
    counts = [np.array(list(counted.values()), dtype=np.int64) for counted in (mine, theirs)]
    return [
        Class(count, _alike(row, coded[0], counts[0]), _alike(row, coded[1], counts[1]))
        for row, count in zip(coded[0], mine.values(), strict=True)
    ]


def _coded(records: Sequence[Record], codes: dict[str | None, int]) -> NDArray[np.int64]:
    return np.array([[codes.setdefault(cell, len(codes)) for cell in one] for one in records], dtype=np.int64)


def _alike(row: NDArray[np.int64], others: NDArray[np.int64], counts: NDArray[np.int64]) -> int:
    same = (others == row) | (others < 0) | (row < 0)
    return int(counts[same.all(axis=1)].sum())
