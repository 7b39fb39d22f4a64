"""What drives a metric: known effects are found, noise explains nothing, Shapley values are Shapley's."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.behaviour.importance import design, explain_metric, fit_forest, r_squared, shapley_values


def grid(repetitions: int = 1) -> pd.DataFrame:
    cells = pd.MultiIndex.from_product(
        [["cooperate", "defect", "compute"], ["ALLC", "ALLD", "TFT"], [10, 20], range(repetitions)],
        names=["attitude", "opponent", "rounds", "repetition"],
    )
    return cells.to_frame(index=False)


FEATURES = ("attitude", "opponent", "rounds")


def explained(table: pd.DataFrame, y: object, **settings: int):  # type: ignore[no-untyped-def]
    chosen = {"seeds": 3, **settings}
    return explain_metric(table, "y", np.asarray(y, dtype=float), FEATURES, np.arange(len(table)), **chosen)


def test_the_feature_that_decides_comes_first_with_the_sign_of_its_levels() -> None:
    table = grid(4)
    found = explained(table, table["attitude"] == "cooperate")
    first = found.ranking[0]
    assert (first.feature, first.rank_low, first.rank_high) == ("attitude", 1, 1)
    assert first.share > 0.99
    shown = {level.name: level for level in first.levels}
    assert shown["cooperate"].mean_shap > 0.3 > 0 > shown["defect"].mean_shap
    assert shown["cooperate"].mean_target == 1
    assert found.r2_in > 0.99
    assert found.r2_out > 0.9
    assert [level.name for level in found.ranking[-1].levels] in (["10", "20"], ["ALLC", "ALLD", "TFT"])


def test_noise_is_explained_in_sample_but_not_out_of_it(rng: np.random.Generator) -> None:
    table = grid(14)
    found = explained(table, rng.random(len(table)))
    assert found.r2_in > 0
    assert found.r2_out < 0.05


def test_a_metric_that_does_not_vary_has_no_fit_and_says_so() -> None:
    found = explained(grid(), np.full(18, 0.5))
    assert np.isnan(found.r2_in)
    assert [one.mean_abs_shap for one in found.ranking] == [0, 0, 0]
    assert found.ranking[0].rank_low is None
    assert "0.5 in all rows" in found.notes[0]


def test_rows_without_the_metric_are_left_out_and_counted() -> None:
    table = grid(2)
    y = np.where(table["opponent"] == "ALLC", np.nan, (table["attitude"] == "defect").astype(float))
    found = explained(table, y)
    assert found.n == 24
    assert "12 of 36 rows have no y" in found.notes[0]


def test_the_same_seed_gives_the_same_and_the_forest_is_the_users_own() -> None:
    table = grid(2)
    y = np.arange(36) % 5 / 4
    one, two = explained(table, y, seed=3), explained(table, y, seed=3)
    assert one.ranking == two.ranking
    assert one.stability == two.stability
    made = design(table, FEATURES)
    assert one.r2_in == pytest.approx(r_squared(y, fit_forest(made.columns, y, 10, 3).predict(made.columns)))


def test_importance_is_the_mean_over_all_rows_however_often_they_repeat() -> None:
    table = pd.concat([grid(), grid()[:5], grid()[:5]], ignore_index=True)
    y = (table["attitude"] == "defect") + 0.1 * (table["rounds"] == 20)
    found = explained(table, y)
    made = design(table, FEATURES)
    values, _ = shapley_values(fit_forest(made.columns, np.asarray(y, dtype=float), 10, 0), made.columns)
    expected = dict(zip(FEATURES, np.abs(made.by_feature(values)).mean(axis=0), strict=True))
    assert {one.feature: one.mean_abs_shap for one in found.ranking} == pytest.approx(expected)


def test_shapley_values_are_those_of_all_coalitions(rng: np.random.Generator) -> None:
    X = rng.integers(0, 2, size=(40, 4)).astype(float)
    y = X[:, 0] + X[:, 1] * X[:, 2] - 0.5 * X[:, 3]
    forest = fit_forest(X, y, 3, 0)
    rows = np.unique(X, axis=0)
    values, base = shapley_values(forest, rows)
    worth = lambda x, known: np.mean([_expected(t.tree_, x, known) for t in forest.estimators_])  # noqa: E731
    assert base == pytest.approx(worth(rows[0], ()))
    for x, found in zip(rows, values, strict=True):
        for j in range(4):
            others = [i for i in range(4) if i != j]
            exact = sum(
                factorial(len(s)) * factorial(3 - len(s)) / 24 * (worth(x, (*s, j)) - worth(x, s))
                for size in range(4)
                for s in combinations(others, size)
            )
            assert found[j] == pytest.approx(exact, abs=1e-9)


def _expected(tree, x, known, node: int = 0) -> float:  # type: ignore[no-untyped-def]
    """A tree's expectation given some features, by the shares of training rows in its branches."""
    left, right = tree.children_left[node], tree.children_right[node]
    if left < 0:
        return float(tree.value[node].ravel()[0])
    if tree.feature[node] in known:
        return _expected(tree, x, known, left if x[tree.feature[node]] <= tree.threshold[node] else right)
    n = tree.weighted_n_node_samples
    parts = [(n[child] / n[node], _expected(tree, x, known, child)) for child in (left, right)]
    return sum(weight * value for weight, value in parts)


def test_many_numbers_are_one_column_told_by_quarters() -> None:
    made = design(pd.DataFrame({"x": np.arange(40.0)}), ["x"])
    assert made.columns.shape == (40, 1)
    assert made.levels[0] == ("up to 9.75", "9.75 to 19.5", "19.5 to 29.25", "over 29.25")
    with pytest.raises(DataError, match="nulls"):
        design(pd.DataFrame({"x": [*np.arange(40.0), np.nan]}), ["x"])


def test_a_row_without_a_value_is_a_level_of_its_own() -> None:
    made = design(pd.DataFrame({"attitude": ["defect", None], "rounds": [10, 20]}), ["attitude", "rounds"])
    assert made.levels == (("defect", "(none)"), ("10", "20"))
    assert made.columns.tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]


def test_wrong_features_are_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean attitude"):
        design(grid(), ["atitude"])
    with pytest.raises(UsageError, match="twice"):
        design(grid(), ["rounds", "rounds"])
    with pytest.raises(UsageError, match="51 levels"):
        design(pd.DataFrame({"id": [f"g{i}" for i in range(51)]}), ["id"])
