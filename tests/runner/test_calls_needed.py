"""Calls by architecture, and the first prompt of an agent."""

from __future__ import annotations

import pytest
from agent_plans import plan_of

from intent.agents.agent import Decision, make_agents
from intent.agents.client import Message, Settings
from intent.runner.dry_run import CallCount, dry_run, first_prompt, invented_view, question_calls, round_calls
from intent.runner.experiment.file import load_experiment


def of(architecture, constrained=False, **options):
    plan = plan_of("a/b", "scripted/TFT")
    settings = Settings(constrained=constrained)
    seat = {"architecture": architecture, "options": options, "settings": settings}
    mine = plan.seats[0].model_copy(update=seat)
    return plan.model_copy(update={"seats": (mine, plan.seats[1])})


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (of("plain"), 1),
        (of("chain_of_thought"), 1),
        (of("chain_of_thought", constrained=True), 2),
        (of("tool"), 2),
        (of("private"), 1),
        (of("private", stages="apart"), 5),
        (of("private", constrained=True), 5),
        (of("private", constrained=True, stages="together"), 1),
    ],
)
def test_calls_of_a_round(plan, expected):
    found = round_calls(plan, 1)
    assert found.expected == expected
    assert found.most >= expected + plan.reply.retries


@pytest.mark.parametrize("architecture", ["plain", "chain_of_thought", "tool", "debate", "private", "public"])
def test_a_message_is_one_more_call_at_most(architecture):
    silent = of(architecture)
    speaking = silent.model_copy(update={"communication": "sequential"})
    assert 0 <= round_calls(speaking, 1).expected - round_calls(silent, 1).expected <= 1


def test_a_question_is_one_call_or_as_a_decision():
    assert question_calls(of("plain"), 1) == CallCount(1, 1)
    assert question_calls(of("debate", turns=2, constrained=True), 1) == CallCount(4, 4)


def test_questions_are_counted_for_models_alone():
    values = {"model": "scripted/uniform", "rounds": 10, "questions": ["extremes", "rounds_so_far"]}
    found = dry_run(load_experiment({**values, "opponent": "scripted/TFT"}))
    assert (found["calls"], found["most_calls"]) == (30, 50)
    assert dry_run(load_experiment(values))["calls"] == 60


class Own:
    """An agent with one prompt."""

    def __init__(self, plan, seat, prompts):
        self.words = plan.seats[seat - 1].options["words"]

    async def choose(self, view, ask, rng):
        await ask([Message("system", self.words), Message("user", f"Round {view.round}")], tools=({"a": 1},))
        return Decision("C")


def test_the_first_prompt_is_what_the_agent_asks():
    plan = of("own", words="Think")
    found = first_prompt(Own(plan, 1, None), invented_view(plan, 1, 2))
    assert found.text == "Think\n\nRound 2"
    assert found.tools == ({"a": 1},)


def test_an_agent_that_asks_nothing_has_no_prompt():
    plan = plan_of("scripted/TFT", "scripted/TFT")
    (agent, _) = make_agents(plan, {})
    assert first_prompt(agent, invented_view(plan, 1, 2)).messages == ()
