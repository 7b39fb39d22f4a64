"""The data behind `intent view`: seconds to open a log, filter, and show a game.

A log of noisy play is made as `intent generate` makes it. One process, no browser: what a server adds before
anything is drawn. Peak memory counts the moves that the system keeps mapped from a temporary file.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

_COMMAND = [sys.executable, "-c", "from intent.cli.main import main; main()"]


def seconds(job: Callable[[int], Any], times: int = 9) -> float:
    """Median time of a job, each time with another number."""
    taken = []
    for i in range(times):
        start = time.perf_counter()
        job(i)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def measured(path: str) -> dict[str, float]:
    """Seconds of each kind of request, and megabytes."""
    from intent.view.library import open_library
    from intent.view.query import Filter, Query

    start = time.perf_counter()
    found: dict[str, float] = {}
    with open_library(path) as library:
        ids = [row["game_id"] for row in library.page(Query(limit=500)).rows]
        found["open and first page"] = time.perf_counter() - start
        library.game(ids[0])
        found["first game from the start"] = time.perf_counter() - start
        worst = 0.0
        while library.facts().labelled < 1:
            before = time.perf_counter()
            library.game(ids[int(before * 100) % len(ids)])
            worst = max(worst, time.perf_counter() - before)
            time.sleep(0.2)
        found["all labelled from the start"] = time.perf_counter() - start
        found["slowest game meanwhile"] = worst
        low = [str(i / 10) for i in range(9)]
        found["filter"] = seconds(
            lambda i: library.page(Query((Filter("best", "=", "TFT"), Filter("confidence", ">=", low[i]))))
        )
        found["contains"] = seconds(lambda i: library.page(Query((Filter("game_id", "contains", f"{i}1"),))))
        found["sort"] = seconds(lambda i: library.page(Query((Filter("fit_p", ">=", low[i]),), "confidence")))
        found["extreme"] = seconds(
            lambda i: library.page(Query((Filter("fit_p", "<=", low[i]),), jump="extreme"))
        )
        found["counts of values"] = seconds(
            lambda i: library.counts(Query((Filter("confidence", ">=", low[i]),)))
        )
        found["game"] = seconds(lambda i: library.game(ids[37 * i % len(ids)]))
    found["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/play"
        made = ["generate", "--n", str(options.games), "--rounds", str(options.rounds), "-o", path, "--json"]
        subprocess.run([*_COMMAND, *made], check=True, capture_output=True)
        found = measured(path)
    if options.json:
        print(json.dumps({"games": options.games, "rounds": options.rounds, **found}))
        return
    print(f"{options.games:,} games of {options.rounds} rounds")
    for name, value in found.items():
        print(f"{name:<30} {value:8.0f}" if name == "peak MB" else f"{name:<30} {value:8.3f} s")


if __name__ == "__main__":
    main()
