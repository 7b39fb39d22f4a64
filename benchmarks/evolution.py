"""Moran processes over a table of matches: seconds of 100 runs, over processes, beside the Axelrod library.

Payoffs are invented (75 strategies in three groups, 20 repetitions of every pair), since only look-ups are
measured: what comes before, the round robin, is measured by the benchmark of tournaments. A process of the
library plays its matches anew in every generation; its time is that of one generation of 12 players, of
which a process of 12 takes about 80.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from intent.arena.evolution.exact import moran_chain
from intent.arena.evolution.moran import moran
from intent.arena.evolution.population import Pool, mean_payoffs, payoff_draws
from intent.base.workers import open_workers

NAMES = ("Aggressive", "Cooperative", "Neutral")
MEANS = np.array([[1.6, 1.5, 1.5], [1.5, 2.9, 2.9], [1.5, 2.9, 2.9]])
INITIAL = (4, 4, 4)


def pool(strategies: int, repetitions: int) -> Pool:
    """Payoffs around the means of three groups."""
    rng = np.random.default_rng(0)
    size = strategies // 3
    means = np.kron(MEANS, np.ones((size, size)))[..., None]
    payoffs = np.clip(means + rng.normal(0, 0.4, (3 * size, 3 * size, repetitions)), 0, 5)
    members = tuple(tuple(f"{name}_{k}" for k in range(size)) for name in NAMES)
    return Pool(NAMES, members, payoffs, np.einsum("iir->ir", payoffs).copy())


def seconds(work: Callable[[], Any]) -> float:
    """Least of three."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def library_seconds(turns: int, noise: float) -> float | None:
    """One generation of the library's process, 12 players; None where it is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import axelrod as axl
    except ImportError:
        return None
    kinds = (axl.Grudger, axl.TitForTat, axl.WinStayLoseShift)
    players = [kind() for kind in kinds for _ in range(4)]
    process = axl.MoranProcess(players, turns=turns, noise=noise, seed=1)
    began = time.perf_counter()
    next(process)
    return time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strategies", type=int, default=75)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--many", type=int, default=4000, help="runs that are spread over processes")
    parser.add_argument("--workers", type=int, nargs="+", default=(1, 2))
    parser.add_argument("--turns", type=int, default=1000, help="of the library's matches")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    told = pool(options.strategies, options.repetitions)

    def play(runs: int, workers: int = 1) -> Any:
        with open_workers(workers) as who:
            return moran(told, INITIAL, runs=runs, rng=np.random.default_rng(1), workers=who)

    births = int(play(100).steps.sum())
    found: dict[str, Any] = {"hundred_runs": seconds(lambda: play(100)), "births": births}
    found["births_per_second"] = births / found["hundred_runs"]
    found["many"] = {w: seconds(lambda w=w: play(options.many, w)) for w in options.workers}
    found["exact_chain"] = seconds(lambda: moran_chain(mean_payoffs(told), 12).fixation())
    found["bootstrap_1000"] = seconds(lambda: payoff_draws(told, 1000, np.random.default_rng(2)))
    found["library_generation"] = library_seconds(options.turns, 0.1)
    if options.json:
        print(json.dumps(found))
        return
    print(f"100 Moran processes, n = 12: {found['hundred_runs']:.3f} s ({births:,} births)")
    for workers, spent in found["many"].items():
        print(f"{options.many:,} processes, {workers} workers: {spent:.2f} s")
    print(f"exact chain, 91 compositions: {found['exact_chain'] * 1e3:.1f} ms")
    print(f"1,000 payoff matrices over strategies drawn anew: {found['bootstrap_1000'] * 1e3:.0f} ms")
    one = found["library_generation"]
    if one is not None:
        print(f"Axelrod, one generation of 12 players, {options.turns} turns, noise: {one:.3f} s")
        print(f"ours, one generation: {found['hundred_runs'] / births * 1e6:.0f} microseconds")


if __name__ == "__main__":
    main()
