"""Games with a course by name: those of higher rooms and of other packages (group ``intent.games``).

Rules that are no game's name, such as those of a game within a game, are read by the group ``intent.rules``.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

from intent.base.errors import GameError, UnknownNameError, shorten
from intent.base.registry import load, point, points
from intent.games.game import CourseGame, parse_object

__all__ = ["GAMES", "RULES", "course_from_json", "course_game", "course_names", "holds_rules"]

GAMES = "intent.games"
"""Group of entry points of games: a dataclass of parameters that is a `CourseGame`, or a game of a table."""

RULES = "intent.rules"
"""Group of entry points of rules that are no game's name: from (parsed object, name) to a `CourseGame`."""

_RULES = re.compile(r'\s*\{\s*"rules"\s*:')


def course_names() -> list[str]:
    """Names of the group ``intent.games``; ours first."""
    return list(points(GAMES))


def course_game(name: str, **parameters: Any) -> CourseGame:
    """A game with its usual parameters, or with others.

    Raises
    ------
    UnknownNameError
        No such game, or no such parameter.
    GameError
        Parameters that make no game.
    """
    there = point(GAMES, name)
    made = None if there is None else load(there)
    if not isinstance(made, type):
        raise UnknownNameError("game with a course", name, course_names())
    known = [field.name for field in dataclasses.fields(made)]
    for parameter in parameters:
        if parameter not in known:
            raise UnknownNameError(f"parameter of {name}", parameter, known)
    game: CourseGame = made(**parameters)
    return game


def holds_rules(payoffs: object) -> bool:
    """Whether a cell of the column ``payoffs`` claims to hold what `course_from_json` reads.

    Examples
    --------
    >>> holds_rules('{"rules":"bar"}'), holds_rules("[[3, 0], [5, 1]]"), holds_rules(None)
    (True, False, False)
    """
    return isinstance(payoffs, str) and _RULES.match(payoffs) is not None


def course_from_json(text: str, name: str) -> CourseGame:
    """The game that `to_json` wrote: an object with ``rules`` (the game's name here) and its parameters.

    Raises
    ------
    GameError
        The text is no such object.
    """
    table = parse_object(text, name)
    rules = table.pop("rules", None)
    if isinstance(rules, str) and (there := point(RULES, rules)) is not None:
        read: Callable[[dict[str, Any], str], CourseGame] = load(there)
        return read(table, name)
    if not isinstance(rules, str) or point(GAMES, rules) is None:
        raise GameError(f"{name}: rules {shorten(rules)!r}, expected one of {', '.join(course_names())}")
    try:
        return course_game(rules, **table)
    except (TypeError, UnknownNameError) as error:
        raise GameError(f"{name}: payoffs {shorten(text)!r}: {error}") from None
