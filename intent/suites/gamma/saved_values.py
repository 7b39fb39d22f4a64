"""The values of a saved file, checked: numbers that are numbers, lists that are as long as they should be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intent.errors import DataError, one_line, shorten

__all__ = [
    "LARGEST",
    "MOST_PLAYERS",
    "MOST_ROUNDS",
    "SMALLEST",
    "Saved",
    "count",
    "number",
    "numbers",
    "part",
    "seat_of",
    "words",
]

LARGEST = 1e9
"""Size of a number beyond which it is no choice that anybody made."""

SMALLEST = 1e-6
"""Of what scores are divided by: beyond it they would be infinite."""

MOST_PLAYERS = 1000
MOST_ROUNDS = 10_000

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
    def of(cls, found: Mapping[str, Any]) -> Saved:
        """The parts of an object.

        Raises
        ------
        DataError
            A part is missing or of another kind.
        """
        meta = part(found, "meta", dict, "the file")
        records = part(found, "round_records", list, "the file")
        if len(records) > MOST_ROUNDS:
            raise DataError(f"{len(records):,} rounds, expected at most {MOST_ROUNDS:,}")
        for i, record in enumerate(records, start=1):
            if not isinstance(record, dict):
                raise DataError(f"round {i}: {shorten(repr(record))}, expected an object")
        players = part(found, "player_data", list, "the file") if "player_data" in found else []
        if any(not isinstance(player, dict) for player in players):
            raise DataError("player_data: expected a list of objects")
        given = meta.get("player_num", len(players))
        n_players = count(given, "player_num", "meta", low=2, high=MOST_PLAYERS)
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
        found: list[Any] = part(record, "responses", list, at)
        if len(found) != self.n_players:
            raise DataError(f"{at}: {len(found)} responses, expected {self.n_players}")
        return found


def part(found: Mapping[str, Any], key: str, kind: type, at: str) -> Any:
    """The value of a key, of a kind.

    Raises
    ------
    DataError
        None is there, or one of another kind.
    """
    if key not in found:
        raise DataError(f"{at}: no {key}, expected {_KINDS[kind]}")
    value = found[key]
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
    return tuple(
        number(value, f"{name} {i}", at, low=low, high=high) for i, value in enumerate(values, start=1)
    )


def words(values: Sequence[object], options: tuple[str, ...], name: str, at: str) -> tuple[str, ...]:
    """Each value as one of the options, in lower case.

    Raises
    ------
    DataError
    """
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
    found = (
        _ID.fullmatch(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    )
    return int(found[1]) + 1 if found else None


def _models(
    meta: Mapping[str, Any], players: Sequence[Mapping[str, Any]], n_players: int
) -> tuple[str | None, ...]:
    """Models by player, else that of ``meta``, each under ``model`` or ``models``."""
    of_all = _model(meta)
    return tuple(_model(player) or of_all for player in players) or (of_all,) * n_players


def _model(found: Mapping[str, Any]) -> str | None:
    name = found.get("model", found.get("models"))
    return one_line(name) or None if isinstance(name, str) else None
