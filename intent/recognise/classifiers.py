"""Recognisers that put a scikit-learn classifier behind a documented encoding.

Multinomial logistic regression on an encoding.

Small feed-forward network on an encoding.

Random forest on an encoding.

A random forest as a skops file, of which only the tables of its trees are believed.

scikit-learn follows the child indices of a tree without checking them, so a crafted file could make it read
anywhere in memory. Reading therefore goes in three steps: unpack within bounds; let skops build only types
that a forest has need of; check the tables of every tree and put them into a new forest.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.binary import Archive
from intent.base.errors import DataError, RecogniserError, UnknownNameError, shorten
from intent.base.files import check_json
from intent.base.registry import require
from intent.recognise.encoding import ENCODINGS, Features, encode
from intent.recognise.recogniser import (
    Files,
    Recogniser,
    as_trajectories,
    class_codes,
    encoding_width,
    read_classes,
    read_rounds,
    read_tensors,
)

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier


__all__ = [
    "FeatureRecogniser",
    "ForestRecogniser",
    "LogisticRecogniser",
    "MlpRecogniser",
    "check_nodes",
    "check_tree",
    "dump_forest",
    "load_forest",
    "packed",
    "unpacked",
]


class FeatureRecogniser(Recogniser):
    """Encode, then classify.

    Subclasses have a parameter ``encoding`` and implement `_train` and `_proba`. scikit-learn teaches them;
    most keep arrays of what they learned, and need it no more.

    Attributes
    ----------
    classes_ : (K,) names
    rounds_ : int
        Rounds of the training data; encodings with columns per round cut or pad to it.
    """

    encoding: str

    learns_with: ClassVar[tuple[str, ...]] = ("sklearn",)

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn from trajectories and their classes.

        Raises
        ------
        RecogniserError
            No classes, fewer than two, or not one for each trajectory.
        UnknownNameError
            No such encoding.
        MissingExtraError
            The extra ``sklearn`` is not installed.
        """
        if self.encoding not in ENCODINGS:
            raise UnknownNameError("encoding", self.encoding, ENCODINGS)
        require(*self.learns_with)
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

    def _train(self, features: Features, codes: NDArray[np.intp]) -> None:
        raise NotImplementedError

    def _proba(self, features: Features) -> NDArray[np.float64]:
        raise NotImplementedError

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Classes and rounds; what was learned is in the files."""
        self._fitted()
        return {"classes": self.classes_.tolist(), "rounds": self.rounds_}, self._files()

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore what `to_state` gave, every number checked.

        Raises
        ------
        RecogniserError
            The files are none of these parameters, classes and this encoding, or larger than may be read.
        """
        self.classes_, self.rounds_ = read_classes(state["classes"]), read_rounds(state)
        self._read(files, encoding_width(self.encoding, self.rounds_))
        return self

    def _files(self) -> Files:
        raise NotImplementedError

    def _read(self, files: Files, width: int) -> None:
        raise NotImplementedError


_FILE = "weights.safetensors"


