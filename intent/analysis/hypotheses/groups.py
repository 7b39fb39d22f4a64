"""Means of a metric over games, and differences between groups of games within the conditions they share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.verdicts import Part, Trial, contrast, level_above

__all__ = ["Where", "difference", "level"]

Where = Mapping[str, str | tuple[str, ...]]
"""Column -> the value, or the values, that rows have."""

_FACTORS = ("model", "opponent", "rounds", "incentive", "attitude")
"""Conditions within which groups are exchanged, where both have them."""


def _values(table: pd.DataFrame, metric: str, where: Where) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Games that meet conditions, with the mean metric of each (where it had an occasion)."""
    keep = np.ones(len(table), dtype=bool)
    for column, wanted in where.items():
        values = (wanted,) if isinstance(wanted, str) else wanted
        keep &= table[column].isin(values).to_numpy() if column in table else False
    if metric not in table:
        keep &= False
    rows = table[keep]
    if metric in ("forgiveness", "retaliation", "troublemaking") and f"{metric}_n" in rows:
        rows = rows[rows[f"{metric}_n"] > 0]
    if rows.empty:
        return rows, np.empty(0)
    number = pd.to_numeric(rows[metric], errors="coerce").astype(float)
    kept = rows.assign(_value=number).groupby("game_id", sort=True, observed=True)
    firsts = kept[[c for c in _FACTORS if c in rows]].first()
    return firsts, kept["_value"].mean().to_numpy(dtype=float)


def level(table: pd.DataFrame, what: str, metric: str, where: Where, trial: Trial) -> Part:
    """Whether the mean of a metric over games lies above one half."""
    return level_above(what, _values(table, metric, where)[1], 0.5, trial)


def difference(
    table: pd.DataFrame, what: str, metric: str, one: Where, other: Where, trial: Trial, sign: int = 1
) -> Part:
    """Difference of a metric between two groups of games, exchanged within the conditions that they share."""
    (first, a), (second, b) = _values(table, metric, one), _values(table, metric, other)
    shared = [
        factor
        for factor in _FACTORS
        if factor in first and factor in second and set(first[factor].dropna()) & set(second[factor].dropna())
    ]
    both = pd.concat([first, second])[shared].astype(str)
    codes = np.zeros(len(both), dtype=np.intp)
    if shared:
        codes = np.asarray(both.groupby(shared, sort=False).ngroup(), dtype=np.intp)
    return contrast(what, a, b, (codes[: len(a)], codes[len(a) :]), 1 if sign > 0 else -1, trial)
