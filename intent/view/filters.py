"""Which rows of a column a filter accepts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from intent.logs.column_kinds import LIST_SEPARATOR
from intent.view.column import SeatColumn
from intent.view.query import Filter

__all__ = ["accepted"]

_TRUTHS = {"true": 1, "1": 1, "yes": 1, "false": 0, "0": 0, "no": 0}
"""Words for truth values, as in `intent.logs.conditions.matches`."""


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
