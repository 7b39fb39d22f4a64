"""A column of many rows, held so that a filter takes milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.errors import DataError, shorten
from intent.logs.column_kinds import LIST_SEPARATOR

__all__ = ["SeatColumn", "arrow_column", "empty_column"]


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
        found = []
        for name in names:
            if name not in self._places:
                self.names.append(name)
                self._places[name] = len(self.names) - 1
            found.append(self._places[name])
        return np.array(found, dtype=np.int32)


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
