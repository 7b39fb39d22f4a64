"""Result tables as files (Parquet, CSV, JSON lines), each with the facts on how it came about."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Mapping
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, cast, get_args

import numpy as np
import pandas as pd

from intent import schema
from intent.errors import DataError, OutputError, located, one_line
from intent.files.bounds import bounds
from intent.files.json_text import json_value
from intent.files.parquet import parquet_table
from intent.files.text import TextFile, file_bytes
from intent.logs.column_kinds import LIST_SEPARATOR, TEXT_KINDS, guessed, is_list, kind_of, typed
from intent.logs.output import claim, writing
from intent.logs.table_columns import TABLE_SUFFIXES, table_suffix
from intent.logs.tables import TEXT

__all__ = ["METADATA_KEY", "claim_table", "read_table", "write_table"]

METADATA_KEY = b"intent"
_KINDS = "columns"
"""Key of the companion file under which the kind of every column is kept."""

_EXACT: dict[str, Any] = {} if pd.__version__ >= "3.1" else {"float_precision": "round_trip"}
"""Decimal numbers read to the nearest double: the default of pandas 3.1, an option before."""


def write_table(
    table: pd.DataFrame, path: str | Path, metadata: Mapping[str, Any], *, overwrite: bool = False
) -> Path:
    """Write a table; the suffix of the path says how.

    Parquet keeps the metadata inside; CSV (lists joined by ``|``, null and empty text both an empty cell)
    and JSON lines get a companion ``<name>.meta.json``, which holds the kind of every column too.

    Raises
    ------
    OutputError
        The suffix is not .parquet, .csv or .jsonl, or the path cannot be written.
    """
    target = claim_table(path, overwrite=overwrite)
    kinds = {str(name): kind_of(str(name), table[name]) for name in table.columns}
    with writing(target, overwrite=overwrite) as draft:
        if target.suffix == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            arrow = pa.Table.from_pandas(table, preserve_index=False)
            merged = {**(arrow.schema.metadata or {}), METADATA_KEY: json.dumps(dict(metadata)).encode()}
            pq.write_table(arrow.replace_schema_metadata(merged), draft)
        elif target.suffix == ".csv":
            _write_csv(table, kinds, draft)
        else:
            _write_json_lines(table, draft)
    if target.suffix != ".parquet":
        with writing(_companion(target), overwrite=overwrite) as draft:
            facts = {**metadata, _KINDS: kinds}
            draft.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf8")
    return target


def claim_table(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path, once it is sure that a table and its companion may be written; call it before long work.

    Raises
    ------
    OutputError
        As `write_table`.
    """
    target = Path(path)
    if target.suffix not in TABLE_SUFFIXES:
        raise OutputError(
            f"cannot write {target}: suffix {target.suffix!r}, expected one of {', '.join(TABLE_SUFFIXES)}"
        )
    claim(target, overwrite=overwrite)
    if target.suffix != ".parquet":
        claim(_companion(target), overwrite=overwrite)
    return target


