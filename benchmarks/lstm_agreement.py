"""Do recurrent recognisers that differ only in their seed agree with each other on a real log?

Trains several on endless play of canonical4 and labels the Prisoner's Dilemma of the public FAIRGAME log
with each (``fairgame/results.csv.gz`` in the folder that INTENT_DATA names; five minutes of one core).
Printed: the share of trajectories on which all name the same strategy, over all trajectories and over those
whose exact posterior is not tied (two strategies within 1e-9 in log-likelihood), and how many tied ones
that fit are labelled `ambiguous` in every table.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from intent.logs.readers import read_log
from intent.play.dataset import load_spec
from intent.recognise.labels.label import label
from intent.recognise.lstm import LstmRecogniser, fit_endless
from intent.recognise.recogniser import load_recogniser


def main() -> None:
    """Train, label, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1200, help="gradient steps of each")
    parser.add_argument("--hidden", type=int, default=32, help="cells of each")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    data = Path(os.environ.get("INTENT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    path = data / "fairgame" / "results.csv.gz"
    if not path.is_file():
        print(f"no {path}: set INTENT_DATA")
        return
    log = read_log(path).where({"game": ["prisoner-dilemma"]})
    exact, X = label(log, "bayes-canonical4"), log.trajectories()
    named, statuses, start = [], [], time.process_time()
    for seed in range(options.networks):
        blank = LstmRecogniser(hidden=options.hidden, steps=options.steps, random_state=seed)
        model = fit_endless(blank, load_spec("canonical4-general"), seed=seed)
        named.append(model.predict(X))
        statuses.append(label(log, model)["status"].to_numpy())
        spent = time.process_time() - start
        print(f"network {seed + 1}: {spent:.0f} s of processor time so far", file=sys.stderr, flush=True)
    all_named, best = np.array(named), exact["best"].to_numpy()
    tied, fits = exact["tied"].to_numpy(), exact["status"].to_numpy() != "no_fit"
    same, right = (all_named == all_named[0]).all(axis=0), (all_named == best).all(axis=0)
    ambiguous = (np.array(statuses) == "ambiguous").all(axis=0)
    shipped = load_recogniser("lstm-canonical4").predict(X) == best
    result = {
        "n": len(X),
        "tied": float(tied.mean()),
        "unanimous": float(same.mean()),
        "unanimous_untied": float(same[~tied].mean()),
        "all_as_exact_untied": float(right[~tied].mean()),
        "shipped_as_exact_untied": float(shipped[~tied].mean()),
        "tied_and_fitting_ambiguous": float(ambiguous[tied & fits].mean()),
    }
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:<28}{value:>10,}" if name == "n" else f"{name:<28}{value:>10.2%}")


if __name__ == "__main__":
    main()
