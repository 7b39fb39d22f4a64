"""Artificial models for games that are answered with JSON objects: one by a given rule, one that errs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from intent.agents.clients.object_form import ObjectForm, object_form
from intent.agents.clients.pick import constrained_labels, pick
from intent.agents.clients.said import Said
from intent.errors import UsageError, shorten

__all__ = ["ASKED_RULES", "OBJECT_FAULTS", "asked_rule", "check_asked", "erring_object"]

ASKED_RULES = ("constant:", "cycle:", "RANDOM")
"""What may stand after ``scripted/asked:``."""


def check_asked(rule: str) -> None:
    """Refuse what may not stand after ``scripted/asked:``.

    Raises
    ------
    UsageError
    """
    head, colon, text = rule.partition(":")
    if rule != "RANDOM" and (head + colon not in ASKED_RULES or not text.strip(" ,;")):
        raise UsageError(
            f"model scripted/asked:{shorten(rule)}: expected asked:constant:91, asked:cycle:0,50,100 or "
            "asked:RANDOM"
        )


def asked_rule(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Said:
    """What a model says that is asked for a JSON object; a pure function of the request.

    ``constant:91`` gives this answer whatever the game, ``cycle:0,50,100`` the next one for every answer that
    it gave before (``;`` between answers that have commas), ``RANDOM`` one of those that the request allows.
    The object is the one that the prompt asks for, with an explanation where it asks for that. A prompt that
    asks for none is answered with the bare action.

    Parameters
    ----------
    body : mapping
    text : str
        What stands after ``asked:``.
    labels : sequence of str
        Where the request names none.
    """
    form = object_form(body)
    head, _, given = text.partition(":")
    if head not in ("constant", "cycle"):
        return Said(form.said(form.uniform()) if form else pick(body, labels))
    actions = [given] if head == "constant" else given.split(";" if ";" in given else ",")
    said = sum(
        1 for m in body.get("messages") or () if isinstance(m, Mapping) and m.get("role") == "assistant"
    )
    action = actions[said % len(actions)].strip()
    must = constrained_labels(body) if body.get("constrained") or "choices" not in body else ()
    answer = form.said(_value(action)) if form else action
    return Said(answer if not must or answer in must else str(must[0]))


def erring_object(body: Mapping[str, Any]) -> Said | None:
    """What a badly behaved model says in place of the object; None where none is asked for."""
    form = object_form(body)
    if form is None:
        return None
    names = tuple(OBJECT_FAULTS)
    return Said(OBJECT_FAULTS[names[int(form.drawn("fault") * len(names))]](form))


def _value(action: str) -> object:
    parts = action.split(",")
    if all(part.strip().lstrip("-").isdecimal() for part in parts):
        numbers = [int(part) for part in parts]
        return numbers if len(numbers) > 1 else numbers[0]
    return None if action == "miss" else action


def _shares(form: ObjectForm, change: int) -> object:
    """A proposal whose sum is off, or a number beyond the range."""
    if not form.places:
        return form.high + change if change > 0 else change
    shares = form.uniform()
    assert isinstance(shares, dict)
    return {place: int(share) + (change if place == form.places[0] else 0) for place, share in shares.items()}


def _oneself(form: ObjectForm) -> object:
    """Oneself, or whoever else is listed first, as a target; the wrong kind of answer in other games."""
    return form.players[0] if form.players else {"player": 1}


OBJECT_FAULTS: Mapping[str, Callable[[ObjectForm], str]] = MappingProxyType(
    {
        "plain": lambda form: form.said(form.uniform()),
        "text": lambda form: form.said(str(form.uniform())),
        "fenced": lambda form: f"```json\n{form.said(form.uniform())}\n```",
        "pseudo-json": lambda form: str({form.key: form.uniform()}),
        "prose": lambda form: f"I have thought about it.\n{form.said(form.uniform())}\nThat is all.",
        "spelling": lambda form: json.dumps({form.key.title(): form.uniform()}),
        "beyond": lambda form: form.said(_shares(form, 1_000)),
        "off": lambda form: form.said(_shares(form, 7)),
        "negative": lambda form: form.said(_shares(form, -5)),
        "less": lambda form: form.said([-1, form.high + 1] if form.places else -0.5),
        "fraction": lambda form: form.said(12.5),
        "huge": lambda form: form.said(10**40),
        "words": lambda form: form.said("quite a lot"),
        "dead": lambda form: form.said(999),
        "oneself": lambda form: form.said(_oneself(form)),
        "short": lambda form: form.said([form.high]),
        "nothing": lambda form: form.said(None),
        "field": lambda form: json.dumps({"thought": "none", "feeling": "good"}),
        "twice": lambda form: f"{form.said(form.low)} or {form.said(form.high + 1)}",
        "cut": lambda form: form.said(form.uniform())[:-1],
        "no-number": lambda form: f'{{"{form.key}": NaN}}',
        "bare": lambda form: str(form.uniform()),
        "refuses": lambda form: "I would rather not say.",
        "empty": lambda form: "",
    }
)
"""What can go wrong, and what only looks so, by name."""
