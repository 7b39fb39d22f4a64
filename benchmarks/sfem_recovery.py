"""Are known shares recovered? Bias and interval coverage over simulated populations.

Each replication draws the strategies of 150 subjects from shares of .1 to .4, lets each play 4 games of 10
rounds with a tremble of .05 against a fair coin, and estimates. Bias is given in standard errors (the spread
of the estimates), coverage for the intervals of the information or, with ``--bootstrap``, of the bootstrap.
``--sessions 6 --subjects 14`` has six sessions of 14 subjects each as units, ``--spread .1`` with shares of
their own, drawn around the others (Dirichlet; the correlation of two subjects of a session).
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from intent.estimate.shares import estimate
from intent.play.corpora import Corpus, generate_arrays
from intent.strategies.sets import strategy_set

CASES = {
    "canonical4": (0.1, 0.4, 0.3, 0.2),
    "df2011": (0.3, 0.2, 0.1, 0.2, 0.1, 0.1),
}


def recover(
    names: str,
    replications: int,
    rng: np.random.Generator,
    *,
    n_subjects: int = 150,
    sessions: int = 1,
    spread: float = 0.0,
    games: int = 4,
    rounds: int = 10,
    eps: float = 0.05,
    bootstrap: int = 0,
) -> dict[str, Any]:
    """Bias (in standard errors) and coverage of each share and of the tremble."""
    strategies, truth = strategy_set(names), np.array(CASES[names])
    total = n_subjects * sessions
    subjects = np.repeat(np.arange(total), games)
    clusters = subjects // n_subjects if sessions > 1 else None
    estimates, covered, errors = [], [], []
    for _ in range(replications):
        own = rng.dirichlet(truth * (1 / spread - 1), sessions) if spread else np.tile(truth, (sessions, 1))
        plays = np.concatenate([rng.choice(len(truth), n_subjects, p=one / one.sum()) for one in own])
        numbers = np.bincount(plays, minlength=len(truth))
        corpus = Corpus(
            strategies, int(numbers.max()) * games * len(strategies), (rounds, rounds), (eps, eps)
        )
        X, y = generate_arrays(corpus, rng)
        rows = np.empty((total, games), dtype=np.intp)
        for k, n in enumerate(numbers):
            rows[plays == k] = np.flatnonzero(y == k)[: n * games].reshape(n, games)
        draws = {"bootstrap": bootstrap, "rng": rng if bootstrap else None}
        fit = estimate(X[rows.ravel()], subjects, strategies, clusters=clusters, **draws).groups[0][1]
        found = (*fit.shares, *fit.tremble)
        estimates.append([e.estimate for e in found])
        errors.append([np.nan if e.se is None else e.se for e in found])
        ends = zip(found, (*truth, eps), strict=True)
        covered.append([np.nan if np.isnan(e.low) else float(e.low <= t <= e.high) for e, t in ends])
    deviation = np.std(estimates, axis=0, ddof=1)
    bias = (np.mean(estimates, axis=0) - (*truth, eps)) / deviation
    return {
        "strategies": names,
        "replications": replications,
        "source": "bootstrap" if bootstrap else "information",
        "parameters": [*(s.name for s in strategies), "tremble"],
        "truth": [*truth.tolist(), eps],
        "bias_in_se": bias.tolist(),
        "coverage": np.nanmean(covered, axis=0).tolist(),
        "without_interval": np.isnan(covered).mean(axis=0).tolist(),
        "mean_se_over_spread": (np.nanmean(errors, axis=0) / deviation).tolist(),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--bootstrap", type=int, default=0, help="resamples per replication (0: information)")
    parser.add_argument("--subjects", type=int, default=150, help="subjects of a session")
    parser.add_argument("--sessions", type=int, default=1, help="sessions, which are the units if several")
    parser.add_argument("--spread", type=float, default=0.0, help="how far sessions differ, 0 to 1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    streams = np.random.default_rng(options.seed).spawn(len(CASES))
    rows = [
        recover(
            names,
            options.replications,
            rng,
            n_subjects=options.subjects,
            sessions=options.sessions,
            spread=options.spread,
            bootstrap=options.bootstrap,
        )
        for names, rng in zip(CASES, streams, strict=True)
    ]
    if options.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print(f"{row['strategies']}, {row['replications']} replications, intervals by {row['source']}")
        print("parameter".ljust(12) + "truth    bias/se   coverage   mean se/spread")
        columns = zip(
            *(row[c] for c in ("parameters", "truth", "bias_in_se", "coverage", "mean_se_over_spread")),
            strict=True,
        )
        for name, truth, bias, coverage, ratio in columns:
            print(f"{name:<12}{truth:5.2f}   {bias:+8.3f}   {coverage:8.3f}   {ratio:14.3f}")


if __name__ == "__main__":
    main()
