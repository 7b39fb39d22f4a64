"""Tables that keep to the codebook: column order, types and required values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from intent import schema
from intent.errors import DataError, shorten

__all__ = ["TEXT", "conform", "empty_table"]

TEXT: Literal["str"] = "str" if pd.__version__ >= "3" else cast(Any, pd.StringDtype("pyarrow_numpy"))
"""Text in which null is NaN: the default of pandas 3, under its name in pandas 2.2."""

_DTYPES = {"int": "Int64", "float": "float64", "bool": "boolean"}


def empty_table(columns: Iterable[schema.Column]) -> pd.DataFrame:
    """A table of no rows with the columns of a codebook entry."""
    return pd.DataFrame({c.name: _typed(pd.Series([], dtype=object), c, "") for c in columns})


def conform(table: pd.DataFrame, name: str, *, game_ids: pd.Index | None = None) -> pd.DataFrame:
    """The table with the codebook's columns first, in order and typed, and a fresh index.

    Parameters
    ----------
    table : DataFrame
    name : str
        Key of `schema.TABLES`.
    game_ids : Index, optional
        All games in order; the column game_id becomes categorical over them.

    Raises
    ------
    DataError
        A required column is missing, null somewhere, or of the wrong type.
    """
    columns = schema.TABLES[name]
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
    result = pd.DataFrame(data, copy=False)
    for column in columns:
        if column.required and column.name in result and result[column.name].isna().any():
            raise DataError(f"table {name}: column {column.name!r} has nulls, expected a value in every row")
    return result


def _condition(values: pd.Series) -> pd.Series:
    """A condition column; texts and truth values that pandas 2 keeps as objects get their own type."""
    if values.dtype != object:
        return values
    kind = {"string": TEXT, "boolean": "boolean"}.get(pd.api.types.infer_dtype(values, skipna=True))
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


def _nulls(column: schema.Column, n: int) -> pd.Series:
    if column.kind in _DTYPES:
        return (
            pd.Series([np.nan if column.kind == "float" else pd.NA] * 1, dtype=_DTYPES[column.kind])
            .take(np.zeros(n, dtype=np.intp))
            .reset_index(drop=True)
        )
    if column.kind == "category":
        return pd.Series(pd.Categorical.from_codes(np.full(n, -1), categories=pd.Index([], dtype=TEXT)))
    return pd.Series(np.full(n, np.nan), dtype=TEXT)


def _typed(values: pd.Series, column: schema.Column, table: str) -> pd.Series:
    values = values.reset_index(drop=True)
    try:
        if column.kind in _DTYPES:
            wanted = _DTYPES[column.kind]
            typed: pd.Series = values if values.dtype == wanted else values.astype(cast(Any, wanted))
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
