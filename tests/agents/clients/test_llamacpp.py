"""The client of models in this process."""

from __future__ import annotations

import asyncio
import importlib.util

import pytest

from intent.agents.client import Message, Settings
from intent.agents.clients.llamacpp import as_text
from intent.agents.clients.registry import make_client
from intent.agents.local_models import fetch
from intent.base.errors import (
    DataError,
    IntentError,
    RefusedError,
    RetryableError,
    SettingError,
    UnknownNameError,
)

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None, reason="needs the extra `local`"
)
AB = ("OptionA", "OptionB")
ASKED = [Message("user", "Choose between OptionA and OptionB. Answer only with the choice.")]
PAST = "".join(
    f"Round {i}: you chose OptionA, agent2 chose OptionB, and you got 3 points.\n" for i in range(40)
)


@pytest.fixture(scope="module")
def client():
    try:
        fetch("smollm2-135m")
    except IntentError as error:
        pytest.skip(f"no local model: {error}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTENT_LLAMA_SLOTS", "2")
        yield make_client("local/smollm2-135m")


def reply(client, text=None, **settings):
    messages = ASKED if text is None else [Message("user", text)]
    return asyncio.run(client.complete(messages, Settings(**{"max_tokens": 8, "seed": 1, **settings})))


@needs_library
def test_the_body_says_how_is_sampled():
    body = make_client("local/smollm2-135m").body(ASKED, Settings(temperature=0.5, extra={"top_k": 7}))
    assert body["model"] == "smollm2-135m@b179c9523d0e"
    assert (body["temperature"], body["top_p"], body["top_k"], body["min_p"]) == (0.5, 1.0, 7, 0.0)
    assert "seed" not in body


@needs_library
def test_seeds_have_32_bits_of_which_the_highest_is_never_sent():
    client = make_client("local/smollm2-135m")
    seeds = [client.body(ASKED, Settings(seed=seed))["seed"] for seed in (5, 2**32 - 1, -1, 2**63)]
    assert seeds == [5, 0, 2**32 - 2, 2**31]


@needs_library
@pytest.mark.parametrize("extra", [{"logprobs": True}, {"n": 2}, {"messages": []}, {"top_kk": 3}])
def test_fields_that_would_be_dropped_are_errors(extra):
    with pytest.raises(SettingError):
        make_client("local/smollm2-135m").body(ASKED, Settings(extra=extra))


@needs_library
def test_tools_and_constraints_without_labels_are_errors():
    client = make_client("local/smollm2-135m")
    with pytest.raises(SettingError, match=r"takes no tools; .* \{protocol: prompted\}"):
        client.body(ASKED, Settings(), [{"type": "function"}])
    with pytest.raises(SettingError, match="labels"):
        client.body(ASKED, Settings(constrained=True))


@needs_library
def test_unknown_models_and_other_files_are_refused(tmp_path):
    with pytest.raises(UnknownNameError, match="smollm2-135m"):
        make_client("local/smollm2")
    other = tmp_path / "x.gguf"
    other.write_bytes(b"PK\3\4")
    with pytest.raises(DataError, match="expected b'GGUF'"):
        make_client(f"gguf:{other}")
    with pytest.raises(DataError, match="No such file"):
        make_client(f"gguf:{tmp_path / 'none.gguf'}")


@needs_library
@pytest.mark.slow
def test_a_broken_model_file_is_refused(tmp_path, capfd):
    broken = tmp_path / "x.gguf"
    broken.write_bytes(b"GGUF\3\0\0\0" + b"junk" * 100)
    with pytest.raises(RefusedError, match=r"x\.gguf: llama\.cpp cannot load it"):
        reply(make_client(f"gguf:{broken}"))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("a <|im_end|>\n<|im_start|>system", "a < |im_end|>\n< |im_start|>system"),
        ("</s> [INST] <end_of_turn>", "< /s> [ INST] < end_of_turn>"),
        ("2 <|3 [x] <b>", "2 <|3 [x] <b>"),
    ],
)
def test_marks_of_chat_formats_are_text(content, shown):
    assert as_text(content) == shown


@needs_library
@pytest.mark.slow
def test_a_reply_says_what_was_sent_and_counted(client, capfd):
    got = reply(client, seed=None)
    assert got.text
    assert got.model == "smollm2-135m@b179c9523d0e"
    assert got.fingerprint.startswith("xllamacpp 20")
    assert got.usage.prompt_tokens > 20
    assert 0 < got.usage.completion_tokens <= 8
    assert reply(client, seed=got.sent["seed"]).text == got.text
    assert capfd.readouterr() == ("", "")


@needs_library
@pytest.mark.slow
def test_a_reply_depends_on_nothing_that_was_asked_before(client):
    ends = (0, 4, 5, 9, 6, 4, 10)
    texts = ["".join(PAST.splitlines(True)[:n]) + "Tell me about the past." for n in ends]
    first = {text: reply(client, text).text for text in texts}
    other = make_client("local/smollm2-135m")
    again = {text: reply(other, text).text for text in sorted(texts)}
    assert again == first
    assert len(set(first.values())) > 3


@needs_library
@pytest.mark.slow
@pytest.mark.parametrize("labels", [AB, ("合作", "背叛"), ("خيار أ", "خيار ب"), ('"a\\', "b'\n")])
def test_constrained_replies_are_labels(client, labels):
    assert {
        reply(client, seed=i, max_tokens=32, constrained=True, choices=labels).text for i in range(4)
    } <= set(labels)


@needs_library
@pytest.mark.slow
@pytest.mark.exhaustive
def test_a_prompt_that_is_too_long_is_refused_with_its_length(client):
    with pytest.raises(RefusedError, match=r"the prompt has 60\d\d tokens, the context holds 4096"):
        reply(client, "word " * 6000)
    assert reply(client, PAST).text == reply(client, PAST).text


@needs_library
@pytest.mark.slow
def test_time_outs_and_cancelling_free_the_model(client):
    before = reply(client).text
    endless = {"max_tokens": 3000, "extra": {"ignore_eos": True}}
    with pytest.raises(RetryableError, match=r"no reply within 0\.2 s"):
        reply(client, timeout=0.2, **endless)

    async def cancelled():
        async with asyncio.timeout(0.2):
            await client.complete(ASKED, Settings(**endless))

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
    assert reply(client).text == before


@needs_library
@pytest.mark.slow
def test_the_event_loop_lives_while_the_model_computes(client):
    async def ticks():
        job = asyncio.create_task(client.complete(ASKED, Settings(max_tokens=40, extra={"ignore_eos": True})))
        n = 0
        while not job.done():
            await asyncio.sleep(0)
            n += 1
        await job
        return n

    assert asyncio.run(ticks()) > 40
