"""Artificial models for tests and dry trials: no network, and the same answer to the same request.

Here is what all have in common, and the plainest; `intent.agents.mock.rules` does what any architecture asks
for, well or badly, `intent.agents.mock.strategists` writes whole strategies.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from intent.agents.client import Message, Reply, Settings, Tool, Usage
from intent.agents.clients.registry import clean, whole_body
from intent.base.errors import UnknownNameError, UsageError, shorten
from intent.base.registry import loaded

__all__ = [
    "LABELS",
    "RULES",
    "Rule",
    "ScriptedClient",
    "Utterance",
    "call",
    "constrained_labels",
    "digest",
    "fraction",
    "labels_in",
    "pick",
    "rule_of",
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
    """Labels in one of the forms of `intent.agents.clients.registry`, or ``choices``."""
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


def uniform(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """One of the labels, by a hash of the request."""
    return Utterance(pick(body, labels))


def first(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """The first label of a request."""
    return Utterance(labels_in(body, labels)[0])


def last(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """The last one."""
    return Utterance(labels_in(body, labels)[-1])


def says(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """The text after the colon of the model's name."""
    return Utterance(text)


RULES: Mapping[str, str] = MappingProxyType(
    {
        "uniform": "intent.agents.mock.client:uniform",
        "first": "intent.agents.mock.client:first",
        "last": "intent.agents.mock.client:last",
        "heeds": "intent.agents.mock.rules:heeds",
        "agreeable": "intent.agents.mock.rules:agreeable",
        "erratic": "intent.agents.mock.rules:erratic",
        "strategist": "intent.agents.mock.strategists:strategist",
        "strategist-erratic": "intent.agents.mock.strategists:strategist_erratic",
        "says": "intent.agents.mock.client:says",
        "asked": "intent.agents.mock.rules:rule_of_object",
    }
)
"""``scripted/RULE`` to the `Rule` by which it answers a body; ``scripted/says:TEXT`` always says TEXT,
``scripted/asked:constant:91`` answers with the JSON object that is asked for."""

ASKED_RULES = ("constant:", "cycle:", "RANDOM")
"""What may stand after ``scripted/asked:``."""


def check_object_rule(rule: str) -> None:
    """Refuse what may not stand after ``scripted/asked:``."""
    head, colon, text = rule.partition(":")
    if rule != "RANDOM" and (head + colon not in ASKED_RULES or not text.strip(" ,;")):
        raise UsageError(
            f"model scripted/asked:{shorten(rule)}: expected asked:constant:91, asked:cycle:0,50,100 or "
            "asked:RANDOM"
        )


_WITH_TEXT = ("says", "asked")


def rule_of(model: object) -> Rule:
    """The rule that a model's name in a request means; ``uniform`` where it is none."""
    if isinstance(model, str) and model.startswith("asked:"):
        rule, of_object = model.removeprefix("asked:"), loaded(RULES["asked"])
        return lambda body, text, labels: of_object(body, rule, labels)
    known = isinstance(model, str) and model in RULES and model not in _WITH_TEXT
    made: Rule = loaded(RULES[str(model) if known else "uniform"])
    return made


class ScriptedClient:
    """Answers by rule.

    ``uniform`` picks one of the labels (`Settings.choices`) by a hash of the request: the same request is
    answered alike. Seeds, as `Settings.seeded` gives every call one, make repetitions differ. ``agreeable``
    does what every architecture asks for, ``erratic`` does it wrong in as many ways as models do. ``heeds``
    answers an expected move in kind, where the prompt tells of one, and is ``uniform`` elsewhere.
    ``strategist`` and ``strategist-erratic`` are asked for whole strategies, in words and as code, well and
    badly. ``asked`` follows a rule in games that are answered with JSON objects.

    Parameters
    ----------
    name : ``scripted/uniform``, ``scripted/first``, ``scripted/last``, ``scripted/heeds``,
        ``scripted/agreeable``, ``scripted/erratic``, ``scripted/strategist``,
        ``scripted/strategist-erratic``, ``scripted/says:TEXT``, ``scripted/asked:constant:91``,
        ``scripted/asked:cycle:0,50,100`` or ``scripted/asked:RANDOM``

    Raises
    ------
    UnknownNameError, UsageError
    """

    endpoint = "scripted"
    concurrency = 256

    def __init__(self, name: str) -> None:
        self.name = name
        rule, colon, self._text = name.removeprefix("scripted/").partition(":")
        if rule not in RULES:
            raise UnknownNameError("scripted model", name, [f"scripted/{known}" for known in RULES])
        if bool(colon) != (rule in _WITH_TEXT) or (colon and not self._text.strip()):
            raise UsageError(f"model {name!r}: expected scripted/says:TEXT or scripted/{rule} without text")
        if rule == "asked":
            check_object_rule(self._text)
        self._rule: Rule = loaded(RULES[rule])

    def __repr__(self) -> str:
        return f"ScriptedClient({self.name!r})"

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        """Messages, tools and settings as given; nothing is sent anywhere."""
        return whole_body(self.name, messages, settings, tools)

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        """The answer of the rule; words count as tokens."""
        body = self.body(messages, settings, tools)
        utterance = self._rule(body, self._text, LABELS)
        text = clean(utterance.text)
        words = sum(len(message.content.split()) for message in messages)
        return Reply(
            text,
            model=self.name,
            finish_reason=utterance.finish_reason,
            usage=Usage(words, len(text.split())),
            sent=body,
            tool_calls=utterance.tool_calls,
        )

    async def close(self) -> None:
        """Nothing to release."""
