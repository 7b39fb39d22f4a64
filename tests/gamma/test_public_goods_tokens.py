"""The public goods game with tokens."""

from __future__ import annotations

import numpy as np
import pytest
from course_play import play_policy, play_table, random_policy
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import GameError
from intent.gamma.public_goods import PublicGoodsTokens

RNG = np.random.default_rng(0)
ALL = [20] * 10


def test_a_round_pays_the_share_less_the_contribution() -> None:
    (played,) = play_table(PublicGoodsTokens(), [[0, 20, *[5] * 8]])
    assert played.outcome.payoffs == (12, -8, *(7,) * 8)
    assert played.outcome.values[2] == 20
    assert played.outcome.reports[2] == {
        "own": 20,
        "contributions": (0, 20, *(5,) * 8),
        "total": 60,
        "gain": -8,
        "tokens": 12,
        "holdings": (32, 12, *(27,) * 8),
    }


def test_gains_are_stored_exactly_and_told_in_hundredths() -> None:
    (played,) = play_table(PublicGoodsTokens(3, factor=1.1), [[10, 0, 0]])
    assert played.outcome.payoffs == (-19 / 3, 11 / 3, 11 / 3)
    assert played.outcome.reports[1]["gain"] == -6.33
    assert played.outcome.reports[1]["holdings"] == (13.66, 23.66, 23.66)


def test_every_round_starts_anew_or_with_what_is_held() -> None:
    anew = play_table(PublicGoodsTokens(), [ALL, ALL])
    assert [played.questions[1] for played in anew] == [{"tokens": 20}] * 2
    kept = play_table(PublicGoodsTokens(reset=False), [ALL, [40] * 10, [80, *[0] * 9], [16, *[96] * 9]])
    assert [played.questions[1]["tokens"] for played in kept] == [20, 40, 80, 16]
    assert kept[3].questions[2]["tokens"] == 96


def test_whole_tokens_up_to_the_holding_may_be_given() -> None:
    game = PublicGoodsTokens(3, reset=False, factor=1)
    played = play_table(game, [[1, 0, 0], [19, 20, 20]])
    assert played[1].questions[1] == {"tokens": 19.33}
    with pytest.raises(GameError, match="contribution '20', expected a whole number from 0 to 19"):
        play_table(game, [[1, 0, 0], ["20", 0, 0]])


def test_thirds_add_up_to_whole_tokens_again() -> None:
    """Three gains of -2/3 are -2, not a hair more."""
    played = play_table(PublicGoodsTokens(3, 10, 1, reset=False), [[1, 0, 0]] * 3 + [[0, 0, 0]])
    assert played[3].questions[1] == {"tokens": 8}
    assert played[3].questions[2] == {"tokens": 11}


def test_missing_moves_contribute_nothing() -> None:
    (played,) = play_table(PublicGoodsTokens(2, factor=1), [[None, 10]])
    assert played.outcome.payoffs == (None, -5)
    assert played.outcome.reports[1]["contributions"] == (None, 10)
    assert played.outcome.reports[1]["tokens"] == 25


def test_endowments_are_drawn_once_and_differ() -> None:
    game = PublicGoodsTokens(least=11)
    rounds = play_policy(game, random_policy(game), 2, seed=1)
    held = [[asked["tokens"] for asked in played.questions.values()] for played in rounds]
    assert sorted(held[0]) == list(range(11, 21))
    assert held[0] == held[1]
    more = play_policy(PublicGoodsTokens(12, least=19), random_policy(game), 1)[0].questions.values()
    assert {asked["tokens"] for asked in more} == {19, 20}


@pytest.mark.parametrize(("factor", "action"), [(0, "0"), (2, "0"), (10, "0"), (10.5, "20"), (20, "20")])
def test_equilibrium_gives_all_or_nothing(factor: float, action: str) -> None:
    assert PublicGoodsTokens(factor=factor).equilibrium(1, {"tokens": 20}, RNG) == action


@given(st.integers(2, 5), st.sampled_from([0, 0.5, 1.1, 3, 5, 7]), st.integers(0, 2**30), st.booleans())
def test_tokens_are_only_made_by_the_factor(n: int, factor: float, seed: int, reset: bool) -> None:
    game = PublicGoodsTokens(n, 6, factor, reset)
    for played in play_policy(game, random_policy(game), 4, seed):
        total = sum(int(a) for a in played.actions.values() if a)
        assert sum(x for x in played.outcome.payoffs if x) == pytest.approx(total * (factor - 1), abs=1e-9)


def test_fortunes_stop_growing_beyond_numbers() -> None:
    game = PublicGoodsTokens(2, 10**6, 1000, reset=False)
    last = play_policy(game, lambda s, asked, t, rng: game.equilibrium(s, asked, rng), 200)[-1]
    assert last.actions[1] == str(10**12)
    assert game.legal(1, last.questions[1]) is None


@pytest.mark.parametrize(
    "wrong", [{"tokens": 0}, {"factor": -1}, {"reset": 1}, {"least": 21}, {"factor": 1e-300}]
)
def test_what_is_no_public_goods_game_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(GameError, match=r"^public_goods: .*expected"):
        PublicGoodsTokens(**wrong)  # type: ignore[arg-type]
