"""Small feed-forward network on an encoding."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from intent.errors import RecogniserError, shorten
from intent.recognise.base import Files
from intent.recognise.feature_based import FeatureRecogniser
from intent.recognise.saved import encoding_width, read_classes, read_rounds
from intent.recognise.saved_tensors import read_tensors

__all__ = ["MlpRecogniser"]

_HELD_OUT = 0.1
_PATIENCE = 10
_SMALLEST_CLASS = 250
"""Trajectories that every class must have before some are held out to stop the training in time."""
_BATCHES = (4, 200)
_STEPS = 50
"""Least number of steps per epoch, as far as the size of the batches can give it."""
_MOST_UNITS = 100_000
_FILE = "weights.safetensors"


class MlpRecogniser(FeatureRecogniser):
    """Multi-layer perceptron with rectified units and a softmax (scikit-learn trains it, by Adam).

    A tenth of the training data is held out, and training stops when its accuracy has not risen for ten
    epochs, provided that every class has 250 trajectories or more. Features are standardised; scale and
    mean are folded into the first layer, so that weights are all that is saved.

    Parameters
    ----------
    encoding : key of `intent.encode.features.ENCODINGS`
        ``"moves"`` is the literature's NN.
    hidden : tuple of int
        Units of each hidden layer.
    alpha : float
        Strength of the L2 penalty.
    epochs : int
        Most passes over the training data.
    random_state : int, optional
        Of the first weights, the held-out part and the order of the batches.

    Attributes
    ----------
    weights_ : list of (inputs, outputs) float64, one per layer
    biases_ : list of (outputs,) float64
    """

    kind: ClassVar[str] = "mlp"

    def __init__(
        self,
        *,
        encoding: str = "moves",
        hidden: tuple[int, ...] = (64, 32),
        alpha: float = 0.01,
        epochs: int = 100,
        random_state: int | None = None,
    ) -> None:
        self.encoding = encoding
        self.hidden = hidden
        self.alpha = alpha
        self.epochs = epochs
        self.random_state = random_state

    def _train(self, features: NDArray[np.float32], codes: NDArray[np.intp]) -> None:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPClassifier

        values = features.astype(float)
        mean, spread = values.mean(axis=0), values.std(axis=0)
        spread[spread == 0] = 1.0
        model = MLPClassifier(
            _layers(self.hidden),
            alpha=self.alpha,
            batch_size=min(len(values), int(np.clip(len(values) // _STEPS, *_BATCHES))),
            max_iter=self.epochs,
            early_stopping=bool(np.bincount(codes).min() >= _SMALLEST_CLASS),
            validation_fraction=_HELD_OUT,
            n_iter_no_change=_PATIENCE,
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # `epochs` is a budget, not a promise that the loss stands still.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit((values - mean) / spread, codes)
        weights, biases = [np.asarray(w) for w in model.coefs_], [np.asarray(b) for b in model.intercepts_]
        if len(self.classes_) == 2:
            weights[-1] = np.hstack([-weights[-1] / 2, weights[-1] / 2])
            biases[-1] = np.concatenate([-biases[-1] / 2, biases[-1] / 2])
        weights[0] = weights[0] / spread[:, None]
        biases[0] = biases[0] - mean @ weights[0]
        self.weights_ = [np.ascontiguousarray(w) for w in weights]
        self.biases_ = [np.ascontiguousarray(b) for b in biases]

    def _proba(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        from scipy.special import softmax

        signal = features.astype(float)
        for weights, biases in zip(self.weights_[:-1], self.biases_[:-1], strict=True):
            signal = np.maximum(signal @ weights + biases, 0.0)
        proba: NDArray[np.float64] = softmax(signal @ self.weights_[-1] + self.biases_[-1], axis=1)
        return proba

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Weights and biases of each layer as safetensors."""
        from safetensors.numpy import save

        self._fitted()
        tensors = {f"weight{i}": w for i, w in enumerate(self.weights_)}
        tensors |= {f"bias{i}": b for i, b in enumerate(self.biases_)}
        return {"classes": self.classes_.tolist(), "rounds": self.rounds_}, {_FILE: save(tensors)}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore from safetensors.

        Raises
        ------
        RecogniserError
            The numbers are not those of these layers, classes and this encoding.
        """
        self.classes_, self.rounds_ = read_classes(state["classes"]), read_rounds(state)
        sizes = (encoding_width(self.encoding, self.rounds_), *_layers(self.hidden), len(self.classes_))
        layers = range(len(sizes) - 1)
        shapes: dict[str, tuple[int, ...]] = {f"weight{i}": (sizes[i], sizes[i + 1]) for i in layers}
        shapes |= {f"bias{i}": (sizes[i + 1],) for i in layers}
        tensors = read_tensors(files[_FILE], shapes, _FILE)
        self.weights_ = [tensors[f"weight{i}"] for i in layers]
        self.biases_ = [tensors[f"bias{i}"] for i in layers]
        return self


def _layers(hidden: Any) -> tuple[int, ...]:
    """Units of each hidden layer.

    Raises
    ------
    RecogniserError
        Not one or more whole numbers of at least 1.
    """
    units = (hidden,) if isinstance(hidden, int | np.integer) else hidden
    if (
        not isinstance(units, tuple | list)
        or not 1 <= len(units) <= 20
        or any(not isinstance(u, int | np.integer) or isinstance(u, bool) for u in units)
        or any(not 1 <= u <= _MOST_UNITS for u in units)
    ):
        raise RecogniserError(f"hidden is {shorten(repr(hidden))}, expected units of 1 to 20 layers")
    return tuple(int(u) for u in units)
