"""The rows of a comparison: how they count, and their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.errors import DataError, UnknownNameError, UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["COUNTS", "numbers", "way_to_count"]

_MOST = 1e140
"""Largest absolute value of a metric."""


COUNTS = ("estimate", "status", "posterior", "split", "best")
"""What ``--count`` may say: estimated shares, or ways to count labels."""


def way_to_count(
    count: str | None,
    metric: str | None,
    gate: str | None,
    sensitivity: bool,
    interactions: Sequence[str],
    model: bool,
) -> str:
    """How shares are compared: estimated, unless a gate on labels asks to count these.

    Parameters
    ----------
    count : str, optional
    metric, gate, sensitivity, interactions, model
        As `compare`.

    Raises
    ------
    UnknownNameError
        No such way.
    UsageError
        Settings that contradict each other.
    """
    if count == "sfem":
        count = "estimate"
    if count is not None and count not in COUNTS:
        raise UnknownNameError("count", count, COUNTS)
    if gate is not None and count == "estimate":
        raise UsageError(
            "--gate keeps rows by their labels, which would bias an estimate: not with --count estimate"
        )
    if metric is not None and count is not None:
        raise UsageError(f"--metric compares means, --count {count} shares: expected one of them")
    if sensitivity and metric:
        raise UsageError("--sensitivity is of labels, expected no --metric")
    if interactions and not model:
        raise UsageError("--interactions belong to a model: say --model too")
    return count or ("status" if gate is not None else "estimate")


def numbers(table: pd.DataFrame, metric: str) -> NDArray[np.float64]:
    """(n,) values of a numeric or boolean column, NaN where null."""
    import numpy as np
    import pandas as pd

    if metric not in table.columns:
        raise UnknownNameError("column", metric, map(str, table.columns))
    column = table[metric]
    if (
        column.dtype == object
        and column.dropna().map(lambda cell: isinstance(cell, bool | int | float)).all()
    ):
        column = column.astype("Float64")
    if not pd.api.types.is_numeric_dtype(column.dtype):
        shown = column.dropna().iloc[0] if column.notna().any() else "nothing"
        raise DataError(
            f"column {metric!r} holds {str(shown)!r}, expected numbers or truth values for --metric"
        )
    values = column.to_numpy(dtype=float, na_value=np.nan)
    if np.isinf(values).any():
        raise DataError(f"column {metric!r} row {int(np.flatnonzero(np.isinf(values))[0]) + 1} is infinite")
    if (np.abs(values) > _MOST).any():
        raise DataError(f"column {metric!r} has numbers beyond {_MOST:g}, whose squares cannot be summed")
    return np.asarray(values)
