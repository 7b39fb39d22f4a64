"""Regret: what a best reply to what the others did would have paid more than the move that was made."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intent.suites.gamma.replay import ReplayedGame, ReplayedRound, replayed_games

if TYPE_CHECKING:
    import pandas as pd

    from intent.games.course import CourseGame
    from intent.logs.gamelog import GameLog

__all__ = ["Regret", "regret_table", "regrets", "round_regrets"]

_STAKE = 1e-12


@dataclass(frozen=True)
class Regret:
    """The regret of one move.

    Attributes
    ----------
    game_id : str
    round, step, seat : int
    action : str or None
        None where it is missing; it has no regret then.
    status : {"parsed", "defaulted", "missing"}
    gain : float
        What the action pays against what the others did in the round; in sequential games expected, with
        equilibrium play from the next round on.
    best_action : str
    best_gain : float
        What it pays.
    worst_gain : float
        What the worst legal action pays; NaN where actions cannot be listed.
    regret : float, at least 0
    relative : float in [0, 1]
        Regret over best - worst gain; NaN where nothing was at stake, or the worst is not known.
    """

    game_id: str
    round: int
    step: int
    seat: int
    action: str | None
    status: str
    gain: float
    best_action: str
    best_gain: float
    worst_gain: float
    regret: float
    relative: float


def regrets(log: GameLog) -> Iterator[Regret]:
    """The regret of every move of the gamma-bench games of a log, game by game.

    Raises
    ------
    DataError
        Moves that a game does not allow (see `replay.replayed_games`).
    """
    for replayed in replayed_games(log):
        yield from game_regrets(replayed)


def game_regrets(replayed: ReplayedGame) -> Iterator[Regret]:
    """The regret of every move of a game."""
    for played in replayed.rounds:
        yield from round_regrets(replayed.game, played, str(replayed.row["game_id"]))


def round_regrets(game: CourseGame, played: ReplayedRound, game_id: str) -> Iterator[Regret]:
    """The regret of every move of a round, in the order of steps and seats.

    regret = max_a u(a, a_-i) - u(a_i, a_-i), where a_-i are the moves that the others made in this round.

    Parameters
    ----------
    game : CourseGame
    played : ReplayedRound
    game_id : str

    References
    ----------
    Foster & Vohra (1999), Games and Economic Behavior 29:7 (regret in repeated games).
    """
    nan = math.nan
    for step, seats in enumerate(played.steps, start=1):
        for seat in seats:
            if seat not in played.moves:
                continue
            action, asked = played.actions[seat], played.asked[seat]
            others = {other: a for other, a in played.actions.items() if other != seat}
            best_action, best = game.best(seat, others, asked)
            legal = game.legal(seat, asked) or ()
            pays = dict(zip(legal, game.gains(seat, others, asked, legal), strict=True))
            if action is not None and action not in pays:
                pays[action] = game.gains(seat, others, asked, (action,))[0]
            gain = nan if action is None else pays[action]
            best = best if math.isnan(gain) else max(best, gain)
            worst = min(pays.values()) if legal else nan
            regret, stake = best - gain, best - worst
            relative = regret / stake if stake > _STAKE else nan
            status = played.moves[seat].status
            yield Regret(
                *(game_id, played.number, step, seat, action, status),
                *(gain, best_action, best, worst, regret, relative),
            )


def regret_table(log: GameLog) -> pd.DataFrame:
    """One row per move, with the columns of `Regret`; no rows where the log has no gamma-bench game."""
    import dataclasses

    import pandas as pd

    columns = [field.name for field in dataclasses.fields(Regret)]
    rows = [tuple(getattr(found, name) for name in columns) for found in regrets(log)]
    return pd.DataFrame(rows, columns=columns)
