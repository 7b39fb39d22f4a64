"""What an artificial model says to a request, and the form that a rule for it has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intent.agents.clients.pick import digest

__all__ = ["Rule", "Said", "call"]


@dataclass(frozen=True)
class Said:
    """A reply.

    Parameters
    ----------
    text : str
    tool_calls : tuple of mappings with id, name, arguments (text)
        As in `intent.agents.client.Reply`.
    cut : bool
        Whether the limit of tokens ended it, as it ends an empty reply.
    """

    text: str
    tool_calls: tuple[Mapping[str, str], ...] = ()
    cut: bool = False

    @property
    def finish_reason(self) -> str:
        """As OpenAI's endpoint names it."""
        return "tool_calls" if self.tool_calls else "length" if self.cut else "stop"


Rule = Callable[[Mapping[str, Any], str, Sequence[str]], Said]
"""``(body, text, labels) -> Said``: the request, what stands after the colon of the model's name, and the
labels to name where the request names none. Nothing else decides what is said."""


def call(
    body: Mapping[str, Any], name: str, arguments: Mapping[str, object], number: int = 1
) -> dict[str, str]:
    """A call of a tool, with an id that is the request's own."""
    known = digest(body).hex()[:16]
    return {"id": f"call_{known}_{number}", "name": name, "arguments": json.dumps(dict(arguments))}
