"""What every client of a language model does."""

from __future__ import annotations

import json

import pytest
from opened_clients import KEY, REMOTE, Opened, local, over, run

from intent.agents.client import Client, Message, Reply, Settings
from intent.base.errors import SettingError

ASKED = [Message("system", "You play."), Message("user", "Choose 'OptionA' or 'OptionB'.")]
LABELS = ("OptionA", "OptionB")

each = over([*REMOTE, pytest.param(local, marks=pytest.mark.slow)])


@each
def test_a_reply_has_text_and_the_body_that_was_sent(opened: Opened) -> None:
    settings = Settings(temperature=0.5, max_tokens=8, choices=LABELS)

    async def use(client: Client) -> tuple[Reply, dict]:
        return await client.complete(ASKED, settings), client.body(ASKED, settings)

    reply, body = run(opened, use)
    assert reply.text
    assert body.items() <= reply.sent.items()
    assert body["temperature"] == 0.5
    assert json.loads(json.dumps(body)) == body


@over(REMOTE)
def test_settings_that_are_none_are_not_sent(opened: Opened) -> None:
    async def use(client: Client) -> dict:
        return client.body(ASKED, Settings(choices=LABELS))

    assert not {"temperature", "top_p", "seed", "stop", "stop_sequences", "tools"} & set(run(opened, use))


@each
def test_a_constrained_reply_is_one_of_the_labels(opened: Opened) -> None:
    async def use(client: Client) -> Reply:
        return await client.complete(ASKED, Settings(max_tokens=16, constrained=True, choices=LABELS))

    assert run(opened, use).text in LABELS


@each
def test_a_field_is_set_once_and_the_clients_own_stay_its_own(opened: Opened) -> None:
    async def use(client: Client) -> None:
        for extra in ({"temperature": 1}, {"model": "other"}, {"stream": True}, {"x": float("nan")}):
            with pytest.raises(SettingError):
                client.body(ASKED, Settings(temperature=0.5, choices=LABELS, extra=extra))

    run(opened, use)


@each
def test_the_key_is_in_no_text(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")

    async def use(client: Client) -> str:
        reply = await client.complete(ASKED, Settings(choices=LABELS, max_tokens=8))
        return f"{client!r} {client!s} {vars(client)} {client.endpoint} {reply}"

    assert KEY not in run(opened, use) + caplog.text


@each
def test_name_endpoint_and_concurrency(opened: Opened) -> None:
    async def use(client: Client) -> tuple:
        return client.name, client.endpoint, client.concurrency

    name, endpoint, concurrency = run(opened, use)
    assert name
    assert endpoint
    assert concurrency >= 1
