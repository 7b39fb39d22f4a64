"""Play in arrays, as readers of one-game-per-row formats have it, and the way to the table of moves.

Columns of text to typed columns: whole numbers, numbers, truth values or texts, by their values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.binary import explained, parquet_schema, parquet_table
from intent.base.errors import DataError, located, one_line, shorten
from intent.base.tables import TEXT
from intent.logs.gamelog import Rejects
from intent.logs.readers.reader import Source

__all__ = [
    "Play",
    "TidyTable",
    "by_value",
    "moves_table",
    "open_table",
    "texts",
    "truths",
    "typed",
    "whole_numbers",
]


@dataclass(frozen=True, eq=False)
class Play:
    """The rounds of n games with N seats each, one game after the other.

    Parameters
    ----------
    lengths : (n,) int, rounds of each game
    actions : (m, N) int, codes into `labels`; m rounds in all
    scores : (m, N) float, NaN where unknown
    labels : tuple of str
    """

    lengths: NDArray[np.int64]
    actions: NDArray[np.int32]
    scores: NDArray[np.float64]
    labels: tuple[str, ...]

    @property
    def n_games(self) -> int:
        """Number of games."""
        return len(self.lengths)

    @property
    def n_seats(self) -> int:
        """Number of seats of each game."""
        return int(self.actions.shape[1])

    @cached_property
    def game(self) -> NDArray[np.intp]:
        """(m,), the game of each round."""
        return np.repeat(np.arange(self.n_games), self.lengths)

    @cached_property
    def round(self) -> NDArray[np.int64]:
        """(m,), number of each round within its game, from 1."""
        starts = np.cumsum(self.lengths) - self.lengths
        return np.arange(len(self.actions)) - np.repeat(starts, self.lengths) + 1

    def games(self, rows: NDArray[np.intp]) -> Play:
        """Some of the games, in the order given."""
        lengths = self.lengths[rows]
        starts = (np.cumsum(self.lengths) - self.lengths)[rows]
        shift = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
        at = shift + np.arange(len(shift))
        return Play(lengths, self.actions[at], self.scores[at], self.labels)


def moves_table(play: Play, game_ids: pd.Index, cooperative: NDArray[np.int32]) -> pd.DataFrame:
    """One row per game, round and seat, as `codebook.MOVES`.

    Parameters
    ----------
    play : Play
    game_ids : Index of n identifiers
    cooperative : (n, N) int, code of the action that is cooperation for each seat; -1 where undecidable
    """
    seats = play.n_seats
    moves = len(play.actions) * seats
    target = cooperative[play.game]
    undecided = (target < 0) | (play.actions < 0)
    codes = np.repeat(play.game, seats)
    number = np.tile(np.arange(1, seats + 1), len(play.actions))
    status = np.where(play.actions.ravel() < 0, np.int8(1), np.int8(0))
    return pd.DataFrame(
        {
            "game_id": pd.Categorical.from_codes(codes, categories=game_ids, validate=False),
            "round": _whole(np.repeat(play.round, seats)),
            "step": _whole(np.ones(moves, dtype=np.int64)),
            "seat": _whole(number),
            "action": pd.Categorical.from_codes(
                play.actions.ravel(), categories=pd.Index(play.labels, dtype=TEXT), validate=False
            ),
            "value": np.full(moves, np.nan),
            "cooperated": pd.arrays.BooleanArray((play.actions == target).ravel(), undecided.ravel()),
            "payoff": play.scores.ravel(),
            "status": pd.Categorical.from_codes(
                status, categories=pd.Index(["parsed", "missing"], dtype=TEXT), validate=False
            ),
        },
        copy=False,
    )


def _whole(values: NDArray[np.int64]) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(values.astype(np.int64, copy=False), np.zeros(len(values), dtype=bool))


_WHOLE = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})", re.ASCII)
_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9]\d{0,40})(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][-+]?\d{1,3})?", re.ASCII)
_TRUTH = {"true": 1, "false": 0}


def by_value(column: pa.Array) -> tuple[NDArray[np.intp], list[str]]:
    """Codes of the rows and the distinct stripped texts; nulls count as empty texts."""
    coded = column.fill_null("").dictionary_encode()
    values = [value.strip() for value in coded.dictionary.to_pylist()]
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.intp), values


def texts(column: pa.Array) -> pd.Series[str]:
    """The texts; empty ones become null."""
    codes, values = by_value(column)
    return _texts(codes, values)


def whole_numbers(column: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Whole numbers (such as 10 or 10.0) and where there are none."""
    codes, values = by_value(column)
    numbers = np.zeros(len(values), dtype=np.int64)
    bad = np.ones(len(values), dtype=bool)
    for i, value in enumerate(values):
        plain = re.sub(r"\.0*\Z", "", value) if len(value) < 32 else value
        if _WHOLE.fullmatch(plain):
            numbers[i], bad[i] = int(plain), False
    return numbers[codes], bad[codes]


