"""A log as pieces of whole games, each small enough for memory: one in memory is a single piece, a Parquet
folder whose tables were written chunk by chunk has one for its row groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from intent.base.binary import open_parquet, read_member
from intent.base.codebook import GAMES, SEATS
from intent.base.errors import DataError, UnknownNameError, UsageError, located, of_file, shorten
from intent.base.files import NOT_WHOLE, bounds
from intent.base.tables import are_labels, column_names
from intent.base.wording import counted
from intent.logs.gamelog import (
    KEY_GAME_COLUMNS,
    KEY_SEAT_COLUMNS,
    GameLog,
    Trajectories,
    as_options,
    is_scripted,
    subjects,
)
from intent.logs.readers.reader import read_log
from intent.logs.stores import FACTS, load_facts, rebuild
from intent.strategies.likelihood import complete_rows

__all__ = [
    "CODED",
    "LEFT_OUT",
    "MOST_MOVES",
    "NOT_COUNTED",
    "PIECE",
    "FolderPiece",
    "FolderSource",
    "LogInMemory",
    "Piece",
    "Play",
    "Runs",
    "RunsSource",
    "Source",
    "constant",
    "focal_play",
    "grouped",
    "keeps_scripted",
    "key_column",
    "missing_rest",
    "named",
    "narrowed",
    "notes_of_rejects",
    "notes_of_runs",
    "of_subjects",
    "only_subjects",
    "open_folder",
    "pieces_of_subjects",
    "said_text",
    "scripted_notes",
    "unread_rows",
    "who_plays",
]


MOST_MOVES = 1 << 24
"""Moves of one player in a piece, at least a row group."""

PIECE = 1 << 17
"""Rows of a piece, at least one row group."""

CODED = pa.dictionary(pa.int32(), pa.string())
"""Texts that describe trajectories: few of them are distinct."""


WHO = ("focal", "model", "strategy")
"""Columns of seats that tell subjects from strategies."""


@dataclass(frozen=True)
class Runs:
    """Number of games in rows where those of one game follow each other.

    Parameters
    ----------
    n : int
    first, last : str or None, games at either end
    """

    n: int = 0
    first: str | None = None
    last: str | None = None

    @classmethod
    def of(cls, game_ids: pa.Array) -> Runs:
        """Of a column of game_id."""
        if not len(game_ids):
            return cls()
        n = 1 + (pc.sum(pc.not_equal(game_ids[1:], game_ids[:-1])).as_py() or 0)
        return cls(n, game_ids[0].as_py(), game_ids[-1].as_py())

    def __add__(self, after: Runs) -> Runs:
        if not self.n or not after.n:
            return self if self.n else after
        return Runs(self.n + after.n - (self.last == after.first), self.first, after.last)


@dataclass(frozen=True, eq=False)
class Play:
    """What was read of a piece.

    Attributes
    ----------
    X : Trajectories of shape (n, T), T that of the whole log
    keys : Table of n rows that describes them
    games : Runs, games that meet the conditions
    skipped : reason -> Runs, games without labels
    frame : DataFrame of n rows that describes them as the log has it, where it is in memory; `keys` are then
        game_id and seat alone
    """

    X: Trajectories
    keys: pa.Table
    games: Runs
    skipped: dict[str, Runs] = field(default_factory=dict)
    frame: pd.DataFrame | None = None

    def rows(self, rows: NDArray[np.intp]) -> Play:
        """Some of the trajectories."""
        frame = None if self.frame is None else self.frame.iloc[rows]
        return replace(self, X=self.X[rows], keys=self.keys.take(pa.array(rows)), frame=frame)

    def description(self) -> pd.DataFrame:
        """What describes the trajectories."""
        return self.keys.to_pandas(ignore_metadata=True) if self.frame is None else self.frame

    def scripted(self) -> NDArray[np.bool_]:
        """(n,) trajectories of seats that a strategy plays (`intent.logs.gamelog.is_scripted`)."""
        return is_scripted(who_plays(self.keys) if self.frame is None else self.frame)

    def labelled_games(self) -> Runs:
        """The games of the trajectories; in memory those of a game may stand anywhere."""
        if self.frame is not None:
            return Runs(int(self.frame["game_id"].nunique()))
        return Runs.of(self.keys.column("game_id").combine_chunks())


class Piece(Protocol):
    """Where a piece stands; it travels to whoever reads it."""

    @property
    def n(self) -> int:
        """Its rows, or games."""
        ...

    def read(self) -> Play:
        """The play of the rows that meet the conditions."""
        ...

    def games(self) -> GameLog:
        """All tables of the games that meet the conditions; none may be left."""
        ...


class Source(Protocol):
    """A log that can be read in pieces."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    @property
    def format(self) -> str:
        """Name of its reader."""
        ...

    @property
    def n(self) -> int:
        """Its rows, or games, as the pieces count them."""
        ...

    @property
    def rounds(self) -> int:
        """T of the whole log."""
        ...

    @property
    def complete(self) -> bool:
        """Whether all rows have T known moves of both players, all of them evidence."""
        ...

    @property
    def provenance(self) -> Mapping[str, Any]:
        """As stored with the log."""
        ...

    def pieces(self, size: int) -> Iterator[Piece]:
        """Pieces of about `size`, in order; no game is in two of them."""
        ...


