"""What was played in one run of a gamma-bench game: its moves, and the record that is scored and drawn.

Each game has a record of its own, in its file. Figures of a round (means, totals, …) are always there;
`by_seat` has the single choices, rounds by seats, where the source says whose they are. None stands for a
move that is missing, which counts as the games' rules have it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, ClassVar, Literal, Self

from intent.base.errors import DataError, shorten

__all__ = [
    "Models",
    "Numbers",
    "Plays",
    "Scoring",
    "Table",
    "Words",
    "mean_of",
    "odd_action",
    "own_scores",
    "sums",
    "whole_or_same",
    "whole_within",
]

Scoring = Literal["code", "paper"]
"""``code`` is what GAMA-Bench's published tables hold; ``paper`` is equation 1 of its appendix E with the raw
scores of section 3 (Huang et al. 2024, arXiv:2403.11807)."""

Numbers = tuple[tuple[float | None, ...], ...]
"""Rounds by seats."""

Words = tuple[tuple[str | None, ...], ...]
"""Rounds by seats."""

Models = tuple[str | None, ...]
"""By seat: a model, or the strategy of a scripted seat; None where the source does not say."""

_WHOLE = re.compile(r"\d{1,12}", re.ASCII)


@dataclass(frozen=True)
class Table:
    """Moves of one game.

    Parameters
    ----------
    rounds : tuple of mappings seat -> action, by round
        None of a move that is missing; a seat that did not move is absent.
    hits : tuple of mappings seat -> number
        What the column ``value`` has.
    n_players : int
    """

    rounds: tuple[Mapping[int, str | None], ...]
    hits: tuple[Mapping[int, float], ...]
    n_players: int

    @classmethod
    def of(cls, rounds: Mapping[int, Mapping[int, Any]], n_players: int) -> Table:
        """The moves of a game (`intent.gamma.records.Rounds`), in rounds 1 to the last.

        Raises
        ------
        DataError
            A round or seat that cannot be, or a round without a move between others.
        """
        for i, played in rounds.items():
            stray = next((seat for seat in played if not 1 <= seat <= n_players), None)
            if stray is not None:
                raise DataError(f"round {i}: seat {stray}, expected 1 to {n_players}")
        if list(rounds) != list(range(1, len(rounds) + 1)):
            raise DataError(f"rounds {shorten(sorted(rounds))}, expected each from 1 to {len(rounds)}")
        actions = [{seat: move.action for seat, move in played.items()} for played in rounds.values()]
        values = [{s: m.value for s, m in played.items() if m.value == m.value} for played in rounds.values()]
        return cls(tuple(actions), tuple(values), n_players)

    def words(self, options: tuple[str, ...]) -> Words:
        """Rounds by seats of actions that are one of the options."""
        for i, played in enumerate(self.rounds, start=1):
            for seat, action in played.items():
                if action is not None and action not in options:
                    raise odd_action(i, seat, action, " or ".join(options))
        return tuple(tuple(played.get(s + 1) for s in range(self.n_players)) for played in self.rounds)

    def numbers(self, low: float, high: float) -> Numbers:
        """Rounds by seats of actions that are whole numbers of a range."""
        rows = tuple(
            tuple(self.whole(i, s + 1, played.get(s + 1)) for s in range(self.n_players))
            for i, played in enumerate(self.rounds, start=1)
        )
        for i, row in enumerate(rows, start=1):
            for seat, x in enumerate(row, start=1):
                if x is not None and not low <= x <= high:
                    raise odd_action(i, seat, f"{x:.0f}", f"a whole number from {low} to {high}")
        return rows

    @staticmethod
    def whole(i: int, seat: int, action: str | None) -> float | None:
        """An action as a whole number; `i` is the round."""
        if action is None:
            return None
        if not _WHOLE.fullmatch(action):
            raise odd_action(i, seat, action, "a whole number")
        return float(action)


def odd_action(i: int, seat: int, action: object, expected: str) -> DataError:
    """That an action cannot be."""
    return DataError(f"round {i}, seat {seat}: action {shorten(action, 40)!r}, expected {expected}")


def sums(rows: Numbers) -> tuple[float, ...]:
    """By round, of the numbers that are there."""
    return tuple(sum(x for x in row if x is not None) for row in rows)


def whole_or_same(value: float) -> float:
    """A whole number as int, as rules take it; any other number as it is."""
    return int(value) if value == int(value) else value


@lru_cache(maxsize=256)
def _places(rounds: int, n_players: int) -> tuple[list[int], list[int], list[int]]:
    """Round, step and seat of every move where all seats move once in each round."""
    numbers = [number for number in range(1, rounds + 1) for _ in range(n_players)]
    return numbers, [1] * len(numbers), list(range(1, n_players + 1)) * rounds


def whole_within(rows: Iterable[Iterable[float | None]], low: float, high: float) -> bool:
    """Whether all numbers that are there are whole, and within bounds."""
    numbers = {x for row in rows for x in row} - {None}
    return all(low <= x <= high and x == int(x) for x in numbers if x is not None)


def mean_of(values: Sequence[float]) -> float:
    """The mean, summed from the left as upstream does."""
    return sum(values) / len(values)


def own_scores(
    rows: Sequence[Sequence[float | None]], own_score: Callable[[list[float]], float]
) -> tuple[float, ...] | None:
    """What a function makes of every seat's own numbers; None where one is missing."""
    columns = [[x for x in column if x is not None] for column in zip(*rows, strict=True)]
    return None if any(len(own) < len(rows) for own in columns) else tuple(own_score(own) for own in columns)


