"""The multinomial logit against statsmodels' own clustered errors, closed forms, and data that break it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import UsageError
from intent.comparison.groups import Outcomes
from intent.comparison.regression import share_model

pytest.importorskip("statsmodels")


def outcomes(codes: np.ndarray, k: int = 3) -> Outcomes:
    return Outcomes(tuple("ABC"[:k]), np.eye(k)[codes])


def games(rng: np.random.Generator, n: int = 300) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Two seats a game that often play alike; the model matters, the persona does not."""
    model = np.repeat(np.arange(n) % 3, 2)
    first = np.where(rng.random(n) < 0.4 * (np.arange(n) % 3), 0, rng.integers(0, 3, n))
    codes = np.where(rng.random(2 * n) < 0.5, np.repeat(first, 2), rng.integers(0, 3, 2 * n))
    table = pd.DataFrame({"model": np.array(list("xyz"))[model], "persona": np.tile(["k", "s"], n)})
    return table, codes, np.repeat(np.arange(n), 2)


def test_estimates_and_clustered_errors_are_statsmodels(rng):
    from statsmodels.discrete.discrete_model import MNLogit

    table, codes, clusters = games(rng)
    found = share_model(table, ["model", "persona"], outcomes(codes), clusters)
    order = ["ABC".index(name) for name in found.outcomes]
    endog = np.argsort(order)[codes]
    x = np.stack([np.ones(600), table.model == "y", table.model == "z", table.persona == "s"], axis=1).astype(
        float
    )
    oracle = MNLogit(endog, x).fit(disp=0, cov_type="cluster", cov_kwds={"groups": clusters})
    assert found.log_likelihood == pytest.approx(oracle.llf)
    np.testing.assert_allclose([c.estimate for c in found.coefficients], oracle.params.T.ravel(), atol=1e-5)
    errors = np.array([c.se for c in found.coefficients])
    np.testing.assert_allclose(errors, oracle.bse.T.ravel(), rtol=1e-9)


def test_covariance_is_that_of_a_computation_by_hand(rng):
    table, codes, clusters = games(rng, 60)
    codes = np.minimum(codes, 1)
    found = share_model(table, ["model"], outcomes(codes, 2), clusters)
    reference = "AB".index(found.outcomes[0])
    share = {m: (codes[table.model == m] != reference).mean() for m in "xyz"}
    assert found.coefficients[0].estimate == pytest.approx(np.log(share["x"] / (1 - share["x"])), abs=1e-6)
    residual = (codes != reference) - table.model.map(share).to_numpy()
    by_game = np.bincount(clusters, weights=residual * (table.model == "x"))
    correction = 60 / 59 * 119 / 117
    variance = (
        correction * (by_game**2).sum() / ((table.model == "x").sum() * share["x"] * (1 - share["x"])) ** 2
    )
    assert found.coefficients[0].se == pytest.approx(np.sqrt(variance), rel=1e-6)


def test_terms_are_tested_by_the_score_of_games_by_hand(rng):
    table, codes, clusters = games(rng, 60)
    codes = np.minimum(codes, 1)
    found = share_model(table, ["persona"], outcomes(codes, 2), clusters).terms[0]
    x = (table["persona"] == "s").to_numpy(float)
    by_game = np.bincount(clusters, weights=(x - x.mean()) * (codes - codes.mean()))
    assert found.statistic == pytest.approx(by_game.sum() ** 2 / (by_game**2).sum())
    assert found.df == (1, 59)


def test_terms_of_independent_rows_are_the_likelihood_ratio_tests_in_large_samples(rng):
    from scipy.stats import chi2
    from statsmodels.discrete.discrete_model import MNLogit

    table = pd.DataFrame({"model": rng.integers(0, 3, 3000), "persona": rng.integers(0, 2, 3000)})
    codes = np.where(
        rng.random(3000) < 0.04 * table["model"] + 0.1 * table["persona"], 0, rng.integers(0, 3, 3000)
    )
    found = share_model(table, ["model", "persona"], outcomes(codes), np.arange(3000)).terms[0]
    x = np.stack([np.ones(3000), table.persona, table.model == 1, table.model == 2], axis=1).astype(float)
    full, rest = (MNLogit(codes, x[:, :k]).fit(disp=0).llf for k in (4, 2))
    assert np.log(found.p) == pytest.approx(np.log(chi2.sf(2 * (full - rest), 4)), rel=0.15)


