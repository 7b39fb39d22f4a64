"""Comprehension of the game: answers to questions between rounds, scored again from the log, as ratios."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from intent.base import codebook
from intent.base.errors import GameError
from intent.base.tables import conform, empty_table
from intent.behaviour.questions import QUESTIONS, question_of, score
from intent.games.game import Game
from intent.games.payoffs import game_from_json
from intent.logs.gamelog import GameLog

__all__ = ["comprehension", "question_columns", "rescore"]

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
        name, game = question_of(str(row.question)), games.get(str(row.game_id))
        if game is None or name not in QUESTIONS or not 1 <= row.seat <= len(game[1]):
            rows.append(
                (_text(row.parsed), _text(row.expected), None if pd.isna(row.correct) else row.correct)
            )
            continue
        stage, actions, payoffs, who = game
        scores = score(stage, int(row.seat), int(row.round), name, _text(row.answer), actions, payoffs, who)
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
    counts = facts.groupby(_KEYS, sort=False, as_index=False).sum()
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
            actions[seat][at] = actions[seat][at] or _text(move.action)
            if not pd.isna(move.payoff):
                payoffs[seat][at] = (payoffs[seat][at] or 0.0) + float(move.payoff)
        who = [_text(kinds.get((row.game_id, seat))) for seat in range(1, stage.n_players + 1)]
        games[str(row.game_id)] = (stage, actions, payoffs, who)
    return games


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
