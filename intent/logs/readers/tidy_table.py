"""A long table, from delimited text or Parquet, as columns of text with the way back to its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from intent.errors import DataError, LimitError, located, shorten
from intent.logs.delimited import read_delimited
from intent.logs.limits import LIMIT_BYTES, LIMIT_CELLS
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


def _opened(path: Path) -> pq.ParquetFile:
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(located(path, f"no readable Parquet: {shorten(error)}")) from None
    facts = file.metadata
    size = sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups))
    if facts.num_rows * facts.num_columns > LIMIT_CELLS or size > LIMIT_BYTES:
        raise LimitError(
            located(path, f"{facts.num_rows:,} rows, {size:,} bytes, more than may be read at once")
        )
    return file


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Names of the columns of a Parquet file."""
    return tuple(_opened(path).schema_arrow.names)


def _from_parquet(path: Path) -> TidyTable:
    try:
        table = _opened(path).read()
        if not table.num_rows:
            raise DataError(located(path, "column names and no rows"))
        columns = {}
        for name in table.column_names:
            text = table.column(name).cast(pa.string()).fill_null("")
            columns[name] = pa.concat_arrays(text.chunks)
    except pa.ArrowException as error:
        raise DataError(located(path, f"no readable table of plain columns: {shorten(error)}")) from None

    def text_of(row: int) -> str:
        return ", ".join(f"{name}={column[row].as_py()}" for name, column in columns.items())

    return TidyTable(columns, lambda row: None, text_of)
