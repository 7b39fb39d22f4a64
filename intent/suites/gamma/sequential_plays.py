"""Records of the games that are played in turn: shots of battle royale, proposals and votes of pirates."""

from __future__ import annotations

from dataclasses import dataclass

from intent.suites.gamma.plays import Plays

__all__ = ["BattlePlays", "PiratePlays", "Shot", "Vote"]


@dataclass(frozen=True)
class Shot:
    """One round of battle royale.

    Parameters
    ----------
    shooter : int, seat from 1
    rates : tuple of (seat, hit rate)
        Everybody alive before the shot.
    target : int or None
        Seat; None of a miss on purpose, and of a target that is nobody at the table.
    hit : bool or None
        None where the source does not say; no score depends on it.
    """

    shooter: int
    rates: tuple[tuple[int, float], ...]
    target: int | None
    hit: bool | None = None


@dataclass(frozen=True, kw_only=True)
class BattlePlays(Plays):
    """Battle royale.

    Parameters
    ----------
    span : tuple of float
        Lowest and highest hit rate at the start, per cent.
    shots : tuple of Shot
    """

    game = "battle_royale"
    by_round = "shots"
    settings = (("span", "rates", (35, 80)),)

    span: tuple[float, float] = (35, 80)
    shots: tuple[Shot, ...]


@dataclass(frozen=True)
class Vote:
    """One round of the pirate game.

    Parameters
    ----------
    shares : tuple of float, or None
        What the proposer, then every junior, was to get; None of a proposal that is missing.
    votes : tuple of ``accept``, ``reject`` or None
        Of the juniors, in their order; None of a vote that is missing.
    """

    shares: tuple[float, ...] | None
    votes: tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class PiratePlays(Plays):
    """Pirate game.

    Parameters
    ----------
    gold : float
    held : tuple of Vote, by round
        The first of all players, each further one of one player fewer.
    """

    game = "pirate"
    by_round = "held"
    settings = (("gold", "gold", 100),)

    gold: float = 100
    held: tuple[Vote, ...]
