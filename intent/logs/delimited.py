"""Delimited text to columns: Arrow where every row is regular, row by row where one is not."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from intent.base.errors import DataError, located, shorten
from intent.base.files import TextFile, beyond, bounds
from intent.logs.gamelog import Rejects

__all__ = ["DELIMITERS", "Delimited", "header_of", "read_delimited"]


DELIMITERS = (";", ",", "\t", "|")
_BLOCK = 16 * 1024**2
_QUOTE = b'"'
_RESTARTS = 10_000


@dataclass(frozen=True)
class Delimited:
    """Columns of text.

    Parameters
    ----------
    columns : dict of name -> string array, all of length n
        Empty cells are empty texts. Regular ones may be coded: chunks of codes with one dictionary.
    text : TextFile
    delimiter : str
    given_lines : (n,) int, optional
        Line of each row, where it is known already.
    """

    columns: dict[str, pa.Array]
    text: TextFile
    delimiter: str
    given_lines: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """(n,), line in which each row begins, from 1 (rows with quoted line feeds span several)."""
        if self.given_lines is not None:
            return self.given_lines
        full = self.text.data.count(b"\n") + (not self.text.data.endswith(b"\n"))
        if full == len(self) + 1:
            return np.arange(2, len(self) + 2)
        with _field_limit():
            return np.fromiter(_row_starts(self.text, self.delimiter), dtype=np.int64)


def header_of(text: TextFile) -> tuple[list[str], str]:
    """Names of the columns, and the delimiter that the first line is cut by.

    Raises
    ------
    DataError
        The first line has no delimiter, or names a column twice.
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
        raise DataError(located(text.path, f"no column names cut by ; , tab or | in {shorten(line)!r}", 1))
    if len(names) > bounds().columns:
        raise beyond(text.path, f"{len(names):,} columns", "columns", 1)
    names = [name or f"column_{i}" for i, name in enumerate(names, start=1)]
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise DataError(located(text.path, f"two columns are called {shorten(twice)!r}", 1))
    return names, delimiter


def read_delimited(text: TextFile, rejects: Rejects, *, coded: bool = False) -> Delimited:
    """The columns of a file; rows of another width or with a field over `Bounds.field` are rejected.

    Parameters
    ----------
    text : TextFile
    rejects : Rejects
    coded : bool
        Whether the columns of a regular file come as chunks of codes with one dictionary of the texts, which
        takes less time and memory where few texts differ.

    Raises
    ------
    DataError
        As `header_of`, or there is no row at all.
    """
    names, delimiter = header_of(text)
    columns = None if text.has_line_over(bounds().field) else _regular(text, names, delimiter, coded)
    if columns is not None:
        table = Delimited(columns, text, delimiter)
    else:
        with _field_limit():
            table = _row_by_row(text, names, delimiter, rejects)
    if not len(table) and not len(rejects):
        raise DataError(located(text.path, "column names and no rows"))
    return table


def _regular(text: TextFile, names: Sequence[str], delimiter: str, coded: bool) -> dict[str, pa.Array] | None:
    """The columns by Arrow's parser, None where a row is irregular."""
    quoted = _QUOTE in text.data
    kind = pa.dictionary(pa.int32(), pa.string()) if coded else pa.string()
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(text.data),
            read_options=pa.csv.ReadOptions(
                use_threads=True, block_size=_BLOCK, column_names=list(names), skip_rows=1
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
    if coded:  # in chunks, as who reads the codes copies them anyway
        table = table.unify_dictionaries()
        columns = {name: table.column(name) for name in names}
    else:
        columns = {name: table.column(name).combine_chunks() for name in names}
        columns = {
            k: pa.concat_arrays(v.chunks) if isinstance(v, pa.ChunkedArray) else v for k, v in columns.items()
        }
    if quoted and any(_longest(c) > bounds().field for c in columns.values()):  # a field of several lines
        return None
    return columns


def _longest(column: pa.Array) -> int:
    """Bytes of the longest text."""
    texts = column.chunk(0).dictionary if isinstance(column, pa.ChunkedArray) and len(column) else column
    return (pc.max(pc.binary_length(texts)).as_py() or 0) if len(texts) else 0


@contextmanager
def _field_limit() -> Iterator[None]:
    """The csv module's limit, which is global, as `Bounds.field` within the block."""
    before = csv.field_size_limit(bounds().field)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _row_starts(text: TextFile, delimiter: str) -> Iterator[int]:
    """Line in which each row of a regular file begins, the header aside."""
    reader = csv.reader(io.StringIO(text.data.decode("utf-8"), newline=""), delimiter=delimiter)
    start = 1
    for cells in reader:
        if cells and start > 1:
            yield start
        start = reader.line_num + 1


def _row_by_row(text: TextFile, names: Sequence[str], delimiter: str, rejects: Rejects) -> Delimited:
    """The readable rows of an irregular file.

    A rejected row that spans several lines (an unclosed quote) costs its first line only: reading
    goes on with the next one.
    """
    lines = io.StringIO(text.data.decode("utf-8"), newline="").readlines()
    rows: list[list[str]] = []
    starts: list[int] = []
    at, restarts = 1, 0
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
