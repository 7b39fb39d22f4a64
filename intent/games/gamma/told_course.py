"""A match of a gamma-bench game under another surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from intent.games.course import Course, Facts, RoundOutcome

if TYPE_CHECKING:
    from intent.games.gamma.relabelled import Relabelled

__all__ = ["ToldCourse"]


class ToldCourse:
    """A course whose facts and moves are those of the story.

    Parameters
    ----------
    game : Relabelled
    inner : Course
        Of the inner game.
    """

    def __init__(self, game: Relabelled, inner: Course) -> None:
        self._game, self._inner = game, inner

    @property
    def over(self) -> bool:
        """As the inner one."""
        return self._inner.over

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """As the inner one."""
        return self._inner.steps()

    def asked(self, seat: int, earlier: Mapping[int, str | None]) -> Facts:
        """What the inner one asks, in the words of the story."""
        return self._game.outer_facts(self._inner.asked(seat, self._game.inner_moves(earlier)))

    def complete(self, actions: Mapping[int, str | None]) -> RoundOutcome:
        """What the moves stand for comes to, in the words of the story."""
        outcome = self._inner.complete(self._game.inner_moves(actions))
        values, told = dict(outcome.values), outcome.told
        if (centre := self._game.centre) is not None:
            values = {seat: None if value is None else centre - value for seat, value in values.items()}
        facts = {seat: self._game.outer_facts(known) for seat, known in told.items()}
        return replace(outcome, values=values, told=facts)
