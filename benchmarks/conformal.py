"""Coverage of 95 % conformal label sets, where the noise is as assumed and where it is not.

The exact Bayes rule assumes eps a, its sets are calibrated at eps a, and the play is at eps b, against a fair
coin. Shown: the least coverage of any class, and the mean size of the sets. ``0-0.2``: eps integrated over,
calibrated over and played over U[0, .2].
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from intent import strategy_set
from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.labels.conformal import conformal_sets

SETS = ("canonical4", "canonical5", "canonical6")
NOISES = {"0": 0.0, "0.01": 0.01, "0.05": 0.05, "0.1": 0.1, "0.2": 0.2, "0-0.2": "integrate"}
PRIOR = (0.0, 0.2)


def measured(name: str, rounds: int, n: int, level: float, seed: int) -> list[dict[str, Any]]:
    """Coverage and size for every assumed noise and every noise of the play."""
    strategies = strategy_set(name)
    rows = []
    for played, b in NOISES.items():
        span = PRIOR if b == "integrate" else (b, b)
        corpus = Corpus(strategies, n * len(strategies), (rounds, rounds), span)
        X, y = generate_arrays(corpus, np.random.default_rng([seed, len(rows)]))
        for assumed, a in NOISES.items():
            model = BayesRecogniser(name, eps=a).fit()
            sets = conformal_sets(model, X, level, np.random.default_rng([seed, 1]))
            covered = sets[np.arange(len(y)), y]
            coverage = [float(covered[y == k].mean()) for k in range(len(strategies))]
            size = float(sets.sum(axis=1).mean())
            rows.append(
                {
                    "set": name,
                    "assumed": assumed,
                    "played": played,
                    "coverage": dict(zip((s.name for s in strategies), coverage, strict=True)),
                    "least": min(coverage),
                    "mean_size": size,
                }
            )
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("-n", type=int, default=10_000, help="trajectories per class of the play")
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    rows = []
    for name in SETS:
        rows += measured(name, options.rounds, options.n, options.level, options.seed)
    if options.json:
        print(json.dumps({"rounds": options.rounds, "level": options.level, "rows": rows}))
        return
    for name in SETS:
        print(f"{name}, T={options.rounds}: least coverage of a class (mean size of the sets)")
        print("assumed eps".ljust(14) + "".join(f"play {b}".rjust(15) for b in NOISES))
        for a in NOISES:
            found = [
                row
                for b in NOISES
                for row in rows
                if (row["set"], row["assumed"], row["played"]) == (name, a, b)
            ]
            print(a.ljust(14) + "".join(f"{r['least']:.3f} ({r['mean_size']:.2f})".rjust(15) for r in found))
        print()


if __name__ == "__main__":
    main()
