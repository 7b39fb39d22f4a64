"""Seconds and memory of files that nobody vouches for: archives of many samples, and small files that unfold.

    python benchmarks/untrusted_files.py [--samples 500,4000] [--beside CHECKOUT] [--json]

An Inspect archive of few samples and one of many, whose time should be in proportion; then files of a few
kilobytes that hold gigabytes, each read in a process of its own, which should end in one line at once. With
`--beside`, every file is read by that checkout too, 120 seconds and 4 GiB at most.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 120.0
MEMORY = 4 * 2**30
READ = """
import resource, sys, time
from intent.logs.readers import read_log
import pandas, pyarrow.parquet
begun = time.perf_counter()
try:
    said = f"{len(read_log(sys.argv[1], **eval(sys.argv[2])).games)} games"
except Exception as error:
    said = f"{type(error).__name__}: {error}"
print(time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, said[:300])
"""
SPEC = {"task": "pd", "run_id": "r1", "model": "mock/m", "task_args": {"rounds": 4}}


def archive(path: Path, samples: int) -> Path:
    """An Inspect archive of games of four rounds against tit for tat."""
    pay = {"CC": (3, 3), "CD": (0, 5), "DC": (5, 0), "DD": (1, 1)}
    table = [
        {"round": t, "seat": s + 1, "action": pair[s], "payoff": pay[pair][s]}
        for t, pair in enumerate(("CC", "CC", "DC", "DD"), start=1)
        for s in (0, 1)
    ]
    players = [{"player": "model"}, {"player": "tft", "strategy": "TFT"}]
    store = {"intent": {"payoff_kind": "reward", "players": players, "moves": table}}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": SPEC}))
        for i in range(samples):
            facts = {
                "id": f"s{i}",
                "epoch": 1,
                "input": "Play.",
                "store": store,
                "metadata": {},
                "scores": {},
            }
            written.writestr(f"samples/s{i}_epoch_1.json", json.dumps(facts))
    return path


def unfolding(path: Path) -> Path:
    """An archive with one sample that is a text of blanks and sixty million numbers."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": SPEC}))
        with written.open("samples/s_epoch_1.json", "w") as member:
            member.write(b'{"id": "s", "epoch": 1, "store": {"a": [')
            for _ in range(60):
                member.write(b"0," * 500_000)
            member.write(b"0]}}")
    return path


def equal_rows(path: Path) -> Path:
    """A tidy Parquet file of two million equal rows."""
    n = 2_000_000
    columns = {"game": ["g"] * n, "round": [1] * n, "player": ["a"] * n, "action": ["C"] * n}
    pq.write_table(pa.table(columns), path, compression="zstd")
    return path


def aliases(path: Path) -> Path:
    """A mapping in YAML whose aliases unfold to a billion values, beside a tidy file."""
    path.with_suffix(".csv").write_text("game,round,player,action\n1,1,a,C\n1,1,b,D\n")
    lines = ["a: &a [x,x,x,x,x,x,x,x,x,x]"]
    lines += [
        f"{new}: &{new} [{','.join([f'*{old}'] * 10)}]"
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


FILES: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "archive that unfolds": ("unfolds.eval", unfolding),
    "two million equal rows": ("equal.parquet", equal_rows),
    "mapping of aliases": ("map.yaml", aliases),
}


def read(path: Path, checkout: Path) -> dict[str, Any]:
    """Seconds, MiB of memory and the outcome of reading a file by a checkout."""
    options: dict[str, Any] = {}
    if path.suffix == ".yaml":
        path, options = path.with_suffix(".csv"), {"format": "tidy", "mapping": str(path)}
    begun = time.perf_counter()
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ, str(path), repr(options)],
            cwd=checkout,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
    except subprocess.TimeoutExpired:
        return {"seconds": PATIENCE, "mib": None, "outcome": f"not ended after {PATIENCE:.0f} s"}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["ended"])[-1]
        return {"seconds": time.perf_counter() - begun, "mib": None, "outcome": last[:200]}
    seconds, mib, outcome = done.stdout.split(" ", 2)
    return {"seconds": float(seconds), "mib": int(mib), "outcome": outcome.strip()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", default="500,4000", help="samples of the archives")
    parser.add_argument("--beside", type=Path, help="another checkout, which reads every file too")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    checkouts = {"here": ROOT} | ({"beside": options.beside.resolve()} if options.beside else {})
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = {
            f"{n} samples": archive(Path(folder) / f"{n}.eval", int(n)) for n in options.samples.split(",")
        }
        files |= {what: make(Path(folder) / name) for what, (name, make) in FILES.items()}
        for what, path in files.items():
            for place, checkout in checkouts.items():
                rows.append({"file": what, "bytes": path.stat().st_size, "by": place, **read(path, checkout)})
    if options.json:
        print(json.dumps({"files": rows}, indent=2))
        return
    for row in rows:
        memory = "" if row["mib"] is None else f"{row['mib']:,} MiB"
        outcome = row["outcome"].replace(folder, "")
        spent = f"{row['seconds']:7.2f} s {memory:>10}"
        print(f"{row['file']:24} {row['bytes']:>9,} B  {row['by']:6} {spent}  {outcome:.100}")


if __name__ == "__main__":
    main()
