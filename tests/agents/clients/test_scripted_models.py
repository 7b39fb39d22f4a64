"""The artificial models that every architecture can be tried with: one that behaves, one that does not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_plans import plan, view

from intent.agents.client import Message, Reply, Settings
from intent.agents.clients.registry import make_client
from intent.agents.mock.requests import (
    PAYOFFS,
    ParsedRequest,
    advice_to_give,
    options,
    outcomes,
    question,
    sole_label,
)
from intent.agents.mock.rules import FAULTS, POLITE, fault_of, stated_payoffs
from intent.agents.prompts.prompt_set import Inside
from intent.agents.prompts.sources import load_prompts
from intent.agents.prompts.wording import LANGUAGES
from intent.play.referee import Referee

PROMPTS = load_prompts("intent")
LABELS = ("OptionA", "OptionB")
MODELS = ("agreeable", "erratic")
REQUESTS = {
    None: "label",
    "choose_reasoned": "decision",
    "think": "text",
    "deliberate": "decision",
    "think_option": "text",
    "think_deceive": "text",
    "write_public": "text",
    "explain": "decision",
    "choose_tool": "decision",
    "choose_tool_prompted": "call",
    "question": "answer",
}
"""Request of a player -> what it asks for."""

STATED = {"temptation": 0, "reward": 2, "punishment": 6, "sucker": 10}
"""The penalties of the prisoner's dilemma, where option B cooperates."""


def values(made, asked: str = "rounds_so_far") -> dict[str, object]:
    """What architectures put into prompts."""
    described = [f"{name}: {PROMPTS.say(f'argument_{name}', made)}" for name in PAYOFFS]
    protocol = PROMPTS.say(
        "tool_protocol", made, tool_name="adviser", tool_description="…", tool_arguments="; ".join(described)
    )
    form = "answer_form_extremes" if asked == "extremes" else "answer_form"
    return {
        "thought_option": "OptionA",
        "tool_protocol": protocol,
        "question": PROMPTS.say(f"question_{asked}", made, other="Bob"),
        "answer_form": PROMPTS.say(form, made),
        "advised": "OptionB",
    }


def prompt(
    request: str | None,
    language: str = "en",
    moves: str = "AB BB",
    role: Any = "player",
    asked="rounds_so_far",
) -> tuple[Message, ...]:
    made = plan("prisoner-dilemma", language)
    blocks = frozenset({"advise"} if role == "assistant" else ())
    return PROMPTS.render(
        view(made, moves), made, "choose", Inside(role, request, blocks, values=values(made, asked))
    )


def tool(language: str = "en") -> dict[str, Any]:
    made = plan("prisoner-dilemma", language)
    described = {
        name: {"type": "number", "description": PROMPTS.say(f"argument_{name}", made)} for name in PAYOFFS
    }
    return {
        "type": "function",
        "function": {"name": "adviser", "parameters": {"type": "object", "properties": described}},
    }


def reply(model: str, messages, *, tools=(), **settings: object) -> Reply:
    return asyncio.run(make_client(f"scripted/{model}").complete(messages, Settings(**settings), tools))


def say(messages, **settings: object) -> str:
    return reply("agreeable", messages, **settings).text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("request_", REQUESTS)
def test_what_a_request_asks_for_is_read_from_its_words(language, request_):
    client = make_client("scripted/agreeable")
    asked = ParsedRequest(client.body(prompt(request_, language), Settings()), ("x", "y"))
    assert (asked.task, asked.labels) == (REQUESTS[request_], LABELS)


def test_a_label_is_said_as_the_object_that_is_asked_for():
    object_, bare = prompt("choose_json", "en"), prompt(None, "en")
    assert json.loads(say(object_))["choice"] in LABELS
    assert say(bare) in LABELS
    assert say(object_, constrained=True, choices=LABELS) in LABELS


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_assistant_answers_for_its_client_whoever_is_named_first(language):
    made = plan("prisoner-dilemma", language, named_first="other")
    asked = values(made, "total_so_far")
    inside = Inside("assistant", "debate_question", frozenset({"advise"}), values=asked)
    said = say(PROMPTS.render(view(made, "AB AB"), made, "choose", inside))
    assert said == "I would answer 0."


