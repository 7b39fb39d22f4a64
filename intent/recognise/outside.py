"""Anybody's classifier as a recogniser: what has ``predict_proba`` and ``classes_``, and reads trajectories.

scikit-learn's classifiers read matrices; `intent.features.PlayFeatures` in front of them makes these of play.

A classifier is saved as a skops file of which only a short list of types is believed. Reading one of
anybody's goes in three steps, as for a forest of ours (`intent.recognise.classifiers`): unpack within bounds;
let skops build only types that are trusted; check every object by its type, and the tables of every tree,
since scikit-learn follows the indices of nodes without checking them.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import IntentError, RecogniserError, one_line, shorten
from intent.base.registry import require
from intent.logs.gamelog import Trajectories
from intent.recognise.classifiers import check_nodes, check_tree, packed, unpacked
from intent.recognise.recogniser import (
    Files,
    Recogniser,
    as_trajectories,
    class_codes,
    ordered_classes,
    read_classes,
    read_rounds,
    restored_strategies,
)
from intent.strategies.catalogue import Strategy
from intent.strategies.sets import strategy_table

__all__ = ["OutsideRecogniser", "classifier_bytes", "restored_classifier"]

_FEATURES = "intent.features.PlayFeatures"
_FILE = "classifier.skops"


class OutsideRecogniser(Recogniser):
    """A classifier that keeps scikit-learn's grammar, as a recogniser.

    Its classes stand in catalogue order, which also breaks ties; what a label says beside the posterior
    (ties, fit, status) is of the strategies that the classes name, as for any recogniser.

    Parameters
    ----------
    classifier : classifier of trajectories, such as ``make_pipeline(PlayFeatures(), LogisticRegression())``
        With ``predict_proba``. `fit` fits a copy.

    Attributes
    ----------
    classifier_ : fitted classifier
    classes_ : (K,) names
    strategies_ : tuple of K Strategy, where a step has those that the classes name
    """

    kind: ClassVar[str] = "outside"

    def __init__(self, *, classifier: Any = None) -> None:
        self.classifier = classifier

    @classmethod
    def of_fitted(cls, classifier: Any) -> Self:
        """Of a classifier that is fitted; it is not copied.

        Raises
        ------
        RecogniserError
            It is none, not fitted, or has no ``predict_proba``.
        """
        name = _title(classifier)
        if not callable(getattr(classifier, "fit", None)) or isinstance(classifier, type):
            raise RecogniserError(
                f"recogniser is {shorten(repr(classifier))}, expected a name, a folder, a Recogniser or a "
                "fitted classifier"
            )
        if getattr(classifier, "classes_", None) is None:
            raise RecogniserError(f"{name} is not fitted; call fit(X, y) with trajectories and strategies")
        if not callable(getattr(classifier, "predict_proba", None)):
            raise RecogniserError(
                f"{name} has no predict_proba, expected one; "
                "sklearn.calibration.CalibratedClassifierCV adds it"
            )
        return cls(classifier=classifier)._taken(classifier)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; deep, those of the classifier too, as ``classifier__<name>``."""
        own = super().get_params()
        if deep and hasattr(self.classifier, "get_params"):
            own |= {f"classifier__{name}": value for name, value in self.classifier.get_params().items()}
        return own

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, ``classifier__<name>`` those of the classifier.

        Raises
        ------
        RecogniserError
            No such parameter.
        """
        prefix = "classifier__"
        super().set_params(**{name: value for name, value in params.items() if not name.startswith(prefix)})
        inner = {n.removeprefix(prefix): value for n, value in params.items() if n.startswith(prefix)}
        if inner:
            self.classifier.set_params(**inner)
        return self

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Fit a copy of the classifier to trajectories and their classes.

        Raises
        ------
        RecogniserError
            No classes, fewer than two, not one for each trajectory, or a classifier that cannot read play.
        """
        require("sklearn")
        from sklearn.base import clone

        if not callable(getattr(self.classifier, "fit", None)):
            raise RecogniserError(
                f"classifier is {shorten(repr(self.classifier))}, expected one of trajectories, in Python "
                f"OutsideRecogniser(classifier=make_pipeline({_FEATURES}(), ...))"
            )
        X = as_trajectories(X)
        classes, codes = class_codes(y, len(X), type(self).__name__)
        return self._taken(_reading(clone(self.classifier), "fit", X, classes[codes]))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Posterior (n, K) by the classifier.

        Raises
        ------
        RecogniserError
            The classifier cannot read play, or gives no K probabilities for each row.
        """
        self._fitted()
        X = as_trajectories(X)
        if not len(X):
            return np.empty((0, len(self.classes_)))
        proba = np.asarray(_reading(self.classifier_, "predict_proba", X), dtype=float)
        expected = (len(X), len(self.classes_))
        if (
            proba.shape != expected
            or not (proba >= 0).all()
            or not np.allclose(proba.sum(axis=1), 1, atol=1e-5)
        ):
            raise RecogniserError(
                f"{_title(self.classifier_)}: predict_proba gives shape {proba.shape}, expected {expected} "
                "probabilities, each row with sum 1"
            )
        ordered: NDArray[np.float64] = proba[:, self._order] / proba.sum(axis=1, keepdims=True)
        return ordered

    def _taken(self, classifier: Any) -> Self:
        """The fitted classifier, its classes in our order, and its strategies."""
        names = np.asarray(classifier.classes_).astype(str)
        if names.ndim != 1 or len(set(names.tolist())) < max(len(names), 2):
            raise RecogniserError(f"classes are {shorten(names.tolist())}, expected two or more names")
        self.classifier_ = classifier
        self.classes_ = ordered_classes(names)
        self._order = [names.tolist().index(name) for name in self.classes_.tolist()]
        for step in _steps(classifier):
            own = {s.name: s for s in getattr(step, "strategies_", ()) if isinstance(s, Strategy)}
            if set(own) == set(self.classes_.tolist()):
                self.strategies_ = tuple(own[name] for name in self.classes_.tolist())
        return self

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Classes, the strategies of its features as tables, and the classifier as a skops file.

        Raises
        ------
        RecogniserError
            A part of it is of no type that a saved classifier may hold.
        """
        self._fitted()
        name, classifier = _title(self.classifier_), deepcopy(self.classifier_)
        tables = []
        for features in _features(classifier):
            tables.append([strategy_table(s) for s in features.strategies_])
            if not isinstance(features.strategies, str):
                features.strategies = ",".join(table["name"] for table in tables[-1])
        try:
            _check_parts(classifier)
        except RecogniserError as error:
            raise RecogniserError(
                f"{name} cannot be saved: {error}; keep the script that fits it, or save the classifier by "
                "means of its own and hand over the object"
            ) from None
        return {"classes": self.classes_.tolist(), "strategies": tables}, {
            _FILE: classifier_bytes(classifier, _FILE)
        }

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore what `to_state` gave, every part checked.

        Raises
        ------
        RecogniserError
            The file is too large, holds what no saved classifier may hold, or has other classes.
        """
        classifier = restored_classifier(files[_FILE], _FILE)
        for features, tables in zip(_features(classifier), state["strategies"], strict=True):
            features.strategies = restored_strategies(features.strategies, tables)[1]
        self.classifier = classifier
        self._taken(classifier)
        if self.classes_.tolist() != read_classes(state["classes"]).tolist():
            raise RecogniserError(f"{_FILE} has classes {shorten(self.classes_.tolist())}, expected others")
        return self

    def __repr__(self) -> str:
        return f"outside ({_title(self.classifier)})"


def _steps(classifier: Any) -> list[Any]:
    """The steps of a pipeline; anything else is its only one."""
    steps = getattr(classifier, "steps", None)
    if not isinstance(steps, list) or not steps:
        return [classifier]
    return [each for _, step in steps for each in _steps(step)]


def _features(classifier: Any) -> list[Any]:
    """The steps that make features of play."""
    return [step for step in _steps(classifier) if _path(step) == _FEATURES]


def _title(classifier: Any) -> str:
    """The types of its steps, in one line."""
    return " + ".join(type(step).__name__ for step in _steps(classifier))


def _path(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _reading(classifier: Any, method: str, X: Trajectories, *more: Any) -> Any:
    """What a method gives on trajectories.

    Raises
    ------
    RecogniserError
        It cannot read them.
    """
    try:
        return getattr(classifier, method)(X, *more)
    except IntentError:
        raise
    except Exception as error:  # somebody else's code raises whatever it pleases
        hint = ""
        if _path(_steps(classifier)[0]) != _FEATURES:
            name = type(_steps(classifier)[0]).__name__
            hint = f"; expected a classifier of trajectories: make_pipeline({_FEATURES}(), {name}(...))"
        why = f"{type(error).__name__}: {one_line(error)}"
        raise RecogniserError(
            f"{_title(classifier)} cannot {method} play ({shorten(why, 200)}){hint}"
        ) from error


_TREE = "sklearn.tree._tree.Tree"
_PREDICTOR = "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor"
_TRUSTED = frozenset({"numpy.dtype", _TREE, _PREDICTOR, _FEATURES})
"""Types beyond skops' own defaults that a saved classifier may hold."""

