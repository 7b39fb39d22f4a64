"""What a call is known by: its place in the run, and what was asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from intent.agents.client import Message, Settings, Tool
from intent.agents.plan import GamePlan

__all__ = ["CallKey", "Request", "call_name", "draw_text", "request_digest"]


class CallKey(NamedTuple):
    """The place of a call in its run.

    Attributes
    ----------
    game : int
        Place of the game among the plans, from 1.
    round, seat : int
        From 1.
    attempt : int
        All calls of a seat in a round are counted from 1, those of the message phase first.
    """

    game: int
    round: int
    seat: int
    attempt: int


def call_name(game_id: str, key: CallKey) -> str:
    """``<game_id>/<round>/<seat>/<attempt>``, as moves and errors refer to a call."""
    return f"{game_id}/{key.round}/{key.seat}/{key.attempt}"


def draw_text(plan: GamePlan, key: CallKey) -> str:
    """What tells the draw of this call from every other one of the run.

    It depends on plan and place alone: the same after a resume, in whatever order games are played,
    and different for any two calls, so that repetitions never share a reply or a seed.
    """
    return f"{plan.seed}/{call_name(plan.game_id, key)}"


def request_digest(
    player: str, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool]
) -> bytes:
    """Sixteen bytes that change with anything an agent asks.

    Settings at their defaults do not enter, so that a setting of a later version changes nothing; nor do
    calls of tools where a message has none.
    """
    asked = [
        player,
        [[m.role, m.content, *_tools_of(m)] for m in messages],
        settings.model_dump(mode="json", exclude_defaults=True),
        [dict(tool) for tool in tools],
    ]
    text = json.dumps(asked, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def _tools_of(message: Message) -> list[Any]:
    """What a message says of tools, nothing where it says nothing."""
    if not message.tool_calls and message.tool_call_id is None:
        return []
    return [[dict(call) for call in message.tool_calls], message.tool_call_id]


@dataclass(frozen=True)
class Request:
    """What an agent asks, and where.

    Parameters
    ----------
    key : CallKey
    player : str, as in the plan
    purpose : str
    messages : tuple of Message
    settings : Settings
    tools : tuple of Tool
    draw : str, as `draw_text`
    family : str
        Requests of one family are alike in most of their text.
    """

    key: CallKey
    player: str
    purpose: str
    messages: tuple[Message, ...]
    settings: Settings
    tools: tuple[Tool, ...]
    draw: str
    family: str

    @property
    def digest(self) -> bytes:
        """As `request_digest`."""
        return request_digest(self.player, self.messages, self.settings, self.tools)
