"""Tables of a log in Arrow: read with bounds, in batches, and as pandas has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from intent.errors import DataError, located
from intent.files.bounds import bounds
from intent.files.parquet import open_parquet, parquet_table

__all__ = ["batches", "check_seats", "coded_table", "pandas_frame"]

_BATCH = 1 << 16
_TYPES = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def check_seats(seats: pa.Table) -> None:
    """Refuse seats that are no small whole numbers.

    Raises
    ------
    DataError
    """
    number = seats["seat"] if "seat" in seats.column_names else pa.chunked_array([], pa.null())
    whole = pa.types.is_integer(number.type) and not number.null_count
    if whole and len(number):
        span = pc.min_max(number).as_py()
        whole = 1 <= span["min"] <= span["max"] <= bounds().seats
    if not whole:
        raise DataError(f"table seats: column 'seat' is no number from 1 to {bounds().seats:,}")


def coded_table(folder: Path, name: str) -> pa.Table:
    """A table of a Parquet folder, its texts coded.

    Raises
    ------
    DataError
        There is none.
    LimitError
        It is larger than what may be held in memory.
    """
    path = folder / f"{name}.parquet"
    if not path.is_file():
        raise DataError(located(folder, f"no table {name}"))
    return parquet_table(path, name=f"{folder.name}: {path.name}", coded=True)


def batches(part: Path | pa.Table) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file or a table, some at a time."""
    if isinstance(part, Path):
        with open_parquet(part) as file:
            yield from file.iter_batches(_BATCH)
    else:
        yield from part.to_batches(_BATCH)


def pandas_frame(table: pa.Table) -> pd.DataFrame:
    """The table in the types that `intent.logs.stores.layout.rebuild` starts from."""
    plain = table.cast(
        pa.schema(
            [
                pa.field(f.name, pa.large_string() if pa.types.is_dictionary(f.type) else f.type)
                for f in table.schema
            ]
        )
    )
    frame: pd.DataFrame = plain.to_pandas(ignore_metadata=True, types_mapper=_TYPES.get)
    return frame
