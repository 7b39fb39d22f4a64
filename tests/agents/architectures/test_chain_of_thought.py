"""Chain of thought: the last stated decision, thinking that nobody else sees, and stages."""

from __future__ import annotations

import pytest
from agent_plans import plan_of
from stub_asks import PROMPTS, Says, turn, with_seat

from intent.agents.agent import architecture
from intent.agents.client import Message, Settings
from intent.agents.plan import ReplyRules
from intent.base.errors import UsageError

FIXED = Settings(constrained=True, temperature=0.5)


def plan(settings: Settings | None = None, options: dict | None = None, **fields):
    made = plan_of("openai/m", "scripted/TFT", stage="prisoner-dilemma-conventional", **fields)
    return with_seat(made, settings, architecture="chain_of_thought", options=options or {})


def test_together_reads_the_last_statement_and_keeps_the_thinking_private() -> None:
    reply = "<think>secret</think>OptionA is tempting.\nDECISION: OptionA\nNo:\n**DECISION: OptionB**"
    ask = Says(reply)
    decision = turn(ask, plan())
    assert (decision.action, decision.status, decision.message) == ("OptionB", "parsed", None)
    assert decision.reasoning.startswith("secret\n\nOptionA is tempting.")
    assert decision.details == {"stages": "together"}
    ((messages, settings, purpose, tools),) = ask.requests
    assert "step by step" in messages[-1].content
    assert "DECISION: <option>" in messages[-1].content
    assert (settings.choices, settings.constrained, purpose, tools) == (
        ("OptionA", "OptionB"),
        False,
        "choose",
        (),
    )


def test_a_bare_label_is_a_decision_without_thinking() -> None:
    decision = turn(Says("OptionA"), plan())
    assert (decision.action, decision.reasoning) == ("OptionA", None)


@pytest.mark.parametrize("parser", ["strict", "json", "fairgame"])
def test_what_a_last_call_asks_for_is_read_by_every_parser(parser: str) -> None:
    ask = Says("They may defect.", "OptionB")
    made = with_seat(plan(reply=ReplyRules(retries=0, parser=parser)), options={"stages": "apart"})
    assert turn(ask, made).action == "OptionB"
    assert "the name of the option only" in ask.requests[-1][0][-1].content


@pytest.mark.parametrize("name", ["plain", "chain_of_thought", "private"])
def test_an_attitude_that_nobody_knows_is_refused(name: str) -> None:
    made = with_seat(plan(), architecture=name, attitude="coperate")
    with pytest.raises(UsageError, match="attitude 'coperate', expected one of cooperate, defect, compute"):
        architecture(name)(made, 1, PROMPTS)


def test_a_label_among_prose_is_none() -> None:
    decision = turn(Says("I like OptionA"), plan(reply=ReplyRules(retries=0, parser="fairgame")))
    assert (decision.action, decision.status) == (None, "missing")


def test_constrained_seats_think_and_decide_apart() -> None:
    ask = Says("They may defect.", "OptionB")
    decision = turn(ask, plan(FIXED))
    assert (decision.action, decision.reasoning) == ("OptionB", "They may defect.")
    assert (decision.reply, decision.details) == ("g/1/1/2", {"stages": "apart"})
    (first, thinking, purpose, _), (second, choosing, last, _) = ask.requests
    assert (thinking, purpose) == (Settings(temperature=0.5), "think")
    assert (choosing.constrained, choosing.choices, last) == (True, ("OptionA", "OptionB"), "choose")
    assert second[:-1] == (*first, Message("assistant", "They may defect."))
    assert "OptionA" in second[-1].content


def test_apart_without_thinking_still_decides() -> None:
    ask = Says("", "DECISION: OptionB")
    decision = turn(ask, plan(options={"stages": "apart"}))
    assert (decision.action, decision.reasoning) == ("OptionB", None)
    assert len(ask.requests[1][0]) == len(ask.requests[0][0])


def test_together_is_possible_for_constrained_seats_too() -> None:
    ask = Says("DECISION: OptionB")
    assert turn(ask, plan(FIXED, {"stages": "together"})).action == "OptionB"
    assert not ask.requests[0][1].constrained


def test_unreadable_replies_are_reminded_of_the_form() -> None:
    ask = Says("hm", "DECISION: OptionA")
    turn(ask, plan(reply=ReplyRules(remind=True)))
    assert ask.requests[1][0][-2] == Message("assistant", "hm")
    assert "DECISION: <option>" in ask.requests[1][0][-1].content


def test_the_default_stands_in_at_last() -> None:
    rules = ReplyRules(retries=1, then="default", default="OptionB")
    decision = turn(Says("hm", "ha"), plan(reply=rules))
    assert (decision.action, decision.status, decision.reply) == ("OptionB", "defaulted", "g/1/1/2")


def test_an_answer_is_given_as_it_is() -> None:
    ask = Says("<think>one</think>So far none.\nANSWER: 0")
    decision = turn(ask, plan(FIXED), question="rounds_so_far")
    assert (decision.message, decision.reasoning) == ("So far none.\nANSWER: 0", "one")
    ((messages, settings, purpose, _),) = ask.requests
    assert (settings.constrained, purpose) == (False, "question")
    assert "How many rounds" in messages[-1].content


@pytest.mark.parametrize("name", ["plain", "chain_of_thought", "tool"])
@pytest.mark.parametrize(
    "question", ["opponent_next", "rounds_so_far", "extremes", "total_so_far", "opponent_type"]
)
def test_every_question_has_words(name: str, question: str) -> None:
    ask = Says("ANSWER: 1")
    assert turn(ask, with_seat(plan(), architecture=name), question=question).message == "ANSWER: 1"
    assert "ANSWER: " in ask.requests[0][0][-1].content
    assert "{" not in ask.requests[0][0][-1].content


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("chain_of_thought", {"stage": "apart"}, "unknown option 'stage'; did you mean stages"),
        (
            "chain_of_thought",
            {"stages": "both"},
            "stages 'both': Input should be 'auto', 'together' or 'apart'",
        ),
        ("plain", {"stages": "apart"}, "'stages', expected none"),
        ("tool", {"protocols": "native"}, "did you mean protocol"),
        ("debate", {"turns": 7}, "turns '7': .*expected most_turns, 6, or less"),
    ],
)
def test_options_that_cannot_be(name: str, options: dict, problem: str) -> None:
    made = with_seat(plan(), architecture=name, options=options)
    with pytest.raises(UsageError, match=problem):
        architecture(name)(made, 1, PROMPTS)
