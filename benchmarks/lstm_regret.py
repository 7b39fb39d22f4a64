"""Regret and calibration of recognisers over noise, length and opponents.

    python benchmarks/lstm_regret.py                       # a quick look at the shipped recurrent ones
    python benchmarks/lstm_regret.py -n 200000             # the figures of their model cards
    python benchmarks/lstm_regret.py forest-canonical4

Regrets are paired: the same play, and the exact chance of being right given the play (`expected_regret`).
"mixed" opponents are half fair coins, half strategies of the set, drawn independently of the label, with the
player's own noise. Printed at each noise is the regret to the rule that knows eps / to the rule that
integrates it over U[0, .2] / told, of the recogniser that is told eps, to the rule that knows it.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from intent.recognise.storage import load_recogniser
from intent.strategies.catalogue import strategy_set
from intent.workflows.regret_grid import GRID_EPS, GRID_ROUNDS, pooled_calibration, regret_grid


def mixed(set_name: str) -> str:
    """Half fair coins, half strategies of the set."""
    names = [s.name for s in strategy_set(set_name)]
    return "random=0.5," + ",".join(f"{name}={0.5 / len(names):.4f}" for name in names)


def main() -> None:
    """Print the grids."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", default=[f"lstm-canonical{k}" for k in (4, 5, 6)])
    parser.add_argument("-n", type=int, default=5_000, help="trajectories at each point")
    parser.add_argument("--seed", type=int, default=11)
    arguments = parser.parse_args()
    for name in arguments.names:
        model = load_recogniser(name)
        set_name = next(s for s in ("canonical4", "canonical5", "canonical6") if s in name)
        for opponent in ("random", mixed(set_name)):
            start = time.perf_counter()
            points = list(regret_grid(model, set_name, opponent=opponent, n=arguments.n, seed=arguments.seed))
            word = "mixed" if "=" in opponent else opponent
            print(f"\n{name}, {word} opponents, {arguments.n:,} trajectories a point")
            heads = "".join(f"{f'eps {e:g}':>26}" for e in GRID_EPS)
            print(f"{'rounds':>6}{heads}{'mean to range':>15}{'ECE pooled':>12}")
            for t in GRID_ROUNDS:
                row = [p for p in points if p.rounds == t]
                cells = "".join(
                    f"{p.to_known.value:>10.5f}/{p.to_range.value:+.5f}/"
                    + ("   –   " if p.told is None else f"{p.told.value:.5f}")
                    for p in row
                )
                mean = float(np.mean([p.to_range.value for p in row]))
                print(f"{t:>6}{cells}{mean:>15.5f}{pooled_calibration(row):>12.5f}")
            known = max(points, key=lambda p: p.to_known.bound)
            ranged = max(points, key=lambda p: p.to_range.bound)
            print(
                f"95 % bounds at the worst point: to known {known.to_known.bound:.5f}"
                f" (T {known.rounds}, eps {known.eps:g}),"
                f" to range {ranged.to_range.bound:.5f} (T {ranged.rounds}, eps {ranged.eps:g})"
                + "".join(
                    f", told {p.told.bound:.5f} (T {p.rounds}, eps {p.eps:g})"
                    for p in [max(points, key=lambda p: -1 if p.told is None else p.told.bound)]
                    if p.told is not None
                )
            )
            print(f"{time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
