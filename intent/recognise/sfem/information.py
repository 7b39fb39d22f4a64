"""Errors of estimates from the observed information.

The shares sum to one, so the information is taken along that plane: with T a basis of it, the covariance is
T (T' I T)^-1 T', which gives every share its error at once. Estimates on their boundary are held there. With
clusters the covariance is the sandwich T A^-1 (sum_c s_c s_c') A^-1 T' of the clusters' scores s_c; those
of clusters that are alike are counted.

References
----------
Louis 1982, JRSS B 44:226; White 1982, Econometrica 50:1 (sandwich); Liang & Zeger 1986, Biometrika 73:13
(clusters).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.maximise import Optimum

__all__ = ["NO_TREMBLE", "ZERO", "Covariance", "covariance", "ridges"]

Floats = NDArray[np.float64]
NO_TREMBLE = float(np.log(1e-8))
"""Log-odds of the smallest tremble that is told from none."""
ZERO = 1e-9
"""Shares smaller than this are zero."""


@dataclass(frozen=True, eq=False)
class Covariance:
    """Covariance of all parameters, shares block by block, then the log-odds of the trembles.

    Attributes
    ----------
    matrix : (P, P)
    interior : (P,) bool, neither on the boundary nor without moves to learn from
    known : (P,) bool, interior and told apart by the data
    """

    matrix: Floats
    interior: NDArray[np.bool_]
    known: NDArray[np.bool_]


def covariance(
    found: Optimum, scores: Floats | None = None, number: NDArray[np.int64] | None = None
) -> Covariance:
    """Covariance of the estimates at an optimum (the first of its batch).

    Parameters
    ----------
    found : Optimum
    scores : (C, P) or None
        Sum of the scores of each cluster, for the sandwich.
    number : (C,), optional
        How many clusters each row stands for; default: one.
    """
    shares, log_odds = found.at.shares[0], found.at.log_odds[0]
    moves = found.slopes.moves[0]
    odds_inside = (
        (log_odds > NO_TREMBLE) & (log_odds < found.highest) & (moves > 1e-6 * max(moves.sum(), 1e-300))
    )
    inside = (shares > ZERO) & (shares < 1 - ZERO)
    interior = np.concatenate([inside.reshape(-1), odds_inside])
    basis = _basis(shares.shape, inside, odds_inside)
    reduced = basis.T @ found.slopes.information[0] @ basis
    diagonal = np.abs(np.diag(reduced))
    scale = 1 / np.sqrt(np.maximum(diagonal, max(1e-10 * diagonal.max(initial=0.0), 1e-300)))
    values, vectors = np.linalg.eigh(reduced * scale[:, None] * scale)
    good = values > 1e-8
    half = basis @ (scale[:, None] * vectors)
    null = np.abs(half[:, ~good]).max(axis=1, initial=0.0)
    known = interior & (null <= 1e-6 * max(1e-300, np.abs(half).max(initial=0.0)))
    inverse = (half[:, good] / values[good]) @ half[:, good].T
    if scores is None:
        return Covariance(inverse, interior, known)
    number = np.ones(len(scores), dtype=np.int64) if number is None else number
    n_clusters = int(number.sum())
    if n_clusters < 2:
        return Covariance(inverse, interior, np.zeros_like(known))
    meat = (scores.T * number) @ scores * (n_clusters / max(n_clusters - 1, 1))
    return Covariance(inverse @ meat @ inverse, interior, known)


def ridges(shares_slope: Floats, information: Floats, total: float) -> list[tuple[int, ...]]:
    """Groups of strategies between which shares can be moved without changing the likelihood.

    A direction v with sum_k v_k P_ki = 0 for every subject i is a null vector of sum_i r_i r_i'; only
    strategies that the data do not exclude (mean_i r_ik = 1) take part.

    Parameters
    ----------
    shares_slope : (K,) sum_i r_ik
    information : (K, K) sum_i r_i r_i'
    total : float, number of subjects
    """
    able = np.flatnonzero(shares_slope >= total * (1 - 1e-6))
    values, vectors = np.linalg.eigh(information[np.ix_(able, able)] / total)
    null = vectors[:, values <= 1e-10 * max(values.max(initial=0.0), 1.0)]
    linked = np.abs(null @ null.T) > 1e-6
    left = {int(i) for i in np.flatnonzero(np.diag(linked))}
    found = []
    while left:
        part, edge = set(), {min(left)}
        while edge:
            part |= edge
            edge = {int(j) for i in edge for j in np.flatnonzero(linked[i])} - part
        left -= part
        found.append(tuple(int(able[i]) for i in sorted(part)))
    return found


def _basis(shape: tuple[int, int], inside: NDArray[np.bool_], odds_inside: NDArray[np.bool_]) -> Floats:
    """(P, R) columns along which interior parameters can move: shares of a block by sums of zero."""
    a, k = shape
    size = a * k + len(odds_inside)
    columns = []
    for block in range(a):
        free = np.flatnonzero(inside[block]) + block * k
        for i in range(1, len(free)):
            column = np.zeros(size)
            column[free[:i]] = 1 / np.sqrt(i * (i + 1))
            column[free[i]] = -i / np.sqrt(i * (i + 1))
            columns.append(column)
    for j in np.flatnonzero(odds_inside):
        column = np.zeros(size)
        column[a * k + j] = 1.0
        columns.append(column)
    return np.stack(columns, axis=1) if columns else np.zeros((size, 0))
