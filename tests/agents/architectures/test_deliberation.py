"""Public and private deliberation: what is asked, what is public, what is remembered."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from agent_plans import plan_of

from intent.agents.agent import Answer
from intent.agents.architectures.deliberation import PrivateAgent, PublicAgent
from intent.agents.client import Message, Reply, Settings
from intent.agents.plan import ReplyRules
from intent.agents.prompts.sources import own_prompts
from intent.base.errors import UsageError
from intent.play.referee import Referee

FULL = "{{OptionB pays more.}}\nLet us both gain.\nDECISION: OptionB"


class Says:
    """An ask that answers in turn and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies, self.requests, self.purposes = list(replies), [], []

    async def __call__(self, messages, settings=None, *, purpose="choose", tools=()):
        self.requests.append((tuple(messages), settings))
        self.purposes.append(purpose)
        return Answer(Reply(self.replies[len(self.requests) - 1]), f"g/1/1/{len(self.requests)}")


class Table:
    """Seat 1 deliberates; seat 2 plays OptionA and says nothing."""

    def __init__(self, kind=PrivateAgent, *, settings=None, options=None, **fields):
        plan = plan_of("openai/m", "scripted/TFT", stage="prisoner-dilemma-conventional", **fields)
        seat = plan.seats[0].model_copy(
            update={
                "settings": settings or Settings(),
                "options": options or {},
                "architecture": "private" if kind is PrivateAgent else "public",
            }
        )
        self.plan = plan.model_copy(update={"seats": (seat, plan.seats[1])})
        self.agent = kind(self.plan, 1, own_prompts())
        self.referee = Referee(self.plan.stage(), self.plan.horizon(), communication=self.plan.communication)

    def turn(self, *replies, what="choose"):
        ask = Says(*replies)
        act = getattr(self.agent, what)
        given = ("opponent_next",) if what == "answer" else ()
        decision = asyncio.run(act(*given, self.referee.view(1), ask, np.random.default_rng(0)))
        assert len(ask.requests) == len(replies)
        return decision, ask

    def round(self, *replies):
        decision, ask = self.turn(*replies)
        message = decision.message
        self.referee.submit(1, decision.action, decision.status, message)
        self.referee.submit(2, "OptionA")
        return decision, ask


def test_one_reply_holds_thoughts_text_and_decision():
    decision, ask = Table().turn(FULL)
    assert (decision.action, decision.status) == ("OptionB", "parsed")
    assert (decision.message, decision.private_thought) == ("Let us both gain.", "OptionB pays more.")
    assert decision.details == {"stages": "together", "blocks": 1, "unbalanced": False}
    assert ask.requests[0][1] == Settings(choices=("OptionA", "OptionB"))


def test_the_decision_counts_in_the_public_part_only():
    decision, _ = Table(reply=ReplyRules(retries=0)).turn("{{DECISION: OptionB}} Trust me.")
    assert (decision.action, decision.status, decision.message) == (None, "missing", None)
    assert decision.private_thought == "DECISION: OptionB"
    decision, _ = Table().turn("{{DECISION: OptionB}} Trust me.\nDECISION: OptionA")
    assert decision.action == "OptionA"


def test_what_cannot_be_read_is_not_sent():
    decision, _ = Table(reply=ReplyRules(retries=1)).turn("{{s}} p", "{{t}} q")
    assert (decision.action, decision.message, decision.private_thought) == (None, None, "s\n\nt")


def test_a_reminder_goes_to_the_own_model_and_the_first_text_to_the_others():
    decision, ask = Table(reply=ReplyRules(remind=True)).turn("{{s}} Let us gain.", "DECISION: OptionA")
    assert (decision.action, decision.message, decision.private_thought) == ("OptionA", "Let us gain.", "s")
    assert [m.role for m in ask.requests[1][0]] == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    ("remind", "sent"), [(True, "Let us gain."), (False, "I mean to win.")], ids=["reminded", "asked anew"]
)
def test_what_is_said_after_a_reminder_is_not_sent(remind, sent):
    table = Table(reply=ReplyRules(remind=remind))
    decision, _ = table.turn("{{s}} Let us gain.", "I mean to win.\nDECISION: OptionB")
    assert (decision.action, decision.message) == ("OptionB", sent)


