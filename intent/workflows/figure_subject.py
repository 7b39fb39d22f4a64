"""The play that a figure is made of, and the figure once it can be drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.analysis.behaviour_cells import Outcome
    from intent.analysis.means import Intervals

__all__ = ["Made", "Subject"]

_SCALES = {"scale": "λ", "lambda": "λ", "payoff_scale": "λ", "meta_payoff_scale": "λ", "factor": "r"}
"""Column of the stakes -> the letter that the literature gives it."""


@dataclass(frozen=True, eq=False)
class Subject:
    """The play of one game that figures are made of.

    Parameters
    ----------
    name : str
        The game.
    table : DataFrame
        As `played` returns, with a column `by` where several columns were joined.
    by : str
        The column that makes panels or lines: models, unless something else is asked for.
    stakes : str or None
        The column of payoff settings.
    intervals : Intervals
    rng : Generator
    outcome : {"payoff", "cooperation"}, optional
        Of the radar.
    """

    name: str
    table: pd.DataFrame
    by: str
    stakes: str | None
    intervals: Intervals
    rng: np.random.Generator
    outcome: Outcome | None = None

    @property
    def how(self) -> dict[str, Any]:
        """Keywords of everything that has intervals."""
        return {"rng": self.rng, "intervals": self.intervals}

    @property
    def stakes_title(self) -> str | None:
        """What a legend calls the stakes."""
        return None if self.stakes is None else _SCALES.get(self.stakes, self.stakes.replace("_", " "))

    @cached_property
    def cooperation(self) -> bool:
        """Whether some choice is known to be cooperation or its opposite."""
        return bool(self.table["cooperated"].notna().any())

    def column(self, name: str) -> str | None:
        """A column that tells games apart; None where all have the same value, or `by` says it."""
        if name not in self.table.columns or name in self.by.split(" · "):
            return None
        return name if self.table[name].nunique(dropna=False) > 1 else None


@dataclass(frozen=True, eq=False)
class Made:
    """A figure that can be drawn.

    Parameters
    ----------
    title : str
    table : DataFrame
        What it shows.
    draw : callable
    lines : tuple of str
        How to read it, for the caption.
    shows : tuple of str, or None
        Columns that it tells apart, being a mean over all others; None where cells are kept apart.
    facts : mapping
        Further results, for the JSON object.
    """

    title: str
    table: pd.DataFrame
    draw: Callable[[], Any]
    lines: tuple[str, ...]
    shows: tuple[str, ...] | None
    facts: Mapping[str, Any] = field(default_factory=dict)
