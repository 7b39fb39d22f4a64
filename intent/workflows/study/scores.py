"""Scores in expectation over the true strategy, given the play: those of counting hits, with less noise.

Where play is generated, the probability of each strategy given a history is known exactly. A recogniser that
names class g for history x is right with probability p(g | x), so the mean of p(g | x) over histories is its
accuracy without the noise of which strategy happened to produce x (Rao & Blackwell). Regret becomes
mean(max_k p(k | x) - p(g | x)): never negative against the rule that knows eps, and zero where the recogniser
names any of several tied strategies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]

__all__ = ["RELIABILITY_BINS", "expected_scores", "reliability"]

RELIABILITY_BINS = 50
"""Bins of equal width over [0, 1] in which confidence is kept, so that cells can be pooled."""


def expected_scores(proba: Floats, truth: Floats, rule: Codes, classes: Sequence[str]) -> dict[str, Any]:
    """All scores of one recogniser on generated play.

    Parameters
    ----------
    proba : (n, J) its posterior; the first K columns are those of `truth`
    truth : (n, K) exact posterior, under the noise of the play
    rule : (n,) the class that the rule which integrates eps names
    classes : K names

    Returns
    -------
    dict with accuracy, ceiling_known, ceiling_integrate, regret_known, regret_integrate and the standard
    error of each regret and of the accuracy, macro_f1, f1 (name -> score), ece (top class, 15 bins of equal
    mass), brier, bins (as `reliability`)
    """
    import numpy as np

    from intent.recognise.base import most_probable
    from intent.recognise.regret import expected_regret
    from intent.recognise.scores import expected_calibration_error

    n, k = truth.shape
    guess, best = most_probable(proba), most_probable(truth)
    padded = np.zeros(proba.shape)
    padded[:, :k] = truth
    rows = np.arange(n)
    hit = padded[rows, guess]
    known, integrated = expected_regret(padded, best, guess), expected_regret(padded, rule, guess)
    confusion = np.zeros((k, proba.shape[1]))
    np.add.at(confusion.T, guess, truth)
    named, true, both = confusion.sum(axis=0)[:k], confusion.sum(axis=1), confusion.diagonal()
    f1 = 2 * both / np.maximum(named + true, 1e-300)
    confidence = proba[rows, guess]
    right: Any = hit  # probabilities of a hit serve as well as hits
    return {
        "n": n,
        "accuracy": float(hit.mean()),
        "accuracy_se": float(hit.std() / n**0.5),
        "ceiling_known": float(truth[rows, best].mean()),
        "ceiling_integrate": float(truth[rows, rule].mean()),
        "regret_known": known.value,
        "regret_known_se": known.standard_error,
        "regret_integrate": integrated.value,
        "regret_integrate_se": integrated.standard_error,
        "macro_f1": float(f1.mean()),
        "f1": dict(zip(classes, f1.tolist(), strict=True)),
        "ece": expected_calibration_error(confidence, right),
        "brier": float(((proba**2).sum(axis=1) - 2 * (proba * padded).sum(axis=1) + 1).mean()),
        "bins": reliability(confidence, hit),
    }


def reliability(confidence: Floats, hit: Floats) -> list[list[float]]:
    """Per bin of confidence with any mass: its number, how many, sum of confidence, sum of hits.

    Parameters
    ----------
    confidence : (n,) in [0, 1]
    hit : (n,) probability of being right
    """
    import numpy as np

    at = np.minimum((confidence * RELIABILITY_BINS).astype(int), RELIABILITY_BINS - 1)
    mass, sums, hits = (
        np.bincount(at, weights, RELIABILITY_BINS) for weights in (np.ones(len(at)), confidence, hit)
    )
    return [[int(b), int(mass[b]), float(sums[b]), float(hits[b])] for b in np.flatnonzero(mass)]
