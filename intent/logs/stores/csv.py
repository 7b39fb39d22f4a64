"""The store for people with other tools: one CSV per table and ``log.json``, in a folder or a zip.

Texts are quoted and nulls are not, so that an empty text and a null stay apart.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv

from intent.errors import DataError, located, shorten
from intent.files.archive import Archive, read_member, write_zip
from intent.logs.gamelog import GameLog
from intent.logs.output import writing
from intent.logs.stores.layout import FACTS, describe, dump_facts
from intent.logs.stores.read_tables import read_tables

__all__ = ["read_csv", "write_csv"]

_ARROW: dict[str, pa.DataType] = {
    "str": pa.string(),
    "Int64": pa.int64(),
    "int64": pa.int64(),
    "Float64": pa.float64(),
    "float64": pa.float64(),
    "boolean": pa.bool_(),
    "bool": pa.bool_(),
}
_LARGEST_BLOCK = 2**31 - 1


def write_csv(log: GameLog, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a log as a folder of CSV files, or as a zip of the same where the path ends in .zip."""
    target = Path(path)
    members = {FACTS: dump_facts(describe(log)).encode()}
    for name, table in log.tables().items():
        members[f"{name}.csv"] = _dump(table)
    with writing(target, overwrite=overwrite) as draft:
        if target.suffix == ".zip":
            write_zip(draft, members, packed=True)
        else:
            draft.mkdir()
            for name, data in members.items():
                (draft / name).write_bytes(data)
    return target


def read_csv(path: str | Path) -> GameLog:
    """Read a log from a folder or zip of CSV files.

    Raises
    ------
    DataError
        A member is missing, damaged, or contradicts the others.
    LimitError
        A member is larger than the bound that protects memory.
    """
    return read_tables(path, ".csv", _load)


def _dump(table: pd.DataFrame) -> bytes:
    arrow = pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)
    for i, field in enumerate(arrow.schema):
        if pa.types.is_dictionary(field.type) or pa.types.is_null(field.type):
            arrow = arrow.set_column(i, field.name, arrow.column(i).cast(pa.string()))
    sink = io.BytesIO()
    pa.csv.write_csv(arrow, sink, pa.csv.WriteOptions(quoting_style="needed"))
    return sink.getvalue()


def _load(source: Path | Archive, name: str, types: dict[str, Any]) -> pd.DataFrame:
    data = source.read(name) if isinstance(source, Archive) else read_member(source, name)
    kinds = {c: pa.string() if isinstance(kind, dict) else _ARROW[kind] for c, kind in types.items()}
    try:
        arrow = pa.csv.read_csv(
            pa.BufferReader(data),
            read_options=pa.csv.ReadOptions(block_size=min(max(len(data), 1), _LARGEST_BLOCK)),
            parse_options=pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=pa.csv.ConvertOptions(
                column_types=kinds,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
        frame: pd.DataFrame = arrow.to_pandas(
            types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get
        )
    except (pa.ArrowException, ValueError) as error:
        raise DataError(located(source.name, f"{name} is no readable table: {shorten(error, 200)}")) from None
    return frame
