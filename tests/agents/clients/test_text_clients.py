"""Artificial models, and functions as models."""

from __future__ import annotations

import asyncio

import pytest

from intent.agents.client import Message, Reply, Settings
from intent.agents.clients.registry import make_client
from intent.agents.mock.client import labels_in, pick
from intent.base.errors import RefusedError, RetryableError, SettingError

LABELS = ("Oui", "Non", "Rien")


def ask(name: str, text: str = "Choose.", **settings: object) -> str:
    client = make_client(name)
    asked = Settings(**{"choices": LABELS, **settings})
    return asyncio.run(client.complete([Message("user", text)], asked)).text


def test_first_last_and_says() -> None:
    assert [ask("scripted/first"), ask("scripted/last"), ask("scripted/says:I think: no")] == [
        "Oui",
        "Rien",
        "I think: no",
    ]


def test_the_same_request_is_answered_alike() -> None:
    assert {ask("scripted/uniform", seed=5) for _ in range(5)} == {ask("scripted/uniform", seed=5)}


def test_uniform_is_uniform_over_seeds() -> None:
    drawn = [ask("scripted/uniform", seed=seed) for seed in range(300)]
    assert all(70 < drawn.count(label) < 130 for label in LABELS)


@pytest.mark.parametrize(
    ("body", "labels"),
    [
        ({"choices": ["x", "y"], "messages": [{"content": "OptionA OptionB"}]}, ("x", "y")),
        ({"messages": [{"content": "OptionB, or 'OptionA'?"}]}, ("OptionA", "OptionB")),
        ({"messages": [{"content": "Choose 'Up' or “Down” now."}]}, ("Up", "Down")),
        ({"messages": [{"content": "Choose « Oui » ou « Non »."}]}, ("Oui", "Non")),
        ({"messages": [{"content": "Choose."}]}, ("OptionA", "OptionB")),
        ({"messages": []}, ("OptionA", "OptionB")),
        ({"guided_choice": ["x", "y"]}, ("x", "y")),
        ({"grammar": 'root ::= "x" | "a\\"b"'}, ("x", 'a"b')),
    ],
)
def test_labels_that_a_request_names(body: dict, labels: tuple[str, ...]) -> None:
    assert labels_in(body) == labels


def test_the_order_of_fields_is_nothing() -> None:
    one = {"seed": 1, "messages": [{"content": "x", "role": "user"}]}
    assert pick(one) == pick(dict(reversed(one.items())))


def of(function, **settings: object) -> Reply:
    client = make_client("python/mine", callables={"mine": function})
    return asyncio.run(client.complete([Message("user", "Choose.")], Settings(**settings)))


def test_a_function_may_give_a_whole_reply() -> None:
    async def mine(messages, tools, settings) -> Reply:
        return Reply(messages[-1].content, model="v2")

    reply = of(mine)
    assert (reply.text, reply.model, reply.sent["model"]) == ("Choose.", "v2", "python/mine")


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (ConnectionResetError("gone"), RetryableError),
        (RetryableError("later", 3), RetryableError),
        (SettingError("no seed"), SettingError),
        (ValueError("broken"), RefusedError),
    ],
)
def test_what_a_function_raises(raised: Exception, error: type[Exception]) -> None:
    async def mine(messages, tools, settings) -> str:
        raise raised

    with pytest.raises(error, match=str(raised)):
        of(mine)


def test_a_function_has_its_time() -> None:
    async def mine(messages, tools, settings) -> str:
        await asyncio.sleep(60)

    with pytest.raises(RetryableError, match="no answer within"):
        of(mine, timeout=0.01)


def test_a_function_that_gives_something_else() -> None:
    async def mine(messages, tools, settings) -> int:
        return 7

    with pytest.raises(RefusedError, match="expected a text or a Reply, got int"):
        of(mine)
