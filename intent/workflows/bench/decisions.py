"""Decisions of a log with who made them and under which conditions: regret of moves, guesses of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from intent.agents.players import SCRIPTED
from intent.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.suites.gamma.replay import ReplayedGame

__all__ = ["decisions"]


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
        Columns of `intent.suites.gamma.regret.Regret`, then model (or strategy), persona and further columns
        of the seat, game, story and conditions of the game, source, cluster (one value per game).
    guesses : DataFrame
        Columns of `intent.suites.gamma.guesses.guess_rows`, then the same.
    errors : list of DataError
        Of games that are left out, as their rules forbid their moves.
    """
    import dataclasses

    import pandas as pd

    from intent.suites.gamma.guesses import GUESS_COLUMNS, guess_rows
    from intent.suites.gamma.regret import Regret, game_regrets
    from intent.suites.gamma.replay import each_replayed

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
        moves += [tuple(getattr(found, name) for name in names) for found in game_regrets(replayed)]
        guesses += guess_rows(replayed)
    seats = _players(log)
    facts = pd.DataFrame(games, columns=list(games[0]) if games else ["game_id"])
    return (
        _joined(pd.DataFrame(moves, columns=names), facts, seats, source),
        _joined(pd.DataFrame(guesses, columns=list(GUESS_COLUMNS)), facts, seats, source),
        errors,
    )


def _game_facts(replayed: ReplayedGame, log: GameLog) -> dict[str, Any]:
    from intent.games.gamma.relabelled import Relabelled
    from intent.suites.gamma.plainly import ORIGINAL, STORY

    game = replayed.game
    columns = {name: replayed.row[name] for name in ("game_id", "language", *log.conditions)}
    if isinstance(game, Relabelled):
        return {**columns, "game": game.inner.name, STORY: game.story.name}
    return {**columns, "game": game.name, STORY: ORIGINAL}


def _players(log: GameLog) -> pd.DataFrame:
    """Who sits where: the model, ``scripted/`` and the strategy, or the player, as a human; what is known."""
    kept = ["game_id", "seat", "player", "model", "strategy", "persona", "focal", *log.seat_conditions]
    seats = log.seats[kept].copy()
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
