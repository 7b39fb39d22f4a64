"""Build every shipped recogniser, measure its regret, and write its model card.

Run from the repository root: ``python models/build.py`` (an hour on two cores), or with the names of those
to build. The Bayes recognisers need no training; forests and logistic regressions are trained on the shipped
specs ``canonicalK-general``, the recurrent ones on endless play of the same. ``--cards`` trains none and
writes the cards of those that are saved; ``--identity`` writes only their last section.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import time
from pathlib import Path

import numpy as np
from regret_grid import GRID_EPS, GRID_ROUNDS, regret_grid

from intent.play.corpora import generate_arrays
from intent.play.dataset import load_spec
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.lstm import fit_endless
from intent.recognise.recogniser import Recogniser, load_recogniser, make_recogniser, save_recogniser

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
    if kind == "bayes":
        return "None: the posterior follows from the strategies' own tables."
    if kind == "rules":
        return "None: the rules are fixed."
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


_IDENTITY = "## Licence and files"


def identity(folder: Path) -> str:
    """The last section of a card: on which terms, made by which version, and the hash of every other file."""
    version = json.loads((folder / "recogniser.json").read_text(encoding="utf8"))["version"]
    files = sorted(f for f in folder.iterdir() if f.name != "README.md")
    rows = [f"| `{f.name}` | {f.stat().st_size:,} | `{_digest(f)}` |" for f in files]
    made = f"Apache-2.0, as the project. Made by strategy-intent {version} from play that it generated;"
    made += " no log of people or of language models was used."
    return "\n".join([_IDENTITY, "", made, "", "| file | bytes | SHA-256 |", "|---|---|---|", *rows, ""])


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def identify(folder: Path) -> None:
    """Write that section of a card anew."""
    page = folder / "README.md"
    text = page.read_text(encoding="utf8").split(_IDENTITY)[0].rstrip("\n")
    page.write_text(f"{text}\n\n{identity(folder)}", encoding="utf8")


def progress(done: int, total: int) -> None:
    """Say how far training is."""
    print(f"  {done} of {total} steps", end="\r" if done < total else "\n", flush=True)


KINDS = ("bayes", "logistic", "forest", "hmm", "lstm", "rules")


def build(name: str, kind: str, set_name: str) -> float:
    """Train and save a recogniser; returns the seconds of processor time."""
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
    save_recogniser(model, HERE / name, about=about, overwrite=True)
    return seconds


def main(words: list[str] | None = None) -> None:
    """Build all recognisers, or those named, and write their cards."""
    parser = argparse.ArgumentParser(description="Build the shipped recognisers and write their cards.")
    parser.add_argument("names", nargs="*", help="of recognisers; all by default")
    parser.add_argument("--cards", action="store_true", help="measure those that are saved, train none")
    parser.add_argument("--identity", action="store_true", help="only licence, version and hashes of files")
    options = parser.parse_args(words)
    every = {f"{kind}-{s}": (kind, s) for s in SETS for kind in KINDS if kind != "rules" or s == SETS[0]}
    for name in options.names or every:
        kind, set_name = every[name]
        page = HERE / name / "README.md"
        if not options.identity:
            seconds = _seconds(page) if options.cards else build(name, kind, set_name)
            made = card(name, kind, set_name, load_recogniser(HERE / name), seconds)
            page.write_text(made, encoding="utf8")
        identify(page.parent)
        print(f"{name}: {sum(f.stat().st_size for f in page.parent.iterdir()) / 1e6:.2f} MB", flush=True)


def _seconds(page: Path) -> float:
    """How long the training took, by a card that is there."""
    took = re.search(r"It took ([\d,]+) s", page.read_text(encoding="utf8"))
    return float(took[1].replace(",", "")) if took else 0.0


if __name__ == "__main__":
    main()
