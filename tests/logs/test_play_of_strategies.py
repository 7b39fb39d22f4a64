"""Strategies that sit opposite models or people are no subjects: estimates leave them out and say so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import intent
from intent.behaviour.agreement import agree
from intent.comparison.sweep import sweep
from intent.estimate.choice.fit import fit_model
from intent.logs.chunks import focal_play, of_subjects, scripted_notes
from intent.logs.readers.compact import write_compact
from intent.logs.reading import open_source
from intent.logs.stores import write_parquet
from intent.recognise.discovery import discover
from intent.recognise.labels.label import label_log, label_to
from intent.recognise.labels.request import LabelRequest
from intent.report.figures import figures


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> intent.GameLog:
    """A model against itself and against TFT, twice each: 6 trajectories of the model, 2 of TFT."""
    folder = tmp_path_factory.mktemp("run")
    experiment = {
        "game": "prisoner-dilemma",
        "rounds": 6,
        "model": "scripted/uniform",
        "grid": {"opponent": ["model", "scripted/TFT"]},
        "repetitions": 2,
    }
    return intent.play_experiment(experiment, folder / "run").log


def said(notes: object) -> list[str]:
    return [note for note in notes if "that a strategy plays" in note]  # type: ignore[attr-defined]


def test_seats_of_subjects_alone_are_focal_and_moves_stay(log: intent.GameLog) -> None:
    narrowed = of_subjects(log)
    assert narrowed.seats["focal"].sum() == 6
    assert len(narrowed.moves) == len(log.moves)
    assert scripted_notes(narrowed)[0].startswith("left out: 2 seats that a strategy plays")
    assert scripted_notes(log.where({"model": ["scripted/uniform"]})) == []


def test_people_are_subjects_and_strategies_alone_are(log: intent.GameLog) -> None:
    people = intent.GameLog(log.games, log.seats.assign(model=None), log.moves)
    assert of_subjects(people).seats["focal"].sum() == 6
    alone = log.where({"strategy": ["TFT"]})
    assert of_subjects(alone) is alone


def test_labels_are_of_every_seat_and_counts_of_subjects(log: intent.GameLog) -> None:
    labels = intent.label(log)
    assert len(labels) == 8
    assert said(labels.attrs["notes"])[0].startswith("not counted: 2 trajectories")
    of_model = intent.label(log.where({"model": ["scripted/uniform"]}))
    summary = dict(labels.attrs["summary"])
    assert summary.pop("n_scripted") == 2
    assert summary["n_rows"] == len(labels) == summary["n"] + 2
    assert {**summary, "n_rows": 6} == of_model.attrs["summary"]
    assert summary["n"] == 6
    everybody = intent.label(log, keep_scripted=True)
    assert everybody.attrs["summary"]["n"] == 8
    assert "n_scripted" not in everybody.attrs["summary"]
    assert not said(everybody.attrs["notes"])
    pd.testing.assert_frame_equal(everybody, labels)


@pytest.mark.parametrize("form", ["log", "log.parquet"])
def test_counts_of_a_log_in_pieces_are_those_of_one_in_memory(
    log: intent.GameLog, form: str, tmp_path: Path
) -> None:
    path = tmp_path / form
    write_compact(log, path) if form == "log" else write_parquet(log, path)
    for piece in (1, 100):
        for how in ({}, {"keep_scripted": True}, {"where": {"strategy": ["TFT"]}}, {"eps": "estimate"}):
            streamed = label_to(path, tmp_path / f"{piece}.parquet", piece=piece, overwrite=True, **how)
            once = label_log(log, **how)
            assert streamed.summary == once.summary
            assert said(streamed.notes) == said(once.notes)
            assert len(streamed.table()) == len(once.table())


@pytest.mark.parametrize("how", [{"eps": "estimate"}, {"prior": "sfem"}, {"conformal": 0.9}])
def test_what_a_label_needs_is_estimated_from_subjects(
    log: intent.GameLog, how: dict[str, Any], tmp_path: Path
) -> None:
    alone = log.where({"model": ["scripted/uniform"]})
    labels, of_model = label_log(log, **how), label_log(alone, **how)
    model = labels.table()["model"].notna().to_numpy()
    pd.testing.assert_frame_equal(labels.table()[model].reset_index(drop=True), of_model.table())
    everybody = label_log(log, keep_scripted=True, **how)
    estimates = [x.provenance["eps"] if "eps" in how else x.provenance["prior"] for x in (labels, everybody)]
    assert "conformal" in how or estimates[0] != estimates[1]
    if "eps" in how:
        each = label_log(log, eps_by=["strategy"], **how).provenance["eps"]
        assert len(each) == 2
        assert each["(none)"] == labels.provenance["eps"]


def test_players_that_strategies_play_are_labelled_and_not_counted(log: intent.GameLog) -> None:
    named = intent.GameLog(
        log.games, log.seats.assign(player=log.seats["model"].fillna("tit for tat")), log.moves
    )
    labels = LabelRequest(log=named, per="player", hybrid=True).run()
    assert len(labels.table()) == 2
    assert (labels.summary["n"], labels.summary["n_scripted"], labels.summary["n_games"]) == (1, 1, 4)
    assert said(labels.notes)[0].startswith("not counted: 1 player that a strategy plays")
    assert labels.hybrid is not None
    assert labels.hybrid.n == 1
    alone = label_log(named.where({"model": ["scripted/uniform"]}), per="player")
    apart = {"n_scripted": None, "n_rows": None}
    assert {**labels.summary, **apart} == {**alone.summary, **apart}


def test_whoever_plays_several_strategies_and_nothing_else_is_one(log: intent.GameLog) -> None:
    bots = ["TFT" if seat % 2 else "ALLD" for seat in range(int(log.seats["strategy"].notna().sum()))]
    strategy = log.seats["strategy"].astype(object).copy()
    strategy[strategy.notna()] = bots
    seats = log.seats.assign(player=log.seats["model"].fillna("computer"), strategy=strategy)
    named = intent.GameLog(log.games, seats, log.moves)
    labels = LabelRequest(log=named, per="player", hybrid=True).run()
    table = labels.table().set_index("player")
    assert table.loc["computer", "strategy"] == "ALLD|TFT"
    assert labels.hybrid is not None
    assert (labels.summary["n"], labels.summary["n_scripted"], labels.hybrid.n) == (1, 1, 1)
    assert not any("strategy" in note for note in labels.notes if note.startswith("left out"))
    compared = intent.compare(labels.table(), by="language", count="status")
    assert said(compared.notes)[0].startswith("left out: 1 seat")
    sometimes = seats.assign(player="everybody")
    (one,) = (
        LabelRequest(log=intent.GameLog(log.games, sometimes, log.moves), per="player").run().table().index
    )
    assert one == 0


def test_groups_of_the_noise_need_not_be_in_every_piece(log: intent.GameLog, tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    write_parquet(log, path)
    how: dict[str, Any] = {"eps": "estimate", "eps_by": ["opponent"]}
    whole = label_log(log, **how)
    in_pieces = label_to(path, tmp_path / "labels.parquet", piece=1, **how)
    assert in_pieces.summary["n"] == whole.summary["n"]
    written = pd.read_parquet(tmp_path / "labels.parquet")
    assert written["status"].tolist() == whole.table()["status"].tolist()


def test_groups_by_strategy_count_subjects(log: intent.GameLog) -> None:
    labels = label_log(log, eps="estimate", eps_by=["strategy"])
    assert (labels.summary["n"], labels.summary["n_scripted"]) == (6, 2)
    assert labels.provenance["keep_scripted"] is False


def test_fair_coins_are_those_of_the_rows_that_are_counted(log: intent.GameLog, tmp_path: Path) -> None:
    def coins(table: Any, **how: Any) -> str | None:
        result = intent.compare(table, by="opponent", count="status", **how)
        return next((note for note in result.notes if "fair coins" in note), None)

    subjects, everybody = tmp_path / "subjects.csv", tmp_path / "everybody.csv"
    write_parquet(log, tmp_path / "log.parquet")
    label_to(tmp_path / "log.parquet", subjects)
    label_to(tmp_path / "log.parquet", everybody, keep_scripted=True)
    assert coins(log) == coins(subjects) is not None
    assert coins(log, keep_scripted=True) == coins(everybody, keep_scripted=True) is not None
    assert coins(subjects, keep_scripted=True) is None
    assert coins(everybody) is None
    assert coins(subjects, where={"seat": "1"}) is None


def test_the_unit_of_agreement_is_that_of_subjects(log: intent.GameLog) -> None:
    seats = log.seats.assign(player=[f"p{k}" for k in range(len(log.seats))])
    computer = seats["strategy"].notna()
    seats.loc[computer, "player"] = "computer"
    named = intent.GameLog(log.games, seats, log.moves)
    alone = named.where({"model": ["scripted/uniform"]})
    both = "bayes,rules"
    agreed, of_model = agree(named, both, bootstrap=20), agree(alone, both, bootstrap=20)
    assert repr(agreed.agreement) == repr(of_model.agreement)
    assert [n for n in agreed.notes if "independence" in n] == [
        n for n in of_model.notes if "independence" in n
    ]


def test_figures_of_labels_are_of_subjects(log: intent.GameLog, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    write_parquet(log, tmp_path / "log.parquet")
    label_to(tmp_path / "log.parquet", path)
    drawn = figures(path, ["bars"], folder=tmp_path / "all", bootstrap=20)
    assert said(drawn.notes) == ["left out: 2 seats that a strategy plays; --by strategy shows them"]
    assert pd.read_csv(tmp_path / "all" / "bars.csv")["n"].max() == 6
    assert not said(figures(path, ["bars"], folder=tmp_path / "by", by="strategy", bootstrap=20).notes)


def test_sweeps_and_agreement_are_of_subjects(log: intent.GameLog) -> None:
    alone = log.where({"model": ["scripted/uniform"]})
    swept = sweep(log)
    assert repr(swept.sweep) == repr(sweep(alone).sweep) == repr(sweep(intent.label(log)).sweep)
    assert said(swept.notes)[0].startswith("left out: 2 seats")
    assert sweep(log, keep_scripted=True).sweep.groups[0].n == 8
    assert not said(sweep(log, by="strategy").notes)
    of_strategies = sweep(log, where={"strategy": ["TFT"]})
    assert of_strategies.sweep.groups[0].n == 2
    assert not said(of_strategies.notes)
    both = "bayes,rules"
    agreed, of_model = agree(log, both, bootstrap=20), agree(alone, both, bootstrap=20)
    assert repr(agreed.agreement) == repr(of_model.agreement)
    assert len(agreed.table()) == 8
    assert said(agreed.notes)[0].startswith("not counted: 2 seats")
    assert swept.fields()["notes"] == list(swept.notes)
    assert (swept.config["keep_scripted"], agreed.config["keep_scripted"]) == (False, False)
    assert sweep(log, by="strategy").config["keep_scripted"] is True
    assert agree(log, both, bootstrap=20, keep_scripted=True).agreement.n == 8


def test_estimates_are_of_subjects(log: intent.GameLog) -> None:
    labels = intent.label(log)
    alone = log.where({"model": ["scripted/uniform"]})
    for estimate in (
        lambda log, **more: intent.sfem(log, **more).table(),
        lambda log, **more: intent.compare(log, by="opponent", count="status", **more).table(),
        lambda log, **more: (
            intent.predict(log, models="base-rate", folds=2, **more).table().drop(columns="seconds")
        ),
    ):
        default = estimate(log)
        pd.testing.assert_frame_equal(default, estimate(alone))
        assert not default.equals(estimate(log, keep_scripted=True))
    for result in (
        intent.sfem(log),
        intent.compare(labels, by="opponent"),
        intent.compare(log, by="opponent", metric="cooperation_rate"),
        intent.predict(log, models="base-rate", folds=2),
        fit_model(log, model="base-rate"),
        discover(log, states="1"),
    ):
        assert len(said(result.notes)) == 1, type(result)
        assert said(result.notes)[0].startswith("left out: 2 seats")


def test_groups_of_strategies_have_every_seat(log: intent.GameLog) -> None:
    labels = intent.label(log)
    by_strategy = intent.compare(labels, by="strategy")
    assert sum(group.n for group in by_strategy.comparison.groups) == 8
    assert not said(by_strategy.notes)
    estimated = intent.compare(labels, by="strategy", log=log)
    assert sum(group.n for group in estimated.comparison.groups) == 8
    assert not said(intent.sfem(log, by="strategy").notes)
    assert not said(intent.sfem(log.where({"model": ["scripted/uniform"]})).notes)
    assert not said(intent.sfem(log, where={"strategy": ["TFT"]}).notes)


def test_a_table_of_anything_else_keeps_its_rows() -> None:
    table = pd.DataFrame({"strategy": ["TFT", None] * 4, "group": list("aabb") * 2, "x": [1.0, 2, 3, 4] * 2})
    assert sum(group.n for group in intent.compare(table, by="group", metric="x").comparison.groups) == 8


@pytest.mark.parametrize("form", ["log", "log.parquet"])
@pytest.mark.parametrize(
    "where", [{}, {"strategy": ["TFT"]}, {"model": ["scripted/uniform"]}, {"opponent": ["scripted/TFT"]}]
)
def test_a_log_in_pieces_has_the_same_subjects(
    log: intent.GameLog, form: str, where: dict[str, list[str]], tmp_path: Path
) -> None:
    path = tmp_path / form
    (write_compact if form.endswith(".parquet") else write_parquet)(log, path)
    source = open_source(path, where=where, keep_scripted=False)
    assert source is not None
    rows = [piece.read() for piece in source.pieces(2)]
    narrowed, X = focal_play(path, where=where, keep_scripted=False)
    assert X.keys is not None
    assert sum(len(play.X) for play in rows) == len(X) > 0
    own = np.concatenate([play.X.own for play in rows])
    assert np.array_equal(np.sort(own, axis=0), np.sort(X.own, axis=0))
    assert scripted_notes(source) == scripted_notes(narrowed)
