"""Random forest on an encoding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from intent.errors import RecogniserError
from intent.recognise.base import Files
from intent.recognise.feature_based import FeatureRecogniser

__all__ = ["ForestRecogniser"]

_TRUSTED = frozenset({"numpy.dtype", "sklearn.tree._tree.Tree"})
"""Types beyond skops' own defaults that a saved forest may hold."""


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
        import zipfile

        from skops.io import dumps

        self._fitted()
        content = dumps(self.forest_, compression=zipfile.ZIP_DEFLATED, compresslevel=9)
        return {"classes": self.classes_.tolist(), "rounds": self.rounds_}, {"forest.skops": content}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore from skops; a file that holds any type a forest has no need of is refused.

        Raises
        ------
        RecogniserError
            Such a type.
        """
        from skops.io import get_untrusted_types, loads

        content = files["forest.skops"]
        foreign = set(get_untrusted_types(data=content)) - _TRUSTED
        if foreign:
            raise RecogniserError(
                f"forest.skops holds types that are not trusted: {', '.join(sorted(foreign))}"
            )
        self.forest_ = loads(content, trusted=sorted(_TRUSTED))
        self.classes_, self.rounds_ = np.array(state["classes"]), int(state["rounds"])
        return self
