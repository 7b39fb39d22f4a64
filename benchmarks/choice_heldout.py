"""Do the intervals of held-out losses hold? Coverage over simulated logs.

Each replication plays games of two seats whose moves depend on a condition of the game, on the round, and on
a mood that both seats of the game share; the models are the base rate, rates by round and rates by setting
and round, which here are the ceiling. An interval should hold the mean over all replications: what these
models, fitted to a log of this size, lose on another game.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.heldout import Scores, cross_fit, folds_of, independent

MODELS = ("base-rate", "round-rate", "setting-rate")


def play(games: int, rounds: int, rng: np.random.Generator) -> Choices:
    """Games of three conditions, with moods."""
    condition = rng.integers(0, 3, games)
    log_odds = np.array([-1.2, 0.2, 1.5])[condition][:, None] - 0.15 * np.arange(rounds)
    log_odds = np.repeat(log_odds + rng.normal(0, 1, (games, 1)), 2, axis=0)
    own = (rng.random(log_odds.shape) < 1 / (1 + np.exp(-log_odds))).astype(np.int8)
    other = own.reshape(games, 2, rounds)[:, ::-1].reshape(own.shape)
    keys = pd.DataFrame({"game_id": np.repeat(np.arange(games), 2), "seat": [1, 2] * games})
    known = pd.DataFrame({"condition": np.repeat(np.array(list("abc"))[condition], 2)})
    return replace(Choices(own, other, own, COOPERATION, np.arange(len(own)), known), keys=keys)


def coverage(
    replications: int, rng: np.random.Generator, *, games: int = 200, rounds: int = 8, level: float = 0.95
) -> dict[str, Any]:
    """Share of intervals that hold the mean over replications, clustered and as if every move were alone."""
    rows = []
    for _ in range(replications):
        X = play(games, rounds, rng)
        folds = folds_of(X, "game", 5, rng=rng)
        base, by_round, ceiling = (
            fit.losses for fit in cross_fit(MODELS, X, folds, whole=False) if fit.losses is not None
        )
        scores = Scores(X, independent(X, folds), level, None)
        rows.append(
            (
                scores.mean(base),
                scores.mean(ceiling),
                scores.mean(by_round - ceiling),
                scores.explained(base, by_round, ceiling),
            )
        )
    out: dict[str, Any] = {"replications": replications, "games": games, "rounds": rounds, "level": level}
    for name, intervals in zip(
        ("base", "ceiling", "difference", "explained"), zip(*rows, strict=True), strict=True
    ):
        known = [i for i in intervals if np.isfinite(i.low)]
        truth = float(np.mean([i.estimate for i in known]))
        out[name] = {
            "n": len(known),
            "mean": truth,
            "coverage": float(np.mean([i.low <= truth <= i.high for i in known])),
        }
    return out


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--games", type=int, nargs="*", default=[200])
    parser.add_argument("--full", action="store_true", help="1,000 replications of 60, 200 and 600 games")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    rng = np.random.default_rng(words.seed)
    sizes = (60, 200, 600) if words.full else words.games
    n = 1000 if words.full else words.replications
    print(json.dumps([coverage(n, rng, games=size) for size in sizes], indent=1))


if __name__ == "__main__":
    main()
