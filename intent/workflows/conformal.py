"""Conformal label sets of a log: calibration play made for it, quantiles, sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from intent.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.trajectories import Trajectories
    from intent.recognise.base import Recogniser

__all__ = ["CALIBRATION_ROWS", "calibration_play", "conformal_sets", "set_summary"]

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
    import numpy as np

    from intent.recognise.conformal import check_level, conformal_quantiles, label_sets
    from intent.recognise.verdict import class_strategies

    check_level(level)
    strategies = class_strategies(recogniser)
    if not len(X):
        return np.zeros((0, len(strategies)), dtype=bool)
    n = max(1000, min(n, _MOST_MOVES // max(X.shape[1], 1)))
    quantiles = np.empty(len(strategies))
    for k, own_rng in enumerate(rng.spawn(len(strategies))):
        played = calibration_play(recogniser, X, k, n, own_rng, eps=eps)
        proba, truth = recogniser.predict_proba(played), np.full(n, k)
        quantiles[k] = conformal_quantiles(proba, truth, level)[k]
    return label_sets(recogniser.predict_proba(X), quantiles)


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
    import numpy as np

    from intent.logs.trajectories import Trajectories
    from intent.recognise.verdict import class_strategies
    from intent.strategies.likelihood import composed
    from intent.strategies.replay import replay

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


def set_summary(sets: pd.Series[Any], level: float) -> dict[str, Any]:
    """Level, mean size, share of singletons, and how many sets there are of each size.

    Parameters
    ----------
    sets : Series of lists of names
    level : float
    """
    sizes = sets.map(len)
    counts = sizes.value_counts().sort_index()
    return {
        "level": level,
        "mean_size": float(sizes.mean()) if len(sizes) else None,
        "singletons": float((sizes == 1).mean()) if len(sizes) else None,
        "sizes": {str(size): int(count) for size, count in counts.items()},
    }


def _draw_eps(recogniser: Recogniser, eps: Any, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """(n,) noise of the calibration play: as given, else as the recogniser assumes, else U[0, .2]."""
    import numpy as np

    from intent.recognise.verdict import assumed_noise

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
