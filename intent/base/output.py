"""Writing results: never over what is there unless asked, never half a file.

Files that hold one JSON object: written whole, read with bounds.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from intent.base.errors import DataError, OutputError, located, shorten
from intent.base.files import bounds, private
from intent.base.json_text import json_value
from intent.base.text import decoded, file_bytes

__all__ = ["claim", "make_folder", "read_object", "remove_scratch", "write_object", "writing"]


_MARKS = ("log.json", "recogniser.json", "run.json")
"""A folder that holds one of these was written by us as a whole, so that it may be replaced as a whole."""

_RUN = "run.json"
"""A folder that holds this holds what people and models said, and is its user's alone, with all below it."""

_DEPTH = 8
"""Folders up from a file in which that is looked for."""

_SCRATCH = re.compile(r"\.(?P<name>.+)\.[a-z0-9_]{8}")
"""What `writing` calls the folder in which it drafts ``name``."""


def claim(path: str | Path, *, overwrite: bool = False, into: bool = False) -> Path:
    """The path, once it is sure that something may be written there.

    Call it before long work, so that a bad path costs nothing.

    Parameters
    ----------
    path : str or Path
    overwrite : bool
        Whether a file, a log, a recogniser or an empty folder there may be replaced.
    into : bool
        The path is a folder to write into, which keeps what else it holds.

    Raises
    ------
    OutputError
        The path exists and `overwrite` is false, it is a folder that is not ours to replace, or its own
        folder does not exist or cannot be written to.
    """
    target = Path(path)
    if os.path.lexists(target) and not overwrite:
        if (target / "run.json").is_file():
            raise OutputError(
                f"{target} exists, and intent resume {target} goes on with it; choose another path, or give "
                "--overwrite to lose its replies"
            )
        raise OutputError(f"{target} exists; choose another path or give --overwrite")
    if into and os.path.exists(target) and not os.path.isdir(target):
        raise OutputError(f"cannot write into {target}: it is a file, expected a folder")
    if not into:
        _check_ours(target)
    folder = target.absolute().parent
    if not os.path.exists(folder):
        nearest = next(p for p in folder.parents if os.path.exists(p))
        if not os.path.isdir(nearest) or not os.access(nearest, os.W_OK):
            raise OutputError(f"cannot write {target}: {nearest} is not a folder that can be written to")
    elif not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise OutputError(f"cannot write {target}: {folder} is not a folder that can be written to")
    return target


def make_folder(folder: Path) -> Path:
    """The folder, made where it is absent.

    Raises
    ------
    OutputError
        The system refuses to make it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write into {folder}: {error.strerror or error}") from None
    return folder


def remove_scratch(folder: Path) -> None:
    """Remove the drafts of a process that was killed; only who holds the folder's lock may.

    A draft is a folder such as ``.standings.png.k3x9_abq`` that holds nothing but ``standings.png``, or what
    it was to replace.
    """
    for inside in folder.iterdir():
        match = _SCRATCH.fullmatch(inside.name)
        if match is None or inside.is_symlink() or not inside.is_dir():
            continue
        name = match["name"]
        if {one.name for one in inside.iterdir()} <= {name, f"{name}.replaced"}:
            shutil.rmtree(inside, ignore_errors=True)


@contextmanager
def writing(path: str | Path, *, overwrite: bool = False, secret: bool = False) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends without an error.

    The block may make a file or a folder there. A file replaces only a file, a folder only a folder.

    Parameters
    ----------
    path : str or Path
    overwrite : bool
        As `claim`.
    secret : bool
        Whether it is for its user's eyes only (`intent.base.files`), as all that is below a run folder.

    Raises
    ------
    OutputError
        As `claim`, or the system refuses to write.
    """
    target = claim(path, overwrite=overwrite)
    with private(secret or _in_run(target)), _drafted(target) as draft:
        yield draft


def _in_run(target: Path) -> bool:
    """Whether the path is below the folder of a run."""
    return any((folder / _RUN).is_file() for folder in target.absolute().parents[:_DEPTH])


@contextmanager
def _drafted(target: Path) -> Iterator[Path]:
    try:
        target.absolute().parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.absolute().parent))
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from None
    try:
        draft = scratch / target.name
        yield draft
        _replace(target, draft, scratch / f"{target.name}.replaced")
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _replace(target: Path, draft: Path, aside: Path) -> None:
    """Put the draft in the place of the target; a folder there is set aside first, and back on failure."""
    if target.exists() and target.is_dir() != draft.is_dir():
        kinds = ("folder", "file") if target.is_dir() else ("file", "folder")
        raise OutputError("cannot write {}: it is a {}, which a {} does not replace".format(target, *kinds))
    if not target.is_dir():
        os.replace(draft, target)
        return
    _check_ours(target)
    os.rename(target, aside)
    try:
        os.rename(draft, target)
    except OSError:
        os.rename(aside, target)
        raise


def _check_ours(target: Path) -> None:
    """Refuse a folder that somebody else made, whatever the user said about overwriting."""
    if not os.path.isdir(target):
        return
    if target.is_symlink():
        raise OutputError(f"cannot replace {target}: it is a link to a folder; give the folder itself")
    try:
        ours = any((target / mark).is_file() for mark in _MARKS) or not any(target.iterdir())
    except OSError as error:
        raise OutputError(f"cannot replace {target}: {error.strerror or error}") from None
    if not ours:
        raise OutputError(
            f"cannot replace {target}: it is not empty and holds none of {', '.join(_MARKS)}, so it is not "
            "ours; choose another path or remove it yourself"
        )


def write_object(path: str | Path, value: Mapping[str, Any], *, overwrite: bool = False) -> Path:
    """Write an object, indented; text that is no UTF-8 stays readable as the escapes of JSON.

    Parameters
    ----------
    path : path
    value : mapping that JSON can hold; what it cannot is written as its text
    overwrite : bool

    Raises
    ------
    OutputError
        As `writing`.
    """
    text = json.dumps(dict(value), ensure_ascii=False, indent=2, allow_nan=False, default=str) + "\n"
    with writing(path, overwrite=overwrite) as draft:
        draft.write_text(text, encoding="utf8", errors="backslashreplace")
    return Path(path)


def read_object(path: str | Path, expected: str, *, longest: int | None = None) -> dict[str, Any]:
    """The object in a file.

    Parameters
    ----------
    path : path
    expected : str
        What the file should be, for messages: ``a tournament``.
    longest : int, bytes; default: as `Bounds` says

    Raises
    ------
    DataError
        The file is not there, larger, or holds no JSON object, or one with a key that stands twice.
    """
    source = Path(path)
    if not source.is_file():
        raise DataError(f"no such file: {source}, expected {expected}")
    try:
        raw = file_bytes(source, bounds().object_bytes if longest is None else longest, expected)
        value = json_value(decoded(raw, source.name, expected), unique=True, halves=True)
    except (ValueError, RecursionError) as error:
        raise DataError(located(source, f"no JSON ({shorten(error)}), expected {expected}")) from None
    if not isinstance(value, dict):
        raise DataError(located(source, f"no JSON object, expected {expected}"))
    return value
