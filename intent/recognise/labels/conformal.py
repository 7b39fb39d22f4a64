"""Conformal label sets of a log: calibration play made for it, quantiles, sets.

Label sets that hold the true strategy with a guaranteed probability, whichever strategy it is.

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

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.logs.gamelog import Trajectories
from intent.recognise.bayes import assumed_noise, class_strategies
from intent.recognise.recogniser import Recogniser
from intent.strategies.catalogue import replay
from intent.strategies.likelihood import composed

__all__ = [
    "CALIBRATION_ROWS",
    "calibration_play",
    "check_level",
    "class_quantiles",
    "conformal_quantiles",
    "conformal_sets",
    "label_sets",
    "set_summary",
]


Floats = NDArray[np.float64]

CALIBRATION_ROWS = 20_000
"""Trajectories per class on which the quantiles are taken: coverage is then met to about .0015."""

_MOST_MOVES = 20_000_000
"""Moves per class beyond which fewer trajectories will do."""


def conformal_sets(
    recogniser: Recogniser,
    X: Trajectories,
    level: float,
    rng: np.random.Generator,
    *,
    eps: float | tuple[float, float] | None = None,
    n: int = CALIBRATION_ROWS,
) -> NDArray[np.bool_]:
    """Which classes belong to the label set of each trajectory; (m, K), no row empty.

    Parameters and errors as `class_quantiles`.
    """
    quantiles = class_quantiles(recogniser, X, level, rng, eps=eps, n=n)
    return (
        label_sets(recogniser.predict_proba(X), quantiles) if len(X) else np.zeros((0, len(quantiles)), bool)
    )


def class_quantiles(
    recogniser: Recogniser,
    X: Trajectories,
    level: float,
    rng: np.random.Generator,
    *,
    eps: float | tuple[float, float] | None = None,
    n: int = CALIBRATION_ROWS,
) -> Floats:
    """The greatest score with which each class belongs to the label sets of a log; (K,).

    Each class gets calibration play of its own, against the opponents of these very trajectories and with
    their lengths and gaps, so that the coverage holds for play like this log's.

    Parameters
    ----------
    recogniser : fitted Recogniser whose classes are strategies
    X : Trajectories of m rows
    level : float in (0, 1), coverage of every class
    rng : numpy Generator
    eps : float, or (low, high) of a uniform, optional
        Noise of the calibration play; default: what the recogniser assumes.
    n : int
        Trajectories per class.

    Raises
    ------
    UsageError
        A level or eps out of range.
    RecogniserError
        A class that is no strategy.
    """
    check_level(level)
    strategies = class_strategies(recogniser)
    if not len(X):
        return np.full(len(strategies), np.inf)
    n = max(1000, min(n, _MOST_MOVES // max(X.shape[1], 1)))
    quantiles = np.empty(len(strategies))
    for k, own_rng in enumerate(rng.spawn(len(strategies))):
        played = calibration_play(recogniser, X, k, n, own_rng, eps=eps)
        proba, truth = recogniser.predict_proba(played), np.full(n, k)
        quantiles[k] = conformal_quantiles(proba, truth, level)[k]
    return quantiles


def calibration_play(
    recogniser: Recogniser,
    X: Trajectories,
    k: int,
    n: int,
    rng: np.random.Generator,
    *,
    eps: float | tuple[float, float] | None = None,
) -> Trajectories:
    """Play of class k of a recogniser in the situations of a log.

    Each trajectory meets the moves that were recorded opposite a row of the log, drawn with replacement,
    and what is unknown there, or no evidence, is so here.

    Parameters
    ----------
    recogniser, X, rng, eps
        As `conformal_sets`.
    k : int, index of the class
    n : int

    Raises
    ------
    UsageError
        An eps out of range.
    RecogniserError
        A class that is no strategy.
    """
    rows = rng.integers(len(X), size=n)
    other, known = X.other[rows], X.own[rows] >= 0
    errors = None if X.implementation_error is None else X.implementation_error[rows]
    noise = _draw_eps(recogniser, eps, n, rng)
    flipped = None if X.decided is None else X.decided[rows] != X.own[rows]
    total = noise if errors is None else composed(noise, errors)
    decided, _ = replay(class_strategies(recogniser)[k], other, total, rng, flipped)
    played = decided if flipped is None else np.where(flipped, np.int8(1) - decided, decided)
    return Trajectories(
        np.where(known, played, np.int8(-1)),
        other,
        decided=None if flipped is None else decided,
        evidence=None if X.evidence_mask is None else X.evidence_mask[rows],
        implementation_error=errors,
    )


def set_summary(sizes: Mapping[int, int], level: float) -> dict[str, Any]:
    """Level, mean size, share of singletons, and how many sets there are of each size.

    Parameters
    ----------
    sizes : size -> number of sets
    level : float
    """
    n = sum(sizes.values())
    return {
        "level": level,
        "mean_size": sum(size * count for size, count in sizes.items()) / n if n else None,
        "singletons": sizes.get(1, 0) / n if n else None,
        "sizes": {str(size): sizes[size] for size in sorted(sizes)},
    }


def _draw_eps(recogniser: Recogniser, eps: Any, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """(n,) noise of the calibration play: as given, else as the recogniser assumes, else U[0, .2]."""
    assumed, prior = assumed_noise(recogniser, "integrate")
    if eps is not None:
        low, high = eps if isinstance(eps, tuple) else (eps, eps)
        if not 0 <= low <= high < 0.5:
            raise UsageError(f"noise of the calibration play is {low:g} to {high:g}, expected in [0, .5)")
        return rng.uniform(low, high, n)
    if assumed != "integrate":
        return np.full(n, float(assumed))
    if len(prior) == 3:
        return rng.beta(prior[0], prior[1], n) * prior[2]
    return rng.uniform(prior[0], prior[1], n)


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
