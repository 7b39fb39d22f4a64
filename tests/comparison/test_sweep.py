"""Threshold sweeps of logs and label tables, and their files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from printed import printed
from simulated_labels import labels, simulated
from typer.testing import CliRunner

from intent import GameLog, generate, label
from intent.base import codebook
from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.base.tables import read_table, write_table
from intent.cli.app import app
from intent.comparison.sweep import sweep, thresholds
from intent.logs.readers.compact import write_compact
from intent.logs.stores import write_log
from intent.recognise.labels.sources import open_labels


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


def test_nothing_kept_is_shown(tmp_path):
    path = tmp_path / "one.csv"
    rows = zip("CCDCDCCCDD", "CCCDCDCCCD", strict=True)
    path.write_text(
        "game,round,choice,other\n" + "".join(f"1,{t},{a},{b}\n" for t, (a, b) in enumerate(rows, 1))
    )
    result = sweep(path, cooperate="C", tau=[0.99])
    assert curve(result, "kept") == [0]
    table, *words = result.parts()
    assert table.rows[0][1:3] == ["0.0", "0.0"]
    assert not any("tied" in line for line in words)


def test_less_is_kept_as_tau_rises_and_what_is_kept_is_surer(log):
    result = sweep(log)
    assert (np.diff(curve(result, "retention")) <= 0).all()
    assert (np.diff(curve(result, "mean_confidence")) >= 0).all()
    assert (np.array(curve(result, "kept", 1)) >= curve(result, "kept", 0)).all()


def test_figures_are_those_of_the_labels(log):
    table = label(log)
    result = sweep(log, tau=[0.9])
    is_sure = (table["confidence"] >= 0.9) & (table["best"] != "RANDOM")
    sure = table[is_sure]
    ((model, hybrid),) = result.sweep.groups[0].points
    assert model.kept == len(sure)
    assert model.shares == pytest.approx([(sure["best"] == c).mean() for c in result.sweep.classes])
    assert hybrid.kept == len(table[is_sure | (table["rule_labels"].map(len) > 0)])


def test_a_log_its_labels_and_their_file_give_the_same(log, tmp_path):
    table = label(log, seed=0)
    expected = sweep(log).to_dict()
    assert sweep(table).to_dict() == expected
    for suffix in (".parquet", ".csv", ".jsonl"):
        path = write_table(table, tmp_path / f"labels{suffix}", {})
        assert sweep(path).to_dict() == expected


@pytest.mark.parametrize("form", ["compact", "gamelog"])
def test_a_log_read_piece_by_piece_gives_what_it_gives_in_memory(log, tmp_path, form):
    log = GameLog(log.games, log.seats.assign(focal=True), log.moves)
    path = tmp_path / ("log.parquet" if form == "compact" else "log")
    if form == "compact":
        write_compact(log, path)
    else:
        write_log(log, path)
    with open_labels(path) as found:
        assert isinstance(found.held, Path)
    for settings in (
        {"by": ["strategy", "seat"], "gate": "game"},
        {"where": {"game": ["prisoner-dilemma-trps"], "seat": ["2"]}, "gate": "game"},
        {"by": "status", "where": {"tied": ["true"]}},
    ):
        expected = sweep(log, **settings).to_dict()
        assert sweep(path, piece=90, **settings).to_dict() == expected


def test_conditions_that_only_the_log_in_memory_knows(log, tmp_path):
    write_compact(log, tmp_path / "log.parquet")
    where = {"rounds_played": ["10"]}
    assert sweep(tmp_path / "log.parquet", where=where).to_dict() == sweep(log, where=where).to_dict()
    with pytest.raises(UnknownNameError, match="unknown column 'modle'"):
        sweep(tmp_path / "log.parquet", where={"modle": ["A"]})


def test_labels_whose_games_do_not_stand_together_are_read_at_once(log, tmp_path):
    table = label(log)
    apart = pd.concat([table, table.assign(seat=2, confidence=0.5)], ignore_index=True)
    path = write_table(apart, tmp_path / "labels.parquet", {})
    assert sweep(path, gate="game").to_dict() == sweep(apart, gate="game").to_dict()


def test_pieces_find_the_groups_of_the_whole(tmp_path, rng):
    table = simulated(40, rng).assign(share=np.repeat([1.0, 2.5, 0.5, 3.0], 20), one=[["b"], ["a", "b"]] * 40)
    path = write_table(table, tmp_path / "labels.parquet", {})
    for by in ("model", "share", "one", ["language", "persona"]):
        assert sweep(path, by=by, piece=5).to_dict() == sweep(table, by=by).to_dict()
    with pytest.raises(UsageError, match="expected at most 50 to group by"):
        sweep(write_table(simulated(60, rng), path, {}, overwrite=True), by="game_id", piece=5)


def test_what_is_wrong_is_told_by_its_row(tmp_path):
    table = labels("CCDDTT")
    for column, value, said in (
        ("best", "ODD", "row 4: best is 'ODD'"),
        ("rule_labels", ["ODD"], "row 4: rule_labels names 'ODD'"),
        ("confidence", 3.5, "column 'confidence' holds 3.5, expected a probability"),
    ):
        cells = [value if i == 3 else cell for i, cell in enumerate(table[column])]
        wrong = table.assign(**{column: pd.Series(cells, dtype=table[column].dtype)})
        for source in (wrong, write_table(wrong, tmp_path / "wrong.parquet", {}, overwrite=True)):
            with pytest.raises(DataError, match=said):
                sweep(source, piece=2)


def test_columns_that_are_none_of_labels_are_told_by_name(tmp_path):
    table = labels("CCDDTT")
    for wrong, said in (
        (table.assign(confidence=["sure"] * 6), "column 'confidence' holds no probabilities"),
        (table[[c for c in table if not c.startswith("p_")]], "^no column 'p_"),
    ):
        for source in (wrong, write_table(wrong, tmp_path / "wrong.parquet", {}, overwrite=True)):
            with pytest.raises(DataError, match=said):
                sweep(source, piece=2)


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


def test_a_strategy_opposite_a_model_judges_no_game():
    table = labels("ClCC", model=["m", None] * 2, strategy=[None, "TFT"] * 2)
    result = sweep(table, tau=[0.9], gate="game")
    assert (result.sweep.groups[0].n, curve(result, "retention")) == (2, [1])
    everybody = sweep(table, tau=[0.9], gate="game", keep_scripted=True)
    assert (everybody.sweep.groups[0].n, curve(everybody, "retention")) == (4, [0.5])
    alone = sweep(table, tau=[0.9], gate="game", where={"strategy": ["TFT"]})
    assert (alone.sweep.groups[0].n, curve(alone, "retention")) == (2, [0.5])


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
    assert payload.keys() == {*codebook.JSON_OBJECTS["sweep"], "config"}
    with pytest.raises(UsageError, match="10 groups are too many for a figure"):
        sweep(simulated(10, rng).assign(i=np.arange(20) // 2), by="i").write(tmp_path / "many.png")


def test_the_command(rng, tmp_path):
    path = write_table(simulated(20, rng), tmp_path / "labels.parquet", {})
    words = ["sweep", str(path), "--tau", ".5,.9", "--gate", "game", "--full"]
    done = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
    assert printed(done.stdout).keys() == codebook.JSON_OBJECTS["sweep"].keys()
    shown = CliRunner().invoke(app, words, catch_exceptions=False).stdout
    assert "% of games kept" in shown
    assert "no test of fit is applied here" in shown
