"""The local model plays the same games for the same seed, however the run is driven."""

from __future__ import annotations

import pytest

from intent.workflows.play import play_experiment

EXPERIMENT = {
    "name": "local",
    "rounds": 1,
    "repetitions": 2,
    "settings": {"constrained": True, "seeded": True, "temperature": 1.5, "max_tokens": 16},
}

pytestmark = pytest.mark.slow


def test_same_seed_same_play(local_model, monkeypatch):
    monkeypatch.setenv("INTENT_LLAMA_SLOTS", "2")
    one, again = (
        play_experiment(EXPERIMENT, model=local_model, **driven).log
        for driven in ({"concurrency": 1}, {"concurrency": 2})
    )
    assert one.equals(again)
    assert set(one.moves["status"]) == {"parsed"}
