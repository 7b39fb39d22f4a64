"""What a run's log says: the play, as the synchronous driver has it, and what was planned."""

from __future__ import annotations

import numpy as np
import pytest
from stub_runs import PD, StubAgent, make, plan, plans, play, stub_agents

from intent.agents.agent import Decision
from intent.agents.plan import SeatPlan
from intent.base.errors import RunError
from intent.play.match import Horizon
from intent.play.players import AutomatonPlayer
from intent.play.referee import play as play_synchronously
from intent.strategies.catalogue import strategy

NOISY = (
    SeatPlan(player="scripted/GRIM@0.1", name="agent1"),
    SeatPlan(player="scripted/TFT@0.2", name="agent2"),
)


def actions(log, game_id):
    moves = log.moves[log.moves["game_id"] == game_id]
    return ["".join(moves.loc[moves["seat"] == seat, "action"]) for seat in (1, 2)]


def test_scripted_games_are_those_of_the_synchronous_driver(tmp_path):
    run = make(tmp_path / "run", plans(5, seats=NOISY, continuation=0.8, rounds=30))
    play(run)
    log = run.log()
    for p in run.plans():
        players = [AutomatonPlayer(strategy("GRIM"), 0.1), AutomatonPlayer(strategy("TFT"), 0.2)]
        horizon = Horizon(30, continuation=0.8)
        match = play_synchronously(PD, players, horizon, np.random.default_rng(p.seed))
        assert actions(log, p.game_id) == ["".join(match.actions(seat)) for seat in (1, 2)]


def test_conditions_and_repetition_are_those_planned(tmp_path):
    run = make(tmp_path / "run", [plan(3, language="fr", listed_first="D", memory=2)])
    play(run)
    row = run.log().games.iloc[0]
    said = row[
        ["game_id", "language", "repetition", "listed_first", "named_first", "memory", "lambda", "run"]
    ]
    assert said.tolist() == ["g003", "fr", 3, "D", "self", 2, 0.1, run.facts["run"]]
    assert run.log().seats["persona"].tolist()[0] == "selfish"


def test_references_lead_to_calls(tmp_path):
    run = make(tmp_path / "run", plans(2))
    play(run)
    moves, calls = run.log().moves, run.calls().set_index("reference")
    asked = moves[moves["seat"] == 1]
    assert calls.loc[asked["reply"], "text"].tolist() == asked["action"].tolist()
    assert calls.loc["g002/3/1/1", "draw"] == "2/g002/3/1/1"
    assert '"content":"Your move. Round 3.' in calls.loc["g002/3/1/1", "body"]


def test_messages_come_before_moves_and_count_as_attempts(tmp_path):
    run = make(tmp_path / "run", [plan(communication="sequential", rounds=2)])
    play(run)
    calls = run.calls()
    assert calls["purpose"].tolist() == ["message", "choose"] * 2
    assert calls["attempt"].tolist() == [1, 2] * 2
    assert run.log().moves["message"].notna().tolist() == [True, False] * 2
    assert run.check() == []


class Ending(StubAgent):
    """Has no readable reply in round 2."""

    async def choose(self, view, ask, rng):
        decision = await super().choose(view, ask, rng)
        return Decision(None, "missing", end=True) if view.round == 2 else decision


def test_a_game_that_an_unreadable_reply_ended_is_finished(tmp_path):
    run = make(tmp_path / "run", plans(1))
    play(run, agents=lambda p: (Ending(p, 1), stub_agents(p)[1]))
    log = run.log()
    assert (log.games["rounds_played"].item(), log.games["rounds_planned"].item()) == (2, 5)
    assert log.moves["status"].tolist() == ["parsed", "parsed", "missing", "parsed"]
    assert run.check() == []


class Stuck(StubAgent):
    """Has a fault in round 3."""

    async def choose(self, view, ask, rng):
        if view.round == 3:
            raise ZeroDivisionError
        return await super().choose(view, ask, rng)


def test_unfinished_games_are_in_the_log_where_asked_for(tmp_path):
    run = make(tmp_path / "run", plans(2))
    play(run, agents=lambda p: (Stuck(p, 1), stub_agents(p)[1]) if p.game_id == "g001" else stub_agents(p))
    assert run.log().games["rounds_played"].tolist() == [5]
    assert run.log(unfinished=True).games["rounds_played"].tolist() == [2, 5]


def test_a_human_is_not_asked_again_for_a_kept_round(tmp_path):
    run = make(tmp_path / "run", [plan(seats=(SeatPlan(player="human", name="you"), NOISY[1]))])
    asked = []

    class Human(StubAgent):
        async def choose(self, view, ask, rng):
            asked.append(view.round)
            if len(asked) == 3:
                raise EOFError
            return Decision("CD"[view.round % 2])

    for _ in range(2):
        play(run, agents=lambda p: (Human(p, 1), stub_agents(p)[1]))
    assert asked == [1, 2, 3, 3, 4, 5]
    assert actions(run.log(), "g001")[0] == "DCDCD"


def test_a_log_without_games_is_empty(tmp_path):
    assert len(make(tmp_path / "run", plans(1)).log()) == 0


def test_two_games_of_one_name_are_refused(tmp_path):
    with pytest.raises(RunError, match="'g001' is planned twice"):
        make(tmp_path / "run", [plan(), plan()])
    assert not (tmp_path / "run").exists()
