"""A comparison read back from the table that was written of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from intent.analysis.bootstrap import Interval
from intent.analysis.comparison import Comparison, Group
from intent.analysis.groups import NONE
from intent.errors import DataError, shorten

__all__ = ["comparison_of_table"]

_NAMES = {"strategy": "outcome", "n_subjects": "n"}
"""Columns of a table of estimated shares -> those of a comparison."""


def comparison_of_table(table: pd.DataFrame, facts: Mapping[str, Any]) -> Comparison:
    """The groups of a table of shares or means, with their intervals; tests are in no table.

    Parameters
    ----------
    table : DataFrame
        As `Comparison.table` gives it, or a table of estimated shares (strategy, n_subjects, estimate, …).
    facts : mapping
        Metadata of the file: by, count, level. Without ``by``, all columns before ``n`` make the groups.

    Raises
    ------
    DataError
        Two rows for one outcome of a group, or an estimate that can be none.
    """
    estimated = "outcome" not in table.columns and "strategy" in table.columns
    rows = table.rename(columns=_NAMES) if estimated else table
    of = "metric" if "outcome" not in rows.columns else "outcome"
    by = _factors(rows, facts.get("by"))
    outcomes = tuple(dict.fromkeys(map(str, rows[of])))
    _check(rows, [*by, of], shares=of == "outcome")
    groups = []
    keys = [tuple(_plain(cell) for cell in row) for row in rows[list(by)].itertuples(index=False)]
    codes, values = pd.factorize(pd.Series(keys, dtype=object))
    for code, value in enumerate(values):
        part = rows[codes == code].set_index(of)
        n = int(part["n"].iloc[0])
        effective = float(part["n_effective"].iloc[0]) if "n_effective" in part.columns else float(n)
        found = tuple(_interval(part, name) for name in outcomes)
        sd = float(part["sd"].iloc[0]) if "sd" in part.columns else None
        groups.append(Group(value, n, n, effective, found, sd))
    count = "estimate" if estimated else str(facts.get("count") or "status")
    metric = outcomes[0] if of == "metric" and outcomes else None
    clusters = facts.get("cluster", ["game_id"])
    unit = "games" if clusters == ["game_id"] else "clusters" if clusters else "rows"
    level = facts.get("level", 0.95)
    level = float(level) if isinstance(level, int | float) and 0 < level < 1 else 0.95
    return Comparison(by, None if metric else count, metric, level, outcomes, tuple(groups), (), unit)


def _factors(rows: pd.DataFrame, declared: object) -> tuple[str, ...]:
    columns = [str(name) for name in rows.columns]
    if isinstance(declared, list | tuple) and set(map(str, declared)) <= set(columns):
        return tuple(map(str, declared))
    return tuple(columns[: columns.index("n")])


def _check(rows: pd.DataFrame, keys: Sequence[str], *, shares: bool) -> None:
    twice = rows.duplicated(list(keys))
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        said = ", ".join(f"{name} {shorten(rows[name].iloc[row])!r}" for name in keys)
        raise DataError(f"row {row + 1} is the second of {said}, expected one")
    estimates = pd.to_numeric(rows["estimate"], errors="coerce").to_numpy(dtype=float)
    wrong = ~np.isfinite(estimates) | (shares & ((estimates < -1e-9) | (estimates > 1 + 1e-9)))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        expected = "a share from 0 to 1" if shares else "a number"
        raise DataError(
            f"row {row + 1}: estimate {shorten(rows['estimate'].iloc[row])!r}, expected {expected}"
        )


def _interval(part: pd.DataFrame, name: str) -> Interval:
    if name not in part.index:
        return Interval(0.0, np.nan, np.nan)
    row = part.loc[name]
    return Interval(
        *(float("nan") if pd.isna(row[c]) else float(row[c]) for c in ("estimate", "low", "high"))
    )


def _plain(cell: Any) -> Any:
    if isinstance(cell, np.generic):
        cell = cell.item()
    return NONE if cell is None or cell is pd.NA or cell != cell else cell
