"""The scripted server: replies by body, faults by hash, counters."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections import Counter

import pytest

from intent.agents.client import Message, Reply, Settings
from intent.agents.clients.registry import make_client
from intent.agents.scripted_server import Faults, ScriptedServer
from intent.base.errors import RetryableError, UnknownNameError, UsageError

TOOL = {
    "type": "function",
    "function": {
        "name": "consult",
        "parameters": {"type": "object", "properties": {"reward": {"type": "number", "description": "?"}}},
    },
}


PLAIN = Settings()


async def play(server: ScriptedServer, n: int = 20, tries: int = 1, timeout: float = 10) -> list[str]:
    """The replies to n bodies, each tried at most `tries` times; ``-`` where all fail."""
    client = make_client(f"openai/any@{server.url}")

    async def one(i: int) -> str:
        for _ in range(tries):
            try:
                return (
                    await client.complete([Message("user", f"round {i}")], Settings(timeout=timeout))
                ).text[:7]
            except RetryableError:
                continue
        return "-"

    said = await asyncio.gather(*(one(i) for i in range(n)))
    await client.close()
    return said


def replies(
    n: int = 20, tries: int = 1, timeout: float = 10, **options: object
) -> tuple[list[str], ScriptedServer]:
    async def whole() -> tuple[list[str], ScriptedServer]:
        async with ScriptedServer(**options) as server:
            return await play(server, n, tries, timeout), server

    return asyncio.run(whole())


def test_replies_are_the_same_after_a_restart() -> None:
    assert replies()[0] == replies(seed=9)[0]
    assert set(replies()[0]) == {"OptionA", "OptionB"}


def test_faults_change_no_reply() -> None:
    faults = {
        "429": 0.2,
        "429-after": 0.1,
        "500": 0.1,
        "cut": 0.1,
        "cut-body": 0.1,
        "malformed": 0.1,
        "empty": 0.1,
    }
    said, server = replies(tries=60, faults=faults)
    assert said == replies()[0]
    assert server.stats.answered == server.stats.summary()["distinct"] == 20
    assert sum(server.stats.faults.values()) == server.stats.requests - 20


def test_faults_are_drawn_by_body_time_and_seed() -> None:
    faults = Faults.of(["500=0.5", "cut=0.25"], seed=1)
    drawn = Counter(faults.draw(bytes([i]), time) for i in range(200) for time in range(5))
    assert abs(drawn["500"] - 500) < 60
    assert abs(drawn["cut"] - 250) < 60
    assert faults.draw(b"x", 1) == Faults.of({"500": 0.5, "cut": 0.25}, seed=1).draw(b"x", 1)


def test_a_connection_that_is_never_answered_is_given_up() -> None:
    said, server = replies(3, timeout=0.4, faults={"timeout": 1})
    assert said == ["-"] * 3
    assert (server.stats.faults["timeout"], server.stats.in_flight) == (3, 0)


def over_http(model: str, messages: list[Message], settings: Settings = PLAIN) -> Reply:
    async def whole() -> Reply:
        async with ScriptedServer() as server:
            client = make_client(f"openai/{model}@{server.url}")
            try:
                return await client.complete(messages, settings, [TOOL])
            finally:
                await client.close()

    return asyncio.run(whole())


def test_calls_of_tools_go_out_as_openai_writes_them() -> None:
    asked = [Message("user", "Consult, then choose 'X' or 'Y'. End with DECISION: and the option.")]
    called = over_http("agreeable", asked)
    assert (called.text, called.finish_reason) == ("", "tool_calls")
    assert [(made["name"], json.loads(made["arguments"])) for made in called.tool_calls] == [
        ("consult", {"reward": 3})
    ]
    advice = Message("tool", "Take Y.", tool_call_id=called.tool_calls[0]["id"])
    after = over_http("agreeable", [*asked, Message("assistant", "", called.tool_calls), advice])
    assert (after.text, after.tool_calls) == ("I will choose Y.\nDECISION: Y", ())


@pytest.mark.parametrize("form", ["", "structured_outputs", "guided_choice", "grammar"])
@pytest.mark.parametrize("model", ["agreeable", "erratic", "last"])
def test_the_model_of_the_request_answers_within_its_constraint(model: str, form: str) -> None:
    async def whole() -> Reply:
        async with ScriptedServer() as server:
            client = make_client(f"openai/{model}@{server.url}" + (f"#{form}" if form else ""))
            settings = Settings(constrained=True, choices=("同意", "拒绝"))
            try:
                return await client.complete([Message("user", "?")], settings)
            finally:
                await client.close()

    assert asyncio.run(whole()).text in (("拒绝",) if model == "last" else ("同意", "拒绝"))


def test_an_empty_reply_over_http_is_one_that_was_cut_off() -> None:
    asked = [Message("user", "Choose 'X' or 'Y'. End with DECISION: and the option.")]
    for seed in range(40):
        settings = Settings(seed=seed)
        reply = over_http("erratic", asked, settings)
        assert reply.text or reply.tool_calls or reply.finish_reason == "length"


@pytest.mark.parametrize("faults", [["500=2"], ["500=-1"], ["500=x"], ["500=nan"], {"500": 0.6, "cut": 0.6}])
def test_probabilities(faults: object) -> None:
    with pytest.raises(UsageError):
        ScriptedServer(faults=faults)


def test_an_unknown_fault_is_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown fault 'cutt'; did you mean cut"):
        ScriptedServer(faults=["cutt=0.1"])


def test_the_log_has_a_line_for_each_request(tmp_path) -> None:
    replies(3, log=tmp_path / "log.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert sorted(line["body"]["messages"][0]["content"] for line in lines) == [
        "round 0",
        "round 1",
        "round 2",
    ]
    assert {line["time"] for line in lines} == {1}


def test_bodies_that_come_again_are_counted() -> None:
    async def whole() -> dict:
        async with ScriptedServer() as server:
            await play(server, 3)
            await play(server, 2)
            return server.stats.summary(by_body=True)

    stats = asyncio.run(whole())
    assert (stats["requests"], stats["distinct"], stats["answered_again"]) == (5, 3, 2)
    assert sorted(stats["bodies"].values()) == [[1, 1], [2, 2], [2, 2]]


@pytest.mark.parametrize(
    "raw", [b"GET /\r\n\r\n", b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n", b"x" * 100_000]
)
def test_what_is_no_request_gets_400(raw: bytes) -> None:
    async def whole() -> bytes:
        async with ScriptedServer() as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(raw)
            answer = await reader.readline()
            writer.close()
            return answer

    assert asyncio.run(whole()).startswith(b"HTTP/1.1 400")


def test_the_command_says_where_it_listens() -> None:
    command = [sys.executable, "-m", "intent.agents.scripted_server", "--port", "0", "--fault", "500=0.5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().split()[-1]
            with urllib.request.urlopen(f"{url.removesuffix('/v1')}/stats", timeout=10) as answer:
                assert json.load(answer)["requests"] == 0
            with urllib.request.urlopen(f"{url}/models", timeout=10) as answer:
                assert json.load(answer)["object"] == "list"
        finally:
            process.terminate()
        assert process.wait(10) == 0


def test_a_wrong_option_is_one_line() -> None:
    command = [sys.executable, "-m", "intent.agents.scripted_server", "--fault", "nonsense=1"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert made.returncode == 2
    assert made.stderr.startswith("error: unknown fault")
    assert made.stderr.count("\n") == 1
