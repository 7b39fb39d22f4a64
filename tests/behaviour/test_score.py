"""Scores of answers: right answers of a short game, worked out by hand."""

from __future__ import annotations

import pytest

from intent.base.errors import UnknownNameError, UsageError
from intent.behaviour.questions import ANSWERS, QUESTIONS, check_questions, score
from intent.games.catalogue import public_goods
from intent.games.game import MatrixGame

YEARS = MatrixGame.from_trps("dilemma", 0, 5, 10, 15, "penalty", ("Cooperate", "Defect"))
ACTIONS = (("Cooperate", "Defect", "Defect"), ("Defect", "Defect", "Cooperate"))
PAYOFFS = ((15.0, 10.0, 0.0), (0.0, 10.0, 15.0))


def scored(
    question, answer, *, round=2, seat=1, game=YEARS, actions=ACTIONS, payoffs=PAYOFFS, kinds=(None, None)
):
    return score(game, seat, round, question, answer, actions, payoffs, kinds)


def test_the_next_move_of_the_other():
    assert scored("opponent_next", "Cooperate") == [("opponent_next", "Cooperate", "Cooperate", True)]
    assert scored("opponent_next", "Defect", seat=2) == [("opponent_next", "Defect", "Defect", True)]


def test_after_the_last_round_no_prediction_is_right():
    assert scored("opponent_next", "Defect", round=3) == [("opponent_next", "Defect", None, False)]


def test_rounds_and_totals():
    assert scored("rounds_so_far", "two") == [("rounds_so_far", "2", "2", True)]
    assert scored("total_so_far", "25 years") == [("total_so_far", "25", "25", True)]
    assert scored("total_so_far", "10", seat=2) == [("total_so_far", "10", "10", True)]
    assert scored("total_so_far", "30") == [("total_so_far", "30", "25", False)]


def test_a_round_without_a_payoff_adds_nothing_to_the_total_as_in_the_prompt():
    payoffs = ((15.0, None, 0.0), (0.0, None, 15.0))
    assert scored("total_so_far", "15", payoffs=payoffs) == [("total_so_far", "15", "15", True)]
    assert scored("total_so_far", "25", payoffs=payoffs) == [("total_so_far", "25", "15", False)]


def test_extremes_make_two_rows_that_are_understood_together():
    assert scored("extremes", "MAXIMUM: 15, MINIMUM: 5") == [
        ("maximum", "15", "15", True),
        ("minimum", "5", "0", False),
    ]
    assert scored("extremes", "MAXIMUM: 15") == [("maximum", None, "15", None), ("minimum", None, "0", None)]


def test_extremes_of_public_goods_are_those_of_free_riders_and_lone_givers():
    found = scored("extremes", "", game=public_goods(1.5), actions=(), payoffs=())
    assert [float(row[2]) for row in found] == pytest.approx([10, -5])


@pytest.mark.parametrize(
    ("other", "correct"), [("private", True), ("public", False), ("plain", False), (None, False)]
)
def test_types_of_opponent(other, correct):
    expected = other if other in ("private", "public") else None
    assert scored("opponent_type", "PRIVATE", kinds=("public", other)) == [
        ("opponent_type", "private", expected, correct)
    ]


def test_an_amount_may_be_rounded_to_two_decimals():
    thirds = ((10 / 3,), (0.0,))
    found = {
        a: scored("total_so_far", a, round=1, payoffs=thirds)[0][3]
        for a in ("3.33", "3.333", "3", "3.3", "3.34")
    }
    assert found == {"3.33": True, "3.333": True, "3": False, "3.3": False, "3.34": False}


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_answer_is_a_miss(question):
    for row, parsed, _, correct in scored(question, None):
        assert (ANSWERS[row], parsed, correct) == (question, None, None)


def test_names_are_checked():
    assert check_questions(["extremes", "opponent_next"]) == ("extremes", "opponent_next")
    with pytest.raises(UnknownNameError, match="did you mean rounds_so_far"):
        check_questions(["rounds_sofar"])
    with pytest.raises(UsageError, match="twice"):
        check_questions(["extremes", "extremes"])
    with pytest.raises(UnknownNameError):
        scored("weather", "rain")
