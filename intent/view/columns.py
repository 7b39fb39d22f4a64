"""A column of many rows, held so that a filter takes milliseconds.

What a column holds, for a page that offers its values.

Which rows of a column a filter accepts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.errors import DataError, shorten
from intent.base.tables import LIST_SEPARATOR
from intent.view.query import ColumnFacts, Filter

__all__ = ["SeatColumn", "accepted", "arrow_column", "column_facts", "empty_column"]


@dataclass(eq=False)
class SeatColumn:
    """A column of games or of seats.

    Parameters
    ----------
    kind : {"text", "number", "bool", "list"}
    values : (n,) array
        Number: float64, NaN is null. Bool: int8, -1 is null. Text and list: int32 place in `names`, -1 is
        null.
    names : list of str
        Different texts; of lists, their items joined by ``|``.
    whole : bool
        Whether all numbers are whole.
    """

    kind: Literal["text", "number", "bool", "list"]
    values: NDArray[Any]
    names: list[str] = field(default_factory=list)
    whole: bool = False

    def __post_init__(self) -> None:
        self._places: dict[str, int] | None = None

    @property
    def is_coded(self) -> bool:
        """Whether the values are places in `names`."""
        return self.kind in ("text", "list")

    def snapshot(self) -> tuple[NDArray[Any], list[str]]:
        """Values, and the names that they are places in, while another thread may be filling the column."""
        values = self.values.copy()
        return values, [*self.names]

    def cell(self, row: int) -> Any:
        """The value of a row as Python has it: str, int, float, bool, list of str or None."""
        value = self.values[row]
        if self.is_coded:
            if value < 0:
                return None
            name = self.names[value]
            return (name.split(LIST_SEPARATOR) if name else []) if self.kind == "list" else name
        if self.kind == "bool":
            return None if value < 0 else bool(value)
        if np.isnan(value):
            return None
        return int(value) if self.whole else float(value)

    def fill(self, rows: NDArray[np.intp], cells: pd.Series[Any]) -> None:
        """Set rows to values as a table of pandas has them."""
        if self.is_coded:
            texts = pd.Series([_joined(cell) for cell in cells.tolist()], dtype=object)
            codes, names = pd.factorize(texts)
            self.values[rows] = np.append(self.places(names.tolist()), -1)[codes]
            return
        if not pd.api.types.is_numeric_dtype(cells.dtype):
            cells = pd.to_numeric(cells, errors="coerce")
        numbers = cells.to_numpy(dtype="float64", na_value=np.nan)
        if self.kind == "bool":
            numbers = np.where(np.isnan(numbers), -1, numbers).astype(np.int8)
        self.values[rows] = numbers

    def places(self, names: Sequence[str]) -> NDArray[np.int32]:
        """Place of each name, which is added where it is new."""
        if self._places is None:
            self._places = {name: i for i, name in enumerate(self.names)}
        positions = []
        for name in names:
            if name not in self._places:
                self.names.append(name)
                self._places[name] = len(self.names) - 1
            positions.append(self._places[name])
        return np.array(positions, dtype=np.int32)


def empty_column(
    kind: Literal["text", "number", "bool", "list"], n: int, *, whole: bool = False
) -> SeatColumn:
    """A column of nulls, to be filled."""
    values: NDArray[Any]
    if kind == "number":
        values = np.full(n, np.nan)
    else:
        values = np.full(n, -1, dtype=np.int8 if kind == "bool" else np.int32)
    return SeatColumn(kind, values, whole=whole)


def arrow_column(column: pa.ChunkedArray, name: str) -> SeatColumn:
    """A stored column.

    Raises
    ------
    DataError
        It holds neither texts nor numbers nor truth values.
    """
    kind = column.type
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        whole = column if pa.types.is_dictionary(kind) else column.dictionary_encode()
        if not whole.num_chunks:  # which pyarrow 21 cannot put together
            return SeatColumn("text", np.empty(0, dtype=np.int32))
        one = pa.chunked_array(whole.chunks, type=whole.type).unify_dictionaries().combine_chunks()
        one = one.chunk(0) if isinstance(one, pa.ChunkedArray) else one
        codes = one.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        return SeatColumn("text", codes, [_shown(text) for text in one.dictionary.to_pylist()])
    if pa.types.is_boolean(kind):
        truth = column.cast(pa.int8()).fill_null(-1).to_numpy()
        return SeatColumn("bool", truth)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return SeatColumn("number", column.cast(pa.float64()).to_numpy(), whole=pa.types.is_integer(kind))
    if pa.types.is_null(kind):
        return SeatColumn("text", np.full(len(column), -1, dtype=np.int32))
    raise DataError(
        f"column {shorten(name)!r} holds {shorten(kind)}, expected texts, numbers or truth values"
    )


def _shown(text: str | None) -> str:
    return "" if text is None else text


def _joined(cell: Any) -> str | None:
    """A list as one text, null as None."""
    if isinstance(cell, str):
        return cell
    return LIST_SEPARATOR.join(map(str, cell)) if isinstance(cell, list | tuple | np.ndarray) else None


_MOST_VALUES = 100
_FEW = 200
"""A text column of at most so many values is a category."""


def column_facts(
    name: str,
    table: Literal["games", "seats", "labels"],
    column: SeatColumn,
    rows: NDArray[np.bool_],
    most: int | None = _MOST_VALUES,
) -> ColumnFacts:
    """Kind and values of a column.

    Parameters
    ----------
    name, table : as `ColumnFacts`
    column : SeatColumn of n rows
    rows : (n,) bool, those to count
    most : int or None
        Values that are named, the most frequent; None: all of a category.
    """
    every, names = column.snapshot()
    values = every[rows]
    if column.is_coded:
        counts = np.bincount(values[values >= 0], minlength=len(names))
        if column.kind == "list":
            names, counts = _items(names, counts)
        null = int((values < 0).sum())
        n_values = int((counts > 0).sum())
        if len(names) > _FEW:
            return ColumnFacts(name, table, "text", n_values=n_values, n_null=null)
        order = sorted(range(len(names)), key=lambda i: (-counts[i], names[i]))
        counted = tuple((names[i], int(counts[i])) for i in order if counts[i])
        return ColumnFacts(name, table, "category", counted[:most], n_values, n_null=null)
    if column.kind == "bool":
        truths = [(word, int((values == code).sum())) for word, code in (("true", 1), ("false", 0))]
        shown = tuple((word, n) for word, n in truths if n)
        return ColumnFacts(name, table, "bool", shown, len(shown), n_null=int((values < 0).sum()))
    known = values[~np.isnan(values)]
    null = len(values) - len(known)
    if not len(known):
        return ColumnFacts(name, table, "number", n_null=null)
    return ColumnFacts(name, table, "number", (), 0, float(known.min()), float(known.max()), null)


def _items(names: list[str], counts: NDArray[Any]) -> tuple[list[str], NDArray[Any]]:
    """Items of lists, and how many lists hold each."""
    totals: dict[str, int] = {}
    for text, count in zip(names, counts.tolist(), strict=True):
        for item in text.split(LIST_SEPARATOR) if text else []:
            totals[item] = totals.get(item, 0) + count
    return list(totals), np.array(list(totals.values()), dtype=np.int64)


_TRUTHS = {"true": 1, "1": 1, "yes": 1, "false": 0, "0": 0, "no": 0}
"""Words for truth values, as in `intent.logs.gamelog.matches`."""


def accepted(column: SeatColumn, condition: Filter) -> NDArray[np.bool_]:
    """(n,), rows that meet the condition; null meets none but ``!= VALUE`` and ``=`` nothing.

    Parameters
    ----------
    column : SeatColumn
        Of a list, "=" asks whether the value is one of its items, or all of them joined by ``|``.
    condition : Filter
    """
    value, op = condition.value, condition.op
    values, names = column.snapshot()
    null = np.isnan(values) if column.kind == "number" else values < 0
    if value == "" and op in ("=", "!="):
        return null if op == "=" else ~null
    if op == "!=":
        return ~accepted(column, Filter(condition.column, "=", value))
    if column.is_coded:
        flags = np.array([_meets(name, condition, column.kind == "list") for name in names] + [False])
        met: NDArray[np.bool_] = flags[values]
        return met
    if op == "contains":
        return np.zeros(len(values), dtype=bool)
    number = _truth(value) if column.kind == "bool" else _number(value)
    if number is None:
        return np.zeros(len(values), dtype=bool)
    with np.errstate(invalid="ignore"):
        if op == "=":
            return np.asarray(values == number)
        met = values <= number if op == "<=" else values >= number
        return np.asarray(met & ~null)


def _meets(name: str, condition: Filter, is_list: bool) -> bool:
    value = condition.value
    if condition.op == "contains":
        return value.casefold() in name.casefold()
    if condition.op == "<=":
        return name <= value
    if condition.op == ">=":
        return name >= value
    return name == value or (is_list and value in name.split(LIST_SEPARATOR))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _truth(text: str) -> int | None:
    return _TRUTHS.get(text.strip().casefold())
