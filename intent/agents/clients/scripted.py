"""Artificial models for tests and dry trials: no network, and the same answer to the same request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from intent.agents.client import Message, Reply, Settings, Tool, Usage
from intent.agents.clients.agreeable import agreeable
from intent.agents.clients.erratic import erratic
from intent.agents.clients.fields import clean, whole_body
from intent.agents.clients.object_models import asked_rule, check_asked
from intent.agents.clients.pick import LABELS, labels_in, pick
from intent.agents.clients.said import Rule, Said
from intent.agents.clients.strategist import strategist
from intent.agents.clients.strategist_erratic import strategist_erratic
from intent.errors import UnknownNameError, UsageError

__all__ = ["RULES", "ScriptedClient", "rule_of"]

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "uniform": lambda body, text, labels: Said(pick(body, labels)),
        "first": lambda body, text, labels: Said(labels_in(body, labels)[0]),
        "last": lambda body, text, labels: Said(labels_in(body, labels)[-1]),
        "agreeable": agreeable,
        "erratic": erratic,
        "strategist": strategist,
        "strategist-erratic": strategist_erratic,
        "says": lambda body, text, labels: Said(text),
        "asked": asked_rule,
    }
)
"""``scripted/RULE`` to what it answers to a body; ``scripted/says:TEXT`` always says TEXT,
``scripted/asked:constant:91`` answers with the JSON object that is asked for."""

_WITH_TEXT = ("says", "asked")


def rule_of(model: object) -> Rule:
    """The rule that a model's name in a request means; ``uniform`` where it is none."""
    if isinstance(model, str) and model.startswith("asked:"):
        rule = model.removeprefix("asked:")
        return lambda body, text, labels: asked_rule(body, rule, labels)
    known = isinstance(model, str) and model in RULES and model not in _WITH_TEXT
    return RULES[str(model) if known else "uniform"]


class ScriptedClient:
    """Answers by rule.

    ``uniform`` picks one of the labels (`Settings.choices`) by a hash of the request: the same request is
    answered alike. Seeds, as `Settings.seeded` gives every call one, make repetitions differ. ``agreeable``
    does what every architecture asks for, ``erratic`` does it wrong in as many ways as models do
    (`intent.agents.clients.agreeable`, `intent.agents.clients.erratic`). ``strategist`` and
    ``strategist-erratic`` are asked for whole strategies, in words and as code, well and badly. ``asked``
    follows a rule in games that are answered with JSON objects (`intent.agents.clients.object_models`).

    Parameters
    ----------
    name : str
        ``scripted/uniform``, ``scripted/first``, ``scripted/last``, ``scripted/agreeable``,
        ``scripted/erratic``, ``scripted/strategist``, ``scripted/strategist-erratic``,
        ``scripted/says:TEXT``, ``scripted/asked:constant:91``, ``scripted/asked:cycle:0,50,100`` or
        ``scripted/asked:RANDOM``.

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
            check_asked(self._text)
        self._rule = RULES[rule]

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
        said = self._rule(body, self._text, LABELS)
        text = clean(said.text)
        asked = sum(len(message.content.split()) for message in messages)
        return Reply(
            text,
            model=self.name,
            finish_reason=said.finish_reason,
            usage=Usage(asked, len(text.split())),
            sent=body,
            tool_calls=said.tool_calls,
        )

    async def close(self) -> None:
        """Nothing to release."""
