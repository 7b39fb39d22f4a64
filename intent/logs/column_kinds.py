"""The kinds of a table's columns, as the codebook names them: told, kept, and given back to cells of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from intent import schema
from intent.logs.tables import TEXT

__all__ = ["LIST_SEPARATOR", "TEXT_KINDS", "guessed", "is_list", "kind_of", "typed"]

LIST_SEPARATOR = "|"
"""Between the items of a list in a cell of text."""

TEXT_KINDS: dict[str, str] = {
    column.name: column.kind
    for table in (schema.GAMES, schema.SEATS, schema.LABELS)
    for column in table
    if column.kind in ("string", "category", "strings")
}
"""Columns of text in the codebook, with their kinds."""

_ABSENT = ("NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")
"""Words for no value among numbers; in a text they are words like any other."""


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