@pytest.mark.parametrize("language", LANGUAGES)
def test_payoffs_are_stated_as_the_prompt_tells_them(language):
    written = say(prompt("choose_tool_prompted", language))
    assert json.loads(written.removeprefix("CALL: ")) == {"name": "adviser", "arguments": STATED}
    native = reply("agreeable", prompt("choose_tool", language), tools=[tool(language)])
    assert json.loads(native.tool_calls[0]["arguments"]) == STATED
    assert (len(native.tool_calls), native.text, native.finish_reason) == (1, "", "tool_calls")


def test_without_payoffs_plausible_ones_are_stated():
    asked = [Message("user", "Call the tool, then choose 'X' or 'Y'. DECISION:")]
    stated = json.loads(reply("agreeable", asked, tools=[tool()]).tool_calls[0]["arguments"])
    assert stated == {"temptation": 5, "reward": 3, "punishment": 1, "sucker": 0}
    assert stated_payoffs(ParsedRequest({"messages": []}, LABELS), {}) == {}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("advised", LABELS)
def test_a_tool_is_called_once_and_obeyed(language, advised):
    first = prompt("choose_tool", language)
    made = reply("agreeable", first, tools=[tool(language)])
    result = PROMPTS.say("tool_result", plan("stag-hunt", language), advised=advised)
    called = Message("assistant", made.text, tool_calls=made.tool_calls)
    answered = Message("tool", result, tool_call_id=made.tool_calls[0]["id"])
    after = reply("agreeable", [*first, called, answered], tools=[tool(language)])
    assert after.text.endswith(f"DECISION: {advised}")
    assert not after.tool_calls


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("advised", LABELS)
def test_a_call_in_words_is_made_once_and_obeyed(language, advised):
    first = prompt("choose_tool_prompted", language)
    made = plan("stag-hunt", language)
    talk = [*first, Message("assistant", say(first))]
    talk.append(Message("user", PROMPTS.say("tool_result", made, advised=advised)))
    assert say(talk).endswith(f"DECISION: {advised}")
    talk[-1] = Message("user", f"{talk[-1].content}\n{PROMPTS.say('decide_now', made, options=LABELS)}")
    assert say(talk, choices=LABELS) == advised


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_debate_is_over_after_one_turn_of_the_assistant(language):
    assert advice_to_give(prompt("debate", language, role="assistant")[0].content) == "OptionB"
    advice = say(prompt("debate", language, role="assistant"))
    assert advice.count(".") == 1
    opening = prompt("debate", language, role="decider")
    assert say([*opening, Message("assistant", "…"), Message("user", advice)]).endswith("DECISION: OptionB")
    both = [*opening[:-1], Message("user", f"{opening[-1].content}\n\n{advice}")]
    assert say(both).endswith("DECISION: OptionB")


def test_thoughts_stand_in_braces_and_the_public_text_keeps_its_word():
    thoughts, public, decision = say(prompt("deliberate")).split("\n")
    assert thoughts.startswith("{{")
    assert thoughts.endswith("}}")
    assert sole_label(public, LABELS) == decision.removeprefix("DECISION: ")
    apart = [*prompt("write_public"), Message("assistant", "I will choose OptionA."), Message("user", "Now?")]
    assert say(apart, constrained=True, choices=LABELS) == "OptionA"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("announced", LABELS)
def test_a_message_of_this_round_is_kept_to(language, announced):
    made = plan("prisoner-dilemma", language, communication="simultaneous")
    referee = Referee(
        made.stage(), made.horizon(), communication="simultaneous", rng=np.random.default_rng(1)
    )
    assert say(PROMPTS.render(referee.view(1), made, "message")).startswith("I will choose Option")
    referee.speak(1, f"I will choose {announced}.")
    referee.speak(2, "I will choose OptionA; or OptionB.")
    assert say(PROMPTS.render(referee.view(1), made, "choose"), choices=LABELS) == announced


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("rounds_so_far", "3"),
        ("total_so_far", "8"),
        ("extremes", "MAXIMUM: 10, MINIMUM: 0"),
        ("opponent_next", "OptionA"),
    ],
)
def test_questions_are_answered_from_the_prompt(language, asked, expected):
    put = prompt("question", language, "AB BB AA", asked=asked)
    assert question(put[-1].content) == (language, asked)
    assert say(put) == f"ANSWER: {expected}"


