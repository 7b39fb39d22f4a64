"""Result tables as files (Parquet, CSV, JSON lines), each with the facts on how it came about.

Tables that keep to the codebook: column order, types and required values.

The kinds of a table's columns, as the codebook names them: told, kept, and given back to cells of text.

A table's file from the outside: its form, and the names of its columns from its beginning alone.

A Parquet table as a CSV file, some rows in memory at a time.
"""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO, TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast, get_args

import numpy as np
import pandas as pd

from intent.base import codebook
from intent.base.binary import parquet_table
from intent.base.errors import DataError, OutputError, located, one_line, shorten
from intent.base.files import TextFile, bounds, file_bytes, json_value, path_of, text_head
from intent.base.outputs import claim, writing

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "LABEL_MARKS",
    "LIST_SEPARATOR",
    "METADATA_KEY",
    "PLAYER_MARKS",
    "ROWS",
    "TABLE_SUFFIXES",
    "TEXT",
    "TEXT_KINDS",
    "are_labels",
    "claim_table",
    "column_names",
    "columns_of",
    "conform",
    "empty_table",
    "guessed",
    "holds_labels",
    "is_list",
    "keys_of_rows",
    "kind_of",
    "parquet_parts",
    "parquet_to_csv",
    "read_table",
    "strategy_classes",
    "table_suffix",
    "table_writer",
    "typed",
    "write_table",
]


PANDAS = tuple(map(int, pd.__version__.split(".")[:2]))
"""The version of pandas that is here, (major, minor)."""


def _text() -> Any:
    if PANDAS >= (3, 0):
        return "str"
    return pd.StringDtype("pyarrow", na_value=np.nan) if PANDAS == (2, 3) else pd.StringDtype("pyarrow_numpy")


TEXT: Literal["str"] = _text()
"""Text in which null is NaN: the default of pandas 3, under its names in pandas 2.2 and 2.3."""

_DTYPES = {"int": "Int64", "float": "float64", "bool": "boolean"}


def empty_table(columns: Iterable[codebook.Column]) -> pd.DataFrame:
    """A table of no rows with the columns of a codebook entry."""
    return _empty(tuple(columns)).copy()


@cache
def _empty(columns: tuple[codebook.Column, ...]) -> pd.DataFrame:
    """Made once: every log has a table of rejects, and most of them have none."""
    return pd.DataFrame({c.name: _typed(pd.Series([], dtype=object), c, "") for c in columns})


def conform(table: pd.DataFrame, name: str, *, game_ids: pd.Index | None = None) -> pd.DataFrame:
    """The table with the codebook's columns first, in order and typed, and a fresh index.

    Parameters
    ----------
    table : DataFrame
    name : str
        Key of `codebook.TABLES`.
    game_ids : Index, optional
        All games in order; the column game_id becomes categorical over them.

    Raises
    ------
    DataError
        A required column is missing, null somewhere, or of the wrong type.
    """
    columns = codebook.TABLES[name]
    data = {}
    for column in columns:
        if column.name not in table.columns:
            if column.optional:
                continue
            if column.required:
                raise DataError(f"table {name} has no column {column.name!r}")
            data[column.name] = _nulls(column, len(table))
            continue
        if column.name == "game_id" and game_ids is not None:
            data["game_id"] = _game_codes(table["game_id"], game_ids)
            continue
        data[column.name] = _typed(table[column.name], column, name)
    for extra in table.columns:
        if str(extra) not in data:
            data[str(extra)] = _condition(table[extra].reset_index(drop=True))
    result = pd.DataFrame(data, index=pd.RangeIndex(len(table)), copy=False)
    for column in columns:
        if column.required and column.name in data and data[column.name].isna().any():
            raise DataError(f"table {name}: column {column.name!r} has nulls, expected a value in every row")
    return result


def _condition(values: pd.Series) -> pd.Series:
    """A condition column; texts and truth values that pandas keeps as objects get their own type.

    A column without any value is one of texts, as all stores give it back.
    """
    if values.dtype != object:
        return values
    kinds = {"string": TEXT, "empty": TEXT, "boolean": "boolean"}
    kind = kinds.get(pd.api.types.infer_dtype(values, skipna=True))
    return values if kind is None else values.astype(cast(Any, kind))


