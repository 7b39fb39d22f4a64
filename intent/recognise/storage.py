"""Saving and loading recognisers: a folder with JSON and files of numbers, never a pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.errors import RecogniserError, UnknownNameError, located
from intent.logs.output import writing
from intent.recognise.base import Files, Recogniser
from intent.recognise.registry import recogniser_class
from intent.version import __version__

__all__ = ["describe_recogniser", "load_recogniser", "save_recogniser", "shipped_recognisers"]

_MANIFEST = "recogniser.json"
_FORMAT = 1
_LARGEST_FILE = 256 << 20


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
        The recogniser is not fitted.
    """
    state, files = recogniser.to_state()
    manifest = {
        "format": _FORMAT,
        "kind": recogniser.kind,
        "version": __version__,
        "parameters": _jsonable(recogniser.get_params(deep=False)),
        "state": state,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())},
        "about": dict(about or {}),
    }
    with writing(path, overwrite=overwrite) as draft:
        draft.mkdir()
        for name, content in files.items():
            (draft / name).write_bytes(content)
        (draft / _MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf8")
    return Path(path)


def load_recogniser(name_or_path: str | Path) -> Recogniser:
    """A fitted recogniser, by the name of a shipped one or the folder of a saved one.

    Raises
    ------
    UnknownNameError
        Neither a shipped name nor a folder; the nearest names are suggested.
    RecogniserError
        The folder is not a recogniser, or a file is not the one that was saved.
    """
    folder, manifest = _open(name_or_path)
    files: Files = {}
    for name, digest in manifest["files"].items():
        source = folder / name
        if source.parent != folder or not source.is_file() or source.stat().st_size > _LARGEST_FILE:
            raise RecogniserError(f"{folder}: file {name!r} is missing or not readable")
        content = source.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise RecogniserError(f"{folder}: {name} is not the file that was saved (its sha256 differs)")
        files[name] = content
    try:
        parameters = {k: tuple(v) if isinstance(v, list) else v for k, v in manifest["parameters"].items()}
        recogniser = recogniser_class(manifest["kind"])(**parameters)
        return recogniser.from_state(manifest["state"], files)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise RecogniserError(f"{folder}: not a readable recogniser ({error})") from None


def describe_recogniser(name_or_path: str | Path) -> dict[str, Any]:
    """The manifest of a recogniser (kind, parameters, what is known about it), without loading it."""
    folder, manifest = _open(name_or_path)
    card = folder / "README.md"
    keep = {k: manifest[k] for k in ("kind", "version", "parameters", "about")}
    return {
        "name": folder.name,
        "path": str(folder),
        "bytes": sum(f.stat().st_size for f in folder.iterdir() if f.is_file()),
        "card": card.read_text(encoding="utf8") if card.is_file() else None,
        **keep,
    }


def shipped_recognisers() -> dict[str, Path]:
    """Name -> folder of the recognisers that come with this package."""
    found: dict[str, Path] = {}
    package = Path(__file__).resolve().parent.parent
    for root in (package / "_shipped" / "models", package.parent / "models"):
        if root.is_dir():
            for manifest in sorted(root.glob(f"*/{_MANIFEST}")):
                found.setdefault(manifest.parent.name, manifest.parent)
    return found


def _open(name_or_path: str | Path) -> tuple[Path, dict[str, Any]]:
    folder = Path(name_or_path)
    if not folder.is_dir():
        shipped = shipped_recognisers()
        if str(name_or_path) not in shipped:
            raise UnknownNameError("recogniser", str(name_or_path), shipped)
        folder = shipped[str(name_or_path)]
    source = folder / _MANIFEST
    if not source.is_file():
        raise RecogniserError(f"{folder} holds no {_MANIFEST}, expected a saved recogniser")
    try:
        manifest = json.loads(source.read_text(encoding="utf8"))
        if manifest["format"] != _FORMAT:
            raise RecogniserError(
                located(source, f"format {manifest['format']}, expected {_FORMAT}; a newer version wrote it")
            )
        missing = {"kind", "parameters", "state", "files", "about", "version"} - manifest.keys()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecogniserError(located(source, f"not a recogniser's manifest ({error})")) from None
    if missing:
        raise RecogniserError(located(source, f"lacks {', '.join(sorted(missing))}"))
    return folder, manifest


def _jsonable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _jsonable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(v) for v in value]
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if hasattr(value, "name"):
        return value.name
    return value.tolist() if hasattr(value, "tolist") else str(value)