def test_an_answer_that_the_assistant_passed_on_is_given():
    advice = say(prompt("debate_question", role="assistant", asked="extremes"))
    opening = prompt("debate_question", role="decider", asked="extremes")
    assert say([*opening, Message("user", advice)]) == "ANSWER: MAXIMUM: 10, MINIMUM: 0"


def test_payoffs_are_told_from_numbers_in_names():
    line = "- If Player 2 chooses Up and you choose Down, Player 2 gets a reward of 2 and you get one of -1."
    assert outcomes(line, ("Up", "Down")) == {("Up", "Down"): 2}
    assert sole_label("Upward, then Up.", ("Up", "Down")) == "Up"
    assert options("Choose one of these: Up or Down.") == ()


@pytest.mark.parametrize("model", MODELS)
@given(text=st.text(max_size=200), seed=st.integers(0, 9), constrained=st.booleans())
def test_the_same_request_has_the_same_answer_whatever_it_says(model, text, seed, constrained):
    settings = {"seed": seed, "choices": LABELS, "constrained": constrained}
    first = reply(model, [Message("user", text)], **settings)
    assert first == reply(model, [Message("user", text)], **settings)
    assert not constrained or first.text in LABELS


@pytest.mark.parametrize("task", FAULTS)
def test_over_seeds_everything_goes_wrong_that_can(task):
    texts = {found: request for request, found in REQUESTS.items()}
    client = make_client("scripted/erratic")
    tools = [tool()] if task == "tool" else []
    asked = prompt("choose_tool" if task == "tool" else texts[task])
    seen = set()
    for seed in range(500):
        settings = Settings(seed=seed)
        request = ParsedRequest(client.body(asked, settings, tools), LABELS)
        assert request.task == task
        seen.add(fault_of(request))
    assert seen == set(FAULTS[task])


def made(task: str, fault: str) -> Any:
    texts = {found: request for request, found in REQUESTS.items()}
    asked = prompt("choose_tool" if task == "tool" else texts[task])
    body = make_client("scripted/erratic").body(asked, Settings(), [tool()] if task == "tool" else [])
    return FAULTS[task][fault](ParsedRequest(body, LABELS), "OptionA")


def test_what_goes_wrong_with_a_tool():
    def stated(fault: str) -> object:
        return json.loads(made("tool", fault).tool_calls[0]["arguments"])

    assert len(made("tool", "twice").tool_calls) == made("call", "twice").text.count("CALL: ") == 2
    assert not made("tool", "never").tool_calls
    assert stated("words") == dict.fromkeys(PAYOFFS, "quite a lot")
    assert stated("swapped") == {"temptation": 10, "reward": 6, "punishment": 2, "sucker": 0}
    assert stated("units")["sucker"] == "10 years"
    assert list(stated("missing")) == list(PAYOFFS[1:])
    assert made("tool", "unknown").tool_calls[0]["name"] != "adviser"
    assert made("tool", "early").text.endswith("DECISION: OptionA")
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(made("tool", "broken").tool_calls[0]["arguments"])


def test_prompts_in_other_words_are_read_by_quotation_marks_and_keywords():
    system = Message("system", "A suspect may 'Cooperate' or 'Defect'.")
    asked = [system, Message("user", "FORMAT: {'DECISION': '<YOUR_DECISION>'}")]
    label = say(asked).splitlines()[-1].removeprefix("DECISION: ")
    assert label in ("Cooperate", "Defect")
    assert sole_label(say([*asked, Message("user", "Take Defect.")]), ("Cooperate", "Defect")) == "Defect"


def test_politeness_is_endless():
    opening = prompt("debate", role="decider")
    begun = [*opening, Message("assistant", POLITE), Message("user", "After you.")]
    assert {reply("erratic", begun, seed=seed).text for seed in range(20)} == {POLITE}


def test_what_goes_wrong_with_a_decision():
    assert made("decision", "pseudo-json").text == "{'DECISION': 'oPTIONa'}"
    assert made("decision", "quoted").text.count("DECISION") == 1
    assert "｛｛" in made("text", "fullwidth").text
    assert made("decision", "empty") == made("text", "empty")
    assert made("decision", "empty").finish_reason == "length"
