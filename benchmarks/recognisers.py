"""Accuracy of the recognisers beside the exact ceiling, with and without the encodings of this package.

The exact ceilings of short play come from enumeration; the trained ones are measured on 100,000 fresh
trajectories (standard error about .0004 at 98 %, .001 at 88 %). ``moves`` is the raw one-hot encoding of the
literature, ``counts`` ours.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from intent.recognise.ceiling import exact_ceiling
from intent.strategies.catalogue import strategy, strategy_set
from intent.workflows.train import train

SETS = ("canonical4", "canonical5", "canonical6")
NOISES = (0.0, 0.01, 0.05, 0.1, 0.2)


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
    """Forest and logistic regression on 100,000 rows, and on the literature's 10,000."""
    rows = []
    for data in (*SETS, "paper-eps005"):
        for encoding in ("counts", "moves"):
            parameters = {"encoding": encoding, "n_jobs": 2}
            for model in train(data, ["logistic", "forest"], parameters=parameters, seed=0)["models"]:
                rows.append({"data": data, "encoding": encoding, **model})
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    result = {"ceilings": ceilings(), "trained": trained()}
    if options.json:
        print(json.dumps(result))
        return
    print("exact ceiling".ljust(18) + "".join(f"eps {e:g}".rjust(10) for e in NOISES))
    for row in result["ceilings"]:
        values = "".join(f"{v:10.4f}" for v in row["accuracy"].values())
        print(f"{row['set']}, T={row['rounds']}".ljust(18) + values)
    print()
    print("trained on".ljust(18) + "encoding  model".ljust(28) + "accuracy   regret      ECE  seconds")
    for row in result["trained"]:
        kind = row["name"].split("-")[0]
        print(
            f"{row['data']:<18}{row['encoding']:<10}{kind:<18}"
            f"{row['accuracy']:8.4f} {row['regret']:+8.4f} {row['ece']:8.4f} {row['seconds']:8.1f}"
        )


if __name__ == "__main__":
    main()