def test_adjusted_shares_are_the_shares_where_there_is_one_factor(rng):
    table, codes, clusters = games(rng)
    found = share_model(table, ["model"], outcomes(codes), clusters)
    for margin in found.margins:
        rows = (table["model"] == margin.level).to_numpy()
        assert margin.estimate == pytest.approx((codes[rows] == "ABC".index(margin.outcome)).mean(), abs=1e-6)
    effects = [m for m in found.margins if m.level == "z" and m.outcome == "A"]
    assert effects[0].effect > 0.1
    assert effects[0].p < 0.05


def test_the_factor_that_matters_is_found_and_the_other_not(rng):
    table, codes, clusters = games(rng)
    found = share_model(table, ["model", "persona"], outcomes(codes), clusters, [("model", "persona")])
    p = {term.term: term.p for term in found.terms}
    assert list(p) == ["model", "persona", "model × persona"]
    assert p["model"] < 0.001 < 0.01 < min(p["persona"], p["model × persona"])


def test_margins_of_interactions_average_over_the_rows_as_they_are(rng):
    table, codes, clusters = games(rng)
    found = share_model(table, ["model", "persona"], outcomes(codes), clusters, [("model", "persona")])
    cells = [(codes[(table.model == m) & (table.persona == "k")] == 0).mean() for m in "xyz"]
    margin = next(m for m in found.margins if (m.factor, m.level, m.outcome) == ("persona", "k", "A"))
    assert margin.estimate == pytest.approx(np.mean(cells), abs=1e-6)


def test_an_outcome_that_never_occurs_at_a_level_is_said_and_bounded(rng):
    table, codes, clusters = games(rng)
    codes[(table["model"] == "x").to_numpy() & (codes == 0)] = 1
    found = share_model(table, ["model", "persona"], outcomes(codes), clusters)
    assert found.separated
    assert "separation: no A where model = x" in found.notes[0]
    assert max(abs(c.estimate) for c in found.coefficients) < 15
    assert next(m for m in found.margins if (m.level, m.outcome) == ("x", "A")).estimate < 0.02


def test_factors_that_go_together_are_named(rng):
    table, codes, clusters = games(rng)
    found = share_model(
        table.assign(seat=np.tile([1, 2], 300)), ["persona", "seat"], outcomes(codes), clusters
    )
    assert "seat = 2 is determined by persona = s: their effects cannot be told apart" in found.notes
    seat = found.terms[1]
    assert (seat.term, seat.df) == ("seat", None)
    assert np.isnan(seat.p)


def test_rare_outcomes_are_merged_or_left_out(rng):
    table, codes, clusters = games(rng)
    few = np.where(np.arange(600) < 4, 3, np.where(np.arange(600) < 12, 4, codes))
    both = Outcomes(tuple("ABCDE"), np.eye(5)[few])
    found = share_model(table, ["persona"], both, clusters)
    assert found.outcomes[-1] == "other outcomes"
    assert "merged: D (4), E (8)" in found.notes[0]
    one = share_model(
        table, ["persona"], Outcomes(tuple("ABCD"), np.eye(4)[np.minimum(few, 3) % 4]), clusters
    )
    assert one.n in (588, 600)


def test_parts_of_rows_and_a_single_outcome_are_refused(rng):
    table, _, clusters = games(rng, 30)
    with pytest.raises(UsageError, match="whole counts"):
        share_model(table, ["model"], Outcomes(("A", "B"), np.full((60, 2), 0.5)), clusters)
    with pytest.raises(UsageError, match="at least two"):
        share_model(table, ["model"], outcomes(np.zeros(60, dtype=int)), clusters)
