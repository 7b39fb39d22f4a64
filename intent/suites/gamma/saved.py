"""GAMA-Bench's saved JSON files, as records of what was played.

A file is an object with ``meta`` (the parameters), ``round_records`` and ``player_data``; it does not name
its game, which the keys of ``meta`` tell, and those of the rounds where ``meta`` lacks them. Files differ
with their age: ``model`` or ``models``, no ``gold`` (then 100), targets as ``player_3`` or ``3``. Responses
of the guessing game and of dividing the dollar were shuffled before they were saved, so that single choices
come from ``player_data[*].records``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from intent.errors import DataError, located, shorten
from intent.logs.jsonfile import read_object
from intent.suites.gamma import saved_crowds, saved_sequential
from intent.suites.gamma.plays import Plays
from intent.suites.gamma.saved_values import Saved

__all__ = ["is_saved", "read_saved", "saved_plays"]

_READERS: Mapping[str, Callable[[Saved], Plays]] = {
    "bar": saved_crowds.bar,
    "guessing": saved_crowds.guessing,
    "divide_dollar": saved_crowds.dollar,
    "public_goods": saved_crowds.goods,
    "diner": saved_crowds.diner,
    "auction": saved_sequential.auction,
    "battle_royale": saved_sequential.battle,
    "pirate": saved_sequential.pirate,
}

_SIGNS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("bar", ("home",), ("go_num",)),
    ("auction", ("valuation_min", "valuation_max"), ("valuations",)),
    ("battle_royale", ("base_hit_rate",), ("player_shooting",)),
    ("public_goods", ("tokens",), ("total_tokens",)),
    ("divide_dollar", ("golds",), ("total_proposal",)),
    ("diner", ("cheap_cost",), ("cheap_player",)),
    ("guessing", ("min", "max", "ratio"), ("mean_ratio",)),
    ("pirate", ("gold",), ("gold_distribution",)),
)
"""Game, keys of ``meta`` that only it has, and keys that every round of it has."""

_TOP = ("meta", "round_records")


def read_saved(path: str | Path) -> Plays:
    """What a saved file holds.

    Parameters
    ----------
    path : path of a JSON file

    Raises
    ------
    DataError
        The file is not there, too large, no saved game, or something in it cannot be; the message names the
        file, the round, and what was got.
    """
    found = read_object(path, "a game saved by GAMA-Bench")
    try:
        return saved_plays(found)
    except DataError as error:
        raise DataError(located(path, str(error))) from None


def saved_plays(found: Mapping[str, Any]) -> Plays:
    """What the object of a saved file holds; messages do not name the file.

    Raises
    ------
    DataError
    """
    saved = Saved.of(found)
    return _READERS[_game(saved.meta, saved.records)](saved)


def is_saved(found: object) -> bool:
    """Whether an object looks like a saved game: to tell it from logs that are JSON as well."""
    return isinstance(found, Mapping) and all(key in found for key in _TOP)


def _game(meta: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """The game that a file is of."""
    for game, of_meta, _ in _SIGNS:
        if all(key in meta for key in of_meta):
            return game
    for game, _, of_round in _SIGNS:
        if records and all(key in records[0] for key in of_round):
            return game
    raise DataError(
        f"meta has {shorten(', '.join(map(str, meta)))}, expected the keys of one of {', '.join(_READERS)}"
    )
