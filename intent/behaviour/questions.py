"""The table of comprehension questions.

The right answers to comprehension questions, from the whole game.

Answers to comprehension questions, read and compared with the right ones.

Comprehension questions put to players between rounds: their table, readers of answers, right answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Literal

from intent.base.errors import UnknownNameError, UsageError
from intent.base.spelling import number_text
from intent.behaviour.answers import read_action, read_amount, read_extremes, read_type
from intent.games.game import Game
from intent.games.normal_form import PublicGoods

__all__ = [
    "ABOUT_ONE_OTHER",
    "ANSWERS",
    "QUESTIONS",
    "Kind",
    "Question",
    "Scored",
    "check_questions",
    "next_action",
    "opponent_type",
    "payoff_extremes",
    "question_of",
    "score",
    "total",
]


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
    known: list[str] = []
    for name in names:
        if name not in QUESTIONS:
            raise UnknownNameError("question", name, QUESTIONS)
        if name in known:
            raise UsageError(f"question {name!r} is named twice, expected each at most once")
        known.append(name)
    return tuple(known)


def question_of(row: str) -> str:
    """The question that a row of the log's table of questions answers; a row of no known one its own name."""
    return ANSWERS.get(row, row)


def next_action(actions_by_seat: Sequence[Sequence[str | None]], seat: int, round: int) -> str | None:
    """The other's action of the round after `round`; None after the last round, or with several others."""
    if len(actions_by_seat) != 2:
        return None
    other = actions_by_seat[2 - seat]
    return other[round] if round < len(other) else None


def payoff_extremes(game: Game, seat: int) -> tuple[float, float]:
    """The largest and the smallest payoff that one round can bring a seat, in the units of the game.

    Of a penalty, the largest is the worst.
    """
    a, b = game.actions
    if isinstance(game, PublicGoods):
        others = game.n_players - 1
        joint = [(own, *((a,) * k + (b,) * (others - k))) for k in {0, others} for own in (a, b)]
        payoffs = [game.payoff(actions)[0] for actions in joint]
    else:
        payoffs = [game.payoff((x, y))[seat - 1] for x in (a, b) for y in (a, b)]
    return max(payoffs), min(payoffs)


def total(payoffs: Sequence[float | None], round: int) -> float:
    """The sum of the first `round` payoffs; a round without one counts nothing, as prompts tell it."""
    return math.fsum(p for p in payoffs[:round] if p is not None)


def opponent_type(architectures: Sequence[str | None], seat: int) -> str | None:
    """The other's architecture where it is private or public; None for anything else, or several others."""
    if len(architectures) != 2:
        return None
    other = architectures[2 - seat]
    return other if other in ("private", "public") else None


Scored = tuple[str, str | None, str | None, bool | None]
"""Name of the row, the answer as understood, the right answer, whether they agree."""


def score(
    game: Game,
    seat: int,
    round: int,
    question: str,
    answer: str | None,
    actions_by_seat: Sequence[Sequence[str | None]],
    payoffs_by_seat: Sequence[Sequence[float | None]],
    architectures: Sequence[str | None],
) -> list[Scored]:
    """Rows of the log's table of questions for one answer: one, or two for the extremes.

    An answer that cannot be read as one thing is neither right nor wrong (null): a misunderstanding. One
    that can be read where there is no right answer, as after the last round, is wrong, as in the thesis.
    Largest and smallest payoff are read jointly, so that both are understood or neither.

    Parameters
    ----------
    game : Game
    seat : int
        Who answered, from 1.
    round : int
        The round after which it was asked, from 1.
    question : str
        Key of `QUESTIONS`.
    answer : str or None
        As given.
    actions_by_seat : by seat, by round of the whole game, of label or None
    payoffs_by_seat : by seat, by round of the whole game, of float or None
    architectures : by seat, of name or None (a scripted seat)

    Returns
    -------
    list of (name, parsed, expected, correct)

    Raises
    ------
    UnknownNameError
        No such question.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, §2.4.3 (relevant and correct answers).
    """
    if question not in QUESTIONS:
        raise UnknownNameError("question", question, QUESTIONS)
    text = answer or ""
    kind = QUESTIONS[question].kind
    if kind == "extremes":
        ends = read_extremes(text) or (None, None)
        right = payoff_extremes(game, seat)
        names = QUESTIONS[question].answers
        return [_number(n, value, best) for n, value, best in zip(names, ends, right, strict=True)]
    if kind == "number":
        so_far = float(round) if question == "rounds_so_far" else total(payoffs_by_seat[seat - 1], round)
        return [_number(question, read_amount(text), so_far)]
    if kind == "action":
        return [_text(question, read_action(text, game.actions), next_action(actions_by_seat, seat, round))]
    return [_text(question, read_type(text), opponent_type(architectures, seat))]


def _text(name: str, parsed: str | None, expected: str | None) -> Scored:
    return name, parsed, expected, None if parsed is None else parsed == expected


def _number(name: str, parsed: Decimal | None, expected: float | None) -> Scored:
    shown = None if expected is None else number_text(expected)
    if parsed is None:
        return name, None, shown, None
    text = format(parsed, "f")
    return name, text, shown, expected is not None and _equal(parsed, expected)


def _equal(parsed: Decimal, expected: float) -> bool:
    """Whether a number is the right one, or the right one rounded to two decimals or more."""
    exponent = parsed.as_tuple().exponent
    decimals = -exponent if isinstance(exponent, int) else 0
    slack = 0.5 * 10.0**-decimals if decimals >= 2 else 0.0
    return abs(float(parsed) - expected) <= slack + 1e-9 * max(1.0, abs(expected))
