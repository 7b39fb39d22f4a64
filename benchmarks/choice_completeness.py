"""Is the share that strategies explain the true one? Bias and coverage on simulated logs with known truth.

A player of the simulated play is TFT or ALLD, which the strategies know, or follows its prompt, which they do
not: its probability to cooperate hangs on the condition and on whether the other defected twice. What can be
predicted at most is known here: the entropy of the next move given the past and the condition, by Bayes over
the three kinds. The true share sets it beside the base rate, and beside the strategies fitted to very many
games. An estimate errs in two directions: a ceiling that learns from few games predicts less than could be,
which raises the share, and strategies fitted to few games predict less than they could, which lowers it.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import intent
from intent.estimate.choice.automata import Automata
from intent.estimate.choice.baselines import Rates
from intent.estimate.choice.choices import choices_of_log
from intent.estimate.choice.completeness import completeness
from intent.estimate.choice.model import moves_made
from intent.recognise.bayes import default_strategies

Floats = NDArray[np.float64]
KINDS = np.array([0.35, 0.2, 0.45])
NOISE = 0.06
ROUNDS = 8


def play(games: int, rng: np.random.Generator) -> tuple[intent.GameLog, Floats]:
    """A log of players against coins, and (games, rounds) the exact probability of each move."""
    kind = rng.choice(3, games, p=KINDS)
    mild = rng.random(games) < 0.5
    other = rng.random((games, ROUNDS)) < 0.6
    own, exact = np.zeros((games, ROUNDS), dtype=bool), np.zeros((games, ROUNDS))
    belief = np.tile(KINDS, (games, 1))
    for t in range(ROUNDS):
        tft = np.where(other[:, t - 1], 1 - NOISE, NOISE) if t else np.full(games, 1 - NOISE)
        twice = ~other[:, t - 1] & ~other[:, t - 2] if t > 1 else np.zeros(games, dtype=bool)
        prompted = np.where(mild, 0.85, 0.35) - 0.25 * twice
        p = np.stack([tft, np.full(games, NOISE), prompted], axis=1)
        exact[:, t] = (belief * p).sum(1)
        own[:, t] = rng.random(games) < p[np.arange(games), kind]
        belief *= np.where(own[:, t, None], p, 1 - p)
        belief /= belief.sum(1, keepdims=True)
    game, at = np.repeat(np.arange(games), ROUNDS), np.tile(np.arange(1, ROUNDS + 1), games)
    columns = {"game": game, "round": at, "payoff_type": np.where(mild, "mild", "harsh")[game]}
    me = pd.DataFrame({**columns, "player": [f"me{g}" for g in game], "role": "me", "c": own.ravel()})
    coin = pd.DataFrame({**columns, "player": [f"coin{g}" for g in game], "role": "coin", "c": other.ravel()})
    frame = pd.concat([me, coin])
    frame["action"] = np.where(frame.pop("c"), "C", "D")
    log = intent.read_log(frame, cooperate="C").where({"role": ["me"]})
    return log, np.where(own, exact, 1 - exact)


def truth(rng: np.random.Generator, games: int) -> dict[str, float]:
    """Losses of the base rate, of the strategies and of the exact rule, on games that none was fitted to."""
    known, (log, made) = play(games, rng)[0], play(games, rng)
    X, Y = choices_of_log(known), choices_of_log(log)
    models = (Rates(), Automata(tuple(default_strategies()), background=False))
    losses = [-np.log(moves_made(model.fit(X).next_move(Y), Y)).mean() for model in models]
    base, strategies, exact = map(float, (*losses, -np.log(made).mean()))
    share = (base - strategies) / (base - exact)
    return {"baseline": base, "strategies": strategies, "exact": exact, "share": share}


def coverage(replications: int, games: int, share: float, rng: np.random.Generator) -> dict[str, Any]:
    """Mean estimate, bias, and how many intervals hold the true share and the mean estimate."""
    begin = time.process_time()
    told = []
    for _ in range(replications):
        log, _ = play(games, rng)
        told.append(completeness(choices_of_log(log), log, default_strategies()).explained)
    known = [one for one in told if np.isfinite(one.estimate)]
    mean = float(np.mean([one.estimate for one in known]))
    return {
        "games": games,
        "replications": replications,
        "told": len(known) / replications,
        "mean": mean,
        "bias": mean - share,
        "spread": float(np.std([one.estimate for one in known])),
        "holds_truth": float(np.mean([one.low <= share <= one.high for one in known])),
        "holds_mean": float(np.mean([one.low <= mean <= one.high for one in known])),
        "seconds": (time.process_time() - begin) / replications,
    }


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=10)
    parser.add_argument("--games", type=int, nargs="*", default=[100])
    parser.add_argument(
        "--full", action="store_true", help="200 replications of 60, 200, 600 and 2,000 games"
    )
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    rng = np.random.default_rng(words.seed)
    there = truth(rng, 40_000 if words.full else 10_000)
    sizes, n = ((60, 200, 600, 2000), 200) if words.full else (words.games, words.replications)
    rows = [coverage(n, games, there["share"], rng) for games in sizes]
    print(json.dumps({"truth": there, "sizes": rows}, indent=1))


if __name__ == "__main__":
    main()
