"""Strategy-frequency estimation: time, memory, and agreement with scipy's SLSQP in the same run.

The small case has the size of Dal Bó & Fréchette (2011): 6 groups of 45 subjects with 4 to 10 games each, 6
strategies, about 7,400 choices. Times are processor seconds, best of several repeats; memory is the peak of a
process of its own that makes and fits a million subjects.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from intent.estimate.counts import count_moves
from intent.estimate.mixture import Layout, Mixture, Parameters
from intent.estimate.shares import estimate
from intent.logs.gamelog import Trajectories
from intent.play.corpora import Corpus, generate_arrays
from intent.strategies.sets import strategy_set

SHARES = (0.35, 0.2, 0.15, 0.2, 0.1, 0.0)


def small_case() -> tuple[Trajectories, Any, Any]:
    """Play, subjects and groups of the size of the literature."""
    rng = np.random.default_rng(0)
    strategies = strategy_set("df2011")
    X, y = generate_arrays(Corpus(strategies, 6 * 2700, (3, 5), (0.08, 0.08)), rng)
    played = rng.choice(6, size=270, p=SHARES)
    games = rng.integers(4, 11, 270)
    rows = [rng.choice(np.flatnonzero(y == k), n, replace=False) for k, n in zip(played, games, strict=True)]
    subjects = np.repeat(np.arange(270), games)
    return X[np.concatenate(rows)], subjects, subjects // 45


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Processor seconds, best of several repeats."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def slsqp(X: Trajectories, subjects: Any, groups: Any, starts: int) -> list[float]:
    """Log-likelihood of each group by SLSQP with analytic gradients, best of several starts."""
    strategies, rng = strategy_set("df2011"), np.random.default_rng(0)
    k, found = len(strategies), []
    for g in np.unique(groups):
        rows = groups == g
        counts = count_moves(X[rows], np.unique(subjects[rows], return_inverse=True)[1], strategies)
        mixture = Mixture([counts], Layout(np.zeros(1, dtype=int), np.zeros((1, k), dtype=int)))
        weights = [np.ones((1, len(counts)))]

        def loss(v: Any, mixture: Mixture = mixture, weights: Any = weights) -> tuple[float, Any]:
            slopes = mixture.slopes(Parameters(np.clip(v[None, None, :k], 0, None), v[None, k:]), weights)
            return -slopes.value[0], -np.concatenate([slopes.shares[0, 0], slopes.log_odds[0]])

        best = -np.inf
        for _ in range(starts):
            start = np.concatenate([rng.dirichlet(np.ones(k)), rng.uniform(-5, -0.3, 1)])
            done = minimize(
                loss,
                start,
                jac=True,
                method="SLSQP",
                bounds=[(1e-12, 1)] * k + [(-29, -1e-9)],
                constraints={"type": "eq", "fun": lambda v: v[:k].sum() - 1},
                options={"ftol": 1e-14, "maxiter": 500},
            )
            if abs(done.x[:k].sum() - 1) < 1e-9:
                best = max(best, -done.fun)
        found.append(best)
    return found


def million(n: int) -> dict[str, float]:
    """Fit n subjects of ten rounds to the twenty strategies of Romero & Rosokha, in this process."""
    strategies = strategy_set("rr20")
    corpus = Corpus(strategies, n, (10, 10), (0.08, 0.08))
    X, _ = generate_arrays(corpus, np.random.default_rng(0))
    start = time.perf_counter()
    fit = estimate(X, np.arange(n), strategies).groups[0][1]
    wall = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    off = max(abs(share.estimate - 0.05) for share in fit.shares)
    return {
        "subjects": n,
        "seconds": wall,
        "peak_gb": peak,
        "converged": fit.converged,
        "largest_share_error": off,
    }


def measure(n: int, repeats: int) -> dict[str, Any]:
    """All figures."""
    X, subjects, groups = small_case()
    strategies = strategy_set("df2011")

    def fit(**options: Any) -> Any:
        return estimate(X, subjects, strategies, groups=groups, test=False, **options)

    ours = [fit.log_likelihood for _, fit in fit().groups]
    start = time.process_time()
    theirs = slsqp(X, subjects, groups, 5)
    direct = time.process_time() - start
    child = subprocess.run(
        [sys.executable, __file__, "--only-million", "--n", str(n)],
        check=True,
        capture_output=True,
        text=True,
    )
    return {
        "choices": int(X.n_rounds.sum()),
        "fit_seconds": seconds(fit, repeats),
        "fit_and_tests_seconds": seconds(lambda: estimate(X, subjects, strategies, groups=groups), repeats),
        "bootstrap_1000_seconds": seconds(lambda: fit(bootstrap=1000, rng=np.random.default_rng(1)), 1),
        "slsqp_5_starts_seconds": direct,
        "least_gain_over_slsqp": min(a - b for a, b in zip(ours, theirs, strict=True)),
        "million": json.loads(child.stdout),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1_000_000, help="subjects of the large case")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--only-million", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only_million:
        print(json.dumps(million(options.n)))
        return
    found = measure(options.n, options.repeats)
    if options.json:
        print(json.dumps(found))
        return
    large = found.pop("million")
    for name, value in found.items():
        print(f"{name:<26}{value:>14,.4g}")
    for name, value in large.items():
        print(f"large case: {name:<14}{value:>14,.4g}")


if __name__ == "__main__":
    main()
