"""How far mixtures of types end below the best of many starts at random, on play by planted rules and types.

    python benchmarks/choice_starts.py [--samples 6] [--starts 50] [--n-starts 48] [--large] [--json]

*Rules*: sixty subjects follow rules of memory one over ten rounds against each other, without or with a
tremble, and a covariate tells the rule, or a group of rules. *Drawn types*: 30 to 200 subjects over 10 to 100
rounds are of three, four or six types of memory one drawn at random, covariates move shares and responses,
and three types are fitted. ``memory-one:K`` is fitted as by default (or from ``--n-starts``), with covariates
that act on shares, on responses, on both, or without any; EM is also run from ``--starts`` starts: every
second from random subjects' play, the others from random responses, two of three with random coefficients.

``most``: nats by which the best of these ends above the default, the most over the samples (negative where
none comes up to it); ``over``: share of samples where it is over .05; ``noted``: share with the note that few
starts ended at the best value, and ``missed``: how many of these are over .05; ``seconds``: mean processor
time of a fit. ``--large`` measures 2,000 and 40,000 subjects of drawn types instead.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.free import FreeResponse
from intent.estimate.choice.membership import Membership
from intent.estimate.choice.response_types import Mixed, climb, climb_together, fit_types

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


DRAWN = tuple(
    (n, rounds, ("treatment", "arms", "number", "several")[i % 4], 3 if i % 3 else 4)
    for i, (n, rounds) in enumerate((n, rounds) for n in (30, 60, 120, 200) for rounds in (10, 30, 100))
) + tuple(
    (n, 15, covariates, 6)
    for n, covariates in zip(
        (30, 60, 90, 120, 150, 200),
        ("several", "arms", "treatment", "number", "several", "arms"),
        strict=True,
    )
)
"""Subjects, rounds, covariates and planted types."""
LARGE = ((2_000, 10, "several", 3), (40_000, 10, "arms", 3))


def covariates(kind: str, n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    """What is known of n subjects, and the numbers by which it moves shares and responses."""
    treatment, arm, age = rng.integers(0, 2, n), rng.integers(0, 3, n), rng.normal(size=n)
    tables = {
        "treatment": ({"treatment": treatment.astype(str)}, treatment[:, None] - 0.5),
        "arms": ({"arm": arm.astype(str)}, np.eye(3)[arm] - 1 / 3),
        "number": ({"age": age}, age[:, None]),
        "several": (
            {"treatment": treatment.astype(str), "sex": rng.integers(0, 2, n).astype(str), "age": age},
            np.column_stack([treatment - 0.5, age]),
        ),
    }
    table, numbers = tables[kind]
    return pd.DataFrame(table), numbers


def drawn(design: tuple[int, int, str, int], seed: list[int]) -> Choices:
    """Play of subjects of types drawn at random."""
    n, rounds, kind, k = design
    rng = np.random.default_rng(seed)
    table, numbers = covariates(kind, n, rng)
    odds = np.log(1 / (rng.beta(0.7, 0.7, (k, 5)) * 0.94 + 0.03) - 1) * -1
    shares = np.exp(numbers @ rng.normal(0, 1, (numbers.shape[1], k)))
    shift = numbers @ rng.normal(0, 0.6, numbers.shape[1])
    kinds = (rng.random((n, 1)) > np.cumsum(shares / shares.sum(1, keepdims=True), axis=1)).sum(1)
    who = np.stack([np.arange(n), rng.permutation(n)])
    moves = np.zeros((2, n, rounds), dtype=np.int8)
    situation = np.zeros((2, n), dtype=int)
    for t in range(rounds):
        moves[:, :, t] = rng.random((2, n)) < 1 / (1 + np.exp(-odds[kinds[who], situation] - shift[who]))
        situation = 4 - 2 * moves[:, :, t] - moves[::-1, :, t]
    return Choices(moves[0], moves[1], moves[0], COOPERATION, np.arange(n), table)


def measured(
    X: Choices, k: int, acts: Any, seed: int, starts: int, n_starts: int | None
) -> tuple[float, float, bool]:
    """Gap, seconds, and whether there is the note that few starts agree, of one sample."""
    settings: dict[str, Any] = {} if n_starts is None else {"n_starts": n_starts}
    model = FreeResponse(n_types=k, acts=acts, errors="none", random_state=seed, **settings)
    began = time.process_time()
    model.fit(X)
    seconds = time.process_time() - began
    e = model._evidence(X)
    pseudo, rng = model._pseudo(e), np.random.default_rng(seed + 1000)
    end = climb(e, Mixed(model.responses_, model.membership_, model.shift_), pseudo, n_iter=0, tol=0.0)
    plain, still, begun = e.without_covariates(), np.zeros((e.shift.shape[1], e.n_actions)), []
    for turn in range(starts):
        b = np.zeros((e.design.shape[1], k))
        b[:, 1:] = rng.normal(0, 1.5, b[:, 1:].shape) * (turn % 3 > 0)
        if turn % 2:
            p = fit_types(plain, k, pseudo, n_starts=1, n_iter=0, tol=1e-6, rng=rng).mixed.responses
        else:
            p = rng.dirichlet(np.ones(e.n_actions), size=(k, e.n_cells)) * 0.98 + 0.01
        begun.append(Mixed(p, Membership(b), still))
    best = max(fit.value for fit in climb_together(e, begun, pseudo, n_iter=1500, tol=1e-5))
    return best - end.value, seconds, any("starts" in note for note in model.notes_)


ACTING = ("membership", "response", "both")
Plays = list[tuple[Choices, int, int]]


def cases(samples: int) -> Iterator[tuple[str, str, Plays]]:
    """Name, what covariates act on, and the play, number of types and seed of each sample."""
    for case, (_, groups, _, k) in CASES.items():
        plays = [(sample(case, seed), k, seed) for seed in range(samples)]
        for acts in ACTING if len({*groups}) > 1 else ("membership",):
            yield case, acts, plays
    yield from of_drawn("drawn types", DRAWN, samples)


def of_drawn(
    case: str, designs: Sequence[tuple[int, int, str, int]], samples: int
) -> Iterator[tuple[str, str, Plays]]:
    """The same of types drawn at random."""
    plays = [(drawn(d, [i, seed]), 3, seed) for i, d in enumerate(designs) for seed in range(samples)]
    for acts in ACTING:
        yield case, acts, plays
    yield case, "none", [(replace(X, covariates=None), k, seed) for X, k, seed in plays]


def large_cases(samples: int) -> Iterator[tuple[str, str, Plays]]:
    """The same of many subjects."""
    for design in LARGE:
        yield from of_drawn(f"{design[0]:,} subjects", [design], samples)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--starts", type=int, default=50)
    parser.add_argument("--n-starts", type=int)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    heads = ("most", "over", "noted", "missed", "seconds")
    rows = []
    if not options.json:
        print(f"{'case':<22}{'acts on':<12}" + "".join(f"{head:>9}" for head in heads))
    for case, acts, plays in (large_cases if options.large else cases)(options.samples):
        how = "membership" if acts == "none" else acts
        ends = [measured(X, k, how, seed, options.starts, options.n_starts) for X, k, seed in plays]
        gaps, seconds, noted = map(np.array, zip(*ends, strict=True))
        over = gaps > 0.05
        values = (gaps.max(), over.mean(), noted.mean(), (over & noted).sum(), seconds.mean())
        rows.append(
            {
                "case": case,
                "acts": acts,
                "samples": len(ends),
                **dict(zip(heads, map(float, values), strict=True)),
            }
        )
        if not options.json:
            print(f"{case:<22}{acts:<12}" + "".join(f"{value:>9.3f}" for value in values), flush=True)
    if options.json:
        print(json.dumps({"cases": rows}))


if __name__ == "__main__":
    main()
