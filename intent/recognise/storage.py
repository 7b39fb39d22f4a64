"""Saving and loading recognisers: a folder with JSON and files of numbers, never a pickle."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.errors import (
    DataError,
    IntentError,
    LimitError,
    RecogniserError,
    UnknownNameError,
    one_line,
    shorten,
)
from intent.files.json_text import json_value
from intent.files.text import file_bytes
from intent.logs.output import writing
from intent.recognise.base import Files, Recogniser
from intent.recognise.registry import recogniser_class
from intent.recognise.saved import plain_parameters
from intent.shipped import shipped
from intent.version import __version__

__all__ = ["describe_recogniser", "load_recogniser", "save_recogniser", "shipped_recognisers"]

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
    """
    folder, manifest = _open(name_or_path)
    files = _read_files(folder, manifest["files"])
    parameters = {k: tuple(v) if isinstance(v, list) else v for k, v in manifest["parameters"].items()}
    try:
        recogniser = recogniser_class(manifest["kind"])(**parameters)
        return recogniser.from_state(manifest["state"], files)
    except Exception as error:  # crafted files make the readers of their formats raise whatever they please
        what = error if isinstance(error, IntentError) else f"{type(error).__name__}: {error}"
        raise RecogniserError(f"{folder}: not a readable recogniser ({shorten(what, 300)})") from error


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
