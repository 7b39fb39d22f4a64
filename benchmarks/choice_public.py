"""Log loss of models of choice on public play, held out: by game, by condition, by setting, and by subject.

    python benchmarks/choice_public.py --data DIR --models base-rate,trees,trees@none
    python benchmarks/choice_public.py --parts game,condition,setting,human

Reads ``fairgame/results.csv.gz`` (Prisoner's Dilemma, 5,400 players of ten rounds) and
``romero_rosokha/choices.csv.gz`` (first 20 rounds of every supergame, 62,104 choices of 82 subjects) in DIR
(default: INTENT_DATA, else ../shared/data). ``@none`` after a model keeps the covariates from it.

Two ways of leaving conditions out: ``condition`` is all that a game's prompts say, payoffs included, so that
what `--covariates` names by default is met in other conditions; ``setting`` is all but the payoffs, so that
no combination of these covariates was met before.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from intent.estimate.choice.choices import COOPERATION, Choices, choices_of_log
from intent.estimate.choice.heldout import cross_fit, folds_of
from intent.logs.chunks import focal_play

MODELS = "base-rate,logit,logit-settings,trees,network"
COVARIATES = "model,language,persona,other_persona,seat,horizon_known"
HELD_OUT = {
    "game": "game",
    "condition": ["model", "language", "horizon_known", "persona", "payoff_type"],
    "setting": ["model", "language", "horizon_known", "persona"],
    "human": "player",
}
ROUNDS = 20


def public_log(data: Path, covariates: list[str]) -> Choices:
    """The public log of language models."""
    log, X = focal_play(data / "fairgame" / "results.csv.gz", where={"game": ["prisoner-dilemma"]})
    return choices_of_log(log, X, covariates=covariates)


def human_play(data: Path) -> Choices:
    """The supergames of Romero & Rosokha (2018), the games of a subject in order."""
    play = pd.read_csv(data / "romero_rosokha" / "choices.csv.gz")
    play = play[play["period"] <= ROUNDS]
    games = play[["subject", "supergame"]].drop_duplicates().sort_values(["subject", "supergame"])
    row = pd.MultiIndex.from_frame(games).get_indexer(
        pd.MultiIndex.from_frame(play[["subject", "supergame"]])
    )
    own, other = (np.full((len(games), ROUNDS), -1, dtype=np.int8) for _ in range(2))
    at = play["period"].to_numpy() - 1
    own[row, at] = play["action"] == "C"
    other[row, at] = play["opponentAction"] == "C"
    return Choices(own, other, own, COOPERATION, pd.factorize(games["subject"])[0])


def main() -> None:
    """Print a table for each part."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--data", default=os.environ.get("INTENT_DATA", "../shared/data"))
    options.add_argument("--models", default=MODELS)
    options.add_argument("--covariates", default=COVARIATES, help="comma-separated; none for none")
    options.add_argument("--parts", default="game,condition,human", help=f"of {', '.join(HELD_OUT)}")
    options.add_argument("--folds", type=int, default=5)
    options.add_argument("--subjects", type=int, help="so many rows alone, for a quick look")
    options.add_argument("--seed", type=int, default=0)
    args = options.parse_args()
    data = Path(args.data)
    covariates = [] if args.covariates == "none" else args.covariates.split(",")
    for part in args.parts.split(","):
        X = human_play(data) if part == "human" else public_log(data, covariates)
        X = X[: args.subjects]
        X = replace(X, keys=None) if part == "human" else X
        folds = folds_of(X, HELD_OUT[part], args.folds, rng=np.random.default_rng(args.seed))
        print(f"{part}: {X}, {folds.n} folds", flush=True)
        for name in args.models.split(","):
            (fit,) = cross_fit([name], X, folds, seed=args.seed, whole=False)
            loss = fit.error if fit.losses is None else f"{fit.losses.sum() / X.n_moves:.4f}"
            print(f"  {name:20} {loss}  {fit.seconds:7.1f} s  {'; '.join(fit.notes)}", flush=True)


if __name__ == "__main__":
    main()
