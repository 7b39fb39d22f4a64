"""Label sets that hold the true strategy with a guaranteed probability, whichever strategy it is.

Split conformal prediction, class by class (Mondrian): on calibration play of class k, the scores 1 - p_k of
its n_k trajectories have an empirical quantile

    q_k = the ceil((n_k + 1) level)-th smallest score, infinite where there is none,

and class k belongs to the set of a history where 1 - p_k <= q_k. If a new trajectory of class k is
exchangeable with those of the calibration play, its set holds k with probability at least `level`.

References
----------
Vovk, Gammerman & Shafer 2005, Algorithmic Learning in a Random World, section 4.5 (Mondrian); Sadinle, Lei &
Wasserman 2019, JASA 114:223 (least ambiguous sets with class-conditional coverage).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.errors import UsageError

__all__ = ["check_level", "conformal_quantiles", "label_sets"]

Floats = NDArray[np.float64]

_SLACK = 1e-9
"""Probabilities nearer than this are equal, so that rounding never costs a class its place."""


def check_level(level: float) -> None:
    """Refuse a coverage that is none.

    Raises
    ------
    UsageError
        A level outside (0, 1).
    """
    if not 0 < level < 1:
        raise UsageError(f"coverage is {level}, expected a probability between 0 and 1")


def conformal_quantiles(proba: Floats, truth: NDArray[np.intp], level: float) -> Floats:
    """The greatest score with which each class still belongs to a set.

    Parameters
    ----------
    proba : (n, K), posteriors on calibration play
    truth : (n,), index of the true class
    level : float in (0, 1), coverage

    Returns
    -------
    (K,) in [0, 1], or infinite for a class with too little play to exclude it at this level

    Raises
    ------
    UsageError
        A level outside (0, 1).
    """
    check_level(level)
    quantiles = np.full(proba.shape[1], np.inf)
    for k in range(proba.shape[1]):
        scores = np.sort(1 - proba[truth == k, k])
        rank = int(np.ceil((len(scores) + 1) * level - 1e-9))
        if rank <= len(scores):
            quantiles[k] = scores[rank - 1]
    return quantiles


def label_sets(proba: Floats, quantiles: Floats) -> NDArray[np.bool_]:
    """Which classes belong to the set of each history; (n, K), no row empty.

    The most probable class always belongs, and so do those that are as probable: that only adds to the
    coverage.

    Parameters
    ----------
    proba : (n, K)
    quantiles : (K,), of `conformal_quantiles`
    """
    inside = 1 - proba <= quantiles + _SLACK
    best = proba >= proba.max(axis=1, keepdims=True) * (1 - _SLACK)
    sets: NDArray[np.bool_] = inside | best
    return sets
