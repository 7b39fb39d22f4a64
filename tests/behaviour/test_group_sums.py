"""Means by group of a table are those of its pieces, to the last digit."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import UsageError
from intent.behaviour.means import Intervals, added_sums, group_means, group_sums, means_of_groups

NAMES = ("forgiveness", "end_effect", "mean_payoff", "niceness")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    n = 300
    occasions = rng.integers(4, size=n)
    return pd.DataFrame(
        {
            "game_id": [f"g{i // 2}" for i in range(n)],
            "model": pd.Series(rng.choice(["b", "a", None], n), dtype="str"),
            "level": pd.array(np.repeat(rng.integers(3, size=n // 2), 2), dtype="Int64"),
            "share": np.where(np.arange(n) < 100, np.nan, np.repeat(rng.integers(3, size=n // 2), 2)),
            "forgiveness": np.where(
                rng.random(n) < 0.1, np.nan, rng.integers(3, size=n) / np.maximum(occasions, 2)
            ),
            "forgiveness_n": occasions,
            "end_effect": rng.integers(-3, 4, size=n) / 3,
            "mean_payoff": rng.integers(8, size=n) / 7,
            "niceness": np.where(np.arange(n) < 200, np.nan, 1.0),
            "niceness_n": 1,
        }
    )


def in_pieces(table, cuts, by):
    pieces = [table.iloc[a:b].reset_index(drop=True) for a, b in pairwise([0, *cuts, len(table)])]
    sums = (pickle.dumps(group_sums(piece, by, NAMES)) for piece in pieces)
    return added_sums(pickle.loads(sent) for sent in sums)  # noqa: S301


@pytest.mark.parametrize("by", [(), ("model",), ("level", "model"), ("share",)])
@pytest.mark.parametrize("cuts", [(100, 104), tuple(range(20, 300, 20))])
def test_pieces_have_the_means_of_the_table(table, by, cuts):
    settings = {"intervals": Intervals(50, 0.9)}
    whole = group_means(table, by, NAMES, rng=np.random.default_rng(0), **settings)
    pieces = means_of_groups(in_pieces(table, cuts, by), NAMES, rng=np.random.default_rng(0), **settings)
    assert pieces == whole


def test_adding_in_steps_is_adding_at_once(table):
    first, second, third = (
        group_sums(table.iloc[a:b].reset_index(drop=True), ("model",), NAMES)
        for a, b in ((0, 80), (80, 200), (200, 300))
    )
    steps, once = added_sums([added_sums([first, second]), third]), added_sums([third, first, second])
    made = [
        means_of_groups(sums, NAMES, rng=np.random.default_rng(0), intervals=Intervals(20, 0.9))
        for sums in (steps, once)
    ]
    assert made[0] == made[1]


def test_values_of_a_group_are_read_as_those_of_the_whole_column(table):
    found = means_of_groups(in_pieces(table, (100,), ("share",)), (), rng=np.random.default_rng(0))
    assert [group.values for group in found] == [(0,), (1,), (2,), ("(none)",)]
    assert sum(group.n for group in found) == len(table)
    assert sum(group.n_games for group in found) == 150


def test_too_many_values_over_all_pieces_make_no_groups(table):
    many = table.assign(level=np.repeat(np.arange(150), 2))
    with pytest.raises(UsageError, match="distinct values"):
        in_pieces(many, tuple(range(60, 300, 60)), ("level",))


def test_no_rows_make_no_groups(table):
    assert added_sums([group_sums(table.iloc[:0], ("model",), NAMES)]).groups == ()
