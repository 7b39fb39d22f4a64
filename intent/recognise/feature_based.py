"""Recognisers that put a scikit-learn classifier behind a documented encoding."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.encode.features import ENCODINGS, encode
from intent.errors import UnknownNameError
from intent.recognise.base import Recogniser, as_trajectories
from intent.recognise.targets import class_codes

__all__ = ["FeatureRecogniser"]


class FeatureRecogniser(Recogniser):
    """Encode, then classify.

    Subclasses have a parameter ``encoding`` and implement `_train` and `_proba`.

    Attributes
    ----------
    classes_ : (K,) names
    rounds_ : int
        Rounds of the training data; encodings with columns per round cut or pad to it.
    """

    encoding: str

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn from trajectories and their classes.

        Raises
        ------
        RecogniserError
            No classes, fewer than two, or not one for each trajectory.
        UnknownNameError
            No such encoding.
        """
        if self.encoding not in ENCODINGS:
            raise UnknownNameError("encoding", self.encoding, ENCODINGS)
        X = as_trajectories(X)
        self.classes_, codes = class_codes(y, len(X), type(self).__name__)
        self.rounds_ = X.shape[1]
        self._train(encode(X, self.encoding), codes)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Posterior (n, K) by the classifier."""
        self._fitted()
        X = as_trajectories(X)
        if not len(X):
            return np.empty((0, len(self.classes_)))
        return self._proba(encode(X, self.encoding, self.rounds_))

    def _train(self, features: NDArray[np.float32], codes: NDArray[np.intp]) -> None:
        raise NotImplementedError

    def _proba(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        raise NotImplementedError
