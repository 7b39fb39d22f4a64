"""Keys that were given from outside and that named levels of a factor set again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from intent.workflows.experiment.aliases import ALIASES
from intent.workflows.experiment.condition import Condition

if TYPE_CHECKING:
    from intent.workflows.experiment.model import Experiment

__all__ = ["overridden"]


def overridden(experiment: Experiment, given: Mapping[str, str]) -> list[str]:
    """A note for each key whose value does not reach every condition.

    A named level is laid over the experiment, so that what it sets is its own, whoever set the key above.

    Parameters
    ----------
    experiment : Experiment
    given : mapping of key -> what its user calls it, such as ``--set attitude``
    """
    notes = []
    for key, called in given.items():
        full = ALIASES.get(key, key)
        if full.split(".")[0] not in Condition.model_fields or full in experiment.grid:
            continue
        for factor, levels in experiment.grid.items():
            if not isinstance(levels, dict) or factor.split(".")[0] in Condition.model_fields:
                continue
            own = [name for name, level in levels.items() if _sets(level or {}, full)]
            if own:
                which = "all levels" if len(own) == len(levels) else f"level {', '.join(map(str, own))}"
                notes.append(f"{called} has no effect on {which} of {factor}: set there again")
    return notes


def _sets(level: Mapping[str, object], full: str) -> bool:
    """Whether a level sets the key, a part of it, or what it is a part of."""
    names = [ALIASES.get(name, name) for name in level]
    return any(f"{full}.".startswith(f"{name}.") or f"{name}.".startswith(f"{full}.") for name in names)
