"""The settings of one game that a benchmark asks for: one parameter at a time, or all combinations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

from intent.errors import DataError, LimitError, shorten
from intent.workflows.bench.settings import PAPER_SETTINGS

__all__ = ["PAPER", "check_number", "combinations", "one_at_a_time"]

PAPER = "paper"

_MOST = 100_000
"""Conditions of a benchmark, and settings of one of its games."""


def check_number(called: str, conditions: int) -> None:
    """Refuse more conditions than anybody can play.

    Raises
    ------
    LimitError
    """
    if conditions > _MOST:
        raise LimitError(f"{called}: more than {_MOST:,} conditions")


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

    Parameters and errors as `one_at_a_time`; too many of them are refused.

    Examples
    --------
    >>> combinations("bar", {"bar": {"ratio": ["20%", "60%"], "mode": ["explicit"]}}, {})
    [{'ratio': '20%', 'mode': 'explicit'}, {'ratio': '60%', 'mode': 'explicit'}]
    """
    own = _of_game(game, asked)
    if isinstance(own, Mapping):
        levels = [[(key, value) for value in _values(game, key, values)] for key, values in own.items()]
        check_number(f"parameters of {game}", math.prod(map(len, levels)))
        own = [dict(chosen) for chosen in product(*levels)]
    return [{**base, **one} for one in own] or [dict(base)]


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
