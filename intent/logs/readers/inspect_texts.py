"""Prompts, replies and reasoning of a sample's messages, beside the moves where that is certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from intent.files.bounds import bounds

__all__ = ["add_texts"]

_ATTACHED = "attachment://"


def add_texts(rows: Sequence[dict[str, Any]], sample: Mapping[str, Any], seats: Sequence[object]) -> bool:
    """Give the moves of the only seat that a model plays its replies, and whether that could be done.

    It is certain where the rows have no reply of their own, one seat alone is a model's, and the messages
    hold as many replies as it has moves.

    Parameters
    ----------
    rows : sequence of dict
        In the order of play; changed in place.
    sample : mapping
    seats : sequence
        Per row, the seat or player where a model plays it, None elsewhere.
    """
    mine = [row for row, seat in zip(rows, seats, strict=True) if seat is not None]
    if len({str(seat) for seat in seats if seat is not None}) != 1:
        return False
    if any(row.get(name) for row in mine for name in ("reply", "prompt", "reasoning")):
        return False
    turns = list(_turns(sample))
    if len(turns) != len(mine):
        return False
    for row, turn in zip(mine, turns, strict=True):
        row.update({name: text for name, text in turn.items() if text})
    return True


def _turns(sample: Mapping[str, Any]) -> list[dict[str, str]]:
    """What was asked, thought and replied, per message of the assistant."""
    attachments = sample.get("attachments")
    held = attachments if isinstance(attachments, Mapping) else {}
    messages = sample.get("messages")
    turns, asked = [], ""
    for message in messages if isinstance(messages, list) else []:
        if not isinstance(message, Mapping):
            continue
        text, reasoning = _content(message.get("content"), held)
        if message.get("role") == "user":
            asked = text
        elif message.get("role") == "assistant":
            turns.append({"prompt": asked, "reply": text, "reasoning": reasoning})
    return turns


def _content(content: object, attachments: Mapping[str, Any]) -> tuple[str, str]:
    """Text and reasoning of a message, which is a text or a list of parts."""
    if isinstance(content, str):
        return _resolved(content, attachments), ""
    texts: dict[str, list[str]] = {"text": [], "reasoning": []}
    for part in content if isinstance(content, list) else []:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind in texts and isinstance(part.get(kind), str):
            texts[kind].append(_resolved(part[kind], attachments))
    return "\n".join(texts["text"]), "\n".join(texts["reasoning"])


def _resolved(text: str, attachments: Mapping[str, Any]) -> str:
    """The text, or the one that it stands for: Inspect keeps long ones apart."""
    if text.startswith(_ATTACHED):
        found = attachments.get(text.removeprefix(_ATTACHED))
        text = found if isinstance(found, str) else text
    return text[: bounds().field]
