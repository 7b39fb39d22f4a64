"""Stores of the game log, which the suffix of a path chooses: JSON lines, Parquet and CSV.

All share the facts beside the tables, exact types on the way back, and old layouts brought up to date when
they are read. JSON lines are for streams and other languages: the first holds the facts (``intent_log``,
types, provenance), each further one a game with its seats and moves. Nulls are left out; rows are grouped by
game, and in a game they keep their order. Parquet (the main one) and CSV have a member per table, in a folder
or a zip, with ``log.json``. In CSV texts are quoted and nulls are not, so that an empty text and a null stay
apart.
"""

from __future__ import annotations

import gzip
import io
import json
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from intent.base import codebook
from intent.base.binary import Archive, explained, list_members, parquet_table, read_member, write_zip
from intent.base.errors import DataError, OutputError, UsageError, located, of_file, shorten
from intent.base.files import TextFile, bounds, file_head, is_remote, json_value, path_of, require_file
from intent.base.outputs import writing
from intent.base.tables import TEXT
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.readers.reader import Reader, Settings, Source

__all__ = [
    "ALIKE",
    "FACTS",
    "MIGRATIONS",
    "READER",
    "TABLE_NAMES",
    "GameRows",
    "ParquetLogWriter",
    "Tables",
    "check_game",
    "check_version",
    "describe",
    "dump_facts",
    "game_records",
    "is_part",
    "load_facts",
    "migrate",
    "plain_facts",
    "read_csv",
    "read_gamelog",
    "read_jsonl",
    "read_parquet",
    "read_tables",
    "rebuild",
    "write_csv",
    "write_jsonl",
    "write_log",
    "write_parquet",
]


Tables: TypeAlias = dict[str, pd.DataFrame]


def _as_it_is(tables: Tables) -> Tables:
    """Version 1 knew no decisions beside what was played: without the column they are what was played."""
    return tables


MIGRATIONS: dict[int, Callable[[Tables], Tables]] = {1: _as_it_is}
"""Version -> function from the tables of that version to those of the next. A change of
`codebook.SCHEMA_VERSION` adds the row for the version that it leaves behind."""


ALIKE = (1, codebook.SCHEMA_VERSION)
"""Versions whose tables are those of today, but for columns that may be absent: they can be read in parts."""


def check_version(version: object, current: int = codebook.SCHEMA_VERSION) -> int:
    """The version of a stored layout, once it is sure that this release can read it.

    Raises
    ------
    DataError
        No version, or a newer one than ours.
    """
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise DataError(
            f"schema version {shorten(repr(version))}, expected a whole number from 1 to {current}"
        )
    if version > current:
        raise DataError(
            f"schema version {version}, but this release reads up to {current}: update strategy-intent"
        )
    return version


def migrate(
    tables: Tables,
    version: object,
    *,
    migrations: Mapping[int, Callable[[Tables], Tables]] = MIGRATIONS,
    current: int = codebook.SCHEMA_VERSION,
) -> Tables:
    """The tables in today's layout.

    Raises
    ------
    DataError
        No version, a newer one than ours, or one that nothing leads on from.
    """
    for step in range(check_version(version, current), current):
        if step not in migrations:
            raise DataError(f"schema version {version} can no longer be read: no migration from {step}")
        tables = migrations[step](tables)
    return tables


FACTS = "log.json"
"""Name of the member that holds schema version, provenance and types."""

TABLE_NAMES = tuple(codebook.TABLES)

_PLAIN = ("str", "Int64", "int64", "Float64", "float64", "boolean", "bool")


def describe(log: GameLog) -> dict[str, Any]:
    """The facts on a log: schema version, provenance, and the type of every column.

    Raises
    ------
    OutputError
        A condition column of a type that no store keeps (dates, lists, mixed values).
    """
    columns = {
        name: {c: _type(table[c], name, c) for c in table.columns} for name, table in log.tables().items()
    }
    return {"intent_log": codebook.SCHEMA_VERSION, "columns": columns, "provenance": log.provenance}


