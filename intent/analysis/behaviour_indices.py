"""FAIRGAME's four indices as numbers with intervals: how much behaviour varies, and over what."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from intent.analysis.behaviour_cells import Outcome, cell_measures
from intent.analysis.behaviour_radar import AXES
from intent.analysis.bootstrap import cluster_bootstrap

__all__ = ["Index", "behaviour_indices"]


@dataclass(frozen=True)
class Index:
    """One index of one model in one game.

    Parameters
    ----------
    game, model : str
    index : str
        IV, CI, VR or SP (`intent.analysis.behaviour_radar.AXES`).
    name : str
    outcome : {"payoff", "cooperation"}
        What varies.
    estimate, low, high : float
        Mean over cells (VR: over players and games), and its bootstrap interval over them.
    chance : float
        What repetitions alone would give (CI, SP); NaN where that is not known.
    n_cells : int
    """

    game: str
    model: str
    index: str
    name: str
    outcome: str
    estimate: float
    low: float
    high: float
    chance: float
    n_cells: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, but for NaN."""
        return asdict(self)


def behaviour_indices(
    table: pd.DataFrame,
    *,
    game: str,
    model: str,
    stakes: str | None,
    outcome: Outcome,
    bootstrap: int,
    level: float,
    rng: np.random.Generator,
) -> list[Index]:
    """The indices of every model, with intervals that resample cells (VR: whole games).

    An index is the mean of one number per cell of the design (`behaviour_radar` has the formulas), the
    settings of the stakes together. The interval takes the cells for a sample of those that could have been
    played; it holds for no other game.

    Parameters
    ----------
    table : DataFrame
        As `intent.analysis.played.played` returns, of one game.
    game : str, its name
    model : str, column whose values are compared
    stakes : str, optional
        Column of payoff settings; None: no sensitivity to payoff.
    outcome : {"payoff", "cooperation"}
    bootstrap : int
    level : float in (0, 1)
    rng : Generator

    References
    ----------
    Huynh et al. 2025, figure 6c, which names the indices and gives no formula.
    """
    measures = cell_measures(table, model=model, stakes=stakes, outcome=outcome)
    found = []
    for (who, axis), cells in measures.groupby(["model", "axis"], sort=True):
        values = cells["value"].to_numpy(dtype=float)
        (interval,) = cluster_bootstrap(
            values[:, None], cells["unit"].to_numpy(dtype=np.intp), samples=bootstrap, level=level, rng=rng
        )
        chance = float(cells["noise"].mean()) if cells["noise"].notna().any() else float("nan")
        found.append(
            Index(
                game,
                str(who),
                str(axis),
                AXES[str(axis)],
                outcome,
                interval.estimate,
                interval.low,
                interval.high,
                chance,
                len(values),
            )
        )
    return sorted(found, key=lambda index: (index.model, list(AXES).index(index.index)))
