"""The log behind a table of results: found by what the table says of its origin, and checked.

The log that a table says it was made from: where it lies, how it was read, and what it held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, IntentError, UsageError, shorten
from intent.base.remote import is_remote, path_of

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog


__all__ = [
    "Behind",
    "log_behind",
    "log_of",
    "named_log",
    "reading_of_named_log",
    "reading_without_defaults",
    "sha256_of_named_log",
]


_LARGEST = 2_000_000_000
"""Bytes of a log that is read only to say how good its moves are."""


@dataclass(frozen=True, eq=False)
class Behind:
    """The log behind a table.

    Parameters
    ----------
    log : GameLog or None
    why : str
        Why there is none; empty where there is one.
    """

    log: GameLog | None = None
    why: str = ""

    def needed(self, what: str) -> GameLog:
        """The log, for what cannot do without it.

        Raises
        ------
        UsageError
            There is none.
        """
        if self.log is None:
            raise UsageError(f"{what} needs the log behind the table: {self.why} (say where with --log PATH)")
        return self.log


def log_behind(
    provenance: Mapping[str, Any] | None,
    log: GameLog | str | Path | None = None,
    *,
    beside: Path | None = None,
    needed: bool = False,
    **reading: Any,
) -> Behind:
    """The log that a table was made from.

    Parameters
    ----------
    provenance : mapping, optional
        What the table says of its origin, as `intent.logs.origin` reads it.
    log : GameLog or path, optional
        Where the log is now.
    beside : path, optional
        The file of the table: a log that is not at its path may stand beside it.
    needed : bool
        Read it however large it is.
    **reading
        As `read_log`, where `log` is a path; what they do not say is as the table says that its log was read.

    Raises
    ------
    DataError
        A log that was named is not the one that the table was made from.
    """

    if log is not None:
        named = log_of(log, reading_of_named_log(provenance, reading))
        _check(named, provenance, log)
        return Behind(named)
    try:
        path = named_log(provenance, beside=beside)
        if not needed and path.is_file() and path.stat().st_size > _LARGEST:
            return Behind(None, f"its log {path.name} is larger than {_LARGEST / 1e9:g} GB")
        named = log_of(path, reading_of_named_log(provenance))
        _check(named, provenance, path)
    except IntentError as error:
        return Behind(None, str(error))
    return Behind(named)


def log_of(source: GameLog | str | Path | object, reading: Mapping[str, Any]) -> GameLog:
    """A log as it is, or read from its path (of a run: the log in its folder).

    Raises
    ------
    DataError
        As `read_log`.
    """
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log

    if isinstance(source, GameLog):
        return source
    return read_log(source, **reading)


def _check(log: GameLog, provenance: Mapping[str, Any] | None, named: object) -> None:
    """Refuse a log whose content is not that which the table was made from."""

    for key in ("sha256", "listing_sha256"):
        before, now = _facts(provenance).get(key), log.provenance.get(key)
        if isinstance(before, str) and before and now and before != now:
            name = Path(named).name if isinstance(named, str | Path) else "the log"
            raise DataError(
                f"{name} is not the log that the table was made from: "
                f"{key} {str(now)[:12]}…, expected {before[:12]}…"
            )


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
    if is_remote(source):
        return _named_there(source, beside)
    named = Path(source)
    near = [] if beside is None else [beside.parent / named, beside.parent / named.name]
    for place in (named, *near):
        try:
            if place.exists():
                return place
        except OSError:  # such as a name that is too long
            continue
    raise DataError(f"its log {shorten(named.name)} is not where it was")


def _named_there(source: str, beside: Path | None) -> Path:
    """A log on object storage, followed only from a table in its bucket: a stranger's file may name any.

    Raises
    ------
    DataError
    """
    if is_remote(beside) and beside is not None:
        here, there = path_of(beside), path_of(source)
        if here.parts[:2] == there.parts[:2] and there.exists():
            return there
    raise DataError("its log is on object storage and is not looked for there; say which with --log s3://…")


def reading_of_named_log(
    provenance: Mapping[str, Any] | None, reading: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """How the log was read, as arguments of `read_log`; what is given by hand counts instead."""
    facts = _facts(provenance)
    settings = facts.get("settings")
    named = settings if isinstance(settings, Mapping) else {}
    reading_settings = {
        name: named[name] for name, kind in _SETTINGS.items() if isinstance(named.get(name), kind)
    }
    if isinstance(facts.get("format"), str):
        reading_settings["format"] = facts["format"]
    return {**reading_settings, **reading_without_defaults(reading or {})}


def reading_without_defaults(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `read_log` that say something: a command hands over its defaults, too."""
    return {name: value for name, value in reading.items() if value not in (None, False, "auto")}


def sha256_of_named_log(provenance: Mapping[str, Any] | None) -> str | None:
    """The hash of the log when the table was made from it, where the table says it."""
    digest = _facts(provenance).get("sha256")
    return digest if isinstance(digest, str) and digest else None


def _facts(provenance: Mapping[str, Any] | None) -> Mapping[str, Any]:
    facts = provenance.get("log") if isinstance(provenance, Mapping) else None
    return facts if isinstance(facts, Mapping) else {}
