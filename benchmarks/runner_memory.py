"""Memory, time and disk of one run of 10,000 games: played, read back as a log and as calls, and checked.

A text client in this process answers at once, so that nothing but the runner is measured. Each step is a
process of its own; its memory is the highest resident size.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS = ("create", "play", "log", "calls", "check")


def step(name: str, folder: Path, games: int) -> None:
    """One step, in this process."""
    from runner_throughput import plans, played

    from intent.agents.prompts.sources import load_prompts
    from intent.runner.run import Run

    began = time.perf_counter()
    model = "scripted/uniform"
    if name == "create":
        prompts = {"intent": load_prompts("intent").to_json()}
        Run.create(folder, plans(model, games, 10), facts={}, prompts=prompts)
    run = Run.open(folder)
    if name == "play":
        asyncio.run(played(run, model, 64))
    if name == "log":
        assert len(run.log().moves) == games * 20
    if name == "calls":
        assert sum(map(len, run.call_tables())) == games * 20
    if name == "check":
        assert run.check() == []
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024 if sys.platform != "darwin" else 1024**2
    )
    spent = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time()}
    print(json.dumps({"step": name, **spent, "peak_mib": peak}))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000, help="games of ten rounds (10,000: some minutes)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step(options.step, options.folder, options.games)
        return
    results = []
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "run"
        for name in STEPS:
            command = [sys.executable, __file__, "--step", name, "--folder", str(folder)]
            command += ["--games", str(options.games)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            results.append(json.loads(done.stdout))
            if not options.json:
                words = "{step:<8}{seconds:>8.1f} s,{cpu_seconds:>7.1f} s of processor,{peak_mib:>5.0f} MiB"
                print(words.format(**results[-1]))
        size = (folder / "run.sqlite").stat().st_size
    if options.json:
        print(json.dumps({"games": options.games, "steps": results, "database_bytes": size}))
    else:
        print(f"database: {size / 2**20:.1f} MiB, {size / (20 * options.games):.0f} bytes a call")


if __name__ == "__main__":
    main()
