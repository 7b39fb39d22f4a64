"""Planning: settings, pilots, tables, files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from simulated_labels import simulated

from intent.errors import OutputError, UnknownNameError, UsageError
from intent.workflows.power import power


def small(difference: float = 0.2, **options):
    return power(difference, rounds=(3, 5), games=(50, 100), **options)


def test_more_rounds_and_games_give_more_power():
    found = small()
    powers = {(row.rounds, row.games): row.power for row in found.rows}
    assert powers[3, 50] < powers[3, 100] < powers[5, 100]
    assert found.rounds[0].games_needed["0.8"] > found.rounds[1].games_needed["0.8"]
    assert 0 < found.rounds[0].seen < found.rounds[1].seen < 0.2


def test_correlated_seats_cost_games():
    assert small(icc=1.0).rounds[1].games_needed["0.9"] == pytest.approx(
        2 * small().rounds[1].games_needed["0.9"], rel=0.03
    )


def test_a_pilot_gives_shares_and_design_effect(rng, tmp_path):
    table = simulated(300, rng, clustered=1.0)
    table.to_parquet(tmp_path / "pilot.parquet")
    for pilot in (table, tmp_path / "pilot.parquet"):
        found = small(0.1, pilot=pilot, by="model")
        assert found.design_effect == pytest.approx(2, abs=0.05)
        assert sum(first for first, _ in found.shares.values()) == pytest.approx(1)
    assert small(0.1, pilot=table, cluster=["cell"]).design_effect > 1


def test_means_take_the_pilots_deviation(rng):
    table = simulated(200, rng)
    found = small(0.1, metric="cooperation_rate", pilot=table)
    assert found.config["sd"] == pytest.approx(np.sqrt(1 / 12), rel=0.1)
    assert found.kind == "mean"
    assert [row.rounds for row in found.rows] == [None, None]
    with pytest.raises(UnknownNameError):
        small(metric="anger", pilot=table)
    with pytest.raises(UsageError, match="give --sd, or --pilot"):
        small(metric="anger")


def test_simulated_power_stands_beside():
    found = power(0.3, rounds=(5,), games=(40,), simulate=100)
    assert found.rows[0].simulated == pytest.approx(found.rows[0].power, abs=0.15)


def test_results_are_written_and_shown(tmp_path):
    found = small()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"][0]["games"] == 50
    assert found.write(tmp_path / "plan.csv").read_text().startswith("rounds,games,power,simulated\n")
    assert "config" in json.loads(found.write(tmp_path / "plan.json").read_text())
    with pytest.raises(OutputError, match="a plan has no figure"):
        found.write(tmp_path / "plan.png")
    assert [len(header) for header, _, _ in found.tables()] == [6, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rounds": (0,)}, "--rounds 0, expected 1 to 1000"),
        ({"games": ()}, "nothing to plan"),
        ({"targets": (1.0,)}, "--power 1, expected between 0 and 1"),
        ({"icc": 2.0}, "--icc 2"),
        ({"eps": 0.5}, "--eps 0.5"),
        ({"base": {"TFT": 0.4}}, "shares sum to 0.4"),
        ({"difference": 0.9}, "expected shares within 0 and 1"),
    ],
)
def test_plans_that_cannot_be(options, message):
    with pytest.raises(UsageError, match=message):
        power(**{"difference": 0.1, **options})


def test_unknown_names_are_told():
    with pytest.raises(UnknownNameError):
        small(strategy="TIT")
    with pytest.raises(UnknownNameError):
        small(count="posterior")
    with pytest.raises(UnknownNameError):
        small(base={"TIT": 1.0})
