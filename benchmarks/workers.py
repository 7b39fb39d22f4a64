"""One worker, two, and a Dask cluster on this machine: the same work in one run, as ratios.

Each case runs in this process first, then on two processes, then on a scheduler with two worker processes
that is started beside. Results must be equal. Wall seconds include the start of processes and libraries,
since a user waits for them too (those of the cluster are loaded before); a ratio above 1 is a gain.

``--start`` measures the start alone, beside a pool whose processes each start anew (``spawn``): the first
pool of a process and the second, of two workers that need estimation, labelling and pandas.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from intent import generate
from intent.arena.evolution.evolve import evolve
from intent.arena.tournament.tournament import tournament
from intent.base.workers import open_workers
from intent.behaviour.metrics import metrics
from intent.comparison.sweep import sweep
from intent.estimate.sfem import sfem

MODULES = (
    "intent.behaviour.metrics",
    "intent.estimate.shares",
    "intent.arena.evolution.moran",
    "pandas",
)


def _loaded(name: str) -> None:
    """A cluster that works has its libraries in memory."""
    importlib.import_module(name)
    time.sleep(0.1)


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[str]:
    """The file of a scheduler on loopback, with worker processes of one thread."""
    path = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    local = ["--no-dashboard", "--scheduler-file", str(path)]
    commands = [
        [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", *local],
        [*dask, "worker", "--nthreads", "1", "--nworkers", str(workers), *local],
    ]
    started = []
    try:
        for command in commands:
            started.append(
                subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
            while not path.is_file():
                time.sleep(0.05)
        with open_workers(dask=str(path)) as there:
            list(there.map(_loaded, [*MODULES] * 2 * workers))
        yield str(path)
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def cases(folder: Path, scale: float) -> dict[str, Callable[..., Any]]:
    """Name -> work, which takes ``workers`` and ``dask`` and gives something that can be compared."""
    log = generate("canonical4", int(60_000 * scale), eps=0.05)
    small = log.where({"game_id": log.games["game_id"].head(int(6000 * scale)).tolist()})
    payoffs = folder / "payoffs.csv"
    payoffs.write_text("row,A,B,C\nA,2,1,3\nB,4,0,1\nC,1,3,2\n")

    def played(**who: Any) -> Any:
        return tournament(
            against="catalogue", turns=max(50, int(400 * scale)), noise=0.05, seed=1, **who
        ).to_dict()["standings"]

    def evolved(**who: Any) -> Any:
        evolution = evolve(payoffs, "8,8,8", runs=int(6000 * scale), bootstrap=10, **who)
        return evolution.mixes[0].runs.steps.tolist()

    return {
        "metrics": lambda **who: metrics(log, bootstrap=10, **who).to_dict(),
        "sfem": lambda **who: sfem(small, "df2011", bootstrap=int(2000 * scale), **who).to_dict(),
        "sweep": lambda **who: sweep(small, tau="0-1:.01", **who).to_dict(),
        "tournament": played,
        "evolve": evolved,
    }


def measure(scale: float, only: list[str]) -> dict[str, dict[str, float]]:
    """Seconds of each way, and what is gained, by case."""
    rows = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with cluster(folder, 2) as address:
            ways: dict[str, dict[str, Any]] = {
                "one": {"workers": 1},
                "two": {"workers": 2},
                "dask": {"workers": 1, "dask": address},
            }
            for case, work in cases(folder, scale).items():
                if only and case not in only:
                    continue
                seconds, results = {}, []
                for way, who in ways.items():
                    start = time.perf_counter()
                    results.append(work(**who))
                    seconds[way] = time.perf_counter() - start
                if results[1:] != results[:1] * 2:
                    raise SystemExit(f"{case}: results differ")
                gains = {f"gain_{way}": seconds["one"] / seconds[way] for way in ("two", "dask")}
                rows[case] = {**seconds, **gains}
    return rows


def _with_libraries(number: int) -> int:
    for name in MODULES:
        importlib.import_module(name)
    return number


def starts() -> dict[str, float]:
    """Seconds until two workers with their libraries have answered."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    seconds = {}
    for name in ("anew", "first", "second"):
        start = time.perf_counter()
        if name == "anew":
            with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
                results = list(pool.map(_with_libraries, range(4)))
        else:
            with open_workers(2) as workers:
                results = list(workers.map(_with_libraries, range(4)))
        seconds[name] = time.perf_counter() - start
        if results != list(range(4)):
            raise SystemExit(f"{name}: got {results}")
    return seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.25, help="of the work")
    parser.add_argument("--only", nargs="*", default=[], help="cases")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--start", action="store_true", help="only how long pools take to start")
    options = parser.parse_args()
    if options.start:
        seconds = starts()
        print(
            json.dumps(seconds)
            if options.json
            else "\n".join(f"{k:<8}{v:6.2f} s" for k, v in seconds.items())
        )
        return
    rows = measure(options.scale, options.only)
    if options.json:
        print(json.dumps(rows))
        return
    print(f"{'':<12}{'1 worker':>10}{'2 workers':>11}{'Dask, 2':>10}{'gain of 2':>11}{'of Dask':>10}")
    for case, row in rows.items():
        times = f"{row['one']:>9.2f}s{row['two']:>10.2f}s{row['dask']:>9.2f}s"
        print(f"{case:<12}{times}{row['gain_two']:>11.2f}{row['gain_dask']:>10.2f}")


if __name__ == "__main__":
    main()
