"""Are planted shares, tremble and hazard of automata recovered, and do intervals of 95 % hold them?

Subjects play two games against coins with TFT, ALLD, WSLS or RANDOM, and draw anew with a hazard before each
later move, which is zero for the mixture that `sfem` estimates. `--full` takes 500 replications.
"""

from __future__ import annotations

import argparse
import json

import numpy as np

from intent.estimate.choice.automata import Automata
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.strategies.catalogue import strategy

NAMES = ("TFT", "ALLD", "WSLS", "RANDOM")
SHARES = (0.3, 0.3, 0.2, 0.2)


def play(n: int, rounds: int, games: int, hazard: float, tremble: float, rng: np.random.Generator) -> Choices:
    """Play of n subjects."""
    players = [strategy(name) for name in NAMES]
    chance = [np.array(s.p_cooperate) for s in players]
    follows = [np.array(s.next_state) for s in players]
    own = np.empty((n * games, rounds), dtype=np.int8)
    other = rng.integers(0, 2, own.shape).astype(np.int8)
    kind = rng.choice(len(players), n, p=SHARES)
    for g in range(games):
        rows = np.arange(n) * games + g
        states = np.tile([[s.start] for s in players], n)
        for t in range(rounds):
            if g or t:
                kind = np.where(rng.random(n) < hazard, rng.choice(len(players), n, p=SHARES), kind)
            p = np.stack([chance[k][states[k]] for k in range(len(players))])[kind, np.arange(n)]
            own[rows, t] = rng.random(n) < p + tremble * (1 - 2 * p)
            outcome = 3 - 2 * own[rows, t] - other[rows, t]
            states = np.stack([follows[k][states[k], outcome] for k in range(len(players))])
    return Choices(own, other, own.copy(), COOPERATION, np.arange(n * games) // games)


def recovery(
    replications: int, rng: np.random.Generator, *, hazard: float, n: int = 300, rounds: int = 10
) -> dict[str, dict[str, float]]:
    """Mean estimate, its spread, the mean error and the coverage of each planted number."""
    tremble = 0.05
    planted = {"tremble": tremble, **dict(zip(NAMES, SHARES, strict=True))}
    if hazard:
        planted["hazard"] = hazard
    values: dict[str, list[tuple[float, float]]] = {name: [] for name in planted}
    for _ in range(replications):
        model = Automata(NAMES, drifting=hazard > 0).fit(play(n, rounds, 2, hazard, tremble, rng))
        for row in model.parameters():
            values[row.of or row.name].append((row.value, np.nan if row.se is None else row.se))
    report = {}
    for name, true in planted.items():
        estimate, se = np.array(values[name]).T
        report[name] = {
            "planted": true,
            "mean": round(float(estimate.mean()), 4),
            "spread": round(float(estimate.std(ddof=1)), 4),
            "error": round(float(np.nanmean(se)), 4),
            "coverage": round(float((np.abs(estimate - true) < 1.96 * se).mean()), 3),
        }
    return report


def main() -> None:
    """Print the table as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="500 replications instead of 40")
    parser.add_argument("--seed", type=int, default=1)
    settings = parser.parse_args()
    rng = np.random.default_rng(settings.seed)
    n = 500 if settings.full else 40
    print(json.dumps({f"hazard {h}": recovery(n, rng, hazard=h) for h in (0.0, 0.1)}, indent=1))


if __name__ == "__main__":
    main()
