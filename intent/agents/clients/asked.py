"""What kind of reply a request asks for, as an artificial model reads it from the body and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from intent.agents.clients.pick import constrained_labels, digest, fraction, labels_in
from intent.agents.clients.prompt_facts import (
    LONGEST,
    advice_to_give,
    announced,
    asks_for_label,
    asks_to_think,
    client_of,
    options,
    sole_label,
)

__all__ = ["PAYOFFS", "Asked", "Task"]

Task = Literal["label", "tool", "call", "answer", "decision", "text"]
"""A label and nothing else; a call of a tool, native or in words; a text that ends with ``ANSWER:`` or
``DECISION:``; any other text."""

PAYOFFS = ("temptation", "reward", "punishment", "sucker")
"""Arguments that are looked for where a tool is described in words."""

_STATED = re.compile(r"(?<![A-Za-z])(DECISION|ANSWER)(?![A-Za-z])")
_CALL = re.compile(r"(?<![A-Za-z])CALL(?![A-Za-z])")
_FORMAL = re.compile(r"[<>{}:_]|^(?:DECISION|ANSWER|CALL|name|arguments|choice)$")
"""Quoted, but no label of a game."""

_FORMS = re.compile(r"^(?:DECISION|ANSWER):.*$", re.MULTILINE)
_FORM = re.compile(r'CALL: \{"name": "([^"\n]{1,100})"')
_ARGUMENT = re.compile(rf"(?<![A-Za-z_])({'|'.join(PAYOFFS)})(?=\s{{0,2}}[:(])")


@dataclass(frozen=True, eq=False)
class Asked:
    """A request, read.

    Parameters
    ----------
    body : mapping
        As a client or a chat endpoint has it.
    default : sequence of str
        Labels where the request names none.
    """

    body: Mapping[str, Any]
    default: Sequence[str]

    @cached_property
    def messages(self) -> list[tuple[str, str]]:
        """Role and text of every message."""
        found = self.body.get("messages")
        pairs = [(m.get("role"), m.get("content")) for m in found or () if isinstance(m, Mapping)]
        return [(str(role), text[:LONGEST] if isinstance(text, str) else "") for role, text in pairs]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels to choose from: those given, those of our wording, or what `labels_in` finds."""
        return tuple(map(str, constrained_labels(self.body))) or self._worded or self._quoted

    @cached_property
    def _quoted(self) -> tuple[str, ...]:
        """What prompts in other words name or quote, keywords and placeholders apart."""
        for role, text in reversed(self.messages):
            if role not in ("system", "user"):
                continue
            alone = {"messages": [{"content": text}]}
            named = sum(label in text for label in self.default) > 1
            found = labels_in(alone, self.default if named else ())
            found = tuple(label for label in found if not _FORMAL.search(label))
            if len(found) > 1:
                return found
        return tuple(self.default)

    @cached_property
    def _worded(self) -> tuple[str, ...]:
        return next((found for _, text in reversed(self.messages) if (found := options(text))), ())

    @cached_property
    def told(self) -> str:
        """All that the model is told: messages of the system and of the user."""
        return "\n".join(text for role, text in self.messages if role in ("system", "user"))

    @cached_property
    def last(self) -> str:
        """The last message of the user, which holds the request."""
        return next((text for role, text in reversed(self.messages) if role == "user"), "")

    @property
    def must(self) -> bool:
        """Whether the reply can only be one of the labels."""
        return bool(constrained_labels(self.body)) and (
            "choices" not in self.body or bool(self.body.get("constrained"))
        )

    @property
    def as_object(self) -> bool:
        """Whether a label is asked for within a JSON object."""
        return not self.must and '{"choice": ' in self.last.rstrip().rsplit("\n", 1)[-1]

    @property
    def private(self) -> bool:
        """Whether private thoughts in double braces are asked for."""
        return "{{" in self.last

    @property
    def thinks(self) -> bool:
        """Whether thoughts that nobody else reads are asked for, without a choice."""
        return asks_to_think(self.last)

    @cached_property
    def task(self) -> Task:
        """The kind of reply that is asked for."""
        if self.must:
            return "label"
        if self.tool and not self.called:
            return "tool" if self.body.get("tools") else "call"
        if self.to_advise is not None:
            return "text"
        if asks_for_label(self.last):
            return "label"
        # The request stands last: before it the history may quote what others wrote.
        stated = _STATED.findall(self.last) or _STATED.findall(self.told)
        if stated:
            return "answer" if stated[-1] == "ANSWER" else "decision"
        if self.private or (self._worded and not self.body.get("choices")):
            return "text"
        return "label"

    @cached_property
    def tool(self) -> tuple[str, Mapping[str, str]] | None:
        """Name of the tool that may be called, and its arguments with their descriptions."""
        tools = self.body.get("tools")
        if tools:
            return None if self.body.get("tool_choice") == "none" else _native(tools)
        return next((found for _, text in self.messages if (found := _prompted(text))), None)

    @cached_property
    def called(self) -> bool:
        """Whether the model has called a tool before in this conversation."""
        raw = self.body.get("messages") or ()
        native = any(isinstance(m, Mapping) and m.get("tool_calls") for m in raw)
        return native or any(role == "assistant" and _CALL.search(text) for role, text in self.messages)

    @cached_property
    def to_advise(self) -> str | None:
        """What the model is to advise, if it is the assistant in a debate; empty where it is to find out."""
        return next((found for _, text in self.messages if (found := advice_to_give(text)) is not None), None)

    @cached_property
    def client(self) -> str:
        """Whom the assistant in a debate advises; empty where the model is none."""
        return next((found for _, text in self.messages if (found := client_of(text))), "")

    @cached_property
    def advised(self) -> str | None:
        """The label that the conversation settled on last: a tool's, an assistant's or the model's own."""
        first = next((i for i, (role, _) in enumerate(self.messages) if role == "user"), 0)
        said = [text for _, text in self.messages[first:]]
        for number, text in reversed(list(enumerate(said))):
            # The first words of an assistant may follow the opening in one message.
            words = text if number else "".join(_FORMS.split(text, maxsplit=1)[1:])
            for line in reversed(words.splitlines()):
                if not _STATED.search(line) and (label := sole_label(line, self.labels)):
                    return label
        return announced(self.told, self.labels)

    def one_of(self, choices: Sequence[str], *about: object) -> str:
        """One of these by a hash of the request, each as likely as the others over different requests."""
        return choices[int(fraction(*about, digest(self.body)) * len(choices))]


def _native(tools: object) -> tuple[str, Mapping[str, str]] | None:
    try:
        function = tools[0]["function"]  # type: ignore[index]
        properties = (function.get("parameters") or {}).get("properties") or {}
        return str(function["name"]), {n: str(p.get("description", "")) for n, p in properties.items()}
    except (AttributeError, IndexError, KeyError, TypeError):
        return None


def _prompted(text: str) -> tuple[str, Mapping[str, str]] | None:
    """A tool that is described in words: its name stands in the form of the call, its arguments below."""
    form = _FORM.search(text)
    if form is None:
        return None
    below = text[form.end() :]
    end = _STATED.search(below)
    pieces = _ARGUMENT.split(below[: end.start()] if end else below)
    return form[1], dict(zip(pieces[1::2], pieces[2::2], strict=True))
