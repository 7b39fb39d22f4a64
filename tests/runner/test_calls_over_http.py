"""Calls through the real client to a real server that fails in every way it knows."""

import asyncio

import pytest

from intent.agents.client import Message, Settings
from intent.agents.clients.registry import make_client
from intent.agents.scripted_server import ScriptedServer
from intent.base.errors import RefusedError
from intent.runner.caller import Caller, Terms
from intent.runner.limits import Limits, RetryRules

FAULTS = {"429": 0.05, "429-after": 0.05, "500": 0.05, "timeout": 0.03, "cut": 0.05, "cut-body": 0.05}
FAULTS |= {"malformed": 0.05, "empty": 0.05, "html": 0.05}

RULES = RetryRules(attempts=20, base=0.005, cap=0.02)


async def replies(n, faults, timeout=30.0):
    async with ScriptedServer(faults=faults, retry_after=0.01) as server:
        client = make_client(f"openai/any@{server.url}")
        caller = Caller(client, Terms(RULES), limits=Limits(concurrency=16))
        settings = Settings(temperature=1.0, timeout=timeout)
        try:
            calls = [
                caller.call([Message("user", f"{i}: OptionA or OptionB?")], settings, draw=str(i))
                for i in range(n)
            ]
            return await asyncio.gather(*calls, return_exceptions=True)
        finally:
            await client.close()


@pytest.mark.slow
def test_faults_change_no_reply():
    plain, faulty = asyncio.run(replies(80, {})), asyncio.run(replies(80, FAULTS, 0.3))
    assert [called.reply.text for called in faulty] == [called.reply.text for called in plain]
    assert not any(called.failures for called in plain)
    told = "\n".join(failure.error for called in faulty for failure in called.failures)
    assert all(text in told for text in ("HTTP 429", "HTTP 500", "no answer within 0.3 s", "JSON object"))
    assert {failure.status for called in faulty for failure in called.failures} == {429, 500, None}


def test_a_refused_key_is_not_tried_again(monkeypatch):
    monkeypatch.setenv("INTENT_KEY_127_0_0_1", "sk-canary-123456789")
    (error,) = asyncio.run(replies(1, {"401": 1}))
    assert isinstance(error, RefusedError)
    assert "sk-canary" not in str(error)
