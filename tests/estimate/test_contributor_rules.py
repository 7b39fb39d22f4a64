"""Types of contributors by the literature's rules, from play that shows them or does not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from intent.base.errors import UsageError
from intent.estimate.contributor_types import Rules, associate, classify, correlation, ranks

RISING = np.array([0, 0.1, 0.3, 0.2, 0.6, 0.5, 0.8, 1.0, 0.4, 0.9])


def verdict(x, y, rng, units=20, **rules):
    found = classify(np.asarray(x, float), np.asarray(y, float), units, Rules(**rules), rng)
    return found.status, found.type or found.candidates


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (np.zeros(10), "free_rider"),
        (np.full(10, 0.5), "unconditional"),
        (np.r_[np.full(9, 0.5), 0.3], "unconditional"),
        (RISING, "conditional"),
        (RISING / 2, "conditional"),
        (1 - RISING, "other"),
        (np.tile([0, 1], 5), "other"),
    ],
)
def test_types_that_show(y, expected, rng):
    assert verdict(RISING, y, rng) == ("identified", expected)


def test_a_hump_is_a_rise_and_a_fall(rng):
    x = np.repeat([0, 0.25, 0.5, 0.75, 1], 4)
    found = classify(x, np.minimum(x, 1 - x), 20, Rules(), rng)
    assert (found.status, found.type, found.peak) == ("identified", "hump_shaped", 0.5)
    assert found.hump == pytest.approx(1)
    assert found.hump_p < 0.01


def test_who_cannot_be_told_apart(rng):
    few = [0.1, 0.0, 0.2, 0.1, 0.0, 0.1, 0.2, 0.0]
    assert verdict(few, np.zeros(8), rng) == ("ambiguous", ("free_rider", "conditional"))
    # All or nothing among three: who always gives, and who gives where at least one other does.
    assert verdict([1, 1, 0.5, 1, 0.5, 1, 1], np.ones(7), rng, 1) == (
        "ambiguous",
        ("unconditional", "conditional"),
    )
    assert verdict([1, 0, 0.5, 1, 0, 1, 1], np.ones(7), rng, 1) == ("identified", "unconditional")


def test_others_who_do_not_vary_show_no_answer(rng):
    assert verdict(np.full(9, 0.8), np.zeros(9), rng) == ("constant_others", ("free_rider",))
    assert verdict(np.full(9, 0.1), np.zeros(9), rng) == ("constant_others", ("free_rider", "conditional"))
    assert verdict(np.full(9, 0.5), RISING[:9], rng) == ("constant_others", ())


def test_few_rounds_say_nothing(rng):
    assert verdict([0, 1, 0.5], [0, 1, 0.5], rng) == ("too_short", ())
    assert verdict([], [], rng) == ("too_short", ())
    assert verdict([0, 1, 0.5], [0, 1, 0.5], rng, min_rounds=3, alpha=0.2)[1] == "conditional"


def test_the_literatures_rules_may_part(rng):
    x = np.repeat([0.0, 0.5, 1.0], 60)
    y = np.clip(0.5 + 0.15 * (x - 0.5) + rng.normal(0, 0.2, 180), 0, 1)
    assert 0.15 < correlation(x, y) < 0.5
    assert verdict(x, y, rng) == ("ambiguous", ("conditional", "other"))


def test_p_is_the_share_of_all_orders(rng):
    x, y = rng.random(6), rng.random(6)
    found = associate(x, y, 99, rng)
    every = [np.corrcoef(x, p)[0, 1] for p in itertools.permutations(y)]
    assert found.r == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert found.p == pytest.approx(np.mean(np.array(every) >= found.r - 1e-9))

    def hump(values):
        sides = [(x <= m, x >= m) for m in np.sort(x)[2:-2]]
        return max(
            min(np.corrcoef(x[a], values[a])[0, 1], -np.corrcoef(x[b], values[b])[0, 1]) for a, b in sides
        )

    humps = [hump(np.array(p)) for p in itertools.permutations(y)]
    assert found.hump == pytest.approx(hump(y))
    assert found.hump_p == pytest.approx(np.mean(np.array(humps) >= found.hump - 1e-9))


def test_drawn_orders_agree_with_the_theory(rng):
    x, y = rng.random(40), rng.random(40)
    from scipy.stats import pearsonr, spearmanr

    assert associate(x, y, 4000, rng).p == pytest.approx(
        pearsonr(x, y, alternative="greater").pvalue, abs=0.03
    )
    tied = np.round(x, 1)
    assert correlation(ranks(tied), ranks(y)) == pytest.approx(spearmanr(tied, y).statistic)


def test_spearman_sees_what_rises_but_not_in_a_line(rng):
    x = np.linspace(0, 1, 10)
    found = classify(x, x**8, 20, Rules(correlation="spearman"), rng)
    assert (found.type, found.spearman) == ("conditional", pytest.approx(1))
    assert found.pearson < 0.8


@pytest.mark.parametrize(
    "wrong", [{"correlation": "kendall"}, {"alpha": 0}, {"min_rounds": 1}, {"tolerance": float("nan")}]
)
def test_thresholds_that_cannot_be(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        Rules(**wrong)
