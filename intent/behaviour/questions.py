"""The table of comprehension questions.

The right answers to comprehension questions, from the whole game.

Answers to comprehension questions, read and compared with the right ones.

Comprehension questions put to players between rounds: their table, readers of answers, right answers.

Comprehension of the game: answers to questions between rounds, scored again from the log, as ratios.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from intent.base import codebook
from intent.base.errors import GameError, UnknownNameError, UsageError
from intent.base.tables import conform, empty_table
from intent.base.wording import number_text
from intent.behaviour.answers import read_action, read_amount, read_extremes, read_type
from intent.games.game import Game, PublicGoods, game_from_json
from intent.logs.gamelog import GameLog

__all__ = [
    "ABOUT_ONE_OTHER",
    "ANSWERS",
    "QUESTIONS",
    "Kind",
    "Question",
    "Scored",
    "check_questions",
    "comprehension",
    "opponent_type",
    "question_columns",
    "rescore",
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


def _next_action(actions_by_seat: Sequence[Sequence[str | None]], seat: int, round: int) -> str | None:
    """The other's action of the round after `round`; None after the last round, or with several others."""
    if len(actions_by_seat) != 2:
        return None
    other = actions_by_seat[2 - seat]
    return other[round] if round < len(other) else None


def _payoff_extremes(game: Game, seat: int) -> tuple[float, float]:
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
        right = _payoff_extremes(game, seat)
        names = QUESTIONS[question].answers
        return [_number(n, value, best) for n, value, best in zip(names, ends, right, strict=True)]
    if kind == "number":
        so_far = float(round) if question == "rounds_so_far" else total(payoffs_by_seat[seat - 1], round)
        return [_number(question, read_amount(text), so_far)]
    if kind == "action":
        return [_text(question, read_action(text, game.actions), _next_action(actions_by_seat, seat, round))]
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


_KEYS = ["game_id", "seat", "question"]


def rescore(log: GameLog) -> pd.DataFrame:
    """The table of questions with every answer read and scored again, from the log alone.

    Readers of answers get better; the answers as given, the moves, payoffs and architectures of the log are
    all that a score needs. Rows of questions that are not ours, and of games whose payoffs cannot be read,
    stay as they are.

    Returns
    -------
    DataFrame
        As `codebook.QUESTIONS`, in the order of the log; empty where nothing was asked.
    """
    if log.questions is None or not len(log.questions):
        return empty_table(codebook.QUESTIONS)
    table = _one_row_per_answer(log.questions)
    games = _games(log, set(table["game_id"].unique()))
    rows: list[tuple[str | None, str | None, bool | None]] = []
    for row in cast(Any, table.itertuples(index=False)):
        name, game = ANSWERS.get(str(row.question), str(row.question)), games.get(str(row.game_id))
        if game is None or name not in QUESTIONS or not 1 <= row.seat <= len(game[1]):
            rows.append(
                (
                    _as_text(row.parsed),
                    _as_text(row.expected),
                    None if pd.isna(row.correct) else row.correct,
                )
            )
            continue
        stage, actions, payoffs, who = game
        scores = score(
            stage,
            int(row.seat),
            int(row.round),
            name,
            _as_text(row.answer),
            actions,
            payoffs,
            who,
        )
        rows.append(next(scored[1:] for scored in scores if scored[0] == row.question))
    parsed, expected, correct = zip(*rows, strict=True)
    columns: dict[str, Any] = {"parsed": parsed, "expected": expected, "correct": correct}
    fresh = {c: pd.Series(v, dtype=object, index=table.index) for c, v in columns.items()}
    return conform(table.assign(**fresh), "questions")


