"""A long table, from delimited text or Parquet, as columns of text with the way back to its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from intent.errors import DataError, located, one_line, shorten
from intent.files.parquet import check_names, explained, parquet_schema, parquet_table
from intent.logs.delimited import read_delimited
from intent.logs.rejects import Rejects

if TYPE_CHECKING:
    from intent.logs.readers.reader import Source

__all__ = ["TidyTable", "open_table", "parquet_columns"]


@dataclass(frozen=True)
class TidyTable:
    """Columns of text, empty where null.

    Parameters
    ----------
    columns : dict of name -> string array
    line : callable of row -> its line in the file, None where the format has no lines
    text : callable of row -> the beginning of the row
    """

    columns: dict[str, pa.Array]
    line: Callable[[int], int | None]
    text: Callable[[int], str]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


def open_table(source: Source, rejects: Rejects) -> TidyTable:
    """The table of a source.

    Raises
    ------
    DataError
        It is none, or has no rows.
    """
    if source.kind == "parquet":
        return _from_parquet(source.path)
    if source.kind != "text" or source.is_json:
        raise DataError(located(source.path, f"a {source.kind}, expected delimited text or Parquet"))
    found = read_delimited(source.text, rejects)

    def line(row: int) -> int:
        return int(found.lines[row])

    return TidyTable(found.columns, line, lambda row: source.text.line(line(row)))


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Names of the columns of a Parquet file.

    Raises
    ------
    DataError
        It is none, or two columns have one name.
    """
    names = tuple(parquet_schema(path).names)
    check_names(names, path.name)
    return names


def _from_parquet(path: Path) -> TidyTable:
    odd = next((field for field in parquet_schema(path) if pa.types.is_nested(field.type)), None)
    if odd is not None:
        what = f"column {shorten(one_line(odd.name))!r} holds {shorten(odd.type)}, expected one value a row"
        raise DataError(located(path, what))
    table = parquet_table(path)
    if not table.num_rows or not table.num_columns:
        raise DataError(located(path, "column names and no rows"))
    with explained(path.name):
        columns = {name: _texts(table.column(name)) for name in table.column_names}

    def text_of(row: int) -> str:
        return ", ".join(f"{name}={column[row].as_py()}" for name, column in columns.items())

    return TidyTable(columns, lambda row: None, text_of)


def _texts(column: pa.ChunkedArray) -> pa.Array:
    """The texts of a column, one array of them; empty where null."""
    text = column.cast(pa.large_string() if pa.types.is_large_string(column.type) else pa.string())
    text = text.fill_null("")
    return pa.concat_arrays(text.chunks) if text.num_chunks != 1 else text.chunk(0)
