"""Build every shipped recogniser, measure its regret, and write its model card.

Run from the repository root: ``python models/build.py`` (an hour on two cores), or with the names of those
to build. The Bayes recognisers need no training; forests and logistic regressions are trained on the shipped
specs ``canonicalK-general``, the recurrent ones on endless play of the same.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from regret_grid import GRID_EPS, GRID_ROUNDS, regret_grid

from intent.play.corpora import generate_arrays
from intent.play.dataset import load_spec
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.endless import fit_endless
from intent.recognise.recogniser import Recogniser, make_recogniser
from intent.recognise.storage import save_recogniser

HERE = Path(__file__).resolve().parent
SETS = ("canonical4", "canonical5", "canonical6")
TEST_ROWS = 60_000
SEED = 1
PARAMETERS = {
    "logistic": {"max_iter": 3000},
    "forest": {"n_estimators": 60, "min_samples_leaf": 20, "n_jobs": 2, "random_state": SEED},
    "hmm": {"symbols": 14, "random_state": SEED},
    "lstm": {"check_every": 250, "random_state": SEED},
}
SIZES = {
    "canonical4": {"hidden": 64, "steps": 3000},
    "canonical5": {"hidden": 128, "steps": 8000},
    "canonical6": {"hidden": 128, "steps": 5000},
}
"""Cells and gradient steps of the recurrent recognisers."""
SUMMARIES = {
    "bayes": "exact posterior with eps = .05 (--eps number|integrate|estimate); needs no training",
    "logistic": "multinomial logistic regression on counts of state-action symbols",
    "forest": "random forest on counts of state-action symbols",
    "hmm": "one hidden Markov model of moves given their situation per strategy (one state)",
    "lstm": "recurrent network; eps unknown to it (integrated over U[0, .2]) unless told with --eps",
    "rules": "the literature's rule labels, shared where several apply; needs no training",
}


def settings(kind: str, set_name: str) -> dict[str, object]:
    """Parameters of a recogniser."""
    return {**PARAMETERS.get(kind, {}), **(SIZES[set_name] if kind == "lstm" else {})}


def training(kind: str, set_name: str) -> str:
    """How it was trained, in a sentence."""
    if kind in ("bayes", "rules"):
        return "None: the posterior follows from the strategies' own tables, the rules are fixed."
    spec = f"Dataset spec `{set_name}-general`"
    play = "5 to 100 rounds, eps U[0, .2], mixed opponents"
    if kind == "lstm":
        spec += f", endless fresh play ({play}; a quarter of it by strategies outside the set), the exact"
        spec += " posterior after every round as target, its noise told in half of the play"
    else:
        spec += f" (100,000 trajectories of {play})"
    return f"{spec}; parameters {settings(kind, set_name)}, seed {SEED}."


def signed(value: float) -> str:
    """A regret with its sign; what rounds to nothing has none."""
    return f"{round(value, 4) + 0.0:+.4f}"


def card(name: str, kind: str, set_name: str, model: Recogniser, seconds: float) -> str:
    """The model card."""
    names = ", ".join(str(c) for c in model.classes_)
    grid = {(p.rounds, p.eps): p for p in regret_grid(model, set_name, n=TEST_ROWS, seed=SEED)}
    told = all(p.aware is not None for p in grid.values())
    head = "| rounds | " + " | ".join(f"eps {e:g}" for e in GRID_EPS) + " | mean |"
    rule = "|---|" + "---|" * (len(GRID_EPS) + 1)

    def rows(texts: dict[tuple[int, float], tuple[str, float]]) -> list[str]:
        lines = []
        for t in GRID_ROUNDS:
            row = [texts[t, e] for e in GRID_EPS]
            mean = np.mean([value for _, value in row])
            lines.append(f"| {t} | " + " | ".join(text for text, _ in row) + f" | {signed(float(mean))} |")
        return lines

    known = {k: (f"{p.accuracy:.4f} ({signed(p.to_known.value)})", p.to_known.value) for k, p in grid.items()}
    ranged = {k: (signed(p.to_range.value), p.to_range.value) for k, p in grid.items()}
    aware = {k: (signed(p.aware.value), p.aware.value) for k, p in grid.items() if p.aware is not None}
    took = f" It took {seconds:,.0f} s of processor time." if kind == "lstm" else ""
    return "\n".join(
        [
            f"# {name}",
            "",
            f"{SUMMARIES[kind][0].upper()}{SUMMARIES[kind][1:]}. Classes: {names}.",
            "",
            "## Training",
            "",
            training(kind, set_name) + took,
            f"Rebuild with `python models/build.py {name}`.",
            "",
            "## Accuracy (and regret to the rule that knows eps)",
            "",
            f"On {TEST_ROWS:,} fresh trajectories a point, opponent a fair coin. In brackets the regret to"
            " the exact Bayes rule that knows eps, paired on the same play; the last column is its mean.",
            "",
            head,
            rule,
            *rows(known),
            "",
            "## Regret to the rule that integrates eps over U[0, .2]",
            "",
            "The fair ceiling of a recogniser that does not know eps. Negative where this noise suits the"
            " recogniser better.",
            "",
            head,
            rule,
            *rows(ranged),
            "",
            *(
                [
                    "## Regret to the rule that knows eps, when told eps",
                    "",
                    "With `--eps NUMBER` or `--eps estimate`.",
                    "",
                    head,
                    rule,
                    *rows(aware),
                    "",
                ]
                if told
                else []
            ),
            "## Use and limits",
            "",
            "Play of two actions, cooperate and defect, by two players. A label says which of these classes"
            " explains the play best; in labels RANDOM competes with them (`--no-background` leaves it out),"
            " the accuracies above are among the classes alone. Play outside the classes shows as `no_fit` or"
            " `low_confidence`, and ten rounds against a cooperative opponent cannot tell ALLC from TFT or"
            " WSLS (`ambiguous`).",
            "",
        ]
    )


def progress(done: int, total: int) -> None:
    """Say how far training is."""
    print(f"  {done} of {total} steps", end="\r" if done < total else "\n", flush=True)


def main(only: list[str]) -> None:
    """Build all recognisers, or those named."""
    for set_name in SETS:
        for kind in (
            "bayes",
            "logistic",
            "forest",
            "hmm",
            "lstm",
            *(("rules",) if set_name == "canonical4" else ()),
        ):
            name = f"{kind}-{set_name}"
            if only and name not in only:
                continue
            start = time.process_time()
            if kind == "bayes":
                model: Recogniser = BayesRecogniser(set_name, eps=0.05).fit()
            elif kind == "rules":
                model = make_recogniser(kind).fit()
            elif kind == "lstm":
                spec = load_spec(f"{set_name}-general")
                blank = make_recogniser(kind, **settings(kind, set_name))
                model = fit_endless(blank, spec, seed=SEED, update=progress)
            else:
                corpus = load_spec(f"{set_name}-general").corpus()
                X, y = generate_arrays(corpus, np.random.default_rng(SEED))
                names = np.array([s.name for s in corpus.strategies])
                model = make_recogniser(kind, **PARAMETERS[kind]).fit(X, names[y])
            seconds = time.process_time() - start
            about = {"name": name, "summary": SUMMARIES[kind], "seed": SEED}
            if kind in PARAMETERS:
                about["data"] = load_spec(f"{set_name}-general").model_dump(mode="json")
            folder = save_recogniser(model, HERE / name, about=about, overwrite=True)
            (folder / "README.md").write_text(card(name, kind, set_name, model, seconds), encoding="utf8")
            size = sum(f.stat().st_size for f in folder.iterdir())
            print(f"{name}: {size / 1e6:.2f} MB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
