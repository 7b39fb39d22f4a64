"""The log that a table says it was made from: where it lies, how it was read, and what it held."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.errors import DataError, shorten

__all__ = ["named_log", "reading_of_named_log", "said", "sha256_of_named_log"]

_SETTINGS: dict[str, type] = {
    "mapping": dict,
    "cooperate": str,
    "payoff_kind": str,
    "game": str,
    "strict": bool,
}
"""Settings of `read_log` that a table may give, and what they must be."""


def named_log(provenance: Mapping[str, Any] | None, *, beside: Path | None = None) -> Path:
    """The path of the log.

    Parameters
    ----------
    provenance : mapping
        What the table says of its origin: path, hash and reading of its log under ``log``.
    beside : path, optional
        The file of the table: a log that is not at its path may stand beside it.

    Raises
    ------
    DataError
        The table names none, or it is not there.
    """
    source = _facts(provenance).get("source")
    if not isinstance(source, str) or not source or "\0" in source:
        raise DataError("the table does not say which log it was made from")
    named = Path(source)
    near = [] if beside is None else [beside.parent / named, beside.parent / named.name]
    for place in (named, *near):
        try:
            if place.exists():
                return place
        except OSError:  # such as a name that is too long
            continue
    raise DataError(f"its log {shorten(named.name)} is not where it was")


def reading_of_named_log(
    provenance: Mapping[str, Any] | None, given: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """How the log was read, as arguments of `read_log`; what is given by hand counts instead."""
    facts = _facts(provenance)
    settings = facts.get("settings")
    told = settings if isinstance(settings, Mapping) else {}
    kept = {name: told[name] for name, kind in _SETTINGS.items() if isinstance(told.get(name), kind)}
    if isinstance(facts.get("format"), str):
        kept["format"] = facts["format"]
    return {**kept, **said(given or {})}


def said(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `read_log` that say something: a command hands over its defaults, too."""
    return {name: value for name, value in reading.items() if value not in (None, False, "auto")}


def sha256_of_named_log(provenance: Mapping[str, Any] | None) -> str | None:
    """The hash of the log when the table was made from it, where the table says it."""
    digest = _facts(provenance).get("sha256")
    return digest if isinstance(digest, str) and digest else None


def _facts(provenance: Mapping[str, Any] | None) -> Mapping[str, Any]:
    facts = provenance.get("log") if isinstance(provenance, Mapping) else None
    return facts if isinstance(facts, Mapping) else {}
