"""Stores of the game log; the suffix of a path says which one writes it.

JSON lines are here, for streams and other languages: the first line holds the facts (``intent_log``, types,
provenance), then one game per line with its seats and moves. Nulls are left out; rows are grouped by game,
and within a game they keep their order. Tables are in `intent.logs.stores.folder`.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from intent.base.archive import list_members
from intent.base.errors import DataError, OutputError, located, of_file, shorten
from intent.base.files import TextFile, bounds, file_head, require_file, writing
from intent.base.json_text import json_value
from intent.base.tables import TEXT
from intent.logs.delimited import Rejects
from intent.logs.gamelog import GameLog
from intent.logs.stores.folder import (
    TABLE_NAMES,
    ParquetLogWriter,
    describe,
    dump_facts,
    load_facts,
    read_csv,
    read_parquet,
    rebuild,
    write_csv,
    write_parquet,
)

__all__ = [
    "ParquetLogWriter",
    "check_game",
    "is_part",
    "read_gamelog",
    "read_jsonl",
    "write_jsonl",
    "write_log",
]


def check_game(game: Any, columns: Mapping[str, Mapping[str, Any]], seen: set[str]) -> None:
    """Refuse a game whose tables do not agree, as `integrity` does for the tables of a whole log.

    Parameters
    ----------
    game : mapping of table -> its row (games) or rows
    columns : mapping of table -> its columns
    seen : set of str
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
    if game_id in seen:
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
    seen.add(game_id)


def _number(row: Mapping[str, Any], table: str, name: str, highest: int) -> int:
    value = row.get(name)
    if type(value) is not int or not 1 <= value <= highest:
        raise DataError(f"table {table}: {name} is {shorten(value)}, expected 1 to {highest}")
    return value


def write_jsonl(log: GameLog, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a log as JSON lines, compressed where the path ends in .gz."""
    target = Path(path)
    facts = json.dumps(json.loads(dump_facts(describe(log))), ensure_ascii=False, separators=(",", ":"))
    with writing(target, overwrite=overwrite) as draft, draft.open("wb") as raw:
        if target.suffix == ".gz":
            with gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as packed:
                for line in (facts, *_lines(log)):
                    packed.write(line.encode() + b"\n")
        else:
            for line in (facts, *_lines(log)):
                raw.write(line.encode() + b"\n")
    return target


def _lines(log: GameLog) -> Iterator[str]:
    records = {name: _records(table) for name, table in log.tables().items()}
    place = {game_id: i for i, game_id in enumerate(log.games["game_id"])}
    nested: list[dict[str, Any]] = [{"games": record} for record in records.pop("games")]
    for game in nested:
        game.update({name: [] for name in records})
    for name, rows in records.items():
        for row in rows:
            nested[place[row.pop("game_id")]][name].append(row)
    for game in nested:
        yield json.dumps(game, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as mappings without nulls."""
    columns = []
    for name in table.columns:
        values = table[name]
        missing = values.isna().to_numpy()
        columns.append(
            [None if gone else _plain(v) for v, gone in zip(values.tolist(), missing, strict=True)]
        )
    names = list(table.columns)
    return [
        {name: cell for name, cell in zip(names, row, strict=True) if cell is not None}
        for row in zip(*columns, strict=True)
    ]


def _plain(value: Any) -> Any:
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
    text = TextFile(path)
    lines = text.data.split(b"\n")
    try:
        facts = load_facts(lines[0], "the line")
    except DataError as error:
        raise DataError(located(text.path, str(error), 1)) from None
    types = facts["columns"]
    columns: dict[str, dict[str, list[Any]]] = {
        name: {c: [] for c in types[name]} for name in TABLE_NAMES if name in types
    }
    seen: set[str] = set()
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            try:
                game = json_value(line)
                check_game(game, types, seen)
                _collect(game, columns)
            except DataError as error:
                reason = str(error)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                reason = f"no game as JSON: {shorten(repr(error))}"
            else:
                continue
            if rejects is None:
                raise DataError(located(text.path, reason, number))
            rejects.add(number, reason, text.line(number))
    if rejects:
        rejects.table(len(seen))
    try:
        tables = {
            name: pd.DataFrame({c: _series(cells, types[name][c]) for c, cells in table.items()})
            for name, table in columns.items()
        }
        return rebuild(tables, facts)
    except DataError as error:
        raise of_file(text.path, error) from None


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


_WRITERS = {
    ".csv.zip": write_csv,
    ".zip": write_parquet,
    ".jsonl": write_jsonl,
    ".jsonl.gz": write_jsonl,
    ".csvs": write_csv,
    ".parquet": write_parquet,
}
"""Suffix -> store; a path without suffix is a Parquet folder."""


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
    target = Path(path)
    writer = next((write for suffix, write in _WRITERS.items() if target.name.endswith(suffix)), None)
    if writer is None and not target.suffix:
        writer = write_parquet
    if writer is None:
        known = ", ".join(sorted(_WRITERS))
        raise OutputError(
            f"cannot write a log to {target}: suffix {target.suffix!r}, expected none or {known}"
        )
    return writer(log, target, overwrite=overwrite)


def read_gamelog(path: str | Path) -> GameLog:
    """Read a log that `write_log` wrote.

    Raises
    ------
    DataError
        It is none.
    """
    source = Path(path)
    if source.is_dir() or file_head(require_file(source), 2) == b"PK":
        members = list_members(source)
        if "games.parquet" in members:
            return read_parquet(source)
        if "games.csv" in members:
            return read_csv(source)
        what = "folder" if source.is_dir() else "archive"
        raise DataError(located(source, f"a {what} without games.parquet or games.csv, so no game log"))
    return read_jsonl(source)


def is_part(target: Path, log: Path) -> bool:
    """Whether to write a file changes a log: it is the log, one of its tables, or would be read with them."""
    if not log.is_dir():
        return log.exists() and target.exists() and target.samefile(log)
    if not target.absolute().parent.is_dir() or not target.absolute().parent.samefile(log):
        return False
    from intent.logs.compact import is_compact
    from intent.logs.stores.folder import FACTS, TABLE_NAMES

    if any((log / name).exists() for name in (FACTS, "games.parquet", "games.csv")):
        tables = {f"{name}{suffix}" for name in TABLE_NAMES for suffix in (".parquet", ".csv")}
        return target.exists() and target.name in {FACTS, *tables}
    return target.suffix == ".parquet" and is_compact(log)
