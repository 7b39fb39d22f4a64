"""Planning: settings, pilots, tables, files."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from simulated_labels import simulated

from intent import generate
from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.comparison.power import correlation, power, read_pilot
from intent.play.corpora import Recorded, SelfPlay
from intent.strategies.catalogue import strategy

PLAYERS = tuple(strategy(n) for n in ("ALLC", "ALLD", "TFT", "WSLS", "RANDOM"))


@pytest.fixture(scope="module")
def benchmark_play():
    """Play that shares no code with the package."""
    path = Path(__file__).parents[2] / "benchmarks" / "inference.py"
    spec = importlib.util.spec_from_file_location("inference_for_power", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SMALL = {"rounds": (5,), "games": (20, 40), "targets": (0.8,), "count": "status", "check": 20}


def small(difference: float = 0.4, **options):
    return power(difference, **SMALL | options)


def tiny(**options):
    """A plan whose numbers are looked for no further than the first."""
    return small(0.2, **{"check": 1, "most": 100} | options)


@pytest.fixture(scope="module")
def estimated():
    """A plan of studies whose shares are estimated."""
    return tiny(count="estimate")


def test_more_rounds_and_games_give_more_power():
    found = small(rounds=(3, 10))
    powers = {(row.rounds, row.games): row.power for row in found.rows}
    assert powers[3, 20] < powers[3, 40] < powers[10, 40]
    assert found.rounds[0].games_needed["0.8"] > found.rounds[1].games_needed["0.8"]
    assert 0.1 < found.rounds[1].seen < 0.4
    assert found.rounds[1].checked["studies"] == 20


def test_the_default_is_players_who_meet_players(estimated):
    found = estimated.to_dict()["design"]
    assert found == {
        "opponent": "self",
        "seats": 2,
        "icc": 0.0,
        "repeats": 1,
        "spread": 0.0,
        "games_per_subject": 1,
        "eps": [0.05, 0.05],
        "count": "estimate",
    }
    assert tiny(opponent="TFT").config["seats"] == 1
    assert tiny(repeats=5).config["spread"] == 0.25


def test_the_design_effect_is_that_of_seats_or_repeats():
    assert tiny(icc=0.5).design_effect == 1.5
    assert tiny(design_effect=1.5).config["icc"] == 0.5
    found = tiny(design_effect=2.8, repeats=5)
    assert found.config["spread"] == pytest.approx(0.2)
    assert found.design_effect == pytest.approx(2.8)
    with pytest.raises(UsageError, match="--design-effect 4, expected at most 2"):
        tiny(design_effect=4)


def test_the_seed_decides_and_not_the_workers():
    one, two = (tiny(seed=3, workers=n).to_dict() for n in (1, 2))
    assert one == two
    assert tiny(seed=4).to_dict() != one


def test_a_table_of_labels_is_a_pilot(rng, tmp_path):
    table = simulated(300, rng, clustered=1.0)
    table.to_parquet(tmp_path / "pilot.parquet")
    pilot, same = (read_pilot(p, PLAYERS, "model") for p in (table, tmp_path / "pilot.parquet"))
    assert pilot.shares == same.shares
    assert sum(pilot.shares.values()) == pytest.approx(1)
    assert (pilot.seats, pilot.rounds, pilot.repeats, pilot.eps) == (2, 10, 20, None)
    assert pilot.alike > 0.9
    assert pilot.spread < 0.1
    assert read_pilot(table, PLAYERS, cluster=["game_id"]).repeats == 1
    found = tiny(pilot=table, cluster=["game_id"])
    assert found.design_effect == pytest.approx(2, abs=0.1)
    assert found.notes[0].startswith("pilot: 600 rows of 300 games")


def test_a_log_is_a_pilot(rng, benchmark_play):
    n = 800
    group = np.arange(2).repeat(n // 2)
    kinds = np.stack([rng.choice(4, n, p=[0.1, 0.2, 0.5, 0.2]), np.full(n, benchmark_play.COIN)], axis=1)
    noise = np.stack([np.take([0.02, 0.1], group), np.zeros(n)], axis=1)
    moves = benchmark_play.play(rng, kinds, noise)
    log = benchmark_play.log_of(moves, {"group": np.array(["a", "b"])[group]}, focal=1)
    pilot = read_pilot(log, PLAYERS, "group")
    assert pilot.shares["TFT"] == pytest.approx(0.5, abs=0.06)
    assert pilot.eps == pytest.approx((0.02, 0.1), abs=0.02)
    assert isinstance(pilot.opponent, Recorded)
    assert (pilot.seats, pilot.rounds, pilot.repeats, pilot.returns) == (1, 10, 1, 1)
    assert tiny(pilot=log).config["opponent"] == "on record in the pilot"
    with pytest.raises(UsageError, match="--rounds 20, but the pilot's opponents played 10"):
        tiny(pilot=log, rounds=(20,))


def test_correlations_of_seats_are_recovered_from_play(rng, benchmark_play):
    kinds = benchmark_play.alike(rng, 600, 0.4)
    pilot = read_pilot(benchmark_play.log_of(benchmark_play.play(rng, kinds, 0.05), {}), PLAYERS)
    assert isinstance(pilot.opponent, SelfPlay)
    assert pilot.alike == pytest.approx(0.4, abs=0.1)


def test_correlation_of_known_strategies_is_their_excess_agreement(rng):
    draws = rng.integers(0, 4, (5000, 2))
    draws[:1500, 1] = draws[:1500, 0]
    rows = np.eye(4)[draws.reshape(-1)] / 0.25**0.5
    assert correlation([rows], [np.arange(5000).repeat(2)]) == pytest.approx(0.3, abs=0.03)


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
    found = small(simulate=20, check=1, most=100)
    assert found.rows[1].simulated == pytest.approx(found.rows[1].power, abs=0.3)


def test_results_are_written_and_shown(estimated, tmp_path):
    found = tiny()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"][0]["games"] == 20
    assert found.write(tmp_path / "plan.csv").read_text().startswith("rounds,games,power,simulated\n")
    assert "config" in json.loads(found.write(tmp_path / "plan.json").read_text())
    with pytest.raises(OutputError, match="a plan has no figure"):
        found.write(tmp_path / "plan.png")
    assert [len(part.header) for part in found.parts() if part] == [6, 3]
    assert [len(part.header) for part in estimated.parts() if part] == [4, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rounds": (0,)}, "--rounds 0, expected 1 to 1000"),
        ({"games": ()}, "nothing to plan"),
        ({"targets": (1.0,)}, "--power 1, expected between 0 and 1"),
        ({"icc": 2.0}, "--icc 2"),
        ({"eps": 0.5}, "--eps 0.5"),
        ({"seats": 3}, "--seats 3, expected 1 to 2"),
        ({"base": {"TFT": 0.4}}, "shares sum to 0.4"),
        ({"difference": 0.9}, "expected shares within 0 and 1"),
        ({"by": "model"}, "expected --pilot"),
        ({"opponent": "TFT", "seats": 2}, "opponents that are named are not labelled"),
    ],
)
def test_plans_that_cannot_be(options, message):
    with pytest.raises(UsageError, match=message):
        power(**{"difference": 0.1, **options})


def test_unknown_names_are_told():
    with pytest.raises(UnknownNameError):
        small(strategy="TIT")
    with pytest.raises(UnknownNameError):
        small(count="split")
    with pytest.raises(UnknownNameError):
        small(base={"TIT": 1.0})


def test_a_pilot_says_which_seats_it_leaves_out():
    log = generate("ALLD,TFT", 20, rounds=5, seed=1)
    log.seats["model"], log.seats["focal"] = np.where(log.seats["seat"] == 1, "a", None), True
    assert "left out: 20 seats that a strategy plays" in read_pilot(log, PLAYERS).notes[0]
