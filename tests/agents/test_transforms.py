"""Prompt transforms."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from agent_plans import plan_of
from hypothesis import given
from hypothesis import strategies as st
from outside_packages import install
from stub_asks import PROMPTS, Says, first_view, with_seat
from table_plans import played_table, replies_of, table_agents, table_plan

from intent.agents.agent import Answering, make_agents
from intent.agents.architectures.base import ChainOfThoughtAgent
from intent.agents.client import Message, Settings
from intent.agents.transforms import ENTRY_POINTS, Caesar, transform_of
from intent.base.errors import IntentError, PromptError, UsageError
from intent.play.match import to_log


@given(st.text(), st.integers(1, 25))
def test_a_cipher_turns_round_and_leaves_the_rest(text: str, shift: int) -> None:
    coded = Caesar(shift).messages([Message("user", text)])[-1].content
    assert Caesar(shift).reply(coded) == text
    assert [c for c in coded if not (c.isascii() and c.isalpha())] == [
        c for c in text if not (c.isascii() and c.isalpha())
    ]


def test_the_instruction_is_in_plain_words_before_the_system_s_message() -> None:
    told, asked = Caesar(3).messages([Message("system", "abc"), Message("user", "xyz")])
    assert told.content.startswith("All messages below are written in a shift cipher")
    assert "(D for A, A for X)" in told.content
    assert told.content.endswith("\n\ndef")
    assert (asked.role, asked.content) == ("user", "abc")
    assert [m.role for m in Caesar(3).messages([Message("user", "x")])] == ["system", "user"]


def test_a_table_is_played_in_cipher_and_the_log_says_so() -> None:
    plan = table_plan("bar", *["scripted/says:x"] * 2, rounds=2, options={"transform": "caesar:3"})
    reply = Caesar(3).messages([Message("user", json.dumps({"decision": "go"}))])[-1].content
    match = played_table(plan, replies_of(f"<think>full</think>{reply}"))
    moves = [move for played in match.rounds for move in played.moves]
    assert {(move.action, move.reasoning) for move in moves} == {("go", "full")}
    assert to_log([match]).seats["transform"].tolist() == ["caesar:3"] * 2


@pytest.mark.parametrize("architecture", ["plain", "chain_of_thought", "private"])
def test_other_architectures_may_be_transformed_too(architecture: str) -> None:
    plan = plan_of("openai/m", "scripted/TFT", communication="none")
    plan = with_seat(plan, options={"transform": "caesar:13"}, architecture=architecture)
    agent = make_agents(plan, {"intent": PROMPTS})[0]
    assert agent.columns["transform"] == "caesar:13"
    assert isinstance(agent, Answering)
    ask = Says("QRPVFVBA: Q" if architecture != "plain" else "Q")
    decision = asyncio.run(agent.choose(first_view(plan), ask, None))
    assert decision.action == "D"
    assert "choose" not in ask.requests[0][0][-1].content


def add(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, place: str) -> None:
    install(folder, monkeypatch, "their_transforms", "", {ENTRY_POINTS: f"{name} = {place}"})


def test_others_may_add_transforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(tmp_path, monkeypatch, "shift", "intent.agents.transforms:Caesar.of")
    assert transform_of("shift:4").reply("Jxyb") == Caesar(4).reply("Jxyb")


@pytest.mark.parametrize("name", ["caesar", "caesar:0", "caesar:26", "caesar:x", "caesar:٣", "rot:13", 3])
def test_what_is_none_is_refused(name: object) -> None:
    with pytest.raises(
        IntentError, match=r"options of plain \(agent1\): .*(caesar:3|unknown prompt transform)"
    ):
        table_agents(table_plan("bar", *["scripted/first"] * 2, options={"transform": name}))


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"settings": Settings(constrained=True)}, "constrained"),
        ({"architecture": "tool"}, "calls of a tool"),
    ],
)
def test_what_cannot_be_in_cipher_is_refused(fields: dict, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        table_agents(table_plan("bar", *["scripted/first"] * 2, options={"transform": "caesar:3"}, **fields))


def test_an_architecture_that_counts_its_calls_does_not_mind() -> None:
    plan = with_seat(
        plan_of("openai/m", "scripted/TFT"),
        options={"transform": "caesar:3"},
        architecture="chain_of_thought",
    )
    assert ChainOfThoughtAgent.calls(plan, plan.seats[0]) == (1, 3)


class Odd:
    """What an outsider may have written."""

    def __init__(self, argument: str) -> None:
        self.kind = argument

    def messages(self, messages: object) -> object:
        return "no list" if self.kind == "text" else messages

    def reply(self, text: str) -> object:
        return {}[text] if self.kind == "raises" else None


@pytest.mark.parametrize("name", ["no_module:X", "builtins:len", f"{__name__}:nobody"])
def test_a_transform_that_cannot_be_made_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    add(tmp_path, monkeypatch, "odd", name)
    with pytest.raises(UsageError, match="prompt transform 'odd' cannot be made: "):
        transform_of("odd")


def test_what_an_outsider_s_transform_raises_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(tmp_path, monkeypatch, "odd", f"{__name__}:Odd")
    with pytest.raises(PromptError, match="'odd': messages gave str, expected a list of Message"):
        transform_of("odd:text").messages([])
    with pytest.raises(PromptError, match="'odd': KeyError: "):
        transform_of("odd:raises").reply("x\n\x1b")
    with pytest.raises(PromptError, match="'odd': reply gave NoneType, expected str"):
        transform_of("odd").reply("x")
