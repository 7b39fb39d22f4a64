"""Means over pairs of strategies, where the strategies might have been others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["pair_draws"]


def pair_draws(
    block: NDArray[np.float64], left: NDArray[np.float64], right: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Mean of a block of pairs in each bootstrap sample of its strategies.

    Within a group, a strategy that was drawn k times stands for k strategies: each of them meets itself
    once, and in k (k - 1) meetings another one, of which nothing is known but what it made of the others.
    So those count as the mean of its row and column without self-play. If they counted as self-play, that
    would weigh nearly twice as much in the samples as in the mean, and the intervals would lie beside it.

    Parameters
    ----------
    block : (a, b) float, what the row's strategies got against the column's; NaN where not played
    left : (B, a) float, how often each strategy of the row was drawn
    right : (B, b) float, optional
        Those of the column; None where row and column are one group, whose draws are the same.

    Returns
    -------
    (B,) float, NaN where no pair of a sample was played

    References
    ----------
    Snijders & Borgatti 1999, Connections 22:161 (the same strategy drawn twice); Owen 2007, Annals of
    Applied Statistics 1:386 (two factors that cross).
    """
    if right is not None:
        total, n = (((left @ part) * right).sum(axis=1) for part in _parts(block))
        return _ratio(total, n)
    apart = block.copy()
    np.fill_diagonal(apart, np.nan)
    between, met = _parts(apart)
    alone, met_itself = _parts(np.diag(block))
    others = met.sum(axis=0) + met.sum(axis=1)
    usual = _ratio(between.sum(axis=0) + between.sum(axis=1), others)
    again = left * (left - 1)
    total = ((left @ between) * left).sum(axis=1) + left @ alone + again @ np.nan_to_num(usual)
    n = ((left @ met) * left).sum(axis=1) + left @ met_itself + again @ (others > 0)
    return _ratio(total, n)


def _parts(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The values with 0 where there is none, and 1 where there is one."""
    known = ~np.isnan(values)
    return np.where(known, values, 0.0), known.astype(float)


def _ratio(total: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.where(n > 0, total / np.where(n > 0, n, 1.0), np.nan))
