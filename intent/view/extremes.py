"""Games far out: most deviations, worst fit, highest and lowest payoff."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.view.game_table import GameTable

__all__ = ["MOST_EXTREME", "extreme_games"]

MOST_EXTREME = 100
"""Most games that are called extreme."""

_LEAST_SPREAD = 1e-12


def extreme_games(table: GameTable, among: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Rows of the games that stand out among some, the one that stands out most first.

    Four orders of the seats: by deviations from the best strategy, by its fit, and by the payoff per move,
    from above and from below, in standard deviations within games of one name and payoff table. A game stands
    where its best place in any of them is; equal places in the order of the log.

    Parameters
    ----------
    table : GameTable
    among : (n_games,) bool
    """
    best = np.full(len(table), np.inf)
    considered = among[table.seat_game]
    payoff = _standardised(table)
    missed, fit = table.computed["n_deviations"].values, table.computed["fit_p"].values
    orders = (np.where(missed > 0, -missed, np.nan), np.where(fit < 1, fit, np.nan), -payoff, payoff)
    for order in orders:
        known = np.flatnonzero(considered & ~np.isnan(order))
        if not len(known):
            continue
        _, place = np.unique(order[known], return_inverse=True)
        first = np.concatenate([[0], np.cumsum(np.bincount(place))])[place]
        np.minimum.at(best, table.seat_game[known], first)
    rows = np.flatnonzero(np.isfinite(best))
    return rows[np.argsort(best[rows], kind="stable")][:MOST_EXTREME]


def _standardised(table: GameTable) -> NDArray[np.float64]:
    """Payoff per move of each seat, centred and scaled within games of one name and payoff table.

    NaN where all seats of such games have the same.
    """
    payoff = table.computed["mean_payoff"].values.copy()
    codes = table.kind_of_game[table.seat_game]
    known = ~np.isnan(payoff)
    count = np.maximum(np.bincount(codes[known], minlength=codes.max(initial=0) + 1), 1)
    mean = np.bincount(codes[known], payoff[known], minlength=len(count)) / count
    away = payoff - mean[codes]
    spread = np.sqrt(np.bincount(codes[known], away[known] ** 2, minlength=len(count)) / count)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread[codes] > _LEAST_SPREAD, away / spread[codes], np.nan)
