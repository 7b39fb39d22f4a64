"""Choices of Romero & Rosokha (2018) by strategy tables and by rules in words, and what decisions add.

The first figures need their file: ``python benchmarks/decided_moves.py --data FOLDER`` with
``romero_rosokha/choices.csv.gz`` in it (default: INTENT_DATA, else ../shared/data). The others are simulated:
subjects who tremble in 6 % of their decisions, in a game that flips one decision in eight.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from intent.estimate.shares import estimate
from intent.logs.gamelog import Trajectories
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import strategy_set

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT))


def recorded(path: Path) -> dict[str, float]:
    """Supergames 31 to 50, rounds up to 20, the set rr20, each subject one observation."""
    from tests.choices_in_words import agreements, maximum, recorded_choices

    subjects = recorded_choices(path, range(31, 51), 20)
    games = [game for mine in subjects for game in mine]
    X = Trajectories.from_strings([own for own, _ in games], [other for _, other in games])
    of_game = np.repeat(np.arange(len(subjects)), [len(mine) for mine in subjects])
    start = time.perf_counter()
    fit = estimate(X, of_game, strategy_set("rr20")).groups[0][1]
    seconds = time.perf_counter() - start
    return {
        "subjects": len(subjects),
        "choices": int(X.n_rounds.sum()),
        "log_likelihood_by_tables": fit.log_likelihood,
        "log_likelihood_by_rules_in_words": maximum(agreements(subjects, list(fit.names))),
        "tremble": fit.tremble[0].estimate,
        "fit_seconds": seconds,
    }


def simulated(n: int) -> dict[str, float]:
    """Seconds of the exact likelihood of n plays of ten rounds, with and without decisions beside them."""
    rng, strategies = np.random.default_rng(0), strategy_set("canonical6")
    own, other = rng.integers(0, 2, (2, n, 10), dtype=np.int8)
    decided = np.where(rng.random(own.shape) < 0.125, 1 - own, own).astype(np.int8)
    taken = {}
    for name, options in {"played": {}, "decided": {"decided": decided}}.items():
        times = []
        for _ in range(3):
            start = time.perf_counter()
            log_likelihood(own, other, None, strategies, 0.05, **options)
            times.append(time.perf_counter() - start)
        taken[f"likelihood_{name}_seconds"] = min(times)
    return {"plays": n, **taken}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", default=os.environ.get("INTENT_DATA", str(_ROOT.parent / "shared" / "data"))
    )
    parser.add_argument("--n", type=int, default=200_000, help="plays whose likelihood is timed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    path = Path(options.data) / "romero_rosokha" / "choices.csv.gz"
    found: dict[str, Any] = recorded(path) if path.is_file() else {}
    found |= simulated(options.n)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:<34}{value:>18,.6f}" if isinstance(value, float) else f"{name:<34}{value:>18,}")


if __name__ == "__main__":
    main()
