"""A key in the environment is in no reply, error, log or repr."""

from __future__ import annotations

import asyncio
import pickle

import pytest

from intent.agents.client import Message, Settings
from intent.agents.clients.registry import Secret, make_client, read_key
from intent.agents.scripted_server import ScriptedServer
from intent.base.errors import EndpointError, RefusedError, SettingError, UsageError
from intent.base.masking import mask_values, redact

KEY = "canary/0123456789abcdef"
ASKED = [Message("user", "Choose 'OptionA' or 'OptionB'.")]


def everything(error: BaseException | None) -> str:
    """All that a traceback or a debugger's chain could show of an error."""
    said = []
    while error is not None:
        said.append(f"{error!r} {error!s} {vars(error)}")
        error = error.__cause__ or error.__context__
    return " ".join(said)


def failed(name: str, settings: Settings) -> EndpointError:
    async def ask() -> EndpointError:
        client = make_client(name)
        with pytest.raises(EndpointError) as caught:
            await client.complete(ASKED, settings)
        await client.close()
        return caught.value

    return asyncio.run(ask())


def test_a_server_that_repeats_the_key(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")

    async def whole() -> str:
        async with ScriptedServer(key="another") as server:
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            client = make_client("openai/any")
            with pytest.raises(RefusedError, match="the key is read from OPENAI_API_KEY") as caught:
                await client.complete(ASKED, Settings())
            await client.close()
            return everything(caught.value) + repr(client)

    said = asyncio.run(whole())
    assert "[key]" in said
    assert KEY not in said + caplog.text


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        KEY.replace("/", r"\/"),
        KEY.replace("/", r"\u002f").replace("c", r"\u0063"),
        "".join(f"\\u{ord(c):04X}" for c in KEY),
    ],
)
def test_a_reply_that_repeats_the_key(form: str, canned, monkeypatch: pytest.MonkeyPatch) -> None:
    async def whole() -> str:
        content = '{"choices": [{"message": {"content": "you sent ' + form + '"}}]}'
        async with canned(content.encode()) as endpoint:
            monkeypatch.setenv("INTENT_KEY_127_0_0_1", KEY)
            client = make_client(f"openai/any@{endpoint.url}")
            reply = await client.complete(ASKED, Settings())
            await client.close()
            assert f"authorization: bearer {KEY}" in endpoint.heads[0].lower()
            return reply

    reply = asyncio.run(whole())
    assert reply.text == "you sent [key]"
    assert KEY not in repr(reply)


def test_what_is_hidden_leaves_the_json_whole() -> None:
    values = {"a": ["\\canary/0123456789abcdef", "\ncanary", 1.5, None, True], KEY: {}}
    assert mask_values(values, [KEY]) == {"a": ["\\[key]", "\ncanary", 1.5, None, True], "[key]": {}}


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_an_error_that_repeats_the_key(status: int, canned, monkeypatch: pytest.MonkeyPatch) -> None:
    async def whole() -> str:
        said = {"error": {"message": f"bad header Authorization: Bearer {KEY} in temperature", "param": KEY}}
        async with canned(said, status) as endpoint:
            monkeypatch.setenv("INTENT_KEY_127_0_0_1", KEY)
            client = make_client(f"openai/any@{endpoint.url}")
            with pytest.raises(EndpointError) as caught:
                await client.complete(ASKED, Settings(temperature=1))
            await client.close()
            return everything(caught.value)

    assert KEY not in asyncio.run(whole())


def test_nothing_of_the_environment_reaches_another_host(canned, monkeypatch: pytest.MonkeyPatch) -> None:
    async def whole() -> str:
        for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
            monkeypatch.setenv(name, KEY)
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}\nX-Gate: {KEY}")
        async with canned({"choices": [{"message": {"content": "A"}}]}) as endpoint:
            client = make_client(f"openai/any@{endpoint.url}")
            await client.complete(ASKED, Settings())
            await client.close()
            return endpoint.heads[0]

    head = asyncio.run(whole())
    assert KEY not in head
    assert "authorization" not in head.lower()
    assert "stainless" not in head.lower()


def test_a_key_in_the_settings_is_refused_unquoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    for extra in ({"api_key": KEY}, {"a": {"b": ["sk-proj-abcdefghijkl"]}}):
        error = failed("scripted/first", Settings(extra=extra))
        assert isinstance(error, SettingError)
        assert KEY not in everything(error)


def test_what_looks_like_a_key_is_taken_out() -> None:
    said = redact("Incorrect API key provided: sk-proj-ab*****xyz. Header: Bearer abc.def, ok")
    assert said == "Incorrect API key provided: [key] Header: Bearer [key], ok"


def test_words_are_not_taken_for_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert redact("risk-averse players get none") == "risk-averse players get none"


def test_a_key_is_read_without_space_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    assert read_key("OPENAI_API_KEY") == KEY


def test_a_key_that_no_header_can_carry_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\r\nX-Other: 1")
    with pytest.raises(UsageError, match="OPENAI_API_KEY holds") as caught:
        read_key("OPENAI_API_KEY")
    assert KEY not in everything(caught.value)


def test_a_secret_is_not_pickled() -> None:
    with pytest.raises(Exception, match=r"pickle|local"):
        pickle.dumps(Secret(KEY))
