"""Findings: contrasts against independent arithmetic, direction, reversals, ranking, and silence on noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from intent.comparison.findings import (
    Moves,
    interaction_of_rates,
    range_of_rates,
    ranked,
    simultaneous_contrasts,
)
from intent.estimate.design_units import design_units

ROUNDS = 10
HOW = {"level": 0.95, "seed": 1}


def moves_of(rng, rates, games=60, spread=0.0):
    """Two seats a game, cooperating at the rate of (model, persona); `spread`: what a game adds to both."""
    rows = []
    for (model, persona), rate in rates.items():
        for _ in range(games):
            own = np.clip(rate + spread * rng.standard_normal(), 0, 1)
            game = f"g{len(rows)}"
            rows += [(game, model, persona, rng.binomial(ROUNDS, own)) for _ in range(2)]
    table = pd.DataFrame(rows, columns=["game_id", "model", "persona", "c"])
    cooperated = table.pop("c").to_numpy()
    return Moves(table, np.full(len(table), ROUNDS), cooperated)


def ranges(moves):
    def unit(by):
        return design_units(moves.table, by, ["game_id"]).unit

    made = [range_of_rates(moves, f, unit([f]), **HOW) for f in ("model", "persona")]
    pair = ["model", "persona"]
    return ranked([*made, interaction_of_rates(moves, pair, unit(pair), **HOW)])


CROSSED = {("A", "kind"): 0.3, ("A", "mean"): 0.7, ("B", "kind"): 0.7, ("B", "mean"): 0.4}
PARALLEL = {("A", "kind"): 0.7, ("A", "mean"): 0.5, ("B", "kind"): 0.5, ("B", "mean"): 0.3}


def test_a_main_effect_has_its_direction(rng):
    shown = ranges(moves_of(rng, PARALLEL)).shown
    assert {(f.factors, f.levels) for f in shown} == {
        (("model",), ("A", "B")),
        (("persona",), ("kind", "mean")),
    }
    for one in shown:
        assert one.low < 0.2 < one.high


def test_a_reversal_comes_first(rng):
    first, *_ = ranges(moves_of(rng, CROSSED)).shown
    assert (first.kind, first.reverses, first.factors) == ("interaction", True, ("model", "persona"))
    assert [e.level for e in first.effects] == ["B", "A"]
    assert first.low < 0.7 < first.high
    assert first.effects[1].high < 0 < first.effects[0].low


def test_what_is_below_five_points_is_no_finding(rng):
    found = ranges(moves_of(rng, {k: v / 20 + 0.5 for k, v in PARALLEL.items()}, games=3000))
    assert not found.shown
    assert min(f.p for f in found.silent) < 0.05


def test_what_has_one_sign_counts_half(rng):
    found = ranges(moves_of(rng, CROSSED))
    one = next(f for f in found.shown if f.kind == "interaction")
    assert replace(one, reverses=False).score == one.score / 2


def test_the_interval_is_that_of_cluster_sums(rng):
    moves = moves_of(rng, {("A", "x"): 0.6, ("B", "x"): 0.4}, games=80, spread=0.2)
    unit = design_units(moves.table, ["model"], ["game_id"]).unit
    found = range_of_rates(moves, "model", unit, **HOW)
    variance, rate = 0.0, {}
    for model in "AB":
        rows = (moves.table["model"] == model).to_numpy()
        games = moves.cooperated[rows].reshape(-1, 2).sum(axis=1) / (2 * ROUNDS)
        rate[model], variance = games.mean(), variance + games.var(ddof=1) / len(games)
    assert found.estimate == pytest.approx(rate["A"] - rate["B"])
    assert found.high - found.estimate == pytest.approx(1.976 * variance**0.5, rel=0.02)


def test_independent_contrasts_have_the_interval_of_sidak(rng):
    k = 8
    found = simultaneous_contrasts(
        np.zeros(k), np.eye(k), np.eye(k), np.full(k, 10**6), most=10**7, level=0.95, rng=rng
    )
    assert found.pointwise == pytest.approx(0.95 ** (1 / k), abs=0.001)
    assert found.p == 1.0


def test_equal_clusters_that_never_vary_are_no_certainty(rng):
    moves = moves_of(rng, {("A", "x"): 1.0, ("B", "x"): 1.0}, games=5)
    assert not ranked(
        [range_of_rates(moves, "model", design_units(moves.table, ["model"]).unit, **HOW)]
    ).shown


@pytest.mark.slow
@pytest.mark.parametrize(("games", "spread"), [(4, 0.0), (6, 0.25), (30, 0.25)])
def test_noise_is_no_finding(games, spread):
    flat = dict.fromkeys(PARALLEL, 0.5)
    rng = np.random.default_rng(7)
    silent = sum(not ranges(moves_of(rng, flat, games, spread)).shown for _ in range(200))
    assert silent >= 186