def _one_row_per_answer(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a row for each part that is scored apart, where a question still has one for all."""
    parts = [list(QUESTIONS[q].answers) if q in QUESTIONS else [q] for q in table["question"].astype(str)]
    return table.assign(question=pd.Series(parts, index=table.index, dtype=object)).explode(
        "question", ignore_index=True
    )


def comprehension(questions: pd.DataFrame) -> pd.DataFrame:
    """How well each player answered each question, over the rounds of a game.

    - correct: answers that can be read and are right, over rounds asked;
    - misunderstood: answers that cannot be read as an answer to the question, over rounds asked;
    - correct_of_expected: right answers over the rounds that have a right answer at all. There is no next
      move after the last round, so that `correct` of ``opponent_next`` never reaches 1, as in the thesis.

    What can be read and is wrong counts in neither of the first two.

    Parameters
    ----------
    questions : DataFrame as `codebook.QUESTIONS`

    Returns
    -------
    DataFrame
        game_id, seat, question, n (rounds asked), n_correct, n_misunderstood, n_expected (rounds with a
        right answer), correct, misunderstood, correct_of_expected (NaN without any).

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, §2.4.3.
    """
    right = questions["correct"].fillna(False).to_numpy(dtype=bool)
    facts = questions[_KEYS].assign(
        game_id=questions["game_id"].astype(object),
        n=1,
        n_correct=right.astype(np.int64),
        n_misunderstood=questions["parsed"].isna().to_numpy(dtype=np.int64),
        n_expected=questions["expected"].notna().to_numpy(dtype=np.int64),
    )
    counts = facts.groupby(_KEYS, sort=False, as_index=False, observed=True).sum()
    expected = counts["n_expected"].to_numpy(dtype=float)
    return counts.assign(
        correct=counts["n_correct"] / counts["n"],
        misunderstood=counts["n_misunderstood"] / counts["n"],
        correct_of_expected=np.where(expected > 0, counts["n_correct"] / np.maximum(expected, 1), np.nan),
    )


def question_columns(answers: pd.DataFrame, keys: pd.DataFrame) -> pd.DataFrame:
    """Comprehension in columns: ``<question>_correct``, ``<question>_misunderstood``, ``<question>_n``.

    Parameters
    ----------
    answers : as `comprehension`
    keys : DataFrame with game_id and seat, one row per trajectory

    Returns
    -------
    DataFrame
        In the order of `keys`; the ratios are NaN and n is 0 where the seat was not asked.
    """
    columns: dict[str, Any] = {}
    rows = pd.MultiIndex.from_arrays([keys["game_id"].astype(object), keys["seat"].astype(int)])
    for name in _ordered(answers["question"].unique()):
        part = answers[answers["question"] == name]
        index = pd.MultiIndex.from_arrays([part["game_id"].astype(object), part["seat"].astype(int)])
        at = index.get_indexer(rows)
        for what in ("correct", "misunderstood"):
            columns[f"{name}_{what}"] = np.where(at >= 0, part[what].to_numpy(dtype=float)[at], np.nan)
        columns[f"{name}_n"] = np.where(at >= 0, part["n"].to_numpy(dtype=np.int64)[at], 0)
    return pd.DataFrame(columns, index=keys.index)


def _ordered(names: Collection[Any]) -> list[str]:
    """Question names: ours in the order of the table, then others by name."""
    known = [row for q in QUESTIONS.values() for row in q.answers]
    return [row for row in known if row in names] + sorted(str(n) for n in names if n not in known)


def _games(log: GameLog, ids: set[str]) -> Mapping[str, tuple[Game, Any, Any, Any]]:
    """Game, actions by seat and round, payoffs alike, and architectures by seat, of games with questions."""
    rows = log.games[log.games["game_id"].isin(ids)]
    moves = log.moves[log.moves["game_id"].isin(ids)]
    seats = log.seats[log.seats["game_id"].isin(ids)]
    of_game: dict[Any, Any] = dict(iter(moves.groupby("game_id", observed=True)))
    kinds: dict[Any, Any] = {
        (game, seat): kind
        for game, seat, kind in zip(seats["game_id"], seats["seat"], seats["architecture"], strict=True)
    }
    games = {}
    for row in cast(Any, rows.itertuples(index=False)):
        try:
            stage = game_from_json(row.payoffs, row.game, row.payoff_kind)
        except (GameError, TypeError):
            continue
        played = of_game.get(row.game_id)
        horizon = 0 if played is None else int(played["round"].max())
        actions: list[list[str | None]] = [[None] * horizon for _ in range(stage.n_players)]
        payoffs: list[list[float | None]] = [[None] * horizon for _ in range(stage.n_players)]
        for move in () if played is None else played.itertuples(index=False):
            seat, at = int(move.seat) - 1, int(move.round) - 1
            if seat >= stage.n_players:
                continue
            actions[seat][at] = actions[seat][at] or _as_text(move.action)
            if not pd.isna(move.payoff):
                payoffs[seat][at] = (payoffs[seat][at] or 0.0) + float(move.payoff)
        who = [_as_text(kinds.get((row.game_id, seat))) for seat in range(1, stage.n_players + 1)]
        games[str(row.game_id)] = (stage, actions, payoffs, who)
    return games


def _as_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
