"""FAIRGAME's indices are the means of the radar, stakes together, with intervals around them."""

from __future__ import annotations

import numpy as np
import pytest
from play_logs import scaled_games

from intent.behaviour.indices import behaviour_indices, behaviour_radar
from intent.behaviour.play_table import played


@pytest.fixture
def rows_and_indices(rng):
    table = played(scaled_games(rng, repetitions=3))
    settings = {"game": "pd", "model": "model", "outcome": "payoff", "bootstrap": 99, "level": 0.95}
    return table, behaviour_indices(table, stakes="scale", rng=np.random.default_rng(0), **settings)


def test_they_are_the_means_of_the_radar_over_stakes(rows_and_indices):
    table, indices = rows_and_indices
    radar = behaviour_radar(table, stakes="scale", outcome="payoff").table
    for (model, axis), part in radar.groupby(["model", "axis"]):
        (one,) = [i for i in indices if (i.model, i.index) == (model, axis)]
        weights = part["n_cells"] if axis != "SP" else None
        assert one.estimate == pytest.approx(np.average(part["value"], weights=weights))
        assert one.low <= one.estimate <= one.high


def test_chance_is_known_for_languages_and_stakes(rows_and_indices):
    assert {i.index for i in rows_and_indices[1] if not np.isnan(i.chance)} == {"CI", "SP"}
    assert [i.index for i in rows_and_indices[1][:4]] == ["IV", "CI", "VR", "SP"]
