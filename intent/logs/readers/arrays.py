"""Play in arrays, as readers of one-game-per-row formats have it, and the way to the table of moves.

Columns of text to typed columns: whole numbers, numbers, truth values or texts, by their values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.binary import explained, parquet_schema, parquet_table
from intent.base.errors import DataError, located, one_line, shorten
from intent.base.tables import TEXT
from intent.logs.delimited import repeated_names
from intent.logs.gamelog import Rejects
from intent.logs.readers.reader import Source
from intent.logs.readers.stages import NULLS

__all__ = [
    "Play",
    "TidyTable",
    "amounts",
    "by_value",
    "coded",
    "codes_of",
    "encoded",
    "first_rows",
    "keys_of",
    "moves_table",
    "numbered",
    "of_codes",
    "open_table",
    "order_of",
    "picked",
    "plain",
    "stacked",
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
    cells = encoded(column)
    codes = cells.indices.to_numpy(zero_copy_only=False).astype(np.intp)
    return codes, [value.strip() for value in cells.dictionary.to_pylist()]


def _by_value(column: pa.Array) -> tuple[NDArray[np.signedinteger], list[str]]:
    """As `by_value`, the codes as narrow as they can be; of a coded column too (`read_delimited`)."""
    cells = encoded(column)
    values = [value.strip() for value in cells.dictionary.to_pylist()]
    kind = np.min_scalar_type(-1 - len(values))
    return cells.indices.to_numpy(zero_copy_only=False).astype(kind), values


def encoded(column: pa.Array) -> pa.DictionaryArray:
    """A column by code, the distinct texts in order of appearance; nulls count as empty texts."""
    if isinstance(column, pa.DictionaryArray):
        return column
    return column.fill_null("").dictionary_encode()


def picked(column: pa.Array, rows: NDArray[np.integer]) -> pa.Array:
    """Some rows of a column; of a coded one, with those texts alone that are in them."""
    if not isinstance(column, pa.DictionaryArray):
        return column.take(pa.array(rows))
    return _in_order(column.indices.to_numpy(zero_copy_only=False)[rows], column.dictionary)


def _in_order(codes: NDArray[np.integer], values: pa.Array) -> pa.DictionaryArray:
    """A coded column with the texts that are in it alone, in order of appearance."""
    first = first_rows(codes, len(values))
    used = np.flatnonzero(first >= 0)
    used = used[np.argsort(first[used])]
    new = np.zeros(len(first), dtype=np.int32)
    new[used] = np.arange(len(used))
    return pa.DictionaryArray.from_arrays(pa.array(new[codes]), values.take(pa.array(used)))


def stacked(parts: Sequence[pa.Array]) -> pa.Array:
    """Columns one below the other; coded if one of them is."""
    if any(isinstance(part, pa.DictionaryArray) for part in parts):
        return pa.concat_arrays([encoded(part) for part in parts])
    return pa.concat_arrays(parts)


def of_codes(codes: NDArray[np.integer], values: Sequence[str]) -> pa.DictionaryArray:
    """A coded column of texts that differ, by their places, -1 where a cell is empty."""
    place = {value: i for i, value in enumerate(values)}.get("", len(values))
    return _in_order(np.where(codes < 0, place, codes), pa.array([*values, ""], pa.string()))


def coded(column: pa.Array) -> pd.Categorical:
    """The stripped texts by code, null where empty; the categories in order of appearance."""
    return _coded(*_by_value(column))


def _coded(codes: NDArray[np.integer], values: Sequence[str]) -> pd.Categorical:
    place: dict[str, int] = {}
    new = [place.setdefault(value, len(place)) if value else -1 for value in values]
    if new != list(range(len(new))):  # an empty text, or texts that differ in their margins alone
        codes = np.array(new, dtype=np.int32)[codes]
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(place), dtype=TEXT), validate=False)


def texts(column: pa.Array) -> pd.Series[str]:
    """The texts; empty ones become null."""
    return _texts(*_by_value(column))


def whole_numbers(column: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Whole numbers (such as 10 or 10.0) and where there are none."""
    codes, values = _by_value(column)
    numbers = np.zeros(len(values), dtype=np.int64)
    bad = np.ones(len(values), dtype=bool)
    for i, value in enumerate(values):
        plain = re.sub(r"\.0*\Z", "", value) if len(value) < 32 else value
        if _WHOLE.fullmatch(plain):
            numbers[i], bad[i] = int(plain), False
    return numbers[codes], bad[codes] if bad.any() else np.zeros(len(codes), dtype=bool)