@pytest.mark.parametrize("kind", [PrivateAgent, PublicAgent])
def test_of_stages_apart_only_the_public_text_is_sent(kind):
    before = ("t1", "t2", "t3") if kind is PrivateAgent else ()
    table = Table(kind, options={"stages": "apart"})
    decision, _ = table.turn(*before, "Let us gain.", "They trust me, so I win.\nDECISION: OptionB")
    assert (decision.action, decision.message) == ("OptionB", "Let us gain.")


def test_the_text_does_not_tell_that_something_was_hidden():
    decision, _ = Table().turn("1. {{I shall win.}}\n2. Let us gain.\n3. DECISION: OptionB")
    assert (decision.action, decision.message) == ("OptionB", "Let us gain.")


def test_stages_apart_are_a_call_each_in_one_conversation():
    table = Table(settings=Settings(constrained=True, temperature=0.5))
    decision, ask = table.turn("t1", "t2", "t3", "{{t4}} Let us gain.", "OptionB")
    assert (decision.action, decision.message) == ("OptionB", "Let us gain.")
    assert decision.private_thought == "t1\n\nt2\n\nt3\n\nt4"
    assert decision.details == {"stages": "apart", "blocks": 1, "unbalanced": False}
    assert ask.purposes == ["think", "think", "think", "message", "choose"]
    assert [settings.constrained for _, settings in ask.requests] == [False] * 4 + [True]
    assert ask.requests[-1][1].choices == ("OptionA", "OptionB")
    last = ask.requests[-1][0]
    assert [m.content for m in last if m.role == "assistant"] == ["t1", "t2", "t3", "{{t4}} Let us gain."]
    rules = "You are agent1"
    assert [rules in m.content for m in last if m.role == "user"] == [True, False, False, False, False]
    assert "OptionA" in ask.requests[0][0][-1].content.splitlines()[-1]
    assert "OptionB" in ask.requests[1][0][-1].content.splitlines()[-1]


def test_own_thoughts_of_the_rounds_in_memory_come_back():
    table = Table(memory=2)
    for thought in ("alpha", "beta", "gamma"):
        table.round(f"{{{{{thought}}}}} p\nDECISION: OptionA")
    _, ask = table.turn(FULL)
    prompt = ask.requests[0][0][-1].content
    assert [word in prompt for word in ("alpha", "beta", "gamma")] == [False, True, True]


def test_in_a_game_with_messages_the_thoughts_come_before_the_message():
    table = Table(communication="simultaneous")
    spoken, _ = table.turn("{{I shall defect.}} Let us gain.", what="speak")
    assert (spoken.message, spoken.private_thought) == ("Let us gain.", "I shall defect.")
    table.referee.speak(1, spoken.message)
    table.referee.speak(2, "Agreed.")
    decision, ask = table.turn("{{Yes.}} OptionB")
    assert (decision.action, decision.message) == ("OptionB", None)
    assert decision.private_thought == "I shall defect.\n\nYes."
    messages = ask.requests[0][0]
    assert messages[1] == Message("assistant", "{{I shall defect.}} Let us gain.")
    assert "Agreed." in messages[2].content
    assert "You are agent1" not in messages[2].content


def test_a_public_agent_hides_nothing():
    decision, ask = Table(PublicAgent).turn("I see {{all}}.\nDECISION: OptionA")
    assert (decision.action, decision.message, decision.private_thought) == (
        "OptionA",
        "I see {{all}}.",
        None,
    )
    assert decision.details == {"stages": "together"}
    decision, ask = Table(PublicAgent, options={"stages": "apart"}).turn("I gain.", "OptionB")
    assert (decision.action, decision.message) == ("OptionB", "I gain.")
    assert ask.purposes == ["message", "choose"]


