"""Covariance of estimates when rows of one cluster are no independent observations, and tests with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["adjusted_score", "adjusted_wald", "sandwich"]

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


def adjusted_wald(
    estimates: Floats, covariance: Floats, n_clusters: int
) -> tuple[float, float, tuple[float, float] | None]:
    """Wald's test that all estimates are zero, for covariances known from C clusters.

    F = W (C - df) / ((C - 1) df) on df and C - df degrees of freedom, W = b' V^-1 b: the covariance of few
    clusters is itself uncertain, as in Hotelling's test.

    Parameters
    ----------
    estimates : (df,) float
    covariance : (df, df) float
    n_clusters : int

    Returns
    -------
    (F, p, (df, C - df)); NaN and None where there are not more clusters than estimates

    References
    ----------
    Korn & Graubard (1990), The American Statistician 44:270.
    """
    from scipy.special import fdtrc

    df = len(estimates)
    free = n_clusters - df
    if df == 0 or free < 1:
        return float("nan"), float("nan"), None
    wald = float(estimates @ np.linalg.pinv(covariance, hermitian=True) @ estimates)
    statistic = wald * free / ((n_clusters - 1) * df)
    return statistic, float(fdtrc(df, free, statistic)), (float(df), float(free))


def adjusted_score(
    scores: Floats, information: Floats, clusters: NDArray[np.intp], tested: NDArray[np.intp]
) -> tuple[float, float, tuple[float, float] | None]:
    """Rao's test that the tested coefficients are zero, for clustered rows (generalised score test).

    1. With u_c the summed scores of cluster c where the tested coefficients are zero and the others at their
       maximum, and A the information, v_c = u_c,t - A_tr A_rr^-1 u_c,r: what the others leave of them.
    2. T = s' (sum_c v_c v_c')^- s, s = sum_c v_c; F = T / df on df and C - 1 degrees of freedom.

    Wald's test of a logit rejects too little where some coefficient is large, and too much where a level
    has few clusters; this one holds its level in both cases (`benchmarks/comparison.py`).

    Parameters
    ----------
    scores : (n, p) float
    information : (p, p) float
        Negative Hessian.
    clusters : (n,) int
    tested : (df,) int
        Places of the coefficients.

    Returns
    -------
    (F, p, (df, C - 1)); NaN and None where there are not more clusters than coefficients

    References
    ----------
    Boos (1992), The American Statistician 46:327; Cameron & Miller (2015), §VI.C (C - 1 degrees of freedom).
    """
    from scipy.special import fdtrc

    codes = np.unique(clusters, return_inverse=True)[1]
    sums = np.zeros((int(codes.max()) + 1, scores.shape[1]))
    np.add.at(sums, codes, scores)
    rest = np.setdiff1d(np.arange(scores.shape[1]), tested)
    share = information[np.ix_(tested, rest)] @ np.linalg.pinv(
        information[np.ix_(rest, rest)], hermitian=True
    )
    left = sums[:, tested] - sums[:, rest] @ share.T
    df, free = len(tested), len(sums) - 1
    if df == 0 or free < df:
        return float("nan"), float("nan"), None
    total = left.sum(axis=0)
    statistic = float(total @ np.linalg.pinv(left.T @ left, hermitian=True) @ total) / df
    return statistic, float(fdtrc(df, free, statistic)), (float(df), float(free))
