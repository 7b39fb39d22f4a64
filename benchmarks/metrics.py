"""Behaviour metrics of a million games: arrays against one by one; and the whole command on 100,000 games.

The reference (``tests/metrics_in_words.py``) takes one trajectory at a time and is timed on a sample, in the
same run; both must agree on it. The command runs in a fresh process: reading the log, metrics, means with
intervals, writing the table.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from intent import generate
from intent.behaviour import measures as behaviour
from intent.behaviour.measures import METRICS, memory_one
from intent.logs.stores import write_log

ROOT = Path(__file__).resolve().parents[1]


def reference() -> ModuleType:
    """The metrics one by one."""
    spec = importlib.util.spec_from_file_location("metrics_in_words", ROOT / "tests" / "metrics_in_words.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arrays(games: int, rounds: int, sample: int) -> dict[str, Any]:
    """Seconds of the array code on all games, and of the reference on a sample, per game."""
    rng = np.random.default_rng(0)
    own, other = rng.integers(0, 2, size=(2, games, rounds), dtype=np.int8)
    six, every = np.inf, np.inf
    for _ in range(3):
        start = time.perf_counter()
        found = {name: metric(own, other) for name, metric in METRICS.items()}
        six = min(six, time.perf_counter() - start)
        behaviour.mutual_cooperation(own, other)
        behaviour.end_effect(own, other)
        memory_one(own, other)
        every = min(every, time.perf_counter() - start)
    words = reference()
    start = time.perf_counter()
    slow = {
        name: [one(own[i].tolist(), other[i].tolist()) for i in range(sample)]
        for name, one in words.IN_WORDS.items()
    }
    seconds = time.perf_counter() - start
    for name, counts in slow.items():
        fast = np.stack([found[name].hits[:sample], found[name].occasions[:sample]], axis=1)
        assert (fast == np.array(counts)).all(), name
    return {
        "games": games,
        "seconds": six,  # the best of three, as other work may share the machine
        "seconds_of_all": every,
        "sample": sample,
        "reference_microseconds_per_game": seconds / sample * 1e6,
        "ratio": seconds / sample / (six / games),
    }


def command(games: int) -> dict[str, Any]:
    """Seconds of ``intent metrics`` on a log of so many games."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        write_log(generate(n=games, rounds=10, eps=0.05, seed=1), log)
        words = ["metrics", str(log), "-o", f"{folder}/metrics.parquet", "--json"]
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        line = [sys.executable, "-c", "from intent.cli.main import main; main()", *words]
        done = subprocess.run(line, check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        busy = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    facts = json.loads(done.stdout)
    return {"games": facts["n_games"], "rows": facts["n"], "seconds": seconds, "processor_seconds": busy}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000, help="games of the array code")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--sample", type=int, default=20_000, help="games of the reference")
    parser.add_argument("--log", type=int, default=100_000, help="games of the whole command")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    result = {
        "arrays": arrays(options.games, options.rounds, options.sample),
        "command": command(options.log),
    }
    if options.json:
        print(json.dumps(result))
        return
    a, c = result["arrays"], result["command"]
    print(f"{a['games']:,} games: six metrics {a['seconds']:.2f} s, all {a['seconds_of_all']:.2f} s")
    print(f"one by one {a['reference_microseconds_per_game']:.1f} µs a game, {a['ratio']:.0f} times as long")
    told = f"{c['seconds']:.1f} s ({c['processor_seconds']:.1f} s of the processor)"
    print(f"intent metrics, {c['games']:,} games, {c['rows']:,} rows: {told}")


if __name__ == "__main__":
    main()
