"""`explain` against a forest of scikit-learn on dummies of pandas, and Shapley values from all coalitions."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest

from intent.behaviour.explain import explain

FEATURES = ("attitude", "opponent")
TREES, SEED = 5, 4


@pytest.fixture
def table() -> pd.DataFrame:
    cells = pd.MultiIndex.from_product(
        [("cooperate", "defect", "compute"), ("ALLC", "TFT"), range(4)], names=[*FEATURES, "repetition"]
    ).to_frame(index=False)
    drawn = np.random.default_rng(1).random(len(cells))
    rate = 0.6 * (cells["attitude"] == "cooperate") + 0.2 * (cells["opponent"] == "TFT") + 0.2 * drawn
    return cells.assign(game_id=[f"g{i}" for i in cells.index], cooperation_rate=rate)


def worth(tree, x: np.ndarray, known: frozenset[int], node: int = 0) -> float:  # type: ignore[no-untyped-def]
    """A tree's expectation where only some columns of x are known."""
    if tree.children_left[node] < 0:
        return float(tree.value[node].item())
    below = tree.children_left[node], tree.children_right[node]
    if tree.feature[node] in known:
        return worth(tree, x, known, below[int(x[tree.feature[node]] > tree.threshold[node])])
    weights = tree.weighted_n_node_samples[list(below)]
    return float(np.average([worth(tree, x, known, child) for child in below], weights=weights))


def test_importances_are_those_of_all_coalitions(table: pd.DataFrame) -> None:
    from sklearn.ensemble import RandomForestRegressor

    dummies = pd.get_dummies(table[list(FEATURES)], prefix_sep="=")
    X, y = dummies.to_numpy(dtype=float), table["cooperation_rate"].to_numpy()
    forest = RandomForestRegressor(n_estimators=TREES, random_state=SEED).fit(X, y)
    p = X.shape[1]
    values = np.zeros_like(X)
    for x in np.unique(X, axis=0):
        v = {
            known: np.mean([worth(one.tree_, x, known) for one in forest.estimators_])
            for size in range(p + 1)
            for known in map(frozenset, combinations(range(p), size))
        }
        for j in range(p):
            values[(x == X).all(axis=1), j] = sum(
                (v[s | {j}] - v[s]) / (p * comb(p - 1, len(s))) for s in v if j not in s
            )
    own = {f: values[:, [c.startswith(f"{f}=") for c in dummies]].sum(axis=1) for f in FEATURES}

    found = explain(table, "cooperation_rate", FEATURES, trees=TREES, seeds=1, seed=SEED).to_dict()
    assert [one["feature"] for one in found["ranking"]] == ["attitude", "opponent"]
    for one in found["ranking"]:
        shap = own[one["feature"]]
        assert one["mean_abs_shap"] == pytest.approx(np.abs(shap).mean(), rel=1e-6)
        for level, told in one["levels"].items():
            rows = (table[one["feature"]] == level).to_numpy()
            assert (told["n"], told["mean_target"]) == (rows.sum(), pytest.approx(y[rows].mean()))
            assert told["mean_shap"] == pytest.approx(shap[rows].mean(), abs=1e-9)
    left = ((y - forest.predict(X)) ** 2).sum()
    assert found["r2_in"] == pytest.approx(1 - left / ((y - y.mean()) ** 2).sum())
