"""A Parquet table as a CSV file, some rows in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ROWS", "parquet_parts", "parquet_to_csv"]

ROWS = 1 << 15
"""Rows that are read at a time."""


def parquet_to_csv(table: Path, target: Path, facts: Mapping[str, Any], *, rows: int = ROWS) -> None:
    """Write a Parquet file that has rows as `intent.logs.tablefile.write_table` writes them to CSV, anew.

    Parameters
    ----------
    table : Path, of a Parquet file
    target : Path, ending in .csv
    facts : mapping, JSON-able
    rows : int, read at a time

    Raises
    ------
    OutputError
        The path cannot be written.
    """
    import csv
    import json

    from intent.logs.column_kinds import LIST_SEPARATOR, kind_of
    from intent.logs.output import writing

    parts = parquet_parts(table, rows=rows)
    first = next(parts)
    kinds = {name: kind_of(name, first[name]) for name in first.columns}
    returns = _returns(table, rows)
    with writing(target, overwrite=True) as draft, draft.open("w", encoding="utf8", newline="") as stream:
        for k, part in enumerate(chain([first], parts)):
            for name in part.columns:
                if kinds[name] == "strings":
                    part[name] = ["" if cell is None else LIST_SEPARATOR.join(cell) for cell in part[name]]
            part.to_csv(
                stream,
                index=False,
                header=not k,
                quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL,
                lineterminator="\n",
            )
    beside = target.with_name(target.name + ".meta.json")
    with writing(beside, overwrite=True) as draft:
        told = json.dumps({**facts, "columns": kinds}, indent=2, ensure_ascii=False)
        draft.write_text(told + "\n", encoding="utf8")


def parquet_parts(
    table: Path, columns: Sequence[str] | None = None, *, rows: int = ROWS
) -> Iterator[pd.DataFrame]:
    """Rows in order, whole numbers and truth values as such where some are null.

    Parameters
    ----------
    table : Path, of a Parquet file
    columns : those to read; default: all
    rows : int, read at a time
    """
    import pandas as pd
    import pyarrow as pa

    from intent.files.parquet import open_parquet

    types = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    with open_parquet(table) as file:
        for batch in file.iter_batches(batch_size=rows, columns=columns, use_threads=False):
            if len(batch):
                yield batch.to_pandas(ignore_metadata=True, types_mapper=types.get)


def _returns(table: Path, rows: int) -> bool:
    """Whether a text has a lone carriage return, which only quotes keep from ending a row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from intent.files.parquet import open_parquet

    with open_parquet(table) as file:
        said = (pa.types.is_string, pa.types.is_large_string)
        texts = [field.name for field in file.schema_arrow if any(kind(field.type) for kind in said)]
        return any(
            pc.any(pc.match_substring(column, "\r")).as_py()
            for batch in file.iter_batches(batch_size=rows, columns=texts, use_threads=False)
            for column in batch.columns
        )
