"""Rounds per second of processor time of each engine of the sandbox, beside CPython without any sandbox.

The field is the shipped sample of written strategies and the eleven human-written ones; each pair of a fair
cover plays one match. "no sandbox" runs the same match loop in this process: the samples are ours, so nothing
untrusted is run here, and every engine must give its moves. Processor time includes that of the engine's own
processes; rounds per second on the clock stand beside it.

``--beside FOLDER`` measures another checkout in turns with this one, each in processes of its own, and prints
the median of the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from intent.arena.engines import engine_status, make_engine
from intent.arena.entrant import Entrant
from intent.arena.field import humans
from intent.arena.match import Job, MatchRules, Played, flips_text, match_draws
from intent.arena.sandbox.confined import player_spec, unpack_moves
from intent.arena.sandbox.runtime import Rules, Seating, play_match
from intent.arena.sources.reader import read_strategies
from intent.arena.streams import Salt

SAMPLES = Path(__file__).resolve().parents[1] / "datasets" / "samples" / "written_strategies"
PUBLISHED = {"no sandbox": 283_000, "seccomp": 164_000, "monty": 85_000, "strict": 39_000}
"""Rounds per second of one core that were measured on the 825 published strategies, on another machine."""


def cover(field: list[Entrant], every: int) -> list[Job]:
    """Every `every`-th pair of the field, as matches of one repetition."""
    n = len(field)
    pairs = [(i, j) for i in range(n) for j in range(n)][::every]
    salt = Salt(bytes(32))
    return [Job(i, j, (salt.match(field[i].name, field[j].name, 0),)) for i, j in pairs]


def unconfined(field: list[Entrant], jobs: list[Job], rules: MatchRules) -> dict[Job, np.ndarray]:
    """Moves of the jobs, played in this process."""
    late = rules.fidelity == "axelrod"
    told = Rules(rules.payoffs, rules.turns, rules.noise, late, rules.known_length, rules.reuse_instances)
    found = {}
    for job in jobs:
        specs = [player_spec(field[place]) for place in (job.first, job.second)]
        stale = late and all(spec.get("scored") for spec in specs)
        seats = [Seating(spec, told, stale and seat == 0) for seat, spec in enumerate(specs)]
        seeds, flips = match_draws(job.seeds[0], [spec["seeded"] for spec in specs], rules)
        digits = flips_text(flips) if rules.noise else ""
        found[job] = unpack_moves(bytes(play_match(seats, told, seeds, digits)), 1, rules.turns)
    return found


def processor() -> float:
    """Seconds of processor time of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def beside(other: Path, times: int, options: list[str]) -> dict[str, dict[str, float]]:
    """Engine -> this checkout's speed over the other's, measured in turns.

    ``best`` is the ratio of the highest speeds, which a busy machine disturbs least; beside it stand the
    median and the quartiles of the ratios.
    """
    here = Path(__file__).resolve().parents[1]
    pairs: dict[str, list[tuple[float, float]]] = {}
    for turn in range(times):
        speeds = {}
        for tree in (here, other.resolve()) if turn % 2 else (other.resolve(), here):
            command = [sys.executable, str(tree / "benchmarks" / "engines.py"), "--json", *options]
            # the tree in front, so that an installed copy of the package is not measured in its place
            told = subprocess.run(
                command,
                capture_output=True,
                check=True,
                text=True,
                env={**os.environ, "PYTHONPATH": str(tree)},
            )
            rows = json.loads(told.stdout)["engines"]
            speeds[tree == here] = {row["engine"]: row["per_processor_second"] for row in rows}
        for name in speeds[True]:
            pairs.setdefault(name, []).append((speeds[True][name], speeds[False][name]))
    return {
        name: {
            "best": max(own for own, _ in speeds) / max(theirs for _, theirs in speeds),
            **dict(
                zip(
                    ("low", "median", "high"),
                    statistics.quantiles([own / theirs for own, theirs in speeds], n=4),
                    strict=True,
                )
            ),
        }
        for name, speeds in pairs.items()
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--every", type=int, default=7, help="of how many pairs one is played")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another checkout to compare with")
    parser.add_argument("--times", type=int, default=9, help="how often each of the two is measured")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.beside is not None:
        options = [f"--{name}={getattr(given, name)}" for name in ("turns", "noise", "every", "workers")]
        ratios = beside(given.beside, given.times, options)
        if given.json:
            print(json.dumps(ratios))
            return
        for name, row in ratios.items():
            quartiles = f"quartiles {row['low']:.3f} to {row['high']:.3f}"
            print(f"{name:12} best {row['best']:.3f}  median {row['median']:.3f}  {quartiles}")
        return
    rules = MatchRules(turns=given.turns, noise=given.noise)
    field = [*read_strategies([SAMPLES]).entrants, *humans()]
    jobs = cover(field, given.every)
    rounds = len(jobs) * rules.turns

    rows: list[dict[str, Any]] = []

    def note(engine: str, worked: float, waited: float, same: bool) -> None:
        speed = rounds / worked
        ratio = speed / rows[0]["per_processor_second"] if rows else 1.0
        told = {"per_processor_second": round(speed), "per_second": round(rounds / waited)}
        rows.append({"engine": engine, **told, "ratio": round(ratio, 3), "same_moves": same})

    begun, used = time.perf_counter(), processor()
    expected = unconfined(field, jobs, rules)
    note("no sandbox", processor() - used, time.perf_counter() - begun, True)
    for name, why in engine_status().items():
        if why is not None:
            print(f"{name}: {why}", file=sys.stderr)
            continue
        begun, used = time.perf_counter(), processor()
        with make_engine(name, workers=given.workers) as engine:
            results = list(engine.play(field, jobs, rules))
        waited = time.perf_counter() - begun
        same = all(isinstance(r, Played) and np.array_equal(r.moves, expected[r.job]) for r in results)
        note(name, processor() - used, waited, same)
    if given.json:
        settings = {
            "matches": len(jobs),
            "turns": rules.turns,
            "noise": rules.noise,
            "workers": given.workers,
        }
        print(json.dumps({**settings, "engines": rows}))
        return
    print(f"{len(jobs)} matches of {rules.turns} rounds, noise {rules.noise:g}, {given.workers} worker(s)")
    print(f"{'engine':12}{'per CPU second':>16}{'per second':>12}{'ratio':>8}")
    for row in rows:
        same = "same moves" if row["same_moves"] else "OTHER MOVES"
        published = f"(elsewhere: {PUBLISHED[row['engine']]:,})"
        speeds = f"{row['per_processor_second']:>16,}{row['per_second']:>12,}{row['ratio']:>8}"
        print(f"{row['engine']:12}{speeds}  {same}  {published}")


if __name__ == "__main__":
    main()
