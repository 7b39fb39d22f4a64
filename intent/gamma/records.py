"""Games of gamma-bench in a game log, as records of what was played.

A missing move counts as the games' rules have it: nobody's guess, at home, no bid and no token, no dish, a
miss on purpose. In the pirate game a missing vote is a wrong one, and a missing proposal as far from the
equilibrium as can be. Defaults that replaced an unreadable answer count as moves, since they were played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from intent.agents.plan import SCRIPTED
from intent.base.errors import DataError, GameError, shorten
from intent.games.courses import course_from_json, holds_rules
from intent.gamma.catalogue import bench_game, setting_name
from intent.gamma.plays import Plays, Table
from intent.gamma.reader import SAVED, saved_part
from intent.gamma.replay import MovesByGame, Rounds, plain_log
from intent.gamma.saved import saved_plays

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog


__all__ = ["each_plays", "gamma_rows", "plays_of"]


def plays_of(log: GameLog) -> list[tuple[Mapping[str, Any], Plays]]:
    """Every gamma-bench game of a log, in its order.

    Parameters
    ----------
    log : GameLog

    Returns
    -------
    list of (row of the table of games, Plays)

    Raises
    ------
    DataError
        A game whose parameters or moves cannot be; the message names game, round and seat.
    """
    records = []
    for row, plays in each_plays(log):
        if isinstance(plays, DataError):
            raise plays
        records.append((row, plays))
    return records


def each_plays(log: GameLog) -> Iterator[tuple[Mapping[str, Any], Plays | DataError]]:
    """As `plays_of`, with the error in place of a game that cannot be read."""
    log = plain_log(log)
    moves, players = MovesByGame(log), _players(log)
    places = {game_id: i for i, game_id in enumerate(log.games["game_id"])}
    for row in gamma_rows(log):
        game_id = row["game_id"]
        try:
            saved = saved_part(row)
            if saved is not None:
                yield row, saved_plays(saved)
                continue
            yield row, _plays(row, players.get(game_id, {}), moves.rounds(places[game_id]))
        except (DataError, GameError) as error:
            yield row, DataError(f"game {shorten(row['game_id'])!r}, {error}")


def gamma_rows(log: GameLog) -> list[Mapping[str, Any]]:
    """Rows of the games whose payoffs are the rules of a gamma-bench game, or that its code saved."""
    saved = log.games[SAVED] if SAVED in log.games.columns else [None] * len(log.games)
    objects = [isinstance(text, str) and text.lstrip().startswith("{") for text in saved]
    ours = [holds_rules(p) or here for p, here in zip(log.games["payoffs"], objects, strict=True)]
    return [{str(name): value for name, value in row.items()} for row in log.games[ours].to_dict("records")]


def _players(log: GameLog) -> dict[str, dict[int, str]]:
    """game_id -> seat -> model, or the strategy of a scripted seat."""
    players: dict[str, dict[int, str]] = {}
    columns = (log.seats[name].astype(object) for name in ("game_id", "seat", "model", "strategy"))
    for game_id, seat, model, strategy in zip(*columns, strict=True):
        if isinstance(model, str) or isinstance(strategy, str):
            name = model if isinstance(model, str) else SCRIPTED + strategy
            players.setdefault(game_id, {})[int(seat)] = shorten(name, 200)
    return players


def _plays(row: Mapping[str, Any], models: Mapping[int, str], rounds: Rounds) -> Plays:
    game = course_from_json(row["payoffs"], str(row["game"]))
    table = Table.of(rounds, game.n_players)
    by_seat = tuple(models.get(i + 1) for i in range(game.n_players))
    return bench_game(game.name).plays.of_table(game, table, by_seat, setting_name(game))
