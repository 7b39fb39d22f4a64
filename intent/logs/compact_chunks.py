"""Pieces of a compact log.

The two rows of a game in a compact log: in the order of their seats, and at one.

Row groups of a compact log that follow each other, read so that no game is cut in two.

Whether the rows of each game follow each other, in tables that memory does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from intent.base.binary import open_parquet, parquet_footer
from intent.base.errors import DataError, UnknownNameError, located, shorten
from intent.logs.chunks import (
    MOST_MOVES,
    WHO,
    Play,
    Runs,
    constant,
    grouped,
    key_column,
    named,
    said_text,
    who_plays,
)
from intent.logs.compact import CompactLog, decisions_of, moves_of
from intent.logs.gamelog import KEY_SEAT_COLUMNS, GameLog, Trajectories, is_scripted, matches, unseen_errors
from intent.logs.readers.compact import games_of

__all__ = [
    "CompactPiece",
    "CompactSource",
    "RowGroups",
    "check_columns",
    "check_pairs",
    "cut_parts",
    "games_together",
    "in_seat_order",
    "rows_together",
    "same_game",
]


def rows_together(read: Callable[[], Iterator[pa.Array]]) -> bool:
    """Whether no game_id comes back after another.

    That is sure where game_id rises from row to row, by the alphabet or (``g9``, ``g10``) by length first.
    Else 64-bit hashes are compared, eight bytes a game.

    Parameters
    ----------
    read : gives the column of game_id in order, some texts (not none) at a time; called twice at most
    """
    return _rising(read()) or _unique(read())


def _rising(columns: Iterator[pa.Array]) -> bool:
    by_alphabet = by_length = True
    before: pa.Array | None = None
    for ids in columns:
        if ids.null_count:
            return False
        joined = ids if before is None else pa.concat_arrays([before, ids])
        up = pc.less_equal(joined[:-1], joined[1:])
        sizes = pc.binary_length(joined)
        grows = pc.less(sizes[:-1], sizes[1:])
        equal = pc.equal(sizes[:-1], sizes[1:])
        by_alphabet = by_alphabet and pc.all(up).as_py() is not False
        by_length = by_length and pc.all(pc.or_(grows, pc.and_(equal, up))).as_py() is not False
        if not (by_alphabet or by_length):
            return False
        before = joined[-1:]
    return True


def _unique(columns: Iterator[pa.Array]) -> bool:
    hashes: list[NDArray[np.uint64]] = []
    last: str | None = None
    for ids in columns:
        if ids.null_count:
            return False
        changes = pc.not_equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False)
        new = np.flatnonzero(np.concatenate([[ids[0].as_py() != last], changes]))
        hashes.append(pd.util.hash_array(ids.take(pa.array(new)).to_numpy(zero_copy_only=False)))
        last = ids[-1].as_py()
    every = np.concatenate([np.empty(0, dtype=np.uint64), *hashes])
    every.sort()
    return not bool((every[1:] == every[:-1]).any())


def same_game(ids: pa.Array) -> NDArray[np.bool_]:
    """(n - 1,), whether a row is of the game of the one before."""
    same: NDArray[np.bool_] = pc.equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False)
    return same


def in_seat_order(ids: pa.Array, seat: NDArray[np.integer]) -> NDArray[np.intp] | None:
    """The order of rows in which those of a game stand by seat; None where they do."""
    swap = np.flatnonzero(same_game(ids) & (seat[1:] < seat[:-1]))
    if not len(swap):
        return None
    order = np.arange(len(seat))
    order[swap], order[swap + 1] = swap + 1, swap
    return order


def check_pairs(
    ids: pa.Array, seat: NDArray[np.integer], own: NDArray[np.int8], other: NDArray[np.int8]
) -> None:
    """Make sure that rows of one game, which follow each other, are two seats that tell the same play.

    Raises
    ------
    DataError
        A seat that stands twice, or moves that differ.
    """
    again = same_game(ids)
    twice = again & (seat[1:] == seat[:-1])
    twice[1:] |= again[1:] & again[:-1]
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        raise DataError(f"game {shorten(ids[row].as_py())}: a seat stands twice in a game")
    starts = ids.filter(pa.array(np.concatenate([[True], ~again]))) if len(ids) else ids
    if not rows_together(lambda: iter([starts] if len(starts) else [])):
        raise DataError("a game_id comes back after other games, expected its rows together")
    first = np.flatnonzero(again)
    differs = (own[first] != other[first + 1]).any(axis=1) | (other[first] != own[first + 1]).any(axis=1)
    if differs.any():
        row = int(first[np.flatnonzero(differs)[0]])
        raise DataError(f"game {shorten(ids[row].as_py())}: the two rows tell different moves")


def check_columns(ids: pa.Array, keys: pa.Table, of_games: Sequence[str]) -> None:
    """Make sure that columns of games say the same in both rows of one.

    Raises
    ------
    DataError
        They do not.
    """
    first = np.flatnonzero(same_game(ids))
    if not len(first):
        return
    for name in of_games:
        column = keys.column(name).combine_chunks()
        if pa.types.is_nested(column.type):
            continue
        coded = pa.types.is_dictionary(column.type)
        codes = pc.fill_null(column.indices, -1).to_numpy() if coded else pd.factorize(column.to_pandas())[0]
        if coded and (codes[first] != codes[first + 1]).any():
            # two codes may stand for one text
            codes = pd.factorize(column.cast(column.type.value_type).to_pandas())[0]
        differs = np.flatnonzero(codes[first] != codes[first + 1])
        if len(differs):
            row = int(first[differs[0]])
            raise DataError(
                f"game {shorten(ids[row].as_py())}: column {name!r} differs between its seats; "
                "name it in seat_columns of the metadata"
            )


Place = tuple[Path, int]
"""A part, and one of its row groups."""


@dataclass(frozen=True)
class RowGroups:
    """Some row groups of one part.

    Parameters
    ----------
    part : Path
    groups : tuple of int
    n : int, their rows
    before, after : those next to them that have rows, perhaps in another part
    """

    part: Path
    groups: tuple[int, ...]
    n: int
    before: Place | None = None
    after: Place | None = None

    def table(self, columns: Sequence[str], coded: Sequence[str] = ()) -> pa.Table:
        """The rows of the games that begin here.

        A game has two rows at most: one that began before is left to whoever reads that, and one that
        goes on after these row groups is taken whole.

        Parameters
        ----------
        columns : those to read, with game_id
        coded : those of them whose texts are read by their codes
        """
        with _open(self.part, coded) as file:
            rows = file.read_row_groups(list(self.groups), columns=list(columns), use_threads=False)
        if self.before is not None and len(rows) and self._may_share(self.groups[0], self.before):
            with _open(self.before[0]) as file:
                last = file.read_row_group(self.before[1], columns=["game_id"])["game_id"][-1].as_py()
            rows = rows.slice(_leading(rows["game_id"][:2], last))
        if self.after is not None and len(rows) and self._may_share(self.groups[-1], self.after):
            last = rows["game_id"][-1].as_py()
            n = _leading(_first_rows(self.after, ["game_id"])["game_id"], last)
            if n:
                rest = _first_rows(self.after, columns, coded).slice(0, n)
                rows = pa.concat_tables([rows, rest], promote_options="permissive")
        return rows.unify_dictionaries().combine_chunks()

    def _may_share(self, group: int, other: Place) -> bool:
        """Whether a row group may have a game in common with another, by the statistics of both."""
        mine, theirs = _ends((self.part, group)), _ends(other)
        if mine is None or theirs is None or type(mine[0]) is not type(theirs[0]):
            return True
        return bool(mine[0] <= theirs[1] and theirs[0] <= mine[1])


def cut_parts(parts: Sequence[Path], facts: Sequence[pq.FileMetaData], size: int) -> Iterator[RowGroups]:
    """Row groups of all parts in order, small ones of a part joined up to `size` rows."""
    cuts = []
    for part, own in zip(parts, facts, strict=True):
        sizes = [own.row_group(i).num_rows for i in range(own.num_row_groups)]
        for groups, n in grouped(sizes, size):
            filled = tuple(i for i in groups if sizes[i])
            if filled:
                cuts.append(RowGroups(part, filled, n))
    for i, one in enumerate(cuts):
        before = (cuts[i - 1].part, cuts[i - 1].groups[-1]) if i else None
        after = (cuts[i + 1].part, cuts[i + 1].groups[0]) if i + 1 < len(cuts) else None
        yield replace(one, before=before, after=after)


def games_together(parts: Sequence[Path], facts: Sequence[pq.FileMetaData]) -> bool:
    """Whether no game comes back in a later row group: by the statistics or, where need be, the rows."""
    places = [
        (part, i)
        for part, own in zip(parts, facts, strict=True)
        for i in range(own.num_row_groups)
        if own.row_group(i).num_rows
    ]
    ends = [_ends(place) for place in places]
    known = [end for end in ends if end is not None]
    if len(known) == len(ends) and len({type(low) for low, _ in known}) == 1:
        return all(a[1] <= b[0] for a, b in pairwise(known)) or rows_together(lambda: _ids(places))
    return rows_together(lambda: _ids(places))


def _ids(places: Sequence[Place]) -> Iterator[pa.Array]:
    for part, group in places:
        with _open(part) as file:
            column = file.read_row_group(group, columns=["game_id"], use_threads=False)["game_id"]
        yield pa.concat_arrays(column.cast(pa.string()).chunks)


def _first_rows(place: Place, columns: Sequence[str], coded: Sequence[str] = ()) -> pa.Table:
    """The first two rows of a row group, or the only one."""
    with _open(place[0], coded) as file:
        return pa.Table.from_batches(
            [next(file.iter_batches(2, row_groups=[place[1]], columns=list(columns)))]
        )


def _ends(place: Place) -> tuple[Any, Any] | None:
    """Lowest and highest game_id of a row group; None where the statistics do not say."""
    status = place[0].stat()
    facts = _footer(place[0], status.st_mtime_ns, status.st_size)
    names = [facts.schema.column(j).path for j in range(facts.num_columns)]
    stats = facts.row_group(place[1]).column(names.index("game_id")).statistics
    return (stats.min, stats.max) if stats is not None and stats.has_min_max else None


def _leading(ids: pa.ChunkedArray, game_id: object) -> int:
    """Rows at the start that are of a game."""
    n = 0
    for value in ids:
        if str(value.as_py()) != str(game_id):
            break
        n += 1
    return n


def _open(part: Path, coded: Sequence[str] = ()) -> pq.ParquetFile:
    status = part.stat()
    footer = _footer(part, status.st_mtime_ns, status.st_size)
    return open_parquet(part, coded=coded, footer=footer)


@lru_cache(maxsize=4)
def _footer(part: Path, changed: int, size: int) -> pq.FileMetaData:
    """The footer of a part as it was then: it names every row group, and is read once for all of them."""
    return parquet_footer(part)


_MOVES = ("own", "other", "evidence", "decided")

_BESIDE_NULLS = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
"""Whole numbers and truth values stay such beside nulls, as where the log is read at once."""


@dataclass(frozen=True)
class CompactPiece:
    """Row groups of one part of a compact log.

    Parameters
    ----------
    rows : RowGroups
    rounds, complete : as the log says
    types : column -> whether its texts are read by their codes
    keys : columns that describe a trajectory
    seat_columns : further columns that describe a seat
    filled : column -> value of those that are the same in every row
    where : column -> accepted values
    keep_defaulted : bool
    scripted : bool, whether seats that a strategy plays are focal, too
    """

    rows: RowGroups
    rounds: int
    complete: bool
    types: tuple[tuple[str, bool], ...]
    keys: tuple[str, ...]
    seat_columns: tuple[str, ...]
    filled: tuple[tuple[str, Any], ...]
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    keep_defaulted: bool = False
    scripted: bool = True

    @property
    def n(self) -> int:
        """Rows of the row groups."""
        return self.rows.n

    def read(self) -> Play:
        """The play of the games that begin in the row groups.

        Raises
        ------
        DataError
            Rows that are none of a compact log, or not as its facts say.
        LimitError
            Rows whose moves memory should not hold.
        """
        columns = {*self.keys, *(c for c, _ in self.where), *_MOVES}
        with self._located():
            return self._play(self._table([c for c, _ in self.types if c in columns]))

    def games(self) -> GameLog:
        """The same games as tables, those that meet the conditions.

        Raises
        ------
        DataError, LimitError
            As `read`.
        """
        with self._located():
            table = self._table([c for c, _ in self.types])
            log = games_of(table, self.rounds, dict(self.filled), self.seat_columns)
            if self.where or not self.scripted:
                log = log.where(dict(self.where), scripted=self.scripted)
            return log

    @contextmanager
    def _located(self) -> Iterator[None]:
        part = self.rows.part
        try:
            yield
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(located(part, f"not readable: {shorten(error)}")) from None
        except DataError as error:
            text = str(error)
            raise type(error)(text if text.startswith(part.name) else located(part, text)) from None

    def _table(self, columns: Sequence[str]) -> pa.Table:
        return self.rows.table(columns, [c for c, coded in self.types if coded and c in columns])

    def _play(self, table: pa.Table) -> Play:
        ids, seat = self._seats(table)
        order = in_seat_order(ids, seat)
        if order is not None:
            table, ids, seat = table.take(pa.array(order)), ids.take(pa.array(order)), seat[order]
        own, other, evidence, lengths = moves_of(table, self.rounds)
        decided = decisions_of(table, self.rounds, lengths)
        if self.complete and (
            evidence is not None or (own.size and min(int(own.min()), int(other.min())) < 0)
        ):
            raise DataError("a move is unknown or no evidence, but the metadata say that the log is complete")
        check_pairs(ids, seat, own, other)
        keys = named((name, self._key(name, table, ids)) for name in self.keys)
        of_seats = {"game_id", "seat", *KEY_SEAT_COLUMNS, *self.seat_columns}
        check_columns(ids, keys, [c for c in self.keys if c in table.column_names and c not in of_seats])
        X = Trajectories(
            own,
            other,
            decided=decided,
            evidence=None if self.keep_defaulted else evidence,
            implementation_error=_unseen_errors(keys, decided),
        )
        if self.complete and self.scripted and not self.where:
            return Play(X, keys, Runs.of(ids))
        accepted = self._accepted(keys, table)
        played = ((own >= 0) | (other >= 0)).any(axis=1)
        chosen = np.flatnonzero(accepted & played)
        lost = ids.filter(pa.array(accepted & ~played))
        skipped = {"no readable move": Runs.of(lost)} if len(lost) else {}
        return Play(X[chosen], keys.take(pa.array(chosen)), Runs.of(ids.filter(pa.array(accepted))), skipped)

    def _seats(self, table: pa.Table) -> tuple[pa.Array, NDArray[np.integer]]:
        seat = table.column("seat")
        if (
            seat.null_count
            or not pc.all(pc.is_in(seat.cast(pa.int64()), pa.array([1, 2])), min_count=0).as_py()
        ):
            raise DataError("a seat other than 1 and 2")
        return key_text(table.column("game_id")), seat.to_numpy()

    def _key(self, name: str, table: pa.Table, ids: pa.Array) -> pa.Array:
        if name == "game_id":
            return ids
        if name in table.column_names:
            return key_column(table.column(name))
        filled = dict(self.filled)
        if name not in filled:
            raise DataError(f"no column {name!r}, which other parts have")
        return constant(filled[name], len(ids))

    def _accepted(self, keys: pa.Table, table: pa.Table) -> Any:
        """(n,) bool, rows that meet the conditions."""
        accepted = np.ones(len(keys), dtype=bool)
        for name, values in self.where:
            column = keys.column(name) if name in keys.column_names else key_column(table.column(name))
            accepted &= matches(column.to_pandas(types_mapper=_BESIDE_NULLS.get), values)
        if not self.scripted:
            known = [name for name in ("model", "strategy") if name in keys.column_names]
            accepted &= ~is_scripted(keys.select(known).to_pandas())
        return accepted


def _unseen_errors(keys: pa.Table, decided: NDArray[np.int8] | None) -> NDArray[np.float64] | None:
    """(n,) implementation errors of rows without recorded decisions, None where no game has one."""
    if "implementation_error" not in keys.column_names:
        return None
    errors = keys.column("implementation_error").combine_chunks().cast(pa.float64())
    return unseen_errors(errors.to_numpy(zero_copy_only=False), decided)


@dataclass(frozen=True)
class CompactSource:
    """A compact log that is read piece by piece.

    Parameters
    ----------
    log : CompactLog
    where : mapping of column -> accepted values
    keep_defaulted : bool
    n_scripted : int, seats that are left out since a strategy plays them

    Raises
    ------
    UnknownNameError
        A condition on a column that the log does not have.
    """

    log: CompactLog
    where: Mapping[str, Sequence[str]]
    keep_defaulted: bool = False
    n_scripted: int = 0
    format = "compact"

    def __post_init__(self) -> None:
        known = [*self.log.types, *self.log.filled]
        for column in self.where:
            if column not in known:
                raise UnknownNameError("column", column, known)

    @property
    def path(self) -> Path:
        """Where the log is."""
        return self.log.path

    @property
    def n(self) -> int:
        """Its rows."""
        return self.log.n

    @property
    def rounds(self) -> int:
        """The longest list of moves."""
        return self.log.rounds

    @property
    def complete(self) -> bool:
        """Whether every move is known, and evidence."""
        return self.log.complete

    @property
    def provenance(self) -> Mapping[str, Any]:
        """As stored with the log."""
        return self.log.provenance

    @property
    def key_names(self) -> tuple[str, ...]:
        """Columns that describe a trajectory."""
        return tuple(self.log.keys)

    def seats(self) -> Iterator[pd.DataFrame]:
        """Its rows as `who_plays`, batch by batch."""
        filled = {name: self.log.filled[name] for name in WHO if name in self.log.filled}
        columns = [name for name in WHO if name in self.log.types]
        for part in self.log.parts:
            with open_parquet(part) as file:
                for batch in file.iter_batches(columns=columns):
                    yield who_plays(batch).assign(**filled)

    def pieces(self, size: int) -> Iterator[CompactPiece]:
        """Row groups in order, small ones joined up to `size` rows (fewer of long games).

        Raises
        ------
        DataError
            Rows of a game that do not follow each other.
        """
        if not games_together(self.log.parts, self.log.files):
            problem = "a game_id comes back after other games, expected its rows together"
            raise DataError(located(self.log.path, problem))
        where = tuple((c, tuple(v)) for c, v in self.where.items())
        filled = tuple(self.log.filled.items())
        coded = {c for c in self.log.keys if c != "game_id" and c in self.log.types}
        types = tuple((c, c in coded and said_text(kind)) for c, kind in self.log.types.items())
        for rows in cut_parts(self.log.parts, self.log.files, min(size, MOST_MOVES // self.rounds)):
            yield CompactPiece(
                rows,
                self.rounds,
                self.complete,
                types,
                tuple(self.log.keys),
                self.log.seat_columns,
                filled,
                where,
                self.keep_defaulted,
                not self.n_scripted,
            )


def key_text(values: pa.ChunkedArray) -> pa.Array:
    """A column of game_id as text.

    Raises
    ------
    DataError
        A row without one.
    """
    column = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks)
    if column.null_count:
        raise DataError("a row without game_id")
    return column if column.type == pa.string() else column.cast(pa.string())
