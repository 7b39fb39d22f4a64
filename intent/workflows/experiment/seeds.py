"""The seed of a game: a hash of what is played, which keys of a later version leave alone."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.workflows.experiment.condition import Condition

__all__ = ["game_seed"]

_LATER = (
    ("options",),
    ("questions",),
    ("totals",),
    ("implementation_error",),
    ("game", "cooperate"),
    ("settings", "tool_choice"),
)
"""Keys that the first experiment files did not have: unset, they do not enter, so that an experiment which
uses none of them keeps the seeds, and so the games and cached replies, that it had."""


def game_seed(seed: int, condition: Condition, prompts: str, repetition: int) -> int:
    """Forty-eight bits that differ with condition and repetition, and follow from them alone.

    Parameters
    ----------
    seed : int
        Of the experiment.
    condition : Condition
    prompts : str
        Name of the prompt set, which a run has in place of its folder.
    repetition : int, from 1
    """
    facts = condition.model_dump(mode="json", exclude={"prompts"})
    for path in _LATER:
        _drop(facts, _silent(), path)
    text = json.dumps([seed, facts, prompts, repetition], sort_keys=True, ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


@cache
def _silent() -> dict[str, Any]:
    """A condition that says nothing."""
    from intent.workflows.experiment.condition import Condition

    return Condition().model_dump(mode="json")


def _drop(facts: dict[str, Any], unset: dict[str, Any], path: tuple[str, ...]) -> None:
    """Take a key out where it is there and has the value that it has unset."""
    *above, last = path
    for key in above:
        facts, unset = facts[key], unset[key]
    if last in facts and facts[last] == unset[last]:
        del facts[last]
