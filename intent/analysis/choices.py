"""What is chosen round by round: trajectories of choices, cooperation rates, and how many contribute."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from intent.analysis.means import STANDARD, Intervals, cell_means

__all__ = ["choice_trajectories", "contributor_counts", "cooperation_rates"]


def choice_trajectories(
    table: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """Mean over games and players of +1 (defection) and -1 (cooperation) by round.

    Of games without a cooperative action, +1 is the first and -1 the second action.

    Parameters
    ----------
    table : DataFrame
        As `played` returns; rows that are not focal, and moves that count as missing, are left out.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        As `cell_means` with the column round after `by`; n counts moves.

    References
    ----------
    Huynh et al. 2025, figure 3.
    """
    rows = table[table["focal"]]
    return cell_means(rows, [*by, "round"], "choice", rng=rng, intervals=intervals, bounds=(-1, 1))


def cooperation_rates(
    table: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """Share of cooperation: the mean over games g and players i of s_git, 1 where i cooperated in round t.

    With ``round`` among `by` it is the rate by round, else that of all rounds together.

    Parameters
    ----------
    table : DataFrame
        As `played` returns; rows that are not focal, and moves that count as missing, are left out.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        As `cell_means`; n counts moves.

    References
    ----------
    Huynh et al. 2025, figures 4 and 6.
    """
    rows = table[table["focal"]]
    return cell_means(rows, by, "cooperated", rng=rng, intervals=intervals, bounds=(0, 1))


def contributor_counts(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """How many games had k of their N players cooperate in a round, by round.

    Parameters
    ----------
    table : DataFrame
        As `played` returns; all seats count. Rounds in which a move is not known are left out.
    by : sequence of str
        Columns that are constant within games.

    Returns
    -------
    DataFrame
        by, round, n_players, contributors (0 to N, also those that never occur), n (games), share (of the
        games whose round is known).
    """
    keys = [*by, "n_players", "game_id", "round"]
    moves = table.assign(unknown=table["cooperated"].isna())
    rounds = moves.groupby(keys, observed=True, dropna=False)[["cooperated", "unknown"]].sum().reset_index()
    rounds = rounds[rounds["unknown"] == 0]
    counts = rounds.assign(contributors=rounds["cooperated"].astype(int))
    cells = [*by, "round", "n_players"]
    found = (
        counts.groupby([*cells, "contributors"], observed=True, dropna=False).size().rename("n").reset_index()
    )
    every = found[cells].drop_duplicates()
    most = int(every["n_players"].max()) if len(every) else 0
    grid = every.merge(pd.DataFrame({"contributors": range(most + 1)}), how="cross")
    grid = grid[grid["contributors"] <= grid["n_players"]]
    full = grid.merge(found, on=[*cells, "contributors"], how="left")
    full["n"] = full["n"].fillna(0).astype(int)
    full["share"] = full["n"] / full.groupby(cells, observed=True, dropna=False)["n"].transform("sum")
    return full.sort_values([*cells, "contributors"]).reset_index(drop=True)
