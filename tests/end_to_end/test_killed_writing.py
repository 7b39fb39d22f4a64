"""The writing of strategies, killed with signal 9 in another process and repeated: the files are the same."""

from __future__ import annotations

import pytest
from killed import killed_once

from intent.arena.engines import engine_status
from intent.arena.writing.strategies import write_strategies

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(None not in engine_status().values(), reason="needs seccomp or monty"),
]

ASKED = {"style": "default,prose+refine", "n": 6, "turns": 100}


def stored(folder):
    """Exchanges on record."""
    path = folder / "exchanges.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def files(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.[pcm]*") if path.suffix != ".jsonl"}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return write_strategies("scripted/strategist", folder, **ASKED).to_dict(), folder


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95])
def test_a_kill_changes_nothing(tmp_path, undisturbed, share):
    whole, untouched = undisturbed
    folder = tmp_path / "killed"
    calls = whole["calls"] * share
    killed_once(lambda: stored(folder) >= calls, write_strategies, "scripted/strategist", folder, **ASKED)
    assert 0 < stored(folder) <= whole["calls"]
    found = write_strategies("scripted/strategist", folder, **ASKED).to_dict()
    assert stored(folder) == whole["calls"] == found["calls"]
    assert files(folder) == files(untouched)
