"""The plain agent: render, ask, read, ask again, give up as the plan says."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from agent_plans import plan_of

from intent.agents.agent import Answer
from intent.agents.architectures.base import LONGEST_REASONING, PlainAgent
from intent.agents.client import Message, Reply, Settings
from intent.agents.plan import ReplyRules
from intent.agents.prompts.prompt_set import LONGEST_MESSAGE
from intent.agents.prompts.sources import own_prompts
from intent.base.errors import UsageError
from intent.play.referee import Referee


class Says:
    """An ask that answers in turn and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies, self.requests = list(replies), []

    async def __call__(self, messages, settings=None, *, purpose="choose", tools=()):
        self.requests.append((tuple(messages), settings, purpose))
        reply = self.replies[len(self.requests) - 1]
        return Answer(reply if isinstance(reply, Reply) else Reply(reply), f"g/1/1/{len(self.requests)}")


def turn(ask, *, speaking=False, settings=None, language="en", **fields):
    """What seat 1 decides in round 1."""
    plan = plan_of(
        "openai/m",
        "scripted/TFT",
        stage="prisoner-dilemma-conventional",
        language=language,
        communication="simultaneous" if speaking else "none",
        **fields,
    )
    seat = plan.seats[0].model_copy(update={"settings": settings or Settings(temperature=0.7)})
    plan = plan.model_copy(update={"seats": (seat, plan.seats[1])})
    agent = PlainAgent(plan, 1, own_prompts())
    referee = Referee(
        plan.stage(), plan.horizon(), communication=plan.communication, rng=np.random.default_rng(0)
    )
    act = agent.speak if speaking else agent.choose
    return asyncio.run(act(referee.view(1), ask, np.random.default_rng(0)))


def rules(**fields):
    return ReplyRules(**fields)


def test_a_label_is_the_move():
    ask = Says("<think>B is kind</think> option b.")
    decision = turn(ask)
    assert (decision.action, decision.status, decision.reasoning) == ("OptionB", "parsed", "B is kind")
    assert (decision.reply, decision.prompt) == ("g/1/1/1", "g/1/1/1")
    (messages, settings, purpose) = ask.requests[0]
    assert "OptionA" in messages[0].content
    assert settings == Settings(temperature=0.7, choices=("OptionA", "OptionB"))
    assert purpose == "choose"


def test_choices_follow_the_order_of_the_prompt():
    ask = Says("OptionA")
    turn(ask, listed_first="OptionB")
    assert ask.requests[0][1].choices == ("OptionB", "OptionA")


def test_an_unreadable_reply_is_asked_for_again_with_the_same_prompt():
    ask = Says("either", "neither", "OptionA")
    decision = turn(ask)
    assert (decision.action, decision.reply) == ("OptionA", "g/1/1/3")
    assert len({messages for messages, *_ in ask.requests}) == 1


def test_a_reminder_shows_the_last_reply_and_what_is_expected():
    ask = Says("<think>hm</think>either", "neither", "OptionA")
    turn(ask, reply=rules(remind=True), language="fr")
    (first,), second, third = (messages for messages, *_ in ask.requests)
    reminder = Message("user", own_prompts().remind("fr", ("OptionA", "OptionB"), "strict"))
    assert second == (first, Message("assistant", "either"), reminder)
    assert third == (first, Message("assistant", "neither"), reminder)


def test_an_empty_reply_is_not_shown():
    ask = Says("", "OptionA")
    turn(ask, reply=rules(remind=True))
    (first,), (second,) = (messages for messages, *_ in ask.requests)
    assert second.content == f"{first.content}\n\n{own_prompts().remind('en', ('OptionA', 'OptionB'))}"


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        ({"then": "missing"}, (None, "missing", False)),
        ({"then": "default", "default": "OptionB"}, ("OptionB", "defaulted", False)),
        ({"then": "end"}, (None, "missing", True)),
    ],
)
@pytest.mark.parametrize("retries", [0, 2])
def test_after_the_last_try_the_plan_decides(rule, outcome, retries):
    ask = Says(*["nonsense"] * (retries + 1))
    decision = turn(ask, reply=rules(retries=retries, **rule))
    assert (decision.action, decision.status, decision.end) == outcome
    assert decision.reply == f"g/1/1/{retries + 1}"


def test_a_default_that_is_no_action_is_refused():
    for default in ("OptionC", None):
        with pytest.raises(UsageError, match="expected one of OptionA, OptionB"):
            turn(Says("x"), reply=rules(then="default", default=default))


@pytest.mark.parametrize(
    ("parser", "reply", "action"),
    [
        ("json", '{"choice": "OptionB"}', "OptionB"),
        ("json", "OptionB", None),
        ("fairgame", "not OptionA, OptionB", "OptionA"),
        ("strict", "not OptionA, OptionB", None),
    ],
)
def test_the_plan_names_the_parser(parser, reply, action):
    assert turn(Says(reply), reply=rules(parser=parser, retries=0)).action == action


def test_a_constrained_reply_is_a_label_whatever_the_parser():
    settings = Settings(constrained=True)
    decision = turn(Says("OptionB"), settings=settings, reply=rules(parser="json", retries=0))
    assert decision.action == "OptionB"


def test_reasoning_apart_and_inside_are_both_kept_up_to_a_bound():
    long = "x" * (LONGEST_REASONING + 1)
    decision = turn(Says(Reply("<think>b</think>OptionA", reasoning="a")))
    assert decision.reasoning == "a\n\nb"
    decision = turn(Says(Reply("OptionA", reasoning=long)))
    assert decision.reasoning == long[:-1] + " […]"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("Let us both take OptionB.", "Let us both take OptionB."),
        ("<think>lie</think> Trust me. ", "Trust me."),
        ("<think>silence</think>", None),
        ("", None),
        ("y" * (LONGEST_MESSAGE + 1), "y" * LONGEST_MESSAGE + " […]"),
    ],
)
def test_messages_are_the_reply_without_its_reasoning(reply, message):
    ask = Says(reply)
    decision = turn(ask, speaking=True, settings=Settings(constrained=True))
    assert (decision.action, decision.message) == (None, message)
    assert ask.requests[0][1:] == (Settings(), "message")


def test_what_the_log_says_of_the_seat():
    plan = plan_of("openai/m", "scripted/TFT", stage="prisoner-dilemma-conventional")
    columns = PlainAgent(plan, 1, own_prompts()).columns
    assert (columns["model"], columns["architecture"], columns["agent_name"]) == (
        "openai/m",
        "plain",
        "agent1",
    )


def test_why_replies_could_not_be_read_is_on_record():
    assert turn(Says("OptionA")).details == {}
    asked_again = turn(Says("hm", "OptionA or OptionB", "OptionB"), reply=rules(retries=2))
    assert asked_again.status == "parsed"
    assert [why[:10] for why in asked_again.details["unread"]] == ["names none", "names Opti"]
    given_up = turn(Says("hm", "hm"), reply=rules(retries=1, then="default", default="OptionA"))
    assert (given_up.status, len(given_up.details["unread"])) == ("defaulted", 2)
