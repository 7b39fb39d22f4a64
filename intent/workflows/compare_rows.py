"""The rows of a comparison: their numbers, and which of them are no independent observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.errors import DataError, UnknownNameError, UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["check_together", "clusters_of", "numbers", "sizes_note", "unit_of"]

CELL = ("cell",)
"""What ``--cluster`` says for cells of the design, unless the table has a column of that name."""

_MUCH_THE_SAME = 0.8

_MOST = 1e140
"""Largest absolute value of a metric."""


def clusters_of(table: pd.DataFrame, columns: Sequence[str]) -> NDArray[np.intp]:
    """(n,) cluster of each row: equal values of columns, or with ``cell`` equal conditions of the whole game.

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    """
    from intent.analysis.groups import cluster_codes

    if tuple(columns) == CELL and "cell" not in table.columns:
        from intent.analysis.repeats import cell_codes

        return cell_codes(table)
    return cluster_codes(table, columns)


def sizes_note(
    table: pd.DataFrame, values: NDArray[np.float64], classes: Sequence[str], *, always: bool
) -> str | None:
    """What the rows are worth if games are independent, and if only conditions are, in words.

    Parameters
    ----------
    table : DataFrame
    values : (n, k) float, weights of outcomes
    classes : strategies whose posteriors the table holds
    always : bool
        Whether it is said where both are much the same (within a fifth), too.
    """
    from intent.analysis.groups import cluster_codes
    from intent.analysis.repeats import cell_codes, effective_sizes

    if "game_id" not in table.columns:
        return None
    cells = cell_codes(table, classes=classes)
    sizes = effective_sizes(values, cluster_codes(table, ["game_id"]), cells)
    if not always and sizes.by_cell > _MUCH_THE_SAME * sizes.by_game:
        return None
    return (
        f"{sizes.n:,} rows are worth {sizes.by_game:,.0f} independent ones if games are independent, "
        f"{sizes.by_cell:,.0f} if only the {sizes.n_cells:,} conditions are (--cluster cell)"
    )


def check_together(
    count: str,
    metric: str | None,
    gate: str | None,
    cluster: str | Sequence[str],
    sensitivity: bool,
    interactions: Sequence[str],
    model: bool,
) -> None:
    """Refuse settings that contradict each other."""
    if count == "sfem" and (metric or gate or model or sensitivity):
        other = next(
            name
            for name, on in (
                ("--metric", metric),
                ("--gate", gate),
                ("--model", model),
                ("--sensitivity", sensitivity),
            )
            if on
        )
        raise UsageError(
            f"--count sfem estimates shares from all play and counts no labels: not with {other}"
        )
    if count == "sfem" and tuple(cluster) == CELL:
        raise UsageError("--cluster cell is of counted labels: with --count sfem name the columns")
    if sensitivity and metric:
        raise UsageError("--sensitivity is of labels, expected no --metric")
    if interactions and not model:
        raise UsageError("--interactions belong to a model: say --model too")


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


def unit_of(clusters: Sequence[str]) -> str:
    """What the clusters are, in words."""
    if not clusters:
        return "rows"
    if tuple(clusters) == CELL:
        return "cells of the design"
    if tuple(clusters) == ("player",):
        return "players"
    return "games" if tuple(clusters) == ("game_id",) else f"clusters of {' × '.join(clusters)}"
