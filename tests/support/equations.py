"""Equations as the paper writes them, to compare quicker code with."""

from collections.abc import Sequence

import numpy as np

from gama.tools.domains.memberships import Matrix, Vectors, words_of


def r_ho(fields: Sequence[str], domains: Sequence[str], vectors: Vectors) -> Matrix:
    """Return R_ho (N×M): the cosine between every high-order and every reference domain (Eq. 7).

    A name of several words counts as its best pair of words. Unknown words and similarities that
    are not positive count zero.
    """
    out = np.zeros((len(fields), len(domains)))
    columns = [[v for w in words_of(name) if (v := vectors.vector(w)) is not None] for name in domains]
    for i, field in enumerate(fields):
        rows = [v for w in words_of(field) if (v := vectors.vector(w)) is not None]
        for j, column in enumerate(columns):
            pairs = [float(np.dot(a, b)) for a in rows for b in column]
            out[i, j] = max(0.0, min(1.0, max(pairs, default=0.0)))
    return out
