"""Seconds for tables of JSON lines, of a folder of files and of a DataFrame, beside pandas on the same input.

    python benchmarks/read_trees.py [--megabytes 20] [--files 500] [--json]

JSON lines hold flat records, games with their rounds inside, or events of two kinds. pandas reads the same
lines with ``read_json(lines=True)``, which leaves rounds folded up; files one by one with ``read_csv`` and
``concat``; and of a DataFrame its CSV is written and read.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from intent.logs.delimited import Frame
from intent.logs.gamelog import Rejects
from intent.logs.importer.sources import folder_table
from intent.logs.importer.trees import tables_of_json
from intent.logs.readers.reader import Source


def flat(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """A record for each move."""
    for i in range(10**9):
        action, payoff = "CD"[rng.integers(2)], int(rng.integers(6))
        place = {"game_id": f"g{i // 20}", "round": i // 2 % 10 + 1, "agent": "AB"[i % 2]}
        yield {**place, "action": action, "payoff": payoff, "temperature": 0.5}


def nested(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """A record for each game, its rounds inside."""
    for i in range(10**9):
        moves = rng.integers(2, size=(10, 2))
        rounds = [
            {"round": t, "A": "CD"[a], "B": "CD"[b], "payoffs": [3, 0]} for t, (a, b) in enumerate(moves, 1)
        ]
        yield {"game_id": f"g{i}", "model": "m", "players": ["A", "B"], "rounds": rounds}


def events(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Messages and moves."""
    for i in range(10**9):
        where = {"game": i // 40, "round": i // 4 % 10, "agent": "AB"[i // 2 % 2]}
        yield {"event": "move", **where, "action": "CD"[rng.integers(2)]} if i % 2 else {
            "event": "message", **where, "text": "hello there"}  # fmt: skip


def write(path: Path, records: Iterator[dict[str, Any]], size: float) -> None:
    """Lines up to a size in bytes."""
    with path.open("w", encoding="utf-8") as stream:
        written = 0
        while written < size:
            written += stream.write(json.dumps(next(records)) + "\n")


def seconds(work: Callable[[], Any]) -> float:
    """Best of two."""
    times = []
    for _ in range(2):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def of_folder(folder: Path, n: int) -> pd.DataFrame:
    """Write a folder of games; the rows that they have."""
    rows = pd.DataFrame(
        {"round": np.repeat(np.arange(1, 11), 2), "player": list("AB") * 10, "action": list("CD") * 10}
    )
    for i in range(n):
        rows.to_csv(folder / f"m{i % 2}_v{i // 2 % 3}_{i // 6}.csv", index=False)
    return pd.concat([rows] * (50 * n), ignore_index=True)


def main() -> None:
    """Print a line for each input."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=float, default=20, help="size of each file of JSON lines")
    parser.add_argument("--files", type=int, default=500, help="files of the folder")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        for make in (flat, nested, events):
            path = Path(scratch) / f"{make.__name__}.jsonl"
            write(path, make(np.random.default_rng(0)), options.megabytes * 1e6)
            ours = seconds(lambda path=path: tables_of_json(Source(path), Rejects(path))[0].table)
            theirs = seconds(lambda path=path: pd.read_json(path, lines=True))
            results[f"JSON lines, {make.__name__}"] = (ours, theirs)
        folder = Path(scratch) / "games"
        folder.mkdir()
        rows = of_folder(folder, options.files)
        ours = seconds(lambda: folder_table(folder, Rejects(folder)))
        theirs = seconds(lambda: pd.concat([pd.read_csv(file) for file in sorted(folder.iterdir())]))
        results[f"folder of {options.files} CSV files"] = (ours, theirs)
        ours = seconds(lambda: Frame(rows))
        theirs = seconds(lambda: pd.read_csv(io.StringIO(rows.to_csv(index=False))))
        results[f"DataFrame of {len(rows):,} rows"] = (ours, theirs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if options.json:
        lines = [{"input": k, "seconds": a, "pandas": b, "ratio": a / b} for k, (a, b) in results.items()]
        sys.stdout.write(json.dumps({"results": lines, "peak_mib": peak}) + "\n")
        return
    for name, (ours, theirs) in results.items():
        sys.stdout.write(f"{name:32} {ours:7.2f} s, pandas {theirs:7.2f} s, ratio {ours / theirs:.2f}\n")
    sys.stdout.write(f"peak memory {peak:,.0f} MiB\n")


if __name__ == "__main__":
    main()
