"""Artificial models that answer with the JSON object of a prompt."""

from __future__ import annotations

import asyncio
import json

import pytest
from table_plans import GAMES, asks_clients, moves_of, played_table, table_plan

from intent.agents.client import Message, Settings
from intent.agents.clients.registry import make_client
from intent.agents.mock.requests import object_form
from intent.agents.mock.rules import OBJECT_FAULTS, erring_object
from intent.agents.plan import ReplyRules
from intent.agents.scripted_server import ScriptedServer
from intent.base.errors import UsageError


def form(text: str, **body: object):
    return object_form({"messages": [{"role": "user", "content": text}], **body})


def say(rule: str, text: str, **settings: object) -> str:
    client = make_client(f"scripted/asked:{rule}")
    return asyncio.run(client.complete([Message("user", text)], Settings(**settings))).text


def test_the_form_is_read_from_the_prompt() -> None:
    asked = form('(1) a: 35%\n(3) b: 45%\nWrite {"explanation": "<why>", "target": <number, or null>}')
    assert (asked.key, asked.explains, asked.players) == ("target", True, (1, 3))
    asked = form('Divide 100 coins: {"proposal": {"2": <coins>, "3": <coins>}}')
    assert (asked.high, asked.places, asked.players) == (100, ("2", "3"), ())
    assert form('agent10 got 7.\n\nDivide 4 coins, 4 in all. {"proposal": {"9": <coins>}}').high == 4
    asked = form('{"decision": "go" or "stay"}')
    assert asked.words == ("go", "stay")
    asked = form('من ٠ إلى ٧٠ {"bid": <عدد صحيح من ٠ إلى ٧٠>}')
    assert (asked.low, asked.high) == (0, 70)
    assert form('{"choice": "A"}') is None


@pytest.mark.parametrize("version", ["v1", "v2", "v3", "v4", "v5"])
@pytest.mark.parametrize("game", GAMES)
def test_a_uniform_model_answers_from_the_prompt_alone(game: str, version: str) -> None:
    """As over HTTP, where requests do not list the answers; the one illegal target is oneself."""
    plan = table_plan(game, *["scripted/asked:RANDOM"] * 3, rounds=2, framing=version)
    asked: list = []
    played_table(plan, asks_clients(plan, asked))
    client = make_client("scripted/asked:RANDOM")
    for seat, messages, settings in asked:
        bare = settings.model_copy(update={"choices": ()})
        reply = json.loads(asyncio.run(client.complete(messages, bare)).text)
        given = [json.loads(choice) for choice in settings.choices]
        own = {"target": seat}
        assert reply in given or reply == own or (not given and sum(reply["proposal"].values()) == 100)


def test_after_a_refused_shot_it_aims_at_somebody_the_request_before_lists() -> None:
    shown = '(4) a: 35%\n(7) b: 45%\n{"target": <number, or null>}'
    again = "target '4' is yourself, expected one of 7\n\nAnswer again: {\"target\": <number, or null>}"
    said = [("user", shown), ("assistant", '{"target": 4}'), ("user", again)]
    asked = object_form({"messages": [{"role": role, "content": text} for role, text in said]})
    assert asked.players == (4, 7)


def test_constants_and_cycles_answer_whatever_the_game_asks() -> None:
    plan = table_plan("guessing", "scripted/asked:constant:91", "scripted/asked:cycle:0,50,100", rounds=4)
    match = played_table(plan)
    assert moves_of(match, 1) == ["91"] * 4
    assert moves_of(match, 2) == ["0", "50", "100", "0"]
    text = 'Write {"explanation": "<why>", "proposal": {"1": <coins>, "2": <coins>}}'
    assert json.loads(say("cycle:99,1;100,0", text))["proposal"] == [99, 1]
    assert json.loads(say("constant:miss", '{"target": <number, or null>}')) == {"target": None}
    assert say("constant:D", "Choose C or D.", choices=("C", "D")) == "D"
    assert say("constant:X", "Choose.", choices=("C", "D"), constrained=True) == "C"


@pytest.mark.parametrize("name", ["asked:", "asked:constant:", "asked:TFT", "asked:random", "asked"])
def test_other_rules_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="expected"):
        make_client(f"scripted/{name}")


def test_over_seeds_everything_goes_wrong_that_can() -> None:
    text = 'Divide 100 coins: {"proposal": {"2": <coins>, "3": <coins>}}'
    said = {erring_object({"messages": [{"role": "user", "content": text}], "seed": s}) for s in range(600)}
    assert len(said) > len(OBJECT_FAULTS)


@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_bad_answer_is_met_and_none_stops_a_game(game: str) -> None:
    plan = table_plan(game, *["scripted/erratic"] * 4, rounds=12, reply=ReplyRules(retries=1))
    moves = [move for played in played_table(plan).rounds for move in played.moves]
    assert any(move.details for move in moves)
    assert any(move.status == "parsed" for move in moves)


def test_the_server_has_them_too() -> None:
    async def over_http() -> str:
        async with ScriptedServer() as server:
            client = make_client(f"openai/asked:constant:7@{server.url}")
            try:
                reply = await client.complete([Message("user", '{"chosen_number": <0 to 100>}')], Settings())
            finally:
                await client.close()
        return reply.text

    assert json.loads(asyncio.run(over_http())) == {"chosen_number": 7}
