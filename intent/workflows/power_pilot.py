"""What a pilot study says for planning: design effect, shares, standard deviation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from intent.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Pilot", "read_pilot"]


@dataclass(frozen=True)
class Pilot:
    """What was measured.

    Parameters
    ----------
    source : str or None
        Name of the file.
    by : tuple of str
    n : int
        Rows.
    deff : float
        n over the effective number, pooled over the groups.
    shares : dict or None
        Mean posterior of each strategy.
    sd : float or None
        Of the metric, over rows within groups.
    notes : tuple of str
    """

    source: str | None
    by: tuple[str, ...]
    n: int
    deff: float
    shares: dict[str, float] | None
    sd: float | None
    notes: tuple[str, ...]


def read_pilot(
    table: pd.DataFrame | str | Path,
    by: str | Sequence[str] = (),
    *,
    cluster: Sequence[str] = ("game_id",),
    count: str = "status",
    metric: str | None = None,
) -> Pilot:
    """Design effect within the groups of a pilot, its shares, and the standard deviation of a metric.

    Parameters
    ----------
    table : labels or metrics, or their path
    by : columns of the groups
    cluster : columns; ``cell`` means conditions (`cell_codes`)
    count : str
    metric : str, optional

    Raises
    ------
    UsageError
        No rows, or a metric without a number.
    UnknownNameError, DataError
        As `intent compare`.
    """
    import numpy as np

    from intent.analysis.bootstrap import n_effective
    from intent.analysis.groups import cluster_codes, grouping
    from intent.analysis.repeats import cell_codes
    from intent.analysis.shares import outcomes, strategy_classes
    from intent.errors import DataError, UnknownNameError
    from intent.logs.tablefile import read_table
    from intent.workflows.columns import column_names

    rows, facts = (read_table(Path(table))) if isinstance(table, str | Path) else (table, None)
    if metric is not None:
        if metric not in rows.columns:
            raise UnknownNameError("column", metric, map(str, rows.columns))
        try:
            numbers = rows[metric].to_numpy(dtype=float, na_value=np.nan)
        except (TypeError, ValueError):
            raise DataError(f"column {metric!r} holds no numbers, expected numbers for --metric") from None
        rows, values = rows[~np.isnan(numbers)].reset_index(drop=True), numbers[~np.isnan(numbers)][:, None]
    if rows.empty:
        raise UsageError("the pilot has no rows, expected at least two games")
    shares = sd = None
    if metric is None:
        classes = strategy_classes(rows, facts)
        values = outcomes(rows, count, classes=classes).weights  # type: ignore[arg-type]
        posterior = outcomes(rows, "posterior", classes=classes).weights.mean(axis=0)
        shares = dict(zip(classes, (posterior / posterior.sum()).tolist(), strict=True))
    factors = column_names(by, rows.columns)
    cells = tuple(cluster) == ("cell",) and "cell" not in rows.columns
    codes = cell_codes(rows) if cells else cluster_codes(rows, cluster)
    groups = grouping(rows, factors)
    parts = [np.flatnonzero(groups.codes == code) for code in range(len(groups))]
    worth = sum(n_effective(values[own], codes[own]) for own in parts)
    if metric is not None:
        squares = sum(float(((values[own] - values[own].mean()) ** 2).sum()) for own in parts)
        sd = (squares / max(len(rows) - len(parts), 1)) ** 0.5
    deff = max(1.0, len(rows) / worth)
    note = f"pilot: {len(rows):,} rows worth {worth:,.0f}, design effect {deff:.2f}"
    source = Path(table).name if isinstance(table, str | Path) else None
    return Pilot(source, factors, len(rows), deff, shares, sd, (note,))