def grouped(sizes: Sequence[int], size: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Row groups that follow each other, joined up to `size` rows, and the rows that they have."""
    group: list[int] = []
    rows = 0
    for i, n in enumerate(sizes):
        if group and rows + n > size:
            yield tuple(group), rows
            group, rows = [], 0
        group.append(i)
        rows += n
    if group:
        yield tuple(group), rows


def key_column(values: pa.ChunkedArray | pa.Array) -> pa.Array:
    """A column that describes trajectories in one of four types: coded text, int64, float64, bool."""
    column = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks)
    kind = column.type
    if kind == CODED:
        return column
    if said_text(kind):
        return column.cast(pa.string()).dictionary_encode().cast(CODED)
    if pa.types.is_integer(kind):
        return column.cast(pa.int64())
    return column.cast(pa.float64()) if pa.types.is_floating(kind) else column


def said_text(kind: pa.DataType) -> bool:
    """Whether a type holds texts, coded or not, or nothing."""
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    return any(is_one(inner) for is_one in texts)


def constant(value: Any, n: int) -> pa.Array:
    """A column of one value."""
    if isinstance(value, str):
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int32)), pa.array([value]))
    return pa.array(np.full(n, value))


def named(columns: Iterable[tuple[str, pa.Array]]) -> pa.Table:
    """A table of named columns."""
    pairs = list(columns)
    return pa.table([values for _, values in pairs], names=[name for name, _ in pairs])


def focal_play(
    log: GameLog | str | Path,
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    keep_scripted: bool = True,
    **reading: Any,
) -> tuple[GameLog, Trajectories]:
    """The rows of a log that meet conditions, and the trajectories of its focal seats.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows
    where : mapping of column -> accepted values
    others : {"any", "majority", "all"}, optional
        With more than two players: when the others count as having cooperated.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own move.
    keep_scripted : bool
        Whether seats that a strategy plays beside models or people are focal, too; those of a log of
        strategies alone always are.
    **reading
        Passed to `read_log` where `log` is a path.

    Raises
    ------
    UsageError
        No game is left, or games of more than two players and no `others`.
    UnknownNameError
        A condition on a column that does not exist.
    """
    played = log if isinstance(log, GameLog) else read_log(log, **reading)
    if where:
        played = narrowed(played, where)
    if not keep_scripted:
        played = of_subjects(played)
    return played, _two_players(played.trajectories(keep_defaulted=keep_defaulted), others)


def pieces_of_subjects(source: Source) -> Source:
    """The source with the seats of subjects alone as focal ones, as `of_subjects` of the whole log.

    The columns of the seats are looked at before, and under conditions the trajectories.
    """
    logs: tuple[Any, ...] = source.logs if isinstance(source, RunsSource) else (source,)
    counts, others = [], False
    for log in logs:
        tables: Iterable[pd.DataFrame] = ()
        if "strategy" in log.key_names:
            tables = (
                (who_plays(piece.read().keys) for piece in log.pieces(PIECE)) if log.where else log.seats()
            )
        else:
            others = True
        counts.append(0)
        for table in tables:
            focal = (
                table["focal"].to_numpy(dtype=bool) if "focal" in table else np.ones(len(table), dtype=bool)
            )
            scripted = is_scripted(table)
            counts[-1] += int((focal & scripted).sum())
            others = others or bool((focal & ~scripted).any())
    if not others or not any(counts):
        return source
    alone = tuple(replace(log, n_scripted=n) for log, n in zip(logs, counts, strict=True))
    return replace(source, logs=alone) if isinstance(source, RunsSource) else cast("Source", alone[0])


def of_subjects(log: GameLog) -> GameLog:
    """The games of subjects, whose seats alone are focal (`intent.logs.gamelog.subjects`)."""
    n_scripted = int((log.seats["focal"].to_numpy(dtype=bool) & ~subjects(log.seats)).sum())
    if n_scripted:
        log = log.where({}, scripted=False)
        log.n_scripted = n_scripted
    return log


def narrowed(log: GameLog, where: Mapping[str, Sequence[str]]) -> GameLog:
    """The games and seats that meet conditions.

    Raises
    ------
    UsageError
        No game is left, or none had a focal seat.
    UnknownNameError
        A condition on a column that does not exist.
    """
    chosen = log.where(where)
    if len(log) and not len(chosen) and not where:
        raise UsageError(f"no seat of {len(log):,} games is one to look at, expected a focal one")
    if len(log) and not len(chosen):
        conditions = as_options(where)
        column = next((c for c in where if not len(log.where({c: where[c]}))), next(iter(where)))
        table = log.games if column in log.games else log.seats
        present = sorted({str(v) for v in table[column].dropna().unique()})
        shown = ", ".join(present[:8]) + (", …" if len(present) > 8 else "")
        joined = any("," in value and "=" in value for value in where[column])
        hint = "; say --where once for each column" if joined else ""
        raise UsageError(
            f"no game left of {len(log):,} (--where {conditions}); {column} has {shown or 'no values'}{hint}"
        )
    return chosen


def unread_rows(log: GameLog) -> list[str]:
    """Notes where rows of the log could not be read, and on what was read of a folder of runs."""
    return [*notes_of_runs(log.provenance), *notes_of_rejects(log.rejects)]


def notes_of_rejects(rejects: pd.DataFrame) -> list[str]:
    """Notes where rows of a log could not be read, or the rest of it is missing.

    Parameters
    ----------
    rejects : DataFrame as `codebook.REJECTS`
    """
    missing, rows = missing_rest(rejects)
    if n := len(rows):
        missing.append(f"{counted(n, 'row')} of the log could not be read (intent validate lists them)")
    return missing


def missing_rest(rejects: pd.DataFrame) -> tuple[list[str], pd.DataFrame]:
    """Notes where a log is not whole, and the rejects that are single rows."""
    reasons = rejects["reason"].astype(str)
    cut = np.array([any(word in reason for word in NOT_WHOLE) for reason in reasons], dtype=bool)
    lines = [f"the log is not whole: {one}; what came after is not in it" for one in reasons[cut].unique()]
    return lines, rejects[~cut]


def keeps_scripted(request: Any) -> dict[str, bool]:
    """`keep_scripted` as the settings of a job say; also where its groups are strategies.

    Parameters
    ----------
    request : with keep_scripted, and by or eps_by where it makes groups
    """
    groups = [name for by in ("by", "eps_by") for name in column_names(getattr(request, by, None) or (), ())]
    return {"keep_scripted": request.keep_scripted or "strategy" in groups}


def scripted_notes(log: GameLog | Source) -> list[str]:
    """A note where seats that a strategy plays were left out (`of_subjects`, `pieces_of_subjects`)."""
    n = sum(part.n_scripted for part in (log.logs if isinstance(log, RunsSource) else (cast("Any", log),)))
    return [LEFT_OUT.format(seats=counted(n, "seat"))] if n else []


LEFT_OUT = "left out: {seats} that a strategy plays; --keep-scripted counts them like the others"
"""What is said where seats that a strategy plays are no subjects."""

NOT_COUNTED = (
    "not counted: {seats} that a strategy plays, though labelled like the others; --keep-scripted counts them"
)
"""The same, where the table has them all the same."""


def only_subjects(table: pd.DataFrame, sentence: str = LEFT_OUT) -> tuple[NDArray[np.bool_], list[str]]:
    """(n,) rows of subjects in a table of labels or metrics, and a note where there are others.

    A table of anything else, whose rows are no seats of games, is left as it is.

    Parameters
    ----------
    table : DataFrame
    sentence : the note, with a place for ``{seats}``
    """
    columns = set(map(str, table.columns))
    if not ({"game_id", "seat"} <= columns or are_labels(columns)):
        return np.ones(len(table), dtype=bool), []
    rows = subjects(table)
    n = int((~rows).sum())
    return rows, [sentence.format(seats=counted(n, "seat"))] if n else []


def notes_of_runs(provenance: Mapping[str, Any]) -> list[str]:
    """Of a folder of runs: which were read, and how far they are; nothing of other logs."""
    notes = provenance.get("notes") if provenance.get("format") == "runs" else None
    return [str(note) for note in notes] if isinstance(notes, list) else []


def _two_players(X: Trajectories, others: str | None) -> Trajectories:
    if X.other_share is None:
        return X
    if others is None and len(X):
        raise UsageError(
            "the log has games of more than two players; "
            "say with --others any, majority or all when the others cooperated (or count, in intent sfem)"
        )
    return X.read_others(others or "any")


def reading_of_play(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """How play was read for a table, as arguments of `focal_play`, by the table's provenance.

    A file may say anything, and only what can be is taken. A table of labels has every seat, whoever counted.
    """
    left_out = provenance.get("keep_scripted") is False and provenance.get("kind") != "labels"
    where, others = provenance.get("where"), provenance.get("others")
    pairs = where.items() if isinstance(where, Mapping) else ()
    return {
        "where": {str(k): [str(x) for x in v] for k, v in pairs if isinstance(v, list | tuple)},
        "others": others if isinstance(others, str) else None,
        "keep_defaulted": provenance.get("keep_defaulted") is True,
        "keep_scripted": not left_out,
    }


def play_of_labels(log: GameLog, provenance: Mapping[str, Any]) -> Trajectories:
    """The trajectories that labels were made of.

    Raises
    ------
    UsageError
        As `focal_play`.
    """
    return focal_play(log, **reading_of_play(provenance))[1]


def places_of(labels: pd.DataFrame, X: Trajectories) -> NDArray[np.intp]:
    """(n,) row of the trajectory that each label is of; -1 where it is not there, as no player is."""
    assert X.keys is not None
    if "game_id" not in labels.columns:
        return np.full(len(labels), -1, dtype=np.intp)
    own, there = (
        pd.MultiIndex.from_arrays([t["game_id"].astype(str), t["seat"].astype(int)]) for t in (labels, X.keys)
    )
    return np.asarray(there.get_indexer(own), dtype=np.intp)


class LogInMemory:
    """A log in memory: one piece, which is all of it.

    Parameters
    ----------
    log : GameLog
    X : Trajectories of its focal seats, with keys
    """

    path, format = Path(), "gamelog"

    def __init__(self, log: GameLog, X: Trajectories) -> None:
        self.log, self.X = log, X
        self.n, self.rounds = X.shape
        self.complete = bool(complete_rows(X.own, X.other, X.evidence_mask)[0].all())

    @classmethod
    def read_from(cls, log: GameLog | str | Path, **settings: Any) -> LogInMemory:
        """Read at once, as `focal_play`."""
        return cls(*focal_play(log, **settings))

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Of the log."""
        return self.log.provenance

    def pieces(self, size: int) -> Iterator[LogInMemory]:
        """Itself."""
        yield self

    def read(self) -> Play:
        """All of the play."""
        keys = self.X.keys
        assert keys is not None
        ids = pa.Array.from_pandas(keys["game_id"].astype(str))
        seats = pa.Array.from_pandas(keys["seat"])
        skipped = {reason: Runs(n) for reason, n in self.log.skipped().items()}
        table = named([("game_id", ids.cast(pa.string())), ("seat", seats.cast(pa.int64()))])
        return Play(self.X.lengthened(self.rounds), table, Runs(len(self.log)), skipped, keys)

    def games(self) -> GameLog:
        """The log."""
        return self.log


_TABLES = ("games", "seats", "moves")


def who_plays(batch: pa.RecordBatch | pa.Table) -> pd.DataFrame:
    """Seats as `subjects` looks at them: focal as it is, of model and strategy whether they are known."""
    columns: dict[str, NDArray[Any]] = {
        name: np.asarray(batch.column(name)) if name == "focal" else _known(batch.column(name))
        for name in WHO
        if name in batch.schema.names
    }
    return pd.DataFrame(columns, index=range(batch.num_rows))


def _known(column: pa.Array) -> NDArray[np.float64]:
    return np.where(np.asarray(column.is_valid()), 1.0, np.nan)


@dataclass(frozen=True)
class FolderPiece:
    """The same row groups of games, seats and moves.

    Parameters
    ----------
    path : Path, the folder
    groups : tuple of int
    n : int, games
    rounds : int, T
    keys : (column, type) of the columns that describe a trajectory
    where : column -> accepted values
    others, keep_defaulted : as `focal_play`
    change : what becomes of the games before anybody sees them; None for nothing
    scripted : bool, whether seats that a strategy plays are focal, too
    """

    path: Path
    groups: tuple[int, ...]
    n: int
    rounds: int
    keys: tuple[tuple[str, pa.DataType], ...]
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    others: str | None = None
    keep_defaulted: bool = False
    change: Callable[[GameLog], GameLog] | None = None
    scripted: bool = True

    def read(self) -> Play:
        """The play of the row groups.

        Raises
        ------
        DataError
            Tables that do not go together.
        """
        log = self.games()
        _, X = focal_play(log, others=self.others, keep_defaulted=self.keep_defaulted)
        keys = X.keys
        assert keys is not None
        skipped = log.skipped()
        return Play(
            X.lengthened(self.rounds),
            named((name, _column(keys, name, kind)) for name, kind in self.keys),
            Runs.of(pa.array(log.games["game_id"], pa.string())),
            {
                reason: Runs(
                    n, f"{reason} {self.groups[0]} {self.path}", f"{reason} {self.groups[-1]} {self.path}"
                )
                for reason, n in skipped.items()
            },
        )

    def games(self) -> GameLog:
        """Games, seats and moves of the row groups, of games and seats that meet the conditions.

        Raises
        ------
        DataError
            Tables that do not go together.
        """
        try:
            facts = load_facts(read_member(self.path, FACTS))
            tables = {name: self._table(name) for name in _TABLES}
            log = rebuild(tables, facts)
            log = log if self.change is None else self.change(log)
            if self.where or not self.scripted:
                log = log.where(dict(self.where), scripted=self.scripted)
            return log
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(located(self.path, f"not readable: {shorten(error)}")) from None
        except DataError as error:
            raise of_file(self.path, error) from None

    def _table(self, name: str) -> pd.DataFrame:
        with open_parquet(self.path / f"{name}.parquet") as file:
            arrow = file.read_row_groups(list(self.groups), use_threads=False).unify_dictionaries()
        frame: pd.DataFrame = arrow.to_pandas(
            ignore_metadata=True,
            types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get,
        )
        return frame


@dataclass(frozen=True)
class FolderSource:
    """A log of ours that is read piece by piece.

    Parameters
    ----------
    path : Path
    sizes : tuple of int, games of each row group
    rounds, complete : as `Source`
    keys : as `FolderPiece`
    provenance : as stored with the log
    where : mapping of column -> accepted values
    others, keep_defaulted : as `focal_play`
    change : as `FolderPiece`
    n_scripted : int, seats that are left out since a strategy plays them
    """

    path: Path
    sizes: tuple[int, ...]
    rounds: int
    complete: bool
    keys: tuple[tuple[str, pa.DataType], ...]
    provenance: Mapping[str, Any]
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    others: str | None = None
    keep_defaulted: bool = False
    change: Callable[[GameLog], GameLog] | None = None
    n_scripted: int = 0
    format = "gamelog"

    @property
    def n(self) -> int:
        """Games of the log."""
        return sum(self.sizes)

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where its tables are."""
        return (self.path,)

    @property
    def key_names(self) -> tuple[str, ...]:
        """Columns that describe a trajectory."""
        return tuple(name for name, _ in self.keys)

    def seats(self) -> Iterator[pd.DataFrame]:
        """Rows of its seats as `who_plays`, batch by batch."""
        with open_parquet(self.path / "seats.parquet") as file:
            columns = [name for name in WHO if name in file.schema_arrow.names]
            yield from (who_plays(batch) for batch in file.iter_batches(columns=columns))

    def pieces(self, size: int) -> Iterator[FolderPiece]:
        """Row groups in order, small ones joined up to `size` games (fewer of long ones)."""
        where = tuple((c, tuple(v)) for c, v in self.where.items())
        for groups, n in grouped(self.sizes, min(size, MOST_MOVES // (2 * self.rounds))):
            yield FolderPiece(
                self.path,
                groups,
                n,
                self.rounds,
                self.keys,
                where,
                self.others,
                self.keep_defaulted,
                self.change,
                not self.n_scripted,
            )


@dataclass(frozen=True)
class RunsSource:
    """The logs of a folder of runs, piece by piece, one after the other.

    Parameters
    ----------
    path : Path, the folder
    logs : tuple of FolderSource
        Each with `rounds`, `keys` and `where` of the whole, and the `change` that its games go through
    complete : as `Source`
    provenance : of the whole
    game_columns : columns of the table of games
    """

    path: Path
    logs: tuple[FolderSource, ...]
    complete: bool
    provenance: Mapping[str, Any]
    game_columns: tuple[str, ...]
    format = "runs"

    @property
    def n(self) -> int:
        """Games of all logs."""
        return sum(log.n for log in self.logs)

    @property
    def rounds(self) -> int:
        """T of all logs."""
        return self.logs[0].rounds

    @property
    def keys(self) -> tuple[tuple[str, pa.DataType], ...]:
        """As `FolderPiece`."""
        return self.logs[0].keys

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where the tables of the logs are."""
        return tuple(log.path for log in self.logs)

    def pieces(self, size: int) -> Iterator[FolderPiece]:
        """The pieces of each log."""
        return chain.from_iterable(log.pieces(size) for log in self.logs)


def open_folder(
    path: Path,
    others: str | None = None,
    keep_defaulted: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
) -> FolderSource | None:
    """A Parquet folder that can be read piece by piece; None where it cannot.

    Each row group of games, seats and moves must be of the same games, by the statistics of the files, and
    no game may stand in two of them.

    Parameters
    ----------
    path : Path
    others, keep_defaulted : as `focal_play`
    where : mapping of column -> accepted values

    Raises
    ------
    UnknownNameError
        A condition on a column that the log does not have.
    """
    if not path.is_dir() or not all((path / f"{name}.parquet").is_file() for name in _TABLES):
        return None
    try:
        files = {name: open_parquet(path / f"{name}.parquet") for name in _TABLES}
        facts = load_facts(read_member(path, FACTS))
        ranges = [_ranges(file.metadata, "game_id") for file in files.values()]
        if None in ranges[0] or ranges[0] != ranges[1] or ranges[0] != ranges[2]:
            return None
        games, moves = files["games"].metadata, files["moves"].metadata
        rounds = [r[1] if r else None for r in _ranges(moves, "round")]
        longest = max((r for r in rounds if r is not None), default=0)
        if None in rounds or not 0 < longest <= bounds().rounds or not _games_once(files["games"]):
            return None
        keys = tuple(_keys(files))
        sizes = tuple(games.row_group(i).num_rows for i in range(games.num_row_groups))
    except (pa.ArrowException, OSError, ValueError, DataError):
        return None
    known = [n for table in ("games", "seats") for n in files[table].schema_arrow.names]
    for column in where or {}:
        if column not in known:
            raise UnknownNameError("column", column, dict.fromkeys(known))
    complete = _complete(games, moves, longest)
    provenance = facts.get("provenance") or {}
    return FolderSource(path, sizes, longest, complete, keys, provenance, where or {}, others, keep_defaulted)


def _ranges(facts: pq.FileMetaData, column: str) -> list[tuple[Any, Any] | None]:
    """Lowest and highest value of each row group, by its statistics."""
    names = [facts.schema.column(j).path for j in range(facts.num_columns)]
    if column not in names:
        return [None] * facts.num_row_groups
    ranges: list[tuple[Any, Any] | None] = []
    for i in range(facts.num_row_groups):
        stats = facts.row_group(i).column(names.index(column)).statistics
        ranges.append((stats.min, stats.max) if stats is not None and stats.has_min_max else None)
    return ranges


def _nulls(facts: pq.FileMetaData, column: str) -> int | None:
    """Nulls of a column; None where the statistics do not say."""
    names = [facts.schema.column(j).path for j in range(facts.num_columns)]
    if column not in names:
        return int(facts.num_rows)
    total = 0
    for i in range(facts.num_row_groups):
        stats = facts.row_group(i).column(names.index(column)).statistics
        if stats is None or not stats.has_null_count:
            return None
        total += int(stats.null_count)
    return total


def _complete(games: pq.FileMetaData, moves: pq.FileMetaData, rounds: int) -> bool:
    """Whether every game has two players and `rounds` known moves of each, all their own."""

    def only(facts: pq.FileMetaData, column: str, value: Any) -> bool:
        return all(r == (value, value) for r in _ranges(facts, column))

    return (
        only(games, "n_players", 2)
        and only(moves, "step", 1)
        and only(moves, "status", "parsed")
        and _nulls(moves, "cooperated") == 0
        and moves.num_rows == games.num_rows * 2 * rounds
    )


def _games_once(games: pq.ParquetFile) -> bool:
    """Whether no game_id comes twice, by 64-bit hashes: eight bytes a game."""
    hashes = [
        pd.util.hash_array(
            games.read_row_group(i, columns=["game_id"]).column(0).cast(pa.string()).to_numpy()
        )
        for i in range(games.metadata.num_row_groups)
    ]
    every = np.concatenate(hashes) if hashes else np.empty(0, dtype=np.uint64)
    return len(np.unique(every)) == len(every)


def _keys(files: Mapping[str, pq.ParquetFile]) -> Iterator[tuple[str, pa.DataType]]:
    """Columns that describe a trajectory, as `GameLog` orders them, with the type that they have here."""
    yield "game_id", pa.string()
    yield "seat", pa.int64()
    done = {"game_id", "seat"}
    for table, known, fixed in (
        ("seats", KEY_SEAT_COLUMNS, {c.name for c in SEATS}),
        ("games", KEY_GAME_COLUMNS, {c.name for c in GAMES}),
    ):
        schema = files[table].schema_arrow
        facts = files[table].metadata
        for name in (*known, *(c for c in schema.names if c not in fixed)):
            if name in done or name not in schema.names or _nulls(facts, name) == facts.num_rows:
                continue
            done.add(name)
            kind = schema.field(name).type
            yield name, CODED if said_text(kind) else _plain(kind)


def _plain(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_integer(kind):
        return pa.int64()
    return pa.float64() if pa.types.is_floating(kind) else kind


def _column(keys: pd.DataFrame, name: str, kind: pa.DataType) -> pa.Array:
    if name not in keys:
        return pa.nulls(len(keys), kind)
    values = pa.Array.from_pandas(keys[name])
    return values.cast(pa.string()) if name == "game_id" else key_column(values).cast(kind)
