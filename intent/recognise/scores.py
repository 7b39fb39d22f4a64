"""How good are posteriors? Accuracy, F1, calibration error, Brier score.

Are probabilities what they say? Accuracy beside confidence, in bins of equal mass.

How much accuracy a recogniser leaves on the table, measured on the same play as the rule.

Regret of a recogniser over noise and length, on the same play as two exact rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import RecogniserError
from intent.play.corpora import Corpus, stream
from intent.play.corpora import opponent as rival
from intent.recognise.bayes import log_evidence, normalise
from intent.recognise.recogniser import most_probable
from intent.strategies.catalogue import strategy_set

if TYPE_CHECKING:
    from intent.logs.trajectories import Trajectories
    from intent.recognise.recogniser import Recogniser


__all__ = [
    "ECE_BINS",
    "GRID_EPS",
    "GRID_ROUNDS",
    "GridPoint",
    "Regret",
    "ReliabilityBin",
    "brier_score",
    "calibration_error",
    "expected_calibration_error",
    "expected_regret",
    "mean_gap",
    "paired_regret",
    "pooled_calibration",
    "regret_grid",
    "reliability_bins",
    "score_table",
]


_DIGITS = 12
"""Probabilities that agree to so many decimals are equal: the rest is rounding."""


@dataclass(frozen=True)
class ReliabilityBin:
    """Trajectories of nearly equal confidence.

    Attributes
    ----------
    low, high : float, least and greatest confidence
    n : int
    confidence : float, mean
    accuracy : float, share of hits
    """

    low: float
    high: float
    n: int
    confidence: float
    accuracy: float


def reliability_bins(
    confidence: NDArray[np.float64], hit: NDArray[np.bool_], bins: int
) -> tuple[ReliabilityBin, ...]:
    """Bins of equal mass, in order of confidence.

    Short play has few distinct posteriors, so that a bin may end among trajectories of equal confidence.
    These share their hits evenly: the bins do not depend on the order of the rows.

    Parameters
    ----------
    confidence : (n,), probability of a class
    hit : (n,), whether that class is the true one
    bins : int, at most so many

    References
    ----------
    Equal mass: Nguyen & O'Connor 2015, EMNLP, section 3.
    """
    if not len(confidence):
        return ()
    _, codes = np.unique(confidence.round(_DIGITS), return_inverse=True)
    codes = codes.reshape(-1)
    shared = np.bincount(codes, weights=hit) / np.bincount(codes)
    order = np.argsort(confidence, kind="stable")
    groups = []
    for part in np.array_split(order, min(bins, len(order))):
        inside = confidence[part]
        groups.append(
            ReliabilityBin(
                float(inside[0]),
                float(inside[-1]),
                len(part),
                float(inside.mean()),
                float(shared[codes[part]].mean()),
            )
        )
    return tuple(groups)


def calibration_error(bins: tuple[ReliabilityBin, ...]) -> float:
    """ECE = sum_b (n_b / n) |accuracy_b - confidence_b| (Guo et al. 2017, ICML, eq. 3)."""
    n = sum(b.n for b in bins)
    return sum(b.n * abs(b.accuracy - b.confidence) for b in bins) / n if n else float("nan")


ECE_BINS = 15


def expected_calibration_error(
    confidence: NDArray[np.float64], hit: NDArray[np.bool_], bins: int = ECE_BINS
) -> float:
    """Mean distance of confidence and accuracy over bins of equal mass.

    ECE = sum_b (n_b / n) |accuracy_b - confidence_b|, bins as `reliability_bins`

    Parameters
    ----------
    confidence : (n,), probability of the most probable class
    hit : (n,), whether that class is the true one
    bins : int

    References
    ----------
    Guo et al. 2017, ICML, eq. 3; equal-mass bins as Nguyen & O'Connor 2015.
    """
    return calibration_error(reliability_bins(confidence, hit, bins))


def brier_score(proba: NDArray[np.float64], truth: NDArray[np.intp]) -> float:
    """Mean over trajectories of sum_k (p_k - [k is true])² (Brier 1950); truth -1: no class of ours."""
    hot = truth[:, None] == np.arange(proba.shape[1])
    return float(((proba - hot) ** 2).sum(axis=1).mean()) if len(proba) else float("nan")


def score_table(
    proba: NDArray[np.float64], truth: NDArray[np.intp], classes: Sequence[str]
) -> dict[str, Any]:
    """All scores of one recogniser on labelled play.

    Parameters
    ----------
    proba : (n, K)
    truth : (n,), index of the true class
    classes : K names

    Returns
    -------
    dict with accuracy, macro_f1, per_class, ece, brier
    """
    guess = most_probable(proba) if len(proba) else np.empty(0, dtype=np.intp)
    hit = guess == truth
    per_class = {}
    for k, name in enumerate(classes):
        true_k, guess_k = truth == k, guess == k
        both = int((true_k & guess_k).sum())
        precision = both / int(guess_k.sum()) if guess_k.any() else 0.0
        recall = both / int(true_k.sum()) if true_k.any() else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        per_class[name] = {"precision": precision, "recall": recall, "f1": f1, "n": int(true_k.sum())}
    present = [scores["f1"] for scores in per_class.values() if scores["n"]]
    return {
        "accuracy": float(hit.mean()) if len(hit) else float("nan"),
        "macro_f1": float(np.mean(present)) if present else float("nan"),
        "per_class": per_class,
        "ece": expected_calibration_error(proba.max(axis=1), hit),
        "brier": brier_score(proba, truth),
    }


_Z95 = 1.6448536269514722
"""95 % point of the standard normal distribution."""


@dataclass(frozen=True)
class Regret:
    """Accuracy of a rule minus that of a recogniser.

    Attributes
    ----------
    value : float
    standard_error : float
    bound : float
        One-sided upper bound with 95 % confidence.
    """

    value: float
    standard_error: float
    bound: float


def paired_regret(rule_hit: NDArray[np.bool_], hit: NDArray[np.bool_]) -> Regret:
    """Regret on the same play, so that only the trajectories on which the two differ make it uncertain.

    With b trajectories that only the rule gets right and c that only the recogniser does, the regret is
    (b - c) / n. Standard error and bound add half a trajectory to each of the four cells, so that neither is
    zero where the two never differ.

    Parameters
    ----------
    rule_hit, hit : (n,) bool, whether each is right

    References
    ----------
    Agresti & Min 2005, Statistics in Medicine 24:729, for the adjusted difference of paired proportions.
    """
    n = len(hit)
    if n == 0:
        return Regret(float("nan"), float("nan"), float("nan"))
    only_rule, only_hit = int((rule_hit & ~hit).sum()), int((hit & ~rule_hit).sum())
    b, c, size = only_rule + 0.5, only_hit + 0.5, n + 2
    error = ((b + c) - (b - c) ** 2 / size) ** 0.5 / size
    return Regret((only_rule - only_hit) / n, error, (b - c) / size + _Z95 * error)


def expected_regret(
    posterior: NDArray[np.float64], rule: NDArray[np.intp], guess: NDArray[np.intp]
) -> Regret:
    """Regret on the same play, with the chance of being right given the play in place of being right.

    The expectation is that of `paired_regret`; the variance is less, since the draw of the strategy given its
    play is averaged over (Rao-Blackwell).

    Parameters
    ----------
    posterior : (n, K), exact, as known to one who knows the noise
    rule, guess : (n,), classes that the rule and the recogniser name
    """
    rows = np.arange(len(posterior))
    return mean_gap(posterior[rows, rule] - posterior[rows, guess])


def mean_gap(gap: NDArray[np.float64]) -> Regret:
    """Mean of paired differences (n,), with its standard error and bound."""
    if not len(gap):
        return Regret(float("nan"), float("nan"), float("nan"))
    value, error = float(gap.mean()), float(gap.std() / len(gap) ** 0.5)
    return Regret(value, error, value + _Z95 * error)


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
    told : Regret or None, to the rule that knows eps, of a recogniser that is told it
    confidence, hit : (n,), of the recogniser, for its calibration
    """

    opponent: str
    eps: float
    rounds: int
    accuracy: float
    to_known: Regret
    to_range: Regret
    range_to_known: Regret
    told: Regret | None
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
