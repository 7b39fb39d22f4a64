"""One statistic for shares and means given blocks: Cochran, Mantel and Haenszel's, generalised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Stratified", "stratified"]

Floats = NDArray[np.float64]

_NOTHING = 1e-10
"""Eigenvalues below this share of the largest are zero."""


@dataclass(frozen=True, eq=False)
class Stratified:
    """What Q needs of the data; the same for every permutation within blocks.

    Attributes
    ----------
    centred : (n, k) float
        Values less the mean of their block.
    inverse : (levels * k, levels * k) float
        Generalised inverse of the covariance of the summed deviations.
    df : int
        Rank of the covariance.
    scale : float
        sum_b (N_b - 1) over informative blocks, times min(levels - 1, rank of the values): Q is no larger.
    """

    centred: Floats
    inverse: Floats
    df: int
    scale: float

    def statistic(self, sums: Floats) -> Floats:
        """Q of (..., levels, k) sums of the centred values by level."""
        flat = sums.reshape(*sums.shape[:-2], -1)
        return np.asarray(((flat @ self.inverse) * flat).sum(axis=-1))


def stratified(values: Floats, codes: NDArray[np.intp], blocks: NDArray[np.intp]) -> Stratified:
    """Prepare the generalised Cochran-Mantel-Haenszel statistic.

    1. D_gk = sum over blocks b of (sum of value k in level g of b, less what the block's mean lets expect).
    2. Under exchange of rows within blocks, Cov(D) = sum_b [diag(r_b) - r_b r_b' / N_b] (x) S_b, with r_b
       the rows of each level and S_b the covariance of the values in b (N_b - 1).
    3. Q = D' Cov(D)^- D, on `df` degrees of freedom if rows were independent.

    With 0/1 outcomes this is the test of general association, with one number the mean score test; with
    one block it is (N - 1) / N chi-square, or (N - 1) eta squared. Differences between blocks cancel, and
    a block that holds one level alone adds nothing.

    Parameters
    ----------
    values : (n, k) float
        Weights of outcomes, or one number.
    codes : (n,) int
        Level of the factor, 0 to levels - 1.
    blocks : (n,) int

    References
    ----------
    Mantel (1963), JASA 58:690; Landis, Heyman & Koch (1978), International Statistical Review 46:237.
    """
    block = np.unique(blocks, return_inverse=True)[1]
    n_blocks, levels, k = int(block.max()) + 1, int(codes.max()) + 1, values.shape[1]
    size = np.bincount(block).astype(float)
    means = np.stack([np.bincount(block, weights=v) / size for v in values.T], axis=1)
    centred = values - means[block]
    rows = np.bincount(block * levels + codes, minlength=n_blocks * levels).reshape(n_blocks, levels)
    covariance, pooled, scale = np.zeros((levels * k, levels * k)), np.zeros((k, k)), 0.0
    order = np.argsort(block, kind="stable")
    for b, part in enumerate(np.split(order, np.cumsum(size.astype(int))[:-1])):
        r = rows[b].astype(float)
        if (r > 0).sum() < 2:
            continue
        within = centred[part].T @ centred[part] / (size[b] - 1)
        covariance += np.kron(np.diag(r) - np.outer(r, r) / size[b], within)
        pooled += within
        scale += float(size[b]) - 1
    inverse, df = _inverse(covariance)
    freedom = min(levels - 1, int(np.linalg.matrix_rank(pooled, hermitian=True)))
    return Stratified(centred, inverse, df, scale * max(freedom, 1))


def _inverse(matrix: Floats) -> tuple[Floats, int]:
    """Moore-Penrose inverse of a covariance, and its rank."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > _NOTHING * max(float(values.max(initial=0.0)), 1e-300)
    part = vectors[:, kept]
    return (part / values[kept]) @ part.T, int(kept.sum())