@dataclass(frozen=True, kw_only=True)
class Plays:
    """What all games have in common.

    Parameters
    ----------
    n_players : int
    models : tuple of str or None, by seat
        Who played: a model, or the strategy of a scripted seat; None where the source does not say.
    named : str, optional
        The setting, where the source has the whole game (`intent.gamma.catalogue.setting_name`).
    """

    game: ClassVar[str]
    by_round: ClassVar[str]
    """The field that has an entry per round."""
    settings: ClassVar[tuple[tuple[str, str, object], ...]] = ()
    """Parameters that make a setting: field, its word in `setting`, value of the paper's default."""

    n_players: int = 10
    models: Models = ()
    named: str | None = field(default=None, compare=False)

    @classmethod
    def of_table(cls, game: Any, table: Table, models: Models, named: str) -> Self:
        """The record of a game's moves in a log.

        Raises
        ------
        DataError
            A move that cannot be; the message names round and seat.
        """
        own = {f.name for f in fields(cls)}
        shared = {f.name: getattr(game, f.name) for f in fields(game) if f.name in own}
        return cls(models=models, named=named, **{**shared, **cls.from_table(game, table)})

    @classmethod
    def from_table(cls, game: Any, table: Table) -> dict[str, Any]:
        """The fields of the game's own record but the parameters that it shares with the rules."""
        raise NotImplementedError

    @property
    def rounds(self) -> int:
        """Rounds that count: entries of the field `by_round`."""
        return len(getattr(self, self.by_round))

    @property
    def setting(self) -> str:
        """How the parameters differ from the paper's: ``default``, ``ratio=1/2``, ``gold=4, n_players=5``."""
        if self.named is not None:
            return self.named
        values = [(word, getattr(self, name), usual) for name, word, usual in self.settings]
        values.append(("n_players", self.n_players, 10))
        differing = (f"{word}={_written(value)}" for word, value, usual in values if value != usual)
        return ", ".join(differing) or "default"

    @property
    def model(self) -> str | None:
        """Who sits at the table, each once, joined by " + "; None where the source does not say."""
        return " + ".join(sorted({model for model in self.models if model is not None})) or None

    def moves(self) -> Iterator[tuple[int, int, int, str, float | None]]:
        """The choices whose seats are known: round, step, seat, action, value."""
        for i, row in enumerate(getattr(self, "by_seat", None) or (), start=1):
            for seat, choice in enumerate(row, start=1):
                if choice is not None:
                    number = not isinstance(choice, str)
                    yield i, 1, seat, f"{choice:.12g}" if number else choice, choice if number else None

    @property
    def over(self) -> bool:
        """Whether nothing can follow, in games that last as long as play makes them."""
        return False

    def rules(self) -> dict[str, Any]:
        """Parameters of the rules but the number of players, as the game takes them; they may make none."""
        raise NotImplementedError

    def allowed(self, stage: Any) -> bool:
        """Whether the rules allow all moves, where the source says whose they are."""
        return True

    def payoffs(self, stage: Any) -> Iterator[float | None]:
        """What each of `moves` paid, under the rules; None where luck decided in a way that is not known.

        Parameters
        ----------
        stage : the game with `rules`
        """
        raise NotImplementedError

    def columns(self) -> tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[str], Sequence[Any]]:
        """`moves` by column: rounds, steps, seats, actions, values (NaN where there is none)."""
        rows = getattr(self, "by_seat", None)
        if not rows or any(None in row for row in rows):
            rounds, steps, seats, actions, values = tuple(zip(*self.moves(), strict=True)) or ((),) * 5
            return rounds, steps, seats, actions, [math.nan if value is None else value for value in values]
        choices = [choice for row in rows for choice in row]
        places = _places(len(rows), self.n_players)
        if isinstance(choices[0], str):
            return (*places, choices, [math.nan] * len(choices))
        texts = {number: f"{number:.12g}" for number in {*choices}}
        return (*places, [texts[number] for number in choices], choices)

    def score(self, scoring: Scoring = "code") -> float:
        """From 0 to 100; see `intent.gamma.bench.scores` for its bounds."""
        raise NotImplementedError

    def seat_scores(self, scoring: Scoring = "code") -> tuple[float | None, ...] | None:
        """The share of every seat, where the score of a run is the mean over its seats; else None."""
        return None


def _written(value: object) -> str:
    """A parameter as a setting names it: whole numbers without a point, several joined by ``/``."""
    if isinstance(value, tuple):
        return "/".join(map(_written, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
