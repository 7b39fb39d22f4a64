"""From a path to the games behind it: a run, a log of any format, or labels with the log that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from intent import schema
from intent.errors import DataError, IntentError, UsageError, located
from intent.logs.named_log import named_log, reading_of_named_log, said, sha256_of_named_log
from intent.logs.readers import read_log
from intent.logs.readers.reader import Source as LogSource
from intent.logs.table_columns import LABEL_MARKS, are_labels, holds_labels
from intent.logs.tablefile import read_table
from intent.runner.folder import is_run
from intent.view.source import Source
from intent.view.stored_log import StoredLog, is_current_folder

if TYPE_CHECKING:
    import pandas as pd

    from intent.view.run_source import RunCalls

__all__ = ["Opened", "opened"]

_LONGEST_HASHED = 256 * 1024**2
"""Bytes of a log up to which it is looked whether it is the one that was labelled."""


@dataclass(eq=False)
class Opened:
    """What a path turned out to be.

    Parameters
    ----------
    source : Source
    kind : {"log", "run"}
    run : RunCalls or None
        The database of the run that the games are of.
    rejects : int
    labels : DataFrame or None
    labels_path : Path or None
    origin : dict
        What the table of labels says of its making.
    notes : list of str
    """

    source: Source
    kind: Literal["log", "run"]
    run: RunCalls | None = None
    rejects: int = 0
    labels: pd.DataFrame | None = None
    labels_path: Path | None = None
    origin: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def may_change(self) -> bool:
        """Whether games may come in."""
        return not isinstance(self.source, StoredLog)

    @property
    def classes(self) -> tuple[str, ...]:
        """Strategies that the table of labels has probabilities of."""
        names = [] if self.labels is None else [str(c) for c in self.labels.columns]
        prefix = schema.PROBABILITY_PREFIX
        return tuple(name.removeprefix(prefix) for name in names if name.startswith(prefix))


def opened(path: str | Path, labels: str | Path | None, reading: Mapping[str, Any]) -> Opened:
    """The games behind a path.

    Parameters
    ----------
    path : run folder, log, or table of labels (its log is where its provenance says)
    labels : table of labels of the log, optional
    reading : settings of `read_log`

    Raises
    ------
    DataError, RunError
        It can be read as none of these, or the log of the labels is not where it was.
    UsageError
        Labels of labels.
    """
    place, reading = Path(path), said(reading)
    if labels is None and holds_labels(place):
        table, origin = read_table(place)
        try:
            log = named_log(origin, beside=place)
        except DataError as error:
            raise DataError(located(place, f"{error}, expected LOG --labels {place.name}")) from None
        found = _source(log, reading or reading_of_named_log(origin))
        return _with_labels(found, place, table, origin, _changed(log, origin))
    found = _source(place, reading)
    if labels is None:
        return found
    table, origin = read_table(labels)
    return _with_labels(found, Path(labels), table, origin, _changed(place, origin))


def _with_labels(
    found: Opened, place: Path, table: pd.DataFrame, origin: dict[str, Any], notes: list[str]
) -> Opened:
    missing = sorted(LABEL_MARKS - set(map(str, table.columns)))
    if missing and are_labels(map(str, table.columns)):
        table = _of_seats(table, found.source, place)
        notes = [*notes, "labels are of players, all their games together: every game of a player shows them"]
    elif missing:
        raise DataError(located(place, f"no column {missing[0]!r}, expected a table of labels"))
    found.labels, found.labels_path, found.origin = table, place, origin
    found.notes += notes
    return found


def _of_seats(table: pd.DataFrame, source: Source, place: Path) -> pd.DataFrame:
    """Labels of players as labels of their seats."""
    seats = source.seats
    if "player" not in seats.column_names:
        raise DataError(located(place, "labels are of players, but the log names none"))
    names = seats.select(["game_id", "seat", "player"]).to_pandas(ignore_metadata=True)
    names["player"] = names["player"].astype(str)
    return table.assign(player=table["player"].astype(str)).merge(names, on="player", how="inner")


def _source(place: Path, reading: Mapping[str, Any]) -> Opened:
    if is_run(place):
        from intent.view.run_source import RunCalls, RunSource

        if reading:
            raise UsageError(f"{place} is a run and says itself what {', '.join(reading)} would say")
        run = RunCalls(place)
        log = place / "log"
        if not run.live and is_current_folder(log):
            stored = StoredLog.of_folder(log)
            if len(stored.games) == run.n_finished() == run.n_planned:
                return Opened(stored, "run", run)
        return Opened(RunSource(run), "run", run)
    if reading in ({}, {"format": "gamelog"}) and is_current_folder(place):
        return Opened(StoredLog.of_folder(place), "log")
    read = read_log(place, **reading)
    return Opened(StoredLog.of_log(read), "log", rejects=len(read.rejects))


def _changed(log: Path, origin: Mapping[str, Any]) -> list[str]:
    """A note where the log is not what was labelled, as far as that is soon said."""
    digest = sha256_of_named_log(origin)
    try:
        source = LogSource(log)
        files = [source.path] if source.path.is_file() else [p for p in source.path.iterdir() if p.is_file()]
        if digest is None or sum(p.stat().st_size for p in files) > _LONGEST_HASHED:
            return []
        same = source.sha256 == digest
    except (IntentError, OSError):
        return []
    return [] if same else ["the log is not the one that was labelled: its contents differ"]
