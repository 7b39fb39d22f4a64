"""Written code at the table of language models."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from intent.agents.plan import GamePlan, SeatPlan, parse_player
from intent.arena.entrant import Entrant
from intent.arena.match import MatchRules
from intent.arena.sandbox.confined import confinement
from intent.arena.streams import Salt
from intent.arena.tournament.models import (
    LiveSeats,
    WrittenAgent,
    model_entrant,
    model_pairs,
    seat_player,
)
from intent.arena.tournament.table import RoundRobin, join_models, without_models
from intent.base.errors import GameError, UsageError
from intent.games.catalogue import game
from intent.play.referee import Referee
from intent.strategies.catalogue import strategy

GAME = game("classic")
SALT = Salt(bytes(32))
TFT = Entrant("TFT", automaton=strategy("TFT"))
MODEL = model_entrant("openai/gpt-4o")
COUNTS = Entrant(
    "counts",
    source="def strategy(self, opponent):\n"
    "    return axl.Action.D if opponent.defections > 1 else axl.Action.C\n",
)
confined = pytest.mark.skipif(bool(confinement()), reason=f"no confinement: {confinement()}")


def plan(second, rounds=6):
    seats = (
        SeatPlan(player="scripted/sequence:CDCDCC", name="a"),
        SeatPlan(player=seat_player(second), name="b"),
    )
    return GamePlan.of(GAME, game_id="g", rounds=rounds, seats=seats)


def play(agents, rounds=6, skip=0):
    """Moves of both; before round `skip` the agents are not asked, and C against C, D is played."""
    made = plan(COUNTS, rounds)
    referee = Referee(made.stage(), made.horizon(), rng=np.random.default_rng(0))
    streams = [np.random.default_rng(seat) for seat in (1, 2)]
    known = ("CDCDCC", "CCCCDD")
    while not referee.over:
        for seat in tuple(referee.pending()):
            view = referee.view(seat)
            if view.round <= skip:
                referee.submit(seat, known[seat - 1][view.round - 1])
            else:
                decision = asyncio.run(agents[seat - 1].choose(view, None, streams[seat - 1]))
                referee.submit(seat, decision.action)
    return ["".join(round_.moves[s].action for round_ in referee.record) for s in (0, 1)]


@confined
@pytest.mark.parametrize("skip", [0, 3])
def test_code_plays_live_and_replays_what_it_did_not_see(skip):
    seats = LiveSeats([TFT, COUNTS], MatchRules(turns=6), SALT)
    assert play(seats.agents_of(plan(COUNTS), {}), skip=skip) == ["CDCDCC", "CCCCDD"]
    seats.close()


@confined
def test_a_second_game_begins_anew():
    agents = LiveSeats([COUNTS], MatchRules(turns=6), SALT).agents_of(plan(COUNTS), {})
    assert play(agents) == play(agents)


@confined
def test_what_the_log_says_of_it():
    (_, agent) = LiveSeats([COUNTS], MatchRules(turns=6), SALT).agents_of(plan(COUNTS), {})
    assert isinstance(agent, WrittenAgent)
    assert agent.columns["strategy"] == "counts"


def test_automata_are_the_scripted_players():
    (_, agent) = LiveSeats([TFT], MatchRules(turns=6), SALT).agents_of(plan(TFT), {})
    assert not isinstance(agent, WrittenAgent)


def test_without_the_arena_written_code_is_refused():
    from intent.agents.agent import make_agents

    with pytest.raises(UsageError, match="intent tournament"):
        play(make_agents(plan(COUNTS), {}))


def test_a_missing_move_cannot_be_told():
    class Missing:
        seat, round, other_seats, game = 1, 2, (2,), GAME
        actions_by_seat = (("C",), (None,))

    agent = WrittenAgent(COUNTS, MatchRules(turns=6), {}, 1)
    with pytest.raises(GameError, match="round 1: a move is missing"):
        agent._last(Missing(), 0)


def test_names_in_plans():
    assert seat_player(TFT) == "scripted/TFT"
    assert seat_player(COUNTS) == "scripted/written:counts"
    assert seat_player(MODEL) == "openai/gpt-4o"
    assert parse_player(seat_player(COUNTS)).kind == "scripted"
    assert MODEL.is_model
    assert not COUNTS.is_model
    with pytest.raises(UsageError, match="no language model"):
        model_entrant("scripted/TFT")


def test_every_model_meets_everybody():
    assert model_pairs([TFT, COUNTS], [MODEL, MODEL]) == [
        (2, 0), (2, 1), (3, 0), (3, 1), (2, 2), (2, 3), (3, 3)
    ]  # fmt: skip
    assert model_pairs([TFT, COUNTS], [MODEL], left_out=frozenset({0})) == [(2, 1), (2, 2)]
    assert model_pairs([TFT], [MODEL, MODEL], self_play=False) == [(1, 0), (2, 0), (1, 2)]


def test_joined_and_parted_again():
    n = np.zeros((1, 1, 2, 4), np.int32)
    n[..., 0] = 3
    table = RoundRobin((TFT,), MatchRules(turns=3), n, n, n, np.ones((1, 1, 2), np.int8))
    games = {(1, 0, 1): np.array([[0, 0, 1], [1, 0, 0]], np.uint8)}
    joined = join_models(table, [MODEL], games)
    assert joined.outcomes[1, 0].tolist() == [[0, 0, 0, 0], [0, 1, 1, 1]]
    assert joined.outcomes[0, 1, 1].tolist() == [0, 1, 1, 1]
    assert joined.opened[:, :, 1].tolist() == [[1, 1], [0, -1]]
    assert np.array_equal(without_models(joined).outcomes, n)
    with pytest.raises(UsageError, match="2 rounds"):
        join_models(table, [MODEL], {(1, 0, 0): np.zeros((2, 2), np.uint8)})


def test_written_code_draws_from_the_salt_and_not_from_the_seed_of_the_game():
    rules, made = MatchRules(turns=6), plan(COUNTS)
    changes = ({}, {"seed": 9, "game_id": "h"}, {"repetition": 2})
    games = [made.model_copy(update=change) for change in changes]
    first, same, other = (LiveSeats([COUNTS], rules, SALT).agents_of(game, {})[1].seed for game in games)
    assert first == same
    assert first != other
    assert LiveSeats([COUNTS], rules, Salt(bytes([1] * 32))).agents_of(made, {})[1].seed != first
