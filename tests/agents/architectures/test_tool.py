"""The tool agent: one call is honoured, whatever the model does, and the log tells."""

from __future__ import annotations

import json

import pytest
from agent_plans import GOODS, plan_of
from hypothesis import given, settings
from hypothesis import strategies as st
from stub_asks import PROMPTS, Says, call, turn, with_seat

from intent.agents.architectures.tool import ToolAgent
from intent.agents.client import Message, Reply, Settings
from intent.agents.plan import ReplyRules
from intent.agents.tools import TOOL_NAME
from intent.base.codebook import DETAILS
from intent.base.errors import SettingError, UsageError

pytest.importorskip("nashpy")

PAYOFFS = {"temptation": 15, "reward": 10, "punishment": 5, "sucker": 0}
STATED = json.dumps(PAYOFFS)
LABEL = {"cooperate": "C", "defect": "D"}


def plan(attitude: str | None = "compute", settings: Settings | None = None, **fields):
    options = {key: fields.pop(key) for key in ("tool", "protocol") if key in fields}
    player = fields.pop("player", "openai/m")
    made = plan_of(player, "scripted/TFT", stage="prisoner-dilemma-trps", **fields)
    return with_seat(made, settings, architecture="tool", attitude=attitude, options=options)


def outcome(decision) -> tuple:
    keys = ("status", "calls", "refused", "early")
    return (decision.action, decision.advice, *(decision.details[key] for key in keys))


def written(arguments: object = None, name: str = TOOL_NAME) -> str:
    return "CALL: " + json.dumps({"name": name, "arguments": arguments or {}})


D, C = "DECISION: D", "DECISION: C"


def stated_game() -> str:
    """The payoffs of the game that the plan plays, as a model that reads well states them."""
    game = plan().stage()
    pairs = zip(PAYOFFS, (("D", "C"), ("C", "C"), ("D", "D"), ("C", "D")), strict=True)
    return json.dumps({name: game.payoff(pair)[0] for name, pair in pairs})


def test_a_native_call_is_answered_and_the_decision_follows() -> None:
    ask = Says(("Let me ask.", [call(arguments=stated_game(), id="x")]), D)
    decision = turn(ask, plan())
    assert outcome(decision) == ("D", "D", "called", 1, 0, False)
    assert decision.details["stated"] == json.loads(stated_game())
    assert (decision.details["stated_right"], decision.details["best"]) == (True, ["D"])
    assert decision.reasoning == "Let me ask.\n\nDECISION: D"
    (base, first, purpose, tools), (messages, second, _, same) = ask.requests
    assert (first.tool_choice, second.tool_choice, purpose, tools) == (None, "none", "choose", same)
    properties = tools[0]["function"]["parameters"]["properties"]
    assert set(properties) == set(PAYOFFS)
    assert all(p["type"] == "number" for p in properties.values())
    said, result = messages[len(base) :]
    assert said == Message("assistant", "Let me ask.", (call(arguments=stated_game(), id="x"),))
    assert (result.role, result.tool_call_id) == ("tool", "x")
    assert "D" in result.content


def test_the_details_are_those_of_the_schema() -> None:
    assert set(turn(Says(D), plan()).details) == set(DETAILS["tool"])


@pytest.mark.parametrize("attitude", ["cooperate", "defect"])
def test_fixed_advice_asks_for_nothing(attitude: str) -> None:
    ask = Says(("", [call()]), D)
    decision = turn(ask, plan(attitude))
    assert outcome(decision) == ("D", LABEL[attitude], "called", 1, 0, False)
    assert ask.requests[0][3][0]["function"]["parameters"]["properties"] == {}
    assert (decision.details["tool"], decision.details["stated"]) == ("fixed", None)


def test_never_calling_is_allowed() -> None:
    assert outcome(turn(Says(C), plan())) == ("C", None, "not_called", 0, 0, False)


def test_two_calls_in_one_reply() -> None:
    ask = Says(("", [call(arguments=STATED, id="a"), call(arguments=STATED, id="b")]), D)
    assert outcome(turn(ask, plan())) == ("D", "D", "called", 2, 1, False)
    first, second = ask.requests[1][0][-2:]
    assert (first.tool_call_id, second.tool_call_id) == ("a", "b")
    assert "D" in first.content
    assert second.content == PROMPTS.say("tool_refused", plan())


def test_calls_in_later_replies_are_refused_until_the_tries_are_spent() -> None:
    again = ("", [call(arguments=STATED, id="b")])
    ask = Says(("", [call(arguments=STATED, id="a")]), again, again, D)
    assert outcome(turn(ask, plan())) == ("D", "D", "called", 3, 2, False)
    ask = Says(("", [call(arguments=STATED, id="a")]), again, again, again)
    assert outcome(turn(ask, plan())) == (None, "D", "called", 4, 3, False)
    assert [message.role for message in ask.requests[-1][0][-4:]] == [
        "assistant",
        "tool",
        "assistant",
        "tool",
    ]


