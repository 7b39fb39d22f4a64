"""Do recurrent recognisers that differ only in their seed agree with each other on a real log?

    python benchmarks/lstm_agreement.py results.csv.gz --where game=prisoner-dilemma

Trains several on endless play of canonical4 and labels the log with each. Printed: the share of trajectories
on which all name the same strategy, over all trajectories and over those whose exact posterior is not tied
(two strategies within 1e-9 in log-likelihood), and how many of the tied ones are labelled `ambiguous`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from intent.logs.readers import read_log
from intent.recognise.lstm import LstmRecogniser
from intent.recognise.storage import load_recogniser
from intent.workflows.dataset import load_spec
from intent.workflows.endless import fit_endless
from intent.workflows.label import label


def main() -> None:
    """Train, label, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("log")
    parser.add_argument("--where", action="append", default=[], metavar="COLUMN=VALUE")
    parser.add_argument("--networks", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--hidden", type=int, default=64)
    arguments = parser.parse_args()
    where: dict[str, list[str]] = {}
    for item in arguments.where:
        column, _, value = item.partition("=")
        where.setdefault(column, []).append(value)
    log = read_log(arguments.log)
    exact = label(log, "bayes-canonical4", where=where)
    X = (log.where(where) if where else log).trajectories()
    named, statuses = [], []
    start = time.process_time()
    for seed in range(arguments.networks):
        model = LstmRecogniser(hidden=arguments.hidden, steps=arguments.steps, random_state=seed)
        fit_endless(model, load_spec("canonical4-general"), seed=seed)
        named.append(model.predict(X))
        statuses.append(label(log, model, where=where)["status"].to_numpy())
        print(f"network {seed + 1}: {time.process_time() - start:.0f} s of processor time so far", flush=True)
    same = (np.array(named) == named[0]).all(axis=0)
    tied = exact["tied"].to_numpy()
    right = (np.array(named) == exact["best"].to_numpy()).all(axis=0)
    fits = exact["status"].to_numpy() != "no_fit"
    ambiguous = (np.array(statuses) == "ambiguous").all(axis=0)
    shipped = load_recogniser("lstm-canonical4").predict(X)
    print(f"{len(X):,} trajectories, {tied.mean():.1%} of them tied")
    print(f"all networks agree: {same.mean():.2%} of all, {same[~tied].mean():.2%} of the untied")
    print(f"all agree with the exact rule: {right[~tied].mean():.2%} of the untied")
    print(f"the shipped one does: {(shipped == exact['best'])[~tied].mean():.2%} of the untied")
    print(f"tied ones that fit and are ambiguous in all tables: {ambiguous[tied & fits].mean():.2%}")


if __name__ == "__main__":
    main()
