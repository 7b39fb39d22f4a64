"""Comprehension from a log: rescored answers and ratios, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from play_logs import log_of, match

from intent import GameLog
from intent.base import codebook
from intent.behaviour.questions import comprehension, question_columns, rescore
from intent.games.game import MatrixGame

YEARS = MatrixGame.from_trps("dilemma", 0, 5, 10, 15, "penalty", ("Cooperate", "Defect"))


def log_with_answers(rows, *plays, **columns) -> GameLog:
    """The log of one game with answers: (round, seat, question, answer)."""
    log = log_of(match(YEARS, *plays, **columns))
    table = pd.DataFrame(rows, columns=["round", "seat", "question", "answer"]).assign(game_id="game_0")
    return GameLog(log.games, log.seats, log.moves, table)


ANSWERS = [
    (1, 1, "opponent_next", "Defect"),
    (2, 1, "opponent_next", "I think they cooperate"),
    (3, 1, "opponent_next", "Cooperate"),
    (1, 1, "maximum", "MAXIMUM: 15, MINIMUM: 5"),
    (1, 1, "minimum", "MAXIMUM: 15, MINIMUM: 5"),
    (2, 1, "maximum", "15"),
    (2, 1, "minimum", "15"),
    (1, 2, "total_so_far", None),
]


@pytest.fixture
def log() -> GameLog:
    return log_with_answers(ANSWERS, "CDD", "DDC")


def test_answers_are_scored_from_the_log_alone(log):
    table = rescore(log)
    assert list(table.columns) == [c.name for c in codebook.QUESTIONS if c.name in table]
    assert table["parsed"].fillna("").tolist() == ["Defect", "Cooperate", "Cooperate", "15", "5", "", "", ""]
    assert table["expected"].fillna("").tolist() == ["Defect", "Cooperate", "", "15", "0", "15", "0", "0"]
    assert table["correct"].tolist() == [True, True, False, True, False, pd.NA, pd.NA, pd.NA]


def test_ratios_are_over_rounds_asked(log):
    table = comprehension(rescore(log)).set_index(["seat", "question"])
    following = table.loc[(1, "opponent_next")]
    assert (following["correct"], following["misunderstood"], following["n"]) == (pytest.approx(2 / 3), 0, 3)
    assert (following["correct_of_expected"], following["n_expected"]) == (1, 2)
    assert table.loc[(1, "maximum"), "correct"] == 0.5
    assert table.loc[(1, "minimum"), "correct"] == 0
    assert table.loc[(1, "minimum"), "misunderstood"] == table.loc[(1, "maximum"), "misunderstood"] == 0.5
    assert table.loc[(2, "total_so_far"), "misunderstood"] == 1
    assert (table["correct"] + table["misunderstood"] <= 1).all()


def test_columns_are_null_for_who_was_not_asked(log):
    keys = pd.DataFrame({"game_id": ["game_0", "game_0"], "seat": [2, 1]})
    found = question_columns(comprehension(rescore(log)), keys)
    names = ["opponent_next", "maximum", "minimum", "total_so_far"]
    assert list(found) == [f"{n}_{w}" for n in names for w in ("correct", "misunderstood", "n")]
    assert np.isnan(found["opponent_next_correct"][0])
    assert found["opponent_next_n"].tolist() == [0, 3]


def test_what_cannot_be_scored_stays_as_it_is(log):
    table = pd.DataFrame(
        {"game_id": "game_0", "round": 1, "seat": 1, "question": ["weather"], "answer": "rain"}
    )
    table = table.assign(parsed="rain", correct=True)
    other = GameLog(log.games, log.seats, log.moves, table)
    assert rescore(other)[["parsed", "correct"]].iloc[0].tolist() == ["rain", True]
    blind = GameLog(
        log.games.assign(payoffs=None), log.seats, log.moves, table.assign(question="rounds_so_far")
    )
    assert rescore(blind)["parsed"].tolist() == ["rain"]


def test_answers_that_were_never_scored_are():
    table = rescore(log_with_answers([(1, 1, "extremes", "MAXIMUM: 15, MINIMUM: 0")], "C", "D"))
    assert table[["question", "parsed", "correct"]].to_numpy().tolist() == [
        ["maximum", "15", True],
        ["minimum", "0", True],
    ]


def test_a_log_without_questions_has_none():
    assert rescore(log_of(match(YEARS, "C", "C"))).empty
