"""Log loss of models of choice on public play, held out: by game, by condition, and by subject.

Two ways of leaving conditions out: ``condition`` is all that a game's prompts say, payoffs included, so that
what `--covariates` names by default is met in other conditions; ``setting`` is all but the payoffs, so that
no combination of these covariates was met before.

    python benchmarks/choice_public.py --data DIR --models base-rate,trees --covariates none
    python benchmarks/choice_public.py --parts game,condition,setting,human

Reads ``fairgame/results.csv.gz`` (Prisoner's Dilemma, 5,400 players of ten rounds) and
``romero_rosokha/choices.csv.gz`` (first 20 rounds of every supergame, 62,104 choices of 82 subjects) in DIR
(default: INTENT_DATA, else ../shared/data).
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd

from intent.estimate.choice.choices import COOPERATION, Choices, choices_of_log
from intent.estimate.choice.model import make_model, moves_made
from intent.logs.chunks import focal_play

COVARIATES = "model,language,persona,other_persona,seat,horizon_known"
ROUNDS = 20


def public_log(data: Path, covariates: list[str]) -> Choices:
    """The public log of language models, its conditions in the keys."""
    log, X = focal_play(data / "fairgame" / "results.csv.gz", where={"game": ["prisoner-dilemma"]})
    choices = choices_of_log(log, X, covariates=covariates)
    keys = choices.keys
    assert keys is not None
    pairs = keys.groupby("game_id")["persona"].transform(lambda p: "-".join(sorted(p)))
    shared = ["model", "language", "horizon_known"]
    keys["setting"] = pairs + keys[shared].astype(str).agg(" ".join, axis=1)
    keys["condition"] = keys["setting"] + keys["payoff_type"].astype(str)
    return choices


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
    subject = pd.factorize(games["subject"])[0]
    return Choices(own, other, own, COOPERATION, subject)


def folds_of(codes: np.ndarray, k: int, seed: int) -> np.ndarray:
    """A fold for each row, those of a code together."""
    units = np.unique(codes, return_inverse=True)[1]
    return (np.random.default_rng(seed).permutation(int(units.max()) + 1) % k)[units]


def main() -> None:
    """Print a table for each part."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--data", default=os.environ.get("INTENT_DATA", "../shared/data"))
    options.add_argument("--models", default="base-rate,logit,logit-settings,trees,network")
    options.add_argument("--covariates", default=COVARIATES, help="comma-separated; none for none")
    options.add_argument("--parts", default="game,condition,human")
    options.add_argument("--folds", type=int, default=5)
    options.add_argument("--only", type=int, help="this many folds of them")
    options.add_argument("--seed", type=int, default=0)
    args = options.parse_args()
    data = Path(args.data)
    covariates = [] if args.covariates == "none" else args.covariates.split(",")
    for part in args.parts.split(","):
        X = human_play(data) if part == "human" else public_log(data, covariates)
        codes = X.subject if part == "human" else X.keys["game_id" if part == "game" else part]
        folds = folds_of(np.asarray(codes), args.folds, args.seed)
        print(f"{part}: {X}, {len(np.unique(codes)):,} units in {args.folds} folds", flush=True)
        for name in args.models.split(","):
            start, total, moves, notes = time.perf_counter(), 0.0, 0, set()
            for k in range(args.only or args.folds):
                model = make_model(name).fit(X[folds != k])
                test = X[folds == k]
                made = moves_made(model.next_move(test), test)[test.counted]
                total, moves = total - float(np.log(made).sum()), moves + len(made)
                notes |= set(model.notes_)
            seconds = time.perf_counter() - start
            print(
                f"  {name:16} {total / moves:.4f}  {seconds:7.1f} s  {'; '.join(sorted(notes))}", flush=True
            )


if __name__ == "__main__":
    main()
