"""A player that is told what an observer believes of the other."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from agent_plans import plan_of
from stub_asks import PROMPTS, Says, turn, with_seat

from intent.agents.agent import architecture
from intent.agents.client import Settings
from intent.agents.mock.client import ScriptedClient
from intent.base.errors import PromptError, UnknownNameError, UsageError
from intent.estimate.choice.tracker import Tracker
from intent.play.referee import Referee

LANGUAGES = ("ar", "en", "fr", "vi", "zh")


def plan(options: dict | None = None, stage: str = "prisoner-dilemma-conventional", **fields):
    made = plan_of("openai/m", "scripted/TFT", stage=stage, **fields)
    return with_seat(made, architecture="informed", options=options or {})


def last_prompt(ask: Says) -> str:
    return ask.requests[-1][0][-1].content


def test_the_first_choice_is_told_the_prior() -> None:
    ask = Says("OptionB")
    decision = turn(ask, plan())
    p = Tracker("bayes-canonical4").belief.next_move
    assert decision.action == "OptionB"
    assert f"choose OptionB in this round with a probability of {100 * p:.0f}%" in last_prompt(ask)
    assert decision.details["next_move"] == pytest.approx(p, abs=1e-6)


def test_later_choices_are_told_the_posterior_of_the_other() -> None:
    made, ask, tracker = plan(), Says(*["OptionA"] * 4), Tracker("bayes-canonical4")
    agent = architecture("informed")(made, 1, PROMPTS)
    referee = Referee(made.stage(), made.horizon(), rng=np.random.default_rng(0))
    for mine, theirs in (("OptionA", "OptionB"), ("OptionA", "OptionA"), ("OptionB", "OptionA")):
        asyncio.run(agent.choose(referee.view(1), ask, np.random.default_rng(0)))
        referee.submit(1, mine)
        referee.submit(2, theirs)
        tracker.update(int(theirs == "OptionB"), int(mine == "OptionB"))
    decision = asyncio.run(agent.choose(referee.view(1), ask, np.random.default_rng(0)))
    best = max(tracker.belief.posterior, key=tracker.belief.posterior.get)
    assert decision.details["next_move"] == pytest.approx(tracker.belief.next_move, abs=1e-6)
    assert decision.details["beliefs"].startswith(f"{best} {100 * tracker.belief.posterior[best]:.0f}%")


def test_a_resumed_game_is_told_the_same() -> None:
    made, asks = plan(), [Says(*["OptionA"] * 4), Says("OptionA")]
    referee = Referee(made.stage(), made.horizon(), rng=np.random.default_rng(0))
    agents = [architecture("informed")(made, 1, PROMPTS) for _ in range(2)]
    for _ in range(3):
        asyncio.run(agents[0].choose(referee.view(1), asks[0], np.random.default_rng(0)))
        referee.submit(1, "OptionA")
        referee.submit(2, "OptionB")
    for agent, ask in zip(agents, asks, strict=True):
        asyncio.run(agent.choose(referee.view(1), ask, np.random.default_rng(0)))
    assert last_prompt(asks[0]) == last_prompt(asks[1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rule_heeds_it_in_every_language(language: str) -> None:
    ask = Says("OptionB")
    turn(ask, plan(language=language))
    messages = ask.requests[0][0]
    client = ScriptedClient("scripted/heeds")
    body = client.body(messages, Settings(choices=("OptionA", "OptionB")))
    assert client._rule(body, "", ("OptionA", "OptionB")).text == "OptionB"
    assert "%" in messages[-1].content


def test_plain_players_are_told_nothing() -> None:
    ask = Says("OptionB")
    turn(ask, with_seat(plan(), architecture="plain"))
    assert "observer" not in last_prompt(ask)


@pytest.mark.parametrize(
    ("options", "stage", "error", "words"),
    [
        ({"recogniser": "nobody"}, "prisoner-dilemma-conventional", UnknownNameError, "nobody"),
        ({"recognizer": "x"}, "prisoner-dilemma-conventional", UsageError, "recogniser"),
        ({"named": 0}, "prisoner-dilemma-conventional", UsageError, "named"),
        ({}, "battle-sexes", UsageError, "cooperative action"),
    ],
)
def test_what_it_cannot_serve_is_refused_before_the_first_call(options, stage, error, words) -> None:
    with pytest.raises(error, match=words):
        architecture("informed")(plan(options, stage), 1, PROMPTS)


def test_a_wording_without_the_block_is_refused() -> None:
    english = PROMPTS.wordings["en"]
    bare = {
        kind: "\n".join(line for line in text.splitlines() if not line.startswith("{informed}"))
        for kind, text in english.templates.items()
    }
    prompts = replace(PROMPTS, wordings={"en": replace(english, templates=bare)})
    prompts.check(with_seat(plan(), architecture="plain"))
    with pytest.raises(PromptError, match=r"no block \{informed\}"):
        prompts.check(plan())
