"""What comes in by name from rooms above and from other packages: entry points.

A room imports lower ones only. What it must find in a higher one, such as the games of gamma-bench, it looks
up in a *group* of entry points: name -> ``module:attribute``. A room lists its own in its file
``entry_points.txt``, which is that of an installed package; those of other packages are read from their
metadata. Ours come first, and nothing is imported before it is loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from intent.base.errors import IntentError, UsageError, one_line

__all__ = ["load", "loaded", "point", "points"]

FILE = "entry_points.txt"


def points(group: str) -> dict[str, EntryPoint]:
    """Name -> entry point: those of our rooms, then those of other packages, which replace none of ours.

    Parameters
    ----------
    group : str
        Such as ``intent.games``.
    """
    ours = _ours().get(group, {})
    return {**ours, **{name: there for name, there in _outside(group).items() if name not in ours}}


def point(group: str, name: str) -> EntryPoint | None:
    """The entry point of a name; other packages are looked through for names alone that are none of ours."""
    return _ours().get(group, {}).get(name) or _outside(group).get(name)


def load(there: EntryPoint) -> Any:
    """What an entry point names.

    Raises
    ------
    UsageError
        It cannot be imported.
    """
    try:
        return there.load()
    except IntentError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {one_line(error)}"
        raise UsageError(
            f"entry point {there.name!r} of group {there.group} ({there.value}) cannot be loaded: {why}"
        ) from error


def loaded(place: str) -> Any:
    """What ``module:attribute`` in a table of ours names."""
    return EntryPoint("", place, "").load()


class _Room(Distribution):
    """A room, read as an installed package is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read_text(self, filename: str) -> str | None:
        return self._text if filename == FILE else None

    def locate_file(self, path: str | PathLike[str]) -> Path:
        return Path(path)


@cache
def _ours() -> Mapping[str, Mapping[str, EntryPoint]]:
    groups: dict[str, dict[str, EntryPoint]] = {}
    for path in sorted(Path(__file__).resolve().parents[1].glob(f"*/{FILE}")):
        for there in _Room(path.read_text(encoding="utf-8")).entry_points:
            groups.setdefault(there.group, {})[there.name] = there
    return MappingProxyType(groups)


def _outside(group: str) -> Mapping[str, EntryPoint]:
    return _installed(group, tuple(sys.path))


@lru_cache(maxsize=64)
def _installed(group: str, path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """Entry points of the packages on this path; to look through all of them takes some 10 ms."""
    found: dict[str, EntryPoint] = {}
    for there in entry_points(group=group):
        found.setdefault(there.name, there)
    return MappingProxyType(found)
