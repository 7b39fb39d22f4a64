"""Whether two rows of runs can come from the same process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.analysis.permutation import random_tables

__all__ = ["same_process_p"]


def same_process_p(
    first: Sequence[int], second: Sequence[int], rng: np.random.Generator, *, samples: int = 20_000
) -> float:
    """p of a test of homogeneity: X2 of the 2 x k table, runs exchanged between the rows.

    p = (1 + tables at least as unlike) / (1 + samples), over random tables with the same margins: valid for
    counts however small.

    Parameters
    ----------
    first, second : k counts of runs by how they ended
    rng : Generator
    samples : int

    References
    ----------
    Agresti 2013, Categorical Data Analysis, 3.5; Phipson & Smyth 2010.
    """
    table = np.array([first, second], dtype=np.intp)
    table = table[:, table.sum(axis=0) > 0]
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if min(rows, default=0) == 0 or len(columns) < 2:
        return 1.0
    expected = np.outer(rows, columns) / rows.sum()

    def unlike(tables: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(((tables - expected) ** 2 / expected).sum(axis=(1, 2)))

    observed = unlike(table[None].astype(float))[0] - 1e-9
    drawn = unlike(random_tables(rows, columns, samples, rng))
    return float((1 + int((drawn >= observed).sum())) / (1 + samples))
