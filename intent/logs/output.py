"""Writing results: never over what is there unless asked, never half a file."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from intent.errors import OutputError

__all__ = ["claim", "writing"]


def claim(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path, once it is sure that something may be written there.

    Call it before long work, so that a bad path costs nothing.

    Raises
    ------
    OutputError
        The path exists and `overwrite` is false, or its folder does not exist or cannot be written to.
    """
    target = Path(path)
    if target.exists() and not overwrite:
        raise OutputError(f"{target} exists; choose another path or give --overwrite")
    folder = target.absolute().parent
    if not folder.exists():
        nearest = next(p for p in folder.parents if p.exists())
        if not nearest.is_dir() or not os.access(nearest, os.W_OK):
            raise OutputError(f"cannot write {target}: {nearest} is not a folder that can be written to")
    elif not folder.is_dir() or not os.access(folder, os.W_OK):
        raise OutputError(f"cannot write {target}: {folder} is not a folder that can be written to")
    return target


@contextmanager
def writing(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends without an error.

    The block may make a file or a folder there.

    Raises
    ------
    OutputError
        As `claim`, or the system refuses to write.
    """
    target = claim(path, overwrite=overwrite)
    try:
        target.absolute().parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.absolute().parent))
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from None
    try:
        draft = scratch / target.name
        yield draft
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        os.replace(draft, target)
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
