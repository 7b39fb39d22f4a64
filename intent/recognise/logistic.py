"""Multinomial logistic regression on an encoding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from intent.recognise.base import Files
from intent.recognise.feature_based import FeatureRecogniser
from intent.recognise.saved import encoding_width, read_classes, read_rounds
from intent.recognise.saved_tensors import read_tensors

__all__ = ["LogisticRecogniser"]

_FILE = "weights.safetensors"


class LogisticRecogniser(FeatureRecogniser):
    """Logistic regression (scikit-learn).

    With ``encoding="counts"`` the exact log-likelihood of every memory-one strategy is linear in the
    features, so the model class contains the Bayes rule; with ``"moves"`` it is the literature's LR.

    Parameters
    ----------
    encoding : key of `intent.encode.features.ENCODINGS`
    C : float
        Inverse strength of the L2 penalty.
    max_iter : int
    """

    kind: ClassVar[str] = "logistic"

    def __init__(self, *, encoding: str = "counts", C: float = 1.0, max_iter: int = 1000) -> None:
        self.encoding = encoding
        self.C = C
        self.max_iter = max_iter

    def _train(self, features: NDArray[np.float32], codes: NDArray[np.intp]) -> None:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=self.C, max_iter=self.max_iter).fit(features.astype(float), codes)
        coef, intercept = np.asarray(model.coef_), np.asarray(model.intercept_)
        if len(self.classes_) == 2:
            coef, intercept = (
                np.vstack([-coef / 2, coef / 2]),
                np.concatenate([-intercept / 2, intercept / 2]),
            )
        self.coef_: NDArray[np.float64] = coef
        self.intercept_: NDArray[np.float64] = intercept

    def _proba(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        from scipy.special import softmax

        proba: NDArray[np.float64] = softmax(features @ self.coef_.T + self.intercept_, axis=1)
        return proba

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Coefficients (K, F) and intercepts (K,) as safetensors."""
        from safetensors.numpy import save

        self._fitted()
        tensors = {
            "coef": np.ascontiguousarray(self.coef_),
            "intercept": np.ascontiguousarray(self.intercept_),
        }
        return {"classes": self.classes_.tolist(), "rounds": self.rounds_}, {_FILE: save(tensors)}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore from safetensors.

        Raises
        ------
        RecogniserError
            The numbers are not those of these classes and this encoding.
        """
        self.classes_, self.rounds_ = read_classes(state["classes"]), read_rounds(state)
        k, width = len(self.classes_), encoding_width(self.encoding, self.rounds_)
        tensors = read_tensors(files[_FILE], {"coef": (k, width), "intercept": (k,)}, _FILE)
        self.coef_, self.intercept_ = tensors["coef"], tensors["intercept"]
        return self
