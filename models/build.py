"""Build every shipped recogniser, measure its regret, and write its model card.

Run from the repository root: ``python models/build.py`` (two minutes on two cores). The Bayes recognisers
need no training; forests and logistic regressions are trained on the shipped specs ``canonicalK-general``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from intent.play.corpora import Corpus, generate_arrays
from intent.play.opponents import opponent
from intent.recognise.base import Recogniser
from intent.recognise.bayes import BayesRecogniser, log_evidence
from intent.recognise.registry import make_recogniser
from intent.recognise.storage import save_recogniser
from intent.strategies.catalogue import strategy_set
from intent.workflows.dataset import load_spec

HERE = Path(__file__).resolve().parent
SETS = ("canonical4", "canonical5", "canonical6")
GRID_EPS = (0.0, 0.01, 0.05, 0.1, 0.2)
GRID_ROUNDS = (5, 10, 20, 50, 100)
TEST_ROWS = 60_000
SEED = 1
PARAMETERS = {
    "logistic": {"max_iter": 3000},
    "forest": {"n_estimators": 60, "min_samples_leaf": 20, "n_jobs": 2, "random_state": SEED},
}
SUMMARIES = {
    "bayes": "exact posterior with eps = .05 (--eps number|integrate|estimate); needs no training",
    "logistic": "multinomial logistic regression on counts of state-action symbols",
    "forest": "random forest on counts of state-action symbols",
    "rules": "the literature's rule labels, shared where several apply; needs no training",
}


def regret_grid(model: Recogniser, set_name: str) -> dict[tuple[int, float], tuple[float, float]]:
    """(rounds, eps) -> (accuracy, regret to the Bayes rule that knows eps), paired on the same play."""
    strategies = strategy_set(set_name)
    names = np.array([s.name for s in strategies])
    found = {}
    for i, rounds in enumerate(GRID_ROUNDS):
        for j, eps in enumerate(GRID_EPS):
            corpus = Corpus(strategies, TEST_ROWS, (rounds, rounds), (eps, eps), opponent=opponent("random"))
            X, y = generate_arrays(corpus, np.random.default_rng([SEED, i, j]))
            bayes = (log_evidence(X, strategies, eps).argmax(axis=1) == y).mean()
            accuracy = (model.predict(X) == names[y]).mean()
            found[rounds, eps] = (float(accuracy), float(bayes - accuracy))
    return found


def card(name: str, kind: str, set_name: str, model: Recogniser) -> str:
    """The model card."""
    names = ", ".join(str(c) for c in model.classes_)
    grid = regret_grid(model, set_name)
    head = "| rounds | " + " | ".join(f"eps {e:g}" for e in GRID_EPS) + " |"
    rule = "|---|" + "---|" * len(GRID_EPS)
    rows = [
        f"| {t} | " + " | ".join(f"{grid[t, e][0]:.4f} ({grid[t, e][1]:+.4f})" for e in GRID_EPS) + " |"
        for t in GRID_ROUNDS
    ]
    training = (
        "None: the posterior follows from the strategies' own tables."
        if kind == "bayes"
        else "None: the rules are fixed."
        if kind == "rules"
        else f"Dataset spec `{set_name}-general` (100,000 trajectories of 5 to 100 rounds, eps U[0, .2],"
        f" mixed opponents), parameters {PARAMETERS[kind]}, seed {SEED}."
    )
    return "\n".join(
        [
            f"# {name}",
            "",
            f"{SUMMARIES[kind][0].upper()}{SUMMARIES[kind][1:]}. Classes: {names}.",
            "",
            "## Training",
            "",
            training,
            "Rebuild with `python models/build.py`.",
            "",
            "## Accuracy (and regret)",
            "",
            f"On {TEST_ROWS:,} fresh trajectories a point, opponent a fair coin. In brackets the regret to"
            " the exact Bayes rule that knows eps, paired on the same play (standard error below .001).",
            "",
            head,
            rule,
            *rows,
            "",
            "## Use and limits",
            "",
            "Play of two actions, cooperate and defect, by two players. A label says which of these classes"
            " explains the play best; play outside the classes shows as `no_fit` or `low_confidence`, and ten"
            " rounds against a cooperative opponent cannot tell ALLC from TFT or WSLS (`ambiguous`).",
            "",
        ]
    )


def main(only: list[str]) -> None:
    """Build all recognisers, or those named."""
    for set_name in SETS:
        for kind in ("bayes", "logistic", "forest", *(("rules",) if set_name == "canonical4" else ())):
            name = f"{kind}-{set_name}"
            if only and name not in only:
                continue
            if kind == "bayes":
                model: Recogniser = BayesRecogniser(set_name, eps=0.05).fit()
            elif kind == "rules":
                model = make_recogniser(kind).fit()
            else:
                corpus = load_spec(f"{set_name}-general").corpus()
                X, y = generate_arrays(corpus, np.random.default_rng(SEED))
                names = np.array([s.name for s in corpus.strategies])
                model = make_recogniser(kind, **PARAMETERS[kind]).fit(X, names[y])
            about = {"name": name, "summary": SUMMARIES[kind], "seed": SEED}
            if kind in PARAMETERS:
                about["data"] = load_spec(f"{set_name}-general").model_dump(mode="json")
            folder = save_recogniser(model, HERE / name, about=about, overwrite=True)
            (folder / "README.md").write_text(card(name, kind, set_name, model), encoding="utf8")
            size = sum(f.stat().st_size for f in folder.iterdir())
            print(f"{name}: {size / 1e6:.2f} MB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
