"""The pirate game."""

from __future__ import annotations

import itertools
from contextlib import suppress

import numpy as np
import pytest
from course_play import equilibrium_policy, play_policy, play_table
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import GameError
from intent.gamma.pirate import Pirate

RNG = np.random.default_rng(0)
FIVE = Pirate(5)
PROPOSE = {"proposer": 1, "left": (1, 2, 3, 4, 5), "role": "propose"}


def test_half_of_those_aboard_suffice_the_proposer_included() -> None:
    (played,) = play_table(Pirate(4), [[[97, 1, 1, 1], "accept", "reject", "reject"]])
    assert played.steps == ((1,), (2, 3, 4))
    assert played.questions[3] == {
        "proposer": 1,
        "left": (1, 2, 3, 4),
        "role": "vote",
        "proposal": (97, 1, 1, 1),
        "share": 1,
    }
    assert played.outcome.payoffs == (97, 1, 1, 1)
    assert played.outcome.values == {1: 97, 2: None, 3: None, 4: None}
    assert played.outcome.reports[3] == {
        "proposer": 1,
        "proposal": (97, 1, 1, 1),
        "accepted": 2,
        "voters": 4,
        "passed": True,
        "own": "reject",
        "gain": 1,
    }
    assert played.outcome.reports[1]["own"] is None


def test_below_half_the_proposer_goes_overboard() -> None:
    first, second = play_table(
        FIVE,
        [
            [[100, 0, 0, 0, 0], "reject", "reject", "reject", "accept"],
            [None, [60, 40, 0, 0], "accept", "reject", "reject"],
        ],
    )
    assert first.outcome.payoffs == (0, 0, 0, 0, 0)
    assert set(first.outcome.reports) == {2, 3, 4, 5}
    assert second.steps == ((2,), (3, 4, 5))
    assert second.outcome.payoffs == (0, 60, 40, 0, 0)


def test_the_last_two_need_no_vote_of_the_other_and_there_are_four_rounds_of_five() -> None:
    rejected = dict.fromkeys(range(1, 6), "reject")
    rounds = [rejected | {r: [100] + [0] * (5 - r)} for r in range(1, 6)]
    played = play_table(FIVE, rounds)
    assert len(played) == 4
    assert played[-1].outcome.payoffs == (0, 0, 0, 100, 0)


def test_a_missing_proposal_is_rejected_by_all() -> None:
    game = Pirate(2)
    (played,) = play_table(game, [[None, "reject"]])
    assert played.questions[2]["proposal"] == ()
    assert game.legal(2, played.questions[2]) == ("reject",)
    assert played.outcome.payoffs == (None, 100)
    assert played.outcome.reports[2]["accepted"] == 0
    with pytest.raises(GameError, match="no proposal"):
        game.read("accept", 2, played.questions[2])


def test_a_missing_vote_does_not_accept() -> None:
    (played,) = play_table(Pirate(3), [[[100, 0, 0], None, None]])
    assert played.outcome.payoffs == (0, None, None)
    assert not played.outcome.reports[2]["passed"]


@pytest.mark.parametrize(
    "answer",
    [
        [98, 0, 1, 0, 1],
        {"1": 98, "2": 0, "3": 1, "4": 0, "5": 1},
        {"5": "1", "pirate 1": "98", "2": 0, "3": 1.0, 4: 0},
        "98,0,1,0,1",
        '{"1": 98, "2": 0, "3": 1, "4": 0, "5": 1}',
    ],
)
def test_spellings_of_a_proposal(answer: object) -> None:
    assert FIVE.read(answer, 1, PROPOSE) == "98,0,1,0,1"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ([98, 0, 1, 0], "4 shares, expected 5"),
        ([98, 0, 1, 0, 2], "101 in all"),
        ([101, -1, 0, 0, 0], "whole number from 0 to 100"),
        ([98.5, 0.5, 1, 0, 0], "whole number"),
        ({"1": 100}, "without a share for 2"),
        ({"1": 100, "6": 0}, "for '6'"),
        ({"1": 50, "01": 50, "2": 0, "3": 0, "4": 0, "5": 0}, "for '01'"),
        ("all for me", "a share for each"),
        ([True, 99, 0, 0, 0], "whole number"),
        (None, "a share for each"),
        ("[" * 3000, "a share for each"),
    ],
)
def test_proposals_that_are_refused(answer: object, why: str) -> None:
    with pytest.raises(GameError, match=why):
        FIVE.read(answer, 1, PROPOSE)


@given(
    st.recursive(
        st.none() | st.text() | st.integers() | st.floats(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_any_answer_is_a_proposal_or_refused(answer: object) -> None:
    with suppress(GameError):
        assert sum(map(int, FIVE.read(answer, 1, PROPOSE).split(","))) == 100


def test_votes_that_are_refused() -> None:
    asked = {"proposer": 1, "left": (1, 2), "role": "vote", "proposal": (100, 0), "share": 0}
    assert Pirate(2).read(" Accept ", 2, asked) == "accept"
    with pytest.raises(GameError, match="accept or reject"):
        Pirate(2).read("abstain", 2, asked)


def test_equilibrium_play_ends_with_the_first_proposal() -> None:
    (played,) = play_policy(Pirate(), equilibrium_policy(Pirate()), 20)
    assert played.outcome.payoffs == (96, 0, 1, 0, 1, 0, 1, 0, 1, 0)
    assert [played.actions[s] for s in range(2, 11)] == ["reject", "accept"] * 4 + ["reject"]


def test_with_one_coin_for_five_the_first_goes_overboard() -> None:
    game = Pirate(5, gold=1)
    first, second = play_policy(game, equilibrium_policy(game), 20)
    assert not first.outcome.reports[2]["passed"]
    assert second.outcome.payoffs == (0, 0, 0, 1, 0)


def test_proposals_are_listed_where_they_are_few() -> None:
    listed = Pirate(3, gold=2).legal(1, {"left": (1, 2, 3), "role": "propose"})
    assert listed is not None
    assert set(listed) == {
        ",".join(map(str, shares)) for shares in itertools.product(range(3), repeat=3) if sum(shares) == 2
    }
    assert FIVE.legal(1, PROPOSE) is None


def test_a_vote_that_decides_gains_and_one_that_does_not_is_free() -> None:
    """Three aboard, 100 for the proposer: rejection leaves 2 with everything and 3 with nothing."""
    game = Pirate(3)
    asked = {"proposer": 1, "left": (1, 2, 3), "role": "vote", "proposal": (100, 0, 0), "share": 0}
    assert game.gains(2, {1: "100,0,0", 3: "reject"}, asked, ("accept", "reject")) == pytest.approx(
        (101, 101 + 100 + 1 / 3)
    )
    assert game.best(3, {1: "100,0,0", 2: "reject"}, asked) == ("reject", pytest.approx(101 + 1 / 3))
    assert len(set(game.gains(3, {1: "100,0,0", 2: "accept"}, asked, ("accept", "reject")))) == 1


def test_the_best_proposal_beats_all_others() -> None:
    for n_players, gold in itertools.product((2, 3, 4, 5), (1, 2, 3, 5)):
        game = Pirate(n_players, gold)
        asked = game.course(RNG).question(1, {})
        gains = game.gains(1, {}, asked, game.legal(1, asked) or ())
        assert game.best(1, {}, asked)[1] == max(gains)
