"""The settings of one game that a benchmark asks for: one parameter at a time, or all combinations."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, shorten
from intent.workflows.bench.settings import PAPER_SETTINGS

if TYPE_CHECKING:
    from intent.games.course import CourseGame

__all__ = ["PAPER", "combinations", "one_at_a_time", "setting_name"]

PAPER = "paper"


def one_at_a_time(game: str, asked: Any, base: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The base, and every setting that differs from it in one parameter, or as it is listed.

    Parameters
    ----------
    game : str
    asked : ``paper``, or game -> parameter -> values, or game -> list of settings
    base : parameter -> value

    Raises
    ------
    DataError
        Something else is asked for.

    Examples
    --------
    >>> one_at_a_time("bar", {"bar": {"ratio": ["20%"], "mode": ["explicit"]}}, {"home": 4})
    [{'home': 4}, {'home': 4, 'ratio': '20%'}, {'home': 4, 'mode': 'explicit'}]
    """
    own = _of_game(game, asked)
    if isinstance(own, Mapping):
        own = [{key: value} for key, values in own.items() for value in _values(game, key, values)]
    return [dict(base), *({**base, **one} for one in own)]


def combinations(game: str, asked: Any, base: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every combination of values, or the settings that are listed, alone; the base for other games.

    Parameters and errors as `one_at_a_time`.

    Examples
    --------
    >>> combinations("bar", {"bar": {"ratio": ["20%", "60%"], "mode": ["explicit"]}}, {})
    [{'ratio': '20%', 'mode': 'explicit'}, {'ratio': '60%', 'mode': 'explicit'}]
    """
    own = _of_game(game, asked)
    if isinstance(own, Mapping):
        levels = [[(key, value) for value in _values(game, key, values)] for key, values in own.items()]
        own = [dict(chosen) for chosen in product(*levels)]
    return [{**base, **one} for one in own] or [dict(base)]


def setting_name(stage: CourseGame) -> str:
    """What differs from the paper's game, as scores name it; ``default`` where nothing does.

    Examples
    --------
    >>> from intent.games.gamma import gamma_game
    >>> setting_name(gamma_game("divide_dollar", gold=50)), setting_name(gamma_game("divide_dollar"))
    ('gold=50', 'default')
    >>> setting_name(gamma_game("diner", cheap_price=1, n_players=4))
    'menu=1/15/20/20, n_players=4'
    """
    words = _words(stage)
    usual = _words(type(stage)())
    differing = [f"{word}={value}" for word, value in words.items() if value != usual[word]]
    return ", ".join(differing) or "default"


def _words(stage: CourseGame) -> dict[str, str]:
    """Parameter -> value, the parameters that belong together as one."""
    fields = {field.name: getattr(stage, field.name) for field in dataclasses.fields(stage) if field.init}  # type: ignore[arg-type]
    n = fields.pop("n_players")
    if stage.name == "diner":
        fields = {"menu": "/".join(str(fields[name]) for name in _MENU)}
    if stage.name == "battle_royale":
        fields = {"rates": f"{fields['lowest']}/{fields['lowest'] + fields['interval'] * (n - 1)}"}
    words = {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in fields.items()
    }
    return {**words, "n_players": str(n)}


_MENU = ("cheap_price", "cheap_utility", "costly_price", "costly_utility")


def _of_game(game: str, asked: Any) -> Any:
    """Settings of the one game, a mapping or a list of mappings; none where nothing is asked of it."""
    if asked is None:
        return []
    if asked == PAPER:
        return PAPER_SETTINGS[game]
    own = asked.get(game, []) if isinstance(asked, Mapping) else asked
    if own == PAPER:
        return PAPER_SETTINGS[game]
    if isinstance(own, Mapping) or (
        isinstance(own, list | tuple) and all(isinstance(one, Mapping) for one in own)
    ):
        return own
    raise DataError(
        f"parameters of {game}: {shorten(own)!r}, expected paper, parameter: [values] or a list of settings"
    )


def _values(game: str, key: str, values: Any) -> list[Any]:
    return list(values) if isinstance(values, list | tuple) else [values]
