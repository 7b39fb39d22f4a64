"""What every recogniser is: a scikit-learn classifier of trajectories with named strategies as classes.

scikit-learn's grammar of classifiers, without the second that importing scikit-learn takes.

`clone`, `Pipeline`, `GridSearchCV` and `cross_val_score` ask for methods, not for a base class; the contract
tests hold every recogniser against them.

The classes that a recogniser learns from, checked and coded.

Names of recognisers: the kinds that can be trained, and the shipped ones that are ready.

References
----------
scikit-learn, "Developing scikit-learn estimators" (duck typing; `__sklearn_tags__` since 1.6).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import RecogniserError, UnknownNameError
from intent.base.registry import load, loaded, point, require
from intent.logs.gamelog import GameLog, Trajectories
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import CATALOGUE
from intent.strategies.catalogue import strategy as find_strategy

__all__ = [
    "KINDS",
    "ClassifierGrammar",
    "Files",
    "Recogniser",
    "as_trajectories",
    "class_codes",
    "make_recogniser",
    "most_probable",
    "ordered_classes",
    "recogniser_class",
    "summed_by",
]


class ClassifierGrammar:
    """Parameters, score and tags of a classifier whose ``__init__`` only stores its keyword arguments."""

    _estimator_type = "classifier"

    @classmethod
    def _parameter_names(cls) -> list[str]:
        parameters = inspect.signature(cls.__init__).parameters.values()
        several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        return sorted(p.name for p in parameters if p.name != "self" and p.kind not in several)

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
        require("sklearn")
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

    learns_with: ClassVar[tuple[str, ...]] = ()
    """Keys of `intent.base.registry.EXTRAS` that `fit` needs, so that a job can say so before it begins."""

    reads_keys: bool = False
    """Whether posteriors depend on the keys of trajectories, not on their play alone."""

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

    def knowing(self, strategies: Sequence[Strategy]) -> Self:
        """Say which strategies the classes are, where these are not the catalogue's.

        They are saved with the recogniser, so that labels, tests of fit and ties need nothing else.

        Parameters
        ----------
        strategies : sequence of Strategy, in any order
            Classes that none of them names are strategies of the catalogue.

        Raises
        ------
        RecogniserError
            A class that is no strategy.
        """
        self._fitted()
        try:
            self.strategies_: tuple[Strategy, ...] = tuple(
                find_strategy(str(name), strategies) for name in self.classes_
            )
        except UnknownNameError as error:
            raise RecogniserError(f"a class is no strategy: {error}") from None
        return self

    def draw(self, folder: Path) -> list[Path]:
        """Draw what there is to draw of it once it is fitted, for its tracked run; the files written."""
        return []

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

    def chances(self, X: Any) -> NDArray[np.float64] | None:
        """Probability of each move that was made, given all that was played before it.

        Returns
        -------
        (n, T), NaN where there is no move that counts; None where the recogniser predicts no moves
        """
        return None

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
    trajectories: Trajectories = X
    return trajectories


def most_probable(proba: NDArray[np.float64]) -> NDArray[np.intp]:
    """Index of the most probable class of each row; of those within 1e-9 (relative) the first."""
    best: NDArray[np.intp] = (proba >= proba.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
    return best


def ordered_classes(y: Sequence[str] | NDArray[np.str_]) -> NDArray[np.str_]:
    """The distinct classes, catalogue strategies first in catalogue order, others sorted."""

    names = {str(label) for label in np.asarray(y)}
    known = [name for name in CATALOGUE if name in names]
    return np.array(known + sorted(names.difference(known)))


def summed_by(values: NDArray[_Number], subjects: NDArray[np.intp]) -> NDArray[_Number]:
    """Sums of the rows of each subject: (n, ...) and (n,) numbers 0 .. S - 1 -> (S, ...)."""
    n = int(subjects.max(initial=-1)) + 1
    total = np.zeros((n, *values.shape[1:]), dtype=values.dtype)
    np.add.at(total, subjects, values)
    return total


def class_codes(y: ArrayLike | None, n: int, who: str) -> tuple[NDArray[np.str_], NDArray[np.intp]]:
    """The distinct classes (K,) in their order, and the class (n,) of each trajectory as an index.

    Parameters
    ----------
    y : (n,) names
    n : int, trajectories
    who : str, the recogniser that asks

    Raises
    ------
    RecogniserError
        No classes, fewer than two, or not one for each trajectory.
    """
    if y is None:
        raise RecogniserError(f"{who} needs classes to learn from; call fit(X, y)")
    values = np.asarray(y, dtype=object)
    if any(not isinstance(label, str | int | np.integer | np.str_) for label in values.ravel()):
        raise RecogniserError("a class is neither a name nor a number, expected one for each trajectory")
    labels = values.astype(str)
    if labels.shape != (n,):
        raise RecogniserError(f"got {labels.shape} classes for {n} trajectories")
    classes = ordered_classes(labels)
    if len(classes) < 2:
        raise RecogniserError(f"all trajectories are {classes.tolist()}, expected at least two classes")
    position = {name: k for k, name in enumerate(classes.tolist())}
    return classes, np.array([position[name] for name in labels.tolist()])


KINDS = {
    "bayes": "intent.recognise.bayes:BayesRecogniser",
    "logistic": "intent.recognise.classifiers:LogisticRecogniser",
    "forest": "intent.recognise.classifiers:ForestRecogniser",
    "mlp": "intent.recognise.classifiers:MlpRecogniser",
    "hmm": "intent.recognise.hmm:HmmRecogniser",
    "lstm": "intent.recognise.lstm:LstmRecogniser",
    "sfem": "intent.estimate.recogniser:SfemRecogniser",
    "rules": "intent.recognise.rules:RulesRecogniser",
    "hybrid": "intent.recognise.rules:HybridRecogniser",
    "calibrated": "intent.recognise.calibrated:CalibratedRecogniser",
}
"""Kind -> module:class. Outsiders join through the entry-point group ``intent.recognisers``."""


def recogniser_class(kind: str) -> type[Recogniser]:
    """The class of a kind.

    Raises
    ------
    UnknownNameError
        No such kind; the nearest are suggested.
    """
    if kind in KINDS:
        kind_class: type[Recogniser] = loaded(KINDS[kind])
        return kind_class
    if (there := point("intent.recognisers", kind)) is not None:
        theirs: type[Recogniser] = load(there)
        return theirs
    raise UnknownNameError("recogniser", kind, KINDS)


def make_recogniser(kind: str, **parameters: Any) -> Recogniser:
    """An unfitted recogniser, for `fit`, `Pipeline` and `GridSearchCV`.

    Parameters
    ----------
    kind : key of `KINDS`, such as ``"logistic"``
    **parameters
        Those of its class.

    Raises
    ------
    UnknownNameError
        No such kind.
    """
    return recogniser_class(kind)(**parameters)
