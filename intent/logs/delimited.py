"""Tables to columns of text: delimited text, by Arrow where every row is regular and row by row where one is
not, and tables in memory, whose cells are those that they would write to a file.

Names of columns: tables whose first line holds values instead, and lines that repeat the names.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from intent.base.errors import FRAME, DataError, located, shorten
from intent.base.files import TextFile, beyond, bounds, encodable
from intent.logs.gamelog import Rejects

__all__ = [
    "DELIMITERS",
    "Delimited",
    "Frame",
    "Lines",
    "first_rows_of",
    "guessed_names",
    "header_of",
    "is_frame",
    "is_headless",
    "read_delimited",
    "repeated_names",
]

Rows = Sequence[Sequence[str]]

_SAMPLED_ROWS = 200
"""Rows by which a table is judged."""

_MOSTLY = 0.9
"""Share of cells that are numbers in a column of numbers."""

_FEW = 6
"""Most labels of a column of labels."""

_MOVES = 3
"""Most different moves, a stray one among them."""

_RUN = 3
"""Numbers that run on in the first line, as those of rounds do where columns are called by them."""

_WHOLE = re.compile(r"[-+]?\d{1,9}")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def first_rows_of(text: str, delimiter: str, *, whole: bool) -> list[list[str]]:
    """The first rows of a text, stripped; of a part of one without the last row, which may be cut off."""
    lines = text.splitlines() if whole else text.splitlines()[:-1]
    try:
        rows = list(islice(csv.reader(lines, delimiter=delimiter), _SAMPLED_ROWS + 1))
    except csv.Error:
        return []
    return [[cell.strip() for cell in row] for row in rows if row]


def is_headless(first: Sequence[str], rows: Rows) -> bool:
    """Whether the first line of a table holds values as the rows below it do, and no names.

    A text above numbers is a name, and so is one above a few labels that are all others. A text that stands
    below itself, too, or is made of the letters of whole games below it, is a value, as is a number above
    numbers, unless such numbers run on, as names of columns of rounds do.

    Parameters
    ----------
    first : sequence of str, cells of the first line
    rows : the rows below
    """
    columns = _columns(first, rows)
    values = False
    numbers: list[int] = []
    for head, cells in zip(first, columns, strict=True):
        filled = [cell for cell in cells if cell]
        if not head or len(filled) < 2:
            continue
        below = _are_numbers(filled)
        if below and _WHOLE.fullmatch(head):
            numbers.append(int(head))
        elif _NUMBER.fullmatch(head):
            values |= below
        elif below:
            return False
        else:
            labels = {cell.casefold() for cell in filled}
            if head.casefold() in labels or _is_game(head, filled):
                values = True
            elif len(labels) <= _FEW and len(filled) >= 3 * len(labels):
                return False
    run_on = len(numbers) >= _RUN and all(b == a + 1 for a, b in pairwise(numbers))
    return values or (bool(numbers) and not run_on)


def _columns(first: Sequence[str], rows: Rows) -> list[list[str]]:
    return [list(cells) for cells in zip(*[row for row in rows if len(row) == len(first)], strict=True)] or [
        [] for _ in first
    ]


def _are_numbers(cells: Sequence[str]) -> bool:
    return sum(bool(_NUMBER.fullmatch(cell)) for cell in cells) >= _MOSTLY * len(cells)


def _is_game(head: str, cells: Sequence[str]) -> bool:
    """Whether a text is a sequence of the few letters that all texts below it are sequences of."""
    letters = {letter for cell in cells for letter in cell if letter.isalnum()}
    own = {letter for letter in head if letter.isalnum()}
    return 1 <= len(letters) <= _MOVES and bool(own) and own <= letters and len(head) >= _RUN


def guessed_names(rows: Rows) -> list[str]:
    """Names that the columns of a table may have, by what they hold; whoever knows them mends them.

    Parameters
    ----------
    rows : the first rows, none of them names
    """
    columns = _columns(rows[0], rows)
    names = [""] * len(columns)
    filled = [[cell for cell in cells if cell] for cells in columns]
    numbers = [bool(cells) and _are_numbers(cells) for cells in filled]
    rounds = [i for i, cells in enumerate(filled) if numbers[i] and _are_rounds(cells)]
    rounds = rounds or [i for i, cells in enumerate(filled) if i and numbers[i] and _run_on(cells)]
    if rounds:
        names[rounds[-1]] = "round"
    free = [i for i in range(len(columns)) if not names[i] and filled[i]]
    games = [
        i
        for i in free
        if not numbers[i] and _is_game(filled[i][0], filled[i]) and max(map(len, filled[i])) >= _RUN
    ]
    moves = games or [i for i in free if not numbers[i] and len({c.casefold() for c in filled[i]}) <= _MOVES]
    moves = moves if len(moves) <= 2 or not rounds else moves[-2:]
    _name(names, moves, "moves" if games else "action" if rounds else "r", always=not rounds and not games)
    free = [i for i in free if not names[i]]
    people = [i for i in free if not numbers[i]]
    _name(names, people[:2], "player", also="opponent" if len(moves) < 2 else "")
    amounts = [i for i in free if numbers[i]]
    last = max(moves, default=-1)
    _name(
        names,
        [i for i in amounts if i > last][:2] if moves else [],
        "payoff",
        also="other_payoff" * (len(moves) < 2),
    )
    ahead = [i for i in amounts if not names[i]]
    for i, name in zip(ahead, ("game",) if people else ("game", "player"), strict=False):
        names[i] = name
    return [name or f"column_{i}" for i, name in enumerate(names, start=1)]


def _name(names: list[str], at: Sequence[int], word: str, *, also: str = "", always: bool = False) -> None:
    """Name columns by a word, with numbers where there are several; the second of two perhaps otherwise."""
    for number, i in enumerate(at, start=1):
        names[i] = (
            f"{word}{number}" if (len(at) > 1 and not also) or always else word if number == 1 else also
        )


def _run_on(cells: Sequence[str]) -> bool:
    """Whether numbers are 1, 2, 3 and so on, as the rounds of a single game."""
    ways = [[str(i + first) for i in range(len(cells))] for first in (0, 1)]
    return len(cells) >= _RUN and [*cells] in ways


def _are_rounds(cells: Sequence[str]) -> bool:
    """Whether numbers run on from 0 or 1, again and again."""
    if not all(_WHOLE.fullmatch(cell) for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    steps = [b - a for a, b in pairwise(numbers)]
    restarts = all(step in (0, 1) or b in (0, 1) for step, b in zip(steps, numbers[1:], strict=True))
    return numbers[0] in (0, 1) and restarts and max(numbers) >= 2 and any(step < 0 for step in steps)


def repeated_names(columns: Mapping[str, pa.Array]) -> NDArray[np.intp]:
    """The rows that hold the names of their columns again, as where files were put one below the other."""
    rows: NDArray[np.intp] | None = None
    for name, cells in columns.items():
        if isinstance(cells, pa.DictionaryArray):
            places = [
                i for i, text in enumerate(cells.dictionary.to_pylist()) if (text or "").strip() == name
            ]
            same = np.isin(cells.indices.to_numpy(zero_copy_only=False), places) if places else None
        else:
            same = np.array([(text or "").strip() == name for text in cells.to_pylist()])
        if same is None or not same.any():
            return np.zeros(0, dtype=np.intp)
        here = np.flatnonzero(same)
        rows = here if rows is None else np.intersect1d(rows, here)
        if not len(rows):
            break
    return np.zeros(0, dtype=np.intp) if rows is None else rows


DELIMITERS = (";", ",", "\t", "|")
_BLOCK = 16 * 1024**2
_QUOTE = b'"'
_RESTARTS = 10_000
_SAMPLE = 1 << 16
"""Letters of a text by which it is judged whether its first line holds names."""


class Lines(Protocol):
    """Where rows stand: a file of text, or a table in memory."""

    @property
    def path(self) -> Path:
        """Its name."""
        ...

    def line(self, number: int, limit: int = 200) -> str:
        """The beginning of a line, counted from 1."""
        ...


@dataclass(frozen=True)
class Delimited:
    """Columns of text.

    Parameters
    ----------
    columns : dict of name -> string array, all of length n
        Empty cells are empty texts. Regular ones may be coded: texts by code, in order of appearance.
    text : TextFile, or the table in memory
    delimiter : str
    given_lines : (n,) int, optional
        Line of each row, where it is known already.
    above : int
        Lines above the rows.
    """

    columns: dict[str, pa.Array]
    text: Lines
    delimiter: str
    given_lines: NDArray[np.int64] | None = None
    above: int = 1

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """(n,), line in which each row begins, from 1 (rows with quoted line feeds span several)."""
        if self.given_lines is not None:
            return self.given_lines
        assert isinstance(self.text, TextFile)
        full = self.text.data.count(b"\n") + (not self.text.data.endswith(b"\n"))
        if full == len(self) + self.above:
            return np.arange(self.above + 1, full + 1)
        with _field_limit():
            return np.fromiter(_row_starts(self.text, self.delimiter, self.above), dtype=np.int64)


def header_of(text: TextFile, header: Sequence[str] = ()) -> tuple[list[str], str]:
    """Names of the columns, and the delimiter that the first line is cut by.

    Parameters
    ----------
    text : TextFile
    header : sequence of str
        Names for a file that has none.

    Raises
    ------
    DataError
        The first line has no delimiter, names a column twice, or holds values as the lines below it do.
    """
    head = text.data[: 2 * bounds().field].decode("utf-8", "ignore")
    line = re.match(r"[^\r\n]*", head)[0]  # type: ignore[index]
    if not line.strip():
        raise DataError(located(text.path, "blank, expected the names of the columns", 1))
    with _field_limit():
        try:
            splits = {mark: next(csv.reader([line], delimiter=mark), []) for mark in DELIMITERS}
        except csv.Error as error:
            raise DataError(located(text.path, f"no readable column names: {error}", 1)) from None
    delimiter = max(DELIMITERS, key=lambda mark: len(splits[mark]))
    names = [name.strip() for name in splits[delimiter]]
    if len(names) < 2:
        what = f"no column names cut by ; , tab or | in {shorten(line)!r}"
        below = _first_table_line(head)
        hint = f"; line {below} may hold them: leave out the lines above it" if below else ""
        raise DataError(located(text.path, what + hint, 1))
    if len(names) > bounds().columns:
        raise beyond(text.path, f"{len(names):,} columns", "columns", 1)
    if header:
        if len(header) != len(names):
            what = f"{len(names)} fields cut by {delimiter!r}, expected the {len(header)} of --map header"
            raise DataError(located(text.path, what, 1))
        names = list(header)
    elif guess := _guess(head[:_SAMPLE], names, delimiter):
        what = f"{shorten(line)!r} are values as in the lines below, no names of columns"
        hint = f"give --map header={guess}, with the right name for each"
        raise DataError(located(text.path, f"{what}: {hint}", 1))
    names = [name or f"column_{i}" for i, name in enumerate(names, start=1)]
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise DataError(located(text.path, f"two columns are called {shorten(twice)!r}", 1))
    return names, delimiter


_ABOVE = 5
"""Lines that may stand above the names of the columns, as titles do."""


def _first_table_line(head: str) -> int:
    """The first line, from 1, that is cut into as many fields as the two below it; 0 where none is."""
    counts = [[line.count(mark) for mark in DELIMITERS] for line in head.splitlines()[: _ABOVE + 3]]
    for number, three in enumerate(zip(counts, counts[1:], counts[2:], strict=False), start=1):
        if any(one > 1 and one == two == last for one, two, last in zip(*three, strict=True)):
            return number
    return 0


def _guess(head: str, names: Sequence[str], delimiter: str) -> str:
    """Names that columns may have where the first line holds values, joined by ``+``; else empty."""
    with _field_limit():
        rows = first_rows_of(head, delimiter, whole=len(head) < _SAMPLE)
    return "+".join(guessed_names(rows)) if len(rows) > 1 and is_headless(names, rows[1:]) else ""


def read_delimited(
    text: TextFile, rejects: Rejects, *, coded: bool = False, header: Sequence[str] = ()
) -> Delimited:
    """The columns of a file; rows of another width or with a field over `Bounds.field` are rejected.

    Parameters
    ----------
    text : TextFile
    rejects : Rejects
    coded : bool
        Whether the columns of a regular file come as codes with a dictionary of the texts, which takes less
        time and memory where few texts differ.
    header : sequence of str
        Names for a file that has none.

    Raises
    ------
    DataError
        As `header_of`, or there is no row at all.
    """
    names, delimiter = header_of(text, header)
    above = 0 if header else 1
    if text.gap is not None and text.gap.inside and text.data.count(_QUOTE) % 2:
        _leave_out_open_row(text, delimiter)
    columns = None if text.has_line_over(bounds().field) else _regular(text, names, delimiter, coded, above)
    if columns is not None:
        table = Delimited(columns, text, delimiter, above=above)
    else:
        with _field_limit():
            table = _row_by_row(text, names, delimiter, rejects, above)
    rejects.add_gap(text)
    if not len(table) and not len(rejects):
        raise DataError(located(text.path, "column names and no rows"))
    return table


def _regular(
    text: TextFile, names: Sequence[str], delimiter: str, coded: bool, above: int
) -> dict[str, pa.Array] | None:
    """The columns by Arrow's parser, None where a row is irregular."""
    quoted = _QUOTE in text.data
    kind = pa.dictionary(pa.int32(), pa.string()) if coded else pa.string()
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(text.data),
            read_options=pa.csv.ReadOptions(
                use_threads=True, block_size=_BLOCK, column_names=list(names), skip_rows=above
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=delimiter, quote_char='"' if quoted else False, newlines_in_values=quoted
            ),
            convert_options=pa.csv.ConvertOptions(
                check_utf8=False,  # the text as a whole was checked
                column_types=dict.fromkeys(names, kind),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    columns = {name: _whole(column) for name, column in zip(names, table.itercolumns(), strict=True)}
    if quoted and any(_longest(c) > bounds().field for c in columns.values()):  # a field of several lines
        return None
    return columns


def _leave_out_open_row(text: TextFile, delimiter: str) -> None:
    """End a text whose end is missing before its last row, where that ends in quotes that a parser closes."""
    starts: list[int] = []
    with suppress(csv.Error), _field_limit():
        starts.extend(_row_starts(text, delimiter, 1))
        text.end_before(starts[-1] if starts else 2)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """The chunks of a column as one array."""
    if pa.types.is_dictionary(column.type) and column.num_chunks:
        chunks = column.unify_dictionaries().chunks
        codes = pa.concat_arrays([chunk.indices for chunk in chunks])
        return pa.DictionaryArray.from_arrays(codes, chunks[0].dictionary)
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _longest(column: pa.Array) -> int:
    """Bytes of the longest text."""
    texts = column.dictionary if isinstance(column, pa.DictionaryArray) else column
    return (pc.max(pc.binary_length(texts)).as_py() or 0) if len(texts) else 0


@contextmanager
def _field_limit() -> Iterator[None]:
    """The csv module's limit, which is global, as `Bounds.field` within the block."""
    before = csv.field_size_limit(bounds().field)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _row_starts(text: TextFile, delimiter: str, above: int) -> Iterator[int]:
    """Line in which each row of a regular file begins, the lines above aside."""
    reader = csv.reader(io.StringIO(text.data.decode("utf-8"), newline=""), delimiter=delimiter)
    start = 1
    for cells in reader:
        if cells and start > above:
            yield start
        start = reader.line_num + 1


def _row_by_row(
    text: TextFile, names: Sequence[str], delimiter: str, rejects: Rejects, above: int
) -> Delimited:
    """The readable rows of an irregular file.

    A rejected row that spans several lines (an unclosed quote) costs its first line only: reading
    goes on with the next one.
    """
    lines = io.StringIO(text.data.decode("utf-8"), newline="").readlines()
    rows: list[list[str]] = []
    starts: list[int] = []
    at, restarts = above, 0
    while at < len(lines):
        reader = csv.reader((lines[i] for i in range(at, len(lines))), delimiter=delimiter)
        begin = base = at
        at = len(lines)
        while True:
            try:
                cells = next(reader, None)
                reason = "" if cells is None else _misfit(cells, len(names), delimiter)
            except csv.Error:
                cells, reason = [], f"a field of more than {bounds().field:,} characters"
            if cells is None:
                break
            end = base + reader.line_num
            if reason:
                if end > begin + 1:
                    reason += ", from a quote that its line does not close"
                    restarts += 1
                if restarts > _RESTARTS:
                    raise DataError(located(text.path, f"more than {_RESTARTS:,} unclosed quotes", begin + 1))
                rejects.add(begin + 1, reason, text.line(begin + 1))
                at = begin + 1
                break
            if cells:
                rows.append(cells)
                starts.append(begin + 1)
            begin = end
    by_column = zip(*rows, strict=True) if rows else [()] * len(names)
    columns = {name: pa.array(list(cells), pa.string()) for name, cells in zip(names, by_column, strict=True)}
    return Delimited(columns, text, delimiter, np.array(starts, dtype=np.int64))


def _misfit(cells: Sequence[str], width: int, delimiter: str) -> str:
    """Why a row cannot be read; empty where it can."""
    if cells and len(cells) != width:
        return f"{len(cells)} fields, expected {width} cut by {delimiter!r}"
    return ""


def is_frame(value: object) -> bool:
    """Whether a value is a table in memory: of pandas, Polars, Arrow, or what else hands columns to Arrow."""
    return hasattr(value, "__arrow_c_stream__") and hasattr(value, "columns")


class Frame:
    """A table in memory as columns of text: those that it would write to a file.

    Levels of the index that have a name are columns; names of several levels are joined by ``_``.

    Parameters
    ----------
    table : pandas.DataFrame, polars.DataFrame, pyarrow.Table, …

    Attributes
    ----------
    path : Path
        ``DataFrame``, which stands in messages where a file has its name.

    Raises
    ------
    DataError
        Two columns have one name, or there is no row.
    LimitError
        More columns or cells than `Bounds` allows.
    """

    path = Path(FRAME)

    def __init__(self, table: Any) -> None:
        pandas = sys.modules.get("pandas")
        if pandas is not None and isinstance(table, pandas.DataFrame):
            names, parts = _pandas_columns(table)
            n = len(table)
            texts: Callable[[Any], pa.Array] = _pandas_texts
        else:
            arrow = pa.table(table)
            names, parts, n = list(arrow.column_names), list(arrow.columns), arrow.num_rows
            texts = _arrow_texts
        names = [name.strip() or f"column_{i}" for i, name in enumerate(names, start=1)]
        if len(names) > bounds().columns:
            raise beyond(self.path, f"{len(names):,} columns", "columns")
        if len(names) * n > bounds().cells:
            raise beyond(self.path, f"{n:,} rows of {len(names):,} columns", "cells")
        if len(set(names)) < len(names):
            twice = Counter(names).most_common(1)[0][0]
            raise DataError(located(self.path, f"two columns are called {shorten(twice)!r}"))
        if not n or not names:
            raise DataError(located(self.path, "no rows"))
        self.columns = {name: texts(part) for name, part in zip(names, parts, strict=True)}

    @cached_property
    def sha256(self) -> str:
        """Of names and cells."""
        digest = hashlib.sha256()
        for name, column in self.columns.items():
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0")
            for buffer in pa.concat_arrays([column]).buffers()[1:]:
                digest.update(b"" if buffer is None else buffer)
        return digest.hexdigest()

    def line(self, number: int, limit: int = 200) -> str:
        """The cells of a row, counted from 1."""
        return ",".join(column[number - 1].as_py() for column in self.columns.values())[:limit]

    def delimited(self, rejects: Rejects) -> Delimited:
        """The rows, without those that have a field over `Bounds.field`."""
        n = len(next(iter(self.columns.values())))
        longest = np.zeros(n, dtype=np.int64)
        for column in self.columns.values():
            np.maximum(longest, pc.binary_length(column).to_numpy(zero_copy_only=False), out=longest)
        rows = np.arange(1, n + 1)
        most = bounds().field
        if longest.max() <= most:
            return Delimited(self.columns, self, ",", rows)
        bad = longest > most
        for row in rows[bad].tolist():
            rejects.add(row, f"a field of more than {most:,} characters", self.line(row))
        columns = {name: column.filter(pa.array(~bad)) for name, column in self.columns.items()}
        return Delimited(columns, self, ",", rows[~bad])


def _pandas_columns(table: Any) -> tuple[list[str], list[Any]]:
    index = table.index
    levels = [
        (str(name), index.get_level_values(i)) for i, name in enumerate(index.names) if name is not None
    ]
    names = [
        "_".join(str(part) for part in name if str(part)) if isinstance(name, tuple) else str(name)
        for name in table.columns
    ]
    columns = [table.iloc[:, i] for i in range(table.shape[1])]
    return [*(name for name, _ in levels), *names], [*(values for _, values in levels), *columns]


def _pandas_texts(column: Any) -> pa.Array:
    """The cells of a column of pandas, each as it is written to CSV."""
    import pandas as pd

    column = column if isinstance(column, pd.Series) else column.to_series()
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        codes, values = column.cat.codes.to_numpy(), column.cat.categories
    elif pd.api.types.is_object_dtype(kind):
        return _string_array("" if _is_null(value) else str(value) for value in column)
    else:
        codes, values = pd.factorize(column)
    if pd.api.types.is_datetime64_any_dtype(values.dtype) or pd.api.types.is_timedelta64_dtype(values.dtype):
        words = [str(value) for value in pd.Index(values).astype(str)]
    else:
        words = ["" if _is_null(value) else str(value) for value in values.tolist()]
    return _coded(words, codes)


def _arrow_texts(column: Any) -> pa.Array:
    """The cells of a column of Arrow; numbers are written as Python does."""
    array = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if pa.types.is_nested(array.type):
        return _string_array("" if value is None else str(value) for value in array.to_pylist())
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    words = ["" if _is_null(value) else str(value) for value in coded.dictionary.to_pylist()]
    codes = coded.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return _coded(words, codes)


def _is_null(value: Any) -> bool:
    """Whether a cell is written as nothing: None, NaN, and their kin."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _coded(words: Sequence[str], codes: NDArray[Any]) -> pa.Array:
    values = _string_array([*words, ""])
    return values.take(pa.array(np.where(codes < 0, len(words), codes).astype(np.int64)))


def _string_array(words: Iterable[str]) -> pa.Array:
    cells = list(words)
    try:
        return pa.array(cells, pa.string())
    except UnicodeEncodeError:
        return pa.array([encodable(cell) for cell in cells], pa.string())
