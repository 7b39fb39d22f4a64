"""The thesis's treatment: what the experiment tells, and what becomes of advice that is obeyed or not."""

from __future__ import annotations

import asyncio
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.agent_architectures.hypotheses import judge
from intent.agents.agent import Answer
from intent.agents.architectures.tool import ToolAgent
from intent.agents.client import Reply
from intent.agents.prompts.sources import own_prompts
from intent.agents.tools import TOOL_NAME
from intent.comparison.differences import Trial
from intent.play.referee import Referee
from intent.runner.experiment.file import load_experiment

FOLDER = Path(__file__).parents[2] / "experiments" / "agent_architectures"


class Says:
    """An ask that answers in turn and keeps what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self.replies, self.requests = list(replies), []

    async def __call__(self, messages, settings=None, *, purpose="choose", tools=()) -> Answer:
        self.requests.append(tuple(messages))
        return Answer(self.replies[len(self.requests) - 1], "r")


def plans(name: str = "experiment", **changes: object):
    return load_experiment(FOLDER / f"{name}.yaml", models=["openai/m"], **changes).plans()


def tool_plan(attitude: str, language: str = "en"):
    made = plans(language=language)
    return next(
        plan
        for plan in made
        if (plan.game, plan.seats[0].attitude) == ("dilemma", attitude)
        and plan.seats[0].architecture == "tool"
    )


def decided(plan, *replies: Reply):
    """The decision of round 1, and what was asked."""
    agent, ask = ToolAgent(plan, 1, own_prompts()), Says(*replies)
    referee = Referee(plan.stage(), plan.horizon())
    return asyncio.run(agent.choose(referee.view(1), ask, np.random.default_rng(0))), ask


def called(arguments: str = "{}") -> Reply:
    return Reply("", tool_calls=({"id": "x", "name": TOOL_NAME, "arguments": arguments},))


COOPERATE, DEFECT = (Reply(f'{{"choice": "{label}"}}') for label in ("Cooperate", "Defect"))


@pytest.mark.parametrize("language", ["en", "fr", "zh", "ar", "vi"])
def test_advice_is_the_basis_of_the_decision_in_all_languages(language: str) -> None:
    decision, ask = decided(tool_plan("cooperate", language), called(), COOPERATE)
    assert (decision.action, decision.advice) == ("Cooperate", "Cooperate")
    first, last = (request[-1].content for request in ask.requests)
    assert "DECISION:" not in first
    assert '{"choice": "Defect"}' in first
    basis = own_prompts().say("tool_result_basis", tool_plan("cooperate", language), advised="Cooperate")
    assert last == basis
    assert last.count("Cooperate") == 2


def test_advice_that_is_ignored_or_misused_is_on_record() -> None:
    ignored, _ = decided(tool_plan("cooperate"), called(), DEFECT)
    assert (ignored.action, ignored.advice) == ("Defect", "Cooperate")
    never, _ = decided(tool_plan("cooperate"), DEFECT)
    assert (never.action, never.advice, never.details["status"]) == ("Defect", None, "not_called")
    pytest.importorskip("nashpy")
    swapped = '{"temptation": 15, "reward": 10, "punishment": 5, "sucker": 0}'  # points in place of years
    misused, _ = decided(tool_plan("compute"), called(swapped), COOPERATE)
    assert (misused.advice, misused.details["stated_right"]) == ("Cooperate", False)


@pytest.mark.parametrize(
    ("follows", "verdict"), [(1.0, "supported"), (0.0, "not supported")], ids=["obeys", "does the opposite"]
)
def test_the_verdict_on_obedience_follows_the_agents(follows: float, verdict: str) -> None:
    rows = [
        {
            "game_id": f"{i}",
            "architecture": "tool",
            "attitude": attitude,
            "incentive": game,
            "model": model,
            "cooperation_rate": follows if attitude == "cooperate" else 1 - follows,
            "opponent": "TFT",
            "rounds": 10,
        }
        for i, (model, attitude, game, _) in enumerate(
            product("ab", ("cooperate", "defect"), ("dilemma", "delight", "confusion"), range(6))
        )
    ]
    judged = judge(pd.DataFrame(rows), Trial(np.random.default_rng(0), samples=200))
    assert {one.hypothesis.name: one.verdict for one in judged}["HT1"] == verdict


def test_every_arm_is_told_the_same_and_nothing_that_a_question_asks_for() -> None:
    made = plans()
    told = {
        (p.past, p.totals, p.round_told, p.outcomes_first, p.reflect, p.rules_in, p.reply.parser)
        for p in made
    }
    assert told == {("choices", "none", False, "Defect", True, "system", "json")}
    assert {p.seats[0].settings.temperature for p in made} == {None}
    debates = [p.seats[0].options for p in made if p.seats[0].architecture == "debate"]
    assert all(one["options_told"] is False and one["stalled"] == "restart" for one in debates)
    ours = plans("own")
    assert {(p.past, p.totals) for p in ours} == {("payoffs", "shown")}
