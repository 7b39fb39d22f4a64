"""Memory of tournaments and evolution, by strategies and repetitions: peak of a fresh process each.

Moves are drawn at random in place of played, since memory does not depend on them; everything after (counts,
standings, tables of pairs, payoffs) is the command's own. ``bare_mb`` is the process and its libraries
before anything is counted.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from intent.arena.engines import AutomataEngine
from intent.arena.entrant import Entrant
from intent.arena.evolution.moran import moran
from intent.arena.evolution.population import PayoffTally, pool_of, pool_of_matrix
from intent.arena.match import Fault, Job, MatchRules, Played
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest, lots, play_matches
from intent.arena.tournament.standings import head_to_head, standings
from intent.arena.tournament.table import pair_columns, play_round_robin
from intent.strategies.catalogue import strategy

TURNS = 20


class Drawn(AutomataEngine):
    """Moves at random."""

    def play(
        self, field: Sequence[Entrant], jobs: Iterable[Job], rules: MatchRules
    ) -> Iterator[Played | Fault]:
        """As `intent.arena.match.Engine.play`."""
        rng = np.random.default_rng(0)
        for job in jobs:
            moves = rng.integers(0, 2, size=(len(job.seeds), 2, rules.turns), dtype=np.uint8)
            yield Played(job, moves)


def one(what: str, n: int, repetitions: int) -> None:
    """One case, in this process."""
    field = tuple(Entrant(f"s{k}", automaton=strategy(f"GTFT({(k + 1) / (n + 1):.5f})")) for k in range(n))
    rules = MatchRules(turns=TURNS)
    contest = Contest(repetitions, Salt(bytes(32)), Drawn(), added=True)
    if what == "tournament":
        table = play_round_robin(field, rules, contest)
        standings(table, np.random.default_rng(0))
        head_to_head(table)
        pd.DataFrame(pair_columns(table))
    elif what == "evolve":
        tally = PayoffTally(n, repetitions, rules)
        play_matches(field, rules, lots(field, rules, repetitions), tally.add, contest)
        pool_of(tally.table(field), "strategy")
    else:
        pool = pool_of_matrix("abc", np.array([[2.0, 1, 3], [4, 0, 1], [1, 3, 2]]))
        moran(pool, [n // 3] * 3, runs=repetitions, rng=np.random.default_rng(0))


def peak() -> float:
    """Megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(what: str, n: int, repetitions: int) -> dict[str, Any]:
    """One case, in a process of its own."""
    command = [sys.executable, __file__, "--one", what, str(n), str(repetitions)]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="up to 500 strategies and 200 repetitions")
    parser.add_argument("--one", nargs=3, metavar=("WHAT", "N", "REPETITIONS"), help="one case, as JSON")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.one:
        what, n, repetitions = options.one
        bare, start = peak(), time.perf_counter()
        one(what, int(n), int(repetitions))
        facts = {"what": what, "n": int(n), "repetitions": int(repetitions)}
        seconds = round(time.perf_counter() - start, 1)
        print(json.dumps({**facts, "seconds": seconds, "bare_mb": round(bare), "peak_mb": round(peak())}))
        return
    sizes = [(50, 20), (50, 200)]
    if options.full:
        sizes += [(200, 20), (200, 200), (500, 20)]
    cases = [(what, *size) for what in ("tournament", "evolve") for size in sizes]
    cases += [("moran", 24, runs) for runs in ((500, 2000, 6000) if options.full else (50, 200))]
    found = []
    for case in cases:
        found.append(measured(*case))
        if not options.json:
            print("  ".join(f"{name} {value}" for name, value in found[-1].items()), flush=True)
    if options.json:
        print(json.dumps({"rows": found}))


if __name__ == "__main__":
    main()
