"""Requests and replies of a run, one of each kind, as they were sent: for the page of a replication."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from intent.base.wording import Sentences
from intent.report.page import Section, Verbatim, Words
from intent.runner.run import Run

__all__ = ["requests_section"]

_MOST = 24
"""Kinds of requests that are shown of a run."""

_LETTERS = 12_000

phrase = Sentences("intent.report")


def requests_section(folders: Sequence[Path]) -> list[Section]:
    """The first request of each kind that each run sent, with its reply; of round 2 where there is one.

    A kind is an architecture, what it is asked to do, and how many turns stand in the conversation before.

    Parameters
    ----------
    folders : of runs; others are passed over
    """
    shown: list[Verbatim] = []
    for folder in folders:
        if (folder / "run.json").is_file():
            shown += _of_run(folder)
    if not shown:
        return []
    about = Words(phrase("replication.requests_about"), "quiet")
    return [Section("requests", phrase("replication.requests"), (about, *shown))]


def _of_run(folder: Path) -> list[Verbatim]:
    run = Run.open(folder)
    seats = {(plan.game_id, k): s for plan in run.plans() for k, s in enumerate(plan.seats, 1)}
    first: dict[tuple[str, ...], tuple[int, str]] = {}
    for table in run.call_tables():
        for row in table.sort_values(["round", "attempt"], kind="stable").to_dict("records"):
            seat = seats[str(row["game_id"]), int(row["seat"])]
            role = ", ".join(filter(None, [seat.architecture, seat.attitude]))
            try:
                messages = json.loads(row["body"]).get("messages", [])
            except (TypeError, ValueError, AttributeError):
                continue
            turns = sum(m.get("role") == "assistant" for m in messages if isinstance(m, dict))
            key = (role, str(row["purpose"]), str(turns))
            number = int(row["round"])
            if key not in first or (first[key][0] < 2 <= number):
                first[key] = (number, _words(messages, row))
    return [
        Verbatim(phrase("replication.request", role=role, purpose=f"{purpose}, round {number}"), text)
        for (role, purpose, _), (number, text) in list(first.items())[:_MOST]
    ]


def _words(messages: Sequence[Any], row: dict[Any, Any]) -> str:
    """A conversation to be read, with the reply at its end."""
    parts = [f"[{m.get('role')}]\n{_content(m)}" for m in messages if isinstance(m, dict)]
    for name, column in (("reasoning", "reasoning"), ("tool call", "tool_calls"), ("reply", "text")):
        value = row.get(column)
        if value is not None and value == value and str(value).strip():
            parts.append(f"[{name}]\n{value}")
    text = "\n\n".join(parts)
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]} […] ({len(text):,} characters)"


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return json.dumps(message.get("tool_calls") or content, ensure_ascii=False)