_BOOSTING = "sklearn.ensemble._hist_gradient_boosting"
_PARTS = frozenset(
    {
        _FEATURES,
        "sklearn.pipeline.Pipeline",
        "sklearn.impute._base.SimpleImputer",
        "sklearn.preprocessing._data.StandardScaler",
        "sklearn.preprocessing._data.MinMaxScaler",
        "sklearn.preprocessing._label.LabelEncoder",
        "sklearn.linear_model._logistic.LogisticRegression",
        "sklearn.naive_bayes.GaussianNB",
        "sklearn.naive_bayes.BernoulliNB",
        "sklearn.naive_bayes.MultinomialNB",
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
        "sklearn.tree._classes.DecisionTreeClassifier",
        "sklearn.tree._classes.ExtraTreeClassifier",
        "sklearn.ensemble._forest.RandomForestClassifier",
        "sklearn.ensemble._forest.ExtraTreesClassifier",
        f"{_BOOSTING}.gradient_boosting.HistGradientBoostingClassifier",
        f"{_BOOSTING}.binning._BinMapper",
        "sklearn._loss.loss.HalfBinomialLoss",
        "sklearn._loss.loss.HalfMultinomialLoss",
        "sklearn._loss._loss.CyHalfBinomialLoss",
        "sklearn._loss._loss.CyHalfMultinomialLoss",
        "sklearn._loss.link.LogitLink",
        "sklearn._loss.link.MultinomialLogit",
        "sklearn._loss.link.Interval",
        "numpy.random.mtrand.RandomState",
        "numpy.random._generator.Generator",
    }
)
"""Types of the objects that a saved classifier is made of: numbers alone, or trees that are checked."""

