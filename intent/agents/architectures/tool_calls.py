"""How a model calls a tool: by the endpoint's own tool calls, or by a line in its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from intent.agents.architectures.base import Response, cut
from intent.agents.client import Message, Reply, Settings, Tool
from intent.agents.prompts.prompt_set import LONGEST_MESSAGE
from intent.agents.tools import TOOL_NAME

__all__ = [
    "LONGEST",
    "MOST_CALLS",
    "Call",
    "CallProtocol",
    "Calls",
    "Native",
    "Prompted",
    "described",
    "native_calls",
    "written_calls",
]


LONGEST = 4_000
"""Characters of a call's arguments, or of its object in a text."""

MOST_CALLS = 16
"""Calls of one reply that are looked at; further ones are only counted."""

_SEARCHED = 100_000

_START = re.compile(
    r"(?:^[ \t*_`#•\-\u200b-\u200f\u2066-\u2069\ufeff]{0,20}"
    r"(?P<key>CALL)[*_`\"']{0,4}\s{0,3}[:：][*_` \t]{0,10}\n?"
    r"|<tool_call>\s{0,10})",
    re.MULTILINE | re.IGNORECASE,
)

_NAME_ONLY = re.compile(
    r"[`\"']?(?P<name>[A-Za-z_][\w.\-]{0,60})[`\"']?\s{0,3}(?:\(\s{0,3}\))?[`*.]{0,4}[ \t]*$", re.MULTILINE
)

_FUNCTION = re.compile(r"[`\"']?(?P<name>[A-Za-z_][\w.\-]{0,60})\s{0,3}\(\s{0,3}(?=\{)")
"""``NAME({…})``, as many models write a call."""

_GAP = re.compile(r"\s{0,5}(?:```[a-z]{0,10}\s{0,5}|`)?", re.IGNORECASE)

_CLOSING = re.compile(r"\s{0,10}</tool_call>", re.IGNORECASE)
_BRACKET = re.compile(r"\s{0,3}\)")

_NAMES = ("name", "tool", "function")
_ARGUMENTS = ("arguments", "parameters", "args")


@dataclass(frozen=True)
class Call:
    """A call as the model wrote it.

    Parameters
    ----------
    id : unique within the reply
    arguments : a JSON object where it is well-formed
    """

    id: str
    name: str
    arguments: str

    @property
    def as_sent(self) -> Mapping[str, str]:
        """The call as a conversation repeats it: endpoints refuse arguments that are no JSON object."""
        return {"id": self.id, "name": self.name or "unnamed", "arguments": self._object()}

    def _object(self) -> str:
        try:
            sound = len(self.arguments) <= LONGEST and isinstance(json.loads(self.arguments), dict)
        except (ValueError, RecursionError):
            sound = False
        return self.arguments if sound else "{}"


@dataclass(frozen=True)
class Calls:
    """The calls of a reply.

    Parameters
    ----------
    calls : the first `MOST_CALLS`
    count : all that were found
    rest : the text without them
    """

    calls: tuple[Call, ...]
    count: int
    rest: str


def native_calls(reply: Reply, text: str) -> Calls:
    """The tool calls of a reply; ids that are empty or given twice are made unique."""
    calls: list[Call] = []
    for raw in reply.tool_calls[:MOST_CALLS]:
        name, known = raw["id"], {call.id for call in calls}
        if not name or name in known:
            name = next(
                f"call_{i}" for i in range(len(calls), 2 * MOST_CALLS + 2) if f"call_{i}" not in known
            )
        calls.append(Call(name, raw["name"], raw["arguments"] or "{}"))
    return Calls(tuple(calls), len(reply.tool_calls), text)


def written_calls(text: str) -> Calls:
    """The calls that a text holds.

    A call is a line ``CALL: {"name": …, "arguments": {…}}`` in any case, with Markdown before it, or the
    object within ``<tool_call>``, as some models were trained to write. The object may have single quotes,
    stand on the next line, or be the arguments alone, ``CALL: NAME({…})`` too; ``CALL: NAME`` alone is a call
    without arguments. What stands in a block quote or in the middle of a line is none.

    Parameters
    ----------
    text : any; the first 100,000 characters are looked at
    """
    calls: list[Call] = []
    rest: list[str] = []
    count = at = 0
    for start in _START.finditer(text, 0, _SEARCHED):
        if start.start() < at:
            continue
        if count >= MOST_CALLS:
            count += 1
            continue
        parts = _object(text, start.end()) or _name_only(text, start)
        if parts is None:
            continue
        name, arguments, end = parts
        calls.append(Call(f"call_{count}", name, arguments))
        rest.append(text[at : start.start()])
        closing = _CLOSING.match(text, end)
        at, count = closing.end() if closing else end, count + 1
    rest.append(text[at:])
    return Calls(tuple(calls), count, "".join(rest).strip())


def _name_only(text: str, start: re.Match[str]) -> tuple[str, str, int] | None:
    """``CALL: NAME`` with the keyword in capitals, since prose has lines such as “Call: nobody”."""
    if start["key"] != "CALL":
        return None
    match = _NAME_ONLY.match(text, start.end())
    return (match["name"], "{}", match.end()) if match else None


