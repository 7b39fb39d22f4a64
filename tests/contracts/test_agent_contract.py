"""What everyone who takes a seat does: every architecture, and the players that ask no model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import numpy as np
import pytest
from prompt_plans import plan, view

from intent.agents.agent import ARCHITECTURES, Agent, Answer, Decision, ScriptedAgent, architecture
from intent.agents.client import Reply
from intent.agents.human import HumanAgent, Terminal
from intent.agents.plan import GamePlan
from intent.agents.prompts.sources import load_prompts
from intent.base import codebook

PAST = {"prisoner-dilemma": "AB -B", "battle-sexes": "AB -B", "public-goods": "ABA B-B"}
"""Game -> two rounds of it, one move missing."""


def asking(name: str) -> Callable[[GamePlan], Agent]:
    """How an architecture is made."""
    return lambda of: architecture(name)(of, 1, load_prompts("intent"))


AGENTS: dict[str, tuple[str, Callable[[GamePlan], Agent]]] = {
    **{name: ("openai/m", asking(name)) for name in ARCHITECTURES},
    "scripted": ("scripted/TFT@0.3", lambda of: ScriptedAgent(of, 1)),
    "human": ("human", lambda of: HumanAgent(of, 1, Terminal(lambda: "2", lambda text: None))),
}
"""Name -> its player in a plan, and what makes the agent of the first seat."""


class Says:
    """An ask that always answers the same, and keeps what it was asked."""

    def __init__(self, text: str) -> None:
        self.text, self.requests = text, []

    async def __call__(self, messages, settings=None, *, purpose="choose", tools=()) -> Answer:
        self.requests.append((tuple(messages), settings, purpose, tuple(tools)))
        return Answer(Reply(self.text), f"g/3/1/{len(self.requests)}")


def planned(name: str, game: str, **changes: object) -> GamePlan:
    if name == "informed" and game != "prisoner-dilemma":
        pytest.skip("an informed player is told whether one other cooperates")
    made = plan(game, **changes)
    # An attitude of every game: battle of the sexes has no cooperative action that a tool could advise.
    attitude = made.stage().actions[0] if name == "tool" else made.seats[0].attitude
    first = made.seats[0].model_copy(update={"player": AGENTS[name][0], "attitude": attitude})
    return made.model_copy(update={"seats": (first, *made.seats[1:])})


def turn(name: str, of: GamePlan, says: str, *, speaking: bool = False) -> tuple[Decision, list]:
    """What the first seat decides in round 3, and what it asked."""
    agent, ask = AGENTS[name][1](of), Says(says)
    act = agent.speak if speaking else agent.choose
    return asyncio.run(act(view(of, PAST[of.game]), ask, np.random.default_rng(7))), ask.requests


each = pytest.mark.parametrize("name", AGENTS)
games = pytest.mark.parametrize("game", PAST)


@each
@games
def test_a_move_is_an_action_of_the_game(name: str, game: str) -> None:
    of = planned(name, game)
    label = of.stage().actions[1]
    decision, asked = turn(name, of, label)
    assert decision.action in of.stage().actions
    assert decision.status == "parsed"
    if asked:
        assert asked[-1][1].choices == of.stage().actions
        assert (decision.action, decision.reply) == (label, f"g/3/1/{len(asked)}")


@each
def test_a_reply_that_cannot_be_read_is_no_error(name: str) -> None:
    decision, asked = turn(name, planned(name, "prisoner-dilemma"), "I would rather not.")
    assert (decision.action is None) == (decision.status == "missing") == bool(asked)


@each
def test_a_message_is_no_move(name: str) -> None:
    of = planned(name, "prisoner-dilemma", communication="simultaneous")
    decision, _ = turn(name, of, "Let us cooperate.", speaking=True)
    assert decision.action is None
    assert decision.message is None or decision.message.strip()


@each
@games
def test_the_same_answers_lead_to_the_same_questions_and_moves(name: str, game: str) -> None:
    of = planned(name, game)
    assert turn(name, of, of.stage().actions[0]) == turn(name, of, of.stage().actions[0])


@each
def test_its_columns_fit_into_the_seats_of_a_log(name: str) -> None:
    game = "prisoner-dilemma" if name == "informed" else "public-goods"
    agent = AGENTS[name][1](planned(name, game))
    columns = dict(agent.columns)
    assert not {"game_id", "seat", "focal"} & columns.keys()
    assert not {column.name for column in codebook.GAMES} & columns.keys()
    assert json.loads(json.dumps(columns)) == columns
    assert columns["persona"] == "cooperative"