_MOST_PARTS = 1 << 20


def classifier_bytes(classifier: Any, name: str) -> bytes:
    """A fitted classifier as a compressed skops file, which is tried at once.

    Parameters
    ----------
    classifier : of parts that a saved classifier may hold
    name : str, file name for messages

    Raises
    ------
    RecogniserError
        A part is of another type, or the file would be too large to be read again.
    """
    require("skops")
    from skops.io import dumps

    _check_parts(classifier)
    content = packed(dumps(classifier), name)
    unpacked(content, name)
    return content


def restored_classifier(content: bytes, name: str) -> Any:
    """The classifier of a skops file, every part of it checked.

    Raises
    ------
    RecogniserError
        The file is too large, or holds what no saved classifier may hold.
    """
    require("sklearn", "skops")
    from skops.io import get_untrusted_types, loads

    plain = unpacked(content, name)
    foreign = set(get_untrusted_types(data=plain)) - _TRUSTED
    if foreign:
        raise RecogniserError(f"{name} holds types that are not trusted: {', '.join(sorted(foreign))}")
    classifier = loads(plain, trusted=sorted(_TRUSTED))
    _check_parts(classifier)
    return classifier


def _check_parts(classifier: Any) -> None:
    """Refuse a part that is not of `_PARTS`, or a tree that would be followed out of its tables.

    Raises
    ------
    RecogniserError
    """
    columns = getattr(_steps(classifier)[-1], "n_features_in_", None)
    if type(columns) is not int or columns < 1:
        raise RecogniserError(f"{_title(classifier)} says nothing of the number of its features")
    ids, stack = set[int](), [classifier]
    while stack:
        part = stack.pop()
        path = _path(part)
        if id(part) in ids or path in _PLAIN or path.startswith("numpy.dtypes."):
            continue
        ids.add(id(part))
        if len(ids) > _MOST_PARTS:
            raise RecogniserError(f"more than {_MOST_PARTS:,} parts")
        if isinstance(part, np.ndarray):
            if part.dtype.kind not in "biufUO":
                raise RecogniserError(f"an array of {shorten(str(part.dtype))}, expected numbers or names")
            stack += part.ravel().tolist() if part.dtype.kind == "O" else []
        elif isinstance(part, list | tuple):
            stack += part
        elif isinstance(part, dict):
            stack += [*part.keys(), *part.values()]
        elif path == _TREE:
            check_tree(part, "its tree", part.max_n_classes, columns)
        elif path == _PREDICTOR:
            _check_predictor(part, columns)
        elif path in _PARTS:
            stack += vars(part).values() if hasattr(part, "__dict__") else ()
            if path == _FEATURES and "rounds_" in vars(part):
                read_rounds({"rounds": vars(part)["rounds_"]})
        elif not isinstance(part, np.generic):
            raise RecogniserError(f"{path} is no type that is stored without pickle")


_PLAIN = frozenset(f"builtins.{name}" for name in ("NoneType", "bool", "int", "float", "str"))


def _check_predictor(predictor: Any, columns: int) -> None:
    """Refuse a tree of gradient boosting that scikit-learn would follow out of its table."""
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    nodes = getattr(predictor, "nodes", None)
    if (
        not isinstance(nodes, np.ndarray)
        or nodes.dtype != PREDICTOR_RECORD_DTYPE
        or nodes.ndim != 1
        or not len(nodes)
    ):
        raise RecogniserError("its tree has no table of nodes")
    if nodes["is_categorical"].any():
        raise RecogniserError("its tree splits by categories, expected numbers")
    inner = nodes["is_leaf"] == 0
    children = (nodes["left"].astype(np.intp), nodes["right"].astype(np.intp))
    check_nodes(children, nodes["feature_idx"].astype(np.intp), inner, columns, "its tree")
