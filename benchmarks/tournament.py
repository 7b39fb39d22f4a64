"""A round robin of 75 written strategies x 1,000 turns in the sandbox, beside the Axelrod library.

The field is the 24 samples, each in three editions that differ in their numbers, and three more. Every pair,
self-play included, is played once with a seed of its own, as the library takes one, so that nothing is saved
by what is known already.
Seconds on the clock are those of the whole round robin with the start of the engine; processor seconds
include all processes of the sandbox. The library plays an even part of the same pairs with the same seeds, in
this process, without its import; its seconds are scaled up by the number of rounds, and its moves have
to be ours. The same round robin on one worker shows how it scales.
"""

from __future__ import annotations

import argparse
import ast
import json
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from intent.arena.engines import make_engine
from intent.arena.entrant import Entrant
from intent.arena.match import Job, MatchRules, Played
from intent.arena.sources.reader import read_strategies

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "datasets" / "samples" / "written_strategies" / "default.py"


class OtherNumbers(ast.NodeTransformer):
    """The numbers of an edition: integers from 5 on are larger by `k`, shares by k twentieths."""

    def __init__(self, k: int) -> None:
        self.k = k

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if type(node.value) is int and node.value >= 5:
            return ast.Constant(node.value + self.k)
        if type(node.value) is float and 0 < node.value < 1:
            return ast.Constant(round(node.value * (1 + self.k / 20), 4))
        return node


def edition(entrant: Entrant, k: int) -> Entrant:
    """The same strategy with other numbers."""
    tree = OtherNumbers(k).visit(ast.parse(entrant.source))
    return replace(entrant, name=f"{entrant.name}_{k}", source=ast.unparse(ast.fix_missing_locations(tree)))