def test_a_bare_label_is_a_decision_without_a_text():
    for kind in (PrivateAgent, PublicAgent):
        decision, _ = Table(kind).turn("OptionB")
        assert (decision.action, decision.message) == ("OptionB", None)


def test_an_answer_is_the_public_part():
    decision, ask = Table().turn("{{s}} So: ANSWER: OptionA", what="answer")
    assert (decision.message, decision.private_thought) == ("So: ANSWER: OptionA", "s")
    assert ask.purposes == ["question"]


def test_unknown_options_are_refused():
    with pytest.raises(UsageError, match="stages"):
        Table(options={"stage": "apart"})


@pytest.mark.parametrize("kind", [PrivateAgent, PublicAgent])
@pytest.mark.parametrize("stages", ["together", "apart"])
@pytest.mark.parametrize("communication", ["none", "simultaneous"])
def test_calls_are_as_many_as_foretold(kind, stages, communication):
    table = Table(kind, options={"stages": stages}, communication=communication)
    asked = 0
    if communication != "none":
        ask = Says(*["p"] * 9)
        asyncio.run(table.agent.speak(table.referee.view(1), ask, np.random.default_rng(0)))
        table.referee.speak(1, "p")
        table.referee.speak(2, None)
        asked = len(ask.requests)
    ask = Says(*["p"] * 4, "OptionA") if stages == "apart" and not asked else Says("OptionA", "OptionA")
    if kind is PublicAgent and stages == "apart" and not asked:
        ask = Says("p", "OptionA")
    asyncio.run(table.agent.choose(table.referee.view(1), ask, np.random.default_rng(0)))
    assert asked + len(ask.requests) == kind.calls(table.plan, table.plan.seats[0])[0]


ANNOUNCED = {"decision": "announced"}


@pytest.mark.parametrize(
    ("kind", "reply", "action"),
    [
        (PublicAgent, "I will choose Option B. It pays more.", "OptionB"),
        (PrivateAgent, "{{I will choose OptionB.}} I will choose action A, for both of us.", "OptionA"),
        (PrivateAgent, "{{I will choose OptionB.}} Let us both gain.", None),
        (PublicAgent, "I will choose OptionA. No: I will choose OptionB.", None),
        (PublicAgent, "I will not choose OptionA.", None),
        (PublicAgent, 'You wrote "I will choose OptionA". I am not sure yet.', None),
        (PublicAgent, "I take the one or the other.", None),
    ],
)
def test_an_announced_choice_is_read_in_the_public_text_or_not_at_all(kind, reply, action):
    table = Table(kind, options=ANNOUNCED, reply=ReplyRules(retries=0))
    decision, ask = table.turn(reply)
    assert decision.action == action
    assert "DECISION" not in ask.requests[0][0][-1].content
    assert "OptionB" not in (decision.message or "") or kind is PublicAgent


def test_a_text_that_announces_nothing_is_asked_for_again():
    decision, _ = Table(options=ANNOUNCED).turn("{{secret}} Hm.", "{{again}} I will choose OptionA.")
    assert (decision.action, decision.message) == ("OptionA", "I will choose OptionA.")


def test_apart_the_label_is_asked_for_where_the_text_announces_none():
    apart = {**ANNOUNCED, "stages": "apart"}
    decision, _ = Table(PublicAgent, options=apart).turn("I will choose OptionB.")
    assert decision.action == "OptionB"
    decision, ask = Table(PublicAgent, options=apart).turn("Let us both gain.", "OptionA")
    assert (decision.action, decision.message, ask.purposes) == (
        "OptionA",
        "Let us both gain.",
        ["message", "choose"],
    )


def test_announcing_a_choice_makes_no_sense_where_texts_are_sent_before_it():
    with pytest.raises(UsageError, match="expected decision: stated"):
        Table(options=ANNOUNCED, communication="simultaneous")
