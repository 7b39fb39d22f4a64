"""What RANDOM's competition costs: labels of known strategies with and without it, and of fair coins.

For each set, length and noise: play of every strategy of the set against coins, labelled by the exact
recogniser (eps .05 assumed, as shipped). ``correct``: share whose best class is the true one; ``confident``:
share with a label; ``right``: share of these whose label is the true one; ``coin``: share of fair coins that
get a label.

    python benchmarks/background.py --n 2000 --json background.json
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from intent.logs.gamelog import Trajectories
from intent.play.corpora import Corpus, generate_arrays, opponent
from intent.recognise.bayes import against_random
from intent.recognise.recogniser import Recogniser, load_recogniser
from intent.recognise.verdict import LabelSettings, judge

SETS = ("canonical4", "canonical5", "canonical6")
ROUNDS = (5, 10, 20, 50)
NOISE = (0.0, 0.01, 0.05, 0.1, 0.2)


def measured(
    model: Recogniser, X: Trajectories, truth: np.ndarray, settings: LabelSettings
) -> dict[str, float]:
    """Shares correct among all, confident, and right among the confident."""
    verdict = judge(X, model, settings, np.random.default_rng(0))
    right, sure = verdict.best == truth, verdict.status == "confident"
    return {
        "correct": float(right.mean()),
        "confident": float(sure.mean()),
        "right": float(right[sure].mean()) if sure.any() else float("nan"),
    }


def coins(model: Recogniser, n: int, rounds: int, settings: LabelSettings, rng: np.random.Generator) -> float:
    """Share of fair coins against coins that are confident."""
    own, other = rng.integers(0, 2, (2, n, rounds), dtype=np.int8)
    verdict = judge(Trajectories(own, other), model, settings, np.random.default_rng(0))
    return float((verdict.status == "confident").mean())


def rows(n: int, samples: int, seed: int) -> list[dict[str, Any]]:
    """One row per set, length and noise."""
    settings = LabelSettings(samples=samples)
    found = []
    for name in SETS:
        alone = load_recogniser(f"bayes-{name}")
        rival = against_random(alone)
        for rounds in ROUNDS:
            # Where the test of fit is itself drawn, once for each play, fewer plays will do.
            size = n if all(s.is_deterministic for s in alone.strategies_) else max(n // 2, 100)
            toss = [coins(m, size, rounds, settings, np.random.default_rng(seed)) for m in (alone, rival)]
            for noise in NOISE:
                corpus = Corpus(
                    alone.strategies_,
                    size,
                    (rounds, rounds),
                    (noise, noise),
                    eps_other=None,
                    opponent=opponent("RANDOM"),
                )
                X, truth = generate_arrays(corpus, np.random.default_rng([seed, rounds, int(1000 * noise)]))
                without, within = (measured(m, X, truth, settings) for m in (alone, rival))
                found.append(
                    {
                        "set": name,
                        "rounds": rounds,
                        "noise": noise,
                        "n": size,
                        "without": without | {"coin": toss[0]},
                        "with": within | {"coin": toss[1]},
                    }
                )
    return found


def main() -> None:
    """Print the table, without RANDOM | with RANDOM, in per cent."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=2000, help="trajectories per cell, half of it with GTFT")
    parser.add_argument("--samples", type=int, default=400, help="draws of the Monte Carlo test of fit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    began = time.perf_counter()
    found = rows(asked.n, asked.samples, asked.seed)
    columns = ("correct", "confident", "right", "coin")
    head = " | ".join(f"{c:>15}" for c in columns)
    print(f"{'set':<11}{'rounds':>6} {'noise':>5} | {head}   (each: without > with RANDOM, per cent)")
    for row in found:
        cells = " | ".join(f"{100 * row['without'][c]:6.1f} > {100 * row['with'][c]:6.1f}" for c in columns)
        print(f"{row['set']:<11}{row['rounds']:>6} {row['noise']:>5g} | {cells}")
    print(f"{time.perf_counter() - began:.0f} s, seed {asked.seed}")
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
