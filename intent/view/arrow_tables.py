"""Tables of a log in Arrow: read with bounds, in batches, and as pandas has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from intent.errors import DataError, LimitError, located
from intent.logs.limits import LIMIT_BYTES, LIMIT_CELLS, LIMIT_SEAT

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
        whole = 1 <= span["min"] <= span["max"] <= LIMIT_SEAT
    if not whole:
        raise DataError(f"table seats: column 'seat' is no number from 1 to {LIMIT_SEAT:,}")


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
    facts = pq.read_metadata(path)
    size = sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups))
    if facts.num_rows * facts.num_columns > LIMIT_CELLS or size > LIMIT_BYTES:
        raise LimitError(located(folder, f"{name} holds {facts.num_rows:,} rows, {size:,} bytes: too many"))
    texts = [
        f.name
        for f in facts.schema.to_arrow_schema()
        if pa.types.is_large_string(f.type) or pa.types.is_string(f.type)
    ]
    return pq.ParquetFile(path, read_dictionary=texts).read().unify_dictionaries()


def batches(part: Path | pa.Table) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file or a table, some at a time."""
    if isinstance(part, Path):
        yield from pq.ParquetFile(part).iter_batches(_BATCH)
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
    frame: pd.DataFrame = plain.to_pandas(types_mapper=_TYPES.get)
    return frame
