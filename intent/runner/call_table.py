"""The calls of a run as a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import pandas as pd

from intent.agents.clients.registry import clean
from intent.base import codebook
from intent.base.errors import RunError, shorten
from intent.base.tables import TEXT
from intent.runner.caller import CallKey, call_name
from intent.runner.store import RunStore, unpack

__all__ = ["all_calls", "call_tables"]

_NAMES = [column.name for column in codebook.CALLS]
_STORED = [name for name in _NAMES if name not in ("reference", "game_id", "failures")]
_PACKED = ("text", "reasoning", "tool_calls")
_DTYPES = {"int": "Int64", "float": "float64", "bool": "boolean"}


def all_calls(
    store: RunStore, game_id: str | None = None, rounds: tuple[int, int] | None = None
) -> pd.DataFrame:
    """All calls, or those of one game and its rounds from a first to a last one.

    They are in the order of games, rounds, seats and attempts.
    """
    where: str = ""
    values: tuple[object, ...] = ()
    if game_id is not None:
        where, values = "WHERE game_id = ?", (game_id,)
    if game_id is not None and rounds is not None:
        where, values = f"{where} AND calls.round BETWEEN ? AND ?", (game_id, *rounds)
    return _table(list(_rows(store, where, values)))


def call_tables(store: RunStore, size: int) -> Iterator[pd.DataFrame]:
    """All calls in tables of `size` rows, in the same order; one empty table where there are none."""
    rows: list[dict[str, Any]] = []
    begun = False
    for row in _rows(store, "", ()):
        rows.append(row)
        if len(rows) == size:
            yield _table(rows)
            rows, begun = [], True
    if rows or not begun:
        yield _table(rows)


def _rows(store: RunStore, where: str, values: tuple[object, ...]) -> Iterator[dict[str, Any]]:
    failed = set(store.file.rows("SELECT DISTINCT game, round, seat, attempt FROM failures"))
    columns = ", ".join(f"calls.{name}" for name in _STORED)
    sql = (
        f"SELECT game, game_id, base, {columns} FROM calls JOIN plans USING (game) {where} "
        "ORDER BY game, calls.round, seat, attempt"
    )
    for game, name, base, *rest in store.file.rows(sql, values):
        row = dict(zip(_STORED, rest, strict=True))
        for column in _PACKED:
            row[column] = _clean(unpack(row[column]))
        row["body"] = _clean(unpack(row["body"], store.calls.base(base)))
        key = CallKey(game, row["round"], row["seat"], row["attempt"])
        row["game_id"], row["reference"] = name, call_name(name, key)
        row["failures"] = _failures(store, key) if key in failed else None
        yield row


def _clean(text: str | None) -> str | None:
    """Text that a table can hold, whatever client it came from."""
    return None if text is None else clean(text)


def _failures(store: RunStore, key: CallKey) -> str:
    sql = (
        "SELECT time, kind, message, seconds FROM failures "
        "WHERE game = ? AND round = ? AND seat = ? AND attempt = ? ORDER BY id"
    )
    names = ("time", "kind", "message", "seconds")
    rows = [dict(zip(names, row, strict=True)) for row in store.file.rows(sql, key)]
    return json.dumps(rows, ensure_ascii=False, default=str)


def _table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    data = {}
    for column in codebook.CALLS:
        values = pd.Series([row[column.name] for row in rows], dtype=object)
        try:
            data[column.name] = values.astype(cast(Any, _DTYPES.get(column.kind, TEXT)))
        except (TypeError, ValueError, OverflowError) as error:
            raise RunError(f"calls: column {column.name!r} is no {column.kind}: {shorten(error)}") from None
    return pd.DataFrame(data)
