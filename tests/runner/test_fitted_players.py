"""Fitted models take a seat in experiments: ``scripted/FOLDER``, relative to the file that names it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import intent
from intent.base.errors import IntentError
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.recogniser import save_recogniser
from intent.runner.play import load_source, new_run, resume, run_matrix
from intent.runner.run import Run

FILE = """
name: fitted
game: prisoner-dilemma
rounds: 6
players: [{player}, scripted/ALLC]
repetitions: 40
seed: 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A population of ALLD (.75) and ALLC without noise, saved beside an experiment."""
    model = BayesRecogniser("ALLD,ALLC", eps=0.0, prior={"ALLD": 0.75, "ALLC": 0.25}).fit()
    save_recogniser(model, tmp_path / "people")
    return tmp_path


def played(folder: Path, player: str) -> intent.GameLog:
    source = folder / "experiment.yaml"
    source.write_text(FILE.format(player=player))
    run = intent.play_experiment(source, folder / "run")
    return run.log


def test_it_plays_as_the_population_does(folder: Path) -> None:
    log = played(folder, "scripted/people")
    X = log.trajectories()
    mine = X.own[X.keys["strategy"] == "fitted:people"]
    assert mine.shape == (40, 6)
    assert (mine == mine[:, :1]).all()
    assert np.mean(mine[:, 0]) == pytest.approx(0.25, abs=0.2)


def test_noise_flips_its_moves(folder: Path) -> None:
    X = played(folder, "scripted/people@0.3").trajectories()
    mine = X.own[X.keys["strategy"] == "fitted:people"]
    assert np.mean(mine != mine[:, :1]) > 0.2


def test_the_same_games_wherever_its_folder_lies(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    there = tmp_path_factory.mktemp("there")
    shutil.copytree(folder / "people", there / "people")
    here, moved = (played(place, "scripted/people@0.3").trajectories() for place in (folder, there))
    assert np.array_equal(here.own, moved.own)


def files_of(run: Path) -> str:
    """The text of all files of a run, its plans unpacked."""
    texts = [path.read_text("utf8", "replace") for path in run.rglob("*") if path.is_file()]
    return "".join([*texts, *(plan.model_dump_json() for plan in Run.open(run).plans())])


def test_a_run_keeps_a_copy_and_knows_nothing_of_the_folder(folder: Path) -> None:
    played(folder, "scripted/people@0.3")
    assert str(folder) not in files_of(folder / "run")
    assert "scripted/fitted:people@0.3" in files_of(folder / "run")


def test_a_run_is_resumed_elsewhere_without_the_folder(folder: Path, tmp_path_factory) -> None:
    whole = played(folder, "scripted/people@0.3").trajectories()
    new_run(load_source(folder / "experiment.yaml"), folder / "begun")
    shutil.rmtree(folder / "people")
    moved = tmp_path_factory.mktemp("elsewhere") / "begun"
    shutil.move(folder / "begun", moved)
    assert run_matrix(moved) == []  # no model is asked, and none of the folder is missed
    log = resume(moved).log
    assert np.array_equal(log.trajectories().own, whole.own)
    assert str(folder) not in files_of(moved)
    assert np.array_equal(resume(moved).log.trajectories().own, whole.own)


def test_a_run_is_resumed_with_its_file_too(folder: Path) -> None:
    whole = played(folder, "scripted/people")
    new_run(load_source(folder / "experiment.yaml"), folder / "begun")
    again = resume(folder / "begun", folder / "experiment.yaml").log
    assert np.array_equal(again.trajectories().own, whole.trajectories().own)


def test_models_of_one_name_have_copies_of_their_own(folder: Path) -> None:
    (folder / "other").mkdir()
    model = BayesRecogniser("ALLD,ALLC", eps=0.0, prior={"ALLD": 0.0, "ALLC": 1.0}).fit()
    save_recogniser(model, folder / "other" / "people")
    source = folder / "experiment.yaml"
    source.write_text(FILE.format(player="scripted/people").replace("ALLC", "other/people"))
    log = intent.play_experiment(source, folder / "run").log
    assert sorted(path.name for path in (folder / "run" / "models").iterdir()) == ["people", "people-2"]
    X = log.trajectories()
    assert X.own[X.keys["strategy"] == "fitted:people-2"].all()


@pytest.mark.parametrize("player", ["scripted/./nobody", "scripted/../people", "scripted/peoples"])
def test_a_folder_that_is_none_is_one_line(folder: Path, player: str) -> None:
    with pytest.raises(IntentError, match=r"experiment.yaml|nobody|people"):
        played(folder, player)


def test_it_refuses_games_of_more_than_two(folder: Path) -> None:
    source = folder / "goods.yaml"
    source.write_text("game: public-goods\nplayers: [scripted/people, scripted/ALLC, scripted/ALLD]\n")
    with pytest.raises(IntentError, match="two-player games"):
        intent.play_experiment(source, folder / "run")
