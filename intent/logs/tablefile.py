"""Result tables as files (Parquet, CSV, JSON lines), each with the facts on how it came about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from intent.errors import DataError, OutputError, located
from intent.logs.output import claim, writing

__all__ = ["METADATA_KEY", "claim_table", "read_table", "write_table"]

METADATA_KEY = b"intent"
_SUFFIXES = (".parquet", ".csv", ".jsonl")
LIST_SEPARATOR = "|"


def write_table(
    table: pd.DataFrame, path: str | Path, metadata: Mapping[str, Any], *, overwrite: bool = False
) -> Path:
    """Write a table; the suffix of the path says how.

    Parquet keeps the metadata inside; CSV (lists joined by ``|``) and JSON lines get a companion
    ``<name>.meta.json``.

    Raises
    ------
    OutputError
        The suffix is not .parquet, .csv or .jsonl, or the path cannot be written.
    """
    target = claim_table(path, overwrite=overwrite)
    with writing(target, overwrite=overwrite) as draft:
        if target.suffix == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            arrow = pa.Table.from_pandas(table, preserve_index=False)
            merged = {**(arrow.schema.metadata or {}), METADATA_KEY: json.dumps(dict(metadata)).encode()}
            pq.write_table(arrow.replace_schema_metadata(merged), draft)
        elif target.suffix == ".csv":
            flat = table.copy()
            for column in flat.columns[[_holds_lists(table[c]) for c in table.columns]]:
                flat[column] = [LIST_SEPARATOR.join(map(str, cell)) for cell in table[column]]
            flat.to_csv(draft, index=False)
        else:
            table.to_json(draft, orient="records", lines=True, force_ascii=False)
    if target.suffix != ".parquet":
        with writing(target.with_name(target.name + ".meta.json"), overwrite=True) as draft:
            draft.write_text(json.dumps(dict(metadata), indent=2, ensure_ascii=False) + "\n", encoding="utf8")
    return target


def claim_table(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path, once it is sure that a table may be written there; call it before long work.

    Raises
    ------
    OutputError
        As `write_table`.
    """
    target = Path(path)
    if target.suffix not in _SUFFIXES:
        raise OutputError(
            f"cannot write {target}: suffix {target.suffix!r}, expected one of {', '.join(_SUFFIXES)}"
        )
    return claim(target, overwrite=overwrite)


def read_table(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A result table and its metadata (empty where there is none).

    Raises
    ------
    DataError
        No such file, or it is not a table of the kind its suffix names.
    """
    source = Path(path)
    if not source.is_file():
        raise DataError(f"no such file: {source}")
    if source.suffix not in _SUFFIXES:
        raise DataError(located(source, f"suffix {source.suffix!r}, expected one of {', '.join(_SUFFIXES)}"))
    metadata: dict[str, Any] = {}
    try:
        if source.suffix == ".parquet":
            import pyarrow.parquet as pq

            arrow = pq.ParquetFile(source).read()
            metadata = json.loads((arrow.schema.metadata or {}).get(METADATA_KEY, b"{}"))
            return arrow.to_pandas(), metadata
        beside = source.with_name(source.name + ".meta.json")
        if beside.is_file():
            metadata = json.loads(beside.read_text(encoding="utf8"))
        table = pd.read_csv(source) if source.suffix == ".csv" else pd.read_json(source, lines=True)
    except (ValueError, OSError, KeyError) as error:
        raise DataError(located(source, f"not a readable {source.suffix[1:]} table: {error}")) from None
    return table, metadata


def _holds_lists(column: pd.Series) -> bool:
    return column.dtype == object and bool(column.map(lambda cell: isinstance(cell, list | tuple)).any())
