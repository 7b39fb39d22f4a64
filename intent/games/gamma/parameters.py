"""The parameters of a game, checked: numbers of players, whole numbers, exact ratios."""

from __future__ import annotations

import re
from fractions import Fraction

from intent.errors import GameError, shorten
from intent.games.game import number

__all__ = [
    "MOST_PLAYERS",
    "MOST_VALUE",
    "check_choice",
    "check_number",
    "check_players",
    "check_whole",
    "exact",
    "percent",
    "plain",
]

MOST_PLAYERS = 1000
MOST_VALUE = 10**9
"""Of numbers that rules name; all sums of a round stay exact in a float."""

_FINEST = 10**9
"""Largest denominator of a ratio."""

_RATIO = re.compile(r"(\d{0,12})(?:\.(\d{0,9}))?(%?)|(\d{1,12})/(\d{1,12})", re.ASCII)


def check_players(name: str, n_players: object) -> None:
    """Refuse what is no number of players.

    Raises
    ------
    GameError
        Not a whole number from 2 to 1000.
    """
    check_whole(name, "n_players", n_players, 2, MOST_PLAYERS)


def check_whole(name: str, what: str, value: object, low: int, high: int = MOST_VALUE) -> None:
    """Refuse what is no whole number from `low` to `high`.

    Raises
    ------
    GameError
        See above; the message starts with the game.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise GameError(f"{name}: {what} {shorten(value)!r}, expected a whole number from {low} to {high}")


def check_number(name: str, what: str, value: object, low: float, high: float = MOST_VALUE) -> int | float:
    """The number, as an int where it is whole; refused outside `low` to `high`, or with over nine decimals.

    Raises
    ------
    GameError
        See above; the message starts with the game.
    """
    expected = f"expected a number from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise GameError(f"{name}: {what} {shorten(value)!r}, {expected}")
    if Fraction(str(value)).denominator > _FINEST:
        raise GameError(f"{name}: {what} {shorten(value)!r}, {expected} with nine decimals at most")
    return plain(value)


def check_choice(name: str, what: str, value: object, options: tuple[str, ...]) -> None:
    """Refuse what is none of the options.

    Raises
    ------
    GameError
        See above; the message starts with the game.
    """
    if value not in options:
        raise GameError(f"{name}: {what} {shorten(value)!r}, expected {' or '.join(options)}")


def exact(name: str, what: str, value: object, high: int) -> Fraction:
    """A ratio from 0 to `high`, exactly: ``"2/3"``, ``".5"``, ``"60%"``, or a number as it is printed.

    Raises
    ------
    GameError
        No such text or number.

    Examples
    --------
    >>> exact("bar", "ratio", "60%", 1), exact("guessing", "ratio", 0.1, 10)
    (Fraction(3, 5), Fraction(1, 10))
    """
    found = None
    if isinstance(value, str):
        match = _RATIO.fullmatch(value.strip()) if len(value) <= 32 else None
        if match and match[5] and int(match[5]):
            found = Fraction(int(match[4]), int(match[5]))
        elif match and (match[1] or match[2]):
            found = Fraction(f"{match[1] or 0}.{match[2] or 0}") / (100 if match[3] else 1)
    elif isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= high:
        found = Fraction(str(value))
    if found is None or not 0 <= found <= high or found.denominator > 100 * _FINEST:
        raise GameError(
            f"{name}: {what} {shorten(value)!r}, expected a number, fraction or percentage from 0 to {high}, "
            "with nine decimals at most (as in '2/3', .5, '60%')"
        )
    return found


def percent(share: Fraction) -> str:
    """A share as a percentage of six digits at most.

    Examples
    --------
    >>> percent(Fraction(3, 5)), percent(Fraction(1, 3))
    ('60%', '33.3333%')
    """
    return f"{float(100 * share):.6g}%"


def plain(value: Fraction | float) -> int | float:
    """The nearest float; an int where it is whole."""
    return number(float(value))
