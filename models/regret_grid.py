"""Regret of a recogniser over noise and length, on the same play as two exact rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import RecogniserError
from intent.logs.gamelog import Trajectories
from intent.play.corpora import Corpus, stream
from intent.play.corpora import opponent as rival
from intent.recognise.bayes import log_evidence, normalise
from intent.recognise.recogniser import Recogniser, most_probable
from intent.recognise.scores import Regret, expected_calibration_error, mean_gap
from intent.strategies.sets import strategy_set

GRID_EPS = (0.0, 0.01, 0.05, 0.1, 0.2)
GRID_ROUNDS = (5, 10, 20, 50, 100)

_ROWS = 10_000
_OPPONENT_EPS = {"random": (0.0, 0.0)}


@dataclass(frozen=True, eq=False)
class GridPoint:
    """What was measured at one noise and length.

    Attributes
    ----------
    opponent : str
    eps : float
    rounds : int
    accuracy : float
    to_known : Regret, to the rule that knows eps
    to_range : Regret, to the rule that integrates eps over U[0, .2]
    range_to_known : Regret, of that rule to the one that knows eps
    aware : Regret or None, to the rule that knows eps, of a recogniser that is told it
    confidence, hit : (n,), of the recogniser, for its calibration
    """

    opponent: str
    eps: float
    rounds: int
    accuracy: float
    to_known: Regret
    to_range: Regret
    range_to_known: Regret
    aware: Regret | None
    confidence: NDArray[np.float64]
    hit: NDArray[np.bool_]


def regret_grid(
    model: Recogniser,
    set_name: str,
    *,
    opponent: str = "random",
    n: int = 200_000,
    seed: int = 1,
    eps: Sequence[float] = GRID_EPS,
    rounds: Sequence[int] = GRID_ROUNDS,
    tell: bool = True,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[GridPoint]:
    """Measure a recogniser at each noise and length.

    The same play serves all lengths (its first rounds) and all rules, so regrets are paired; see
    `expected_regret`. A recogniser with ``with_eps`` that takes it is also measured told.

    Parameters
    ----------
    model : fitted Recogniser
    set_name : set of strategies, the classes
    opponent : text as `intent.play.corpora.opponent`; all but ``random`` play with the same noise
    n : trajectories at each point
    seed : int
    eps, rounds : the grid
    tell : whether a recogniser that can be told eps is measured told, too
    update : called with (noises done, in all)
    """

    strategies = strategy_set(set_name)
    longest = max(rounds)
    for i, noise in enumerate(eps):
        update(i, len(eps))
        aware = None
        if tell and hasattr(model, "with_eps"):
            try:
                aware = model.with_eps(noise)
            except RecogniserError:
                aware = None
        corpus = Corpus(
            strategies, n, (longest, longest), (noise, noise), _OPPONENT_EPS.get(opponent), rival(opponent)
        )
        parts: dict[int, list[tuple[NDArray[np.float64], ...]]] = {t: [] for t in rounds}
        for chunk in stream(corpus, np.random.default_rng([seed, i])):
            for a in range(0, len(chunk.y), _ROWS):
                X, y = chunk.X[a : a + _ROWS], chunk.y[a : a + _ROWS]
                for t, part in _measured(model, aware, strategies, X, y, noise, rounds):
                    parts[t].append(part)
        for t in rounds:
            yield _point(opponent, noise, t, [np.concatenate(c) for c in zip(*parts[t], strict=True)])
    update(len(eps), len(eps))


def pooled_calibration(points: Sequence[GridPoint]) -> float:
    """Expected calibration error of the play of several points together."""

    return expected_calibration_error(
        np.concatenate([p.confidence for p in points]), np.concatenate([p.hit for p in points])
    )


def _measured(
    model: Recogniser,
    adapted: Recogniser | None,
    strategies: Sequence[object],
    X: Trajectories,
    y: NDArray[np.intp],
    noise: float,
    rounds: Sequence[int],
) -> Iterator[tuple[int, tuple[NDArray[np.float64], ...]]]:
    """Length -> chance of being right of the two rules, the model and the adapted model; confidence, hit."""

    equal = np.full(len(strategies), 1 / len(strategies))
    blind_at, told_at = (
        _at_lengths(model, X, rounds),
        None if adapted is None else _at_lengths(adapted, X, rounds),
    )
    rows = np.arange(len(X))
    for i, t in enumerate(rounds):
        part = X.truncated(t)
        exact = normalise(log_evidence(part, strategies, noise), equal)  # type: ignore[arg-type]
        ranged = normalise(log_evidence(part, strategies, "integrate"), equal)  # type: ignore[arg-type]
        guess = most_probable(blind_at[i])
        best = exact.max(axis=1)
        aware = best * np.nan if told_at is None else exact[rows, most_probable(told_at[i])]
        confidence = blind_at[i].max(axis=1)
        of_range = exact[rows, most_probable(ranged)]
        yield t, (best, of_range, exact[rows, guess], aware, confidence, guess == y)


def _at_lengths(model: Recogniser, X: Trajectories, rounds: Sequence[int]) -> list[NDArray[np.float64]]:
    if hasattr(model, "predict_proba_path"):
        path = model.predict_proba_path(X)
        return [path[:, t - 1] for t in rounds]
    return [model.predict_proba(X.truncated(t)) for t in rounds]


def _point(opponent: str, noise: float, t: int, columns: list[NDArray[np.float64]]) -> GridPoint:

    best, of_range, own, aware, confidence, hit = columns
    gap = None if np.isnan(aware).any() else mean_gap(best - aware)
    return GridPoint(
        opponent,
        noise,
        t,
        float(own.mean()),
        mean_gap(best - own),
        mean_gap(of_range - own),
        mean_gap(best - of_range),
        gap,
        confidence,
        hit.astype(bool),
    )
