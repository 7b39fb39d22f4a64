"""Mending posteriors that say too much or too little, by what they were worth on held-out play.

Temperature keeps the order of the classes and has one parameter; isotonic regression bends the probability of
each class on its own, which needs more play and may change the most probable class.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.recognise.line_search import lowest_point

__all__ = ["Curve", "apply_isotonic", "apply_temperature", "fit_isotonic", "fit_temperature"]

Floats = NDArray[np.float64]
Curve = tuple[Floats, Floats]
"""A rising line through points: probabilities as they come, and as they should be."""

_LEAST = 1e-12
"""Probability that a class counts with in the log loss where a recogniser excludes it."""

_WIDEST = 5.0
"""Largest absolute log of a temperature that is tried."""


def fit_temperature(proba: Floats, truth: NDArray[np.intp]) -> float:
    """The temperature under which the true classes are most probable.

    Minimises the log loss -mean log p_T(y), with p_T(k) proportional to p(k)^(1/T), over log T.

    Parameters
    ----------
    proba : (n, K)
    truth : (n,), index of the true class

    References
    ----------
    Guo et al. 2017, ICML, section 4.2.
    """
    from scipy.special import log_softmax

    logits, rows = np.log(np.maximum(proba, _LEAST)), np.arange(len(proba))

    def loss(log_temperature: float) -> float:
        return float(-log_softmax(logits * np.exp(-log_temperature), axis=1)[rows, truth].mean())

    return float(np.exp(lowest_point(loss, np.linspace(-_WIDEST, _WIDEST, 41), 1e-6)))


def apply_temperature(proba: Floats, temperature: float) -> Floats:
    """Posteriors (n, K) proportional to p^(1/T); impossible classes stay so."""
    top = proba.max(axis=1, keepdims=True)
    scaled = (proba / top) ** (1 / temperature)
    cooled: Floats = scaled / scaled.sum(axis=1, keepdims=True)
    return cooled


def fit_isotonic(proba: Floats, truth: NDArray[np.intp]) -> tuple[Curve, ...]:
    """For each class, the rising step-wise line from its probability to how often it is the true one.

    Parameters
    ----------
    proba : (n, K)
    truth : (n,), index of the true class

    References
    ----------
    Zadrozny & Elkan 2002, KDD, section 4: isotonic regression, one class against the rest.
    """
    from sklearn.isotonic import IsotonicRegression

    curves = []
    for k in range(proba.shape[1]):
        model = IsotonicRegression(y_min=0.0, y_max=1.0).fit(proba[:, k], truth == k)
        curves.append((np.asarray(model.X_thresholds_, float), np.asarray(model.y_thresholds_, float)))
    return tuple(curves)


def apply_isotonic(proba: Floats, curves: Sequence[Curve]) -> Floats:
    """Posteriors (n, K) read off the curves and normalised; as they were where all curves say zero."""
    bent = np.stack([np.interp(proba[:, k], *curve) for k, curve in enumerate(curves)], axis=1)
    bent = np.where((bent > 0).any(axis=1, keepdims=True), bent, proba)
    total: Floats = bent.sum(axis=1, keepdims=True)
    return bent / total
