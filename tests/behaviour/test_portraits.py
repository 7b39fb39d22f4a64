"""Memory-one portraits: counted by hand, as the metrics count, and found again where they are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from play_logs import PD, log_of, match

from intent.behaviour.means import Intervals
from intent.behaviour.measures import SITUATIONS, memory_one, portraits, situation_counts
from intent.behaviour.play_table import played
from intent.strategies.catalogue import strategy

FEW = Intervals(200, 0.95)


def portrait(log, by=()):
    rows = situation_counts(played(log))
    return portraits(rows, by, rng=np.random.default_rng(0), intervals=FEW)


def test_counted_by_hand():
    found = portrait(log_of(match(PD, "CDCC", "CCDD"))).set_index("situation")
    # both start with C; after CC seat 1 plays D, seat 2 C; after DC seat 1 C; after CD seat 2 D, seat 1 C; …
    assert found.loc["first", ["n", "estimate"]].tolist() == [2, 1.0]
    assert found.loc["CC", ["n", "estimate"]].tolist() == [2, 0.5]
    assert found.loc["CD", ["n", "estimate"]].tolist() == [2, 0.5]
    assert found.loc["DC", ["n", "estimate"]].tolist() == [2, 0.5]
    assert found.loc["DD", "n"] == 0
    assert np.isnan(found.loc["DD", "estimate"])


def test_a_move_counts_where_the_round_before_is_known():
    found = portrait(log_of(match(PD, "C.CC", "CCCC"))).set_index("situation")
    assert found.loc["CC", "n"] == 1 + 2
    assert found["n"].tolist() == [2, 3, 0, 0, 0]


def test_the_log_and_the_table_of_metrics_agree():
    moves = ["CDCCDDCD", "CCDCDCDD", "DDCC.CDC"]
    log = log_of(*(match(PD, own, other) for own, other in zip(moves, moves[1:] + moves[:1], strict=True)))
    rows = situation_counts(played(log)).sort_values(["game_id", "seat"])
    t = log.trajectories()
    for name, found in memory_one(t.own, t.other).items():
        assert rows[f"p_{name}_n"].tolist() == found.n.tolist()
        assert np.allclose(rows[f"p_{name}"], found.value, equal_nan=True)


def test_a_known_vector_is_inside_its_intervals():
    rng = np.random.default_rng(3)
    truth = dict(zip(SITUATIONS, strategy("GTFT").memory_one_vector(), strict=True))
    rows = pd.DataFrame({"game_id": np.arange(300), "first_move": 1.0})
    for name in SITUATIONS[1:]:
        rows[f"p_{name.lower()}_n"] = rng.integers(0, 9, 300)
        n = rows[f"p_{name.lower()}_n"]
        rows[f"p_{name.lower()}"] = rng.binomial(n, truth[name]) / n.where(n > 0)
    found = portraits(rows, (), rng=rng, intervals=Intervals(500, 0.999))
    assert all(cell.low <= truth[cell.situation] <= cell.high for cell in found.itertuples())
    assert found["low"].iloc[0] == pytest.approx(0.0005 ** (1 / 300))


def test_groups_are_apart_and_repeatable():
    log = log_of(match(PD, "CCC", "CCC", model="a"), match(PD, "DDD", "DDD", model="b"))
    found = portrait(log, ("model",))
    assert found.equals(portrait(log, ("model",)))
    assert found[found["situation"] == "first"]["estimate"].tolist() == [1.0, 0.0]
