"""Short keys of experiment files, turned into the keys they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.errors import DataError
from intent.workflows.experiment.put import put

__all__ = ["ALIASES", "BLOCKS", "spelled_out"]

BLOCKS = ("grid", "sweep")
"""Keys that hold factors: varied in all combinations, or (in benchmarks) one at a time."""

ALIASES = {
    "lambda": "scale",
    "persona": "personas",
    "temperature": "settings.temperature",
    "top_p": "settings.top_p",
    "max_tokens": "settings.max_tokens",
    "n_players": "game.n_players",
    "factor": "game.factor",
    "cost": "game.cost",
    "payoffs": "game.payoffs",
    "parser": "reply.parser",
}
"""Short key -> the key it stands for, at the top of a file, in its grid and after ``--set``."""


def spelled_out(values: Mapping[str, Any], aliases: Mapping[str, str] = ALIASES) -> dict[str, Any]:
    """The values without short keys.

    Parameters
    ----------
    values : mapping
    aliases : short key -> the key it stands for

    Raises
    ------
    DataError
        A key that stands there short and in full.
    """
    result = {key: value for key, value in values.items() if key not in aliases}
    for key, value in values.items():
        if key in aliases:
            if _has(result, aliases[key]):
                raise DataError(f"{key} and {aliases[key]} are the same, expected one of them")
            result = put(result, aliases[key], value)
    for block in BLOCKS:
        if isinstance(values.get(block), Mapping):
            result[block] = _factors(values[block], aliases, block)
    return result


def _factors(factors: Mapping[str, Any], aliases: Mapping[str, str], block: str) -> dict[str, Any]:
    full: dict[str, Any] = {}
    for key, levels in factors.items():
        name = aliases.get(key, key)
        if name in full:
            raise DataError(f"{block}: {key} and {name} are the same factor, expected one of them")
        full[name] = levels
    return full


def _has(values: Mapping[str, Any], key: str) -> bool:
    found: Any = values
    for part in key.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return False
        found = found[part]
    return True
