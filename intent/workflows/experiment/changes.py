"""Changes to an experiment from the command line or from Python: keys, models, names of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from intent.agents.players import parse_player
from intent.errors import UsageError, shorten
from intent.workflows.experiment.aliases import ALIASES, spelled_out
from intent.workflows.experiment.merge import lay_over
from intent.workflows.experiment.patterns import PATTERNS
from intent.workflows.experiment.put import parse_setting, put

__all__ = ["LISTS", "changed", "set_keys", "with_models", "with_names"]

LISTS = frozenset(
    {
        "architecture",
        "attitude",
        "counterbalance",
        "game.actions",
        "game.payoffs",
        "labels",
        "names",
        "opponent_persona_probability",
        "options",
        "personas",
        "players",
        "questions",
        "settings.stop",
        "stop",
    }
)
"""Keys that take a list themselves; for any other, a list makes a factor of the grid."""

_OWN = frozenset({"after", "fairgame", "grid", "limits", "model_settings", "persona_texts", "prices"})


def changed(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The values with others laid over them; a list for a key that takes none becomes a factor."""
    result = dict(values)
    for key, value in changes.items():
        full = ALIASES.get(key, key)
        if isinstance(value, tuple):
            value = list(value)
        if isinstance(value, list) and full not in LISTS and full.split(".")[0] not in _OWN:
            result = lay_over(result, {"grid": {full: value}})
        else:
            result = lay_over(result, spelled_out({key: value}) if "." not in key else put({}, full, value))
            if value is None and full in (result.get("grid") or {}):
                result["grid"] = {k: v for k, v in result["grid"].items() if k != full}
    return result


def set_keys(values: Mapping[str, Any], items: Sequence[str]) -> dict[str, Any]:
    """The values with every ``key=value`` of ``--set`` put in its place, in order.

    Raises
    ------
    UsageError
        An item without key or equals sign, or a value that is no YAML.
    """
    result = dict(values)
    for item in items:
        key, value = parse_setting(item)
        head, _, factor = key.partition(".")
        if head == "grid" and factor:
            name = ALIASES.get(factor, factor)
            levels = value if isinstance(value, list | dict) or value is None else [value]
            result = lay_over(result, {"grid": {name: levels}})
        else:
            result = changed(result, {key: value})
    return result


def with_models(values: Mapping[str, Any], models: Sequence[str]) -> dict[str, Any]:
    """The values with these models in place of all language models that they name.

    Where players are listed by seat, every one that is no scripted strategy and no human becomes the model.
    """
    if not models:
        return dict(values)
    named = list(dict.fromkeys(models))
    result = dict(values)
    grid = dict(result.get("grid") or {})
    if result.get("players") is not None:
        result["players"] = _seated(result["players"])
    if "players" in grid:
        grid["players"] = _seated_levels(grid["players"], named)
    if len(named) == 1:
        grid.pop("model", None)
        result["model"] = named[0]
    else:
        result.pop("model", None)
        grid = {**grid, "model": named} if "model" in grid else {"model": named, **grid}
    result["grid"] = grid
    return result


def _seated(players: Any) -> Any:
    if not isinstance(players, list | tuple):
        return players
    return ["model" if isinstance(p, str) and not _is_fixed(p) else p for p in players]


def _seated_levels(levels: Any, models: list[str]) -> Any:
    if isinstance(levels, dict):
        return {
            key: [*models, *filter(_is_fixed, level)] if key in PATTERNS else _seated(level)
            for key, level in levels.items()
        }
    seated = [_seated(level) for level in levels]
    return [level for i, level in enumerate(seated) if level not in seated[:i]]


def _is_fixed(player: str) -> bool:
    return parse_player(player).kind != "model"


def with_names(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The values with models called by other names, wherever a player is named.

    Parameters
    ----------
    names : mapping of name in the file -> client

    Raises
    ------
    UsageError
        A name that the file does not have.
    """
    used: set[str] = set()

    def renamed(value: Any) -> Any:
        if isinstance(value, str) and value in names:
            used.add(value)
            return names[value]
        if isinstance(value, list | tuple):
            return [renamed(v) for v in value]
        if isinstance(value, dict):
            return {key: renamed(v) for key, v in value.items()}
        return value

    result = dict(values)
    for key in ("model", "opponent", "players"):
        if key in result:
            result[key] = renamed(result[key])
    if result.get("grid"):
        result["grid"] = {
            key: renamed(levels) if key in ("model", "opponent", "players") else levels
            for key, levels in result["grid"].items()
        }
    stray = next((name for name in names if name not in used), None)
    if stray is not None:
        raise UsageError(f"--map-model {shorten(stray)}: no player of the experiment is called so")
    return result
