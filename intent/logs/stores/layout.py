"""What all stores of a game log share: the facts beside the tables, and exact types on the way back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from intent import schema
from intent.errors import DataError, OutputError, shorten
from intent.files.bounds import bounds
from intent.files.json_text import json_value
from intent.logs.gamelog import GameLog
from intent.logs.migrate import check_version, migrate
from intent.logs.tables import TEXT

__all__ = ["FACTS", "TABLE_NAMES", "describe", "dump_facts", "load_facts", "rebuild"]

FACTS = "log.json"
"""Name of the member that holds schema version, provenance and types."""

TABLE_NAMES = tuple(schema.TABLES)

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
    return {"intent_log": schema.SCHEMA_VERSION, "columns": columns, "provenance": log.provenance}


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
    if pd.api.types.is_object_dtype(dtype) and values.isna().all():
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
