"""Scanners of inspect-scout: repeated-game play and stated intentions in transcripts of anybody's.

    scout scan intent/repeated_play -T ./logs
    scout scan "$(python -m intent.inspect.scanner)" -T ./logs     all three at once

Two ask no model: what counts is said in `intent.inspect.transcripts`, and how often that is right is
measured by ``python benchmarks/transcripts.py``. `judged_play` puts the question to the model that the user
names (``-S model=NAME``), which is Scout's own way; how often that is right depends on the model.

Scout 0.6 takes the name of the package that a scanner is imported from for the name that it is installed by,
and ends where these differ, as ours do (``intent``, strategy-intent). So the scanners are registered outside
of any package. What ``scout scan intent/NAME`` names are jobs of one scanner each, of which Scout asks no
version. All scanners at once are this file, whose path the module prints.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from anyio.lowlevel import checkpoint
from inspect_ai.model import ChatMessage, ChatMessageAssistant, Model
from inspect_scout import (
    MessagesPreprocessor,
    Reference,
    Result,
    ScanJob,
    Scanner,
    Transcript,
    llm_scanner,
    scanjob,
    scanner,
)

from intent.base.errors import one_line
from intent.inspect.exchange import registered
from intent.inspect.intentions import intentions
from intent.inspect.moves import Line
from intent.inspect.reading import lines_of, unread
from intent.inspect.transcripts import THRESHOLD, repeated_play

__all__ = ["QUESTION", "judged_play_scanner", "repeated_play_scanner", "stated_intentions_scanner"]

QUESTION = """Does the assistant play a repeated game in this transcript?

It does where all of these hold:
- The assistant itself decides, and does so in the same game for two rounds or more. Rounds may be days, deals
  or turns; earlier rounds may be told of in a history; the assistant may act for several players.
- Somebody else decides in the game as well: a person, a program or another model.
- What the assistant gets depends on its own decisions and on those of others.
- The assistant is told what others did, by their decisions, an aggregate of them, or what they got.

It does not where games are explained, analysed, programmed or told of in a story; where advice is given to a
player; in a single round; in quizzes, surveys, debates, board games, text adventures; in choices whose
outcome depends on no other's decision, such as bandits and optimisation."""
"""What a judging model is asked: our definition of play."""

_MOST_CITED = 20

F = TypeVar("F", bound=Callable[..., Any])


def _of_no_package(made: F) -> F:
    """The function as if it were of no package, so that Scout does not look for a version of one."""
    made.__module__ = "intent_scanners"
    return made


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


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _cites(messages: Sequence[ChatMessage], places: Sequence[int]) -> list[Reference]:
    return [
        Reference(type="message", cite=f"[M{at + 1}]", id=message.id)
        for at in places[:_MOST_CITED]
        if (message := messages[at]).id is not None
    ]


@scanner(messages="all", name="repeated_play")
@_of_no_package
def repeated_play_scanner() -> Scanner[Transcript]:
    """Whether the model decides in the same game for two rounds or more, told of what somebody else did."""

    async def scan(transcript: Transcript) -> Result:
        await checkpoint()  # a scan that was stopped begins no other transcript
        lines = _lines(transcript.messages)
        play, left = repeated_play(lines), unread(lines)
        if play is None:
            return Result(
                value=False,
                explanation=_joined("no repeated-game play", left.sentence()),
                metadata={"unread": left.counts()},
            )
        moves = " ".join(one_line(move, 30) for move in play.own[:100])
        among = " or ".join(one_line(option, 30) for option in play.options) or "amounts"
        cited = " ".join(f"[M{at + 1}]" for at in play.at[:_MOST_CITED])
        return Result(
            value=True,
            answer=moves,
            explanation=_joined(
                f"{play.rounds} decisions between {among}: {moves} {cited}",
                f"evidence {play.score:g} (play from {THRESHOLD:g}): "
                + ", ".join(f"{name} {worth:+g}" for name, worth in play.evidence),
                left.sentence(),
            ),
            metadata={
                "rounds": play.rounds,
                "options": list(play.options),
                "own": list(play.own),
                "others": list(play.others),
                "evidence": dict(play.evidence),
                "unread": left.counts(),
            },
            references=_cites(transcript.messages, play.at),
        )

    return scan


@scanner(messages="all", name="stated_intentions")
@_of_no_package
def stated_intentions_scanner(anywhere: bool = False) -> Scanner[Transcript]:
    """How often the model says what it will choose, other than by choosing it.

    Parameters
    ----------
    anywhere : also in transcripts without play
    """

    async def scan(transcript: Transcript) -> Result:
        await checkpoint()
        lines = _lines(transcript.messages)
        play = repeated_play(lines)
        stated = intentions(lines, play, anywhere=anywhere)
        quoted = [f"[M{one.at + 1}] {one_line(one.sentence, 200)}" for one in stated.stated]
        return Result(
            value=len(stated),
            explanation=_joined(
                *quoted[:_MOST_CITED] or ["no stated intention"],
                stated.sentence(),
                unread(lines).sentence() if play is None and not anywhere else "",
            ),
            metadata={
                "in_repeated_play": play is not None,
                "intentions": [
                    {"message": one.at, "sentence": one.sentence, "option": one.option}
                    for one in stated.stated
                ],
                "unread_sentences": stated.unread,
            },
            references=_cites(transcript.messages, [one.at for one in stated.stated]),
        )

    return scan


@scanner(messages="all", name="judged_play")
@_of_no_package
def judged_play_scanner(model: str | Model | None = None) -> Scanner[Transcript]:
    """Whether a model judges that the transcript holds repeated-game play, by our definition.

    Parameters
    ----------
    model : that judges, as Inspect names it; without one nothing is judged
    """
    if model is not None:
        return llm_scanner(
            question=QUESTION,
            answer="boolean",
            model=model,
            preprocessor=MessagesPreprocessor(exclude_system=False),
            nonce=secrets.token_hex(4),
        )

    async def scan(transcript: Transcript) -> Result:
        return Result(value=None, explanation="not judged: name the model that shall judge, -S model=NAME")

    return scan


def _jobs() -> None:
    """Register a job for each scanner, ``intent/NAME``.

    Not by decorators: of a file that has decorated jobs, Scout takes one of these in place of its scanners.
    """

    def repeated_play() -> ScanJob:
        """Whether the model plays a repeated game."""
        return ScanJob(scanners=[repeated_play_scanner()])

    def stated_intentions(anywhere: bool = False) -> ScanJob:
        """How often the model says what it will choose."""
        return ScanJob(scanners=[stated_intentions_scanner(anywhere)])

    def judged_play(model: str | None = None) -> ScanJob:
        """Whether a model judges that there is play."""
        return ScanJob(scanners=[judged_play_scanner(model)])

    for job in (repeated_play, stated_intentions, judged_play):
        registered(scanjob, job.__name__, job)


_jobs()

if __name__ == "__main__":
    sys.stdout.write(f"{__file__}\n")