def test_a_later_call_with_a_decision_is_a_decision() -> None:
    ask = Says(("", [call(arguments=STATED)]), (C, [call(arguments=STATED)]))
    assert outcome(turn(ask, plan())) == ("C", "D", "called", 2, 1, False)


@pytest.mark.parametrize(
    "arguments", ['{"temptation": "much"}', "no JSON {", "[]", STATED.replace("15", "NaN")]
)
def test_arguments_that_cannot_be_read_use_up_the_call(arguments: str) -> None:
    ask = Says(("", [call(arguments=arguments)]), C)
    decision = turn(ask, plan())
    assert outcome(decision) == ("C", None, "invalid", 1, 0, False)
    assert decision.details["stated"] is None
    json.loads(ask.requests[1][0][-2].tool_calls[0]["arguments"])


def test_words_with_numbers_are_read_and_noted() -> None:
    values = json.dumps({name: f"{value} points" for name, value in PAYOFFS.items()})
    decision = turn(Says(("", [call(arguments=values)]), D), plan())
    assert (decision.details["status"], decision.details["as_text"]) == ("called", True)


def test_swapped_payoffs_change_the_advice_and_are_noted() -> None:
    swapped = json.dumps(dict(zip(PAYOFFS, reversed(PAYOFFS.values()), strict=True)))
    decision = turn(Says(("", [call(arguments=swapped)]), D), plan())
    assert (decision.advice, decision.details["stated_right"]) == ("C", False)


def test_an_unknown_tool_uses_up_the_call() -> None:
    ask = Says(("", [call("phone"), call(arguments=STATED, id="2")]), C)
    assert outcome(turn(ask, plan())) == ("C", None, "unknown", 2, 1, False)
    assert "phone" in ask.requests[1][0][-2].content


def test_a_decision_with_the_call_is_early_and_does_not_count() -> None:
    ask = Says((C, [call(arguments=STATED)]), D)
    assert outcome(turn(ask, plan())) == ("D", "D", "called", 1, 0, True)
    decision = turn(Says((C, [call(arguments=STATED)]), "", "", ""), plan())
    assert outcome(decision) == (None, "D", "called", 1, 0, True)


def test_the_prompted_protocol_says_how_and_answers_in_words() -> None:
    ask = Says(f"I ask.\n{written(PAYOFFS)}\nRESULT: C\n{C}\n{written()}", D)
    decision = turn(ask, plan(protocol="prompted"))
    assert outcome(decision) == ("D", "D", "called", 2, 1, True)
    assert decision.details["protocol"] == "prompted"
    (base, *_, tools), (messages, *_) = ask.requests
    assert tools == ()
    assert f'CALL: {{"name": "{TOOL_NAME}"' in base[-1].content
    assert all(name in base[-1].content for name in PAYOFFS)
    said, answer = messages[len(base) :]
    assert (said.role, answer.role) == ("assistant", "user")
    assert PROMPTS.say("tool_refused", plan()) in answer.content


def test_prompted_calls_of_other_tools_and_bare_ones() -> None:
    assert turn(Says(written(name="phone"), C), plan(protocol="prompted")).details["status"] == "unknown"
    decision = turn(Says(f"CALL: {STATED}", D), plan(protocol="prompted"))
    assert outcome(decision) == ("D", "D", "called", 1, 0, False)


@pytest.mark.parametrize(
    ("player", "protocol"),
    [
        ("openai/m", "native"),
        ("anthropic/m", "native"),
        ("python/m", "native"),
        ("local/smollm2-135m", "prompted"),
        ("gguf:m.gguf", "prompted"),
        ("scripted/says:DECISION: C", "prompted"),
        ("scripted/uniform", "prompted"),
    ],
)
def test_models_without_tools_are_told_how_to_write_a_call(player: str, protocol: str) -> None:
    assert turn(Says(C), plan(player=player)).details["protocol"] == protocol


@pytest.mark.parametrize("protocol", ["native", "prompted"])
def test_constrained_seats_end_with_a_label(protocol: str) -> None:
    settings = Settings(constrained=True)
    ask = Says(("Hm.", [call(arguments=STATED)]) if protocol == "native" else f"Hm.\n{written(PAYOFFS)}", "C")
    decision = turn(ask, plan(settings=settings, protocol=protocol))
    assert outcome(decision) == ("C", "D", "called", 1, 0, False)
    (_, first, _, tools), (messages, last, _, same) = ask.requests
    assert (first.constrained, last.constrained, last.choices, tools) == (False, True, ("C", "D"), same)
    assert messages[-1].role == ("tool" if protocol == "native" else "user")
    ask = Says("I think D.", "D")
    assert outcome(turn(ask, plan(settings=settings))) == ("D", None, "not_called", 0, 0, False)
    assert ask.requests[1][0][-2] == Message("assistant", "I think D.")


