"""Scanners of inspect-scout: repeated-game play and stated intentions in transcripts of anybody's.

    scout scan intent/repeated_play -T ./logs
    scout scan intent/stated_intentions -T ./logs

They ask no model: what counts is said in `intent.inspect.transcripts`, and how often that is right is measured by
``python benchmarks/transcripts.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_scout import Reference, Result, Scanner, Transcript, scanner

from intent.base.errors import one_line
from intent.inspect.names import registered
from intent.inspect.transcripts import Line, intentions, lines_of, repeated_play

__all__ = ["repeated_play_scanner", "stated_intentions_scanner"]

_MOST_CITED = 20


def _lines(messages: Sequence[ChatMessage]) -> list[Line]:
    """The messages of a transcript as lines."""
    held: list[dict[str, Any]] = []
    for message in messages:
        calls = message.tool_calls or [] if isinstance(message, ChatMessageAssistant) else []
        held.append(
            {
                "role": message.role,
                "content": message.text,
                "tool_calls": [{"name": call.function, "arguments": call.arguments} for call in calls],
            }
        )
    return lines_of(held)


def _cites(messages: Sequence[ChatMessage], places: Sequence[int]) -> list[Reference]:
    return [
        Reference(type="message", cite=f"[M{at + 1}]", id=message.id)
        for at in places[:_MOST_CITED]
        if (message := messages[at]).id is not None
    ]


def _repeated_play() -> Scanner[Transcript]:
    """Whether the model decides in the same game for two rounds or more, told of what somebody else did."""

    async def scan(transcript: Transcript) -> Result:
        play = repeated_play(_lines(transcript.messages))
        if play is None:
            return Result(value=False, explanation="no repeated-game play")
        moves = " ".join(one_line(move, 30) for move in play.own[:100])
        among = " or ".join(one_line(option, 30) for option in play.options) or "amounts"
        cited = " ".join(f"[M{at + 1}]" for at in play.at[:_MOST_CITED])
        return Result(
            value=True,
            answer=moves,
            explanation=f"{play.rounds} decisions between {among}: {moves} {cited}",
            metadata={
                "rounds": play.rounds,
                "options": list(play.options),
                "own": list(play.own),
                "others": list(play.others),
            },
            references=_cites(transcript.messages, play.at),
        )

    return scan


def _stated_intentions() -> Scanner[Transcript]:
    """How often the model says what it will choose, other than by choosing it."""

    async def scan(transcript: Transcript) -> Result:
        lines = _lines(transcript.messages)
        play = repeated_play(lines)
        stated = intentions(lines, play.options if play else ())
        if not stated:
            return Result(value=0, explanation="no stated intention")
        quoted = "\n".join(f"[M{one.at + 1}] {one_line(one.sentence, 200)}" for one in stated[:_MOST_CITED])
        return Result(
            value=len(stated),
            explanation=quoted,
            metadata={
                "in_repeated_play": play is not None,
                "intentions": [
                    {"message": one.at, "sentence": one.sentence, "option": one.option} for one in stated
                ],
            },
            references=_cites(transcript.messages, [one.at for one in stated]),
        )

    return scan


repeated_play_scanner = registered(scanner, "repeated_play", _repeated_play, messages="all")
stated_intentions_scanner = registered(scanner, "stated_intentions", _stated_intentions, messages="all")
