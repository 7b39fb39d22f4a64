"""Reading a long table beside pandas: `intent.read_log` and `pandas.read_csv` or `read_json`, in one run.

    python benchmarks/import_log.py [--rows 200000] [--runs 3] [--full] [--label] [--json]

Made-up sessions as lab software lists them (a row per session, supergame, round and subject, the two players
of a pair apart), the first third of them as JSON lines, all as wide rows with both players, and all once more
under names that no reader knows, with the other's choice beside the own one (``foreign``): what its columns
are the importer works out. Games have 10 to 100 rounds; payoffs decide which choice is cooperation.
``--full``: about 100 MB of CSV and of JSON lines, 80 MB of foreign CSV.
Each reading is a process of its own, pandas and ours by turns, which has read the first rows before, so that
neither pays for imports. CSV is read by pandas twice: as it is installed and without options (``pandas``),
and with ``low_memory=False``, whole columns at once (``at once``), whose time differs less between releases.
``over`` is the highest resident size less that before, as a multiple of the file.
``--label``: the whole command ``intent label`` on the CSV file, too.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

FULL = 1_900_000
SUBJECTS = 20
PAYOFFS = np.array([51, 22, 63, 39])
CONDITIONS = ("baseline", "communication", "monitoring")
PAIRS = "session,supergame,round,player1,player2,answer1,answer2,points1,points2,condition\n"
LONG = "session,subject,partner,supergame,round,choice,payoff,condition\n"
FOREIGN = "session,subject,supergame,period,myChoice,otherChoice,earnings,condition\n"
MAPPING = {"run": "session", "game": "supergame"}
FILES: dict[str, tuple[str, dict[str, Any]]] = {
    "csv": ("csv", {"mapping": MAPPING, "payoff_kind": "reward"}),
    "json": ("jsonl", {"mapping": MAPPING, "payoff_kind": "reward"}),
    "pairs": ("csv", {}),
    "foreign": ("csv", {}),
}


def write_files(folder: Path, rows: int, rng: np.random.Generator) -> dict[str, Path]:
    """The files, by kind."""
    paths = {kind: folder / f"{kind}.{suffix}" for kind, (suffix, _) in FILES.items()}
    long, lines, pairs, foreign = (path.open("w", encoding="utf-8") for path in paths.values())
    with long, lines, pairs, foreign:
        long.write(LONG)
        foreign.write(FOREIGN)
        pairs.write(PAIRS)
        written = session = 0
        while written < rows:
            session += 1
            name, condition = f"{20240100 + session}", CONDITIONS[session % 3]
            for supergame in range(1, 11):
                rounds = int(np.clip(10 + rng.geometric(0.04), 10, 100))
                order = rng.permutation(SUBJECTS)
                partner = np.empty(SUBJECTS, dtype=int)
                partner[order], partner[np.roll(order.reshape(-1, 2), 1, axis=1).ravel()] = (
                    np.roll(order.reshape(-1, 2), 1, axis=1).ravel(),
                    order,
                )
                choice = (rng.random((rounds, SUBJECTS)) < 0.55).astype(int)
                payoff = PAYOFFS[2 * (1 - choice) + 1 - choice[:, partner]]
                for t in range(rounds):
                    for i in range(SUBJECTS):
                        who, whom = f"{name}-{i + 1}", f"{name}-{partner[i] + 1}"
                        own, points = "DC"[choice[t, i]], payoff[t, i]
                        other = "DC"[choice[t, partner[i]]]
                        long.write(f"{name},{who},{whom},{supergame},{t + 1},{own},{points},{condition}\n")
                        foreign.write(
                            f"{name},{who},{supergame},{t + 1},{own},{other},{points},{condition}\n"
                        )
                        if 3 * written < rows:
                            lines.write(
                                f'{{"session": "{name}", "subject": "{who}", "partner": "{whom}", '
                                f'"supergame": {supergame}, "round": {t + 1}, "choice": "{own}", '
                                f'"payoff": {points}, "condition": "{condition}"}}\n'
                            )
                for i in np.flatnonzero(np.arange(SUBJECTS) < partner):
                    j = partner[i]
                    pairs.writelines(
                        f"{name},{supergame},{t + 1},{name}-{i + 1},{name}-{j + 1},{'DC'[choice[t, i]]},"
                        f"{'DC'[choice[t, j]]},{payoff[t, i]},{payoff[t, j]},{condition}\n"
                        for t in range(rounds)
                    )
                written += rounds * SUBJECTS
    return paths


def high_water() -> float:
    """Highest resident size of this process in MiB, by the kernel; that of a parent does not count."""
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024**2 if sys.platform == "darwin" else 1024
    )


def read(who: str, kind: str, path: Path) -> dict[str, Any]:
    """What was read, by one reader."""
    import pandas as pd

    from intent import read_log

    if who == "intent":
        log = read_log(path, **FILES[kind][1])
        return {"games": len(log), "moves": len(log.moves)}
    if kind == "json":
        return {"rows": len(pd.read_json(path, lines=True))}
    return {"rows": len(pd.read_csv(path, low_memory=who == "pandas"))}


def reading(who: str, kind: str, path: Path) -> dict[str, Any]:
    """One reading, in this process."""
    with tempfile.TemporaryDirectory() as folder, path.open(encoding="utf-8") as stream:
        head = Path(folder) / path.name
        head.write_text("".join(itertools.islice(stream, 5_000)), encoding="utf-8")
        read(who, kind, head)
    before = high_water()
    began, cpu = time.perf_counter(), time.process_time()
    size = read(who, kind, path)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    return {"seconds": seconds, "cpu_seconds": cpu, "peak_mib": high_water(), "before_mib": before, **size}


def measured(who: str, kind: str, path: Path) -> dict[str, Any] | str:
    """One reading in a process of its own, or why there is none."""
    command = [sys.executable, __file__, "--read", who, kind, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    return json.loads(done.stdout)


def beside_pandas(kind: str, path: Path, runs: int) -> dict[str, Any]:
    """Medians of readings by turns, and their ratios to each way of pandas."""
    row: dict[str, Any] = {"file": kind, "mib": path.stat().st_size / 2**20, "ratios": {}}
    ways = ("pandas",) if kind == "json" else ("pandas", "at once")
    times: dict[str, list[dict[str, Any]]] = {who: [] for who in (*ways, "intent")}
    for _ in range(runs):
        for who, results in times.items():
            result = measured(who, kind, path)
            if isinstance(result, str):
                return {**row, "why": result}
            results.append(result)
    for who, results in times.items():
        row[who] = {key: statistics.median(r[key] for r in results) for key in results[0]}
        row[who]["over"] = (row[who]["peak_mib"] - row[who].pop("before_mib")) / row["mib"]
    for who in ways:
        row["ratios"][who] = {key: row["intent"][key] / row[who][key] for key in ("seconds", "cpu_seconds")}
    return row


def labelled(path: Path) -> dict[str, float]:
    """Seconds of ``intent label`` on the CSV file, start-up and writing included."""
    command = [sys.executable, "-c", "from intent.cli.main import main; main()", "label", str(path)]
    command += ["--map", ",".join(f"{k}={v}" for k, v in MAPPING.items()), "--payoff-kind", "reward"]
    command += ["-o", str(path.with_name("labels.parquet")), "--overwrite", "--json"]
    began = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {"seconds": time.perf_counter() - began, "labels": json.loads(done.stdout)["n"]}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the long table")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--full", action="store_true", help=f"{FULL:,} rows")
    parser.add_argument("--label", action="store_true", help="the whole command intent label, too")
    parser.add_argument("--only", choices=list(FILES), action="append")
    parser.add_argument("--folder", type=Path, help="where the files are, or stay once they are written")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--read", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        who, kind, path = options.read
        print(json.dumps(reading(who, kind, Path(path))))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        paths = {kind: folder / f"{kind}.{suffix}" for kind, (suffix, _) in FILES.items()}
        if not all(path.is_file() for path in paths.values()):
            folder.mkdir(parents=True, exist_ok=True)
            paths = write_files(folder, FULL if options.full else options.rows, np.random.default_rng(1))
        kinds = options.only or list(FILES)
        result: dict[str, Any] = {"files": [beside_pandas(kind, paths[kind], options.runs) for kind in kinds]}
        if options.label:
            result["label"] = labelled(paths["csv"])
    if options.json:
        print(json.dumps(result))
        return
    print(f"{'file':<9}{'MiB':>6}  {'reader':<10}{'s':>7}{'s of processor':>16}{'peak MiB':>10}{'over':>6}")
    for row in result["files"]:
        if "why" in row:
            print(f"{row['file']:<9}{row['mib']:>6.0f}  not read: {row['why']}")
            continue
        for who in (*row["ratios"], "intent"):
            line = "{seconds:>7.2f}{cpu_seconds:>16.2f}{peak_mib:>10.0f}{over:>6.1f}".format(**row[who])
            print(f"{row['file']:<9}{row['mib']:>6.0f}  {who:<10}{line}")
        for who, ratio in row["ratios"].items():
            print(f"{'':<9}intent / {who:<8}" + "{seconds:>7.2f}{cpu_seconds:>16.2f}".format(**ratio))
    if options.label:
        print("intent label: {seconds:.1f} s for {labels:,} labels".format(**result["label"]))


if __name__ == "__main__":
    main()
