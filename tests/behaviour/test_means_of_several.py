"""Means of several numbers of the same rows, against `cell_means` one by one."""

import numpy as np
import pandas as pd

from intent.behaviour.means import cell_means, means_of


def test_each_number_is_as_alone_and_unknown_ones_are_left_out():
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"game_id": np.arange(20) // 2, "who": ["a", "b"] * 10})
    one, two = rng.random(20), np.full(20, np.nan)
    found = means_of(table, ["who"], {"one": one, "two": two}, rng=np.random.default_rng(1))
    alone = cell_means(table.assign(one=one), ["who"], "one", rng=np.random.default_rng(1), bounds=(0.0, 1.0))
    assert found.drop(columns="measure").equals(alone)
    assert found.columns.tolist() == ["who", "measure", "n", "n_games", "estimate", "low", "high"]
    assert found["measure"].unique().tolist() == ["one"]


def test_no_number_at_all():
    table = pd.DataFrame({"game_id": [], "who": []})
    assert means_of(table, ["who"], {}, rng=np.random.default_rng(0)).columns[1] == "measure"
