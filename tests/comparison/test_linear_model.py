"""Linear regression with clustered errors against statsmodels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import UsageError
from intent.comparison.coefficients import design
from intent.comparison.regression import mean_model


def play(rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    table = pd.DataFrame(
        {"model": np.repeat(np.tile(list("xyz"), 20), 2), "persona": np.tile(["k", "s"], 60)}
    )
    game = rng.normal(size=60).repeat(2)
    return table, game + rng.normal(size=120) + (table.model == "z"), np.arange(60).repeat(2)


def test_errors_are_statsmodels(rng):
    api = pytest.importorskip("statsmodels.api")
    table, values, clusters = play(rng)
    values = np.asarray(values)
    found = mean_model(table, ["model", "persona"], values, clusters)
    oracle = api.OLS(values, design(table, ["model", "persona"]).matrix()).fit(
        cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True
    )
    np.testing.assert_allclose([c.estimate for c in found.coefficients], oracle.params)
    np.testing.assert_allclose([c.se for c in found.coefficients], oracle.bse)
    np.testing.assert_allclose([c.p for c in found.coefficients], oracle.pvalues)
    assert found.r2 == pytest.approx(oracle.rsquared)


def test_adjusted_means_of_a_balanced_design_are_the_means(rng):
    table, values, clusters = play(rng)
    found = mean_model(table, ["model", "persona"], np.asarray(values), clusters)
    for margin in found.margins:
        assert margin.estimate == pytest.approx(values[table[margin.factor] == margin.level].mean())


def test_a_combination_that_was_never_played_is_left_out(rng):
    table, values, clusters = play(rng)
    keep = ~((table.model == "z") & (table.persona == "s")).to_numpy()
    found = mean_model(
        table[keep], ["model", "persona"], np.asarray(values)[keep], clusters[keep], [("model", "persona")]
    )
    assert found.notes == (
        "interactions that the data do not identify are left out: model = z × persona = s",
    )


def test_designs_that_cannot_be_are_refused():
    table = pd.DataFrame({"a": [1, 2], "b": [1, 2]})
    with pytest.raises(UsageError, match="without factors"):
        design(table, [])
    with pytest.raises(UsageError, match="expected two or more of a, b"):
        design(table, ["a", "b"], [("a", "c")])
    with pytest.raises(UsageError, match="2 rows for 2 coefficients"):
        mean_model(table, ["a"], np.zeros(2), np.arange(2))


def test_a_number_that_does_not_vary_has_no_regression(rng):
    table, _, clusters = play(rng)
    with pytest.raises(UsageError, match="same in all rows"):
        mean_model(table, ["model"], np.full(120, 0.1), clusters)