def amounts(column: pa.Array) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Numbers, NaN where a cell is empty or a word for no value, and the cells that hold something else."""
    codes, values = _by_value(column)
    filled = pd.Series([None if value.casefold() in NULLS else value for value in values], dtype=TEXT)
    amount = pd.to_numeric(filled, errors="coerce").to_numpy(dtype=np.float64)
    stray = filled.notna().to_numpy() & ~np.isfinite(amount)
    return amount[codes], stray[codes] if stray.any() else np.zeros(len(codes), dtype=bool)


def truths(column: pa.Array) -> tuple[pd.Series[bool], NDArray[np.bool_]]:
    """Truth values written true or false (case ignored), null where empty, and which are neither."""
    codes, values = _by_value(column)
    read = np.array([_TRUTH.get(value.casefold(), -1 if not value else -2) for value in values] or [-1])
    row = read[codes]
    return pd.Series(pd.arrays.BooleanArray(row == 1, row < 0)), row == -2


def typed(column: pa.Array | Sequence[str | None], *, keep_codes: bool = False) -> pd.Series:
    """The column as Int64, float64, boolean or str, the narrowest that holds every value.

    Numbers with leading zeros are names and stay texts.

    Parameters
    ----------
    column : array or sequence of texts
    keep_codes : bool
        Whether texts come as `coded` has them.
    """
    array = column if isinstance(column, pa.Array) else pa.array(list(column), pa.string())
    codes, values = _by_value(array)
    filled = [value for value in values if value]
    if filled and all(value.casefold() in _TRUTH for value in filled):
        read = np.array([_TRUTH.get(value.casefold(), 0) == 1 for value in values])
        return pd.Series(pd.arrays.BooleanArray(read[codes], _empty(codes, values)))
    if filled and all(_WHOLE.fullmatch(value) for value in filled):
        whole = np.array([int(value) if value else 0 for value in values], dtype=np.int64)
        return pd.Series(pd.arrays.IntegerArray(whole[codes], _empty(codes, values)))
    if filled and all(_NUMBER.fullmatch(value) for value in filled):
        return pd.Series(np.array([float(value) if value else np.nan for value in values])[codes])
    return pd.Series(_coded(codes, values)) if keep_codes else _texts(codes, values)


def _empty(codes: NDArray[np.integer], values: Sequence[str]) -> NDArray[np.bool_]:
    empty = np.array([not value for value in values], dtype=bool)
    return empty[codes] if empty.any() else np.zeros(len(codes), dtype=bool)


def _texts(codes: NDArray[np.integer], values: Sequence[str]) -> pd.Series[str]:
    pool = pd.array([value or None for value in values], dtype=TEXT)
    return pd.Series(pool.take(codes) if len(values) else pd.array([], dtype=TEXT))


def keys_of(parts: Sequence[NDArray[np.integer]]) -> tuple[NDArray[np.integer], int]:
    """A whole number for each row, the same in rows that agree in all parts, and how many there may be.

    Rows are in the order of their numbers where they are in that of the parts, unless the parts are so many
    and large that those that occur have to be counted.

    Parameters
    ----------
    parts : sequence of (n,) int from -1, at least one
    """
    n, size = len(parts[0]), 1
    key: NDArray[np.integer] = np.zeros(n, dtype=np.int32)
    for part in parts if n else ():
        low = int(part.min())
        span = int(part.max()) - low + 1
        if size * span > _LARGEST:
            key = np.asarray(pd.factorize(key)[0])
            size = int(key.max()) + 1
        if span == 1:
            continue
        kind = np.int32 if size * span < 2**31 else np.int64
        if size == 1:
            key = part.astype(kind)
        else:
            key = key.astype(kind, copy=False)
            key *= span
            key += part.astype(kind, copy=False)
        if low:
            key -= low
        size *= span
    return key, size


_LARGEST = 1 << 62


_RUN = 4
"""Rows of a run, on average, from which numbers are worked out of the first row of each run alone."""


def numbered(parts: Sequence[NDArray[np.integer]]) -> NDArray[np.int32]:
    """(n,), number from 0 of what each row has in all parts, in order of appearance."""
    heads = _runs(parts)
    if heads is not None:
        lengths = np.diff(heads, append=len(parts[0]))
        return np.repeat(_numbered([part[heads] for part in parts]), lengths)
    return _numbered(parts)


def _runs(parts: Sequence[NDArray[np.integer]]) -> NDArray[np.intp] | None:
    """The rows that differ from the one before in some part, and the first; None where they are many."""
    n = len(parts[0])
    fresh = np.zeros(n, dtype=bool)
    fresh[:1] = True
    for part in parts:
        fresh[1:] |= part[1:] != part[:-1]
        if _RUN * int(np.count_nonzero(fresh)) > n:
            return None
    return np.flatnonzero(fresh)


def _numbered(parts: Sequence[NDArray[np.integer]]) -> NDArray[np.int32]:
    """As `numbered`, of rows of which few are as the one before."""
    key, size = keys_of(parts)
    if size > 4 * len(key):
        return np.asarray(pd.factorize(key)[0], dtype=np.int32)
    first = first_rows(key, size)
    groups = np.flatnonzero(first >= 0)
    heads = first[groups]
    fresh = np.zeros(len(key), dtype=bool)
    fresh[heads] = True
    number = np.zeros(size, dtype=np.int32)
    number[groups] = (np.cumsum(fresh, dtype=np.int32) - np.int32(1))[heads]
    return np.asarray(number[key])


def first_rows(group: NDArray[np.integer], n: int) -> NDArray[np.int64]:
    """(n,), the first row of each group, -1 where there is none."""
    first = np.full(n, -1, dtype=np.int64)
    rows = _runs([group])
    if rows is None:
        first[group[::-1]] = np.arange(len(group) - 1, -1, -1, dtype=np.int32)
    else:
        first[group[rows[::-1]]] = rows[::-1]
    return first


def order_of(key: NDArray[np.integer], size: int) -> NDArray[np.integer] | None:
    """The rows by their numbers, which are below `size`, equal ones as they stand; None where in order."""
    if (np.diff(key) >= 0).all():
        return None
    place = np.full(size if size <= 64 * len(key) else 0, -1, dtype=np.int32)
    if not len(place):
        return np.argsort(key, kind="stable")
    place[key] = np.arange(len(key), dtype=np.int32)
    order = place[place >= 0]
    return order if len(order) == len(key) else np.argsort(key, kind="stable")


def codes_of(values: pd.Series) -> NDArray[np.integer]:
    """(n,), a whole number for each value, the same where they agree, -1 where null."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return np.asarray(values.cat.codes)
    if pd.api.types.is_integer_dtype(values.dtype) and not values.isna().any():
        whole = values.to_numpy(dtype=np.int64)
        if whole.min(initial=0) >= 0 and whole.max(initial=0) < 2**31:
            return np.asarray(whole)
    return np.asarray(pd.factorize(values)[0])


