"""Answers to comprehension questions, read and compared with the right ones."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from intent.agents.prompts.numerals import written
from intent.agents.questions.answers import read_action, read_amount, read_extremes, read_type
from intent.agents.questions.expected import next_action, opponent_type, payoff_extremes, total
from intent.agents.questions.table import QUESTIONS
from intent.errors import UnknownNameError
from intent.games.game import Game

__all__ = ["Scored", "score"]

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
        found = read_extremes(text) or (None, None)
        right = payoff_extremes(game, seat)
        names = QUESTIONS[question].answers
        return [_number(n, value, best) for n, value, best in zip(names, found, right, strict=True)]
    if kind == "number":
        so_far = float(round) if question == "rounds_so_far" else total(payoffs_by_seat[seat - 1], round)
        return [_number(question, read_amount(text), so_far)]
    if kind == "action":
        return [_text(question, read_action(text, game.actions), next_action(actions_by_seat, seat, round))]
    return [_text(question, read_type(text), opponent_type(architectures, seat))]


def _text(name: str, parsed: str | None, expected: str | None) -> Scored:
    return name, parsed, expected, None if parsed is None else parsed == expected


def _number(name: str, parsed: Decimal | None, expected: float | None) -> Scored:
    shown = None if expected is None else written(expected)
    if parsed is None:
        return name, None, shown, None
    said = format(parsed, "f")
    return name, said, shown, expected is not None and _equal(parsed, expected)


def _equal(parsed: Decimal, expected: float) -> bool:
    """Whether a number is the right one, or the right one rounded to two decimals or more."""
    exponent = parsed.as_tuple().exponent
    decimals = -exponent if isinstance(exponent, int) else 0
    slack = 0.5 * 10.0**-decimals if decimals >= 2 else 0.0
    return abs(float(parsed) - expected) <= slack + 1e-9 * max(1.0, abs(expected))
