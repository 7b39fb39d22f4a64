"""The folder of a result: made where absent, gone on with where it is one, left alone where it is not."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from intent.errors import OutputError

__all__ = ["own_folder"]


def own_folder(
    path: str | Path, *, kind: str, marks: Collection[str], lock: str = "", make: bool = True
) -> Path:
    """The folder, for a result of this kind.

    Parameters
    ----------
    path : path
    kind : str
        For messages: ``tournament``.
    marks : names of files by which such a folder is known
    lock : str
        Name of the file that a process holds; a folder with nothing else in it is as good as empty.
    make : bool
        Whether a folder that is absent is made, which commands that may yet fail leave for later.

    Raises
    ------
    OutputError
        It holds something else, or cannot be made.
    """
    from intent.logs.output import claim

    folder = claim(path, overwrite=True, into=True)
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        elif not folder.is_dir():
            return folder
        ours = any((folder / mark).is_file() for mark in marks)
        ours = ours or {inside.name for inside in folder.iterdir()} <= {lock}
    except OSError as error:
        raise OutputError(f"cannot write into {folder}: {error.strerror or error}") from None
    if not ours:
        listed = " or ".join(marks)
        raise OutputError(f"{folder} is not empty and holds no {kind} ({listed}); choose another folder")
    return folder
