"""Labelling (or estimating, or measuring) 10^4 to 10^8 ten-round trajectories: time and memory by workers.

For every size a corpus in compact form is generated, then ``intent label`` (``--command`` names another) runs
on it as a fresh process with 1 worker, with 2, and with a local Dask scheduler of 2 workers. Memory is the
kernel's own high-water mark of each process (VmHWM in /proc), read every 50 ms: ``largest_mb`` is the highest
of any one process, ``together_mb`` the highest sum of what all held at one time (RSS). What is printed and
written must be the same byte for byte. Corpus and results lie in a temporary folder (``--folder``), which is
removed: at 10^8 about 0.4 GB and, of labels, two times 1 GB.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

INTENT = [sys.executable, "-c", "from intent.cli.main import main; main()"]
COMMANDS = {
    "label": ("labels.parquet", ()),
    "sfem": ("shares.json", ("--by", "strategy", "--bootstrap", "100")),
    "metrics": ("metrics.parquet", ()),
    "sweep": ("sweep.json", ("--by", "strategy", "--gate", "game")),
}
"""Command -> the file that it writes, and its options."""

CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=':0', memory_limit=0) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@dataclass
class Memory:
    """Memory of processes and all that they start, in bytes."""

    roots: list[int]
    largest: int = 0
    together: int = 0
    done: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        """Look until `done`."""
        while not self.done.wait(0.05):
            marks = [memory for pid in tree(self.roots) if (memory := of_process(pid))]
            self.largest = max([self.largest, *(high for high, _ in marks)])
            self.together = max(self.together, sum(now for _, now in marks))


def tree(roots: list[int]) -> list[int]:
    """Processes and their descendants."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
    found = list(roots)
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid and child not in found]
    return found


def of_process(pid: int) -> tuple[int, int] | None:
    """High-water mark and present size of a process, in bytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines if line.startswith("Vm")}
    return (sizes["VmHWM"], sizes["VmRSS"]) if "VmHWM" in sizes else None


def measured(arguments: list[str], also: list[int]) -> tuple[float, Memory, dict[str, Any]]:
    """Seconds, memory and printed JSON of one command; `also`: further processes that work for it."""
    start = time.perf_counter()
    process = subprocess.Popen([*INTENT, *arguments, "--json"], stdout=subprocess.PIPE, text=True)
    memory = Memory([process.pid, *also])
    watcher = threading.Thread(target=memory.watch, daemon=True)
    watcher.start()
    printed, _ = process.communicate()
    seconds = time.perf_counter() - start
    memory.done.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(process.returncode)
    return seconds, memory, json.loads(printed)


@contextmanager
def cluster() -> Iterator[tuple[str, int] | None]:
    """Address and process of a Dask scheduler with two workers; None without `distributed`."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        yield None
        return
    process = subprocess.Popen(
        [sys.executable, "-c", CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.communicate("")


def digest(path: Path, printed: dict[str, Any]) -> tuple[str, str]:
    """SHA-256 of a file, and what was printed."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest(), json.dumps(printed)


def rows(what: str, sizes: list[int], folder: Path, workers: list[int]) -> Iterator[dict[str, Any]]:
    """One measurement after the other."""
    name, options = COMMANDS[what]
    corpus, result = folder / "corpus.parquet", folder / name
    for n in sizes:
        made = [
            "generate",
            "-n",
            str(n),
            "--form",
            "compact",
            "-o",
            str(corpus),
            "--workers",
            str(workers[-1]),
        ]
        seconds, memory, _ = measured([*made, "--overwrite"], [])
        yield row("generate", n, f"{workers[-1]}", seconds, memory, corpus)
        seen = set()
        command = [what, str(corpus), *options, "-o", str(result), "--overwrite"]
        for count in workers:
            seconds, memory, printed = measured([*command, "--workers", str(count)], [])
            seen.add(digest(result, printed))
            yield row(what, n, f"{count}", seconds, memory, result)
        with cluster() as found:
            if found is not None:
                address, pid = found
                seconds, memory, printed = measured([*command, "--dask", address], [pid])
                seen.add(digest(result, printed))
                yield row(what, n, "dask 2", seconds, memory, result)
        if len(seen) > 1:
            raise SystemExit(f"{what} of {n:,} trajectories depends on who did the work")
        result.unlink()


def row(what: str, n: int, workers: str, seconds: float, memory: Memory, file: Path) -> dict[str, Any]:
    """One line of the table."""
    return {
        "what": what,
        "n": n,
        "workers": workers,
        "seconds": round(seconds, 2),
        "per_second": round(n / seconds),
        "largest_mb": round(memory.largest / 1e6),
        "together_mb": round(memory.together / 1e6),
        "file_mb": round(file.stat().st_size / 1e6, 1),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--command", choices=COMMANDS, default="label", help="what is measured")
    parser.add_argument("--largest", type=int, default=100_000, help="largest corpus")
    parser.add_argument("--full", action="store_true", help="up to 10^8")
    parser.add_argument("--only", type=int, help="this size alone")
    parser.add_argument("--workers", default="1,2", help="numbers of workers, separated by commas")
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    largest = 10**8 if options.full else options.largest
    sizes = [options.only] if options.only else [10**k for k in range(4, 9) if 10**k <= largest]
    found = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for one in rows(options.command, sizes, Path(folder), [int(w) for w in options.workers.split(",")]):
            found.append(one)
            if not options.json:
                if len(found) == 1:
                    print("  ".join(f"{name:>11}" for name in one))
                print("  ".join(f"{value!s:>11}" for value in one.values()), flush=True)
    if options.json:
        print(json.dumps({"rows": found}))


if __name__ == "__main__":
    main()
