"""Covariates: how they are coded as numbers, and what is odd about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError

if TYPE_CHECKING:
    from intent.estimate.choice.choices import Choices

__all__ = ["Coding", "codes_of", "covariate_notes", "groups_apart"]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Coding:
    """Covariates as numbers, learned from the rows that a model is fitted to.

    A category of L levels becomes L columns of 0 and 1 (estimates are kept in place by a ridge, or by leaving
    one out: `free`); a number becomes one column in standard deviations from its mean. A level that was not
    met is 0 in all columns of its covariate, a number that is missing is the mean.

    Attributes
    ----------
    columns : covariates
    levels : column -> levels of a category; absent for numbers
    scales : column -> (mean, standard deviation) of a number
    """

    columns: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    scales: Mapping[str, tuple[float, float]]

    @classmethod
    def learn(cls, X: Choices) -> Coding:
        """From the covariates of some choices; none make an empty coding."""
        frame = X.covariates
        if frame is None:
            return cls((), {}, {})
        levels: dict[str, tuple[str, ...]] = {}
        scales: dict[str, tuple[float, float]] = {}
        for column in frame.columns:
            values = frame[column]
            if _is_number(values):
                numbers = values.astype(float)
                spread = float(numbers.std(ddof=0))
                scales[column] = (float(numbers.mean()), spread if spread > 0 else 1.0)
            else:
                levels[column] = tuple(sorted({str(v) for v in values.dropna().unique()}))
        return cls(tuple(frame.columns), levels, scales)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns that `code` makes, such as ``model=GPT4o``."""
        return tuple(name for column in self.columns for name in self.of(column))

    def of(self, column: str) -> tuple[str, ...]:
        """Names of the columns that `code` makes of one covariate."""
        return (
            tuple(f"{column}={level}" for level in self.levels[column])
            if column in self.levels
            else (column,)
        )

    @property
    def free(self) -> NDArray[np.intp]:
        """Columns that are left when the first level of every category is taken as reference."""
        reference = {f"{column}={levels[0]}" for column, levels in self.levels.items() if levels}
        return np.array([i for i, name in enumerate(self.names) if name not in reference], dtype=np.intp)

    def code(self, X: Choices) -> Floats:
        """(n, p) numbers.

        Raises
        ------
        DataError
            A covariate that the choices do not have.
        """
        parts = []
        for column in self.columns:
            values = self._column(X, column)
            if column in self.levels:
                places = {level: place for place, level in enumerate(self.levels[column])}
                codes = values.map(str, na_action="ignore").map(places).fillna(-1).to_numpy(dtype=float)
                parts.append((codes[:, None] == np.arange(len(places))).astype(float))
            else:
                mean, spread = self.scales[column]
                parts.append(((values.astype(float).fillna(mean) - mean) / spread).to_numpy()[:, None])
        return np.hstack(parts) if parts else np.zeros((len(X), 0))

    def settings(self, X: Choices) -> list[tuple[str, ...]]:
        """The combination of covariates of each row, as texts."""
        texts = [self._column(X, column).map(str, na_action="ignore").fillna("") for column in self.columns]
        return list(zip(*texts, strict=True)) if texts else [()] * len(X)

    def _column(self, X: Choices, column: str) -> pd.Series[Any]:
        if X.covariates is None or column not in X.covariates:
            raise DataError(f"the model knows covariate {column!r}, which these choices do not have")
        return X.covariates[column]

    def to_state(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "columns": list(self.columns),
            "levels": {c: list(v) for c, v in self.levels.items()},
            "scales": {c: list(v) for c, v in self.scales.items()},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Coding:
        """Restore what `to_state` gave."""
        return cls(
            tuple(state["columns"]),
            {c: tuple(v) for c, v in state["levels"].items()},
            {c: (float(v[0]), float(v[1])) for c, v in state["scales"].items()},
        )


def codes_of(settings: Sequence[tuple[str, ...]], known: Mapping[tuple[str, ...], int]) -> NDArray[np.intp]:
    """Place of each setting among known ones, -1 for others."""
    return np.array([known.get(setting, -1) for setting in settings], dtype=np.intp)


def _is_number(values: pd.Series[Any]) -> bool:
    kind = values.dtype
    return bool(pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind))


