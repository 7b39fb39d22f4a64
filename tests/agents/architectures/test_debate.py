"""The debate: who speaks when, what ends it, what is recorded."""

from __future__ import annotations

import asyncio
from itertools import cycle

import numpy as np
import pytest
from agent_plans import plan_of

from intent.agents.agent import Answer
from intent.agents.architectures.debate import DebateAgent
from intent.agents.client import Reply, Settings
from intent.agents.plan import ReplyRules
from intent.agents.prompts.sources import own_prompts
from intent.base.errors import UsageError
from intent.play.referee import Referee

DECIDED = "I agree.\nDECISION: OptionB"


class Says:
    """An ask that answers in turn, again from the first, and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies, self.requests, self.purposes = cycle(replies), [], []

    async def __call__(self, messages, settings=None, *, purpose="choose", tools=()):
        self.requests.append((tuple(messages), settings))
        self.purposes.append(purpose)
        return Answer(Reply(next(self.replies)), f"g/1/1/{len(self.requests)}")


def turn(*replies, what=("choose",), settings=None, attitude="defect", seat=1, options=None, **fields):
    """What a debating seat decides in round 1, and what was asked."""
    plan = plan_of("openai/m", "openai/m", stage="prisoner-dilemma-conventional", **fields)
    changes = {
        "architecture": "debate",
        "attitude": attitude,
        "settings": settings or Settings(),
        "options": options or {},
    }
    plan = plan.model_copy(update={"seats": tuple(s.model_copy(update=changes) for s in plan.seats)})
    agent, ask = DebateAgent(plan, seat, own_prompts()), Says(*replies)
    view = Referee(plan.stage(), plan.horizon(), communication=plan.communication).view(seat)
    decision = asyncio.run(getattr(agent, what[0])(*what[1:], view, ask, np.random.default_rng(0)))
    return decision, ask


def transcript_of(decision):
    return [line["text"] for line in decision.details["transcript"]]


def test_the_assistant_speaks_first_and_the_decision_maker_decides():
    decision, ask = turn("Take OptionA.", DECIDED)
    assert (decision.action, decision.status, decision.reply) == ("OptionB", "parsed", "g/1/1/2")
    assert decision.details == {
        "status": "decided",
        "turns": 1,
        "role_play": 0,
        "early": 0,
        "assistant_decided": 0,
        "restarts": 0,
        "transcript": [
            {"speaker": "assistant", "text": "Take OptionA."},
            {"speaker": "decider", "text": DECIDED},
        ],
    }
    assert ask.purposes == ["advise", "choose"]


def test_only_the_assistant_is_told_the_payoffs_and_the_advice():
    _, ask = turn("Take it.", DECIDED, attitude="cooperate")
    assistant, decider = ("\n".join(m.content for m in messages) for messages, _ in ask.requests)
    assert "outcome of a round depends on both choices" in assistant
    assert "outcome of a round depends on both choices" not in decider
    assert "to choose OptionB" in assistant
    assert "to choose OptionB" not in decider
    assert decider.endswith("Take it.")


@pytest.mark.parametrize(
    ("attitude", "advice"), [("cooperate", "OptionB"), ("defect", "OptionA"), ("compute", "OptionA")]
)
def test_advice_is_the_attitude_or_what_was_recommended(attitude, advice):
    decision, _ = turn("I recommend OptionA.", DECIDED, attitude=attitude)
    assert decision.advice == advice


def test_advice_that_cannot_be_read_is_none():
    assert turn("OptionA or OptionB, who knows.", DECIDED, attitude="compute")[0].advice is None


def test_the_assistants_decision_does_not_count():
    decision, ask = turn("DECISION: OptionA", "Hm.", "DECISION: OptionA", DECIDED)
    assert decision.action == "OptionB"
    assert (decision.details["turns"], decision.details["assistant_decided"]) == (2, 2)
    assert len(ask.requests) == 4


@pytest.mark.parametrize(
    "words",
    [
        "You told me to write 'DECISION: <option>' at the end.",
        "> DECISION: OptionA\nSo you quote.",
        'Should I say "DECISION: OptionA"? I wonder.',
        "DECISION: <option>",
    ],
)
def test_a_quoted_instruction_does_not_end_it(words):
    decision, ask = turn("Well?", words, "Well?", DECIDED)
    assert decision.action == "OptionB"
    assert len(ask.requests) == 4


def test_endless_politeness_ends_at_the_cap():
    decision, ask = turn("Thank you! " * 100_000, "No, thank you! " * 100_000)
    assert (decision.action, decision.status, decision.message) == (None, "missing", None)
    assert (decision.details["status"], decision.details["turns"]) == ("stalled", 6)
    assert len(ask.requests) == 12
    assert sum(len(m.content) for m in ask.requests[-1][0]) < 12 * 4_100 + 10_000
    assert all(len(text) < 4_100 for text in transcript_of(decision))


def test_a_stalled_debate_is_what_the_rules_for_unreadable_replies_make_of_it():
    rules = ReplyRules(then="default", default="OptionA")
    decision, _ = turn("Thanks.", reply=rules, options={"most_turns": 2})
    assert (decision.action, decision.status) == ("OptionA", "defaulted")
    assert turn("Thanks.", reply=ReplyRules(then="end"))[0].end


def test_a_stalled_debate_is_begun_again():
    options = {"stalled": "restart", "most_turns": 1, "restarts": 2}
    decision, ask = turn("a1", "d1", "a2", DECIDED, options=options)
    assert (decision.action, decision.details["status"]) == ("OptionB", "decided")
    assert (decision.details["restarts"], decision.details["turns"]) == (1, 2)
    assert transcript_of(decision) == ["a2", DECIDED]
    assert ask.requests[2] == ask.requests[0]
    decision, ask = turn("Thanks.", options=options)
    assert (decision.details["status"], decision.details["restarts"]) == ("stalled", 2)
    assert len(ask.requests) == 6


def test_a_stalled_debate_is_closed_with_a_last_request():
    decision, ask = turn("a", "d", "OptionA", options={"stalled": "decide", "most_turns": 1})
    assert (decision.action, decision.details["status"]) == ("OptionA", "stalled")
    *_, own, last = ask.requests[-1][0]
    assert (own.role, own.content, last.role) == ("assistant", "d", "user")
    assert "DECISION: <option>" in last.content
    assert "You are agent1" not in last.content


def test_a_constrained_model_is_asked_for_the_label_after_its_turns():
    settings = Settings(constrained=True)
    decision, ask = turn("Take OptionA.", "OptionA", settings=settings)
    assert (decision.action, decision.details["status"], decision.details["turns"]) == (
        "OptionA",
        "decided",
        1,
    )
    assert [s.constrained for _, s in ask.requests] == [False, True]
    _, ask = turn("a1", "d1", "a2", "OptionA", settings=settings, options={"turns": 2})
    assert [s.constrained for _, s in ask.requests] == [False, False, False, True]


def test_a_decision_that_is_no_label_is_asked_for_again():
    decision, ask = turn("a", "DECISION: both", "DECISION: OptionA")
    assert (decision.action, decision.details["status"], decision.details["turns"]) == (
        "OptionA",
        "decided",
        1,
    )
    assert ask.requests[2][0] == ask.requests[1][0]
    decision, ask = turn("a", *["DECISION: both"] * 3, reply=ReplyRules(remind=True))
    assert (decision.action, decision.details["status"]) == (None, "unreadable")
    assert len(ask.requests) == 4
    assert ask.requests[2][0][-2].content == "DECISION: both"


ROLE_PLAY = "I say OptionA.\n**Client**: Fine.\nDECISION: OptionA"


def test_role_play_is_recorded_and_kept_or_cut():
    decision, _ = turn(ROLE_PLAY, DECIDED)
    assert (decision.details["role_play"], decision.details["assistant_decided"]) == (1, 1)
    assert transcript_of(decision)[0] == ROLE_PLAY
    decision, _ = turn(ROLE_PLAY, DECIDED, options={"role_play": "cut"})
    assert (decision.details["role_play"], decision.details["assistant_decided"]) == (1, 0)
    assert transcript_of(decision)[0] == "I say OptionA."


def test_a_decision_in_lines_that_are_cut_does_not_count():
    words = "Hm.\n**Lawyer**: Then\nDECISION: OptionA"
    assert turn("a", words, "a", DECIDED)[0].action == "OptionA"
    assert turn("a", words, "a", DECIDED, options={"role_play": "cut"})[0].action == "OptionB"


def test_reasoning_is_not_passed_on():
    decision, ask = turn("<think>secret</think>Take OptionA.", "<think>hidden</think>" + DECIDED)
    assert decision.reasoning == "secret\n\nhidden"
    assert "secret" not in "".join(m.content for m in ask.requests[1][0])


def test_questions_are_debated_to_the_keyword_answer():
    what = ("answer", "rounds_so_far")
    decision, ask = turn("None yet.", "DECISION: OptionA", "None.", "So.\nANSWER: 0", what=what)
    assert decision.message == "So.\nANSWER: 0"
    assert set(ask.purposes) == {"question"}
    assert len(ask.requests) == 4
    assert turn("Thanks.", what=what)[0].message is None
    assert turn("a", "ANSWER: 0", what=what, settings=Settings(constrained=True))[0].message == "ANSWER: 0"


def test_a_message_is_the_decision_makers_in_one_call():
    decision, ask = turn("Let us gain.", what=("speak",), communication="simultaneous")
    assert decision.message == "Let us gain."
    assert "outcome of a round depends" not in ask.requests[0][0][0].content
    assert ask.purposes == ["message"]


def test_calls_are_as_many_as_foretold():
    plan = plan_of("openai/m", "openai/m", reply=ReplyRules(retries=2))
    free = plan.seats[0]
    fixed = free.model_copy(update={"settings": Settings(constrained=True)})
    again = free.model_copy(update={"options": {"stalled": "restart"}})
    assert DebateAgent.calls(plan, fixed) == (2, 4)
    assert DebateAgent.calls(plan, free) == (4, 14)
    assert DebateAgent.calls(plan, again) == (4, 50)


def test_options_and_attitudes_that_mean_nothing_are_refused():
    with pytest.raises(UsageError, match="most_turns"):
        turn("a", options={"most_turn": 3})
    with pytest.raises(UsageError, match="most_turns"):
        turn("a", options={"most_turns": 0})
    with pytest.raises(UsageError, match="attitude"):
        turn("a", attitude="greedy")
