"""Covariance of estimates when rows of one cluster are no independent observations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["sandwich"]

Floats = NDArray[np.float64]


def sandwich(
    bread: Floats, scores: Floats, clusters: NDArray[np.intp], penalty: Floats | None = None
) -> Floats:
    """B (c sum_c u_c u_c' + diag(penalty)) B, u_c the summed scores of cluster c.

    c = C / (C - 1) x (n - 1) / (n - p), the usual correction for few clusters.

    Parameters
    ----------
    bread : (p, p) float
        Inverse of the negative Hessian.
    scores : (n, p) float
        Gradient of each row's log-likelihood.
    clusters : (n,) int
    penalty : (p,) float, optional
        Precisions of a normal prior that went into the estimates; what it leaves open stays open.

    References
    ----------
    Liang & Zeger (1986), Biometrika 73:13; Cameron & Miller (2015), Journal of Human Resources 50:317, §II.
    """
    codes = np.unique(clusters, return_inverse=True)[1]
    (n, p), n_clusters = scores.shape, int(codes.max()) + 1
    sums = np.zeros((n_clusters, p))
    np.add.at(sums, codes, scores)
    correction = n_clusters / max(n_clusters - 1, 1) * (n - 1) / max(n - p, 1)
    meat = correction * (sums.T @ sums) + (0.0 if penalty is None else np.diag(penalty))
    return np.asarray(bread @ meat @ bread)
