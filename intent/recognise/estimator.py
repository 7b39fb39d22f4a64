"""scikit-learn's grammar of classifiers, without the second that importing scikit-learn takes.

`clone`, `Pipeline`, `GridSearchCV` and `cross_val_score` ask for methods, not for a base class; the contract
tests hold every recogniser against them.

References
----------
scikit-learn, "Developing scikit-learn estimators" (duck typing; `__sklearn_tags__` since 1.6).
"""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from intent.errors import RecogniserError

__all__ = ["ClassifierGrammar"]


class ClassifierGrammar:
    """Parameters, score and tags of a classifier whose ``__init__`` only stores its keyword arguments."""

    _estimator_type = "classifier"

    @classmethod
    def _parameter_names(cls) -> list[str]:
        found = inspect.signature(cls.__init__).parameters.values()
        return sorted(p.name for p in found if p.name != "self" and p.kind is not p.VAR_KEYWORD)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name (none holds an estimator, so `deep` changes nothing)."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        Raises
        ------
        RecogniserError
            No such parameter.
        """
        known = self._parameter_names()
        for name, value in params.items():
            if name not in known:
                raise RecogniserError(
                    f"unknown parameter {name!r} of {type(self).__name__}; it has {', '.join(known)}"
                )
            setattr(self, name, value)
        return self

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Share of trajectories whose most probable class is the true one."""
        hit = np.asarray(self.predict(X)).astype(str) == np.asarray(y).astype(str)  # type: ignore[attr-defined]
        return float(np.average(hit, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn wants to know of an estimator."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(two_d_array=True, three_d_array=True),
        )

    def __repr__(self) -> str:
        fresh = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if not _same(value, fresh[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _same(value: Any, default: Any) -> bool:
    try:
        return bool(value == default)
    except ValueError:
        return False
