"""Calibration of recognisers: expected calibration error by length, over a range of noise and at each noise.

Fresh play against a fair coin. ``prior``: eps drawn from U[0, .2]. ``pooled``: equally much play at eps 0,
.01, .05, .1 and .2; then each alone. The error is that of the most probable class in 15 bins of equal
mass; of a perfectly calibrated recogniser it would still be about .001 to .003 here, since bins are finite.
``NAME:EPS`` changes the noise that a recogniser is told, where it can be told one
(``bayes-canonical4:integrate``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from intent import Trajectories, load_recogniser
from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.bayes import class_strategies
from intent.recognise.labels.label import recognisers_of_parts
from intent.recognise.recogniser import Recogniser, most_probable
from intent.recognise.scores import expected_calibration_error

SETS = ("canonical4", "canonical5", "canonical6")
NOISES = (0.0, 0.01, 0.05, 0.1, 0.2)
PRIOR = (0.0, 0.2)
ROUNDS = (5, 10, 20, 50, 100)
SHIPPED = tuple(
    name for s in SETS for name in (f"bayes-{s}", f"bayes-{s}:integrate", f"forest-{s}", f"logistic-{s}")
)


def recogniser(name: str) -> Recogniser:
    """The recogniser of ``NAME`` or ``NAME:EPS``."""
    plain, _, eps = name.partition(":")
    model = load_recogniser(plain)
    if not eps:
        return model
    value = eps if eps == "integrate" else float(eps)
    nobody = Trajectories(np.zeros((0, 1), np.int8), np.zeros((0, 1), np.int8))
    return recognisers_of_parts(model, nobody, {"eps": value})[0][2]


def errors(model: Recogniser, corpus: Corpus, seed: list[int]) -> tuple[Any, Any]:
    """Confidence and hits on fresh play."""
    X, y = generate_arrays(corpus, np.random.default_rng(seed))
    proba = model.predict_proba(X)
    return proba.max(axis=1), most_probable(proba) == y


def measured(name: str, rounds: Sequence[int], n: int, seed: int) -> list[dict[str, Any]]:
    """Errors of one recogniser at each length."""
    model = recogniser(name)
    strategies = class_strategies(model)
    rows = []
    for horizon in rounds:
        blind = Corpus(strategies, n * len(NOISES), (horizon, horizon), PRIOR)
        prior = expected_calibration_error(*errors(model, blind, [seed, horizon]))
        found, by_eps = [], {}
        for eps in NOISES:
            corpus = Corpus(strategies, n, (horizon, horizon), (eps, eps))
            found.append(errors(model, corpus, [seed, horizon, round(eps * 1000)]))
            by_eps[f"{eps:g}"] = expected_calibration_error(*found[-1])
        confidence, hit = (np.concatenate(parts) for parts in zip(*found, strict=True))
        rows.append(
            {
                "recogniser": name,
                "rounds": horizon,
                "accuracy": float(hit.mean()),
                "prior": prior,
                "pooled": expected_calibration_error(confidence, hit),
                "by_eps": by_eps,
            }
        )
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "recognisers", nargs="*", default=SHIPPED, help="names or folders; NAME:EPS tells eps"
    )
    parser.add_argument("-n", type=int, default=20_000, help="trajectories at each length and noise")
    parser.add_argument("--rounds", type=int, nargs="+", default=ROUNDS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    rows = []
    for name in options.recognisers:
        rows += measured(name, options.rounds, options.n, options.seed)
    if options.json:
        print(json.dumps({"n": options.n, "rows": rows}))
        return
    heads = "".join(f"eps {e:g}".rjust(9) for e in NOISES)
    print(f"{'ECE':<28}{'T':>4}{'accuracy':>10}{'prior':>9}{'pooled':>9}{heads}")
    for row in rows:
        by_eps = "".join(f"{v:9.4f}" for v in row["by_eps"].values())
        print(
            f"{row['recogniser']:<28}{row['rounds']:>4}{row['accuracy']:>10.4f}"
            f"{row['prior']:>9.4f}{row['pooled']:>9.4f}{by_eps}"
        )


if __name__ == "__main__":
    main()
