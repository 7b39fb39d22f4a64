"""How far mixtures of types end below the best of many starts at random, on play by planted rules.

    python benchmarks/choice_starts.py [--samples 6] [--starts 40] [--json]

Sixty subjects follow rules of memory one over ten rounds against each other, without or with a tremble, and a
covariate tells the rule, or a group of rules. ``memory-one:K`` is fitted as by default; EM with covariates
is also run from random subjects' play, and from responses and coefficients at random. ``gap``: nats by which
the best of these ends above the default (negative where none comes up to it); its most, the share of samples
where it is over .05, and the median processor time of a fit, are what the columns hold.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
import pandas as pd

from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.free import FreeResponse
from intent.estimate.choice.membership import Membership
from intent.estimate.choice.response_types import Mixed, climb, fit_types

RULES = {
    "TFT": (1, 1, 0, 1, 0),
    "ALLD": (0, 0, 0, 0, 0),
    "ALLC": (1, 1, 1, 1, 1),
    "WSLS": (1, 1, 0, 0, 1),
    "STFT": (0, 1, 0, 1, 0),
    "GRIM": (1, 1, 0, 0, 0),
}
"""P(C) at the start and after CC, CD, DC, DD."""

CASES: dict[str, tuple[tuple[str, ...], tuple[int, ...], float, int]] = {
    "two rules": (("TFT", "ALLD"), (0, 1), 0.0, 2),
    "two rules, tremble": (("TFT", "WSLS"), (0, 1), 0.1, 2),
    "two in each group": (("ALLD", "TFT", "ALLC", "WSLS"), (0, 1, 0, 1), 0.05, 2),
    "three groups of two": (("ALLD", "TFT", "ALLC", "WSLS", "STFT", "GRIM"), (0, 0, 1, 1, 2, 2), 0.05, 3),
    "four rules": (("ALLD", "TFT", "ALLC", "WSLS"), (0, 1, 2, 3), 0.0, 4),
    "four rules, untold": (("ALLD", "TFT", "ALLC", "WSLS"), (0, 0, 0, 0), 0.0, 4),
}
"""Rules, the group of each, tremble, and K."""


def sample(case: str, seed: int, *, n: int = 60, rounds: int = 10) -> Choices:
    """Play of n subjects against others who follow the same rules."""
    names, groups, tremble, _ = CASES[case]
    rng = np.random.default_rng(seed)
    p = np.clip(np.array([RULES[name] for name in names], dtype=float), tremble, 1 - tremble)
    kinds = rng.integers(len(p), size=(2, n))
    moves = np.zeros((2, n, rounds), dtype=np.int8)
    situation = np.zeros((2, n), dtype=int)
    for t in range(rounds):
        moves[:, :, t] = rng.random((2, n)) < p[kinds, situation]
        situation = 4 - 2 * moves[:, :, t] - moves[::-1, :, t]
    table = pd.DataFrame({"group": np.array(groups)[kinds[0]].astype(str)})
    return Choices(moves[0], moves[1], moves[0], COOPERATION, np.arange(n), table)


def measured(case: str, acts: Any, seed: int, starts: int) -> tuple[float, float]:
    """Gap and seconds of one sample."""
    X, k = sample(case, seed), CASES[case][3]
    model = FreeResponse(n_types=k, acts=acts, errors="none", random_state=seed)
    began = time.process_time()
    model.fit(X)
    seconds = time.process_time() - began
    e = model._evidence(X)
    pseudo, rng = model._pseudo(e), np.random.default_rng(seed + 1000)
    end = climb(e, Mixed(model.responses_, model.membership_, model.shift_), pseudo, n_iter=0, tol=0.0)
    best, still = -np.inf, np.zeros((e.shift.shape[1], e.n_actions))
    plain = e.without_covariates()
    for turn in range(starts):
        b = np.zeros((e.design.shape[1], k))
        b[:, 1:] = rng.normal(0, 1.5, b[:, 1:].shape) * (turn % 3 > 0)
        if turn % 2:
            p = fit_types(plain, k, pseudo, n_starts=1, n_iter=0, tol=1e-6, rng=rng).mixed.responses
        else:
            p = rng.dirichlet(np.ones(e.n_actions), size=(k, e.n_cells)) * 0.98 + 0.01
        best = max(best, climb(e, Mixed(p, Membership(b), still), pseudo, n_iter=400, tol=1e-4).value)
    return best - end.value, seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--starts", type=int, default=40)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    rows = []
    for case, (_, groups, *_) in CASES.items():
        for acts in ("membership", "both") if len({*groups}) > 1 else ("membership",):
            ends = [measured(case, acts, seed, options.starts) for seed in range(options.samples)]
            gaps, seconds = np.array(ends).T
            row = {"case": case, "acts": acts, "most": gaps.max(), "share_over_.05": (gaps > 0.05).mean()}
            rows.append({**row, "seconds": float(np.median(seconds))})
            if not options.json:
                line = f"{row['most']:>8.3f}{row['share_over_.05']:>8.2f}{rows[-1]['seconds']:>7.3f}"
                print(f"{case:<22}{acts:<12}{line}", flush=True)
    if options.json:
        print(json.dumps({"cases": rows}))


if __name__ == "__main__":
    main()
