"""Tells one seat of a game in one wording: pieces with values, numbers and lists as players read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from intent.agents.prompts.gamma.pieces import PHRASES_FILE, game_of
from intent.agents.prompts.gamma.wording import GammaWording
from intent.agents.prompts.numerals import written
from intent.games.course import CourseGame

__all__ = ["Teller", "told"]


@dataclass(frozen=True)
class Teller:
    """Tells one seat of a game, in one wording.

    Parameters
    ----------
    wording : GammaWording
    version : str
    game : CourseGame
    seat : int, from 1
    names : tuple of str, by seat
    """

    wording: GammaWording
    version: str
    game: CourseGame
    seat: int
    names: tuple[str, ...]

    @property
    def kind(self) -> str:
        """Which of the eight games it is, whatever its story."""
        return game_of(self.game.name) or self.game.name

    def say(self, piece: str, **values: object) -> str:
        """A piece of the game's file."""
        centre = self.game.facts().get("centre")
        more = {} if centre is None else {"centre": told(centre)}
        return self.wording.say(self.game.name, piece, self.version, {**more, **values})

    def phrase(self, piece: str, **values: object) -> str:
        """A piece of the file of phrases."""
        return self.wording.say(PHRASES_FILE, piece, self.version, values)

    def name(self, seat: Any) -> str:
        """What a player is called."""
        return self.names[int(seat) - 1]

    def lines(self, piece: str, seats: Sequence[int], **columns: Sequence[Any]) -> str:
        """One line for each seat, with a value of every column."""
        rows = zip(*columns.values(), strict=True) if columns else ((),) * len(seats)
        return "\n".join(
            self.phrase(
                piece, number=seat, name=self.name(seat), **dict(zip(columns, map(told, row), strict=True))
            )
            for seat, row in zip(seats, rows, strict=True)
        )

    def amounts(self, values: Sequence[Any]) -> str:
        """A number of every player on one line; of who gave no answer, that."""
        missing = self.phrase("no_answer")
        return self.phrase("comma").join(
            self.phrase("player_amount", name=name, amount=missing if value is None else told(value))
            for name, value in zip(self.names, values, strict=True)
        )


def told(value: Any) -> str:
    """A number as players read it, to hundredths; text as it is."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return written(round(value, 2))
    return "0" if value is None else str(value)