def test_unreadable_replies_are_asked_for_again() -> None:
    ask = Says("hm", ("", [call(arguments=STATED)]), "hm", D)
    decision = turn(ask, plan(reply=ReplyRules(remind=True)))
    assert outcome(decision) == ("D", "D", "called", 1, 0, False)
    assert ask.requests[3][0][-2] == Message("assistant", "hm")
    rules = ReplyRules(retries=0, then="default", default="C")
    decision = turn(Says(Reply("hm")), plan(reply=rules))
    assert (decision.action, decision.status) == ("C", "defaulted")


def test_the_same_answers_and_seed_give_the_same_decision() -> None:
    tied = json.dumps({"temptation": 10, "reward": 15, "punishment": 5, "sucker": 0})
    made = [
        turn(Says(("", [call(arguments=tied)]), D), plan(), seed=seed) for seed in range(12) for _ in "ab"
    ]
    assert all(a == b for a, b in zip(made[::2], made[1::2], strict=True))
    assert {decision.advice for decision in made} == {"C", "D"}


@pytest.mark.parametrize("protocol", ["native", "prompted"])
def test_questions_may_be_answered_with_the_tool(protocol: str) -> None:
    asked = ("", [call()]) if protocol == "native" else written()
    ask = Says(asked, "It will be C.\nANSWER: C")
    decision = turn(ask, plan("cooperate", protocol=protocol), question="opponent_next")
    assert (decision.message, decision.reply) == ("It will be C.\nANSWER: C", "g/1/1/2")
    assert [purpose for _, _, purpose, _ in ask.requests] == ["question", "question"]
    assert ("CALL:" in ask.requests[0][0][-1].content) == (protocol == "prompted")


def test_a_question_is_asked_once() -> None:
    ask = Says(("", [call()]), "no idea")
    assert turn(ask, plan("defect"), question="total_so_far").message == "no idea"
    assert turn(Says(""), plan("defect"), question="total_so_far").message is None


def test_messages_are_written_without_the_tool() -> None:
    ask = Says("Trust me.")
    decision = turn(ask, plan(communication="simultaneous"))
    assert (decision.message, ask.requests[0][3]) == ("Trust me.", ())


def test_a_fixed_tool_works_in_a_pool() -> None:
    made = with_seat(
        plan_of("openai/m", "openai/m", "openai/m", stage=GOODS), architecture="tool", attitude="cooperate"
    )
    give = GOODS.actions[0]
    decision = turn(Says(("", [call()]), f"DECISION: {give}"), made)
    assert (decision.action, decision.advice) == (give, give)


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda: plan(player="local/smollm2-135m", protocol="native"), "takes no tools, expected options"),
        (lambda: plan("defect", tool="nash"), "tool nash with attitude defect"),
        (lambda: plan(tool="fixed"), "tool fixed with attitude compute"),
        (lambda: plan("kind"), "attitude 'kind'"),
        (lambda: plan(reply=ReplyRules(then="default")), "reply.default"),
    ],
)
def test_what_cannot_be_played_is_refused_before_the_game(made, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        ToolAgent(made(), 1, PROMPTS)


def test_thinking_beside_native_calls_is_refused_before_the_game() -> None:
    thinks = Settings(extra={"thinking": {"type": "enabled", "budget_tokens": 2000}})
    with pytest.raises(SettingError, match="protocol: prompted"):
        ToolAgent(plan(player="anthropic/m", settings=thinks), 1, PROMPTS)
    ToolAgent(plan(player="anthropic/m", settings=thinks, protocol="prompted"), 1, PROMPTS)


def test_calls_of_a_round() -> None:
    assert ToolAgent.calls(plan(), plan().seats[0]) == (2, 4)
    assert ToolAgent.calls(plan(communication="sequential"), plan().seats[0]) == (3, 5)


REPLIES = st.sampled_from(
    [
        *("", "hm", C, D, "> " + written(PAYOFFS), written(PAYOFFS), written(), f"{written(PAYOFFS)}\n{C}"),
        f"{D}\n{written(name='phone')}\n{written()}",
        ("", [call(arguments=STATED)]),
        (C, [call(arguments="?"), call("phone")]),
        ("", [call()] * 20),
    ]
)


@settings(max_examples=150)
@given(st.lists(REPLIES, min_size=4, max_size=4), st.sampled_from(["native", "prompted"]), st.booleans())
def test_whatever_the_replies_one_call_is_honoured_at_most(replies, protocol, remind) -> None:
    ask = Says(*replies)
    decision = turn(ask, plan(protocol=protocol, reply=ReplyRules(remind=remind)))
    details = decision.details
    assert details["calls"] - details["refused"] == (details["status"] != "not_called")
    assert (decision.advice is not None) == (details["status"] == "called")
    assert (decision.action is None) == (decision.status == "missing")
    assert len(ask.requests) <= 4
    assert not details["early"] or details["calls"]
    for messages, *_ in ask.requests:
        ids = [one.tool_call_id for one in messages if one.role == "tool"]
        assert ids == [one["id"] for message in messages for one in message.tool_calls]
