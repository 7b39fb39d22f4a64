"""What an artificial model says to a request, and the form that a rule for it has."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "LABELS",
    "Rule",
    "Utterance",
    "call",
    "constrained_labels",
    "digest",
    "fraction",
    "labels_in",
    "pick",
]


LABELS = ("OptionA", "OptionB")
"""Said where a request names no labels."""

_QUOTED = re.compile(
    r"'([^'\n]{1,40})'|\"([^\"\n]{1,40})\"|“([^”\n]{1,40})”|«\s*([^»\n]{1,40}?)\s*»|「([^」\n]{1,40})」"
)


def digest(body: Mapping[str, Any]) -> bytes:
    """SHA-256 of a body, whatever the order of its fields."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).digest()


def fraction(*parts: object) -> float:
    """A number in [0, 1) that depends on nothing but `parts`, evenly spread."""
    seen = hashlib.sha256(repr(parts).encode()).digest()
    return int.from_bytes(seen[:7], "big") / 2**56


def labels_in(body: Mapping[str, Any], labels: Sequence[str] = LABELS) -> tuple[str, ...]:
    """The labels that a request asks to choose from.

    1. Those that it constrains the reply to, or gives as ``choices``.
    2. Those of `labels` that its last message names, if two or more.
    3. What its last message quotes, if two or more texts.
    4. `labels`.
    """
    constrained = constrained_labels(body)
    if constrained:
        return constrained
    messages = body.get("messages")
    last = messages[-1].get("content") if messages else ""
    text = last if isinstance(last, str) else ""
    named = tuple(label for label in labels if label in text)
    if len(named) > 1:
        return named
    quoted = tuple(dict.fromkeys("".join(groups) for groups in _QUOTED.findall(text)))
    return quoted if len(quoted) > 1 else tuple(labels)


def pick(body: Mapping[str, Any], labels: Sequence[str] = LABELS) -> str:
    """One of `labels_in`, each as likely as the others over different bodies."""
    among = labels_in(body, labels)
    return among[int(fraction("label", digest(body)) * len(among))]


def constrained_labels(body: Mapping[str, Any]) -> tuple[str, ...]:
    """Labels in one of the forms of `intent.agents.clients.bodies`, or ``choices``."""
    choices = body.get("choices") or body.get("guided_choice")
    if not choices and isinstance(body.get("structured_outputs"), dict):
        choices = body["structured_outputs"].get("choice")
    if not choices and isinstance(body.get("grammar"), str):
        choices = [json.loads(quoted) for quoted in re.findall(r'"(?:[^"\\]|\\.)*"', body["grammar"])]
    if not choices:
        try:
            schema = body["response_format"]["json_schema"]["schema"]
            choices = schema["properties"]["choice"]["enum"]
        except (KeyError, TypeError):
            choices = ()
    return tuple(choices)


@dataclass(frozen=True)
class Utterance:
    """A reply.

    Parameters
    ----------
    tool_calls : tuple of mappings with id, name, arguments (text)
        As in `intent.agents.client.Reply`.
    cut : whether the limit of tokens ended it, as it ends an empty reply
    """

    text: str
    tool_calls: tuple[Mapping[str, str], ...] = ()
    cut: bool = False

    @property
    def finish_reason(self) -> str:
        """As OpenAI's endpoint names it."""
        return "tool_calls" if self.tool_calls else "length" if self.cut else "stop"


Rule = Callable[[Mapping[str, Any], str, Sequence[str]], Utterance]
"""``(body, text, labels) -> Utterance``: the request, what stands after the colon of the model's name, and
the labels to name where the request names none. Nothing else decides what is said."""


def call(
    body: Mapping[str, Any], name: str, arguments: Mapping[str, object], number: int = 1
) -> dict[str, str]:
    """A call of a tool, with an id that is the request's own."""
    known = digest(body).hex()[:16]
    return {"id": f"call_{known}_{number}", "name": name, "arguments": json.dumps(dict(arguments))}
