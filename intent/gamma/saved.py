"""GAMA-Bench's saved JSON files, as records of what was played.

A file is an object with ``meta`` (the parameters), ``round_records`` and ``player_data``; it does not name
its game, which the keys of ``meta`` tell, and those of the rounds where ``meta`` lacks them. Files differ
with their age: ``model`` or ``models``, no ``gold`` (then 100), targets as ``player_3`` or ``3``. Responses
of the guessing game and of dividing the dollar were shuffled before they were saved, so that single choices
come from ``player_data[*].records``. What else differs between games is in their own files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from intent.base.errors import DataError, one_line, shorten
from intent.gamma.catalogue import GAMMA_GAMES, bench_game
from intent.gamma.plays import Plays

__all__ = [
    "LARGEST",
    "MOST_PLAYERS",
    "SMALLEST",
    "Saved",
    "count",
    "is_saved",
    "number",
    "numbers",
    "part",
    "saved_plays",
    "seat_of",
    "words",
]


LARGEST = 1e9
"""Size of a number beyond which it is no choice that anybody made."""

SMALLEST = 1e-6
"""Of what scores are divided by: beyond it they would be infinite."""

MOST_PLAYERS = 1000
_MOST_ROUNDS = 10_000

T = TypeVar("T")

_ID = re.compile(r"(?:player_)?(\d{1,4})", re.ASCII)


@dataclass(frozen=True)
class Saved:
    """The parts of a saved file.

    Parameters
    ----------
    meta : mapping
    records : list of mappings, by round
    n_players : int
    models : tuple of str or None, by player
    own : tuple of lists, by player, or None
        ``records`` of the players, which hold a choice per round; None where a player has none.
    """

    meta: Mapping[str, Any]
    records: list[Mapping[str, Any]]
    n_players: int
    models: tuple[str | None, ...]
    own: tuple[list[Any], ...] | None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Saved:
        """The parts of an object.

        Raises
        ------
        DataError
            A part is missing or of another kind.
        """
        meta = part(values, "meta", dict, "the file")
        records = part(values, "round_records", list, "the file")
        if len(records) > _MOST_ROUNDS:
            raise DataError(f"{len(records):,} rounds, expected at most {_MOST_ROUNDS:,}")
        for i, record in enumerate(records, start=1):
            if not isinstance(record, dict):
                raise DataError(f"round {i}: {shorten(repr(record))}, expected an object")
        players = part(values, "player_data", list, "the file") if "player_data" in values else []
        if any(not isinstance(player, dict) for player in players):
            raise DataError("player_data: expected a list of objects")
        n_players = count(
            meta.get("player_num", len(players)), "player_num", "meta", low=2, high=MOST_PLAYERS
        )
        if players and len(players) != n_players:
            raise DataError(f"player_data of {len(players)} players, expected {n_players}")
        own = tuple(player.get("records") for player in players)
        complete = bool(own) and all(isinstance(one, list) for one in own)
        return cls(meta, records, n_players, _models(meta, players, n_players), own if complete else None)

    def responses(self, i: int) -> list[Any] | None:
        """The answers of a round, in the order of the file; None where the file has none."""
        record, at = self.records[i], f"round {i + 1}"
        if "responses" not in record:
            return None
        responses: list[Any] = part(record, "responses", list, at)
        if len(responses) != self.n_players:
            raise DataError(f"{at}: {len(responses)} responses, expected {self.n_players}")
        return responses

    def parameter(self, key: str, usual: float, *, low: float = 0.0, high: float = LARGEST) -> float:
        """A number of ``meta``, the usual one where it has none."""
        return number(self.meta.get(key, usual), key, "meta", low=low, high=high)

    def word(self, key: str, usual: str, options: tuple[str, ...]) -> str:
        """A word of ``meta`` out of options, the usual one where it has none."""
        return words([self.meta.get(key, usual)], options, key, "meta")[0]

    def written(self, usual: str, ratio: float) -> str:
        """How the rules say the ratio; the number itself where the file does not say."""
        text = self.meta.get("ratio_str")
        if isinstance(text, str) and one_line(text):
            return one_line(text, 20)
        return usual if "ratio" not in self.meta else f"{ratio:g}"

    def counts(
        self, key: str, options: tuple[str, ...], *, other: str | None = None
    ) -> tuple[tuple[int, ...], tuple[tuple[str, ...], ...] | None]:
        """How many chose the first option, by round; and who, where every round says so.

        `other` stands for texts that are no option.
        """
        figures: list[int] = []
        rows: list[tuple[str, ...] | None] = []
        for i, record in enumerate(self.records):
            at, answers = f"round {i + 1}", self.responses(i)
            if answers is not None and other is not None:
                answers = [other if isinstance(a, str) and a.lower() not in options else a for a in answers]
            row = None if answers is None else words(answers, options, "response", at)
            figure = count(record[key], key, at, high=self.n_players) if key in record else None
            figures.append(int(_agreed(figure, None if row is None else row.count(options[0]), key, at)))
            rows.append(row)
        self.has_records(len(rows))
        return tuple(figures), self.whole(rows)

    def figures(
        self, key: str, combine: Callable[[Any], float], *, low: float, high: float = LARGEST
    ) -> tuple[tuple[float, ...], list[tuple[float, ...] | None]]:
        """What the numbers of every round come to, and the numbers in the order of the file.

        Upstream checks few ranges, so numbers below 0 are taken as they are where `low` is.
        """
        figures: list[float] = []
        rows: list[tuple[float, ...] | None] = []
        for i, record in enumerate(self.records):
            at, answers = f"round {i + 1}", self.responses(i)
            row = None if answers is None else numbers(answers, "response", at, low=low, high=high)
            figure = number(record[key], key, at, low=low, high=high) if key in record else None
            figures.append(_agreed(figure, None if row is None else combine(row), key, at))
            rows.append(row)
        self.has_records(len(rows))
        return tuple(figures), rows

    @staticmethod
    def whole(rows: Sequence[tuple[T, ...] | None]) -> tuple[tuple[T, ...], ...] | None:
        """The rows, if every round has one."""
        there = [row for row in rows if row is not None]
        return tuple(there) if len(there) == len(rows) else None

    def has_records(self, rounds: int) -> bool:
        """Whether the players have a record of every round.

        Raises
        ------
        DataError
            Some player's are of more or fewer rounds than were played; old files have none of any.
        """
        if self.own is None or not any(self.own):
            return False
        for i, own in enumerate(self.own, start=1):
            if len(own) != rounds:
                raise DataError(f"player {i}: {len(own)} records, expected one for each of {rounds} rounds")
        return True

    def by_seat(
        self, rows: Sequence[tuple[float, ...] | None], low: float, high: float = LARGEST
    ) -> tuple[tuple[float, ...], ...] | None:
        """Numbers whose players are known, from their own records, which must agree with the rounds."""
        if not self.has_records(len(rows)):
            return None
        assert self.own is not None
        columns = [
            numbers(one, "record", f"player {i}", low=low, high=high) for i, one in enumerate(self.own)
        ]
        by_seat = tuple(zip(*columns, strict=True))
        for i, (row, of_seats) in enumerate(zip(rows, by_seat, strict=True), start=1):
            if row is not None and sorted(row) != sorted(of_seats):
                raise DataError(f"round {i}: the responses are not what the players' records hold")
        return by_seat


_NEAR = 1e-6
"""How far a figure of a round may be from what its single choices come to."""


def _agreed(figure: float | None, computed: float | None, key: str, at: str) -> float:
    """A figure of a round, as the file says and as its choices come to."""
    if figure is None and computed is None:
        raise DataError(f"{at}: neither {key} nor responses, expected one of them")
    if figure is None or computed is None:
        return figure if figure is not None else computed  # type: ignore[return-value]
    if not math.isclose(figure, computed, rel_tol=_NEAR, abs_tol=_NEAR):
        raise DataError(f"{at}: {key} is {figure:g}, and the responses come to {computed:g}")
    return figure


def part(values: Mapping[str, Any], key: str, kind: type, at: str) -> Any:
    """The value of a key, of a kind.

    Raises
    ------
    DataError
        None is there, or one of another kind.
    """
    if key not in values:
        raise DataError(f"{at}: no {key}, expected {_KINDS[kind]}")
    value = values[key]
    if not isinstance(value, kind):
        raise DataError(f"{at}: {key} is {shorten(repr(value), 40)}, expected {_KINDS[kind]}")
    return value


_KINDS: Mapping[type, str] = {dict: "an object", list: "a list", str: "a text"}


def number(value: object, name: str, at: str, *, low: float = 0.0, high: float = LARGEST) -> float:
    """A number within bounds: no truth value, no text, nothing infinite.

    Raises
    ------
    DataError
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise DataError(
            f"{at}: {name} is {shorten(repr(value), 40)}, expected a number from {low:g} to {high:g}"
        )
    return value


