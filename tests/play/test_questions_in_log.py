"""Answers to questions as rows of the log."""

from __future__ import annotations

from intent.games.catalogue import game
from intent.play.match import Horizon, Match, Move, QuestionAnswer, Round, to_log

PD = game("prisoner-dilemma-trps")
ROUNDS = tuple(
    Round(n, (Move(1, 1, a), Move(2, 1, b)), PD.payoff((a, b))) for n, (a, b) in enumerate(["CD", "DD"], 1)
)
ANSWERS = (QuestionAnswer(1, 1, "extremes", "5 and 0", "g/1/1/2"), QuestionAnswer(2, 1, "extremes", None))
MATCH = Match(PD, Horizon(2), ROUNDS, ({"architecture": "plain"},), {"game_id": "g"}, ANSWERS)


def test_answers_without_a_scorer_stand_as_they_are():
    found = to_log([MATCH]).questions
    assert found[["game_id", "round", "seat", "question"]].to_numpy().tolist() == [
        ["g", 1, 1, "extremes"],
        ["g", 2, 1, "extremes"],
    ]
    assert found["answer"].tolist()[0] == "5 and 0"
    assert found["reply"].tolist()[0] == "g/1/1/2"
    assert found[["parsed", "expected", "correct"]].isna().all(axis=None)


def test_the_scorer_knows_the_whole_game():
    told = []

    def score(*facts):
        told.append(facts)
        return [("maximum", "5", "5", True), ("minimum", None, "0", None)]

    found = to_log([MATCH], score=score).questions
    assert found["question"].tolist() == ["maximum", "minimum"] * 2
    assert bool(found["correct"][0])
    assert told[0][1:] == (
        *(1, 1, "extremes", "5 and 0"),
        [("C", "D"), ("D", "D")],
        [MATCH.payoffs(1), MATCH.payoffs(2)],
        ["plain", None],
    )


def test_without_answers_there_is_no_table():
    assert to_log([Match(PD, Horizon(2), ROUNDS)]).questions is None
