"""Do tests and intervals of `intent compare` hold? False positives on null data, coverage of known truths.

Null data: games of two seats whose outcomes are correlated (.5), in four designs: a factor between games, a
factor within games (a value per seat), repeats of one condition that are correlated (.5) across games, and
blocks whose outcomes differ and in which the factor's levels are not equally frequent; a factor of few games
beside many, with a rare outcome; few games whose seats agree beside many whose seats do not; and, in a fifth
of as many data sets, play of ten rounds by strategies that are correlated (.7), whose shares are estimated.
Each test is made as the package makes it, at 5 %; those that take rows or repeats as independent, or ignore
blocks, stand beside.
Coverage: nominally 95 % intervals of shares, means, differences and effect sizes, with the percentile
bootstrap beside. ``--full`` makes 5,000 null data sets and 2,000 data sets of known truth per line.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from intent.base.statistics import bootstrap_means, cluster_bootstrap, group_influence, share_intervals
from intent.comparison.differences import seat_effects
from intent.comparison.effects import mean_effects, share_effects
from intent.comparison.findings import simultaneous_widest
from intent.comparison.groups import Outcomes
from intent.comparison.regression import mean_model, share_model
from intent.comparison.tests import mean_tests, share_tests
from intent.estimate.shares import estimate
from intent.logs.gamelog import Trajectories
from intent.strategies.sets import strategy_set

ALPHA = 0.05
PERMUTATIONS = 199
SHARES = np.array([0.5, 0.3, 0.2])
UNEVEN = np.array([0.45, 0.3, 0.15, 0.07, 0.03])
RHO = 0.5
"""Correlation of rows of a cluster."""

NAMES = ("A", "B", "C")
Sample = Callable[[np.random.Generator], dict[str, float]]


def clustered(rng: np.random.Generator, clusters: int, size: int, shares: np.ndarray) -> np.ndarray:
    """(clusters, size) outcomes; two of a cluster are correlated by `RHO`."""
    common = rng.choice(len(shares), (clusters, 1), p=shares)
    own = rng.choice(len(shares), (clusters, size), p=shares)
    return np.where(rng.random((clusters, size)) < RHO**0.5, common, own)


def numbers(rng: np.random.Generator, clusters: int, size: int) -> np.ndarray:
    """(clusters, size) skewed numbers; two of a cluster are correlated."""
    return np.where(
        rng.random((clusters, size)) < RHO**0.5,
        rng.gamma(2, size=(clusters, 1)),
        rng.gamma(2, size=(clusters, size)),
    )


def p_values(
    play: np.ndarray,
    values: np.ndarray,
    codes: np.ndarray,
    clusters: np.ndarray,
    rng: np.random.Generator,
    blocks: np.ndarray | None = None,
) -> dict[str, float]:
    """p of every test of shares and means."""
    options: dict[str, Any] = {"permutations": PERMUTATIONS, "rng": rng, "blocks": blocks}
    shares = share_tests("f", np.eye(3)[play], codes, clusters, **options)
    means = mean_tests("f", values, codes, clusters, **options)
    return {f"{t.test}, {kind}": t.p for kind, ts in (("shares", shares), ("means", means)) for t in ts}


def regressed(
    play: np.ndarray, values: np.ndarray, table: pd.DataFrame, clusters: np.ndarray
) -> dict[str, float]:
    """p of the factor in regressions on all columns of a table."""
    factors = list(map(str, table.columns))
    logit = share_model(table, factors, Outcomes(NAMES, np.eye(3)[play]), clusters)
    linear = mean_model(table, factors, values, clusters)
    return {"logit, shares": logit.terms[0].p, "regression, means": linear.terms[0].p}


def between(rng: np.random.Generator) -> dict[str, float]:
    """A model per game, 90 games."""
    play, values = clustered(rng, 90, 2, SHARES).ravel(), numbers(rng, 90, 2).ravel()
    model, games = rng.permutation(np.repeat([0, 1, 2], [20, 30, 40])).repeat(2), np.arange(90).repeat(2)
    found = p_values(play, values, model, games, rng)
    return found | regressed(play, values, pd.DataFrame({"f": model}), games)


def within(rng: np.random.Generator) -> dict[str, float]:
    """A persona per seat, 90 games; and the seats themselves."""
    play, values = clustered(rng, 90, 2, SHARES).ravel(), numbers(rng, 90, 2).ravel()
    persona, games = rng.integers(0, 2, 180), np.arange(90).repeat(2)
    found = p_values(play, values, persona, games, rng)
    table = pd.DataFrame({"game_id": games, "seat": np.tile([1, 2], 90)})
    options: dict[str, Any] = {"samples": PERMUTATIONS, "rng": rng}
    seats = seat_effects(table, np.eye(3)[play], NAMES, **options)
    mean = seat_effects(table, values[:, None], ["x"], **options)
    found |= {"sign flips of seats, shares": seats.p, "sign flips of seats, means": mean.p}
    return found | regressed(play, values, pd.DataFrame({"f": persona}), games)


def repeats(rng: np.random.Generator) -> dict[str, float]:
    """60 conditions of 5 games of 2 seats; clusters are conditions, and games beside."""
    play, values = clustered(rng, 60, 10, SHARES).ravel(), numbers(rng, 60, 10).ravel()
    model, cells = rng.permutation(np.arange(60) % 3).repeat(10), np.arange(60).repeat(10)
    by_cell = p_values(play, values, model, cells, rng) | regressed(
        play, values, pd.DataFrame({"f": model}), cells
    )
    by_game = p_values(play, values, model, np.arange(300).repeat(2), rng)
    found = {
        name if "chi" in name or "anova" in name else f"{name}, by cell": p for name, p in by_cell.items()
    }
    return found | {f"{name}, by game": p for name, p in by_game.items() if "permutation" in name}


def blocked(rng: np.random.Generator) -> dict[str, float]:
    """90 games in three languages that differ in play, and in which models are not equally frequent."""
    language = np.arange(90) % 3
    odds = np.array([[0.6, 0.3, 0.1], [0.4, 0.4, 0.2], [0.2, 0.3, 0.5]])
    play = np.concatenate([clustered(rng, 1, 2, odds[block]) for block in language]).ravel()
    values = (numbers(rng, 90, 2) + language[:, None]).ravel()
    model = (rng.random(90) < 0.2 + 0.3 * language).astype(int).repeat(2)
    games, blocks = np.arange(90).repeat(2), language.repeat(2)
    found = p_values(play, values, model, games, rng, blocks)
    return found | regressed(play, values, pd.DataFrame({"f": model, "language": blocks}), games)


def uneven(rng: np.random.Generator) -> dict[str, float]:
    """A model with 6 of 90 games, and an outcome of .1."""
    play = clustered(rng, 90, 2, np.array([0.9, 0.1, 0.0])).ravel()
    model, games = rng.permutation(np.repeat([0, 1], [6, 84])).repeat(2), np.arange(90).repeat(2)
    if np.bincount(play, minlength=2).min() < 10:
        return {}
    return regressed(play, play.astype(float), pd.DataFrame({"f": model}), games)


def unequal(rng: np.random.Generator) -> dict[str, float]:
    """20 games whose seats play alike against 200 of independent seats; and 30 against 300, .65 and .3."""
    found = {}
    for name, (few, alike), (many, other) in (
        ("1 and 0", (20, 1.0), (200, 0.0)),
        (".65 and .30", (30, 0.5), (300, 0.0)),
    ):
        shares, parts = np.array([0.4, 0.3, 0.2, 0.1]), []
        for games, copied in ((few, alike), (many, other)):
            seats = rng.choice(4, (games, 2), p=shares)
            seats[:, 1] = np.where(rng.random(games) < copied, seats[:, 0], seats[:, 1])
            parts.append(seats.ravel())
        play, model = np.concatenate(parts), np.repeat([0, 1], [2 * few, 2 * many])
        games_of = np.arange(few + many).repeat(2)
        options: dict[str, Any] = {"permutations": PERMUTATIONS, "rng": rng}
        for test in share_tests("f", np.eye(4)[play], model, games_of, **options):
            found[f"{test.test}, seats agree {name}"] = test.p
        for test in mean_tests("f", play.astype(float), model, games_of, **options):
            found[f"{test.test}, means, seats agree {name}"] = test.p
    return found


def estimated(rng: np.random.Generator) -> dict[str, float]:
    """Estimated shares by a model per game, and by a persona per seat, 90 games."""
    kinds = ("ALLC", "ALLD", "TFT", "WSLS")
    both, each = (rng.choice(4, (90, size), p=[0.3, 0.35, 0.2, 0.15]) for size in (1, 2))
    strategy = np.where(rng.random((90, 1)) < 0.7, both, each)
    moves = np.empty((90, 2, 10), dtype=np.int8)
    own = other = np.ones((90, 2), dtype=np.int8)
    for t in range(10):
        meant = np.choose(strategy, [1, 0, other, own == other])
        moves[:, :, t] = np.where(rng.random((90, 2)) < 0.08, 1 - meant, meant)
        own, other = moves[:, :, t], moves[:, ::-1, t]
    play = Trajectories(moves.reshape(180, 10), moves[:, ::-1].reshape(180, 10))
    games, found = np.arange(90).repeat(2), {}
    model, persona = rng.permutation(np.arange(90) % 3).repeat(2), rng.integers(0, 2, 180)
    for name, group in (("model", model), ("persona", persona)):
        made = estimate(
            play, np.arange(180), strategy_set(kinds), groups=group, clusters=games, shares_rng=rng
        )
        test = next(test for test in made.tests if test.tested == "shares")
        assert test.p_units is not None
        found[f"likelihood ratio, {name}"] = test.p_units
        found[f"chi_square of the ratio, {name}"] = test.p
    return found


NULLS: dict[str, Sample] = {
    "between": between,
    "within": within,
    "repeats": repeats,
    "blocked": blocked,
    "uneven": uneven,
    "unequal": unequal,
    "estimated": estimated,
}
FEWER = {"estimated": 5}
"""One of so many data sets is made of a design that takes long."""

FAILING = {
    "between": ("chi_square", "anova"),
    "within": ("chi_square", "anova"),
    "repeats": ("chi_square", "anova", "permutation, shares, by game", "permutation, means, by game"),
    "blocked": ("chi_square", "anova", "permutation, shares", "permutation, means"),
    "uneven": (),
    "unequal": ("chi_square", "anova"),
    "estimated": ("chi_square",),
}
"""Tests whose assumptions the design breaks."""


def false_positives(sets: int, seed: int) -> Iterator[dict[str, Any]]:
    """Share of null data sets in which each test is significant."""
    for name, sample in NULLS.items():
        hits: dict[str, list[bool]] = {}
        own = -(-sets // FEWER.get(name, 1))
        for i, rng in enumerate(np.random.default_rng([seed, len(name)]).spawn(own)):
            for test, p in sample(rng).items():
                hits.setdefault(test, []).append(p <= ALPHA + 1e-12)
            shown(f"{name}: {i + 1} of {own}")
        for test, found in hits.items():
            valid = not test.startswith(FAILING[name]) if test.count(",") < 2 else test not in FAILING[name]
            yield {
                "design": name,
                "test": test,
                "rate": float(np.mean(found)),
                "n": len(found),
                "valid": valid,
            }


def share_coverage(
    clusters: int, size: int, samples: int
) -> Callable[[np.random.Generator], dict[str, bool]]:
    """Shares of five outcomes."""

    def sample(rng: np.random.Generator) -> dict[str, bool]:
        weights, of = (
            np.eye(5)[clustered(rng, clusters, size, UNEVEN).ravel()],
            np.arange(clusters).repeat(size),
        )
        found = share_intervals(weights, of, level=0.95)
        low, high = np.quantile(bootstrap_means(weights, of, samples, rng), [0.025, 0.975], axis=0)
        hits = {}
        for k, p in enumerate(UNEVEN):
            hits[f"share {p:g}, score"] = found[k].low <= p <= found[k].high
            hits[f"share {p:g}, percentile"] = bool(low[k] <= p <= high[k])
        return hits

    return sample


def mean_coverage(clusters: int, size: int, samples: int) -> Callable[[np.random.Generator], dict[str, bool]]:
    """Means: normal, skewed, and bounded by 0 and 1."""

    def sample(rng: np.random.Generator) -> dict[str, bool]:
        shape, of = (clusters, size), np.arange(clusters).repeat(size)
        same = rng.random(shape) < RHO**0.5
        hits = {}
        for name, draw, truth in (
            ("normal", lambda s: rng.normal(size=s), 0.0),
            ("skewed", lambda s: rng.gamma(2, size=s), 2.0),
            ("bounded", lambda s: rng.beta(0.5, 1.5, size=s), 0.25),
        ):
            values = np.where(same, draw((clusters, 1)), draw(shape)).ravel()[:, None]
            if name == "bounded":
                (own,) = share_intervals(values, of, level=0.95)
            else:
                (own,) = cluster_bootstrap(values, of, samples=samples, level=0.95, rng=rng)
            low, high = np.quantile(bootstrap_means(values, of, samples, rng), [0.025, 0.975])
            hits[f"mean, {name}, {'score' if name == 'bounded' else 'bootstrap-t'}"] = (
                own.low <= truth <= own.high
            )
            hits[f"mean, {name}, percentile"] = bool(low <= truth <= high)
        return hits

    return sample


def effect_coverage(
    clusters: int, size: int, samples: int
) -> Callable[[np.random.Generator], dict[str, bool]]:
    """Differences between two groups of games, and between the seats of games."""
    other = np.array([0.3, 0.3, 0.4])

    def sample(rng: np.random.Generator) -> dict[str, bool]:
        half = clusters // 2
        play = np.concatenate(
            [clustered(rng, half, size, SHARES), clustered(rng, clusters - half, size, other)]
        )
        first, of = (np.arange(clusters) < half).repeat(size), np.arange(clusters).repeat(size)
        effects = share_effects(np.eye(3)[play.ravel()], first, of, NAMES)
        p, q = SHARES[0], other[0]
        truths = {
            "difference": p - q,
            "cohens_h": 2 * np.arcsin(p**0.5) - 2 * np.arcsin(q**0.5),
            "odds_ratio": p / (1 - p) / (q / (1 - q)),
        }
        hits = {
            f"{e.measure} of shares": e.low <= truths[e.measure] <= e.high
            for e in effects
            if e.outcome == "A"
        }
        values = np.where(
            rng.random((clusters, size)) < RHO**0.5,
            rng.normal(size=(clusters, 1)),
            rng.normal(size=(clusters, size)),
        )
        values = values.ravel() + first
        for e in mean_effects(values, first, of, "x", samples=samples, rng=rng):
            hits[f"{e.measure} of means"] = e.low <= 1 <= e.high
        table = pd.DataFrame({"game_id": np.arange(clusters).repeat(2), "seat": np.tile([1, 2], clusters)})
        seats = values.reshape(clusters, size)[:, :2].ravel()[:, None]
        seat = seat_effects(table, seats, ["x"], samples=samples, rng=rng).differences[0]
        hits["difference of seats"] = seat.low <= 0 <= seat.high
        return hits

    return sample


def widest_coverage(
    clusters: int, size: int, samples: int
) -> Callable[[np.random.Generator], dict[str, bool]]:
    """The widest range of four outcomes over three groups that do not differ."""

    def sample(rng: np.random.Generator) -> dict[str, bool]:
        shares = np.array([0.4, 0.3, 0.2, 0.1])
        play = np.eye(4)[clustered(rng, clusters, size, shares).ravel()]
        groups, of = (np.arange(clusters) % 3).repeat(size), np.arange(clusters).repeat(size)
        estimates = np.stack([play[groups == g].mean(axis=0) for g in range(3)])
        influence = group_influence(play, groups, of)
        found = simultaneous_widest(estimates, influence, np.arange(clusters), level=0.95, rng=rng)
        assert found is not None
        rows = np.isin(groups, (found.lowest, found.highest))
        plain, simultaneous = (
            next(
                e
                for e in share_effects(
                    play[rows], groups[rows] == found.highest, of[rows], tuple("ABCD"), level=level
                )
                if e.outcome == "ABCD"[found.outcome] and e.measure == "difference"
            )
            for level in (0.95, found.pointwise)
        )
        return {
            "widest range, simultaneous": simultaneous.low <= 0 <= simultaneous.high,
            "widest range, as if it had been the only one": plain.low <= 0 <= plain.high,
        }

    return sample


def coverage(sets: int, samples: int, seed: int) -> Iterator[dict[str, Any]]:
    """Share of data sets whose interval holds the truth."""
    for clusters, size in ((10, 2), (20, 2), (50, 2), (200, 2), (20, 20), (50, 20)):
        hits: dict[str, list[bool]] = {}
        parts = [make(clusters, size, samples) for make in _TRUTHS]
        for i, rng in enumerate(np.random.default_rng([seed, clusters, size]).spawn(sets)):
            for part in parts:
                for name, hit in part(rng).items():
                    hits.setdefault(name, []).append(hit)
            shown(f"{clusters} clusters of {size}: {i + 1} of {sets}")
        for name, found in hits.items():
            yield {
                "clusters": clusters,
                "rows_per_cluster": size,
                "interval": name,
                "coverage": float(np.mean(found)),
                "n": len(found),
            }


_TRUTHS = (share_coverage, mean_coverage, effect_coverage, widest_coverage)


def shown(text: str) -> None:
    """Progress, on a terminal only."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text:<60}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="5,000 null data sets, 2,000 of known truth")
    parser.add_argument("--nulls", type=int, help="null data sets per design (200)")
    parser.add_argument("--truths", type=int, help="data sets of known truth per line (100)")
    parser.add_argument("--bootstrap", type=int, default=499, help="samples of each bootstrap")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    nulls = 5000 if options.full else 200
    truths = 2000 if options.full else 100
    nulls = nulls if options.nulls is None else options.nulls
    truths = truths if options.truths is None else options.truths
    start = time.perf_counter()
    rates = list(false_positives(nulls, options.seed)) if nulls else []
    middle = time.perf_counter()
    covered = list(coverage(truths, options.bootstrap, options.seed)) if truths else []
    seconds = {"tests": middle - start, "intervals": time.perf_counter() - middle}
    if options.json:
        print(json.dumps({"false_positives": rates, "coverage": covered, "seconds": seconds}))
        return
    print(f"\nfalse positives in % at 5 %, {nulls} null data sets each")
    for row in rates:
        remark = "" if row["valid"] else "  (assumes what the design breaks)"
        print(f"{row['design']:<9} {row['test']:<38}{row['rate'] * 100:6.1f}{remark}")
    print(f"\ncoverage in % at 95 %, {truths} data sets each, by clusters x rows")
    names = list(dict.fromkeys(row["interval"] for row in covered))
    sizes = list(dict.fromkeys((row["clusters"], row["rows_per_cluster"]) for row in covered))
    print(f"{'':<32}" + "".join(f"{f'{c}x{m}':>8}" for c, m in sizes))
    found = {(r["interval"], r["clusters"], r["rows_per_cluster"]): r["coverage"] for r in covered}
    for name in names:
        print(f"{name:<32}" + "".join(f"{found[name, c, m] * 100:8.1f}" for c, m in sizes))
    print(f"\n{seconds['tests']:.0f} s for tests, {seconds['intervals']:.0f} s for intervals")


if __name__ == "__main__":
    main()
