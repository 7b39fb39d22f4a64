"""``scripted/agreeable``: a model that does what it is asked to do, by any architecture."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from intent.agents.clients.asked import Asked
from intent.agents.clients.object_form import object_form
from intent.agents.clients.prompt_facts import (
    other_choices,
    outcomes,
    places,
    question,
    rounds_so_far,
    total,
)
from intent.agents.clients.said import Said, call
from intent.agents.prompts.numerals import written
from intent.games.game import number

__all__ = ["agreeable", "answer", "choice", "stated_payoffs"]

PLAUSIBLE = {"temptation": 5.0, "reward": 3.0, "punishment": 1.0, "sucker": 0.0}
"""Stated where the prompt tells no payoffs (Axelrod 1984, The Evolution of Cooperation)."""

_PASSED_ON = re.compile(r"I would answer (.{1,80})\.$", re.MULTILINE)


def agreeable(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Said:
    """What a well-behaved model says; a pure function of the request.

    1. With a tool it calls once, with the payoffs that the prompt tells, and follows the advice.
    2. In a debate it advises in one sentence, and decides after the other's first turn as that advises.
    3. Private thoughts stand in double braces, and its public text announces what it then does.
    4. Questions are answered from the history that the prompt shows.
    5. Where nothing was advised, the choice is made by a hash of the request.
    6. An object of one of the games of gamma-bench is given as it is asked for.

    Parameters
    ----------
    body : mapping
    text : str
        Not used.
    labels : sequence of str
        Where the request names none.
    """
    asked = Asked(body, labels)
    form = None if asked.must else object_form(body)
    if form is not None:
        return Said(form.said(form.uniform()))
    chosen = choice(asked)
    if asked.task == "label":
        return Said(json.dumps({"choice": chosen}, ensure_ascii=False) if asked.as_object else chosen)
    if asked.task in ("tool", "call"):
        assert asked.tool is not None
        name, arguments = asked.tool
        stated = stated_payoffs(asked, arguments)
        if asked.task == "tool":
            return Said("", (call(body, name, stated),))
        return Said("CALL: " + json.dumps({"name": name, "arguments": stated}))
    if asked.task == "answer":
        return Said(f"ANSWER: {answer(asked)}")
    if asked.to_advise is not None:
        known = question(asked.last)
        return Said(f"I would answer {answer(asked)}." if known else f"I advise you to choose {chosen}.")
    thoughts = _thoughts(asked, chosen) if asked.private else ""
    if asked.task == "decision":
        return Said(f"{thoughts}I will choose {chosen}.\nDECISION: {chosen}")
    return Said(_weighed(asked) if asked.thinks else f"{thoughts}I will choose {chosen}.")


def choice(asked: Asked) -> str:
    """The option that was advised or announced, else one by a hash of the request."""
    return asked.to_advise or asked.advised or asked.one_of(asked.labels, "label")


def stated_payoffs(asked: Asked, arguments: Mapping[str, str]) -> dict[str, float]:
    """The arguments of a call: the payoff of the joint action that each description names, own first."""
    told = outcomes(asked.told, asked.labels)
    stated = {}
    for name, description in arguments.items():
        joint = [label for _, label in places(description, asked.labels)][:2]
        payoff = told.get((joint[0], joint[1])) if len(joint) == 2 else None
        stated[name] = number(PLAUSIBLE.get(name, 0.0) if payoff is None else payoff)
    return stated


def answer(asked: Asked) -> str:
    """The answer to a comprehension question, in the form that it asks for."""
    found = question(asked.last) or question(asked.told)
    if found is None:
        passed_on = _PASSED_ON.findall(asked.told)
        return passed_on[-1] if passed_on else choice(asked)
    language, name = found
    known = _known(asked, language, name)
    if known is not None:
        return known
    passed_on = _PASSED_ON.findall(asked.told)
    return passed_on[-1] if passed_on else "0"


def _known(asked: Asked, language: str, name: str) -> str | None:
    """What the prompt says; None where it says nothing."""
    if name.startswith("opponent_next"):
        seen = other_choices(asked.told, asked.labels, language, asked.client)
        return seen[-1] if seen else choice(asked)
    if name.startswith("rounds_so_far"):
        return str(rounds_so_far(asked.told, language))
    if name.startswith("extremes"):
        payoffs = outcomes(asked.told, asked.labels).values()
        return f"MAXIMUM: {written(max(payoffs))}, MINIMUM: {written(min(payoffs))}" if payoffs else None
    if name.startswith("total_so_far"):
        whole = total(asked.told, language, asked.client)
        return None if whole is None else written(whole)
    return asked.one_of(("PRIVATE", "PUBLIC"), "type")


def _thoughts(asked: Asked, chosen: str) -> str:
    """Three thoughts: on each option, and on what the others may know."""
    about = " ".join(f"If I choose {label}, it depends on the others." for label in asked.labels)
    return f"{{{{{about} I mean to choose {chosen} and say so.}}}}\n"


def _weighed(asked: Asked) -> str:
    return f"I compare {' with '.join(asked.labels)}, given the past rounds."
