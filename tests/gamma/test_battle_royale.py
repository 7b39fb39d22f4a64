"""The battle royale."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from course_play import play_policy, play_table
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import GameError
from intent.gamma.battle_royale import MISS, BattleRoyale, top_target

RNG = np.random.default_rng(0)
SURE = BattleRoyale(4, lowest=100, interval=0)
ASKED = {"alive": (1, 3, 4, 10), "rates": (35, 45, 50, 80), "rank": 2, "hit_rate": 45}


def test_hit_rates_rise_by_seat() -> None:
    assert BattleRoyale().rates == (35, 40, 45, 50, 55, 60, 65, 70, 75, 80)
    with pytest.raises(GameError, match="0 to 100 per cent"):
        BattleRoyale(lowest=60)


def test_the_turn_goes_to_the_next_of_the_living() -> None:
    """1 hits 2; 3 misses on purpose; 4 hits 1; 3 hits 4 and is left alone."""
    answers = [{1: "player_2"}, {3: None}, {4: 1}, {3: "4"}]
    course = SURE.course(RNG)
    told = []
    for answer in answers:
        ((seat,),) = course.steps()
        action = SURE.read(answer[seat], seat, course.question(seat, {}))
        told.append(course.complete({seat: action}))
    assert course.over
    assert course.steps() == ()
    assert [t.payoffs for t in told] == [(0, 0, 0, 0)] * 3 + [(0, 0, 1, 0)]
    assert [t.values for t in told] == [{1: 1}, {3: None}, {4: 1}, {3: 1}]
    assert told[0].reports[3] == {"shooter": 1, "target": 2, "hit": True, "left": (1, 3, 4)}
    assert told[0].reports[1]["own"] == "2"
    assert set(told[0].reports) == {1, 3, 4}
    assert told[1].reports[4] == {"shooter": 3, "target": None, "hit": None, "left": (1, 3, 4)}


def test_a_shot_that_fails_has_value_0() -> None:
    (played,) = play_table(BattleRoyale(3, lowest=0, interval=0), [[2]])
    assert played.outcome.values == {1: 0}
    assert played.outcome.reports[2] == {"shooter": 1, "target": 2, "hit": False, "left": (1, 2, 3)}


def test_what_a_request_says() -> None:
    course = BattleRoyale(3).course(RNG)
    course.complete({1: MISS})
    assert course.steps() == ((2,),)
    assert course.question(2, {}) == {"alive": (1, 2, 3), "rates": (35, 40, 45), "rank": 2, "hit_rate": 40}


def test_a_hit_is_as_likely_as_the_rate_says() -> None:
    hits = [play_table(BattleRoyale(), [[10]], seed)[0].outcome.reports[1]["hit"] for seed in range(2000)]
    assert abs(np.mean(hits) - 0.35) < 0.035


@pytest.mark.parametrize("answer", ["player_4", "4", 4, 4.0, "Player 4", "#4", "٤", "玩家4", {"target": 4}])
def test_spellings_of_a_target(answer: object) -> None:
    assert BattleRoyale().read(answer, 3, ASKED) == "4"


@pytest.mark.parametrize(
    "answer", [None, "null", "None", "miss", "-1", -1, {"action": "shoot", "target": None}]
)
def test_spellings_of_a_miss_on_purpose(answer: object) -> None:
    assert BattleRoyale().read(answer, 3, ASKED) == MISS


def test_the_action_miss_counts_whatever_the_target_says() -> None:
    assert BattleRoyale().read({"action": "miss", "target": "player_4"}, 3, ASKED) == MISS
    assert BattleRoyale().read({"action": "shoot", "target": "player_4"}, 3, ASKED) == "4"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("player_2", "no longer in the game"),
        (3, "is yourself"),
        ("player_11", "is no player"),
        ("player_1 or player_4", "is no player"),
        ("not player_4", "is no player"),
        (-2, "is no player"),
        (True, "is no player"),
        (float("nan"), "is no player"),
        (10**400, "is no player"),
        ("1" * 5000, "is no player"),
        ({}, "is no player"),
    ],
)
def test_targets_that_are_refused(answer: object, why: str) -> None:
    with pytest.raises(GameError, match=why):
        BattleRoyale().read(answer, 3, ASKED)


def test_one_is_not_ten() -> None:
    """GAMA-Bench looks for the target as a part of a player's name."""
    assert BattleRoyale(12, interval=1).read("1", 3, ASKED) == "1"


@given(
    st.recursive(
        st.none() | st.text() | st.integers() | st.floats(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_any_answer_is_an_action_or_refused(answer: object) -> None:
    game = BattleRoyale()
    with suppress(GameError):
        assert game.read(answer, 3, ASKED) in (game.legal(3, ASKED) or ())


def test_the_top_target_of_the_benchmark() -> None:
    assert top_target(ASKED["alive"], ASKED["rates"], 3) == 10
    assert top_target(ASKED["alive"], ASKED["rates"], 10) == 4


@pytest.mark.parametrize("n_players", [2, 3, 10])
def test_the_promised_chances_are_those_of_play(n_players: int) -> None:
    """Equilibrium play to the end, against the chances that its stage says."""
    game, runs = BattleRoyale(n_players), 600
    wins = np.zeros(n_players)
    for seed in range(runs):
        played = play_policy(game, lambda s, asked, told, rng: game.equilibrium(s, asked, rng), 10_000, seed)
        wins += [paid or 0 for paid in played[-1].outcome.payoffs]
    promised = np.array(game.stage(tuple(range(1, n_players + 1))).wins[0])
    assert promised.sum() == pytest.approx(1)
    assert (abs(wins / runs - promised) < 4 * np.sqrt(promised * (1 - promised) / runs) + 1e-9).all()


def test_gains_weigh_the_hit_and_the_miss() -> None:
    """A duel of 35 and 40 per cent: p/(1 - (1-p)(1-q)) for who shoots first."""
    game = BattleRoyale(2)
    asked = {"alive": (1, 2), "rates": (35, 40), "rank": 1, "hit_rate": 35}
    first = 0.35 / (1 - 0.65 * 0.6)
    missed = 0.6 * first
    assert game.gains(1, {}, asked, ("2", MISS)) == pytest.approx((0.35 + 0.65 * missed, missed))
    assert game.best(1, {}, asked) == ("2", pytest.approx(first))


def test_larger_groups_shoot_at_the_top_target() -> None:
    game = BattleRoyale(14, lowest=10)
    asked = game.course(RNG).question(1, {})
    assert game.equilibrium(1, asked, RNG) == "14"
    assert all(0 <= gain <= 1 for gain in game.gains(1, {}, asked, game.legal(1, asked) or ()))
