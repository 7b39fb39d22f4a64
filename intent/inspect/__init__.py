"""Inspect: our games as its tasks, its models and agents in our seats, ours among its models and agents.

Nothing but this room imports inspect-ai or inspect-scout, and nothing imports this room before it is asked
for: Inspect finds it by the entry point of the group ``inspect_ai``, which is `intent.inspect.tasks`.
"""

from typing import Any

from intent.base.registry import require

require("inspect_ai")

__all__ = [
    "battle_of_the_sexes",
    "experiment",
    "gamma_bench",
    "harmony_game",
    "matrix_game",
    "prisoners_dilemma",
    "public_goods",
    "snow_drift",
    "stag_hunt",
]
"""The tasks, which `intent.inspect.tasks` makes when one is asked for."""


def __getattr__(name: str) -> Any:
    if name in __all__:
        from intent.inspect import tasks

        return getattr(tasks, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
