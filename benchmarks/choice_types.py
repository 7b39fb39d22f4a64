"""Types with free response, strategies with estimated responses: do intervals cover what was planted?

    python benchmarks/choice_types.py [--full]

Play against coins by two types (TFT and ALLD with slips of their own), fitted again and again; share of 95 %
intervals, of shares and of responses, that hold the truth. `alike`: all subjects of a type play with the same
probabilities. `differ`: each subject's log odds have a deviation of their own (standard deviation .6), so
that no model of types is right. The truth is what a fit to 40,000 subjects finds. Errors are those of the
observed information, and those that allow for subjects that differ (`errors="subject"`, the default). With
``--full`` 200 replications, else 40.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.free import ERRORS, FreeResponse, ResponseTypes
from intent.estimate.choice.strategy_responses import StrategyResponses

ANSWERS = np.array([[0.85, 0.9, 0.15, 0.8, 0.2], [0.3, 0.25, 0.1, 0.3, 0.1]])
"""P(C) of each type at the start and after CC, CD, DC, DD."""
SHARES = (0.6, 0.4)
SPREAD = 0.6
ROUNDS, GAMES, LARGE = 8, 3, 40_000
MODELS: dict[str, Callable[..., ResponseTypes]] = {
    "memory-one:2": lambda **s: FreeResponse(n_types=2, random_state=0, n_starts=3, **s),
    "response:TFT,ALLD": lambda **s: StrategyResponses("TFT,ALLD", random_state=0, n_starts=2, **s),
}


def planted(rng: np.random.Generator, n: int, spread: float) -> Choices:
    """Three games each of n subjects."""
    kind = np.repeat(rng.choice(2, n, p=SHARES), GAMES)
    odds = np.log(ANSWERS / (1 - ANSWERS))[kind]
    odds = odds + np.repeat(spread * rng.normal(size=(n, 5)), GAMES, axis=0)
    p = 1 / (1 + np.exp(-odds))
    other = rng.integers(0, 2, (len(kind), ROUNDS)).astype(np.int8)
    own = np.zeros_like(other)
    situation = np.zeros(len(kind), dtype=np.intp)
    for t in range(ROUNDS):
        own[:, t] = rng.random(len(kind)) < p[np.arange(len(kind)), situation]
        situation = 4 - 2 * own[:, t] - other[:, t]
    return Choices(own, other, own.copy(), COOPERATION, np.repeat(np.arange(n), GAMES))


def estimates(model: ResponseTypes) -> dict[str, tuple[float, float]]:
    """Estimates and errors by name; the type that answers cooperation most is the first."""
    first = int(np.argmax([model.responses_[k, c, 1] for k, c in enumerate(places(model))]))
    out = {"share": (float(model.shares_[first]), float(model.share_se_[first]))}
    for k in range(2):
        for c in np.flatnonzero(model.moves_[k] > 0):
            name = f"{'first' if k == first else 'second'} {model._cell_names()[c]}"
            out[name] = (float(model.responses_[k, c, 1]), float(model.response_se_[k, c, 1]))
    return out


def places(model: ResponseTypes) -> list[int]:
    """The cell of each type that follows cooperation of both."""
    if isinstance(model, FreeResponse):
        return [1, 1]
    assert isinstance(model, StrategyResponses)
    return [int(cells[0]) for cells in model.cells_.of]


def coverage(replications: int, n: int, spread: float) -> None:
    """Print the share of intervals that cover, of shares and of responses, for each model and error."""
    for name, make in MODELS.items():
        truth = estimates(make().fit(planted(np.random.default_rng([7]), LARGE, spread)))
        if not spread:
            truth["share"] = (SHARES[0], 0.0)
        hits: dict[tuple[str, str, int], list[bool]] = {}
        start = time.perf_counter()
        for i in range(replications):
            X = planted(np.random.default_rng([1, i]), n, spread)
            for errors in ERRORS:
                for what, (value, se) in estimates(make(errors=errors).fit(X)).items():
                    if what in truth and np.isfinite(se):
                        kind = "shares" if what == "share" else "responses"
                        hits.setdefault((errors, kind, i), []).append(abs(value - truth[what][0]) < 1.96 * se)
        seconds = time.perf_counter() - start
        words = "differ" if spread else "alike"
        for errors in ERRORS:
            for kind in ("shares", "responses"):
                inside = [np.mean(v) for (e, what, _), v in hits.items() if (e, what) == (errors, kind)]
                noise = np.std(inside) / np.sqrt(len(inside))  # of fits: intervals of one are dependent
                print(
                    f"{name:18} {n:4} subjects {words:6} errors={errors:12} {kind:9} "
                    f"{np.mean(inside):.3f} (+- {noise:.3f})"
                )
        print(f"{name:18} {2 * replications} fits in {seconds:.1f} s")


def main() -> None:
    """Print coverage where subjects are alike and where they differ."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--full", action="store_true", help="200 replications in place of 40")
    replications = 200 if options.parse_args().full else 40
    for n in (60, 200):
        for spread in (0.0, SPREAD):
            coverage(replications, n, spread)


if __name__ == "__main__":
    main()
