"""The store for streams and other languages: JSON lines, one game per line with its seats and moves.

The first line holds the facts (``intent_log``, types, provenance). Nulls are left out. Rows are grouped by
game; within a game they keep their order.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from intent.errors import DataError, located, of_file, shorten
from intent.files.json_text import json_value
from intent.files.text import TextFile
from intent.logs.gamelog import GameLog
from intent.logs.output import writing
from intent.logs.rejects import Rejects
from intent.logs.stores.game_line import check_game
from intent.logs.stores.layout import TABLE_NAMES, describe, dump_facts, load_facts, rebuild
from intent.logs.tables import TEXT

__all__ = ["read_jsonl", "write_jsonl"]


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
