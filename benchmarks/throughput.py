"""Generating and scoring ten-round trajectories, beside matches of the Axelrod library.

Trajectories per second of one core: processor time, not wall time, best of several repeats, since other work
on the machine only ever slows a run down. The opponent is a fair coin, the noise 5 %, the
set canonical4; arrays are int8 in memory.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np

from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.bayes import BayesRecogniser
from intent.strategies.sets import strategy_set

ROUNDS, EPS = 10, 0.05


def best_rate(work: Callable[[], object], n: int, repeats: int) -> float:
    """Items per processor second in the best of several repeats."""
    rates = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        rates.append(n / (time.process_time() - start))
    return max(rates)


def axelrod_rate(n: int, repeats: int) -> float | None:
    """The same play by the Axelrod library, None where it is not installed."""
    try:
        import axelrod as axl
    except ImportError:
        return None
    players = [axl.Cooperator(), axl.Defector(), axl.TitForTat(), axl.WinStayLoseShift()]
    coin = axl.Random(0.5)

    def work() -> None:
        for i in range(n):
            axl.Match([players[i % 4], coin], turns=ROUNDS, noise=EPS, seed=i).play()

    return best_rate(work, n, repeats)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=2_000_000, help="trajectories (default 2,000,000)")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    corpus = Corpus(strategy_set("canonical4"), options.n, (ROUNDS, ROUNDS), (EPS, EPS))
    X, _ = generate_arrays(corpus, np.random.default_rng(0))
    model = BayesRecogniser("canonical4", eps=EPS).fit()
    model.predict_proba(X[:1000])
    rates = {
        "generate": best_rate(
            lambda: generate_arrays(corpus, np.random.default_rng(1)), options.n, options.repeats
        ),
        "bayes_predict_proba": best_rate(lambda: model.predict_proba(X), options.n, options.repeats),
        "axelrod_matches": axelrod_rate(2000, 2),
    }
    ratio = None if rates["axelrod_matches"] is None else rates["generate"] / rates["axelrod_matches"]
    if options.json:
        print(
            json.dumps(
                {"n": options.n, "rounds": ROUNDS, "per_second": rates, "generate_over_axelrod": ratio}
            )
        )
        return
    for name, rate in rates.items():
        print(f"{name:<22}{'not installed' if rate is None else f'{rate:>16,.0f} trajectories/s'}")
    if ratio is not None:
        print(f"generate / axelrod    {ratio:>16,.0f}")


if __name__ == "__main__":
    main()
