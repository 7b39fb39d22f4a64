"""Which label an artificial model says: a pure function of the request."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["LABELS", "constrained_labels", "digest", "fraction", "labels_in", "pick"]

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
    given = constrained_labels(body)
    if given:
        return given
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
    """Labels in one of the forms of `intent.agents.clients.constrain`, or ``choices``."""
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
