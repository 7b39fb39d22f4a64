"""The calls behind the moves of a game: what was asked, and the replies."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pandas as pd

from intent.view.cells import plain, short_text
from intent.view.detail import CallText
from intent.view.texts import Keep

__all__ = ["calls_by_move"]

_MOST_MESSAGES = 200


def calls_by_move(table: pd.DataFrame | None, cut: Keep) -> dict[tuple[int, int], tuple[CallText, ...]]:
    """The calls of each round and seat.

    Parameters
    ----------
    table : DataFrame as `schema.CALLS`, or None
    cut : what cuts a text, as `TextKeeper`
    """
    found: dict[tuple[int, int], list[CallText]] = defaultdict(list)
    for row in [] if table is None else table.to_dict("records"):
        number, seat, attempt = int(row["round"]), int(row["seat"]), int(row["attempt"])
        at = f"call/{number}/{seat}/{attempt}"
        prompt = [
            (role, text)
            for i, (role, content) in enumerate(_messages(row["body"]))
            if (text := cut(content, f"{at}/prompt/{i}")) is not None
        ]
        reply = cut(row["text"] if isinstance(row["text"], str) else "", f"{at}/reply")
        assert reply is not None
        found[number, seat].append(
            CallText(
                attempt,
                str(short_text(row["purpose"])),
                short_text(row["model"]),
                tuple(prompt),
                reply,
                cut(row["reasoning"], f"{at}/reasoning"),
                _call_note(row),
            )
        )
    return {key: tuple(calls) for key, calls in found.items()}


def _messages(body: object) -> list[tuple[str, str]]:
    """Role and content of the messages of a request; the body itself where it holds none."""
    text = body if isinstance(body, str) else ""
    try:
        sent = json.loads(text)
        messages = sent["messages"] if isinstance(sent, dict) else None
    except (ValueError, RecursionError, KeyError):
        messages = None
    if not isinstance(messages, list):
        return [("request", text)] if text else []
    return [
        (str(short_text(one.get("role")) or "message"), _content(one.get("content")))
        for one in messages[:_MOST_MESSAGES]
        if isinstance(one, dict)
    ]


def _content(content: object) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _call_note(row: Mapping[Any, Any]) -> str | None:
    parts = []
    if plain(row["cached"]):
        parts.append("from the cache")
    tries = plain(row["tries"])
    if tries is not None and tries > 1:
        parts.append(f"{tries} requests")
    for name in ("prompt_tokens", "completion_tokens"):
        n = plain(row[name])
        if n is not None:
            parts.append(f"{n} {name.replace('_', ' ')}")
    if short_text(row["finish_reason"]) is not None:
        parts.append(f"ended by {short_text(row['finish_reason'])}")
    return ", ".join(parts) or None