def truths(column: pa.Array) -> tuple[pd.Series[bool], NDArray[np.bool_]]:
    """Truth values written true or false (case ignored), null where empty, and which are neither."""
    codes, values = by_value(column)
    read = np.array([_TRUTH.get(value.casefold(), -1 if not value else -2) for value in values] or [-1])
    row = read[codes]
    return pd.Series(pd.arrays.BooleanArray(row == 1, row < 0)), row == -2


def typed(column: pa.Array | Sequence[str | None]) -> pd.Series:
    """The column as Int64, float64, boolean or str, the narrowest that holds every value.

    Numbers with leading zeros are names and stay texts.
    """
    array = column if isinstance(column, pa.Array) else pa.array(list(column), pa.string())
    codes, values = by_value(array)
    filled = [value for value in values if value]
    empty = np.array([not value for value in values] or [True], dtype=bool)
    mask = empty[codes] if len(values) else np.zeros(0, dtype=bool)
    if not filled:
        return _texts(codes, values)
    if all(value.casefold() in _TRUTH for value in filled):
        read = np.array([_TRUTH.get(value.casefold(), 0) == 1 for value in values])
        return pd.Series(pd.arrays.BooleanArray(read[codes], mask))
    if all(_WHOLE.fullmatch(value) for value in filled):
        whole = np.array([int(value) if value else 0 for value in values], dtype=np.int64)
        return pd.Series(pd.arrays.IntegerArray(whole[codes], mask))
    if all(_NUMBER.fullmatch(value) for value in filled):
        return pd.Series(np.array([float(value) if value else np.nan for value in values])[codes])
    return _texts(codes, values)


def _texts(codes: NDArray[np.intp], values: Sequence[str]) -> pd.Series[str]:
    pool = pd.array([value or None for value in values], dtype=TEXT)
    return pd.Series(pool.take(codes) if len(values) else pd.array([], dtype=TEXT))


@dataclass(frozen=True)
class TidyTable:
    """Columns of text, empty where null.

    Parameters
    ----------
    columns : dict of name -> string array
    line : callable of row -> its line in the file, None where the format has no lines
    text : callable of row -> the beginning of the row
    parts : int
        Rows that were made of each row of a file, block after block of rows; they stand and fall together.
    sources : mapping of name -> names in the file, one for each part
        Of columns that were made of several ones.
    """

    columns: dict[str, pa.Array]
    line: Callable[[int], int | None]
    text: Callable[[int], str]
    parts: int = 1
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def origin(self, row: int) -> int:
        """The row of the file that a row was made of."""
        return row % (len(self) // self.parts)

    def source(self, column: str, row: int) -> str:
        """The name in the file of the column that a cell comes from."""
        names = self.sources.get(column, ())
        return names[row // (len(self) // self.parts)] if len(names) == self.parts else column

    def siblings(self, rows: Iterable[int]) -> list[int]:
        """All rows made of the same rows of the file as these."""
        n = len(self) // self.parts
        return [row + part * n for row in {self.origin(row) for row in rows} for part in range(self.parts)]


def open_table(source: Source, rejects: Rejects) -> TidyTable:
    """The table of a source, read once.

    Raises
    ------
    DataError
        It is none, or has no rows.
    """
    if "table" not in source.memo:
        unread = Rejects(source.path)
        source.memo["table"] = _open_table(source, unread), unread
    table, unread = source.memo["table"]
    rejects.extend(unread)
    opened: TidyTable = table
    return opened


def _open_table(source: Source, rejects: Rejects) -> TidyTable:
    if source.kind == "parquet":
        return _from_parquet(source.path)
    if source.kind not in ("text", "frame") or source.is_json:
        raise DataError(located(source.path, f"a {source.kind}, expected delimited text or Parquet"))
    delimited = source.delimited(rejects)

    def line(row: int) -> int:
        return int(delimited.lines[row])

    return TidyTable(delimited.columns, line, lambda row: delimited.text.line(line(row)))


def _from_parquet(path: Path) -> TidyTable:
    odd = next((field for field in parquet_schema(path) if pa.types.is_nested(field.type)), None)
    if odd is not None:
        what = f"column {shorten(one_line(odd.name))!r} holds {shorten(odd.type)}, expected one value a row"
        raise DataError(located(path, what))
    table = parquet_table(path)
    if not table.num_rows or not table.num_columns:
        raise DataError(located(path, "column names and no rows"))
    with explained(path.name):
        columns = {name: _cells(table.column(name)) for name in table.column_names}

    def text_of(row: int) -> str:
        return ", ".join(f"{name}={column[row].as_py()}" for name, column in columns.items())

    return TidyTable(columns, lambda row: None, text_of)


def _cells(column: pa.ChunkedArray) -> pa.Array:
    """The texts of a column, one array of them; empty where null."""
    text = column.cast(pa.large_string() if pa.types.is_large_string(column.type) else pa.string())
    text = text.fill_null("")
    return pa.concat_arrays(text.chunks) if text.num_chunks != 1 else text.chunk(0)
