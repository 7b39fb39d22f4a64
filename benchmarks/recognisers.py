"""Accuracy of the recognisers beside the exact ceiling, with and without the encodings of this package.

The exact ceilings of short play come from enumeration; the trained ones are measured on 100,000 fresh
trajectories (standard error about .0004 at 98 %, .001 at 88 %). ``moves`` is the raw one-hot encoding of the
literature, ``counts`` ours; hidden Markov models read symbols, 10 or 14, and are compared by the conditional
or the joint likelihood. Last, models that met a coin in training are tested on other opponents.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from intent.play.dataset import load_spec
from intent.recognise.ceiling import exact_ceiling
from intent.recognise.material import gather
from intent.recognise.train import train
from intent.strategies.catalogue import strategy
from intent.strategies.sets import strategy_set

SETS = ("canonical4", "canonical5", "canonical6")
NOISES = (0.0, 0.01, 0.05, 0.1, 0.2)
PAPER = "paper-eps005"
PUBLISHED = {"logistic": 0.75, "forest": 0.980, "mlp": 0.937, "hmm": 0.78}
"""Accuracy of LR, forest, NN and HMM with four classes and 5 % noise, in the later manuscript of the group of
the strategy-recognition paper."""

INPUTS: tuple[tuple[str, list[str], dict[str, Any]], ...] = (
    ("counts", ["logistic", "forest", "mlp"], {"encoding": "counts", "n_jobs": 2}),
    ("moves", ["logistic", "forest", "mlp"], {"encoding": "moves", "n_jobs": 2}),
    ("10", ["hmm"], {}),
    ("10 joint", ["hmm"], {"likelihood": "joint"}),
    ("14", ["hmm"], {"symbols": 14}),
)
OPPONENTS = ("random", "random(0.8)", "ALLC", "TFT")


def ceilings() -> list[dict[str, Any]]:
    """Exact accuracy of the Bayes rule for five and ten rounds against a fair coin."""
    coin = strategy("RANDOM")
    return [
        {
            "set": name,
            "rounds": rounds,
            "accuracy": {
                f"{eps:g}": exact_ceiling(strategy_set(name), rounds, eps, opponent=coin) for eps in NOISES
            },
        }
        for name in SETS
        for rounds in (5, 10)
    ]


def trained() -> list[dict[str, Any]]:
    """Every kind on 100,000 rows, and on the literature's 10,000."""
    rows = []
    for data in (*SETS, PAPER):
        for read, kinds, parameters in INPUTS:
            for model in train(data, kinds, parameters=parameters, seed=0)["models"]:
                kind = model["name"].split("-")[0]
                published = PUBLISHED[kind] if data == PAPER else None
                rows.append({"data": data, "input": read, "kind": kind, "published": published, **model})
    return rows


def opponents() -> list[dict[str, Any]]:
    """Accuracy on opponents that were not met in training, beside the exact ceiling."""
    spec = load_spec(PAPER)
    fresh = {name: gather(spec.model_copy(update={"opponent": name}), 0.2, 0) for name in OPPONENTS}
    rows = [
        {"model": "exact ceiling", "input": "", "accuracy": {n: m.ceiling.value for n, m in fresh.items()}}
    ]
    for read, kinds, parameters in INPUTS:
        for kind, model in train(spec, kinds, parameters=parameters, seed=0)["fitted"].items():
            scores = {name: model.score(m.X_test, m.y_test) for name, m in fresh.items()}
            rows.append({"model": kind, "input": read, "accuracy": scores})
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    result = {"ceilings": ceilings(), "trained": trained(), "opponents": opponents()}
    if options.json:
        print(json.dumps(result))
        return
    print("exact ceiling".ljust(18) + "".join(f"eps {e:g}".rjust(10) for e in NOISES))
    for row in result["ceilings"]:
        values = "".join(f"{v:10.4f}" for v in row["accuracy"].values())
        print(f"{row['set']}, T={row['rounds']}".ljust(18) + values)
    print()
    heads = "accuracy   regret      ECE  seconds  published"
    print("trained on".ljust(18) + "input     model".ljust(24) + heads)
    for row in result["trained"]:
        told = f"{row['published']:11.3f}" if row["published"] else ""
        print(
            f"{row['data']:<18}{row['input']:<10}{row['kind']:<14}"
            f"{row['accuracy']:8.4f} {row['regret']:+8.4f} {row['ece']:8.4f} {row['seconds']:8.1f}{told}"
        )
    print()
    print("trained on a coin, tested on".ljust(32) + "".join(name.rjust(14) for name in OPPONENTS))
    for row in result["opponents"]:
        values = "".join(f"{v:14.4f}" for v in row["accuracy"].values())
        print(f"{row['model']:<16}{row['input']:<16}{values}")


if __name__ == "__main__":
    main()
