"""Likelihood-ratio tests of equal shares of a mixture when subjects of one cluster are not independent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["GroupPosteriors", "design_effect", "scaled_ratio"]

Floats = NDArray[np.float64]

_NONE = 1e-6
"""A smaller share is on its boundary: nothing moves there."""


@dataclass(frozen=True, eq=False)
class GroupPosteriors:
    """What one group's fit says of its n subjects.

    Parameters
    ----------
    shares : (K,) float, estimated
    posterior : (n, K) float
    clusters : (n,) int, the same codes in all groups
    """

    shares: Floats
    posterior: Floats
    clusters: NDArray[np.intp]


def scaled_ratio(
    statistic: float, df: int, groups: Sequence[GroupPosteriors]
) -> tuple[float, float, tuple[float, float] | None]:
    """A likelihood ratio over its mean design effect, as F on df and C - 1 degrees of freedom.

    With correlated subjects 2 (log L free - log L equal) is not chi-square but a sum of chi-squares weighted
    by the eigenvalues of the design effects of the tested differences; over their mean it has the mean that
    chi-square has.

    Parameters
    ----------
    statistic : float
        2 (log L free - log L equal).
    df : int
    groups : sequence of GroupPosteriors

    Returns
    -------
    (F, p, (df, C - 1)); NaN and None without two clusters or with nothing to test

    References
    ----------
    Rao & Scott (1984), Annals of Statistics 12:46 (first-order correction); Rotnitzky & Jewell (1990),
    Biometrika 77:485 (working likelihood ratios of clustered observations).
    """
    from scipy.special import fdtrc

    free = len(np.unique(np.concatenate([group.clusters for group in groups]))) - 1
    if df < 1 or free < 1:
        return float("nan"), float("nan"), None
    ratio = statistic / (df * design_effect(groups))
    return ratio, float(fdtrc(df, free, ratio)), (float(df), float(free))


def design_effect(groups: Sequence[GroupPosteriors]) -> float:
    """Mean design effect of the differences of shares between groups.

    1. s_ik = t_ik / phi_k, the score of subject i's share of strategy k, along the plane where shares sum
       to one; strategies whose share is zero in some group are left out, and trembles are taken as known.
    2. A = sum_i s_i s_i', with groups side by side, and B = C / (C - 1) sum_c s_c s_c' with s_c summed over
       the subjects of cluster c: V = A^-1 B A^-1 beside the naive A^-1.
    3. trace((D A^-1 D')^-1 D V D') / rank D, D the differences of all groups to the first.

    Above 1 where subjects of a cluster are alike and in one group, below 1 where they are alike and in
    several, which makes differences surer.

    Parameters
    ----------
    groups : sequence of GroupPosteriors
    """
    inside = np.all([group.shares > _NONE for group in groups], axis=0)
    plane = _plane(int(inside.sum()))
    width = plane.shape[1]
    if not width or len(groups) < 2:
        return 1.0
    codes = np.unique(np.concatenate([group.clusters for group in groups]), return_inverse=True)[1]
    n_clusters, size = int(codes.max()) + 1, width * len(groups)
    naive, sums = np.zeros((size, size)), np.zeros((n_clusters, size))
    start = 0
    for g, group in enumerate(groups):
        scores = (group.posterior[:, inside] / group.shares[inside]) @ plane
        own, stop = slice(g * width, (g + 1) * width), start + len(scores)
        naive[own, own] = scores.T @ scores
        np.add.at(sums[:, own], codes[start:stop], scores)
        start = stop
    meat = n_clusters / max(n_clusters - 1, 1) * (sums.T @ sums)
    bread = np.linalg.pinv(naive, hermitian=True)
    apart = np.concatenate([-np.ones((len(groups) - 1, 1)), np.eye(len(groups) - 1)], axis=1)
    differences = np.kron(apart, np.eye(width))
    plain = differences @ bread @ differences.T
    robust = differences @ bread @ meat @ bread @ differences.T
    rank = int(np.linalg.matrix_rank(plain, hermitian=True))
    effect = float(np.trace(np.linalg.pinv(plain, hermitian=True) @ robust)) / max(rank, 1)
    return effect if effect > 0 else 1.0


def _plane(k: int) -> Floats:
    """(k, k - 1) orthonormal columns of sum zero."""
    if k < 2:
        return np.zeros((k, 0))
    return np.asarray(np.linalg.svd(np.eye(k) - 1 / k)[0][:, : k - 1])
