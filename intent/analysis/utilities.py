"""Payoffs over iterations and games, as the papers on repeated games of language models print them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from intent.analysis.means import STANDARD, Intervals, cell_means

__all__ = ["cooperation_ratio", "pooled_utility", "utility_by_round"]


def utility_by_round(
    table: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Average utility of every iteration j, ū_j = (1/|I|) sum over games i of u_ij, with its interval.

    Parameters
    ----------
    table : DataFrame
        As `seated`.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        `by`, round, then as `cell_means`, in the units of the game (penalties as they are).

    References
    ----------
    Poje et al. 2024, Entropy 26:524, section 4.1, figures 7 and 8.
    """
    return cell_means(table, [*by, "round"], "payoff", rng=rng, intervals=intervals)


def pooled_utility(
    table: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Mean and standard deviation of u_ij over games and iterations together, and totals per game.

    Returns
    -------
    DataFrame
        As `cell_means`, then sd (of single payoffs, divided by their number), total and total_sd (mean
        and, divided by n - 1, standard deviation over games of a player's sum; NaN for one game).
    """
    means = cell_means(table, by, "payoff", rng=rng, intervals=intervals)
    known = table[table["payoff"].notna()]
    spread = known.groupby(list(by), observed=True)["payoff"].std(ddof=0).rename("sd")
    totals = known.groupby([*by, "game_id", "seat"], observed=True)["payoff"].sum()
    grouped = totals.groupby(level=list(by))
    facts = pd.concat([spread, grouped.mean().rename("total"), grouped.std().rename("total_sd")], axis=1)
    return means.merge(facts.reset_index(), on=list(by), how="left")


def cooperation_ratio(
    table: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Share of cooperation, with its standard deviation over players of games.

    Returns
    -------
    DataFrame
        As `cell_means` over moves; sd is that of the ratios of single players in single games.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, figure 9.
    """
    means = cell_means(table, by, "cooperated", rng=rng, intervals=intervals, bounds=(0.0, 1.0))
    known = table[table["cooperated"].notna()]
    ratios = known.groupby([*by, "game_id", "seat"], observed=True)["cooperated"].mean()
    spread = ratios.groupby(level=list(by)).std().rename("sd")
    return means.merge(spread.reset_index(), on=list(by), how="left")
