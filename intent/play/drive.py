"""The synchronous driver: asks players in seat order and hands their moves to the referee."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from intent.errors import GameError
from intent.games.game import Game
from intent.play.horizon import Horizon
from intent.play.players import Player
from intent.play.referee import Referee
from intent.play.rounds import Communication, Match
from intent.play.view import View

__all__ = ["play"]


def play(
    game: Game,
    players: Sequence[Player],
    horizon: Horizon,
    rng: np.random.Generator,
    *,
    stop: Iterable[Sequence[str]] = (),
    order: Sequence[Sequence[int]] | None = None,
    communication: Communication = "none",
    implementation_error: float = 0.0,
    columns: Mapping[str, Any] | None = None,
) -> Match:
    """Play one match.

    Every seat and the horizon get a stream of their own, spawned from `rng`, so that the draws of one
    player do not depend on who else draws. In a message phase, players without ``speak(view, rng)`` stay
    silent.

    Parameters
    ----------
    game : Game
    players : sequence of Player, by seat
    horizon : Horizon
    rng : numpy Generator
    stop, order, communication, implementation_error
        As for `Referee`; errors have a stream of their own.
    columns : mapping, optional
        What the log's games table is to say of the match.

    Raises
    ------
    GameError
        Not one player per seat, or a move that breaks the rules.
    """
    if len(players) != game.n_players:
        raise GameError(f"{game.name}: {len(players)} players, expected {game.n_players}")
    of_horizon, *of_seat = rng.spawn(1 + len(players))
    referee = Referee(
        game,
        horizon,
        stop=stop,
        order=order,
        communication=communication,
        rng=of_horizon,
        implementation_error=implementation_error,
        errors=rng.spawn(1)[0] if implementation_error else None,
    )
    while not referee.over:
        speaking = referee.phase == "message"
        for seat in referee.pending():
            player, view, draws = players[seat - 1], referee.view(seat), of_seat[seat - 1]
            if speaking:
                speak: Callable[[View, np.random.Generator], str | None] | None
                speak = getattr(player, "speak", None)
                referee.speak(seat, None if speak is None else speak(view, draws))
            else:
                action = player.act(view, draws)
                referee.submit(seat, action, "missing" if action is None else "parsed")
    seats = tuple(dict(getattr(player, "columns", {})) for player in players)
    errors = {"implementation_error": implementation_error} if implementation_error else {}
    return Match(game, horizon, referee.record, seats, {**errors, **(columns or {})})
