"""What is chosen round by round: trajectories of choices, cooperation rates, and how many contribute.

Mismatch: how far the players of a game are from all choosing alike, round by round.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from intent.base.statistics import NONE
from intent.behaviour.means import STANDARD, Intervals, cell_means

__all__ = [
    "choice_trajectories",
    "contributor_counts",
    "cooperation_rates",
    "mismatch_by_round",
    "of_games",
    "round_mismatch",
]


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
    numbers = (
        counts.groupby([*cells, "contributors"], observed=True, dropna=False).size().rename("n").reset_index()
    )
    every = numbers[cells].drop_duplicates()
    most = int(every["n_players"].max()) if len(every) else 0
    grid = every.merge(pd.DataFrame({"contributors": range(most + 1)}), how="cross")
    grid = grid[grid["contributors"] <= grid["n_players"]]
    full = grid.merge(numbers, on=[*cells, "contributors"], how="left")
    full["n"] = full["n"].fillna(0).astype(int)
    full["share"] = full["n"] / full.groupby(cells, observed=True, dropna=False)["n"].transform("sum")
    return full.sort_values([*cells, "contributors"]).reset_index(drop=True)


JOINED = " + "
"""Between the values of a column that differs between the players of a game."""

_OF_MOVES = {
    *(
        "game_id",
        "round",
        "seat",
        "action",
        "cooperated",
        "choice",
        "payoff",
        "normalised",
        "status",
        "focal",
    ),
    "_round",
}


def round_mismatch(table: pd.DataFrame) -> pd.DataFrame:
    """Mismatch of every game and round.

        mismatch_t = 1 - max_a n_a(t) / N,

    where n_a(t) of the N players chose action a. With two actions and k cooperators it is
    1 - max(k, N - k) / N: of three players 0 where all agree and 1/3 where one differs; of two 0 or 1/2.

    Parameters
    ----------
    table : DataFrame
        As `played` returns; all seats of a game count.

    Returns
    -------
    DataFrame
        One row per game and round that has no unknown move: the columns of `table`, of which those that
        differ between seats (model, persona) hold all different values joined by `JOINED`, mismatch, and
        largest, what it can be at most: 1 - ceil(N / 2) / N.

    References
    ----------
    Huynh et al. 2025, figure 5 (agreement of three as 100 %, of two as 66 %).
    """
    keys = ["game_id", "round"]
    games = pd.factorize(table["game_id"])[0]
    cells = table.assign(_round=games * (table["round"].max() + 1 if len(table) else 1) + table["round"])
    counts = cells[cells["action"].notna()].groupby(["_round", "action"]).size()
    seats = cells.groupby("_round")["action"].agg(["size", "count"])
    known = seats[(seats["size"] == seats["count"]) & (seats["size"] > 1)]
    most = counts.groupby(level=0).max().reindex(known.index)
    firsts = of_games(cells).drop_duplicates("_round").set_index("_round").loc[known.index]
    n = known["size"].to_numpy(dtype=float)
    rows = firsts.assign(mismatch=1 - most.to_numpy() / n, largest=1 - np.ceil(n / 2) / n)
    return rows.sort_values(keys).reset_index(drop=True)


def mismatch_by_round(
    rounds: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """Mean mismatch over games by round, in every cell of `by`, as in figure 5 of the paper.

    Parameters
    ----------
    rounds : DataFrame
        As `round_mismatch` returns.
    by : sequence of str
        ``model`` for panel (a); ``model`` and ``composition`` for panel (b).

    Returns
    -------
    DataFrame
        As `cell_means` with the column round after `by`; n counts games.
    """
    largest = float(rounds["largest"].max()) if len(rounds) else 0.5
    return cell_means(rounds, [*by, "round"], "mismatch", rng=rng, intervals=intervals, bounds=(0, largest))


def of_games(table: pd.DataFrame) -> pd.DataFrame:
    """The table with columns that differ between the seats of a game holding all their values, joined.

    Examples
    --------
    >>> seats = pd.DataFrame({"game_id": ["g", "g"], "seat": [1, 2], "model": ["B", "A"]})
    >>> of_games(seats)["model"].tolist()
    ['A + B', 'A + B']
    """
    seats = table.drop_duplicates(["game_id", "seat"])
    columns = {}
    for name in (c for c in table.columns if c not in _OF_MOVES):
        texts = seats[name].astype(object).where(seats[name].notna(), NONE)
        pairs = pd.DataFrame(
            {"game_id": seats["game_id"].to_numpy(), "text": texts.to_numpy()}
        ).drop_duplicates()
        several = pairs[pairs["game_id"].duplicated(keep=False)]
        if len(several):
            joined = several.groupby("game_id", observed=True)["text"].agg(
                lambda t: JOINED.join(sorted(map(str, t)))
            )
            texts = table["game_id"].astype(object).map(joined)
            columns[name] = texts.where(texts.notna(), table[name].astype(object))
    return table.assign(**columns)
