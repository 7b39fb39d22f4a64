"""What an experiment file declares of its prompts: facts that are shown and withheld, arms that may differ.

The declaration is held against what prompts really show before anybody is asked
(`intent.runner.information`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import Field, field_validator

from intent.base.errors import UnknownNameError
from intent.base.settings import Values

__all__ = ["ATTRIBUTES", "FACTS", "REASONS", "Treatment"]

FACTS: Mapping[str, str] = MappingProxyType(
    {
        "game_name": "the name of the game, or of its kind",
        "payoffs": "what the choices lead to",
        "outcome_order": "in which order outcomes are liked, without payoffs",
        "own_choices": "the own past choices",
        "others_choices": "what the others chose, or what came of it",
        "past_payoffs": "what past rounds paid",
        "totals": "running totals",
        "rounds_played": "how many rounds have been played, as a number",
        "round": "the number of the present round",
        "horizon": "the number of rounds, or the probability of another one",
        "errors": "the probability that a choice is carried out as its opposite",
        "mishaps": "that choices may come out differently, without how often",
        "attitude": "the attitude that a strategy is asked for",
        "persona": "the own persona",
        "others_persona": "what is told of the others: personas, or how they choose",
        "own_words": "what the player itself wrote for the others",
        "others_words": "what the others wrote",
        "private_thoughts": "the own private thoughts",
        "others_thoughts": "private thoughts or answers of somebody else: never right",
        "advice": "what a tool or an adviser recommends",
        "advice_to_give": "what an adviser is to recommend",
        "belief": "what an observer believes of the other",
        "tool": "a tool that may be called",
    }
)
"""Fact -> what it means."""

REASONS = {
    "asked": "asked to reason before it answers, or in a call of its own",
    "read": "not asked, but text before the answer is read",
    "no": "the answer alone is read",
}
"""Room to reason -> what it means."""


ATTRIBUTES = {
    "reasons": "room to reason before the answer",
    "answers": "form of the answer",
    "order": "order of the options",
    "conversation": "a new conversation, or the same",
    "tokens": "most tokens of a reply",
}
"""What arms may differ in beside the facts that they are shown."""

Stages = dict[str, tuple[str, ...]]


class Treatment(Values):
    """What a file declares of its prompts.

    Attributes
    ----------
    shows : facts that every prompt shows, or role or stage -> facts
        A stage is ``decision``, ``advised``, ``thoughts``, ``advice``, ``message`` or ``question``, a role
        the architecture (``debate, assistant``), both are ``tool: question``; a star stands for anything.
    withholds : facts that no prompt shows, written alike
    printed : comprehension questions whose answer may stand in their prompt
    differs : factors of the grid whose arms may differ in anything, or factor -> in what
        ``agent=debate_*`` is for these levels alone; what differs is a fact, ``reasons``, ``answers``,
        ``order``, ``conversation`` or ``tokens``.
    """

    shows: Stages = Field(default_factory=dict)
    withholds: Stages = Field(default_factory=dict)
    printed: tuple[str, ...] = ()
    differs: Stages = Field(default_factory=dict)

    @field_validator("shows", "withholds", mode="before")
    @classmethod
    def _everywhere(cls, value: Any) -> Any:
        named = _lists({"*": value} if isinstance(value, list | tuple | str) else value)
        return _known(named, "fact", FACTS)

    @field_validator("differs", mode="before")
    @classmethod
    def _anything(cls, value: Any) -> Any:
        listed = [value] if isinstance(value, str) else value
        if isinstance(listed, list | tuple):
            return {str(factor): () for factor in listed}
        return _known(_lists(listed), "difference", (*ATTRIBUTES, *FACTS))

    @field_validator("printed", mode="before")
    @classmethod
    def _one(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


def _lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        str(key): (one,) if isinstance(one, str) else () if one is None else one for key, one in value.items()
    }


def _known(named: Any, what: str, known: Iterable[str]) -> Any:
    names = tuple(known)
    for facts in named.values() if isinstance(named, dict) else ():
        for fact in facts if isinstance(facts, list | tuple) else ():
            if fact not in names:
                raise ValueError(str(UnknownNameError(what, fact, names)))
    return named
