"""What a round says of the strategies: the posterior follows from the chances, and the sentence says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from play_logs import PD, log_of, match

from intent.recognise.bayes import BayesRecogniser
from intent.view.detail import GameDetail, MoveDetail, SeatDetail
from intent.view.game_detail import game_detail
from intent.view.judging import Judge, move_evidence

EPS = 0.05


def game(own: str, other: str) -> GameDetail:
    judge = Judge("bayes", BayesRecogniser("ALLC,ALLD,TFT,WSLS,RANDOM", eps=EPS).fit())
    return game_detail(log_of(match(PD, own, other)), judge, (), None)


def of_round(detail: GameDetail, number: int):
    move = next(m for m in detail.rounds[number - 1].moves if m.seat == 1)
    return move_evidence(detail.seats[0], number, move)


def test_the_posterior_after_is_the_one_before_times_the_likelihood_of_the_move():
    detail = game("CDDCDCCDCD", "DCDDCDCCDC")
    for number in range(1, 11):
        weights = of_round(detail, number).weights
        likelihood = [w.chance if w.chance == 0.5 else abs(w.chance - EPS) for w in weights]
        expected = np.array([w.before for w in weights]) * likelihood
        np.testing.assert_allclose([w.after for w in weights], expected / expected.sum(), atol=1e-9)


def test_rounds_follow_on_each_other():
    detail = game("CCDC", "CDDC")
    for number in (1, 2, 3):
        now, then = of_round(detail, number), of_round(detail, number + 1)
        assert now.between == (number - 1, number)
        assert {w.name: w.after for w in now.weights} == {w.name: w.before for w in then.weights}


def test_the_sentence_of_a_first_round():
    sentence = of_round(game("D", "C"), 1).sentence
    assert sentence.startswith(
        "Defecting here is what ALLD does in the first round, what ALLC, TFT and WSLS never do and what "
        "RANDOM does with probability 0.50. All were equally probable before; ALLD is now the most probable, "
        "from 0.20 to"
    )


def test_a_shift_names_who_leads_and_who_led():
    detail = game("DC", "CC")
    second = of_round(detail, 2)
    assert (second.shift, second.leaders) == (True, ("RANDOM",))
    assert "RANDOM is now the most probable, from 0.31 to 0.63; ALLD before, from 0.59 to" in second.sentence
    assert second.brief == "RANDOM 0.31 → 0.63"


def test_ties_are_named_together():
    second = of_round(game("CC", "CC"), 2)
    assert second.leaders == ("ALLC", "TFT", "WSLS")
    assert "ALLC, TFT and WSLS stay tied as the most probable, each from" in second.sentence


@pytest.mark.parametrize(("sign", "words"), [("c", "a default for a reply"), (".", "No move was read")])
def test_a_move_that_is_no_evidence_says_why(sign, words):
    second = of_round(game(f"C{sign}C", "CCC"), 2)
    assert words in second.sentence
    assert "hardly moves" in second.sentence
    assert all(w.before == pytest.approx(w.after) for w in second.weights)


def test_without_a_posterior_there_is_nothing_to_say():
    seat = SeatDetail(1, {}, True, None, None, None, "CD")
    assert move_evidence(seat, 1, None) is None
    known = game("CD", "CC").seats[0]
    assert move_evidence(known, 3, None) is None


def test_gaps_of_a_long_game_are_said():
    known = game("CDCD", "CCCC").seats[0]
    thin = replace(known, posterior_after=(0, 2, 4), posterior=known.posterior[::2])
    move = MoveDetail(1, 1, None, None, True, None, None, "parsed")
    evidence = move_evidence(thin, 3, move)
    assert evidence.between == (2, 4)
    assert "The posterior is known after rounds 2 and 4." in evidence.sentence
