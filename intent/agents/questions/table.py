"""The table of comprehension questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from intent.errors import UnknownNameError, UsageError

__all__ = ["ABOUT_ONE_OTHER", "ANSWERS", "QUESTIONS", "Kind", "Question", "asked", "check_questions"]

Kind = Literal["action", "number", "extremes", "type"]
"""What an answer is: a label of the game, a number, a largest and a smallest number, private or public."""


@dataclass(frozen=True)
class Question:
    """A question about the game so far.

    Parameters
    ----------
    name : str
        As in experiment files; its wording is the phrase ``question_<name>`` of a prompt set.
    kind : Kind
    meaning : str
        What the right answer is.
    answers : tuple of str
        Names of its rows in the log: its own, or one per part that is scored apart.
    """

    name: str
    kind: Kind
    meaning: str
    answers: tuple[str, ...]

    @property
    def phrase(self) -> str:
        """Key of its wording."""
        return f"question_{self.name}"

    @property
    def form(self) -> str:
        """Key of the wording of how to answer."""
        return "answer_form_extremes" if self.kind == "extremes" else "answer_form"


QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {
        q.name: q
        for q in (
            Question("opponent_next", "action", "the other's action of the next round", ("opponent_next",)),
            Question("rounds_so_far", "number", "rounds played so far", ("rounds_so_far",)),
            Question(
                "extremes",
                "extremes",
                "the largest and the smallest payoff that a round can bring",
                ("maximum", "minimum"),
            ),
            Question("total_so_far", "number", "sum of the own payoffs so far", ("total_so_far",)),
            Question("opponent_type", "type", "whether the other deliberates in private", ("opponent_type",)),
        )
    }
)
"""Name -> question. The first four are Q1 to Q4 of the thesis, the last is H2b of private deliberation.

References
----------
Cremonini 2025, The Agent's Dilemma, §2.3 and §2.4.3; Poje et al. 2024, Entropy 26:524, §4.5.
"""

ABOUT_ONE_OTHER = ("opponent_next", "opponent_type")
"""Questions with a right answer in games of two players only."""

ANSWERS: Mapping[str, str] = MappingProxyType({row: q.name for q in QUESTIONS.values() for row in q.answers})
"""Name of a row of the log's table of questions -> the question that was asked."""


def check_questions(names: Iterable[str]) -> tuple[str, ...]:
    """The names, if each is a question and none comes twice.

    Raises
    ------
    UnknownNameError
        No such question.
    UsageError
        A question that is named twice.
    """
    found: list[str] = []
    for name in names:
        if name not in QUESTIONS:
            raise UnknownNameError("question", name, QUESTIONS)
        if name in found:
            raise UsageError(f"question {name!r} is named twice, expected each at most once")
        found.append(name)
    return tuple(found)


def asked(row: str) -> str:
    """The question that a row of the log's table of questions answers; a row of no known one its own name."""
    return ANSWERS.get(row, row)
