"""Whoever counts the play of strategies that sit opposite models beside theirs is told so, once."""

from __future__ import annotations

import pandas as pd
import pytest

import intent
from intent.estimate.choice.fit import fit_model
from intent.logs.chunks import play_of_strategies, seats_of_strategies


def test_seats_of_strategies_count_where_models_play_too() -> None:
    seats = pd.DataFrame({"model": ["a", None, "a", None], "strategy": [None, "TFT", None, None]})
    assert seats_of_strategies(seats).tolist() == [False, True, False, False]
    (note,) = play_of_strategies(seats)
    assert note.startswith("1 of 4 trajectories")
    assert "--where model=NAME" in note


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


def test_labels_shares_comparisons_and_models_of_choice_say_so(log: intent.GameLog) -> None:
    labels = intent.label(log)
    assert said(labels.attrs["notes"]) == said(play_of_strategies(labels))
    assert said(labels.attrs["notes"])[0].startswith("2 of 8 trajectories")
    for result in (
        intent.sfem(log),
        intent.compare(labels, by="opponent"),
        intent.predict(log, models="base-rate", folds=2),
        fit_model(log, model="base-rate"),
    ):
        assert len(said(result.notes)) == 1, type(result)


def test_groups_by_model_and_models_alone_need_no_note(log: intent.GameLog) -> None:
    labels = intent.label(log)
    assert not said(intent.compare(labels, by="model").notes)
    assert not said(intent.sfem(log, by="model").notes)
    alone = log.where({"model": ["scripted/uniform"]})
    assert not said(intent.sfem(alone).notes)
    assert not said(intent.label(alone).attrs["notes"])
