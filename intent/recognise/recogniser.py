"""What every recogniser is: a scikit-learn classifier of trajectories with named strategies as classes.

A saved one is a folder with JSON and files of numbers, never a pickle. It may come from anyone, so what it
says of itself is checked value by value, its arrays one by one; its strategies are kept as tables, restored
by name where the name still means them. Names mean recognisers that come with the package, folders, or kinds.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.binary import read_arrays
from intent.base.errors import (
    DataError,
    IntentError,
    LimitError,
    MissingExtraError,
    RecogniserError,
    StrategyError,
    UnknownNameError,
    one_line,
    shorten,
)
from intent.base.files import bounds, file_bytes, json_value, shipped
from intent.base.outputs import writing
from intent.base.registry import load, point, require
from intent.logs.gamelog import GameLog, Trajectories
from intent.recognise.encoding import ENCODINGS, feature_names
from intent.strategies.catalogue import CATALOGUE, Strategy, named_set, with_background
from intent.strategies.catalogue import strategy as find_strategy
from intent.strategies.sets import read_strategy, read_tables, strategy_table, strategy_tables
from intent.version import __version__

__all__ = [
    "KINDS",
    "ClassifierGrammar",
    "Files",
    "Recogniser",
    "as_recogniser",
    "as_trajectories",
    "check_eps",
    "class_codes",
    "describe_recogniser",
    "encoding_width",
    "is_saved",
    "load_recogniser",
    "make_recogniser",
    "most_probable",
    "ordered_classes",
    "plain_parameters",
    "read_classes",
    "read_probabilities",
    "read_rounds",
    "read_tensors",
    "recogniser_class",
    "restored_strategies",
    "save_recogniser",
    "shipped_recognisers",
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
        kind_class: type[Recogniser] = resolve_name(KINDS[kind])
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


_MOST_CLASSES = 1000
_LONGEST_NAME = 200


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON holds them: strategies by name, anything else that is no plain value as text."""
    return {str(name): _plain(value) for name, value in parameters.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return plain_parameters(value)
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if hasattr(value, "name"):
        return value.name
    return value.tolist() if hasattr(value, "tolist") else str(value)


def read_classes(names: Any) -> NDArray[np.str_]:
    """The classes (K,) of a list of names.

    Raises
    ------
    RecogniserError
        Not a list of 1 to 1,000 different, printable names.
    """
    if not isinstance(names, Sequence) or isinstance(names, str) or not 1 <= len(names) <= _MOST_CLASSES:
        raise RecogniserError(f"classes are {shorten(names)}, expected 1 to {_MOST_CLASSES} names")
    for name in names:
        if not isinstance(name, str) or not name.isprintable() or not 1 <= len(name) <= _LONGEST_NAME:
            raise RecogniserError(f"class {shorten(repr(name))}, expected a printable name")
    if len(set(names)) < len(names):
        raise RecogniserError(f"classes {shorten(names)}, expected different names")
    return np.array(names)


def read_rounds(state: Mapping[str, Any]) -> int:
    """Rounds of the training data.

    Raises
    ------
    RecogniserError
        Not a whole number from 1 to `Bounds.rounds`.
    """
    rounds = state["rounds"]
    if type(rounds) is not int or not 1 <= rounds <= bounds().rounds:
        raise RecogniserError(
            f"rounds is {shorten(rounds)}, expected a whole number of 1 to {bounds().rounds:,}"
        )
    return rounds


def encoding_width(encoding: str, rounds: int) -> int:
    """Number of columns of an encoding of so many rounds.

    Raises
    ------
    RecogniserError
        No such encoding.
    """
    if not isinstance(encoding, str) or encoding not in ENCODINGS:
        raise RecogniserError(f"encoding is {shorten(encoding)!r}, expected one of {', '.join(ENCODINGS)}")
    one, two = (len(feature_names(encoding, n)) for n in (1, 2))
    return one + (two - one) * (rounds - 1)


def read_probabilities(values: Any, k: int) -> NDArray[np.float64]:
    """A prior as (k,) probabilities.

    Raises
    ------
    RecogniserError
        Not k finite numbers of at least zero that sum to one.
    """
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        numbers = np.full(1, np.nan)
    if numbers.shape == (k,) and (numbers >= 0).all() and abs(numbers.sum() - 1) <= 1e-6:
        return numbers
    got = shorten(numbers.tolist() if np.isfinite(numbers).all() else values, 200)
    raise RecogniserError(f"prior is {got}, expected {k} probabilities that sum to one")


def check_eps(eps: Any, *words: str) -> None:
    """Refuse an eps that is neither one of the words nor a number in [0, .5).

    Raises
    ------
    RecogniserError
        It is not.
    """
    is_number = isinstance(eps, int | float) and not isinstance(eps, bool)
    if eps not in words and not (is_number and 0 <= eps < 0.5):
        expected = " or ".join(("a number in [0, .5)", *map(repr, words)))
        raise RecogniserError(f"eps is {shorten(repr(eps))}, expected {expected}")


_MANIFEST = "recogniser.json"
_FORMAT = 1
_OUTLINE = {
    "kind": (str, "a name"),
    "version": (str, "a version"),
    "parameters": (dict, "an object"),
    "state": (dict, "an object"),
    "files": (dict, "an object of name: sha256"),
    "about": (dict, "an object"),
}
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_LARGEST_MANIFEST = 16 << 20
_LARGEST_CARD = 1 << 20
_LARGEST_FILE = 128 << 20


def save_recogniser(
    recogniser: Recogniser,
    path: str | Path,
    *,
    about: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a fitted recogniser to a folder.

    Parameters
    ----------
    recogniser : Recogniser
    path : folder to make
    about : mapping, optional
        JSON-able facts: name, training set, seed, measured figures.
    overwrite : bool

    Raises
    ------
    OutputError
        The folder exists, or cannot be written.
    RecogniserError
        The recogniser is not fitted, or larger than what may be loaded.
    """
    state, files = recogniser.to_state()
    manifest = {
        "format": _FORMAT,
        "kind": recogniser.kind,
        "version": __version__,
        "parameters": plain_parameters(recogniser.get_params(deep=False)),
        "state": state,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())},
        "about": dict(about or {}),
    }
    own: Sequence[Strategy] = getattr(recogniser, "strategies_", ())
    if "strategies" not in state and (tables := strategy_tables(own)):
        manifest["strategies"] = tables
    text = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
    if len(text) > _LARGEST_MANIFEST or sum(map(len, files.values())) > _LARGEST_FILE:
        raise RecogniserError(f"cannot save to {path}: the recogniser is larger than what may be loaded")
    with writing(path, overwrite=overwrite) as draft:
        draft.mkdir()
        for name, content in files.items():
            (draft / name).write_bytes(content)
        (draft / _MANIFEST).write_text(text, encoding="utf8")
    return Path(path)


def load_recogniser(name_or_path: str | Path) -> Recogniser:
    """A fitted recogniser, by the name of a shipped one or the folder of a saved one.

    A text that is the name of a shipped recogniser always means that one; a folder of the same name is
    given as a Path or as ``./name``. Nothing in a folder is believed: it may come from anyone.

    Raises
    ------
    UnknownNameError
        Neither a shipped name nor a folder; the nearest names are suggested.
    RecogniserError
        The folder is not a recogniser, or a file is not the one that was saved.
    MissingExtraError
        Its kind needs a library that is not installed.
    """
    folder, manifest = _open(name_or_path)
    files = _read_files(folder, manifest["files"])
    parameters = {k: tuple(v) if isinstance(v, list) else v for k, v in manifest["parameters"].items()}
    try:
        recogniser = recogniser_class(manifest["kind"])(**parameters)
        recogniser = recogniser.from_state(manifest["state"], files)
        own = read_tables(manifest.get("strategies", []))
        return recogniser.knowing(own) if own else recogniser
    except MissingExtraError:
        raise
    except Exception as error:  # crafted files make the readers of their formats raise whatever they please
        what = error if isinstance(error, IntentError) else f"{type(error).__name__}: {error}"
        raise RecogniserError(f"{folder}: not a readable recogniser ({shorten(what, 300)})") from error


def as_recogniser(chosen: Any) -> Recogniser:
    """The recogniser that is meant: by name or folder, itself, or a fitted classifier of anybody's.

    Parameters
    ----------
    chosen : Recogniser, str, Path, or fitted classifier with ``predict_proba`` and ``classes_``

    Raises
    ------
    UnknownNameError
        Neither a shipped name nor a folder.
    RecogniserError
        Nothing of these, or not fitted.

    Notes
    -----
    Of a search that is fitted (`GridSearchCV`), the best classifier is meant.
    """
    if isinstance(chosen, Recogniser):
        return chosen
    if isinstance(chosen, str | Path):
        return load_recogniser(chosen)
    outside: Any = recogniser_class("outside")  # of scikit-learn, which no other needs
    fitted: Recogniser = outside.of_fitted(getattr(chosen, "best_estimator_", chosen))
    return fitted


def is_saved(path: str | Path) -> bool:
    """Whether a folder holds a saved recogniser."""
    return (Path(path) / _MANIFEST).is_file()


def describe_recogniser(name_or_path: str | Path) -> dict[str, Any]:
    """The manifest of a recogniser (kind, parameters, what is known about it), without loading it.

    Raises
    ------
    UnknownNameError, RecogniserError
        As `load_recogniser`.
    """
    folder, manifest = _open(name_or_path)
    card = folder / "README.md"
    keep = {k: manifest[k] for k in ("kind", "version", "parameters", "about")}
    return {
        "name": folder.name,
        "path": str(folder),
        "bytes": sum(f.stat().st_size for f in folder.iterdir() if f.is_file()),
        "card": _read(card, _LARGEST_CARD).decode(errors="replace") if card.is_file() else None,
        **keep,
    }


def shipped_recognisers() -> dict[str, Path]:
    """Name -> folder of the recognisers that come with this package."""
    root = shipped("models")
    return {m.parent.name: m.parent for m in sorted(root.glob(f"*/{_MANIFEST}"))} if root else {}


def _open(name_or_path: str | Path) -> tuple[Path, dict[str, Any]]:
    """The folder and its manifest, whose outline is checked."""
    known = shipped_recognisers()
    if isinstance(name_or_path, str) and name_or_path in known:
        folder = known[name_or_path]
    elif os.path.isdir(name_or_path):
        folder = Path(name_or_path)
    else:
        raise UnknownNameError("recogniser", str(name_or_path), known)
    source = folder / _MANIFEST
    if not source.is_file():
        raise RecogniserError(f"{folder} holds no {_MANIFEST}, expected a saved recogniser")
    try:
        manifest = json_value(_read(source, _LARGEST_MANIFEST))
    except (ValueError, RecursionError) as error:
        raise RecogniserError(f"{source}: not a recogniser's manifest ({shorten(error)})") from None
    if not isinstance(manifest, dict):
        raise RecogniserError(f"{source}: got {shorten(manifest)}, expected a JSON object")
    if manifest.get("format") != _FORMAT:
        got = shorten(manifest.get("format"))
        raise RecogniserError(f"{source}: format {got}, expected {_FORMAT}; another version wrote it")
    for key, (kind, words) in _OUTLINE.items():
        if not isinstance(manifest.get(key), kind):
            got = shorten(manifest[key]) if key in manifest else "nothing"
            raise RecogniserError(f"{source}: {key} is {got}, expected {words}")
    return folder, manifest


def _read_files(folder: Path, digests: Mapping[str, Any]) -> Files:
    """The files that a manifest lists, each the one that was saved."""
    files: Files = {}
    for name, digest in digests.items():
        if not _PLAIN_NAME.fullmatch(name):
            raise RecogniserError(f"{folder}: file name {shorten(repr(name))}, expected a plain name")
        content = _read(folder / name, _LARGEST_FILE - sum(map(len, files.values())))
        if hashlib.sha256(content).hexdigest() != digest:
            raise RecogniserError(f"{folder}: {name} is not the file that was saved (its sha256 differs)")
        files[name] = content
    return files


def _read(source: Path, limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes."""
    try:
        if not source.is_file():
            raise RecogniserError(f"{source} is missing, expected a file")
        return file_bytes(source, limit, "a file of a recogniser")
    except LimitError:
        raise RecogniserError(f"{source} holds more than {limit:,} bytes, the most that is read") from None
    except (DataError, OSError) as error:
        raise RecogniserError(f"{source} cannot be read: {one_line(error)}") from None


def read_tensors(
    content: bytes, shapes: Mapping[str, tuple[int, ...]], source: str
) -> dict[str, NDArray[np.float64]]:
    """The arrays of a safetensors file, by name.

    Parameters
    ----------
    content : bytes of the file
    shapes : mapping of name -> expected shape
        Other arrays in the file are passed over.
    source : str
        Name of the file, for messages.

    Returns
    -------
    dict of name -> finite float64 of that shape, in the order of `shapes`

    Raises
    ------
    RecogniserError
        An array is missing, has another shape, or holds what is no finite floating-point number.
    """
    tensors = read_arrays(content, source)
    arrays = {}
    for name, shape in shapes.items():
        values = tensors.get(name)
        fits = values is not None and values.shape == shape and values.dtype.kind == "f"
        if values is None or not fits or not np.isfinite(values).all():
            got = "nothing" if values is None else f"shape {values.shape}"
            raise RecogniserError(f"{source}: {name} is {got}, expected {shape} finite numbers")
        arrays[name] = np.ascontiguousarray(values, dtype=float)
    return arrays


_LONGEST_SET = 1000
"""Characters or names of a saved parameter that are looked up."""


def restored_strategies(
    names: Any, tables: Sequence[Mapping[str, Any]], *, background: bool = False
) -> tuple[tuple[Strategy, ...], Any]:
    """The strategies of saved tables, and the parameter that means them.

    Where the parameter still names strategies with these tables, they are those of today's catalogue, with
    their texts; else the saved ones are used and take the parameter's place.

    Parameters
    ----------
    names : the saved parameter: set name, names, or anything that a crafted file holds there
    tables : as `strategy_table`
    background : bool
        As `with_background`.

    Raises
    ------
    StrategyError
        As `intent.strategies.sets.read_strategy`.
    """
    saved = tuple(read_strategy(table) for table in tables)
    named = _named(names, background)
    if [*map(strategy_table, named)] == [*map(strategy_table, saved)]:
        return named, names
    return saved, saved


def _named(names: Any, background: bool) -> tuple[Strategy, ...]:
    """The strategies that a saved parameter names today; none where it names no set of a usual size."""
    if len(names) > _LONGEST_SET:
        return ()
    try:
        return with_background(named_set(names), background)
    except (UnknownNameError, StrategyError):
        return ()