def _object(text: str, start: int) -> tuple[str, str, int] | None:
    """Name, arguments and end of the object that begins at `start`."""
    gap = _GAP.match(text, start)
    begin = gap.end() if gap else start
    function = _FUNCTION.match(text, begin)
    begin = function.end() if function else begin
    if text[begin : begin + 1] != "{":
        return None
    end = next(_closings(text, begin), None)
    if end is None:
        line = text.find("\n", begin, begin + LONGEST)
        end = line if line >= 0 else min(len(text), begin + LONGEST)
        return "", text[begin:end], end
    read = _read(text[begin:end])
    if read is None:
        return "", text[begin:end], end
    folded = {str(key).casefold(): value for key, value in read.items()}
    name = next((folded[key] for key in _NAMES if isinstance(folded.get(key), str)), None)
    values = next((folded[key] for key in _ARGUMENTS if key in folded), None)
    if values is None:
        values = {} if name is not None else read
    if function:
        name, bracket = name or function["name"], _BRACKET.match(text, end)
        end = bracket.end() if bracket else end
    arguments = values if isinstance(values, str) else json.dumps(values, ensure_ascii=False)
    return (name or "").strip(), arguments or "{}", end


def _closings(text: str, begin: int) -> Iterator[int]:
    """Where the braces opened at `begin` are closed, not counting those inside double quotes."""
    depth, quoted, escaped = 0, False, False
    for position in range(begin, min(len(text), begin + LONGEST)):
        char = text[position]
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
            continue
        quoted, escaped = char == '"', False
        depth += (char == "{") - (char == "}")
        if depth == 0:
            yield position + 1
            return


def _read(text: str) -> dict[str, Any] | None:
    """The object, as JSON or with other quotation marks."""
    for attempt in (text, re.sub("[“”„]", '"', text), text.replace("'", '"')):
        try:
            read = json.loads(attempt)
        except (ValueError, RecursionError):
            continue
        return read if isinstance(read, dict) else None
    return None


class CallProtocol(Protocol):
    """One way to call the one tool.

    Attributes
    ----------
    name : str
    request : str
        Block of the prompt that asks for a choice with the tool at hand.
    tools : tuple of Tool
        What is declared to the endpoint.
    """

    @property
    def name(self) -> str: ...
    @property
    def request(self) -> str: ...
    @property
    def tools(self) -> tuple[Tool, ...]: ...

    def settings(self, settings: Settings, called: bool) -> Settings:
        """The settings before and after the one call."""
        ...

    def calls(self, last: Response) -> Calls:
        """The calls of a reply."""
        ...

    def exchange(
        self, messages: Sequence[Message], last: Response, calls: Calls, answers: Sequence[str]
    ) -> tuple[Message, ...]:
        """`messages`, the reply with its calls, and the answer to each."""
        ...


@dataclass(frozen=True)
class Native:
    """Tool calls of the endpoint.

    The tool stays declared after the call, since Anthropic's endpoint refuses results of tools that it is not
    told of; a tool choice of none keeps it from being called.

    Parameters
    ----------
    arguments : tuple of (name, description)
        Of numbers, all required.
    """

    description: str
    arguments: tuple[tuple[str, str], ...] = ()
    name: str = "native"
    request: str = "choose_tool"

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tool as OpenAI's endpoint describes it."""
        parameters: dict[str, Any] = {
            "type": "object",
            "properties": {name: {"type": "number", "description": text} for name, text in self.arguments},
            "required": [name for name, _ in self.arguments],
            "additionalProperties": False,
        }
        function = {"name": TOOL_NAME, "description": self.description, "parameters": parameters}
        return ({"type": "function", "function": function},)

    def settings(self, settings: Settings, called: bool) -> Settings:
        """No further tool call after the one."""
        return settings.model_copy(update={"tool_choice": "none"}) if called else settings

    def calls(self, last: Response) -> Calls:
        """The endpoint's tool calls."""
        return native_calls(last.reply, last.text)

    def exchange(
        self, messages: Sequence[Message], last: Response, calls: Calls, answers: Sequence[str]
    ) -> tuple[Message, ...]:
        """The reply with its tool calls, and one tool message for each."""
        message = Message(
            "assistant",
            cut(last.text, LONGEST_MESSAGE),
            tool_calls=tuple(call.as_sent for call in calls.calls),
        )
        results = (
            Message("tool", answer, tool_call_id=call.id)
            for call, answer in zip(calls.calls, answers, strict=True)
        )
        return (*messages, message, *results)


@dataclass(frozen=True)
class Prompted:
    """Calls written into the text, for models that take no tools.

    Parameters
    ----------
    explained : how to write a call; the prompt holds it
    """

    explained: str
    name: str = "prompted"
    request: str = "choose_tool_prompted"
    tools: tuple[Tool, ...] = ()

    def settings(self, settings: Settings, called: bool) -> Settings:
        """As they are."""
        return settings

    def calls(self, last: Response) -> Calls:
        """The calls in the text."""
        return written_calls(last.text)

    def exchange(
        self, messages: Sequence[Message], last: Response, calls: Calls, answers: Sequence[str]
    ) -> tuple[Message, ...]:
        """The reply as it was, and the answers in one message of the user."""
        message = Message("assistant", cut(last.text, LONGEST_MESSAGE))
        return (*messages, message, Message("user", "\n\n".join(dict.fromkeys(answers))))

    def with_explanation(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """`messages` with the explanation at the end, for requests that have no place for it."""
        last = messages[-1]
        return (*messages[:-1], replace(last, content=f"{last.content}\n\n{self.explained}"))


def described(arguments: Mapping[str, str]) -> str:
    """The arguments with their descriptions, as the prompt lists them; a dash without any."""
    return "; ".join(f"{name} ({text})" for name, text in arguments.items()) or "–"
