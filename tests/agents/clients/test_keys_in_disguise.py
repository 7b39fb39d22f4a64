"""A server that says the key in another form, in a body or a header, gets it into no reply and no error."""

from __future__ import annotations

import asyncio
import base64
import json
from urllib.parse import quote

import pytest

from intent.agents.client import Message, Settings
from intent.agents.clients.registry import make_client
from intent.base.errors import EndpointError

KEY = "Zx81kQw0-PsvLm52Tt7_BnYc94"
ASKED = [Message("user", "Choose 'OptionA' or 'OptionB'.")]
FORMS = {
    "plain": KEY,
    "backwards": KEY[::-1],
    "base64": base64.b64encode(KEY.encode()).decode(),
    "hex": KEY.encode().hex(),
    "address": quote("".join(f"%{ord(c):02X}" for c in KEY)),
    "spaced": " ".join(KEY),
    "upper": KEY.upper(),
    "half": KEY[: len(KEY) // 2],
    "other half": KEY[len(KEY) // 2 :],
}


def answer(canned, monkeypatch, said, status=200, headers=""):
    """What a client makes of an answer: all the text of a reply or of an error."""

    async def whole() -> str:
        async with canned(said, status, headers) as endpoint:
            monkeypatch.setenv("INTENT_KEY_127_0_0_1", KEY)
            client = make_client(f"openai/any@{endpoint.url}")
            try:
                return repr(await client.complete(ASKED, Settings(temperature=1)))
            except EndpointError as error:
                return f"{error!r} {error} {vars(error)}"
            finally:
                await client.close()

    return asyncio.run(whole())


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_bodies(form, status, canned, monkeypatch):
    message = {"content": f"your key: {form}.", "reasoning_content": form}
    body = {"choices": [{"message": message}], "model": form, "system_fingerprint": form}
    error = {"error": {"message": f"temperature: bad key {form}", "code": form}}
    said = answer(canned, monkeypatch, body if status == 200 else error, status)
    assert "[key]" in said
    assert form not in said


@pytest.mark.parametrize("form", [KEY, KEY[::-1]])
@pytest.mark.parametrize("header", ["content-encoding", "content-type", "retry-after"])
def test_headers_and_bodies_that_are_no_json(form, header, canned, monkeypatch):
    said = answer(canned, monkeypatch, f"<{form}>".encode(), headers=f"{header}: {form}\r\n")
    assert form not in said


def test_a_reply_that_is_no_key_stays(canned, monkeypatch):
    text = json.dumps({"choice": "OptionA", "why": "they defected in round 81, so I will, too"})
    assert "they defected in round 81" in answer(
        canned, monkeypatch, {"choices": [{"message": {"content": text}}]}
    )