def plain(table: pd.DataFrame) -> pd.DataFrame:
    """The table with texts in place of their codes."""
    coded_columns = [c for c in table.columns if isinstance(table[c].dtype, pd.CategoricalDtype)]
    return table.astype(dict.fromkeys(coded_columns, TEXT))


@dataclass(frozen=True)
class TidyTable:
    """Columns of text, empty where null.

    Parameters
    ----------
    columns : dict of name -> string array
        Or texts by code: `by_value`, `coded`, `typed` and so on take both.
    line : callable of row -> its line in the file, None where the format has no lines
    text : callable of row -> the beginning of the row
    parts : int
        Rows that were made of each row of a file, block after block of rows; they stand and fall together.
    sources : mapping of name -> names in the file, one for each part
        Of columns that were made of several ones.
    memo : dict
        What was worked out of columns, by name, shared with tables made of this one.
    """

    columns: dict[str, pa.Array]
    line: Callable[[int], int | None]
    text: Callable[[int], str]
    parts: int = 1
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    memo: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @cached_property
    def decoded(self) -> TidyTable:
        """The table with texts in place of their codes."""
        return replace(self, columns={name: cells.cast(pa.string()) for name, cells in self.columns.items()})

    def rows(self, rows: NDArray[np.integer]) -> TidyTable:
        """Some of the rows, of a table that has one for each row of a file."""
        return replace(
            self,
            columns={name: picked(cells, rows) for name, cells in self.columns.items()},
            line=lambda row: self.line(int(rows[row])),
            text=lambda row: self.text(int(rows[row])),
        )

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


