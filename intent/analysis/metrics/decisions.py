"""What players did with advice, tools and the theory of the one-shot game, per seat of a log."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.metrics.behaviour import Metric
from intent.analysis.metrics.details import read_details
from intent.analysis.stakes import stage
from intent.errors import GameError
from intent.games.equilibria import pure_equilibria
from intent.games.game import Game
from intent.logs.gamelog import GameLog

__all__ = ["adherence", "equilibrium_action", "mean_payoff", "nash_consistency", "tool_use"]


def adherence(log: GameLog, rows: NDArray[np.intp], *, keep_defaulted: bool = False) -> Metric:
    """Decisions that follow the advice of a tool or an assistant, over decisions with advice.

    A decision counts where there is an advised action and the player's own one (defaults aside, unless
    kept).

    Parameters
    ----------
    log : GameLog
    rows : (n_moves,), as `seat_rows` gives for the moves
    keep_defaulted : bool

    Returns
    -------
    Metric, by row of the table of seats; NaN without occasions

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, HT1 and HD3 (play against the attitude advised).
    """
    moves = log.moves
    if "advice" not in moves:
        return _metric(log, rows[:0], np.zeros(0, dtype=bool))
    counts = (moves["advice"].notna() & moves["action"].notna()).to_numpy() & _own(moves, keep_defaulted)
    advised = moves["advice"][counts].astype(object).to_numpy()
    return _metric(log, rows[counts], advised == moves["action"][counts].astype(object).to_numpy())


def nash_consistency(log: GameLog, rows: NDArray[np.intp], *, keep_defaulted: bool = False) -> Metric:
    """Moves that are the one-shot equilibrium action, in games where one such action stands alone.

    Parameters
    ----------
    log : GameLog
    rows : (n_moves,), as `seat_rows` gives for the moves
    keep_defaulted : bool

    Returns
    -------
    Metric, by row of the table of seats; NaN without occasions
    """
    moves, seats = log.moves, log.seats["seat"].to_numpy(dtype=np.intp)
    labels = {label: code for code, label in enumerate(moves["action"].cat.categories)}
    stages, distinct = pd.factorize(
        pd.MultiIndex.from_frame(log.games[["payoffs", "payoff_kind"]].astype(object))
    )
    games = [stage(payoffs, kind) for payoffs, kind in distinct]
    table = np.full((len(games), int(seats.max(initial=0)) + 1), -1, dtype=np.intp)
    for row, game in enumerate(games):
        for seat in range(1, min(game.n_players + 1, table.shape[1]) if game else 1):
            best = equilibrium_action(game, seat) if game else None
            table[row, seat] = -1 if best is None else labels.get(best, len(labels))
    best_of_seat = table[stages[pd.Index(log.games["game_id"]).get_indexer(log.seats["game_id"])], seats]
    expected = best_of_seat[rows] if len(rows) else np.zeros(0, dtype=np.intp)
    actions = moves["action"].cat.codes.to_numpy(dtype=np.intp)
    counts = (expected >= 0) & (actions >= 0) & _own(moves, keep_defaulted)
    return _metric(log, rows[counts], actions[counts] == expected[counts])


def equilibrium_action(game: Game, seat: int) -> str | None:
    """The action of a seat in every pure equilibrium of the one-shot game, where that is one action.

    None where equilibria ask for different ones (stag hunt, chicken), where there is none in pure strategies
    (matching pennies), or where there are too many joint actions to tell.

    Examples
    --------
    >>> from intent.games.matrix import MatrixGame
    >>> equilibrium_action(MatrixGame.from_trps("dilemma", 15, 10, 5, 0), 1)
    'D'
    """
    try:
        found = {profile[seat - 1] for profile in pure_equilibria(game)}
    except GameError:
        return None
    return found.pop() if len(found) == 1 else None


def tool_use(log: GameLog, rows: NDArray[np.intp]) -> Metric:
    """Decisions in which the tool was called and answered, over decisions of a player with a tool.

    Read off the details that the architecture ``tool`` records; a decision without readable details counts
    neither way.

    Parameters
    ----------
    log : GameLog
    rows : (n_moves,), as `seat_rows` gives for the moves

    Returns
    -------
    Metric, by row of the table of seats; NaN without occasions
    """
    with_tool = log.seats["architecture"].eq("tool").fillna(False).to_numpy(dtype=bool)
    if "details" not in log.moves or not with_tool.any():
        return _metric(log, rows[:0], np.zeros(0, dtype=bool))
    places = np.flatnonzero(with_tool[rows] & log.moves["details"].notna().to_numpy())
    status = [read_details(text).get("status") for text in log.moves["details"].iloc[places]]
    known = np.array([isinstance(s, str) for s in status], dtype=bool)
    called = np.array([s == "called" for s in status], dtype=bool)
    return _metric(log, rows[places[known]], called[known])


def mean_payoff(log: GameLog, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Mean payoff per round that has one, in the units of the game; payoffs of a round's steps are added up.

    Parameters
    ----------
    log : GameLog
    rows : (n_moves,), as `seat_rows` gives for the moves

    Returns
    -------
    (n_seats,) float, NaN without any
    """
    payoff = log.moves["payoff"].to_numpy(dtype=float, na_value=np.nan)
    paid = np.flatnonzero(~np.isnan(payoff))
    n = len(log.seats)
    sums = np.bincount(rows[paid], weights=payoff[paid], minlength=n)
    at = log.moves["round"].to_numpy(dtype=np.intp)[paid]
    first = np.unique(rows[paid] * (int(at.max(initial=0)) + 1) + at, return_index=True)[1]
    rounds = np.bincount(rows[paid][first], minlength=n)
    return np.where(rounds > 0, sums / np.maximum(rounds, 1), np.nan)


def _own(moves: pd.DataFrame, keep_defaulted: bool) -> NDArray[np.bool_]:
    """Rows whose action is the player's own."""
    without = ["missing"] if keep_defaulted else ["missing", "defaulted"]
    return ~moves["status"].isin(without).to_numpy(dtype=bool)


def _metric(log: GameLog, rows: NDArray[np.intp], hit: NDArray[np.bool_]) -> Metric:
    """Hits and occasions by seat."""
    n = len(log.seats)
    occasions = np.bincount(rows, minlength=n).astype(np.int64)
    hits = np.bincount(rows[hit], minlength=n).astype(np.int64)
    return Metric(np.where(occasions > 0, hits / np.maximum(occasions, 1), np.nan), hits, occasions)
