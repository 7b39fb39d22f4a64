"""Regret and calibration of recognisers over noise, length and opponents.

Regrets are paired: the same play, and the exact chance of being right given the play (`expected_regret`).
"mixed" opponents are half fair coins, half strategies of the set, drawn independently of the label, with the
player's own noise. At each noise stands the regret to the rule that knows eps / to the rule that integrates
it over U[0, .2] / of the recogniser that is told eps, to the rule that knows it. ECE: of the play of all five
noises together, which is not the play that a recogniser of U[0, .2] is calibrated for (`calibration.py`).

The default is a quick look; ``-n 200000 --untold`` takes ten minutes a recogniser.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from intent.recognise.recogniser import load_recogniser
from intent.recognise.scores import Regret
from intent.strategies.sets import strategy_set

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from regret_grid import GRID_EPS, GRID_ROUNDS, GridPoint, pooled_calibration, regret_grid

SETS = ("canonical4", "canonical5", "canonical6")


def mixed(set_name: str) -> str:
    """Half fair coins, half strategies of the set."""
    names = [s.name for s in strategy_set(set_name)]
    return "random=0.5," + ",".join(f"{name}={0.5 / len(names):.4f}" for name in names)


def table(points: list[GridPoint]) -> list[dict[str, Any]]:
    """A row per length."""
    rows = []
    for t in GRID_ROUNDS:
        row = [p for p in points if p.rounds == t]
        rows.append(
            {
                "rounds": t,
                "to_known": [p.to_known.value for p in row],
                "to_range": [p.to_range.value for p in row],
                "told": [None if p.aware is None else p.aware.value for p in row],
                "mean_to_range": float(np.mean([p.to_range.value for p in row])),
                "ece": pooled_calibration(row),
            }
        )
    return rows


def worst(points: list[GridPoint], regrets: list[Regret | None]) -> dict[str, Any] | None:
    """The point with the largest upper 95 % bound."""
    found = [(r.bound, p) for r, p in zip(regrets, points, strict=True) if r is not None]
    if not found:
        return None
    bound, point = max(found, key=lambda pair: pair[0])
    return {"bound": bound, "rounds": point.rounds, "eps": point.eps}


def main() -> None:
    """Print the grids."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", default=[f"lstm-{s}" for s in SETS])
    parser.add_argument("-n", type=int, default=2_000, help="trajectories at each point")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--untold", action="store_true", help="leave out the measurement of the told ones")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    results = []
    for name in options.names:
        model, set_name = load_recogniser(name), next(s for s in SETS if s in name)
        for word, opponent in (("random", "random"), ("mixed", mixed(set_name))):
            settings = {"opponent": opponent, "n": options.n, "seed": options.seed}
            points = list(regret_grid(model, set_name, tell=not options.untold, **settings))
            result = {
                "name": name,
                "opponents": word,
                "n": options.n,
                "rows": table(points),
                "worst_to_known": worst(points, [p.to_known for p in points]),
                "worst_to_range": worst(points, [p.to_range for p in points]),
                "worst_told": worst(points, [p.aware for p in points]),
            }
            results.append(result)
            if not options.json:
                show(result)
    if options.json:
        print(json.dumps({"eps": GRID_EPS, "results": results}))


def show(result: dict[str, Any]) -> None:
    """One grid for people."""
    print(f"\n{result['name']}, {result['opponents']} opponents, {result['n']:,} trajectories a point")
    heads = "".join(f"{f'eps {e:g}':>26}" for e in GRID_EPS)
    print(f"{'rounds':>6}{heads}{'mean to range':>15}{'ECE':>9}")
    for row in result["rows"]:
        parts = zip(row["to_known"], row["to_range"], row["told"], strict=True)
        cells = "".join(
            f"{known:>10.5f}/{ranged:+.5f}/" + ("   –   " if told is None else f"{told:.5f}")
            for known, ranged, told in parts
        )
        print(f"{row['rounds']:>6}{cells}{row['mean_to_range']:>15.5f}{row['ece']:>9.5f}")
    for name in ("known", "range"):
        found = result[f"worst_to_{name}"]
        print(
            f"to {name}: at most {found['bound']:.5f} (T {found['rounds']}, eps {found['eps']:g}; 95 % bound)"
        )
    if result["worst_told"]:
        found = result["worst_told"]
        print(
            f"told: at most {found['bound']:.5f} (T {found['rounds']}, eps {found['eps']:g}; 95 % bound)",
            flush=True,
        )


if __name__ == "__main__":
    main()
