"""Comparisons of small tables by hand, and of simulated ones by what was put in."""

from __future__ import annotations

import json

import numpy as np
import pytest
from simulated_labels import labels, simulated

from intent.base.statistics import cluster_codes
from intent.comparison.groups import Comparison, outcomes
from intent.comparison.tests import Sample, Settings, compare_means, compare_shares

FEW = Settings(bootstrap=100, permutations=199)


def shares(table, by, *, count="status", settings=FEW, seed=0) -> Comparison:
    rows, rng = Sample(table, by, cluster_codes(table, ["game_id"])), np.random.default_rng(seed)
    return compare_shares(rows, outcomes(table, count), count=count, settings=settings, rng=rng)


def means(table, by, *, settings=FEW, seed=0) -> Comparison:
    rows, rng = Sample(table, by, cluster_codes(table, ["game_id"])), np.random.default_rng(seed)
    values = table["cooperation_rate"].to_numpy()
    return compare_means(rows, values, metric="cooperation_rate", settings=settings, rng=rng)


def test_shares_by_hand():
    found = shares(labels("CCCDaannTW", model=list("AAAABBBBBB")), ["model"]).to_dict()
    assert [g["group"] for g in found["groups"]] == [{"model": "A"}, {"model": "B"}]
    assert [g["n"] for g in found["groups"]] == [4, 6]
    assert found["groups"][0]["shares"]["ALLC"]["estimate"] == 0.75
    assert found["groups"][1]["shares"]["ambiguous"]["estimate"] == pytest.approx(1 / 3)


def test_the_json_object_is_what_scripts_rely_on(rng):
    found = json.loads(
        json.dumps(shares(simulated(60, rng), ["model", "language"]).to_dict(), allow_nan=False)
    )
    assert list(found) == ["by", "count", "groups", "tests"]
    assert (found["by"], found["count"]) == (["model", "language"], "status")
    group, test = found["groups"][0], found["tests"][0]
    assert list(group) == ["group", "n", "n_effective", "shares", "quality"]
    assert list(group["shares"]) == ["ALLC", "ALLD", "TFT", "WSLS", "ambiguous", "low_confidence", "no_fit"]
    assert list(group["shares"]["TFT"]) == ["estimate", "low", "high"]
    assert list(test)[:8] == ["factor", "test", "statistic", "df", "p", "p_adjusted", "p_fdr", "effect"]
    assert list(test)[8:] == ["unit", "question", "permutations", "p_wild"]


def test_the_json_object_of_a_metric(rng):
    found = json.loads(json.dumps(means(simulated(60, rng), ["model"]).to_dict(), allow_nan=False))
    assert list(found) == ["by", "metric", "groups", "tests"]
    assert found["metric"] == "cooperation_rate"
    assert list(found["groups"][0]) == ["group", "n", "n_effective", "mean", "sd", "quality"]
    assert list(found["groups"][0]["mean"]) == ["estimate", "low", "high"]
    assert [t["test"] for t in found["tests"]] == ["anova", "permutation"]
    assert len(found["tests"][0]["df"]) == 2


def test_means_and_deviations_are_numpys(rng):
    table = simulated(30, rng)
    for group in means(table, ["model"]).groups:
        values = table.loc[table["model"] == group.values[0], "cooperation_rate"]
        assert group.intervals[0].estimate == pytest.approx(values.mean())
        assert group.sd == pytest.approx(values.std())
        assert group.intervals[0].low < values.mean() < group.intervals[0].high


def test_every_factor_and_all_together_are_tested(rng):
    found = shares(simulated(90, rng), ["model", "persona"])
    assert [(t.factor, t.test) for t in found.tests] == [
        (factor, test)
        for factor in ("model", "persona", "model,persona")
        for test in ("chi_square", "permutation")
    ]
    assert all(t.p_adjusted >= t.p for t in found.tests)


def test_a_difference_that_is_there_is_found_and_one_that_is_not_is_not(rng):
    found = shares(simulated(600, rng, effect=0.4), ["model", "persona"])
    p = {t.factor: t.p for t in found.tests if t.test == "permutation"}
    assert p["model"] == 1 / 200
    assert p["persona"] > 0.01
    assert {g.values[0]: round(g.intervals[0].estimate, 1) for g in found.groups}["A"] == 0.5


def test_intervals_contain_their_estimates_and_shares_sum_to_one(rng):
    for count in ("status", "posterior", "split", "best"):
        for group in shares(simulated(90, rng), ["language", "persona"], count=count).groups:
            assert sum(i.estimate for i in group.intervals) == pytest.approx(1)
            assert all(0 <= i.low <= i.estimate <= i.high <= 1 for i in group.intervals)
            assert 1 <= group.n_effective <= group.n


def test_copied_seats_halve_the_effective_number(rng):
    (group,) = shares(simulated(400, rng, clustered=1.0), []).groups
    assert (group.n, group.n_clusters) == (800, 400)
    assert group.n_effective == pytest.approx(400, rel=0.01)


def test_fractions_say_that_chi_square_is_left_out(rng):
    found = shares(simulated(60, rng), ["model"], count="posterior")
    assert [t.test for t in found.tests] == ["permutation"]
    assert "--count posterior makes fractions" in found.notes[0]


def test_a_comparison_shows_itself_in_one_line(rng):
    table = simulated(60, rng)
    assert repr(shares(table, ["model"])) == "<Comparison: shares (count status) by model: A, B, C; n = 120>"
    assert repr(means(table, [])) == "<Comparison: mean cooperation_rate; n = 120>"
    assert "ar, cn, en, fr and 1 more; n = 120" in repr(shares(table, ["language"]))


def test_an_infinite_f_is_null_in_json():
    table = labels("CCDD", x=list("aabb")).assign(game_id=list("wxyz"), cooperation_rate=[0.0, 0, 1, 1])
    first, second = means(table, ["x"]).to_dict()["tests"]
    assert (first["statistic"], second["statistic"]) == (None, 4)
    assert second["p"] == pytest.approx(1 / 3, abs=0.1)


def test_pairs_are_corrected_together(rng):
    found = shares(simulated(90, rng), ["model"], settings=Settings(50, 99, pairwise=True))
    assert [t.factor for t in found.tests[2::2]] == ["model: A vs B", "model: A vs C", "model: B vs C"]
    assert min(t.p_adjusted for t in found.tests) == pytest.approx(min(1, 4 * min(t.p for t in found.tests)))


def test_the_same_generator_gives_the_same_result(rng):
    table = simulated(60, rng)
    assert shares(table, ["model"], seed=5) == shares(table, ["model"], seed=5)
    assert shares(table, ["model"], seed=5) != shares(table, ["model"], seed=6)


def test_more_permutations_leave_the_intervals_as_they_are(rng):
    table = simulated(60, rng)
    more = shares(table, ["model"], settings=Settings(100, 400))
    assert shares(table, ["model"]).groups == more.groups


def test_the_table_is_long(rng):
    table = simulated(60, rng)
    found = shares(table, ["model"]).table()
    assert list(found.columns) == ["model", "n", "n_effective", "outcome", "estimate", "low", "high"]
    assert len(found) == 3 * 7
    assert list(means(table, ["model"]).table()["metric"]) == ["cooperation_rate"] * 3