def covariate_notes(X: Choices) -> list[str]:
    """What is odd about covariates: one value in all rows, or values that tell every move."""
    if X.covariates is None or not X.n_moves:
        return []
    coding = Coding.learn(X)
    row = np.flatnonzero(X.counted.any(axis=1))
    frame = X.covariates.iloc[row]
    tallies = np.stack([(X.chosen[row] == a).sum(1) for a in range(X.n_actions)], axis=1).astype(float)
    groups, n_met = groups_apart(coding, frame, tallies, 0.0), int(tallies.any(axis=0).sum())
    notes = []
    for column in coding.columns:
        if frame[column].nunique(dropna=column not in coding.levels) < 2:
            notes.append(f"covariate {column!r} is the same in all rows and tells nothing")
        elif n_met > 1 and groups[column] == n_met:
            notes.append(f"covariate {column!r} tells every move; is it the outcome itself?")
        elif column in coding.levels:
            counts = _by_level(coding.levels[column], frame[column], tallies)[:-1]
            notes += _sure_levels(column, coding.levels[column], counts, X.actions)
    return notes


_SEPARATED = 20
"""Moves from which on a level with one action alone is worth a line."""


def _sure_levels(column: str, levels: Sequence[str], counts: Floats, actions: Sequence[str]) -> list[str]:
    """A line where levels have one action alone; counts (L, A)."""
    sure = ((counts > 0).sum(1) == 1) & (counts.sum(1) >= _SEPARATED)
    if not sure.any():
        return []
    level = int(np.argmax(sure))
    others = f", as in {int(sure.sum()) - 1:,} more" if sure.sum() > 1 else ""
    return [
        f"{column}={levels[level]}: all {int(counts[level].sum()):,} moves are one action "
        f"({actions[int(counts[level].argmax())]}){others}; only shrinkage keeps estimates finite"
    ]


_NONE = 0.01


def groups_apart(coding: Coding, values: pd.DataFrame, kinds: Floats, least: float = _NONE) -> dict[str, int]:
    """Into how many groups the kinds fall so that no value of a covariate is met in two of them.

    Two groups or more are what is called separation: the likelihood rises for ever with the coefficients.

    Parameters
    ----------
    coding : Coding
    values : m rows
    kinds : (m, K) float, probability that a row is of each kind, or how often it is
    least : share of a value's rows from which on a kind is met there, beside half a row

    Returns
    -------
    covariate -> groups, those of kinds that are met; the ranges of a number are its values
    """
    met = kinds.sum(0) >= np.maximum(0.5, least * len(kinds))
    groups = {}
    for column in coding.columns:
        if column in coding.levels:
            counts = _by_level(coding.levels[column], values[column], kinds)
            there = counts >= np.maximum(0.5, least * counts.sum(1, keepdims=True))
            groups[column] = _n_joined(there[:, met])
            continue
        numbers = values[column].to_numpy(dtype=float)
        inside = np.isfinite(numbers)
        of = [numbers[inside & (kinds[:, k] > 0.5)] for k in np.flatnonzero(met)]
        ranges = sorted((float(v.min()), float(v.max())) for v in of if len(v))
        reach, n = -np.inf, 0
        for low, high in ranges:
            n += low > reach
            reach = max(reach, high)
        groups[column] = n
    return groups


def _n_joined(there: NDArray[np.bool_]) -> int:
    """Groups of the columns of (L, K) that share a row, directly or by others."""
    group = np.arange(there.shape[1])
    for row in there:
        together = group[row]
        if len(together):
            group[np.isin(group, together)] = together.min()
    return len(np.unique(group))


def _by_level(levels: Sequence[str], values: pd.Series[Any], kinds: Floats) -> Floats:
    """Sums of kinds (m, K) at each level, and last where it is missing: (L + 1, K)."""
    places = {level: place for place, level in enumerate(levels)}
    codes = values.map(str, na_action="ignore").map(places).fillna(len(levels)).to_numpy(dtype=np.intp)
    sums = np.zeros((len(levels) + 1, kinds.shape[1]))
    np.add.at(sums, codes, kinds)
    return sums
