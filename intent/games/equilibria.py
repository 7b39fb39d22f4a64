"""Dominant actions and pure Nash equilibria of a one-shot game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from intent.errors import GameError
from intent.games.game import Game
from intent.games.public_goods import PublicGoods

__all__ = ["Dominance", "dominant_actions", "pure_equilibria"]

MOST_PROFILES = 4096


@dataclass(frozen=True)
class Dominance:
    """An action that is a best reply to whatever the others do.

    Parameters
    ----------
    action : str
    strict : bool
        Whether it is the only best reply every time.
    """

    action: str
    strict: bool


def dominant_actions(game: Game) -> tuple[Dominance | None, ...]:
    """The dominant action of every seat, None for a seat without one.

    Where both actions always pay the same, neither dominates.

    Parameters
    ----------
    game : Game
        A game of at most 4096 joint actions, or a public goods game of any size.

    Returns
    -------
    tuple of Dominance or None, by seat
    """
    if isinstance(game, PublicGoods):
        keep = _contribution_gain(game)
        best = Dominance(game.actions[keep < 0], strict=True) if keep else None
        return (best,) * game.n_players
    return tuple(_dominant(game, seat) for seat in range(1, game.n_players + 1))


def pure_equilibria(game: Game) -> tuple[tuple[str, ...], ...]:
    """Joint actions from which no player gains by moving alone, in the order of the actions.

    Parameters
    ----------
    game : Game
        A game of at most 4096 joint actions; a public goods game may have more where each player
        has a best action.

    Returns
    -------
    tuple of joint actions, each a tuple of labels by seat

    Raises
    ------
    GameError
        Too many joint actions to list.

    References
    ----------
    Nash 1951, Annals of Mathematics 54:286.
    """
    if isinstance(game, PublicGoods) and _contribution_gain(game):
        return ((game.actions[_contribution_gain(game) < 0],) * game.n_players,)
    profiles = _profiles(game, game.n_players)
    if isinstance(game, PublicGoods):
        return tuple(profiles)
    return tuple(p for p in profiles if all(_is_best(game, p, seat) for seat in range(1, game.n_players + 1)))


def _contribution_gain(game: PublicGoods) -> int:
    """Sign of what a contribution changes in one's own payoff, c·M/N - c, free of rounding."""
    return (game.factor > game.n_players) - (game.factor < game.n_players)


def _profiles(game: Game, n_players: int) -> list[tuple[str, ...]]:
    if len(game.actions) ** n_players > MOST_PROFILES:
        raise GameError(f"{game.name}: {game.n_players} players have more than {MOST_PROFILES} joint actions")
    return list(product(game.actions, repeat=n_players))


def _utility(game: Game, profile: Sequence[str], seat: int) -> float:
    value = game.payoff(profile)[seat - 1]
    return value if game.kind == "reward" else -value


def _is_best(game: Game, profile: tuple[str, ...], seat: int) -> bool:
    own = _utility(game, profile, seat)
    return all(own >= _utility(game, _moved(profile, seat, action), seat) for action in game.actions)


def _moved(profile: tuple[str, ...], seat: int, action: str) -> tuple[str, ...]:
    return (*profile[: seat - 1], action, *profile[seat:])


def _dominant(game: Game, seat: int) -> Dominance | None:
    others = [
        _moved(p, seat, game.actions[0])
        for p in _profiles(game, game.n_players)
        if p[seat - 1] == game.actions[0]
    ]
    for action in game.actions:
        margins = [
            _utility(game, _moved(p, seat, action), seat) - _utility(game, _moved(p, seat, alternative), seat)
            for p in others
            for alternative in game.actions
            if alternative != action
        ]
        if min(margins) >= 0 and max(margins) > 0:
            return Dominance(action, strict=min(margins) > 0)
    return None