def count(value: object, name: str, at: str, *, low: int = 0, high: int = 10**9) -> int:
    """A whole number within bounds; 3.0 is one.

    Raises
    ------
    DataError
    """
    known = number(value, name, at, low=low, high=high)
    if known != int(known):
        raise DataError(f"{at}: {name} is {shorten(repr(value), 40)}, expected a whole number")
    return int(known)


def numbers(
    values: Sequence[object], name: str, at: str, *, low: float = 0.0, high: float = LARGEST
) -> tuple[float, ...]:
    """Numbers within bounds, named by their place.

    Raises
    ------
    DataError
    """
    if values and {*map(type, values)} <= _NUMBERS:
        known: tuple[Any, ...] = tuple(values)
        if low <= min(known) and max(known) <= high:
            total = sum(known)
            if total == total:  # no NaN among them
                return known
    return tuple(
        number(value, f"{name} {i}", at, low=low, high=high) for i, value in enumerate(values, start=1)
    )


_NUMBERS = {int, float}


def words(values: Sequence[object], options: tuple[str, ...], name: str, at: str) -> tuple[str, ...]:
    """Each value as one of the options, in lower case.

    Raises
    ------
    DataError
    """
    if {*map(type, values)} == {str} and set(options).issuperset(values):
        return tuple(map(str, values))
    known = []
    for i, value in enumerate(values, start=1):
        word = value.lower() if isinstance(value, str) else value
        if word not in options:
            raise DataError(
                f"{at}: {name} {i} is {shorten(repr(value), 40)}, expected {' or '.join(options)}"
            )
        known.append(str(word))
    return tuple(known)