def _halved(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The output of two classes, of which scikit-learn keeps the second alone, as one for each."""
    return np.concatenate([-weights / 2, weights / 2], axis=-1)


class LogisticRecogniser(FeatureRecogniser):
    """Logistic regression (scikit-learn).

    With ``encoding="counts"`` the exact log-likelihood of every memory-one strategy is linear in the
    features, so the model class contains the Bayes rule; with ``"moves"`` it is the literature's LR.

    Parameters
    ----------
    encoding : key of `intent.recognise.encoding.ENCODINGS`
    C : float
        Inverse strength of the L2 penalty.
    max_iter : int
    """

    kind: ClassVar[str] = "logistic"

    def __init__(self, *, encoding: str = "counts", C: float = 1.0, max_iter: int = 1000) -> None:
        self.encoding = encoding
        self.C = C
        self.max_iter = max_iter

    def _train(self, features: Features, codes: NDArray[np.intp]) -> None:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=self.C, max_iter=self.max_iter).fit(features.astype(float), codes)
        coef, intercept = np.asarray(model.coef_), np.asarray(model.intercept_)
        if len(self.classes_) == 2:
            coef, intercept = np.ascontiguousarray(_halved(coef.T).T), _halved(intercept)
        self.coef_: NDArray[np.float64] = coef
        self.intercept_: NDArray[np.float64] = intercept

    def _proba(self, features: Features) -> NDArray[np.float64]:
        from scipy.special import softmax

        proba: NDArray[np.float64] = softmax(features @ self.coef_.T + self.intercept_, axis=1)
        return proba

    def _files(self) -> Files:
        """Coefficients (K, F) and intercepts (K,) as safetensors."""
        from safetensors.numpy import save

        tensors = {"coef": self.coef_, "intercept": self.intercept_}
        return {_FILE: save({name: np.ascontiguousarray(values) for name, values in tensors.items()})}

    def _read(self, files: Files, width: int) -> None:
        k = len(self.classes_)
        tensors = read_tensors(files[_FILE], {"coef": (k, width), "intercept": (k,)}, _FILE)
        self.coef_, self.intercept_ = tensors["coef"], tensors["intercept"]


_HELD_OUT = 0.1
_PATIENCE = 10
_SMALLEST_CLASS = 250
"""Trajectories that every class must have before some are held out to stop the training in time."""
_BATCHES = (4, 200)
_STEPS = 50
"""Least number of steps per epoch, as far as the size of the batches can give it."""
_MOST_UNITS = 100_000


class MlpRecogniser(FeatureRecogniser):
    """Multi-layer perceptron with rectified units and a softmax (scikit-learn trains it, by Adam).

    A tenth of the training data is held out, and training stops when its accuracy has not risen for ten
    epochs, provided that every class has 250 trajectories or more. Features are standardised; scale and
    mean are folded into the first layer, so that weights are all that is saved.

    Parameters
    ----------
    encoding : key of `intent.recognise.encoding.ENCODINGS`
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

    def _train(self, features: Features, codes: NDArray[np.intp]) -> None:
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
            weights[-1], biases[-1] = _halved(weights[-1]), _halved(biases[-1])
        weights[0] = weights[0] / spread[:, None]
        biases[0] = biases[0] - mean @ weights[0]
        self.weights_ = [np.ascontiguousarray(w) for w in weights]
        self.biases_ = [np.ascontiguousarray(b) for b in biases]

    def _proba(self, features: Features) -> NDArray[np.float64]:
        from scipy.special import softmax

        signal = features.astype(float)
        for weights, biases in zip(self.weights_[:-1], self.biases_[:-1], strict=True):
            signal = np.maximum(signal @ weights + biases, 0.0)
        proba: NDArray[np.float64] = softmax(signal @ self.weights_[-1] + self.biases_[-1], axis=1)
        return proba

    def _files(self) -> Files:
        """Weights and biases of each layer as safetensors."""
        from safetensors.numpy import save

        tensors = {f"weight{i}": w for i, w in enumerate(self.weights_)}
        tensors |= {f"bias{i}": b for i, b in enumerate(self.biases_)}
        return {_FILE: save(tensors)}

    def _read(self, files: Files, width: int) -> None:
        sizes = (width, *_layers(self.hidden), len(self.classes_))
        layers = range(len(sizes) - 1)
        shapes: dict[str, tuple[int, ...]] = {f"weight{i}": (sizes[i], sizes[i + 1]) for i in layers}
        shapes |= {f"bias{i}": (sizes[i + 1],) for i in layers}
        tensors = read_tensors(files[_FILE], shapes, _FILE)
        self.weights_ = [tensors[f"weight{i}"] for i in layers]
        self.biases_ = [tensors[f"bias{i}"] for i in layers]


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


_TRUSTED = frozenset({"numpy.dtype", "sklearn.tree._tree.Tree"})
"""Types beyond skops' own defaults that a saved forest may hold."""

_NAME = "forest.skops"
_SCHEMA = "schema.json"
_LARGEST_SCHEMA = 16 << 20
"""JSON takes some twenty times its size in memory, so it has a bound of its own (a thousand trees)."""


def dump_forest(forest: RandomForestClassifier) -> bytes:
    """The forest as a compressed skops file; the same forest gives the same bytes.

    Raises
    ------
    RecogniserError
        The forest is larger than what `load_forest` reads.
    """
    require("skops")
    from skops.io import dumps

    content = packed(dumps(forest), _NAME)
    unpacked(content, _NAME)
    return content


def packed(content: bytes, name: str) -> bytes:
    """A skops file with its members numbered in order, without dates: skops names them by memory address.

    Parameters
    ----------
    content : bytes, as skops gives them
    name : str, of the file, for messages
    """
    with Archive(content, name=name) as archive:
        members = {member: archive.read(member) for member in archive.names}
    numbers: dict[str, str] = {}

    def renamed(match: re.Match[str]) -> str:
        return match[1] + numbers.setdefault(match[2], str(len(numbers) + 1)) + match[3]

    outline = re.sub(r'("(?:__id__|file)": "?)(\d+)(\D)', renamed, members.pop(_SCHEMA).decode("utf8"))
    files = {f"{numbers[member.removesuffix('.npy')]}.npy": data for member, data in members.items()}
    numbered = io.BytesIO()
    with zipfile.ZipFile(numbered, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        for member in sorted(files, key=lambda member: int(member.removesuffix(".npy"))):
            written.writestr(zipfile.ZipInfo(member), files[member], zipfile.ZIP_DEFLATED, 9)
        written.writestr(zipfile.ZipInfo(_SCHEMA), outline, zipfile.ZIP_DEFLATED, 9)
    return numbered.getvalue()


def load_forest(
    content: bytes, *, n_classes: int, n_features: int, parameters: Mapping[str, Any]
) -> RandomForestClassifier:
    """The forest of a skops file.

    Parameters
    ----------
    content : bytes
    n_classes, n_features : int
        What every tree must have.
    parameters : mapping
        Of the new forest; they say nothing about its trees.

    Raises
    ------
    RecogniserError
        It unpacks to more than the bounds, holds types that a forest has no need of, or a tree is none.
    MissingExtraError
        The extra ``sklearn`` is not installed.
    """
    require("sklearn", "skops")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier
    from skops.io import get_untrusted_types, loads

    plain = unpacked(content, _NAME)
    foreign = set(get_untrusted_types(data=plain)) - _TRUSTED
    if foreign:
        raise RecogniserError(f"forest.skops holds types that are not trusted: {', '.join(sorted(foreign))}")
    stored = loads(plain, trusted=sorted(_TRUSTED))
    if type(stored) is not RandomForestClassifier:
        raise RecogniserError(f"forest.skops holds a {type(stored).__name__}, expected a random forest")
    members = vars(stored).get("estimators_")
    if not isinstance(members, list) or not members:
        raise RecogniserError("forest.skops holds no list of trees")
    forest = RandomForestClassifier(**{**parameters, "n_estimators": len(members)})
    forest.estimators_ = []
    for number, member in enumerate(members):
        tree = vars(member).get("tree_") if type(member) is DecisionTreeClassifier else None
        check_tree(tree, f"{_NAME}: tree {number}", n_classes, n_features)
        bare = DecisionTreeClassifier()
        bare.tree_ = tree
        forest.estimators_.append(bare)
    for model in (forest, *forest.estimators_):
        model.n_features_in_, model.n_outputs_ = n_features, 1
        model.n_classes_, model.classes_ = n_classes, np.arange(n_classes)
    return forest


def unpacked(content: bytes, name: str) -> bytes:
    """A skops file without compression, within bounds: what it says of its sizes may be a lie.

    Raises
    ------
    RecogniserError
        It is larger than may be read.
    """
    plain = io.BytesIO()
    try:
        with Archive(content, name=name, bound="numbers_bytes") as archive:
            schema = archive.read(_SCHEMA)
            if len(schema) > _LARGEST_SCHEMA:
                raise RecogniserError(
                    f"{len(schema) >> 20} MB of {_SCHEMA}, at most {_LARGEST_SCHEMA >> 20} MB are read; "
                    "train fewer trees or larger leaves"
                )
            check_json(schema)
            with zipfile.ZipFile(plain, "w") as copy:
                for member in archive.names:
                    copy.writestr(member, schema if member == _SCHEMA else archive.read(member))
    except (DataError, ValueError) as error:
        raise RecogniserError(f"{error}; train fewer trees or larger leaves") from None
    return plain.getvalue()


def check_tree(tree: Any, where: str, n_classes: int, n_features: int) -> None:
    """Refuse a tree that would be followed out of its tables, or whose leaves hold no probabilities.

    Sizes come first: the arrays of a tree are views of as many nodes as it says it has.

    Raises
    ------
    RecogniserError
    """
    from sklearn.tree._tree import Tree

    if type(tree) is not Tree:
        raise RecogniserError(f"{where} is a {type(tree).__name__}, expected a decision tree")
    got = (tree.n_outputs, tree.max_n_classes, tree.n_features)
    if got != (1, n_classes, n_features):
        raise RecogniserError(
            f"{where} has {got[0]} outputs, {got[1]} classes and {got[2]} features, "
            f"expected 1, {n_classes} and {n_features}"
        )
    n = tree.node_count
    if n < 1 or n != tree.capacity:
        raise RecogniserError(f"{where} says it has {n} nodes, its table has {tree.capacity}")
    children = (tree.children_left, tree.children_right)
    inner = (children[0] != -1) | (children[1] != -1)
    check_nodes(children, tree.feature, inner, n_features, where)
    value = tree.value
    if value.shape != (n, 1, n_classes) or not (
        np.isfinite(value).all() and (value >= 0).all() and np.allclose(value.sum(axis=2), 1)
    ):
        raise RecogniserError(f"{where} has a node whose values are no {n_classes} probabilities")


def check_nodes(
    children: tuple[NDArray[np.intp], NDArray[np.intp]],
    feature: NDArray[np.intp],
    inner: NDArray[np.bool_],
    n_features: int,
    where: str,
) -> None:
    """Refuse nodes with children that do not exist, or that split on a feature that does not.

    Parameters
    ----------
    children : left and right, (n,) each
    feature, inner : (n,), column that a node splits on, and whether it splits
    n_features : int
    where : str, for messages

    Raises
    ------
    RecogniserError
    """
    for child in (children[0][inner], children[1][inner]):
        if (child <= np.flatnonzero(inner)).any() or (child >= len(inner)).any():
            raise RecogniserError(f"{where} has a child that does not exist or comes before its parent")
    if (feature[inner] < 0).any() or (feature[inner] >= n_features).any():
        raise RecogniserError(
            f"{where} splits on a feature that does not exist, expected 0..{n_features - 1}"
        )


class ForestRecogniser(FeatureRecogniser):
    """Random forest (scikit-learn).

    Parameters
    ----------
    encoding : key of `intent.recognise.encoding.ENCODINGS`
    n_estimators : int
        Trees.
    min_samples_leaf : int
        Trajectories a leaf must hold; larger leaves give better probabilities and smaller files.
    n_jobs : int, optional
        Threads.
    random_state : int, optional
    """

    kind: ClassVar[str] = "forest"
    learns_with: ClassVar[tuple[str, ...]] = ("sklearn", "skops")

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

    def _train(self, features: Features, codes: NDArray[np.intp]) -> None:
        from sklearn.ensemble import RandomForestClassifier

        self.forest_ = RandomForestClassifier(
            n_estimators=self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        ).fit(features, codes)

    def _proba(self, features: Features) -> NDArray[np.float64]:
        proba: NDArray[np.float64] = self.forest_.predict_proba(features)
        return proba

    def _files(self) -> Files:
        """The forest as a compressed skops file."""
        return {_NAME: dump_forest(self.forest_)}

    def _read(self, files: Files, width: int) -> None:
        """Every tree is checked."""
        if self.n_jobs is not None and (type(self.n_jobs) is not int or self.n_jobs == 0):
            raise RecogniserError(f"n_jobs is {self.n_jobs!r}, expected a number of threads or null")
        self.forest_ = load_forest(
            files[_NAME],
            n_classes=len(self.classes_),
            n_features=width,
            parameters={k: v for k, v in self.get_params().items() if k != "encoding"},
        )
