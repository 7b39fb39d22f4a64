"""Random forest on an encoding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from intent.errors import RecogniserError
from intent.recognise.base import Files
from intent.recognise.feature_based import FeatureRecogniser
from intent.recognise.forest_file import dump_forest, load_forest
from intent.recognise.saved import encoding_width, read_classes, read_rounds

__all__ = ["ForestRecogniser"]


class ForestRecogniser(FeatureRecogniser):
    """Random forest (scikit-learn).

    Parameters
    ----------
    encoding : key of `intent.encode.features.ENCODINGS`
    n_estimators : int
        Trees.
    min_samples_leaf : int
        Trajectories a leaf must hold; larger leaves give better probabilities and smaller files.
    n_jobs : int, optional
        Threads.
    random_state : int, optional
    """

    kind: ClassVar[str] = "forest"

    def __init__(
        self,
        *,
        encoding: str = "counts",
        n_estimators: int = 100,
        min_samples_leaf: int = 10,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.encoding = encoding
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _train(self, features: NDArray[np.float32], codes: NDArray[np.intp]) -> None:
        from sklearn.ensemble import RandomForestClassifier

        self.forest_ = RandomForestClassifier(
            n_estimators=self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        ).fit(features, codes)

    def _proba(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        proba: NDArray[np.float64] = self.forest_.predict_proba(features)
        return proba

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """The forest as a compressed skops file."""
        self._fitted()
        state = {"classes": self.classes_.tolist(), "rounds": self.rounds_}
        return state, {"forest.skops": dump_forest(self.forest_)}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore from skops, every tree checked.

        Raises
        ------
        RecogniserError
            The file is no forest for these classes and this encoding, or larger than may be read.
        """
        if self.n_jobs is not None and (type(self.n_jobs) is not int or self.n_jobs == 0):
            raise RecogniserError(f"n_jobs is {self.n_jobs!r}, expected a number of threads or null")
        self.classes_, self.rounds_ = read_classes(state["classes"]), read_rounds(state)
        self.forest_ = load_forest(
            files["forest.skops"],
            n_classes=len(self.classes_),
            n_features=encoding_width(self.encoding, self.rounds_),
            parameters={k: v for k, v in self.get_params().items() if k != "encoding"},
        )
        return self
