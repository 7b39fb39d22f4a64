"""Short keys of experiment files, turned into the keys they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.errors import DataError
from intent.workflows.experiment.put import put

__all__ = ["ALIASES", "spelled_out"]

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


def spelled_out(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values without short keys.

    Raises
    ------
    DataError
        A key that stands there short and in full.
    """
    result = {key: value for key, value in values.items() if key not in ALIASES}
    for key, value in values.items():
        if key in ALIASES:
            if _has(result, ALIASES[key]):
                raise DataError(f"{key} and {ALIASES[key]} are the same, expected one of them")
            result = put(result, ALIASES[key], value)
    grid = values.get("grid")
    if isinstance(grid, Mapping):
        result["grid"] = _grid(grid)
    return result


def _grid(grid: Mapping[str, Any]) -> dict[str, Any]:
    full: dict[str, Any] = {}
    for key, levels in grid.items():
        name = ALIASES.get(key, key)
        if name in full:
            raise DataError(f"grid: {key} and {name} are the same factor, expected one of them")
        full[name] = levels
    return full


def _has(values: Mapping[str, Any], key: str) -> bool:
    found: Any = values
    for part in key.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return False
        found = found[part]
    return True