def _game_codes(ids: pd.Series[str], game_ids: pd.Index) -> pd.Series[str]:
    if isinstance(ids.dtype, pd.CategoricalDtype):
        levels = ids.cat.categories
        if levels.dtype == game_ids.dtype and levels.equals(game_ids):
            return ids.reset_index(drop=True)
    codes = game_ids.get_indexer(pd.Index(ids.astype(game_ids.dtype)))
    if (codes < 0).any():
        stray = ids.iloc[int(np.flatnonzero(codes < 0)[0])]
        raise DataError(f"table moves refers to game_id {stray!r}, which table games does not have")
    return pd.Series(pd.Categorical.from_codes(codes, categories=game_ids))


def _nulls(column: codebook.Column, n: int) -> pd.Series:
    if column.kind in _DTYPES:
        if column.kind == "float":
            return pd.Series(np.full(n, np.nan))
        one = pd.array([pd.NA], dtype=cast(Any, _DTYPES[column.kind]))
        return pd.Series(one.take(np.zeros(n, dtype=np.intp)))
    if column.kind == "category":
        return pd.Series(pd.Categorical.from_codes(np.full(n, -1), categories=pd.Index([], dtype=TEXT)))
    return pd.Series(pd.array([None], dtype=TEXT).take(np.zeros(n, dtype=np.intp)))


def _typed(values: pd.Series, column: codebook.Column, table: str) -> pd.Series:
    values = values.reset_index(drop=True)
    try:
        if column.kind in _DTYPES:
            dtype = _DTYPES[column.kind]
            typed: pd.Series = values if values.dtype == dtype else values.astype(cast(Any, dtype))
            return typed
        if column.kind == "category":
            if isinstance(values.dtype, pd.CategoricalDtype):
                levels = values.cat.categories
                if levels.dtype == TEXT:
                    return values
                return pd.Series(
                    pd.Categorical.from_codes(values.cat.codes, categories=pd.Index(levels, dtype=TEXT))
                )
            return values.astype(TEXT).where(values.notna()).astype("category")
        if column.kind == "strings":
            return values
        text = values if values.dtype == TEXT else values.astype(TEXT)
        return text.where(values.notna()) if values.dtype == object else text
    except (TypeError, ValueError) as error:
        where = f"table {table}: " if table else ""
        raise DataError(f"{where}column {column.name!r} is no {column.kind}: {shorten(error)}") from None


LIST_SEPARATOR = "|"
"""Between the items of a list in a cell of text."""

TEXT_KINDS: dict[str, str] = {
    column.name: column.kind
    for table in (codebook.GAMES, codebook.SEATS, codebook.LABELS)
    for column in table
    if column.kind in ("string", "category", "strings")
}
"""Columns of text in the codebook, with their kinds."""

_ABSENT = ("NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")
"""Words for no value among numbers; in a text they are words like any other."""


