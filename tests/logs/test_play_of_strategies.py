"""Strategies that sit opposite models or people are no subjects: estimates leave them out and say so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import intent
from intent.estimate.choice.fit import fit_model
from intent.logs.chunks import focal_play, of_subjects, play_of_strategies, scripted_notes
from intent.logs.readers.compact import write_compact
from intent.logs.reading import open_source
from intent.logs.stores.tables import write_parquet
from intent.recognise.discovery import discover


@pytest.mark.parametrize(
    "seats",
    [
        pd.DataFrame({"model": [None, None], "strategy": ["TFT", "ALLD"]}),
        pd.DataFrame({"model": ["a", "b"], "strategy": [None, None]}),
        pd.DataFrame({"model": ["a", "b"]}),
        pd.DataFrame({"strategy": ["TFT"]}),
        pd.DataFrame({"model": [], "strategy": []}),
    ],
)
def test_other_logs_have_no_note(seats: pd.DataFrame) -> None:
    assert play_of_strategies(seats) == []


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


def test_labels_are_of_every_seat_and_say_so(log: intent.GameLog) -> None:
    labels = intent.label(log)
    assert len(labels) == 8
    assert said(labels.attrs["notes"]) == said(play_of_strategies(labels))
    assert said(labels.attrs["notes"])[0].startswith("2 of 8 trajectories")


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