def seat_of(value: object) -> int | None:
    """The seat, from 1, of ``player_3``, ``"3"`` or 3 (players count from 0); None of anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    match = _ID.fullmatch(str(value))
    return int(match[1]) + 1 if match else None


def _models(
    meta: Mapping[str, Any], players: Sequence[Mapping[str, Any]], n_players: int
) -> tuple[str | None, ...]:
    """Models by player, else that of ``meta``, each under ``model`` or ``models``."""
    of_all = _model(meta)
    return tuple(_model(player) or of_all for player in players) or (of_all,) * n_players


def _model(values: Mapping[str, Any]) -> str | None:
    name = values.get("model", values.get("models"))
    return _line(name) if isinstance(name, str) else None


@lru_cache(maxsize=1024)
def _line(name: str) -> str | None:
    return one_line(name) or None


_TOP = ("meta", "round_records")


def saved_plays(values: Mapping[str, Any]) -> Plays:
    """What the object of a saved file holds; messages do not name the file.

    Raises
    ------
    DataError
    """
    saved = Saved.of(values)
    row = bench_game(_game(saved.meta, saved.records))
    return row.plays(n_players=saved.n_players, models=saved.models, **row.saved(saved))


def is_saved(values: object) -> bool:
    """Whether an object looks like a saved game: to tell it from logs that are JSON as well."""
    return isinstance(values, Mapping) and all(key in values for key in _TOP)


def _game(meta: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """The game that a file is of: all of its keys are there; of several the one that is known by fewest."""
    for where, keys in enumerate((meta, records[0] if records else {})):
        signs = {name: bench_game(name).signs[where] for name in GAMMA_GAMES}
        names = [name for name, own in signs.items() if all(key in keys for key in own)]
        if names:
            return min(names, key=lambda name: len(signs[name]))
    raise DataError(
        f"meta has {shorten(', '.join(map(str, meta)))}, expected the keys of one of {', '.join(GAMMA_GAMES)}"
    )
