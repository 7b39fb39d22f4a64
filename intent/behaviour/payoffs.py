"""What was at stake in a game: its largest payoff, its factor, and whether games are scaled copies.

Normalised payoffs, of penalty games normalised penalties: total over the largest that could be had.

Payoffs over iterations and games, as the papers on repeated games of language models print them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from intent.base.errors import UnknownNameError
from intent.behaviour.means import STANDARD, Intervals, cell_means
from intent.games.game import MatrixGame, PublicGoods, stage

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = [
    "SCALE_COLUMNS",
    "largest_payoff",
    "multiplication_factor",
    "normalised_payoffs",
    "payoffs_by_condition",
    "proportional",
    "stage_regrets",
    "stakes_column",
]


SCALE_COLUMNS = ("payoff_scale", "scale", "lambda", "meta_payoff_scale")
"""Columns that may hold the factor lambda by which all payoffs were multiplied."""

FACTOR = "factor"
"""The multiplication factor of public goods games, read off their payoffs."""

_OTHERS = ("payoff_type",)


def largest_payoff(game: MatrixGame | PublicGoods) -> float:
    """The largest absolute payoff of a round.

    For a public goods game with cost c, factor M and N players, the larger of that of a free rider among
    N - 1 contributors, (N - 1)·c·M/N, that of a contributor among N, c·M - c, and that of a lone contributor,
    \\|c·M/N - c\\|.

    Examples
    --------
    >>> from intent.games.catalogue import game
    >>> largest_payoff(game("prisoner-dilemma").scaled(10))
    100.0
    """
    if isinstance(game, MatrixGame):
        return float(np.abs(game.payoffs).max())
    n, pool = game.n_players, game.cost * game.factor
    return max((n - 1) * pool / n, abs(pool - game.cost), abs(pool / n - game.cost))


def multiplication_factor(game: MatrixGame | PublicGoods | None) -> float:
    """M of a public goods game, NaN of any other."""
    return float(game.factor) if isinstance(game, PublicGoods) else float("nan")


def proportional(games: Iterable[MatrixGame]) -> bool:
    """Whether all games are one game with its payoffs multiplied, so that normalised payoffs compare.

    Labels do not count, nor which option comes first.
    """
    tables = [np.asarray(game.payoffs, dtype=float) for game in games]
    scaled = [table / (np.abs(table).max() or 1.0) for table in tables]
    return all(np.allclose(table, scaled[0]) or np.allclose(table[::-1, ::-1], scaled[0]) for table in scaled)


def stakes_column(games: pd.DataFrame, column: str | None = None) -> str | None:
    """The column that tells payoff settings apart: `column`, else the first known one that varies.

    Parameters
    ----------
    games : DataFrame
        Games of one name, with a column ``factor``.

    Returns
    -------
    str or None
        None where all games have the same payoffs setting.

    Raises
    ------
    UnknownNameError
        No column `column`.
    """
    if column is not None:
        if column not in games.columns:
            raise UnknownNameError("column", column, map(str, games.columns))
        return column
    names = (*SCALE_COLUMNS, FACTOR, *_OTHERS)
    return next((name for name in names if name in games.columns and games[name].nunique() > 1), None)


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

    Returns
    -------
    DataFrame
        As `cell_means`; n counts players.
    """
    players = normalised_payoffs(table[table["focal"]])
    return cell_means(players, by, "normalised", rng=rng, intervals=intervals)


def stage_regrets(log: GameLog) -> pd.DataFrame:
    """Regret of every own move of matrix games and public goods: what the best reply would have paid more.

    regret = max_a u(a, a_-i) - u(a_i, a_-i), where a_-i are the others' moves in the round, and a_i is
    what the player chose, also where an error changed it. Rounds in which a move is missing have none, nor
    has what a default replaced.

    Returns
    -------
    DataFrame
        game_id, round, seat, action, regret (at least 0, in units of payoff; less penalty where payoffs are
        penalties). No rows of games of other kinds.

    References
    ----------
    Foster & Vohra (1999), Games and Economic Behavior 29:7 (regret in repeated games).
    """
    games = {
        str(row["game_id"]): stage(row["payoffs"], row["payoff_kind"])
        for row in log.games[["game_id", "payoffs", "payoff_kind"]].to_dict("records")
    }
    columns = [c for c in ("game_id", "round", "seat", "action", "status", "decided") if c in log.moves]
    rows: list[tuple[str, int, int, str, float]] = []
    known: dict[tuple[str, int, tuple[str, ...]], float] = {}
    moves = log.moves[columns].astype({"game_id": object, "action": object})
    for (game_id, _), played in moves.groupby(["game_id", "round"], sort=False, observed=True):
        game = games[str(game_id)]
        ordered = played.sort_values("seat").to_dict("records")
        joint = tuple(row["action"] for row in ordered)
        if game is None or len(joint) != game.n_players or any(not isinstance(a, str) for a in joint):
            continue
        for place, row in enumerate(ordered):
            if row["status"] != "parsed":
                continue
            own = _chosen(game, place + 1, row["action"], row.get("decided"))
            met = (*joint[:place], own, *joint[place + 1 :])
            key = (str(game_id), place, met)
            if key not in known:
                known[key] = _regret(game, place, met)
            rows.append((str(game_id), int(row["round"]), place + 1, own, known[key]))
    return pd.DataFrame(rows, columns=["game_id", "round", "seat", "action", "regret"])


def _chosen(game: MatrixGame | PublicGoods, seat: int, played: str, decided: object) -> str:
    """What a player chose, where an error may have changed it; `decided`: whether that was cooperation."""
    cooperative = game.cooperative_action(seat)
    if not isinstance(decided, bool | np.bool_) or cooperative is None:
        return played
    return cooperative if decided else next(action for action in game.actions if action != cooperative)


def _regret(game: MatrixGame | PublicGoods, place: int, joint: tuple[str, ...]) -> float:
    """Of one seat, by its place from 0, at a joint action."""
    sign = 1.0 if game.kind == "reward" else -1.0
    pays = {
        action: sign * game.payoff((*joint[:place], action, *joint[place + 1 :]))[place]
        for action in game.actions
    }
    return max(pays.values()) - pays[joint[place]]
