"""Games of gamma-bench in a game log, as records of what was played.

A missing move counts as the games' rules have it: nobody's guess, at home, no bid and no token, no dish, a
miss on purpose. In the pirate game a missing vote is a wrong one, and a missing proposal as far from the
equilibrium as can be. Defaults that replaced an unreadable answer count as moves, since they were played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, GameError, shorten
from intent.games.gamma.catalogue import GAMMA_GAMES, gamma_from_json, holds_rules
from intent.suites.gamma.log_plays import READERS, Table
from intent.suites.gamma.plainly import told_plainly

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.suites.gamma.plays import Plays

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
    found = []
    for row, plays in each_plays(log):
        if isinstance(plays, DataError):
            raise plays
        found.append((row, plays))
    return found


def each_plays(log: GameLog) -> Iterator[tuple[Mapping[str, Any], Plays | DataError]]:
    """As `plays_of`, with the error in place of a game that cannot be read."""
    log = told_plainly(log)
    moves = dict(iter(log.moves.groupby("game_id", sort=False, observed=True)))
    seats = dict(iter(log.seats.groupby("game_id", sort=False, observed=True)))
    for row in gamma_rows(log):
        try:
            yield row, _plays(row, seats[row["game_id"]], moves.get(row["game_id"], log.moves.iloc[:0]))
        except (DataError, GameError) as error:
            yield row, DataError(f"game {shorten(row['game_id'])!r}, {error}")


def gamma_rows(log: GameLog) -> list[Mapping[str, Any]]:
    """Rows of the table of games whose payoffs are the rules of a gamma-bench game."""
    ours = [holds_rules(payoffs) for payoffs in log.games["payoffs"]]
    return [{str(name): value for name, value in row.items()} for row in log.games[ours].to_dict("records")]


def _plays(row: Mapping[str, Any], seats: pd.DataFrame, moves: pd.DataFrame) -> Plays:
    game = gamma_from_json(row["payoffs"], str(row["game"]))
    models = {
        int(seat): shorten(model if isinstance(model, str) else strategy, 200)
        for seat, model, strategy in zip(seats["seat"], seats["model"], seats["strategy"], strict=True)
        if isinstance(model, str) or isinstance(strategy, str)
    }
    table = Table.of(moves, game.n_players)
    return READERS[game.name](game, table, tuple(models.get(i + 1) for i in range(game.n_players)))


assert set(READERS) == set(GAMMA_GAMES)
