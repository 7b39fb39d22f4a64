"""Asking: what is on record is not asked again, and nothing that must not be is on record."""

from __future__ import annotations

import asyncio
import json

import pytest
from writing_stand_ins import PLACE, Answering

from intent.agents.client import Message, Settings
from intent.arena.writing.desk import EXCHANGES, Desk, Place, spent_in
from intent.base.errors import RefusedError, RetryableError
from intent.runner.caller import Terms, make_callers
from intent.runner.limits import Price, RetryRules

ASKED = (Message("system", "Be brief."), Message("user", "What now?"))
ONCE = RetryRules(attempts=1)


def desk(folder, client, **how):
    return Desk(folder, make_callers([client], Terms(ONCE), **how))


def ask(at, place=PLACE, purpose="words"):
    return at.ask(place, purpose, "python/stand-in", ASKED, Settings(temperature=1))


def rows(folder):
    return [json.loads(line) for line in (folder / EXCHANGES).read_text("utf-8").splitlines()]


def test_nothing_is_asked_twice(tmp_path):
    client = Answering(lambda purpose, body: f"answer {len(client.purposes)}")
    first = asyncio.run(ask(desk(tmp_path, client)))
    again = asyncio.run(ask(desk(tmp_path, client)))
    other = asyncio.run(ask(desk(tmp_path, client), Place(0, "default", "Neutral", 2)))
    assert (first, again, other) == ("answer 1", "answer 1", "answer 2")


def test_an_exchange_tells_what_was_asked_and_answered(tmp_path):
    asyncio.run(ask(desk(tmp_path, Answering(lambda purpose, body: "Cooperate."))))
    (row,) = rows(tmp_path)
    assert row["messages"] == [{"role": m.role, "content": m.content} for m in ASKED]
    known = ("style", "attitude", "attempt", "purpose", "text", "snapshot", "sent", "cached")
    assert [row[name] for name in known] == [
        *("default", "Neutral", 1, "words", "Cooperate.", "stand-in-1"),
        *({"model": "python/stand-in", "temperature": 1.0}, False),
    ]


def test_half_a_line_as_a_crash_leaves_it_is_asked_anew(tmp_path):
    client = Answering(lambda purpose, body: "Cooperate.")
    asyncio.run(ask(desk(tmp_path, client)))
    path = tmp_path / EXCHANGES
    path.write_bytes(path.read_bytes() + b'{"key": "half')
    asyncio.run(ask(desk(tmp_path, client), Place(0, "default", "Neutral", 2)))
    assert [row["attempt"] for row in rows(tmp_path)] == [1, 2]


def test_after_an_error_nothing_more_is_sent(tmp_path):
    client = Answering(lambda purpose, body: RefusedError("no such model"))
    client.concurrency = 1

    async def three():
        at = desk(tmp_path, client)
        asked = [ask(at, Place(0, "default", "Neutral", number)) for number in (1, 2, 3)]
        return await asyncio.gather(*asked, return_exceptions=True)

    assert [str(error) for error in asyncio.run(three())] == ["no such model"] * 3
    assert len(client.purposes) == 1
    assert rows(tmp_path) == [] if (tmp_path / EXCHANGES).exists() else True


@pytest.mark.parametrize(
    "error",
    [
        RetryableError("x: the answer is empty"),
        RefusedError("x: 400: blocked by the content_filter"),
        RefusedError("the prompt has 9000 tokens, the context holds 8192; shorten it"),
    ],
)
def test_a_request_that_will_never_have_text_is_an_empty_reply(tmp_path, error):
    client = Answering(lambda purpose, body: error)
    assert [asyncio.run(ask(desk(tmp_path, client))) for _ in range(2)] == ["", ""]
    assert len(client.purposes) == 1
    assert str(error).split(" (")[0] in rows(tmp_path)[0]["error"]


def test_keys_are_blacked_out(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-thisisasecretkey1234567890")
    client = Answering(lambda purpose, body: "The key is sk-thisisasecretkey1234567890.\ud800")
    said = asyncio.run(ask(desk(tmp_path, client)))
    assert "secret" not in said + (tmp_path / EXCHANGES).read_text("utf-8")
    assert said == asyncio.run(ask(desk(tmp_path, client)))


def test_costs_are_remembered(tmp_path):
    prices = {"python/stand-in": Price(prompt=1e6, completion=1e6)}
    client = Answering(lambda purpose, body: "Cooperate.")
    at = desk(tmp_path, client, prices=prices)
    assert spent_in(tmp_path / "none") == 0
    asyncio.run(ask(at))
    assert at.cost == spent_in(tmp_path) > 0
