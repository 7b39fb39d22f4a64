"""The local model goes through the whole chain of writing; that its code rarely plays is said plainly."""

from __future__ import annotations

import json

import pytest

from intent.arena.engines import engine_status
from intent.arena.writing.strategies import write_strategies

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(None not in engine_status().values(), reason="needs seccomp or monty"),
]


@pytest.mark.exhaustive
def test_the_local_model_writes(local_model, tmp_path):
    asked = {"attitudes": "Neutral", "n": 1, "attempts": 1, "max_tokens": 40, "turns": 100}
    found = write_strategies(local_model, tmp_path / "w", style="prose+refine", **asked).to_dict()
    text = (tmp_path / "w" / "exchanges.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["purpose"] for row in rows][:5] == ["plan", "convert", "critique", "rewrite", "code"]
    assert (found["attempts"], found["wanted"], found["calls"]) == (1, 1, len(rows))
    if not found["n"]:
        assert found["notes"][0].startswith("0 of 1 attempts ran: 1 ")
    again = write_strategies(local_model, tmp_path / "w", style="prose+refine", **asked).to_dict()
    assert {**again, "seconds": 0} == {**found, "seconds": 0}
