"""What is installed beside the core: entry points of rooms above and of other packages, libraries of extras.

A room imports lower ones only. What it must find in a higher one, such as the games of gamma-bench, it looks
up in a *group* of entry points: name -> ``module:attribute``. A room lists its own in its file
``entry_points.txt``, which is that of an installed package; those of other packages are read from their
metadata. Ours come first, and nothing is imported before it is loaded.

The core reads, labels, estimates, compares and draws. What needs more libraries asks for them by `require`
where the need is known, before any work is done, and imports them only then.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from intent.base.errors import IntentError, MissingExtraError, UsageError, one_line

if TYPE_CHECKING:  # importlib.metadata takes longer to load than all else that most commands need of this
    from importlib.metadata import EntryPoint

__all__ = ["EXTRAS", "LOGGER", "installed", "load", "missing", "point", "points", "require"]

FILE = "entry_points.txt"


def points(group: str) -> dict[str, EntryPoint]:
    """Name -> entry point: those of our rooms, then those of other packages, which replace none of ours.

    Parameters
    ----------
    group : str
        Such as ``intent.games``.
    """
    ours = _ours().get(group, {})
    theirs = _installed(group, tuple(sys.path))
    return {**ours, **{name: there for name, there in theirs.items() if name not in ours}}


def point(group: str, name: str) -> EntryPoint | None:
    """The entry point of a name; other packages are looked through for names alone that are none of ours."""
    there = _ours().get(group, {}).get(name)
    return _installed(group, tuple(sys.path)).get(name) if there is None else there


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


@cache
def _ours() -> Mapping[str, Mapping[str, EntryPoint]]:
    """Group -> name -> entry point of our rooms."""
    from importlib.metadata import EntryPoint

    groups: dict[str, dict[str, EntryPoint]] = {}
    for path in sorted(Path(__file__).resolve().parents[1].glob(f"*/{FILE}")):
        group = ""
        for line in filter(None, map(str.strip, path.read_text(encoding="utf-8").splitlines())):
            if line.startswith("["):
                group = line.strip("[]")
                continue
            name, place = (part.strip() for part in line.split("=", 1))
            groups.setdefault(group, {})[name] = EntryPoint(name, place, group)
    return MappingProxyType(groups)


@lru_cache(maxsize=64)
def _installed(group: str, path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """Those of the packages on this path; to look through all packages takes some 10 ms."""
    from importlib.metadata import entry_points

    entries: dict[str, EntryPoint] = {}
    for there in entry_points(group=group):
        entries.setdefault(there.name, there)
    return MappingProxyType(entries)


LOGGER = logging.getLogger("intent.extras")
"""Hears, at level WARNING, what is not done for want of a library; the command line shows it as a note."""

EXTRAS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "sklearn": ("scikit-learn", "sklearn"),
        "skops": ("skops", "sklearn"),
        "torch": ("torch", "train"),
        "pytorch_lightning": ("pytorch-lightning", "train"),
        "mlflow": ("mlflow", "train"),
        "shap": ("shap", "explain"),
        "openai": ("openai", "play"),
        "httpx2": ("httpx2", "play"),
        "anthropic": ("anthropic", "anthropic"),
        "xllamacpp": ("xllamacpp", "local"),
        "starlette": ("starlette", "view"),
        "uvicorn": ("uvicorn", "view"),
        "statsmodels": ("statsmodels", "stats"),
        "nashpy": ("nashpy", "games"),
        "pydantic_monty": ("pydantic-monty", "sandbox"),
        "dask": ("dask", "cluster"),
        "distributed": ("distributed", "cluster"),
        "axelrod": ("axelrod", "axelrod"),
        "pyspiel": ("open-spiel", "bridges"),
        "pettingzoo": ("pettingzoo", "bridges"),
        "s3fs": ("s3fs", "cloud"),
        "inspect_ai": ("inspect-ai", "inspect"),
        "inspect_scout": ("inspect-scout", "inspect"),
    }
)
"""Package as it is imported -> its name on the index, and the extra that brings it."""


def installed(package: str) -> bool:
    """Whether a package can be imported; nothing is."""
    if package in sys.modules:
        return sys.modules[package] is not None
    try:
        return find_spec(package) is not None
    except ImportError:  # by a finder that refuses it
        return False


def missing(*packages: str) -> MissingExtraError | None:
    """The error for the first of these packages that cannot be imported.

    Parameters
    ----------
    packages : keys of `EXTRAS`
    """
    return next((MissingExtraError(*EXTRAS[name]) for name in packages if not installed(name)), None)


def require(*packages: str) -> None:
    """Go on only where all of these can be imported.

    Raises
    ------
    MissingExtraError
        One of them is not installed; says the line that brings it.
    """
    if (error := missing(*packages)) is not None:
        raise error