def keys_of_rows(table: pd.DataFrame, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """The cells of some columns, row by row; without columns an empty tuple each.

    ``itertuples`` of pandas before 3 gives no row at all where there is no column.
    """
    return list(table[list(columns)].itertuples(index=False, name=None)) if columns else [()] * len(table)


def kind_of(name: str, column: pd.Series) -> str:
    """The kind of a column, as the codebook names kinds."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return kind_of(name, pd.Series(column.cat.categories))
    if column.dtype == object and any(is_list(cell) for cell in column):
        return "strings"
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred == "empty" and column.dtype == object:
        return TEXT_KINDS.get(name, "string")
    if pd.api.types.is_float_dtype(column.dtype) or inferred == "mixed-integer-float":
        return "float"
    return {"boolean": "bool", "integer": "int", "floating": "float"}.get(inferred, "string")


def is_list(cell: object) -> bool:
    """Whether a cell holds several values."""
    return isinstance(cell, list | tuple | np.ndarray)


def guessed(column: pd.Series) -> pd.Series:
    """A column of unknown kind: numbers or truth values where all its words are, else as it is."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    cells = column.mask(column.isin(_ABSENT))
    known = cells.notna()
    truths = cells.astype("string").str.casefold().map({"true": True, "false": False})
    if known.any() and truths.notna().sum() == known.sum():
        return truths.astype("boolean")
    numbers = pd.to_numeric(cells, errors="coerce")
    return numbers if known.any() and numbers.notna().sum() == known.sum() else column


def typed(table: pd.DataFrame, kinds: Mapping[str, str]) -> pd.DataFrame:
    """The table with every column of known kind typed so; one that no longer fits is left as it is."""
    for name in table.columns:
        column, kind = table[name], kinds.get(name)
        try:
            if kind == "strings":
                table[name] = pd.Series([_items(cell) for cell in column], index=column.index, dtype=object)
            elif kind in ("string", "category"):
                table[name] = column.astype(cast(Any, TEXT)).where(column.notna())
            elif kind is not None:
                nullable = {"int": "Int64", "bool": "boolean", "float": "float64"}[kind]
                whole = {"int": "int64", "bool": "bool", "float": "float64"}[kind]
                table[name] = column.astype(cast(Any, nullable if column.isna().any() else whole))
        except (TypeError, ValueError):
            continue
    return table


def _items(cell: Any) -> list[Any] | None:
    if isinstance(cell, str):
        return cell.split(LIST_SEPARATOR)
    return list(cell) if is_list(cell) else []


TABLE_SUFFIXES = (".parquet", ".csv", ".jsonl")

LABEL_MARKS = frozenset({"game_id", "seat", "best", "confidence"})
"""Columns that only a table of labels has together."""

PLAYER_MARKS = frozenset({"player", "n_games", "best", "confidence"})
"""Those of labels of players, each with all its games."""

_GZIP = b"\x1f\x8b"
_HEAD = 1 << 20
"""Bytes of a text file in which its first line must end."""


def table_suffix(path: Path) -> str | None:
    """Which kind of table a name promises, one of `TABLE_SUFFIXES`; text may have .gz behind it."""
    suffix = Path(path.name.removesuffix(".gz")).suffix
    known = suffix in TABLE_SUFFIXES and (suffix != ".parquet" or path.suffix == suffix)
    return suffix if known else None


def columns_of(path: str | Path) -> list[str]:
    """Names of the columns of a table (of JSON lines, the keys of the first); empty for what is none."""
    source = path_of(path)
    suffix = table_suffix(source)
    if suffix is None or not source.is_file():
        return []
    if suffix == ".parquet":
        from intent.base.binary import parquet_schema

        try:
            return list(parquet_schema(source).names)
        except (DataError, OSError):
            return []
    return _columns_of_text(_head(source), suffix)


def holds_labels(path: str | Path) -> bool:
    """Whether a file is a table of labels, by the names of its columns."""
    return are_labels(columns_of(path))


def are_labels(columns: Iterable[str]) -> bool:
    """Whether these are the columns of a table of labels, of games or of players."""
    there = set(columns)
    return there >= LABEL_MARKS or there >= PLAYER_MARKS


def strategy_classes(labels: pd.DataFrame, provenance: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """The classes of the recogniser that made a table of labels, in its order.

    1. Those that the provenance of the table names, where its posteriors have a column each.
    2. Else every column ``p_<STRATEGY>`` that stands where labels have them, between confidence and
       consistent, so that a condition column such as ``p_value`` is no strategy.
    3. Else (columns were reordered) every column ``p_<STRATEGY>``.

    Parameters
    ----------
    labels : DataFrame
    provenance : mapping, optional
        Metadata of the file; default ``labels.attrs["provenance"]``, where there is one.
    """
    prefix, columns = codebook.PROBABILITY_PREFIX, [str(c) for c in labels.columns]
    facts = labels.attrs.get("provenance") if provenance is None else provenance
    declared = facts.get("classes") if isinstance(facts, Mapping) else None
    if isinstance(declared, list | tuple) and declared and {f"{prefix}{c}" for c in declared} <= set(columns):
        return tuple(map(str, declared))
    first = columns.index("confidence") if "confidence" in columns else 0
    last = columns.index("consistent") if "consistent" in columns else len(columns)
    every = [c for c in columns if c.startswith(prefix)]
    within = [c for c in columns[first:last] if c.startswith(prefix)]
    return tuple(c.removeprefix(prefix) for c in within or every)


def column_names(columns: str | Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """Column names in order; a text is split at commas unless it is a column itself.

    Parameters
    ----------
    columns : text, or several
    known : the columns that there are
    """
    names: list[str] = []
    for item in [columns] if isinstance(columns, str) else columns:
        names += [item] if item in known else [part.strip() for part in item.split(",") if part.strip()]
    return tuple(names)


def _head(path: Path) -> bytes:
    """The beginning of a text file, unpacked."""
    try:
        return text_head(path, _HEAD)
    except DataError:
        return b""


def _columns_of_text(head: bytes, suffix: str) -> list[str]:
    line = head.decode("utf-8-sig", errors="replace").split("\n", 1)[0].rstrip("\r")
    try:
        if suffix == ".csv":
            return next(csv.reader([line]), [])
        value = json_value(line)
    except (ValueError, csv.Error, RecursionError):
        return []
    return list(value) if isinstance(value, dict) else []


METADATA_KEY = b"intent"
_KINDS = "columns"
"""Key of the companion file under which the kind of every column is kept."""

_EXACT: dict[str, Any] = {} if PANDAS >= (3, 1) else {"float_precision": "round_trip"}
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


@contextmanager
def table_writer(
    target: Path | None, overwrite: bool
) -> Iterator[tuple[Callable[[pa.Table], None], Callable[[Mapping[str, Any]], None]]]:
    """Two functions: one adds rows to a Parquet file, one ends it with the facts on it.

    The file appears when the block ends without an error; without a target nothing is written. Texts are
    written by their codes and come back as texts: the file keeps no types of Arrow's own.
    """
    import pyarrow.parquet as pq

    if target is None:
        yield lambda table: None, lambda facts: None
        return
    with writing(target, overwrite=overwrite) as draft:
        opened: list[pq.ParquetWriter] = []

        def write(table: pa.Table) -> None:
            if not opened:
                opened.append(
                    pq.ParquetWriter(
                        draft,
                        table.schema,
                        compression="zstd",
                        store_schema=False,
                        use_dictionary=[c for c in table.column_names if c != "game_id"],
                        column_encoding={"game_id": "DELTA_BYTE_ARRAY"},
                    )
                )
            opened[0].write_table(table, row_group_size=len(table))

        def close(facts: Mapping[str, Any]) -> None:
            opened[0].add_key_value_metadata({METADATA_KEY: json.dumps(dict(facts)).encode()})

        try:
            yield write, close
        finally:
            for writer in opened:
                writer.close()


def claim_table(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path, once it is sure that a table and its companion may be written; call it before long work.

    Raises
    ------
    OutputError
        As `write_table`.
    """
    target = path_of(path)
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
    source = path_of(path)
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
    facts = json_value(file_bytes(beside, bounds().object_bytes, "facts on a table"))
    if not isinstance(facts, dict):
        raise ValueError(f"{beside.name} holds a {type(facts).__name__}, expected an object")
    kinds = facts.pop(_KINDS, None)
    known = kinds.items() if isinstance(kinds, dict) else ()
    return facts, {name: kind for name, kind in known if kind in get_args(codebook.Kind)}


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


ROWS = 1 << 15
"""Rows that are read at a time."""


def parquet_to_csv(table: Path, target: Path, facts: Mapping[str, Any], *, rows: int = ROWS) -> None:
    """Write a Parquet file that has rows as `intent.base.tables.write_table` writes them to CSV, anew.

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
        text = json.dumps({**facts, "columns": kinds}, indent=2, ensure_ascii=False)
        draft.write_text(text + "\n", encoding="utf8")


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

    from intent.base.binary import open_parquet

    types = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    with open_parquet(table) as file:
        for batch in file.iter_batches(batch_size=rows, columns=columns, use_threads=False):
            if len(batch):
                yield batch.to_pandas(ignore_metadata=True, types_mapper=types.get)


def _returns(table: Path, rows: int) -> bool:
    """Whether a text has a lone carriage return, which only quotes keep from ending a row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from intent.base.binary import open_parquet

    with open_parquet(table) as file:
        textual = (pa.types.is_string, pa.types.is_large_string)
        texts = [field.name for field in file.schema_arrow if any(kind(field.type) for kind in textual)]
        return any(
            pc.any(pc.match_substring(column, "\r")).as_py()
            for batch in file.iter_batches(batch_size=rows, columns=texts, use_threads=False)
            for column in batch.columns
        )
