"""The log behind a table of results: found by what the table says of its origin, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, IntentError, UsageError

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["Behind", "log_behind", "opened"]

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
        What the table says of its origin: path, hash and reading of its log under ``log``.
    log : GameLog or path, optional
        Where the log is now.
    beside : path, optional
        The file of the table: a log that is not at its path may stand beside it.
    needed : bool
        Read it however large it is.
    **reading
        As `read_log`, where `log` is a path and the table does not say how its log was read.

    Raises
    ------
    DataError
        A log that was named is not the one that the table was made from.
    """
    facts = provenance.get("log") if isinstance(provenance, Mapping) else None
    known: Mapping[str, Any] = facts if isinstance(facts, Mapping) else {}
    if log is not None:
        found = opened(log, {**_reading(known), **reading})
        _check(found, known, log)
        return Behind(found)
    if not known.get("source"):
        return Behind(None, "the table does not say which log it was made from")
    source = Path(str(known["source"]))
    places = [source, *([] if beside is None else [beside.parent / source.name])]
    path = next((place for place in places if place.exists()), None)
    if path is None:
        return Behind(None, f"its log {source.name} is not where it was")
    if not needed and path.is_file() and path.stat().st_size > _LARGEST:
        return Behind(None, f"its log {source.name} is larger than {_LARGEST / 1e9:g} GB")
    try:
        found = opened(path, _reading(known))
        _check(found, known, path)
    except IntentError as error:
        return Behind(None, str(error))
    return Behind(found)


def opened(log: GameLog | str | Path, reading: Mapping[str, Any]) -> GameLog:
    """A log as it is, or read from its path (of a run: the log in its folder).

    Raises
    ------
    DataError
        As `read_log`.
    """
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log

    if isinstance(log, GameLog):
        return log
    return read_log(log, **{key: value for key, value in reading.items() if value not in (None, False)})


def _reading(facts: Mapping[str, Any]) -> dict[str, Any]:
    """How the log was read, as arguments of `read_log`."""
    settings = facts.get("settings")
    known = ("mapping", "cooperate", "payoff_kind", "game", "strict")
    kept = {k: v for k, v in settings.items() if k in known} if isinstance(settings, Mapping) else {}
    return {**kept, **({"format": facts["format"]} if isinstance(facts.get("format"), str) else {})}


def _check(log: GameLog, facts: Mapping[str, Any], named: object) -> None:
    """Refuse a log whose content is not that which the table was made from."""
    before, now = facts.get("sha256"), log.provenance.get("sha256")
    if before and now and before != now:
        name = Path(named).name if isinstance(named, str | Path) else "the log"
        raise DataError(
            f"{name} is not the log that the table was made from: "
            f"sha256 {str(now)[:12]}…, expected {str(before)[:12]}…"
        )
