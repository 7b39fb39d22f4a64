"""Decisions of a log with who made them and under which conditions: regret of moves, guesses of numbers.

Regret: what a best reply to what the others did would have paid more than the move that was made.

What was guessed in the guessing games of a log, and what each guess could go by.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intent.agents.plan import SCRIPTED
from intent.base.errors import DataError
from intent.gamma.guessing import Guessing
from intent.gamma.reader import SAVED
from intent.gamma.records import ReplayedGame, ReplayedRound, replayed_games
from intent.gamma.stories import Relabelled

if TYPE_CHECKING:
    import pandas as pd

    from intent.games.game import CourseGame
    from intent.logs.gamelog import GameLog


__all__ = ["Regret", "decisions", "guess_rows", "regret_table", "regrets"]


def decisions(log: GameLog, source: str) -> tuple[pd.DataFrame, pd.DataFrame, list[DataError]]:
    """The regret of every move, and every guess, of the focal seats of gamma-bench games.

    Parameters
    ----------
    log : GameLog
    source : str
        Where it is from; tells apart games of the same name.

    Returns
    -------
    moves : DataFrame
        Columns of `Regret`, then model (or strategy), persona and further columns
        of the seat, game, story and conditions of the game, source, cluster (one value per game).
    guesses : DataFrame
        Columns of `intent.gamma.bench.decisions.guess_rows`, then the same.
    errors : list of DataError
        Of games that are left out, as their rules forbid their moves.
    """
    import dataclasses

    import pandas as pd

    from intent.gamma.records import each_replayed

    names = [field.name for field in dataclasses.fields(Regret)]
    moves: list[tuple[Any, ...]] = []
    guesses: list[tuple[Any, ...]] = []
    games: list[dict[str, Any]] = []
    errors: list[DataError] = []
    for replayed in each_replayed(log):
        if isinstance(replayed, DataError):
            errors.append(replayed)
            continue
        games.append(_game_facts(replayed, log))
        moves += [tuple(getattr(regret, name) for name in names) for regret in _game_regrets(replayed)]
        guesses += guess_rows(replayed)
    seats = _players(log)
    facts = pd.DataFrame(games, columns=list(games[0]) if games else ["game_id"])
    return (
        _joined(pd.DataFrame(moves, columns=names), facts, seats, source),
        _joined(pd.DataFrame(guesses, columns=list(_GUESS_COLUMNS)), facts, seats, source),
        errors,
    )


def _game_facts(replayed: ReplayedGame, log: GameLog) -> dict[str, Any]:
    from intent.gamma.records import ORIGINAL, STORY
    from intent.gamma.stories import Relabelled

    game = replayed.game
    conditions = [name for name in log.conditions if name != SAVED]
    columns = {name: replayed.row[name] for name in ("game_id", "language", *conditions)}
    if isinstance(game, Relabelled):
        return {**columns, "game": game.inner.name, STORY: game.story.name}
    return {**columns, "game": game.name, STORY: ORIGINAL}


def _players(log: GameLog) -> pd.DataFrame:
    """Who sits where: the model, ``scripted/`` and the strategy, or the player, as a human; what is known."""
    columns = ["game_id", "seat", "player", "model", "strategy", "persona", "focal", *log.seat_conditions]
    seats = log.seats[columns].copy()
    named = seats["model"].astype(object)
    scripted = seats["strategy"].astype(object).map(lambda name: SCRIPTED + name, na_action="ignore")
    scripted = scripted.where(scripted.notna(), seats["player"].astype(object))
    seats["model"] = named.where(named.notna(), scripted)
    return seats.drop(columns=["strategy", "player"])


def _joined(rows: pd.DataFrame, facts: pd.DataFrame, seats: pd.DataFrame, source: str) -> pd.DataFrame:
    own = [name for name in seats.columns if name in ("game_id", "seat") or name not in facts.columns]
    whole = rows.merge(seats[own], on=["game_id", "seat"], how="left").merge(facts, on="game_id", how="left")
    focal = whole["focal"].astype(object).map(lambda value: value is not False)
    whole = whole[focal.astype(bool)].drop(columns="focal")
    return whole.assign(source=source, cluster=f"{source}\n" + whole["game_id"].astype(str))


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
        yield from _game_regrets(replayed)


def _game_regrets(replayed: ReplayedGame) -> Iterator[Regret]:
    """The regret of every move of a game."""
    for played in replayed.rounds:
        yield from _round_regrets(replayed.game, played, str(replayed.row["game_id"]))


def _round_regrets(game: CourseGame, played: ReplayedRound, game_id: str) -> Iterator[Regret]:
    """The regret of every move of a round, in the order of steps and seats.

    regret = max_a u(a, a_-i) - u(a_i, a_-i), where a_-i are the moves that the others made in this round.

    References
    ----------
    Foster & Vohra (1999), Games and Economic Behavior 29:7 (regret in repeated games).
    """
    nan = math.nan
    for step, seats in enumerate(played.steps, start=1):
        for seat in seats:
            if seat not in played.moves:
                continue
            action, question = played.actions[seat], played.questions[seat]
            others = {other: a for other, a in played.actions.items() if other != seat}
            best_action, best = game.best(seat, others, question)
            legal = game.legal(seat, question) or ()
            pays = dict(zip(legal, game.gains(seat, others, question, legal), strict=True))
            if action is not None and action not in pays:
                pays[action] = game.gains(seat, others, question, (action,))[0]
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
    rows = [tuple(getattr(regret, name) for name in columns) for regret in regrets(log)]
    return pd.DataFrame(rows, columns=columns)


_GUESS_COLUMNS = ("game_id", "seat", "round", "guess", "reference", "ratio", "low", "high")
"""Columns of `guess_rows`."""


def guess_rows(replayed: ReplayedGame) -> Iterator[tuple[str, int, int, float, float, str, int, int]]:
    """One row per guess of a guessing game, in the numbers of the original; none of any other game.

    The reference, what level 0 is around, is the middle of the range in the first round and the mean of the
    round before later on.

    Yields
    ------
    tuple
        As `_GUESS_COLUMNS`; the ratio as the rules write it.

    References
    ----------
    Nagel (1995), American Economic Review 85:1313, section IV.
    """
    stage = replayed.game
    game = stage.inner if isinstance(stage, Relabelled) else stage
    if not isinstance(game, Guessing):
        return
    reference = (game.low + game.high) / 2
    game_id = str(replayed.row["game_id"])
    for played in replayed.rounds:
        guesses = {
            seat: int(stage.inner_action(a) if isinstance(stage, Relabelled) else a)
            for seat, a in played.actions.items()
            if a is not None
        }
        for seat, guess in guesses.items():
            if played.moves[seat].status == "parsed":
                yield (
                    *(game_id, seat, played.number, float(guess), reference),
                    *(game.ratio, game.low, game.high),
                )
        if guesses:
            reference = sum(guesses.values()) / len(guesses)