def _type(values: pd.Series[Any], table: str, column: str) -> Any:
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        if table == "moves" and column == "game_id":
            return {"category": None}
        categories = dtype.categories
        if categories.dtype in (TEXT, object) and all(isinstance(c, str) for c in categories):
            return {"category": [str(c) for c in categories]}
    if dtype == TEXT:
        return "str"
    if str(dtype) in _PLAIN:
        return str(dtype)
    # texts that were put into a table of the log by hand: objects to pandas 2
    if pd.api.types.is_object_dtype(dtype) and pd.api.types.infer_dtype(values, skipna=True) in (
        "string",
        "empty",
    ):
        return "str"
    raise OutputError(
        f"cannot store column {shorten(column)!r} of table {table}: its type is {dtype}, "
        "expected texts, numbers or truth values"
    )


def dump_facts(facts: Mapping[str, Any]) -> str:
    """The facts as JSON."""
    return json.dumps(facts, ensure_ascii=False, indent=1, default=_plain) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, set | frozenset | tuple):
        return sorted(value) if isinstance(value, set | frozenset) else list(value)
    return str(value)


def plain_facts(log: GameLog) -> dict[str, Any]:
    """The facts on a log as JSON has them, and nothing else."""
    facts: dict[str, Any] = json.loads(dump_facts(describe(log)))
    return facts


