"""Strategies at the table."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from agent_plans import BATTLE, GOODS, moves, plan_of, played

from intent.agents.agent import Agent, make_agents, scripted_player
from intent.agents.plan import GamePlan, parse_player
from intent.base.errors import GameError, UnknownNameError, UsageError
from intent.games.catalogue import game
from intent.play.match import Horizon, Match, to_log
from intent.play.players import SequencePlayer
from intent.play.referee import play
from intent.strategies.catalogue import CATALOGUE


def result(plan: GamePlan, seed: int = 0) -> Match:
    return asyncio.run(played(plan, make_agents(plan, {}), seed))


def columns(plan: GamePlan) -> list[dict[str, object]]:
    found: tuple[Agent, ...] = make_agents(plan, {})
    return [{k: v for k, v in agent.columns.items() if v is not None} for agent in found]


@pytest.mark.parametrize(
    ("player", "stage", "own"),
    [
        ("scripted/TFT", "prisoner-dilemma-trps", "CCDD"),
        ("scripted/TFT", "prisoner-dilemma", "BBAA"),
        ("scripted/WSLS", "prisoner-dilemma-trps", "CCDC"),
        ("scripted/sequence:DC", "prisoner-dilemma-trps", "DCDC"),
        ("scripted/sequence:dcc", "prisoner-dilemma", "ABBA"),
        ("scripted/sequence:OptionB,OptionA", "prisoner-dilemma", "BABA"),
    ],
)
def test_play_against_cddc(player: str, stage: str, own: str) -> None:
    match = result(plan_of(player, "scripted/sequence:CDDC", stage=stage))
    assert moves(match, 1) == own


@pytest.mark.parametrize("name", [*CATALOGUE, "RANDOM(0.7)", "sequence:CDDC"])
def test_is_the_synchronous_player(name: str) -> None:
    """The same table of strategies, the same draws."""
    plan = plan_of(f"scripted/{name}@0.1", "scripted/RANDOM", rounds=30)
    names = [parse_player(seat.player) for seat in plan.seats]
    players = [scripted_player(n, plan.stage(), seat) for seat, n in enumerate(names, start=1)]
    match = play(plan.stage(), players, plan.horizon(), np.random.default_rng(3))
    assert match.rounds == result(plan, 3).rounds


@pytest.mark.axelrod
def test_strategies_of_the_axelrod_library() -> None:
    plan = plan_of("scripted/axelrod:TitForTat", "scripted/sequence:CDDC")
    assert moves(result(plan), 1) == "CCDD"
    assert columns(plan)[0]["strategy"] == "axelrod:TitForTat"
    rival, stage = SequencePlayer(["D", None, "C"]), game("prisoner-dilemma-trps")
    player = scripted_player(parse_player("scripted/axelrod:TitForTat"), stage, 1)
    assert moves(play(stage, [player, rival], Horizon(3), np.random.default_rng(0)), 1) == "CDD"
    with pytest.raises(UnknownNameError, match=r"did you mean .*TitForTat"):
        make_agents(plan_of("scripted/axelrod:TitForTatt", "human"), {})
    with pytest.raises(GameError, match="plays two-player games, public-goods has 3"):
        make_agents(plan_of(*["scripted/axelrod:TitForTat"] * 3, stage=GOODS), {})


def test_the_log_says_who_played() -> None:
    log = to_log([result(plan_of("scripted/pavlov@0.05", "scripted/ALLC"))])
    assert log.seats["strategy"].tolist() == ["WSLS", "ALLC"]
    assert log.seats["architecture"].tolist() == ["scripted", "scripted"]
    assert log.seats["eps"].fillna(0).tolist() == [0.05, 0]
    assert log.seats["model"].isna().all()
    assert log.seats["agent_name"].tolist() == ["agent1", "agent2"]


def test_without_a_cooperative_action_the_first_one_stands_in_and_the_log_says_so() -> None:
    plan = plan_of("scripted/TFT", "scripted/sequence:OptionB,OptionA", stage=BATTLE)
    assert moves(result(plan), 1) == "ABAB"
    assert columns(plan)[0]["plays_as_c"] == "OptionA"
    assert "plays_as_c" not in columns(plan_of("scripted/TFT", "scripted/ALLD"))[0]
    log = to_log([result(plan_of("scripted/RANDOM", "scripted/sequence:CD", stage=BATTLE))])
    assert log.moves["cooperated"].isna().all()
    assert log.moves["action"].tolist()[1::2] == ["OptionA", "OptionB"] * 2


@pytest.mark.parametrize(
    ("others", "own"), [(None, "AAAB"), ("majority", "AAAB"), ("any", "AAAA"), ("all", "ABBB")]
)
def test_several_others_are_read_as_one(others: str | None, own: str) -> None:
    rest = ("scripted/sequence:CCDD", "scripted/sequence:CCDD", "scripted/sequence:DDCC")
    plan = plan_of("scripted/TFT", *rest, stage=type(GOODS)("goods", 4, 10, 2), others=others)
    assert moves(result(plan), 1) == own
    assert columns(plan)[0]["others"] == (others or "majority")
    assert "others" not in columns(plan)[1]


@pytest.mark.parametrize(("name", "own"), [("TFT", "CDD"), ("sequence:CDC", "CDC")])
def test_a_missing_move_of_a_model_stops_no_strategy(name: str, own: str) -> None:
    """The sequence goes by the round, the automaton stays in its state."""
    stage = game("prisoner-dilemma-trps")
    player = scripted_player(parse_player(f"scripted/{name}"), stage, 1)
    other = SequencePlayer(["D", None, "C"])
    assert moves(play(stage, [player, other], Horizon(3), np.random.default_rng(0)), 1) == own


def test_strategies_stay_silent() -> None:
    match = result(plan_of("scripted/TFT", "scripted/ALLD", communication="sequential"))
    assert {move.message for r in match.rounds for move in r.moves} == {None}


def test_sequences_of_other_labels_are_refused() -> None:
    with pytest.raises(UsageError, match="'OptionC', expected letters C and D or labels OptionA, OptionB"):
        make_agents(plan_of("scripted/sequence:OptionC", "human", stage="prisoner-dilemma"), {})
