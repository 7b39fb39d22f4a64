"""Normalised payoffs, of penalty games normalised penalties: total over the largest that could be had."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from intent.analysis.means import STANDARD, Intervals, cell_means

__all__ = ["normalised_payoffs", "payoffs_by_condition"]


def normalised_payoffs(table: pd.DataFrame) -> pd.DataFrame:
    """One row per player and game: total payoff over its largest absolute value.

    With the payoff pi_t of round t, the largest absolute payoff m of the game as it was played (scaled by
    lambda: 10·lambda in the conventional Prisoner's Dilemma) and the N rounds that have a payoff,

        sum_t pi_t / (m · N).

    Parameters
    ----------
    table : DataFrame
        As `played` returns.

    Returns
    -------
    DataFrame
        The first row of each player and game, with payoff (the total) and normalised in place of those of the
        round, n_rounds (N) and n_missing (rounds without a payoff). A round in which a move is missing has
        no payoff for anyone, and counts in neither sum nor N; normalised is NaN where no round has one, or
        where the payoffs of the game are not known.

    References
    ----------
    Huynh et al. 2025, Understanding LLM Agent Behaviours via Game Theory, §3.1 and figure 2; total /
    (10·lambda·N).
    """
    keys = ["game_id", "seat"]
    grouped = table.groupby(keys, observed=True, sort=False)
    sums = grouped[["payoff", "normalised"]].sum(min_count=1)
    counts = grouped[["payoff"]].agg(["count", "size"])["payoff"]
    firsts = table.drop_duplicates(keys).set_index(keys)
    total = firsts.assign(
        payoff=sums["payoff"],
        normalised=sums["normalised"] / counts["count"],
        n_rounds=counts["count"],
        n_missing=counts["size"] - counts["count"],
    )
    return total.drop(columns=["round", "action", "cooperated", "choice", "status"]).reset_index()


def payoffs_by_condition(
    table: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """Mean normalised payoff over players and games in every cell of `by`, as in figure 2 of the paper.

    Parameters
    ----------
    table : DataFrame
        As `played` returns; rows that are not focal are left out.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        As `cell_means`; n counts players.
    """
    players = normalised_payoffs(table[table["focal"]])
    return cell_means(players, by, "normalised", rng=rng, intervals=intervals)
