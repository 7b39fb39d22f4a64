"""How good are posteriors? Accuracy, F1, calibration error, Brier score.

Are probabilities what they say? Accuracy beside confidence, in bins of equal mass.

How much accuracy a recogniser leaves on the table, measured on the same play as the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.recognise.recogniser import most_probable

if TYPE_CHECKING:
    pass


__all__ = [
    "ECE_BINS",
    "Regret",
    "ReliabilityBin",
    "brier_score",
    "calibration_error",
    "expected_calibration_error",
    "expected_regret",
    "mean_gap",
    "paired_regret",
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
