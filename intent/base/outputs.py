"""What we write: claimed before long work, made whole beside its place, never half a file; values as JSON.

Nothing replaces what is there unless asked, and no folder that somebody else made. Runs hold what people and
models said: whatever of theirs this package, or a library under it, makes within `private` has mode 0600,
folders 0700, from the moment that it is made.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from intent.base.errors import OutputError
from intent.base.files import path_of
from intent.base.remote import RemotePath, require_bucket, send, storage

__all__ = [
    "claim",
    "json_values",
    "make_folder",
    "private",
    "remove_scratch",
    "write_object",
    "writing",
]


_OTHERS = 0o077
_LOCK = threading.Lock()
_STATE = {"depth": 0, "mask": 0}


@contextmanager
def private(wanted: bool = True) -> Iterator[None]:
    """The process makes files for its user alone within the block; its mask comes back with the last block.

    The mask belongs to the process, so what other threads make in the meantime is private, too.

    Parameters
    ----------
    wanted : bool
        False changes nothing.
    """
    if not wanted:
        yield
        return
    with _LOCK:
        if not _STATE["depth"]:
            _STATE["mask"] = os.umask(_OTHERS)
        _STATE["depth"] += 1
    try:
        yield
    finally:
        with _LOCK:
            _STATE["depth"] -= 1
            if not _STATE["depth"]:
                os.umask(_STATE["mask"])


_MARKS = ("log.json", "recogniser.json", "run.json", "bundle.json")
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
    target = path_of(path)
    if isinstance(target, RemotePath):
        return _claim_remote(target, overwrite, into)
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


def _claim_remote(target: RemotePath, overwrite: bool, into: bool) -> RemotePath:
    """As `claim`, of object storage, which has no folders to be made."""
    if into:
        raise OutputError(
            f"cannot write into {target}: a folder to write into must be on this machine; on object storage "
            "are written logs and results, each as a whole"
        )
    require_bucket(target, writing=True)
    with storage(target, writing=True) as files:
        there = files.exists(target.key)
    if there and not overwrite:
        raise OutputError(f"{target} exists; choose another path or give --overwrite")
    if there and target.is_dir() and not any((target / mark).is_file() for mark in _MARKS):
        raise OutputError(
            f"cannot replace {target}: it holds none of {', '.join(_MARKS)}, so it is not ours; choose "
            "another path or remove it yourself"
        )
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

    The block may make a file or a folder there. A file replaces only a file, a folder only a folder. What
    goes to object storage is made in a temporary folder of this machine and sent at the end.

    Parameters
    ----------
    path : str or Path
    overwrite : bool
        As `claim`.
    secret : bool
        Whether it is for its user's eyes only (`private`), as all that is below a run folder.

    Raises
    ------
    OutputError
        As `claim`, or the system refuses to write.
    """
    target = claim(path, overwrite=overwrite)
    if isinstance(target, RemotePath):
        import tempfile

        with tempfile.TemporaryDirectory(prefix="intent-") as scratch:
            yield Path(scratch) / target.name
            send(Path(scratch) / target.name, target)
        return
    with private(secret or _in_run(target)), _drafted(target) as draft:
        yield draft


def _in_run(target: Path) -> bool:
    """Whether the path is below the folder of a run."""
    return any((folder / _RUN).is_file() for folder in target.absolute().parents[:_DEPTH])


@contextmanager
def _drafted(target: Path) -> Iterator[Path]:
    import tempfile  # which loads hashes too

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


def json_values(value: Any) -> Any:
    """A value that JSON can hold: what is no finite number is None, tuples are lists, keys are text.

    Parameters
    ----------
    value : mapping, list, tuple or scalar
        numpy's scalars become Python's; other objects are left as they are.

    Examples
    --------
    >>> json_values({"p": float("nan"), "sizes": (1, 2)})
    {'p': None, 'sizes': [1, 2]}
    """
    if isinstance(value, dict):
        return {str(key): json_values(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


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
    return path_of(path)
