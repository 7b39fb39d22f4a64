"""Simulated play of models of choice: followed round by round, beside the model asked anew before each round.

    python benchmarks/choice_simulation.py [--copies 20] [--models response,belief] [--json]

Sixty subjects play eight games of up to twelve rounds, some moves unknown; each model is fitted to them and
plays their games again in as many copies, by both ways in one run and with one seed. ``anew`` and
``followed`` are seconds of processor time, ``ratio`` is the first by the second, ``alike`` the share of moves
that both drew alike.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from typing import Any

import numpy as np

from intent.estimate.choice.ahead import Ahead
from intent.estimate.choice.checks import simulate
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.model import ChoiceModel, make_model

MODELS = "base-rate,response,reinforcement,attraction,belief,strategy-learning:canonical4,level-k,quantal"
PAYOFFS = np.array([[[1.0, 5.0], [0.0, 3.0]]])
"""Own payoff by own and other's action, D first."""


def play(subjects: int = 60, games: int = 8, rounds: int = 12, seed: int = 0) -> Choices:
    """Subjects who mostly do what the other did last; games end by chance, one move in fifty is unknown."""
    rng = np.random.default_rng(seed)
    n = subjects * games
    own, other = rng.integers(0, 2, (2, n, rounds)).astype(np.int8)
    for t in range(1, rounds):
        own[:, t] = np.where(rng.random(n) < 0.85, other[:, t - 1], own[:, t])
    over = np.arange(rounds) >= rng.geometric(1 / rounds, n)[:, None].clip(4)
    for moves in (own, other):
        moves[over | (rng.random((n, rounds)) < 0.02)] = -1
    subject = np.repeat(np.arange(subjects), games)
    table = np.zeros(n, dtype=np.intp)
    return Choices(own, other, own.copy(), COOPERATION, subject, payoffs=PAYOFFS, payoff_of=table)


class AskedAnew:
    """A model that is asked for whole games before every round."""

    def __init__(self, model: ChoiceModel) -> None:
        self._model = model

    def ahead(self, X: Choices) -> Ahead:
        """As models that do not say how they are followed."""
        return ChoiceModel.ahead(self._model, X)


def copied(X: Choices, copies: int) -> Choices:
    """The games of as many times the subjects."""
    shift = int(X.subject.max()) + 1
    subject = (X.subject + shift * np.arange(copies)[:, None]).reshape(-1)
    return replace(X[np.tile(np.arange(len(X)), copies)], subject=subject)


def measured(name: str, X: Choices, copies: int, seed: int) -> dict[str, Any]:
    """Seconds of both ways, their ratio, and the share of moves that are alike."""
    model, played = make_model(name).fit(X), copied(X, copies)
    moves, seconds = [], []
    for way in (AskedAnew(model), model):
        began = time.process_time()
        moves.append(simulate(way, played, rng=np.random.default_rng(seed))[0])  # type: ignore[arg-type]
        seconds.append(time.process_time() - began)
    alike = float((moves[0] == moves[1])[played.counted].mean())
    anew, followed = seconds
    return {"model": name, "anew": anew, "followed": followed, "ratio": anew / followed, "alike": alike}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--copies", type=int, default=20)
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    X, rows = play(), []
    for name in options.models.split(","):
        row = measured(name, X, options.copies, options.seed)
        rows.append(row)
        if not options.json:
            seconds = f"{row['anew']:>9.2f}{row['followed']:>9.2f}{row['ratio']:>8.1f}{row['alike']:>9.5f}"
            print(f"{name:<30}{seconds}", flush=True)
    if options.json:
        print(json.dumps({"rows": len(X) * options.copies, "models": rows}))


if __name__ == "__main__":
    main()
