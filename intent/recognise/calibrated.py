"""A recogniser whose posteriors are mended on held-out play.

Mending posteriors that say too much or too little, by what they were worth on held-out play.

Temperature keeps the order of the classes and has one parameter; isotonic regression bends the probability of
each class on its own, which needs more play and may change the most probable class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.binary import read_arrays
from intent.base.errors import RecogniserError, shorten
from intent.base.registry import require
from intent.recognise.bayes import lowest_point
from intent.recognise.recogniser import Files, as_trajectories, class_codes
from intent.recognise.wrapper import WrappingRecogniser

__all__ = [
    "CalibratedRecogniser",
    "Curve",
    "Method",
    "apply_isotonic",
    "apply_temperature",
    "fit_isotonic",
    "fit_temperature",
]


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
    require("sklearn")
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


Method = Literal["temperature", "isotonic"]

_FILE = "curves.safetensors"
_HOTTEST = 1e4


class CalibratedRecogniser(WrappingRecogniser):
    """A recogniser and a calibration of its posteriors.

    A recogniser that is fitted here learns from one part of the play, and is calibrated on the rest, drawn
    class by class. A shipped or saved one is calibrated on all of it.

    Parameters
    ----------
    recogniser : kind, name of a shipped recogniser, folder of a saved one, or Recogniser
    method : "temperature" or "isotonic"
        Temperature never changes the most probable class; isotonic may.
    held_out : float in (0, 1)
        Share of the play that is kept for the calibration.
    random_state : int, optional
        Of the split; given to a kind that takes one, too.

    Attributes
    ----------
    recogniser_ : fitted Recogniser
    classes_ : (K,) names
    temperature_ : float, with method "temperature"
    curves_by_class_ : tuple of K pairs of arrays, with method "isotonic"

    References
    ----------
    Guo et al. 2017, ICML (temperature); Zadrozny & Elkan 2002, KDD (isotonic).
    """

    kind: ClassVar[str] = "calibrated"

    def __init__(
        self,
        recogniser: Any = "logistic",
        *,
        method: Method = "temperature",
        held_out: float = 0.25,
        random_state: int | None = None,
    ) -> None:
        self.recogniser = recogniser
        self.method = method
        self.held_out = held_out
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Fit the recogniser where it is to be fitted, and calibrate it.

        Raises
        ------
        RecogniserError
            A parameter that cannot be, or a class that the recogniser does not know.
        UnknownNameError
            No such kind, shipped name or folder.
        """
        self._check()
        X = as_trajectories(X)
        names, codes = class_codes(y, len(X), type(self).__name__)
        inner, ready = self._chosen(y)
        if not ready:
            learn, rest = _split(codes, self.held_out, np.random.default_rng(self.random_state))
            inner.fit(X[learn], names[codes[learn]])
            X, codes = X[rest], codes[rest]
        self.recogniser_ = inner
        self._take_over()
        place = {str(c): k for k, c in enumerate(self.classes_)}
        unknown = [str(name) for name in names if str(name) not in place]
        if unknown:
            raise RecogniserError(
                f"{inner.kind} cannot name {', '.join(unknown)}, so it cannot be calibrated"
            )
        truth = np.array([place[str(name)] for name in names], dtype=np.intp)[codes]
        proba = inner.predict_proba(X)
        if self.method == "temperature":
            self.temperature_ = fit_temperature(proba, truth)
        else:
            self.curves_by_class_ = fit_isotonic(proba, truth)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Calibrated posterior (n, K)."""
        self._fitted()
        proba = self.recogniser_.predict_proba(X)
        if not len(proba):
            return proba
        if self.method == "temperature":
            return apply_temperature(proba, self.temperature_)
        return apply_isotonic(proba, self.curves_by_class_)

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """The inner recogniser, and the temperature or (as safetensors) the curves."""
        from safetensors.numpy import save

        self._fitted()
        inner, files = self._inner_state()
        if self.method == "temperature":
            return {"recogniser": inner, "temperature": self.temperature_}, files
        tensors = {
            f"{axis}{k}": np.ascontiguousarray(values)
            for k, curve in enumerate(self.curves_by_class_)
            for axis, values in zip("xy", curve, strict=True)
        }
        return {"recogniser": inner}, {**files, _FILE: save(tensors)}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the inner recogniser and its calibration.

        Raises
        ------
        RecogniserError
            The calibration is not one that `fit` makes.
        """
        self._check()
        self.recogniser_ = self._restore_inner(state["recogniser"], files)
        self._take_over()
        if self.method == "temperature":
            self.temperature_ = _read_temperature(state["temperature"])
        else:
            self.curves_by_class_ = _read_curves(files[_FILE], len(self.classes_))
        return self

    def _take_over(self) -> None:
        """Classes, strategies and noise are those of the inner recogniser."""
        self.classes_ = self.recogniser_.classes_
        for name in ("strategies_", "eps_", "eps_prior"):
            if hasattr(self.recogniser_, name):
                setattr(self, name, getattr(self.recogniser_, name))

    def _check(self) -> None:
        if self.method not in get_args(Method):
            got = shorten(repr(self.method))
            raise RecogniserError(f"method is {got}, expected 'temperature' or 'isotonic'")
        share = self.held_out
        if not (isinstance(share, int | float) and not isinstance(share, bool) and 0 < share < 1):
            raise RecogniserError(f"held_out is {shorten(repr(share))}, expected a share between 0 and 1")


def _split(
    codes: NDArray[np.intp], share: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from and rows to calibrate on, each class split alike."""
    learn, rest = [], []
    for k in np.unique(codes):
        rows = rng.permutation(np.flatnonzero(codes == k))
        cut = len(rows) - max(1, round(share * len(rows)))
        if cut < 1:
            raise RecogniserError(
                "a class has one trajectory, expected one to learn from and one to calibrate"
            )
        learn.append(rows[:cut])
        rest.append(rows[cut:])
    return np.sort(np.concatenate(learn)), np.sort(np.concatenate(rest))


def _read_temperature(value: Any) -> float:
    if isinstance(value, float) and 1 / _HOTTEST <= value <= _HOTTEST:
        return value
    raise RecogniserError(f"temperature is {shorten(repr(value))}, expected a positive number")


def _read_curves(content: bytes, k: int) -> tuple[Curve, ...]:
    """K curves of a file: each rises in both coordinates, within [0, 1]."""
    tensors, curves = read_arrays(content, _FILE), []
    if len(tensors) != 2 * k:
        raise RecogniserError(f"{_FILE} holds {len(tensors)} arrays, expected {2 * k}")
    for i in range(k):
        x, y = tensors[f"x{i}"], tensors[f"y{i}"]
        fits = x.ndim == 1 and x.shape == y.shape and len(x) > 0 and x.dtype == y.dtype == np.float64
        if not fits or any(not ((v >= 0) & (v <= 1 + 1e-9)).all() or (np.diff(v) < 0).any() for v in (x, y)):
            raise RecogniserError(f"{_FILE}: curve {i} does not rise from 0 to 1")
        curves.append((x, y))
    return tuple(curves)
