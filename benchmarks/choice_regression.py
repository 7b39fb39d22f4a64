"""The logit of models of choice: whether its intervals cover what was planted, and its speed beside a peer.

    python benchmarks/choice_regression.py [--full]

Coverage: play by a logit with known coefficients (those of the tests), fitted again and again; share of 95 %
intervals that hold the planted value, all coefficients together. With ``--full`` 500 replications, else 40.
Speed: the same counted rows, by `minimised` and by LogisticRegression of scikit-learn (Newton's method
too), as a ratio within this run.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pandas as pd
from scipy import sparse

from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.regression import START, Logit, Problem, minimised

TRUTH = {("other C 1 ago", ""): 1.5, ("own C 1 ago", ""): 0.8, ("intercept", "size"): 0.6}


def planted(rng: np.random.Generator, n: int, rounds: int) -> Choices:
    """Log odds -.5 + 1.5 (other C 1 ago) + .8 (own C 1 ago) + .6 size."""
    size = rng.normal(size=n)
    size = (size - size.mean()) / size.std()
    other = rng.integers(0, 2, (n, rounds)).astype(np.int8)
    own = np.zeros((n, rounds), dtype=np.int8)
    for t in range(rounds):
        eta = -0.5 + 0.6 * size + (1.5 * other[:, t - 1] + 0.8 * own[:, t - 1] if t else 0)
        own[:, t] = rng.random(n) < 1 / (1 + np.exp(-eta))
    return Choices(own, other, own, COOPERATION, np.arange(n), pd.DataFrame({"size": size}))


def coverage(replications: int) -> None:
    """Print the share of intervals that cover, of the planted coefficients and of those that are zero."""
    inside: dict[str, list[bool]] = {"planted": [], "zero": []}
    start = time.perf_counter()
    for i in range(replications):
        model = Logit(ridges=dict.fromkeys(START, 1e-3)).fit(planted(np.random.default_rng([1, i]), 400, 8))
        for p in model.parameters():
            if (p.name, p.of) == ("intercept", "") or p.se is None:
                continue
            truth = TRUTH.get((p.name, p.of))
            inside["zero" if truth is None else "planted"].append(abs(p.value - (truth or 0)) < 1.96 * p.se)
    seconds = time.perf_counter() - start
    for name, hits in inside.items():
        error = np.std(hits) / np.sqrt(replications)  # at least: those of one replication are dependent
        print(f"coverage, {name}: {np.mean(hits):.3f} of {len(hits):,} intervals (+- {error:.3f})")
    print(f"{replications} fits in {seconds:.1f} s")


def speed(rows: int, columns: int) -> None:
    """Print how long a logit takes, beside scikit-learn's on the same rows."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    X = (rng.random((rows, columns)) < 0.3).astype(float)
    chosen = rng.random(rows) < 1 / (1 + np.exp(-(X @ rng.normal(size=columns) - 0.5)))
    table = sparse.csr_matrix(np.column_stack([np.ones(rows), X]))
    problem = Problem(table, np.eye(2)[chosen.astype(int)], np.r_[0.0, np.ones(columns)])
    start = time.perf_counter()
    beta, _ = minimised(problem)
    own = time.perf_counter() - start
    start = time.perf_counter()
    theirs = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-7).fit(X, chosen)
    peer = time.perf_counter() - start
    gap = np.abs(beta[1:, 0] - theirs.coef_[0]).max()
    times = f"{own:.2f} s, scikit-learn {peer:.2f} s, ratio {own / peer:.2f}"
    print(f"{rows:,} x {columns}: {times}, apart {gap:.1e}")


def main() -> None:
    """Print coverage and speed."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--full", action="store_true", help="500 replications in place of 40")
    full = options.parse_args().full
    coverage(500 if full else 40)
    speed(200_000 if full else 20_000, 60)


if __name__ == "__main__":
    main()