def field_of(n: int) -> tuple[Entrant, ...]:
    """`n` different strategies made from the samples."""
    samples = read_strategies([SAMPLES]).entrants
    return tuple(edition(samples[i % len(samples)], i // len(samples)) for i in range(n))


def cpu_seconds() -> float:
    """Processor seconds of this process and of all children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def in_sandbox(
    field: tuple[Entrant, ...], jobs: list[Job], rules: MatchRules, name: str, workers: int
) -> tuple[dict[str, Any], dict[tuple[int, int], np.ndarray]]:
    """Seconds of the round robin, and its moves."""
    cpu, wall = cpu_seconds(), time.perf_counter()
    moves, faults = {}, []
    with make_engine(name, workers=workers) as engine:
        for done in engine.play(field, jobs, rules):
            if isinstance(done, Played):
                moves[done.job.first, done.job.second] = done.moves[0]
            else:
                faults.append(f"{field[done.player].name}: {done.kind}, {done.reason}")
        used = engine.name
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    rounds = len(jobs) * rules.turns
    facts = {"engine": used, "workers": workers, "wall_s": wall, "cpu_s": cpu, "faults": faults}
    return facts | {"rounds_per_cpu_s": rounds / cpu}, moves


def in_axelrod(
    field: tuple[Entrant, ...], jobs: list[Job], rules: MatchRules, ours: dict[tuple[int, int], np.ndarray]
) -> dict[str, Any] | None:
    """Processor seconds of the library for the same jobs, None where it is not installed."""
    sys.path.insert(0, str(ROOT / "tests"))
    from axelrod_players import moves_of, quiet_axelrod, source_player

    start = time.process_time()
    try:
        axl = quiet_axelrod()
    except ImportError:
        return None
    imported = time.process_time() - start
    classes = [source_player(axl, e.name, e.source) for e in field]
    same, cpu = 0, 0.0
    for job in jobs:
        players = (classes[job.first](), classes[job.second]())
        start = time.process_time()
        match = axl.Match(players, turns=rules.turns, noise=rules.noise, seed=job.seeds[0])
        match.play()
        cpu += time.process_time() - start
        same += np.array_equal(moves_of(axl, match), ours.get((job.first, job.second)))
    rounds = len(jobs) * rules.turns
    return {
        "matches": len(jobs),
        "same_moves": int(same),
        "cpu_s": cpu,
        "rounds_per_cpu_s": rounds / cpu,
        "import_s": imported,
    }


def whole_round_robins(
    field: tuple[Entrant, ...], rules: MatchRules, name: str, workers: int
) -> dict[str, float]:
    """Processor seconds of a round robin with its results: ours, and the library's `Tournament`."""
    from axelrod_players import quiet_axelrod, source_player

    from intent.arena.streams import Salt
    from intent.arena.tournament.matches import Contest
    from intent.arena.tournament.standings import standings
    from intent.arena.tournament.table import play_round_robin

    axl = quiet_axelrod()
    players = [source_player(axl, e.name, e.source)() for e in field]
    cpu = cpu_seconds()
    with make_engine(name, workers=workers) as engine:
        standings(play_round_robin(field, rules, Contest(1, Salt.of_field(field, 1), engine)))
    ours, cpu = cpu_seconds() - cpu, cpu_seconds()
    axl.Tournament(players, turns=rules.turns, repetitions=1, noise=rules.noise, seed=1).play(
        progress_bar=False
    )
    return {"strategies": len(field), "ours_cpu_s": ours, "axelrod_cpu_s": cpu_seconds() - cpu}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strategies", type=int, default=75)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--engine", default="auto")
    parser.add_argument(
        "--every", type=int, default=10, help="the library plays every n-th pair (default 10)"
    )
    parser.add_argument(
        "--whole", type=int, default=25, help="strategies of the round robins with results (default 25)"
    )
    parser.add_argument("--no-scaling", action="store_true", help="leave out the run with one worker")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    field = field_of(options.strategies)
    rules = MatchRules(turns=options.turns, noise=options.noise)
    pairs = [(i, j) for i in range(len(field)) for j in range(i, len(field))]
    jobs = [Job(i, j, (1_000_003 * i + 7919 * j,)) for i, j in pairs]
    ours, moves = in_sandbox(field, jobs, rules, options.engine, options.workers)
    alone = None
    if options.workers > 1 and not options.no_scaling:
        alone, same = in_sandbox(field, jobs, rules, options.engine, 1)
        assert all(np.array_equal(moves[pair], same[pair]) for pair in moves)
    theirs = in_axelrod(field, jobs[:: options.every], rules, moves)
    whole = theirs and whole_round_robins(
        field[:: max(1, len(field) // options.whole)], rules, options.engine, options.workers
    )
    result = {
        "strategies": len(field),
        "matches": len(jobs),
        "turns": rules.turns,
        "noise": rules.noise,
        "sandbox": ours,
        "sandbox_one_worker": alone,
        "axelrod": theirs,
        "axelrod_cpu_s_scaled": theirs and theirs["cpu_s"] * len(jobs) / theirs["matches"],
        "speed": theirs and ours["rounds_per_cpu_s"] / theirs["rounds_per_cpu_s"],
        "whole": whole,
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"{len(field)} strategies, {len(jobs)} matches of {rules.turns} turns, noise {rules.noise:g}")
    print(
        f"sandbox   {ours['engine']}, {ours['workers']} workers: {ours['wall_s']:.1f} s on the clock, "
        f"{ours['cpu_s']:.1f} s of processor time, {ours['rounds_per_cpu_s']:,.0f} rounds per second of it"
    )
    if alone is not None:
        print(
            f"          1 worker: {alone['wall_s']:.1f} s on the clock, {alone['cpu_s']:.1f} s of processor "
            f"time; {ours['workers']} workers are {alone['wall_s'] / ours['wall_s']:.2f} times as fast, "
            "same moves"
        )
    for fault in ours["faults"]:
        print(f"          {fault}")
    if theirs is None:
        print("axelrod   not installed: pip install 'strategy-intent[axelrod]'")
        return
    scaled = result["axelrod_cpu_s_scaled"]
    print(
        f"axelrod   {scaled:.1f} s of processor time for all pairs, from {theirs['matches']} of them; "
        f"{theirs['rounds_per_cpu_s']:,.0f} rounds per second; import {theirs['import_s']:.0f} s apart"
    )
    print(f"          {theirs['same_moves']} of {theirs['matches']} matches are move for move ours")
    print(f"sandbox / axelrod, matches alone, per second of processor time: {result['speed']:.2f}")
    if whole:
        print(
            f"round robin of {whole['strategies']} with its results: {whole['ours_cpu_s']:.1f} s of "
            f"processor time in the sandbox, {whole['axelrod_cpu_s']:.1f} s with the library; "
            f"{whole['axelrod_cpu_s'] / whole['ours_cpu_s']:.2f} times as fast"
        )


if __name__ == "__main__":
    main()
