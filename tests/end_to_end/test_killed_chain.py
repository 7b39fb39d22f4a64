"""The chain of writing, play and evolution, killed with signal 9 and repeated: the tables are the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from killed import killed_once

from experiments.llm_strategies.chain import run_chain
from intent.arena.engines import engine_status

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(None not in engine_status().values(), reason="needs seccomp or monty"),
]

SMALL = Path(__file__).resolve().parents[2] / "experiments" / "llm_strategies" / "small.yaml"
SETTINGS = ["noise=[0.1]", "n=2", "turns=30", "line_up=null", "bootstrap=100", "inspect=false"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    run_chain(SMALL, folder, settings=SETTINGS, workers=1)
    return folder


def results(folder):
    """Tables and summary by name, and what was found."""
    found = {path.name: path.read_bytes() for path in (*folder.glob("*.csv"), folder / "summary.md")}
    kept = json.loads((folder / "chain.json").read_text("utf8"))["result"]
    return found, kept | {"path": ""}


@pytest.mark.parametrize("begun", ["sets/*/exchanges.jsonl", "play/*/tournament/moves.sqlite"])
def test_a_kill_changes_nothing(tmp_path, whole, begun):
    folder = tmp_path / "killed"
    killed_once(lambda: list(folder.glob(begun)), run_chain, SMALL, folder, settings=SETTINGS)
    assert json.loads((folder / "chain.json").read_text("utf8"))["result"] is None
    run_chain(SMALL, folder, settings=SETTINGS, workers=2)
    assert results(folder) == results(whole)
