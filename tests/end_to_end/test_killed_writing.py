"""The writing of strategies, killed with signal 9 in another process and repeated: the files are the same."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from intent.arena.engines import engine_status
from intent.arena.writing.strategies import write_strategies

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(None not in engine_status().values(), reason="needs seccomp or monty"),
]

PATIENCE = 300
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
    intent = [sys.executable, "-c", "from intent.cli.main import main; main()"]
    command = [*intent, "strategies", "write", "scripted/strategist", "-o", str(folder)]
    options = [str(part) for name, value in ASKED.items() for part in (f"--{name}", value)]
    process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE
    while process.poll() is None and stored(folder) < whole["calls"] * share:
        assert time.monotonic() < until
        time.sleep(0.002)
    process.kill()
    process.communicate()
    assert 0 < stored(folder) <= whole["calls"]
    found = write_strategies("scripted/strategist", folder, **ASKED).to_dict()
    assert stored(folder) == whole["calls"] == found["calls"]
    assert files(folder) == files(untouched)
