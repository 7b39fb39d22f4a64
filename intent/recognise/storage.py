"""Saving and loading recognisers: a folder with JSON and files of numbers, never a pickle.

What a saved recogniser says of itself, checked value by value: the file may come from anyone.

Arrays of a saved recogniser, checked one by one: the file may come from anyone.

The strategies of a saved recogniser: kept as tables, restored by name where the name still means them.

Which recognisers a list of names means: shipped ones, folders, or kinds.

The recognisers that come with the package.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from intent.base.files import bounds, file_bytes, shipped, writing
from intent.base.json_text import json_value
from intent.recognise.encoding import ENCODINGS, feature_names
from intent.recognise.recogniser import Files, Recogniser, recogniser_class
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import named_set, with_background
from intent.strategies.sets import read_strategy, read_tables, strategy_table, strategy_tables
from intent.version import __version__

__all__ = [
    "check_eps",
    "describe_recogniser",
    "encoding_width",
    "is_saved",
    "load_recogniser",
    "plain_parameters",
    "read_classes",
    "read_probabilities",
    "read_rounds",
    "read_tensors",
    "restored_strategies",
    "save_recogniser",
    "shipped_recognisers",
]


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
