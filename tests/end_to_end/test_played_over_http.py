"""Replies of every kind through the whole chain: server, client, parser, store, log."""

from __future__ import annotations

import json

import pytest
from served import answering, completion, scripted

from intent.runner.play import play_experiment
from intent.runner.run import Run

SEEDED = {"seeded": True, "temperature": 1.0, "timeout": 30}
SMALL = {
    "name": "chain",
    "rounds": 3,
    "repetitions": 2,
    "grid": {"language": ["en", "vi"]},
    "settings": SEEDED,
    "retry": {"base": 0.005, "cap": 0.01},
}
OBJECTS = ['{"choice": "OptionA"}', '{"choice": "OptionB"}']


def endpoint_saying(text: str):
    """An endpoint that says one thing only."""
    return answering(lambda body, key: (200, json.dumps(completion(text)).encode()))


def test_messages_are_sent_heard_and_kept(tmp_path):
    with scripted(labels=["let us", "share it"]) as server:
        result = play_experiment(
            {**SMALL, "grid": {}, "communication": "sequential", "reply": {"retries": 0}},
            output=tmp_path / "run",
            model=f"openai/any@{server.url}",
        )
    assert set(result.log.moves["message"]) == {"let us", "share it"}
    calls = Run.open(tmp_path / "run").calls()
    assert dict(calls["purpose"].value_counts()) == {"message": 12, "choose": 12}
    spoken = result.log.moves.iloc[0]["message"]
    asked = calls[(calls["purpose"] == "choose") & (calls["round"] == 1)]["body"]
    assert all(spoken in body for body in asked[:2])


@pytest.mark.parametrize("constrained", [True, False])
def test_replies_as_json(constrained):
    experiment = {**SMALL, "reply": {"parser": "json"}, "settings": {**SEEDED, "constrained": constrained}}
    with scripted(labels=["OptionA", "OptionB"] if constrained else OBJECTS) as server:
        result = play_experiment(experiment, model=f"openai/any@{server.url}")
    assert set(result.log.moves["action"]) == {"OptionA", "OptionB"}
    assert (result.summary["readable"], result.summary["calls"]) == (1.0, 24)


@pytest.mark.parametrize(
    ("then", "statuses", "calls", "rounds"),
    [
        ({"then": "missing"}, {"missing"}, 72, [3] * 4),
        ({"then": "default", "default": "OptionB"}, {"defaulted"}, 72, [3] * 4),
        ({"then": "end"}, {"missing"}, 24, [1] * 4),
    ],
)
def test_what_cannot_be_read_is_asked_again_and_then_as_the_plan_says(
    then, statuses, calls, rounds, tmp_path
):
    with endpoint_saying("either OptionA or OptionB") as url:
        result = play_experiment(
            {**SMALL, "reply": {"retries": 2, **then}}, output=tmp_path / "run", model=f"openai/any@{url}"
        )
    assert set(result.log.moves["status"]) == statuses
    assert (result.summary["calls"], result.log.games["rounds_played"].tolist()) == (calls, rounds)
    kept = Run.open(tmp_path / "run").calls()
    assert set(kept["text"]) == {"either OptionA or OptionB"}
    assert set(result.log.moves["reply"]) <= set(kept["reference"])


def test_a_reminder_brings_a_readable_reply():
    def mended(body, key):
        text = "OptionB" if len(body["messages"]) > 1 else "hm"
        return 200, json.dumps(completion(text)).encode()

    with answering(mended) as url:
        result = play_experiment({**SMALL, "reply": {"remind": True}}, model=f"openai/any@{url}")
    assert set(result.log.moves["action"]) == {"OptionB"}
    assert (result.summary["readable"], result.summary["calls"]) == (1.0, 48)


@pytest.mark.parametrize("driven", [{"concurrency": 1}, {"concurrency": 7, "window": 2}, {"window": 1}])
def test_the_log_depends_on_the_seed_alone(driven):
    """Some replies are asked for again; a server that begins anew at the same address answers alike."""
    experiment = {**SMALL, "opponent": "scripted/TFT@0.2", "continuation": 0.6, "rounds": 8}
    logs, port = [], 0
    for changes in ({}, driven, {"seed": 1}):
        with scripted(faults={"blank": 0.2}, latency=0.001, jitter=1.0, port=port) as server:
            port = server.port
            logs.append(play_experiment(experiment, model=f"openai/any@{server.url}", **changes).log)
    one, again, other = logs
    assert one.equals(again)
    assert not other.moves["action"].equals(one.moves["action"])
