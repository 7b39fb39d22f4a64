"""`intent evolve`, killed with signal 9 during its matches and repeated: the files are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from killed import killed_once

from intent.arena.engines import engine_status
from intent.arena.evolution.evolve import evolve

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(None not in engine_status().values(), reason="needs seccomp or monty"),
]

SAMPLES = Path(__file__).resolve().parents[2] / "datasets" / "samples" / "written_strategies"
ASKED = {"runs": 10, "turns": 300, "repetitions": 10, "seed": 3}
FILES = ("equilibria.csv", "runs.csv", "payoff.csv", "invasion.csv", "paths.parquet")


def test_a_kill_changes_nothing(tmp_path):
    path, folder = SAMPLES / "default_noise.py", tmp_path / "killed"
    killed_once((folder / "moves.sqlite-wal").is_file, evolve, path, output=folder, **ASKED)
    assert not (folder / "evolution.json").exists()
    evolve(path, output=folder, workers=2, **ASKED)
    evolve(path, output=tmp_path / "whole", workers=1, **ASKED)
    for name in FILES:
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