def read_table(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A result table and its metadata, empty where there is none.

    Text may be packed by gzip, whatever its name; its name may end in .gz.
    Columns come back as they were written. In a CSV file without a companion, text columns and lists of
    the codebook are read as such, other columns as numbers or truth values where all cells are.

    Raises
    ------
    DataError
        No such file, or it is not a table of the kind its suffix names.
    """
    source = Path(path)
    if source.is_dir():
        inside = source / "labels.parquet"
        hint = f"; did you mean {inside}?" if inside.is_file() else ""
        raise DataError(f"{source} is a folder, expected one of {', '.join(TABLE_SUFFIXES)}{hint}")
    if not source.is_file():
        raise DataError(f"no such file: {source}")
    suffix = table_suffix(source)
    if suffix is None:
        expected = ", ".join(TABLE_SUFFIXES)
        raise DataError(located(source, f"suffix {source.suffix!r}, expected one of {expected}"))
    try:
        if suffix == ".parquet":
            return _read_parquet(source)
        metadata, kinds = _facts(source)
        read = _read_csv if suffix == ".csv" else _read_json_lines
        return read(BytesIO(TextFile(source, empty=suffix == ".jsonl", nul=True).data), kinds), metadata
    except DataError:
        raise
    except (ValueError, OSError, KeyError, RecursionError, OverflowError, TypeError) as error:
        raise DataError(located(source, f"not a readable {suffix[1:]} table: {one_line(error)}")) from None


def _companion(target: Path) -> Path:
    return target.with_name(target.name + ".meta.json")


def _facts(source: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Metadata and kinds of columns in the companion file; empty where there is none."""
    beside = _companion(source)
    if not beside.is_file():
        return {}, {}
    found = json_value(file_bytes(beside, bounds().object_bytes, "facts on a table"))
    if not isinstance(found, dict):
        raise ValueError(f"{beside.name} holds a {type(found).__name__}, expected an object")
    kinds = found.pop(_KINDS, None)
    known = kinds.items() if isinstance(kinds, dict) else ()
    return found, {name: kind for name, kind in known if kind in get_args(schema.Kind)}


def _write_csv(table: pd.DataFrame, kinds: Mapping[str, str], draft: Path) -> None:
    flat = table.copy(deep=False)
    returns = False
    for name in table.columns:
        if kinds[str(name)] == "strings":
            flat[name] = [LIST_SEPARATOR.join(map(str, c)) if is_list(c) else "" for c in table[name]]
        if kinds[str(name)] in ("string", "strings"):
            returns |= bool(flat[name].astype(str).str.contains("\r", regex=False).any())
    # a lone carriage return ends a row for readers, but only a line feed makes the writer quote
    flat.to_csv(draft, index=False, quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL)


def _write_json_lines(table: pd.DataFrame, draft: Path) -> None:
    names = [str(name) for name in table.columns]
    with draft.open("w", encoding="utf8", newline="\n") as stream:
        for row in zip(*(_plain(table[name]) for name in table.columns), strict=True):
            stream.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n")


def _plain(column: pd.Series) -> list[Any]:
    """Cells as JSON can hold them: null for what is absent or infinite."""
    return [_plain_cell(cell) for cell in column.tolist()]


def _plain_cell(cell: Any) -> Any:
    if is_list(cell):
        return [_plain_cell(item) for item in cell]
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, str | bool | int):
        return cell
    if isinstance(cell, float):
        return cell if np.isfinite(cell) else None
    return None if pd.isna(cell) else str(cell)


def _read_parquet(source: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    import pyarrow as pa

    arrow = parquet_table(source)
    table = arrow.to_pandas(ignore_metadata=True)
    for field in arrow.schema:
        if pa.types.is_list(field.type) or pa.types.is_large_list(field.type):
            table[field.name] = pd.Series(
                [None if cell is None else list(cell) for cell in table[field.name]],
                index=table.index,
                dtype=object,
            )
    metadata = json_value((arrow.schema.metadata or {}).get(METADATA_KEY, b"{}"))
    return table, metadata if isinstance(metadata, dict) else {}


def _read_csv(text: BinaryIO, recorded: Mapping[str, str]) -> pd.DataFrame:
    kinds = {**TEXT_KINDS, **recorded}
    texts = {
        name: cast(Any, TEXT) for name, kind in kinds.items() if kind in ("string", "category", "strings")
    }
    _check_names(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            table = pd.read_csv(
                text,
                dtype=texts,
                index_col=False,
                keep_default_na=False,
                na_values=[""],
                low_memory=False,
                **_EXACT,
            )
        except pd.errors.ParserWarning:
            raise ValueError("rows have more cells than the header has names") from None
    return typed(table.assign(**{str(n): guessed(table[n]) for n in table.columns if n not in kinds}), kinds)


def _check_names(text: BinaryIO) -> None:
    """Make sure that no two columns have one name; pandas would rename the second without a word."""
    header = pd.read_csv(text, header=None, nrows=1, dtype=str, keep_default_na=False).iloc[0]
    text.seek(0)
    if header.duplicated().any():
        raise ValueError(f"two columns are called {header[header.duplicated()].iloc[0]!r}")


def _read_json_lines(text: BinaryIO, recorded: Mapping[str, str]) -> pd.DataFrame:
    columns: dict[str, list[Any]] = {}
    n = 0
    with TextIOWrapper(cast(Any, text), encoding="utf-8-sig") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            row = json_value(line)
            if not isinstance(row, dict):
                raise ValueError(f"line {number} holds a {type(row).__name__}, expected an object")
            for name in row:
                if name not in columns:
                    columns[name] = [None] * n
            for name, cells in columns.items():
                cells.append(row.get(name))
            n += 1
    return typed(pd.DataFrame(columns if n else {name: [] for name in recorded}), recorded)
