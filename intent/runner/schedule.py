"""Which game is played next: every group of players gets its share of the games in flight."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

__all__ = ["Schedule"]


class Schedule:
    """Games that wait, in groups that share no endpoint's time with each other.

    The next game is the first of the group with the fewest in flight, so that a slow model does not
    keep the others waiting, and games of one group begin in the order of their plans.

    Parameters
    ----------
    games : iterable of (game, group)
    """

    def __init__(self, games: Iterable[tuple[int, str]]) -> None:
        self._queues: dict[str, deque[int]] = {}
        self._group: dict[int, str] = {}
        self._in_flight: dict[str, int] = {}
        for game, group in games:
            self._queues.setdefault(group, deque()).append(game)
            self._in_flight[group] = 0

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def take(self) -> int | None:
        """The next game, None when all have been taken."""
        if not self._queues:
            return None
        group = min(self._queues, key=lambda name: self._in_flight[name])
        game = self._queues[group].popleft()
        if not self._queues[group]:
            del self._queues[group]
        self._group[game] = group
        self._in_flight[group] += 1
        return game

    def give_back(self, game: int) -> None:
        """A taken game is in flight no longer."""
        self._in_flight[self._group.pop(game)] -= 1
