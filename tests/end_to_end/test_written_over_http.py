"""Strategies written by a model behind an endpoint: no key in any file, limits kept, replies cached."""

from __future__ import annotations

import pytest
from served import scripted

from intent.arena.engines import engine_status
from intent.arena.writing.strategies import write_strategies

pytestmark = pytest.mark.skipif(
    None not in engine_status().values(), reason="needs an engine of the sandbox: seccomp or monty"
)

KEY = "sk-writing-canary-0123456789"


def test_an_endpoint_writes_and_its_key_stays_out(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted() as server:
        model = f"openai/strategist@{server.url}"
        found = write_strategies(model, tmp_path / "w", n=2, turns=20, seeded=True).to_dict()
    assert found["n"] == 6
    texts = [path.read_bytes() for path in (tmp_path / "w").iterdir()]
    assert not any(KEY.encode() in text for text in texts)
    assert [made["file"] for made in found["sets"]] == ["openai-strategist_default.py"]