def load_facts(text: str | bytes, where: str = FACTS) -> dict[str, Any]:
    """The facts from untrusted JSON.

    Parameters
    ----------
    text : str or bytes
    where : str
        What messages call it.

    Raises
    ------
    DataError
        It is no JSON object that says ``intent_log``.
    """
    try:
        facts = json_value(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is no JSON: {shorten(error)}") from None
    if not isinstance(facts, dict) or "intent_log" not in facts:
        raise DataError(f"{where} does not say intent_log, the schema version")
    if not isinstance(facts.get("provenance", {}), dict):
        raise DataError(f"{where}: provenance is {shorten(facts['provenance'])}, expected an object")
    columns = facts.get("columns")
    if not isinstance(columns, dict) or not all(isinstance(c, dict) for c in columns.values()):
        raise DataError(f"{where} does not say columns, the types of each table")
    for name, types in columns.items():
        for column, kind in types.items():
            listed = isinstance(kind, dict) and isinstance(kind.get("category", 0), list | None)
            if kind not in _PLAIN and not listed:
                raise DataError(
                    f"{where}: type {shorten(kind)} of column {shorten(column)!r} in {shorten(name)}"
                )
    return facts


def rebuild(tables: Mapping[str, pd.DataFrame], facts: Mapping[str, Any]) -> GameLog:
    """The log from its stored tables, each column in the type it had.

    Raises
    ------
    DataError
        A table is missing or does not hold what the facts say.
    """
    for name in ("games", "seats", "moves"):
        if name not in tables:
            raise DataError(f"no table {name}")
    check_version(facts["intent_log"])
    own = tables["games"].get("game_id", pd.Series([], dtype=TEXT)).astype(TEXT)
    if not own.is_unique:
        raise DataError(
            f"game_id {own[own.duplicated()].iloc[0]!r} occurs twice, expected unique identifiers"
        )
    ids = pd.Index(own)
    typed = {
        name: _retyped(table, name, facts["columns"].get(name, {}), ids) for name, table in tables.items()
    }
    ready = migrate(typed, facts["intent_log"])
    for name, column, highest in (
        ("seats", "seat", bounds().seats),
        ("moves", "seat", bounds().seats),
        ("moves", "round", bounds().rounds),
    ):
        numbers = ready[name].get(column, pd.Series([], dtype="Int64"))
        if not pd.api.types.is_integer_dtype(numbers.dtype) or not numbers.between(1, highest).all():
            raise DataError(f"table {name}: column {column!r} goes beyond 1 to {highest}")
    return GameLog(
        ready["games"],
        ready["seats"],
        ready["moves"],
        ready.get("questions"),
        provenance=facts.get("provenance") or {},
    )


def _retyped(table: pd.DataFrame, name: str, types: Mapping[str, Any], ids: pd.Index) -> pd.DataFrame:
    missing = next((c for c in types if c not in table.columns), None)
    if missing is not None:
        raise DataError(f"table {name} has no column {shorten(missing)!r}")
    data = {}
    for column in table.columns:
        values, kind = table[column], types.get(column)
        try:
            if isinstance(kind, dict):
                categories = ids if kind["category"] is None else pd.Index(kind["category"], dtype=TEXT)
                data[column] = _categorical(values, categories)
            elif kind is None or str(values.dtype) == kind:
                data[column] = values
            else:
                data[column] = values.astype(TEXT if kind == "str" else kind)
        except (TypeError, ValueError) as error:
            raise DataError(
                f"table {name}: column {shorten(column)!r} is no {kind}: {shorten(error)}"
            ) from None
    return pd.DataFrame(data, copy=False)


def _categorical(values: pd.Series[Any], categories: pd.Index) -> pd.Series[Any]:
    """The values over the given categories, recoded without spelling them out where they are coded."""
    if not categories.is_unique:
        raise ValueError("categories occur twice")
    if isinstance(values.dtype, pd.CategoricalDtype):
        place = categories.get_indexer(pd.Index(values.cat.categories, dtype=TEXT))
        codes = np.append(place, -1)[values.cat.codes.to_numpy()]
        unknown = (codes < 0) & (values.cat.codes.to_numpy() >= 0)
    else:
        texts = pd.Index(values.astype(TEXT))
        codes = categories.get_indexer(texts)
        codes[values.isna().to_numpy()] = -1
        unknown = (codes < 0) & values.notna().to_numpy()
    if unknown.any():
        raise ValueError(f"{shorten(values[unknown].iloc[0])!r} is none of its categories")
    return pd.Series(pd.Categorical.from_codes(codes, categories=categories, validate=False))


def check_game(game: Any, columns: Mapping[str, Mapping[str, Any]], ids: set[str]) -> None:
    """Refuse a game whose tables do not agree, as `integrity` does for the tables of a whole log.

    Parameters
    ----------
    game : mapping of table -> its row (games) or rows
    columns : mapping of table -> its columns
    ids : set of str
        Identifiers of the games before; gets that of this one.

    Raises
    ------
    DataError
        An unknown column, an identifier that is none or occurred before, a seat listed twice, a move of a
        seat that is not listed, or two moves of a seat in one round and step.
    KeyError, TypeError, AttributeError
        It does not have the shape of a game.
    """
    game_id = game["games"]["game_id"]
    if not isinstance(game_id, str):
        raise DataError(f"game_id is {shorten(game_id)}, expected a text")
    if game_id in ids:
        raise DataError(f"game_id {shorten(game_id)!r} occurs twice, expected unique identifiers")
    for name, known in columns.items():
        for row in [game["games"]] if name == "games" else game.get(name, []):
            stray = row.keys() - known.keys()
            if stray:
                raise DataError(f"unknown column {shorten(min(stray))!r} in {name}")
    allowed = bounds()
    seats: set[int] = set()
    for row in game.get("seats", []):
        seat = _number(row, "seats", "seat", allowed.seats)
        if seat in seats:
            raise DataError(f"table seats lists seat {seat} twice")
        seats.add(seat)
    places: set[tuple[int, int, int]] = set()
    for row in game.get("moves", []):
        seat = _number(row, "moves", "seat", allowed.seats)
        place = (
            _number(row, "moves", "round", allowed.rounds),
            _number(row, "moves", "step", allowed.rounds),
            seat,
        )
        if seat not in seats:
            raise DataError(f"table moves: seat {seat} is not listed in table seats")
        if place in places:
            raise DataError(f"table moves has two moves of seat {seat} in round {place[0]}")
        places.add(place)
    ids.add(game_id)


def _number(row: Mapping[str, Any], table: str, name: str, highest: int) -> int:
    value = row.get(name)
    if type(value) is not int or not 1 <= value <= highest:
        raise DataError(f"table {table}: {name} is {shorten(value)}, expected 1 to {highest}")
    return value


def write_jsonl(log: GameLog, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a log as JSON lines, compressed where the path ends in .gz."""
    target = Path(path)
    facts = json.dumps(plain_facts(log), ensure_ascii=False, separators=(",", ":"))
    with writing(target, overwrite=overwrite) as draft, draft.open("wb") as raw:
        if target.suffix == ".gz":
            with gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as packed:
                for line in (facts, *_lines(log)):
                    packed.write(line.encode() + b"\n")
        else:
            for line in (facts, *_lines(log)):
                raw.write(line.encode() + b"\n")
    return target


def game_records(log: GameLog) -> Iterator[dict[str, Any]]:
    """Each game with its rows in every table, nulls left out; what `GameRows` makes a log of again."""
    records = {name: _records(table) for name, table in log.tables().items()}
    place = {game_id: i for i, game_id in enumerate(log.games["game_id"])}
    nested: list[dict[str, Any]] = [{"games": record} for record in records.pop("games")]
    for game in nested:
        game.update({name: [] for name in records})
    for name, rows in records.items():
        for row in rows:
            nested[place[row.pop("game_id")]][name].append(row)
    yield from nested


def _lines(log: GameLog) -> Iterator[str]:
    for game in game_records(log):
        yield json.dumps(game, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as mappings without nulls."""
    columns = []
    for name in table.columns:
        values = table[name]
        missing = values.isna().to_numpy()
        columns.append([None if gone else _cell(v) for v, gone in zip(values.tolist(), missing, strict=True)])
    names = list(table.columns)
    return [
        {name: cell for name, cell in zip(names, row, strict=True) if cell is not None}
        for row in zip(*columns, strict=True)
    ]


def _cell(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def read_jsonl(path: str | Path, rejects: Rejects | None = None) -> GameLog:
    """Read a log from JSON lines.

    Parameters
    ----------
    path : str or Path
    rejects : Rejects, optional
        Gets the lines that are no game; without it, the first one is an error.

    Raises
    ------
    DataError
        A line is no JSON object with the tables of one game, or not one line is.
    """
    text = TextFile(path, partial=rejects is not None)
    lines = text.data.split(b"\n")
    try:
        facts = load_facts(lines[0], "the line")
    except DataError as error:
        raise DataError(located(text.path, str(error), 1)) from None
    games = GameRows(facts)
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            try:
                problem = games.add(json_value(line))
            except (ValueError, RecursionError) as error:
                problem = f"no game as JSON: {shorten(repr(error))}"
            if problem and rejects is None:
                raise DataError(located(text.path, problem, number))
            if problem and rejects is not None:
                rejects.add(number, problem, text.line(number))
    if rejects is not None:
        rejects.add_gap(text)
        rejects.table(len(games))
    try:
        return games.log()
    except DataError as error:
        raise of_file(text.path, error) from None


class GameRows:
    """The rows of games that come one by one, from JSON that anybody may have written.

    Parameters
    ----------
    facts : as `load_facts`
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self._facts, types = facts, facts["columns"]
        self._columns: dict[str, dict[str, list[Any]]] = {
            name: {c: [] for c in types[name]} for name in TABLE_NAMES if name in types
        }
        self._seen: set[str] = set()

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, game: Any) -> str:
        """Add a game as `game_records` gives it; returns why that cannot be, empty where it can."""
        try:
            check_game(game, self._facts["columns"], self._seen)
            _collect(game, self._columns)
        except DataError as error:
            return str(error)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            return f"no game as JSON: {shorten(repr(error))}"
        return ""

    def log(self) -> GameLog:
        """The log of all games.

        Raises
        ------
        DataError
            A column does not hold what the facts say.
        """
        types = self._facts["columns"]
        tables = {
            name: pd.DataFrame({c: _series(cells, types[name][c]) for c, cells in table.items()})
            for name, table in self._columns.items()
        }
        return rebuild(tables, self._facts)


def _collect(game: Any, columns: dict[str, dict[str, list[Any]]]) -> None:
    """Add the rows of one game, already checked, to the columns of its tables."""
    game_id = game["games"]["game_id"]
    for name, table in columns.items():
        for row in [game["games"]] if name == "games" else game.get(name, []):
            for column, cells in table.items():
                cells.append(game_id if column == "game_id" else row.get(column))


def _series(cells: list[Any], kind: Any) -> pd.Series[Any]:
    try:
        if kind in ("float64", "Float64"):
            return pd.Series(
                [np.nan if cell is None else float(cell) for cell in cells], dtype="float64"
            ).astype(kind)
        if kind in ("Int64", "int64"):
            if not all(
                cell is None or (isinstance(cell, int) and not isinstance(cell, bool)) for cell in cells
            ):
                raise ValueError("expected whole numbers")
            return pd.Series(cells, dtype="Int64")
        if kind in ("boolean", "bool"):
            return pd.Series(cells, dtype="boolean")
        if not all(cell is None or isinstance(cell, str) for cell in cells):
            raise ValueError("expected texts")
        return pd.Series(cells, dtype=TEXT)
    except (ValueError, TypeError, OverflowError) as error:
        raise DataError(f"a column of type {shorten(kind)}: {shorten(error)}") from None


def read_tables(
    path: str | Path, suffix: str, load: Callable[[Path | Archive, str, dict[str, Any]], pd.DataFrame]
) -> GameLog:
    """A log from a folder or zip of one member per table.

    Parameters
    ----------
    path : folder or zip
    suffix : str, such as ``".csv"``
    load : called with folder or archive, name of the member and stored types of its columns

    Raises
    ------
    DataError
        A member is missing, damaged, or contradicts the others; the message names the path.
    LimitError
        A member is larger than the bound that protects memory.
    """
    source = path_of(path)
    try:
        if source.is_dir():
            return _tables(source, list_members(source), suffix, load)
        with Archive(source) as archive:
            return _tables(archive, archive.names, suffix, load)
    except DataError as error:
        raise of_file(source, error) from None


def _tables(
    source: Path | Archive,
    present: Collection[str],
    suffix: str,
    load: Callable[[Path | Archive, str, dict[str, Any]], pd.DataFrame],
) -> GameLog:
    if isinstance(source, Archive):
        facts = load_facts(source.read(FACTS, bound="object_bytes"))
    else:
        facts = load_facts(read_member(source, FACTS, bound="object_bytes"))
    tables = {
        name: load(source, name + suffix, facts["columns"].get(name, {}))
        for name in TABLE_NAMES
        if name + suffix in present
    }
    return rebuild(tables, facts)


_CODED = pa.dictionary(pa.int32(), pa.large_string())


class ParquetLogWriter:
    """Writes a log in chunks, so that a corpus larger than memory can be made.

    Parameters
    ----------
    path : str or Path
        The folder to make.
    overwrite : bool
    provenance : mapping, optional
        Facts on the whole log; by default those of the first chunk.

    Raises
    ------
    OutputError
        The path cannot be written, nothing was written, or a chunk has other columns than the first.

    Notes
    -----
    The folder appears when the block ends without an error. That no game_id occurs in two chunks is
    checked when the log is read.

    Examples
    --------
    >>> with ParquetLogWriter("corpus") as writer:  # doctest: +SKIP
    ...     for chunk in chunks:
    ...         writer.write(chunk)
    """

    def __init__(
        self, path: str | Path, *, overwrite: bool = False, provenance: dict[str, Any] | None = None
    ) -> None:
        self._target = writing(path, overwrite=overwrite)
        self._path, self._provenance = path_of(path), provenance
        self._facts: dict[str, Any] = {}
        self._writers: dict[str, pq.ParquetWriter] = {}

    def __enter__(self) -> ParquetLogWriter:
        self._folder = self._target.__enter__()
        self._folder.mkdir()
        return self

    def write(self, log: GameLog) -> None:
        """Add the games of a log."""
        facts = describe(log)
        if not self._facts:
            self._facts = facts
            for name, table in log.tables().items():
                self._writers[name] = pq.ParquetWriter(
                    self._folder / f"{name}.parquet", _arrow(table).schema, compression="zstd"
                )
        else:
            self._join(facts["columns"])
        for name, table in log.tables().items():
            self._writers[name].write_table(_arrow(table))

    def _join(self, columns: dict[str, dict[str, Any]]) -> None:
        """Check that a further chunk has the columns of the first, and join its categories."""
        mine = self._facts["columns"]
        for name in TABLE_NAMES:
            first, now = mine.get(name), columns.get(name)
            if first is None or now is None:
                if first is not now:
                    raise OutputError(f"cannot add to {self._path}: table {name} is not in every chunk")
                continue
            for column in dict.fromkeys([*first, *now]):
                a, b = first.get(column), now.get(column)
                if isinstance(a, dict) and isinstance(b, dict):
                    if a["category"] is not None:
                        a["category"] = list(dict.fromkeys([*a["category"], *b["category"]]))
                elif a != b:
                    raise OutputError(
                        f"cannot add to {self._path}: column {shorten(column)!r} of {name} is {b}, "
                        f"in the first chunk {a}"
                    )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writer in self._writers.values():
            writer.close()
        if kind is None and not self._facts:
            problem = OutputError(f"cannot write {self._path}: no game was written")
            self._target.__exit__(OutputError, problem, None)
            raise problem
        if kind is None:
            if self._provenance is not None:
                self._facts["provenance"] = self._provenance
            (self._folder / FACTS).write_text(dump_facts(self._facts), encoding="utf-8")
        self._target.__exit__(kind, error, trace)


def write_parquet(log: GameLog, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a log as a Parquet folder, or as a zip of the same members where the path ends in .zip."""
    target = path_of(path)
    if target.suffix != ".zip":
        with ParquetLogWriter(target, overwrite=overwrite) as writer:
            writer.write(log)
        return target
    facts = dump_facts(describe(log)).encode()
    with writing(target, overwrite=overwrite) as draft:
        members = {FACTS: facts}
        for name, table in log.tables().items():
            sink = io.BytesIO()
            pq.write_table(_arrow(table), sink, compression="zstd")
            members[f"{name}.parquet"] = sink.getvalue()
        write_zip(draft, members, packed=False)
    return target


def read_parquet(path: str | Path) -> GameLog:
    """Read a log from a Parquet folder or zip.

    Raises
    ------
    DataError
        A member is missing, damaged, or contradicts the others.
    LimitError
        A member is larger than the bound that protects memory.
    """
    return read_tables(path, ".parquet", _table)


def _arrow(table: pd.DataFrame) -> pa.Table:
    """The table without pandas' own metadata, coded columns with wide codes so that chunks agree."""
    arrow = pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)
    for i, field in enumerate(arrow.schema):
        if pa.types.is_dictionary(field.type):
            arrow = arrow.set_column(i, field.name, arrow.column(i).cast(_CODED))
        elif pa.types.is_null(field.type):
            arrow = arrow.set_column(i, field.name, arrow.column(i).cast(pa.large_string()))
    return arrow


def _table(source: Path | Archive, name: str, types: dict[str, Any]) -> pd.DataFrame:
    called = f"{source.name}: {name}"
    where = source.read(name) if isinstance(source, Archive) else source / name
    arrow = parquet_table(where, name=called)
    with explained(called):
        frame: pd.DataFrame = arrow.to_pandas(
            types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get,
            strings_to_categorical=False,
            ignore_metadata=True,
        )
    return frame


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


def is_part(target: Path, log: Path) -> bool:
    """Whether to write a file changes a log: it is the log, one of its tables, or would be read with them."""
    if is_remote(target) != is_remote(log):
        return False
    if not log.is_dir():
        return log.exists() and target.exists() and target.samefile(log)
    if not target.absolute().parent.is_dir() or not target.absolute().parent.samefile(log):
        return False
    from intent.logs.compact import is_compact

    if any((log / name).exists() for name in (FACTS, "games.parquet", "games.csv")):
        tables = {f"{name}{suffix}" for name in TABLE_NAMES for suffix in (".parquet", ".csv")}
        return target.exists() and target.name in {FACTS, *tables}
    return target.suffix == ".parquet" and is_compact(log)


_WRITERS = {
    ".csv.zip": write_csv,
    ".zip": write_parquet,
    ".jsonl": write_jsonl,
    ".jsonl.gz": write_jsonl,
    ".csvs": write_csv,
    ".parquet": write_parquet,
}
"""Suffix -> what writes the store; a path without suffix is a Parquet folder."""
_MEMBERS = {"games.parquet": read_parquet, "games.csv": read_csv}
"""Member of a folder or an archive -> what reads the store that wrote it."""


def write_log(log: GameLog, path: str | Path, overwrite: bool = False) -> Path:
    """Write a log; the suffix of the path says how.

    =========================  =======================================
    no suffix, ``.parquet``    folder of Parquet files
    ``.zip``                   the same in one archive
    ``.jsonl``, ``.jsonl.gz``  JSON lines, one game per line
    ``.csvs``                  folder of CSV files
    ``.csv.zip``               the same in one archive
    =========================  =======================================

    Raises
    ------
    OutputError
        Another suffix, or the path cannot be written.
    """
    target = path_of(path)
    suffix = next((suffix for suffix in _WRITERS if target.name.endswith(suffix)), None)
    if suffix is None and not target.suffix:
        suffix = ".parquet"
    if suffix is None:
        known = ", ".join(sorted(_WRITERS))
        raise OutputError(
            f"cannot write a log to {target}: suffix {target.suffix!r}, expected none or {known}"
        )
    return _WRITERS[suffix](log, target, overwrite=overwrite)


def read_gamelog(path: str | Path) -> GameLog:
    """Read a log that `write_log` wrote.

    Raises
    ------
    DataError
        It is none.
    """
    source = path_of(path)
    if source.is_dir() or file_head(require_file(source), 2) == b"PK":
        members = list_members(source)
        for name, read in _MEMBERS.items():
            if name in members:
                return read(source)
        if "xl/workbook.xml" in members:
            raise DataError(
                located(source, "an Excel workbook, expected text: save its sheet as CSV in UTF-8")
            )
        what = "a folder" if source.is_dir() else "an archive"
        raise DataError(located(source, f"{what} without games.parquet or games.csv, so no game log"))
    return read_jsonl(source)


def _recognises(source: Source, settings: Settings) -> bool:
    """Whether the source is a zip, JSON lines of ours, or a folder with one of our tables."""
    if source.kind != "folder":
        return True
    return any(
        (source.path / f"{table}.{kind}").is_file() for table in TABLE_NAMES for kind in ("parquet", "csv")
    )


def _read(source: Source, settings: Settings) -> GameLog:
    """The stored log, as it is; of JSON lines, those that are no game go to the rejects."""
    unused = settings.to_json()
    unused.pop("strict", None)
    if unused:
        raise UsageError(
            f"{source.path} is a log of our own and says itself what {', '.join(unused)} would say"
        )
    if not source.is_json:
        return read_gamelog(source.path)
    rejects = Rejects(source.path, strict=settings.strict)
    log = read_jsonl(source.path, rejects)
    log.rejects = rejects.table(len(log))
    return log


READER = Reader("gamelog", "a folder or zip with games, seats and moves, or JSON lines", _recognises, _read)
