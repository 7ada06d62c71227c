"""Top-K over the combined matrix D of Eq. 9 (spec 01 §1.5 step 5)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gama.state.task import Term
from gama.tools.domains.terms import WEAK

Mode = Literal["paper", "code", "threshold"]
Collapse = Literal["max", "mean"]
Chosen = list[tuple[int, float]]
"""Indices of reference domains with their membership, strongest first (`code`: in the order of the rows)."""


def top_k(
    d: NDArray[np.float64],
    k: int,
    mode: Mode = "paper",
    *,
    collapse: Collapse = "max",
    row_terms: Sequence[Term] | None = None,
    threshold: float = 0.4,
) -> Chosen:
    """Choose the target domains.

    Args:
        d: memberships, one row per high-order domain, one column per reference domain (N×M).
        k: how many to keep at the most; `code` keeps whatever remains.
        mode: `paper`: rows collapsed, the K largest strictly positive columns, ties by reference
            order; `code`: each row's best column, rows with a low term or of zeros dropped,
            duplicates merged keeping the first; `threshold`: all columns of at least `threshold`,
            the K largest.
        collapse: how `paper` and `threshold` join the rows.
        row_terms: the linguistic terms of the rows, for `code`.
        threshold: the smallest membership that `threshold` keeps.

    Returns:
        The choice; empty when nothing is positive.
    """
    if d.size == 0:
        return []
    if mode == "code":
        chosen: Chosen = []
        for n, row in enumerate(d):
            best = int(np.argmax(row))
            low = row_terms is not None and row_terms[n] in WEAK
            if row[best] > 0 and not low and best not in [index for index, _ in chosen]:
                chosen.append((best, float(row[best])))
        return chosen
    joined = d.max(axis=0) if collapse == "max" else d.mean(axis=0)
    least = threshold if mode == "threshold" else 0.0
    # A stable sort of the negated values keeps the reference order among equals.
    order = np.argsort(-joined, kind="stable")
    fits = [(int(i), float(joined[i])) for i in order if joined[i] > 0 and joined[i] >= least]
    return fits[:k]
