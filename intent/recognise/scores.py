"""How good are posteriors? Accuracy, F1, calibration error, Brier score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.recognise.base import most_probable
from intent.recognise.reliability import calibration_error, reliability_bins

__all__ = ["ECE_BINS", "brier_score", "expected_calibration_error", "score_table"]

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
