"""Accuracy of the recognisers beside the exact ceiling, with and without the encodings of this package.

The exact ceilings of short play come from enumeration; the trained ones are measured on 100,000 fresh
trajectories (standard error about .0004 at 98 %, .001 at 88 %). ``moves`` is the raw one-hot encoding of the
literature, ``counts`` ours; hidden Markov models read symbols, 10 or 14, and are compared by the conditional
or the joint likelihood. Then classifiers of scikit-learn on `intent.features`, and models that met a coin in
training, tested on other opponents. ``--part`` measures one of these alone.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from intent.play.dataset import load_spec
from intent.recognise.ceiling import exact_ceiling
from intent.recognise.evaluate import gather
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


def outside() -> list[dict[str, Any]]:
    """Classifiers of scikit-learn behind `PlayFeatures`, labelled as users would, beside the ceiling."""
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from intent.features import PlayFeatures
    from intent.recognise.evaluate import scores_of
    from intent.recognise.recogniser import as_recogniser

    classifiers = {
        "gradient boosting": HistGradientBoostingClassifier(random_state=0),
        "extra trees": ExtraTreesClassifier(100, min_samples_leaf=10, n_jobs=2, random_state=0),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "naive Bayes": MultinomialNB(),
    }
    rows = []
    for data in (PAPER, *SETS):
        material = gather(load_spec(data), 0.2, 0)
        usual = ",".join(PlayFeatures().families)
        for families in (usual, "first,rates", "moves") if data == PAPER else (usual,):
            for name, classifier in classifiers.items():
                start = time.process_time()
                fitted = make_pipeline(PlayFeatures(families), classifier).fit(material.X, material.y)
                seconds = time.process_time() - start
                scores = scores_of(as_recogniser(fitted), material.X_test, material.y_test or ())
                regret = (material.ceiling.value or float("nan")) - scores["accuracy"]
                own = {"data": data, "input": families, "kind": name, "regret": regret, "seconds": seconds}
                rows.append({**own, "accuracy": scores["accuracy"], "ece": scores["ece"]})
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
    parts = {"ceilings": ceilings, "trained": trained, "outside": outside, "opponents": opponents}
    parser.add_argument("--part", choices=parts, help="measure this alone")
    options = parser.parse_args()
    result = {name: measure() if options.part in (None, name) else [] for name, measure in parts.items()}
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
    print("trained on".ljust(18) + "features".ljust(26) + "classifier".ljust(18) + heads)
    for row in result["outside"]:
        print(
            f"{row['data']:<18}{row['input']:<26}{row['kind']:<18}"
            f"{row['accuracy']:8.4f} {row['regret']:+8.4f} {row['ece']:8.4f} {row['seconds']:8.1f}"
        )
    print()
    print("trained on a coin, tested on".ljust(32) + "".join(name.rjust(14) for name in OPPONENTS))
    for row in result["opponents"]:
        values = "".join(f"{v:14.4f}" for v in row["accuracy"].values())
        print(f"{row['model']:<16}{row['input']:<16}{values}")


if __name__ == "__main__":
    main()
