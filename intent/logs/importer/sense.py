"""Readings that make no sense, whoever proposed them: what is absurd, and what would help."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from intent.base.errors import DataError, located
from intent.logs.gamelog import GameLog

__all__ = ["absurdities", "check_sense"]

_GROUP = 20
"""Most players of a game of two actions before it is taken for several games under one number."""


def check_sense(log: GameLog, file: Path) -> None:
    """Refuse a log that cannot be what it was read as.

    Raises
    ------
    DataError
        The first of `absurdities`.
    """
    for line in absurdities(log):
        raise DataError(located(file, line))


def absurdities(log: GameLog) -> Iterator[str]:
    """What about a log cannot be, and what would help; one line each."""
    yield from _crowds(log)


def _crowds(log: GameLog) -> Iterator[str]:
    """Games of two actions with so many players that their numbers must repeat between sessions."""
    many = log.games["n_players"]
    if (many > _GROUP).any() and log.moves["value"].isna().all():
        at = int(many.to_numpy().argmax())
        n, name = int(many.iloc[at]), log.games["game_id"].iloc[at]
        yield (
            f"game {name} has {n:,} players: numbers of games repeat between sessions or pairs; "
            "give --map by=SESSION, or --map other_player=PARTNER"
        )
