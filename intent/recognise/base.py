"""What every recogniser is: a scikit-learn classifier of trajectories with named strategies as classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import RecogniserError
from intent.logs.gamelog import GameLog
from intent.logs.trajectories import Trajectories
from intent.recognise.estimator import ClassifierGrammar

__all__ = ["Files", "Recogniser", "as_trajectories", "most_probable", "ordered_classes", "summed_by"]

Files = dict[str, bytes]
"""Name -> content of the files beside a recogniser's JSON."""


_Number = TypeVar("_Number", np.float64, np.int64)

LEAST = 1e-9
"""Below this, a posterior that was learned from examples says no more than that it is small."""


class Recogniser(ClassifierGrammar):
    """Base of all recognisers.

    ``fit(X, y)`` takes `Trajectories` (or an (n, T, 2) array of own and other moves) and class names;
    ``predict_proba`` returns (n, K) rows that sum to one, columns as ``classes_``. Classes that are catalogue
    strategies stand in catalogue order, which also breaks ties.
    """

    kind: ClassVar[str]
    """Name in the registry, such as ``"bayes"``."""

    needs_labels: ClassVar[bool] = True
    """Whether `fit` learns from known strategies; if not, ``fit(X)`` is enough."""

    classes_: NDArray[np.str_]

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn from trajectories and their classes."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Posterior probability of each class, (n, K)."""
        raise NotImplementedError

    def predict(self, X: Any) -> NDArray[np.str_]:
        """Most probable class of each trajectory, (n,)."""
        best: NDArray[np.str_] = self.classes_[most_probable(self.predict_proba(X))]
        return best

    def predict_proba_pooled(self, X: Any, subjects: NDArray[np.intp]) -> NDArray[np.float64]:
        """Posterior of each class given all play of a subject, whose games each start anew.

        With p_ik the posterior of class k after game i alone and pi its prior (``shares_`` where the
        recogniser has them, else uniform), the posterior is proportional to pi_k prod_i p_ik / pi_k: the
        likelihood ratios of the games multiply. A probability below 1e-9 counts as 1e-9, since a recogniser
        that learned from examples may call impossible what it never saw.

        Parameters
        ----------
        X : Trajectories of n rows
        subjects : (n,) int, 0 .. S - 1, every number present

        Returns
        -------
        (S, K)
        """
        prior = np.maximum(getattr(self, "shares_", np.full(len(self.classes_), 1.0)), LEAST)
        log_prior = np.log(prior / prior.sum())
        gained = np.log(np.maximum(self.predict_proba(X), LEAST)) - log_prior
        total = summed_by(gained, subjects) + log_prior
        proba = np.exp(total - total.max(axis=1, keepdims=True))
        pooled: NDArray[np.float64] = proba / proba.sum(axis=1, keepdims=True)
        return pooled

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """What was learned: a JSON object and files of numbers; no pickle."""
        raise NotImplementedError

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore what `to_state` gave; the parameters are already set."""
        raise NotImplementedError

    def _fitted(self) -> None:
        if not hasattr(self, "classes_"):
            raise RecogniserError(f"this {type(self).__name__} is not fitted; call fit first")


def as_trajectories(X: Any) -> Trajectories:
    """Trajectories from what users hand over: themselves, a game log, or an (n, T, 2) array.

    Raises
    ------
    RecogniserError
        Anything else, or more than two players whose moves nobody said how to read.
    """
    if isinstance(X, GameLog):
        X = X.trajectories()
    if not isinstance(X, Trajectories):
        cube = np.asarray(X)
        if cube.ndim != 3 or cube.shape[2] != 2:
            raise RecogniserError(f"got an array of shape {cube.shape}, expected Trajectories or (n, T, 2)")
        X = Trajectories(cube[:, :, 0], cube[:, :, 1])
    if X.other_share is not None:
        raise RecogniserError(
            "games of more than two players: choose read_others('any'|'majority'|'all') first"
        )
    found: Trajectories = X
    return found


def most_probable(proba: NDArray[np.float64]) -> NDArray[np.intp]:
    """Index of the most probable class of each row; of those within 1e-9 (relative) the first."""
    best: NDArray[np.intp] = (proba >= proba.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
    return best


def ordered_classes(y: Sequence[str] | NDArray[np.str_]) -> NDArray[np.str_]:
    """The distinct classes, catalogue strategies first in catalogue order, others sorted."""
    from intent.strategies.catalogue import CATALOGUE

    found = {str(label) for label in np.asarray(y)}
    known = [name for name in CATALOGUE if name in found]
    return np.array(known + sorted(found.difference(known)))


def summed_by(values: NDArray[_Number], subjects: NDArray[np.intp]) -> NDArray[_Number]:
    """Sums of the rows of each subject: (n, ...) and (n,) numbers 0 .. S - 1 -> (S, ...)."""
    n = int(subjects.max(initial=-1)) + 1
    total = np.zeros((n, *values.shape[1:]), dtype=values.dtype)
    np.add.at(total, subjects, values)
    return total
