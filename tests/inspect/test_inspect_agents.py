"""Agents of Inspect's in our seats, ours in Inspect's conversations, and models across the border."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra inspect")

from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, agent, run
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)

from intent import IntentError, play_experiment, read_log
from intent.agents.client import Message, Reply, Settings, Usage
from intent.inspect.exchange import (
    chat_of,
    config_of,
    messages_of,
    output_of,
    reply_of,
    settings_of,
    tool_infos,
    tools_of,
)
from intent.inspect.models import ClientAPI, ModelClient, as_model, client_of, seat
from intent.inspect.tasks import TASKS

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

TOOL = {
    "type": "function",
    "function": {
        "name": "advise",
        "description": "Asks.",
        "parameters": {
            "type": "object",
            "properties": {"reward": {"type": "number", "description": "r"}},
            "required": ["reward"],
            "additionalProperties": False,
        },
    },
}


def test_messages_replies_tools_and_settings_come_back_as_they_were() -> None:
    call = {"id": "c1", "name": "advise", "arguments": '{"reward": 3}'}
    broken = {"id": "c2", "name": "advise", "arguments": '{"reward": 3,'}
    talk = [
        Message("system", " rules\n"),
        Message("user", "été 轮 \u200f?"),
        Message("assistant", "", (call, broken)),
        Message("tool", "D", (), "c1"),
    ]
    assert messages_of(chat_of(talk)) == talk
    reply = Reply(
        "J", "thoughts", "m", finish_reason="length", usage=Usage(10, 2, 1, 4), tool_calls=(call, broken)
    )
    assert reply_of(output_of(reply, "m")) == reply
    assert tools_of(tool_infos([TOOL])) == [TOOL]
    settings = Settings(
        temperature=0.5, max_tokens=9, seed=3, stop=("x",), constrained=True, choices=("J", "F")
    )
    assert settings_of(config_of(settings)) == settings


def test_a_setting_that_a_model_does_not_have_is_an_error() -> None:
    with pytest.raises(IntentError, match="top_k is no setting of this model"):
        settings_of(GenerateConfig(top_k=3))


def test_a_strategy_as_a_model_plays_tasks_alone() -> None:
    with pytest.raises(IntentError, match="plays the games of intent's tasks"):
        asyncio.run(client_of("tft").complete([Message("user", "C or D?")], Settings()))
    with pytest.raises(IntentError, match="did you mean"):
        client_of("tfft")
    with pytest.raises(IntentError, match="takes no"):
        ClientAPI("tft", speed=3)
    assert asyncio.run(ClientAPI("tft").count_tokens("three words here")) == 3


def test_a_model_of_inspect_is_a_client_of_the_runner() -> None:
    result = play_experiment({"game": "stag-hunt", "rounds": 3, "model": "inspect/intent/scripted/first"})
    assert result.summary["n_missing"] == 0
    assert set(result.log.seats["model"]) == {"inspect/intent/scripted/first"}
    client = ModelClient(get_model("intent/scripted/first"))
    reply = asyncio.run(
        client.complete([Message("user", "'J' or 'F'?")], Settings(constrained=True, choices=("F", "J")))
    )
    assert reply.text == "F"


@agent
def stubborn() -> Agent:
    """Says the same always, after a thought of its own."""

    async def execute(state: AgentState) -> AgentState:
        state.messages.append(ChatMessageAssistant(content="OptionB"))
        state.output = ModelOutput.from_content("mine", "OptionB")
        return state

    return execute


def test_an_agent_of_inspect_is_a_seat_of_the_runner() -> None:
    values = {"game": "prisoner-dilemma", "rounds": 3, "opponent": "scripted/ALLC"}
    result = play_experiment(values, models={"mine": as_model(stubborn())})
    mine = result.log.moves[result.log.moves["seat"] == 1]
    assert list(mine["action"]) == ["OptionB"] * 3
    client = as_model(stubborn())
    with pytest.raises(IntentError, match="takes no temperature"):
        asyncio.run(client([Message("user", "?")], (), Settings(temperature=0.5)))


def conversation(*texts: str) -> list[Any]:
    """Messages of the user and the agent in turns, the user first."""
    return [
        (ChatMessageUser if i % 2 == 0 else ChatMessageAssistant)(content=text)
        for i, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("player", "talk", "move"),
    [
        ("scripted/TFT", ("Go.",), "OptionB"),
        ("scripted/TFT", ("Go.", "OptionB", "The other chose OptionA."), "OptionA"),
        (
            "scripted/TFT",
            ("Go.", "OptionB", "The other chose OptionA.", "OptionA", "OptionB it was"),
            "OptionB",
        ),
        ("scripted/ALLD", ("Go.", "OptionA", "OptionB"), "OptionA"),
    ],
)
def test_a_strategy_is_an_agent_of_inspect(player: str, talk: tuple[str, ...], move: str) -> None:
    state = asyncio.run(run(seat(player), conversation(*talk)))
    assert state.output.completion == move
    assert state.messages[-1].text == move


def test_a_seat_says_what_it_cannot_read() -> None:
    with pytest.raises(IntentError, match="expected one of OptionA, OptionB"):
        asyncio.run(run(seat(), conversation("Go.", "OptionB", "no idea")))
    with pytest.raises(IntentError, match="is over"):
        asyncio.run(run(seat(rounds=1), conversation("Go.", "OptionB", "OptionB")))


def test_an_agent_takes_the_place_of_the_model_in_a_task(tmp_path: Any) -> None:
    task = TASKS["prisoners_dilemma"](rounds=2, repetitions=1, opponent="scripted/TFT", agent="stubborn")
    (log,) = inspect_eval(task, model="intent/scripted/first", log_dir=str(tmp_path), display="none")
    table = read_log(log.location)
    assert list(table.moves[table.moves["seat"] == 1]["action"]) == ["OptionB"] * 2
    assert log.samples[0].scores["cooperation"].value == 1