def open_table(source: Source, rejects: Rejects, *, coded: bool = False) -> TidyTable:
    """The table of a source, read once.

    Parameters
    ----------
    source : Source
    rejects : Rejects
    coded : bool
        Whether columns of text may come as codes with a dictionary (`read_delimited`).

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
    return opened if coded else opened.decoded


def _open_table(source: Source, rejects: Rejects) -> TidyTable:
    if source.kind == "parquet":
        return _from_parquet(source.path)
    if source.kind not in ("text", "frame") or source.is_json:
        raise DataError(located(source.path, f"a {source.kind}, expected delimited text or Parquet"))
    delimited = source.delimited(rejects, coded=True)

    def line(row: int) -> int:
        return int(delimited.lines[row])

    columns = {name: _with_points(_bare(cells)) for name, cells in delimited.columns.items()}
    table = TidyTable(columns, line, lambda row: delimited.text.line(line(row)))
    skipped, again = _headings(columns), repeated_names(columns)
    if not skipped and not len(again):
        return table
    if len(again):
        n = f"{len(again):,} lines repeat" if len(again) > 1 else "1 line repeats"
        source.notes.append(f"{n} the names of the columns, and {'are' if len(again) > 1 else 'is'} left out")
    return table.rows(np.setdiff1d(np.arange(skipped, len(table)), again))


def _headings(columns: Mapping[str, pa.Array]) -> int:
    """The number of rows below the names that are headings, too: questions and identifiers of Qualtrics."""
    for row in range(3):
        heads = [cells[row].as_py() or "" for cells in columns.values() if len(cells) > row + 1]
        if any(head.startswith('{"ImportId"') for head in heads):
            return row + 1
    return 0


_AMOUNT = re.compile(r"([-+]?)(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d+))?", re.ASCII)
"""A number with a decimal comma, and perhaps points between thousands."""

_SCANNED = 1000
"""Cells by which a column without codes is taken for one without commas."""


_MONEY = re.compile(r"([-+]?)([$€£¥₹])?\s*([-+]?[\d.,]*\d[\d.,]*)\s*([$€£¥₹]|USD|EUR|GBP|ECU)?", re.ASCII)
"""An amount with the sign of a currency before or behind it."""


def _bare(column: pa.Array) -> pa.Array:
    """The column without the sign of a currency, where all its amounts bear the same one."""
    head = column.dictionary if isinstance(column, pa.DictionaryArray) else column[:_SCANNED]
    first = next((text for text in head[:_SCANNED].to_pylist() if text and text.strip()), "")
    if not (match := _MONEY.fullmatch(first.strip())) or not (match[2] or match[4]):
        return column
    cells = encoded(column)
    texts = [text.strip() for text in cells.dictionary.to_pylist()]
    amounts = {text: m for text in texts if (m := _MONEY.fullmatch(text)) and (m[2] or m[4])}
    if any(text not in amounts and text.casefold() not in NULLS for text in texts):
        return column
    if len({m[2] or m[4] for m in amounts.values()}) != 1:
        return column
    plain = [m[1] + m[3] if (m := amounts.get(text)) else text for text in texts]
    return pa.DictionaryArray.from_arrays(cells.indices, pa.array(plain, pa.string()))


def _with_points(column: pa.Array) -> pa.Array:
    """The column with decimal points, where its numbers are written with decimal commas.

    Left alone are cells that may be two numbers, as both moves or both payoffs, or have commas between
    thousands.
    """
    coded_cells = isinstance(column, pa.DictionaryArray)
    head = column.dictionary if coded_cells else column[:_SCANNED]
    if not any("," in (text or "") for text in head[:_SCANNED].to_pylist()):
        return column
    cells = encoded(column)
    texts = [text.strip() for text in cells.dictionary.to_pylist()]
    numbers = {text: match for text in texts if (match := _AMOUNT.fullmatch(text))}
    pairs = [(m[2], m[3]) for m in numbers.values() if m[3]]
    if not pairs or any(text not in numbers and text.casefold() not in NULLS for text in texts):
        return column
    if all(len(after) == 3 and len(before) < 4 and before != "0" for before, after in pairs):
        return column
    if all(len(before) == len(after) == 1 for before, after in pairs) and (
        len({digit for pair in pairs for digit in pair}) <= 2
        or any(before != after and (after, before) in pairs for before, after in pairs)
    ):
        return column
    plain = [
        m[1] + m[2].replace(".", "") + (f".{m[3]}" if m[3] else "") if (m := numbers.get(text)) else text
        for text in texts
    ]
    return pa.DictionaryArray.from_arrays(cells.indices, pa.array(plain, pa.string()))


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
