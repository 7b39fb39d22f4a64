"""What is read of a file at most: one value for all formats, which a user may raise for a large log.

Files and folders for their user's eyes only, from the moment that they are made.

Runs hold what people and models said. Whatever of theirs this package, or a library under it, makes within
`private` has mode 0600, folders 0700: there is no moment at which somebody else could open them.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from intent.base.errors import LimitError, UnknownNameError, UsageError, located, shorten

__all__ = ["BOUNDS_VARIABLE", "Bounds", "beyond", "bounds", "private", "raising"]


BOUNDS_VARIABLE = "INTENT_LIMITS"
"""Environment variable with other bounds, as ``unpacked_bytes=8GiB,rejects=1000000``."""

_MIB, _GIB = 1024**2, 1024**3
_SIZE = re.compile(r"(\d{1,15})\s*(|KiB|MiB|GiB|TiB)", re.ASCII)
_FACTORS = {"": 1, "KiB": 1024, "MiB": _MIB, "GiB": _GIB, "TiB": 1024**4}


def _bound(value: int, unit: str, reason: str) -> Any:
    return field(default=value, metadata={"unit": unit, "reason": reason})


@dataclass(frozen=True)
class Bounds:
    """How much of a file is read at most.

    Each field has its unit and its reason in the metadata (`dataclasses.fields`); the page on reading
    lists them.

    Examples
    --------
    >>> Bounds().ratio
    200
    """

    disk_bytes: int = _bound(1024**4, "bytes of a file on disk", "a Parquet log is read piece by piece")
    unpacked_bytes: int = _bound(2 * _GIB, "bytes of text, of a table or of an archive, unpacked", "memory")
    ratio: int = _bound(
        200,
        "bytes unpacked, or cells of a table, for each byte on disk",
        "text packs some 10 to 50 to 1, what packs far better is made to burst",
    )
    ratio_from: int = _bound(
        64 * _MIB, "bytes unpacked, or cells, up to which no ratio is asked for", "small is small"
    )
    rows: int = _bound(200_000_000, "rows of a table read at once", "memory")
    cells: int = _bound(2**30, "cells (rows times columns) of a table read at once", "memory")
    columns: int = _bound(20_000, "columns of a table", "each takes time of its own")
    field: int = _bound(1_000_000, "characters of one field", "a longer one makes its row unreadable")
    footer_bytes: int = _bound(
        64 * _MIB, "bytes of what a Parquet file says of itself", "memory, ten times that"
    )
    row_groups: int = _bound(50_000, "row groups of a Parquet file", "each takes time of its own")
    row_group_rows: int = _bound(1 << 22, "rows of a row group of a compact log", "read as a whole")
    row_group_values: int = _bound(1 << 28, "moves of a row group of a compact log", "read as a whole")
    rejects: int = _bound(
        200_000, "rows that cannot be read and are listed", "more are a file of another kind"
    )
    rounds: int = _bound(100_000, "highest number of a round", "trajectories take memory by it")
    seats: int = _bound(10_000, "highest number of a seat", "looking seats up takes memory by it")
    moves: int = _bound(2**30, "moves (seats times the longest game) of a log in memory", "memory")
    members: int = _bound(200_000, "files in an archive", "each takes memory before it is read")
    json_bytes: int = _bound(
        512 * _MIB, "bytes of JSON parsed at once", "values take some 20 times their text"
    )
    json_values: int = _bound(10_000_000, "values of JSON parsed at once", "some 100 bytes of memory each")
    depth: int = _bound(
        100, "nesting of JSON and YAML", "what is deeper is followed step by step and ends nowhere"
    )
    digits: int = _bound(100, "digits of one number", "time to read them grows with their square")
    settings_bytes: int = _bound(_MIB, "bytes of a file of settings", "no file written by hand is longer")
    settings_values: int = _bound(100_000, "values of a file of settings, aliases unfolded", "memory")
    settings_seconds: int = _bound(60, "seconds for reading a file of settings", "patience")
    object_bytes: int = _bound(64 * _MIB, "bytes of a saved result or list of facts, in JSON", "memory")
    numbers_bytes: int = _bound(256 * _MIB, "bytes of a recogniser's numbers, unpacked", "memory")


def bounds() -> Bounds:
    """The bounds in force: the defaults, or those of the environment variable ``INTENT_LIMITS``.

    Raises
    ------
    UsageError
        The variable names no bound, or a value is no size.
    """
    return _of(os.environ.get(BOUNDS_VARIABLE, ""))


@lru_cache(maxsize=8)
def _of(text: str) -> Bounds:
    known = [one.name for one in fields(Bounds)]
    values: dict[str, int] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, size = (part.strip() for part in item.partition("="))
        if name not in known:
            raise UnknownNameError(f"bound in {BOUNDS_VARIABLE}", name, known)
        number = _SIZE.fullmatch(size)
        if number is None or not int(number[1]):
            raise UsageError(
                f"{BOUNDS_VARIABLE} gives {name} {shorten(size)!r}, expected a number above 0, "
                "perhaps with KiB, MiB, GiB or TiB"
            )
        values[name] = int(number[1]) * _FACTORS[number[2]]
    return replace(Bounds(), **values)


def raising(name: str) -> str:
    """How to raise a bound, for messages."""
    return f"{BOUNDS_VARIABLE}={name}=N raises that"


def beyond(place: str | Path, what: str, name: str, line: int | None = None) -> LimitError:
    """The error of a file that goes beyond a bound: what is there, the bound, and how to raise it.

    Parameters
    ----------
    place : path
    what : str
        What the file has, as in ``5,000 members``.
    name : str
        Field of `Bounds`.
    line : int, optional
    """
    most = getattr(bounds(), name)
    return LimitError(located(place, f"{what}, expected at most {most:,}; {raising(name)}", line))


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
