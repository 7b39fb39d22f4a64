"""Scripted players of the eight games."""

from __future__ import annotations

import asyncio
from collections import Counter

import numpy as np
import pytest
from agent_plans import moves, plan_of, played
from table_plans import moves_of, played_table, table_agents, table_plan

from intent.agents.agent import make_agents
from intent.agents.plan import parse_player
from intent.agents.table import extent, legal_near, opening, scripted_table_player, uniform_action
from intent.base.errors import GameError, IntentError, UsageError
from intent.gamma.catalogue import gamma_game
from intent.play.match import Horizon, to_log
from intent.play.referee import play

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("game", "player", "own"),
    [
        ("guessing", "constant:91", "91 91 91 91"),
        ("guessing", "cycle:0,50, 100", "0 50 100 0"),
        ("guessing", "sequence:7,8", "7 8 7 8"),
        ("bar", "constant:GO", "go go go go"),
        ("diner", "cycle:cheap,costly", "cheap costly cheap costly"),
        ("public_goods", "constant:0", "0 0 0 0"),
        ("guessing", "equilibrium", "0 0 0 0"),
        ("divide_dollar", "best-reply", "50 9 9 9"),
    ],
)
def test_plays(game: str, player: str, own: str) -> None:
    other = "scripted/constant:91" if game in ("guessing", "divide_dollar") else "scripted/equilibrium"
    assert moves_of(played_table(table_plan(game, f"scripted/{player}", other, rounds=4)), 1) == own.split()


def test_a_cycle_goes_by_own_turns() -> None:
    """In a battle of two each shoots in every other round."""
    plan = table_plan("battle_royale", "scripted/cycle:miss,2", "scripted/constant:miss", rounds=3)
    assert moves_of(played_table(plan), 1) == ["miss", "2"]


def test_a_number_beyond_what_is_legal_now_is_the_nearest_that_is() -> None:
    plan = table_plan("auction", "scripted/constant:150", "scripted/constant:0", rounds=5)
    match = played_table(plan)
    valuations = [int(str(opening_of(plan, t))) for t in range(5)]
    assert moves_of(match, 1) == [str(min(150, valuation)) for valuation in valuations]


def test_also_where_the_legal_numbers_are_too_many_to_list() -> None:
    wide = {"top": 8000, "step": 4000}
    plan = table_plan("auction", "scripted/constant:9000", "scripted/constant:0", rounds=8, parameters=wide)
    assert set(moves_of(played_table(plan), 1)) == {"0", "4000", "8000"}


def opening_of(plan, t: int) -> object:
    course = plan.stage().course(np.random.default_rng(0))
    for _ in range(t):
        course.complete({1: "0", 2: "0"})
    return course.question(1, {})["valuation"]


def test_where_no_number_is_nearest_equilibrium_stands_in() -> None:
    game = gamma_game("pirate", n_players=3)
    asked = opening(game)
    assert legal_near("accept", game, 1, asked[1], RNG) == game.equilibrium(1, asked[1], RNG) == "99,0,1"
    assert legal_near("accept", game, 2, asked[2], RNG) == "accept"
    battle = gamma_game("battle_royale", n_players=3)
    alone = {"alive": (1, 3), "rates": (35, 45), "rank": 1, "hit_rate": 35}
    assert legal_near("2", battle, 1, alone, RNG) == battle.equilibrium(1, alone, RNG)


@pytest.mark.parametrize(
    ("game", "player", "message"),
    [
        (
            "guessing",
            "constant:101",
            "scripted/constant:101 in guessing: .*expected a whole number from 0 to 100",
        ),
        ("guessing", "cycle:0,101", "expected a whole number"),
        ("bar", "constant:home", "expected go or stay"),
        ("auction", "constant:lots", "expected a whole number"),
        ("pirate", "constant:1", "scripted/constant:1 in pirate: "),
        ("bar", "TFT", "scripted/TFT plays matrix games; in bar expected one of constant:ACTION, cycle:"),
        ("bar", "RANDOM(0.7)", "plays matrix games"),
        ("bar", "axelrod:Adaptive", "plays matrix games"),
        ("bar", "constant:", "ends after constant:, expected an action such as constant:91"),
        ("bar", "equilibrum", "did you mean equilibrium"),
        ("bar", "equilibrium@0.7", "expected"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is(game: str, player: str, message: str) -> None:
    with pytest.raises(IntentError, match=message):
        table_agents(table_plan(game, f"scripted/{player}", "scripted/RANDOM", "scripted/RANDOM"))


def test_constants_and_cycles_play_labels_of_matrix_games_too() -> None:
    assert moves(played_match("scripted/constant:D", "scripted/cycle:C,D"), 1) == "DDDD"
    assert moves(played_match("scripted/constant:D", "scripted/cycle:C,D"), 2) == "CDCD"
    with pytest.raises(UsageError, match="equilibrium plays the games of gamma-bench, not prisoner-dilemma"):
        make_agents(plan_of("scripted/equilibrium", "human"), {})
    with pytest.raises(UsageError, match="expected letters C and D or labels"):
        make_agents(plan_of("scripted/constant:CD", "human"), {})


def played_match(*players: str):
    plan = plan_of(*players)
    return asyncio.run(played(plan, make_agents(plan, {})))


def test_uniform_proposals_are_uniform_compositions() -> None:
    """Of gold 2 among three there are six."""
    game, rng = gamma_game("pirate", n_players=3, gold=2), np.random.default_rng(1)
    asked = {"role": "propose", "proposer": 1, "left": (1, 2, 3)}

    class Unlisted:
        facts = staticmethod(game.facts)

        def legal(self, seat: int, asked: object) -> None:
            return None

    counts = Counter(uniform_action(Unlisted(), 1, asked, rng) for _ in range(3000))  # type: ignore[arg-type]
    assert set(counts) == set(game.legal(1, asked) or ())
    assert all(400 < count < 600 for count in counts.values())


def test_whole_numbers_that_are_too_many_to_list_are_drawn_from_their_range() -> None:
    game = gamma_game("guessing", low=5, high=4321)
    assert game.legal(1, {}) is None
    assert extent(game, 1, {}, RNG) == (5, 4321)
    drawn = [int(uniform_action(game, 1, {}, RNG)) for _ in range(300)]
    assert 5 <= min(drawn) < 500
    assert 4000 < max(drawn) <= 4321


def test_noise_plays_a_uniform_legal_action_now_and_then() -> None:
    plan = table_plan("guessing", "scripted/constant:50@0.3", "scripted/RANDOM", rounds=200, seed=1)
    match = played_table(plan)
    share = moves_of(match, 1).count("50") / 200
    assert 0.6 < share < 0.8
    log = to_log([match])
    assert log.seats["strategy"].tolist() == ["constant:50", "RANDOM"]
    assert log.seats["eps"].tolist()[0] == 0.3


def test_is_the_synchronous_player() -> None:
    stage = gamma_game("bar", n_players=3)
    players = [scripted_table_player(parse_player("scripted/equilibrium"), stage, s) for s in (1, 2, 3)]
    match = play(stage, players, Horizon(5), np.random.default_rng(0))
    assert len(match.rounds) == 5
    with pytest.raises(GameError, match="expected go or stay"):
        scripted_table_player(parse_player("scripted/constant:1"), stage, 1)


def test_a_target_is_refused_to_itself_alone() -> None:
    table_agents(table_plan("battle_royale", "scripted/constant:2", "scripted/constant:1"))
    with pytest.raises(GameError, match="target '1' is yourself"):
        table_agents(table_plan("battle_royale", "scripted/constant:1", "scripted/constant:1"))
