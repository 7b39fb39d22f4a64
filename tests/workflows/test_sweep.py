"""Threshold sweeps of logs and label tables, and their files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from simulated_labels import labels, simulated
from typer.testing import CliRunner

from intent import generate, label, schema
from intent.cli.app import app
from intent.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.logs.tablefile import read_table, write_table
from intent.workflows.sweep import sweep, thresholds


@pytest.fixture(scope="module")
def log():
    return generate(n=300, eps=0.1, seed=3)


def curve(result, field, way=0, group=0):
    return [getattr(both[way], field) for both in result.sweep.groups[group].points]


def test_thresholds():
    assert thresholds(".3-.95:.05") == tuple(np.round(np.arange(14) * 0.05 + 0.3, 10))
    assert thresholds("0.9,.5") == (0.5, 0.9)
    for wrong in ("high", "0-2:.5", ".9-.3:.1", "0-1:0", "0-1:1e-9", "nan", ""):
        with pytest.raises(UsageError, match="expected LOW-HIGH:STEP"):
            thresholds(wrong)


def test_less_is_kept_as_tau_rises_and_what_is_kept_is_surer(log):
    result = sweep(log)
    assert (np.diff(curve(result, "retention")) <= 0).all()
    assert (np.diff(curve(result, "mean_confidence")) >= 0).all()
    assert (np.array(curve(result, "kept", 1)) >= curve(result, "kept", 0)).all()


def test_figures_are_those_of_the_labels(log):
    table = label(log)
    result = sweep(log, tau=[0.9])
    sure = table[table["confidence"] >= 0.9]
    ((model, hybrid),) = result.sweep.groups[0].points
    assert model.kept == len(sure)
    assert model.shares == pytest.approx([(sure["best"] == c).mean() for c in result.sweep.classes])
    assert hybrid.kept == len(table[(table["confidence"] >= 0.9) | (table["rule_labels"].map(len) > 0)])


def test_a_log_its_labels_and_their_file_give_the_same(log, tmp_path):
    table = label(log, seed=0)
    expected = sweep(log).to_dict()
    assert sweep(table).to_dict() == expected
    for suffix in (".parquet", ".csv", ".jsonl"):
        path = write_table(table, tmp_path / f"labels{suffix}", {})
        assert sweep(path).to_dict() == expected


def test_ways_to_take_and_count_rules():
    table = labels("CCll").assign(rule_labels=[[], [], ["ALLC", "TFT"], ["ALLD", "ALLC"]])
    shares = {
        (mode, split): sweep(table, tau=[0.9], rules=mode, split=split).sweep.groups[0].points[0][1].shares
        for mode in ("expand", "priority")
        for split in (True, False)
    }
    assert shares["expand", True] == (0.75, 0.125, 0.125, 0)
    assert shares["expand", False] == pytest.approx((4 / 6, 1 / 6, 1 / 6, 0))
    assert shares["priority", True] == shares["priority", False] == (0.75, 0.25, 0, 0)


def test_ties_count_in_equal_shares():
    ((model, _),) = sweep(labels("aa"), tau=[0.5]).sweep.groups[0].points
    assert (model.shares, model.tied) == ((0.5, 0, 0.5, 0), 1)


def test_the_gate_sees_the_seat_that_a_condition_hides():
    table = labels("ClCC", persona=["kind", "selfish"] * 2)
    result = sweep(table, tau=[0.9], gate="game", where={"persona": ["kind"]})
    assert result.sweep.groups[0].n == 2
    assert curve(result, "retention") == [0.5]


def test_groups_have_curves_of_their_own(rng):
    result = sweep(simulated(30, rng), by="model", tau=[0.5, 0.9])
    assert [g.values for g in result.sweep.groups] == [("A",), ("B",), ("C",)]
    assert len(result.table()) == 3 * 2 * 2


def test_what_cannot_be(log, tmp_path):
    with pytest.raises(UsageError, match="these are labels already"):
        sweep(labels("CC"), "bayes-canonical4")
    with pytest.raises(UnknownNameError, match="unknown gate 'games'"):
        sweep(labels("CC"), gate="games")
    with pytest.raises(UnknownNameError, match="unknown mode of rules 'all'"):
        sweep(labels("CC"), rules="all")
    with pytest.raises(UsageError, match=r"no labels left of 2 \(--where status=odd\)"):
        sweep(labels("CC"), where={"status": ["odd"]})
    with pytest.raises(DataError, match="no column 'tied'"):
        sweep(labels("CC").drop(columns="tied"))
    path = write_table(labels("CC"), tmp_path / "labels.parquet", {})
    with pytest.raises(OutputError, match="it is the table that is read"):
        sweep(path).write(path, overwrite=True)


def test_files_of_a_sweep(rng, tmp_path):
    result = sweep(simulated(30, rng), by="model", tau=[0.5, 0.9], gate="game")
    image = result.write(tmp_path / "s.png").read_bytes()
    assert image == result.write(tmp_path / "again.png").read_bytes()
    assert image.startswith(b"\x89PNG")
    table, origin = read_table(result.write(tmp_path / "s.csv"))
    assert (len(table), origin["gate"], origin["kind"]) == (12, "game", "sweep")
    payload = json.loads(result.write(tmp_path / "s.json").read_text())
    assert payload.keys() == {*schema.JSON_OBJECTS["sweep"], "config"}
    with pytest.raises(UsageError, match="10 groups are too many for a figure"):
        sweep(simulated(10, rng).assign(i=np.arange(20) // 2), by="i").write(tmp_path / "many.png")


def test_the_command(rng, tmp_path):
    path = write_table(simulated(20, rng), tmp_path / "labels.parquet", {})
    words = ["sweep", str(path), "--tau", ".5,.9", "--gate", "game", "--full"]
    done = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
    assert json.loads(done.stdout).keys() == schema.JSON_OBJECTS["sweep"].keys()
    shown = CliRunner().invoke(app, words, catch_exceptions=False).stdout
    assert "% of games kept" in shown
    assert "no test of fit is applied here" in shown
