"""What must hold for one game of a stored log, so that a damaged line is named and not the whole file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.errors import DataError, shorten
from intent.files.bounds import bounds

__all__ = ["check_game"]


def check_game(game: Any, columns: Mapping[str, Mapping[str, Any]], seen: set[str]) -> None:
    """Refuse a game whose tables do not agree, as `integrity` does for the tables of a whole log.

    Parameters
    ----------
    game : mapping of table -> its row (games) or rows
    columns : mapping of table -> its columns
    seen : set of str
        Identifiers of the games before; gets that of this one.

    Raises
    ------
    DataError
        An unknown column, an identifier that is none or occurred before, a seat listed twice, a move of a
        seat that is not listed, or two moves of a seat in one round and step.
    KeyError, TypeError, AttributeError
        It does not have the shape of a game.
    """
    game_id = game["games"]["game_id"]
    if not isinstance(game_id, str):
        raise DataError(f"game_id is {shorten(game_id)}, expected a text")
    if game_id in seen:
        raise DataError(f"game_id {shorten(game_id)!r} occurs twice, expected unique identifiers")
    for name, known in columns.items():
        for row in [game["games"]] if name == "games" else game.get(name, []):
            stray = row.keys() - known.keys()
            if stray:
                raise DataError(f"unknown column {shorten(min(stray))!r} in {name}")
    allowed = bounds()
    seats: set[int] = set()
    for row in game.get("seats", []):
        seat = _number(row, "seats", "seat", allowed.seats)
        if seat in seats:
            raise DataError(f"table seats lists seat {seat} twice")
        seats.add(seat)
    places: set[tuple[int, int, int]] = set()
    for row in game.get("moves", []):
        seat = _number(row, "moves", "seat", allowed.seats)
        place = (
            _number(row, "moves", "round", allowed.rounds),
            _number(row, "moves", "step", allowed.rounds),
            seat,
        )
        if seat not in seats:
            raise DataError(f"table moves: seat {seat} is not listed in table seats")
        if place in places:
            raise DataError(f"table moves has two moves of seat {seat} in round {place[0]}")
        places.add(place)
    seen.add(game_id)


def _number(row: Mapping[str, Any], table: str, name: str, highest: int) -> int:
    value = row.get(name)
    if type(value) is not int or not 1 <= value <= highest:
        raise DataError(f"table {table}: {name} is {shorten(value)}, expected 1 to {highest}")
    return value
