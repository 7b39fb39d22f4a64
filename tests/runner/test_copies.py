"""A run holds what its experiment names by a path: moved, it is resumed without these, and names none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from prompt_folders import folder_with

from intent.logs.readers import read_log
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.recogniser import save_recogniser
from intent.runner.play import load_source, new_run, play_experiment, resume, run_matrix
from intent.runner.run import Run

FILE = """
name: moved
game: prisoner-dilemma
rounds: 3
players: [scripted/uniform, scripted/MINE]
strategies: mine.yaml
repetitions: 2
seed: 3
grid: {prompts: [own/words, other/words, intent]}
after:
  label: {strategies: "mine.yaml,df2011"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    folder_with(home / "own" / "words", "two_players", {})
    folder_with(home / "other" / "words", "two_players", {})
    (home / "mine.yaml").write_text("strategies: [{name: MINE, same_as: GTFT(0.2)}, TFT, ALLD]\n")
    (home / "experiment.yaml").write_text(FILE)
    return home


def files_that_name(place: Path, run: Path) -> list[str]:
    """Files of a run with a path in them, but the results, which say where their log lay."""
    texts = {str(p.relative_to(run)): p.read_bytes() for p in run.rglob("*") if p.is_file()}
    texts["plans"] = "".join(plan.model_dump_json() for plan in Run.open(run).plans()).encode()
    return [name for name, text in texts.items() if str(place).encode() in text and "parquet" not in name]


def test_a_run_names_no_path_of_its_experiment(folder: Path) -> None:
    run = play_experiment(folder / "experiment.yaml", folder.parent / "run").path
    assert files_that_name(folder, run) == []
    experiment = json.loads((run / "run.json").read_text("utf-8"))["experiment"]
    assert experiment["grid"] == {"prompts": ["words", "words-2", "intent"]}
    assert experiment["after"]["label"] == {"strategies": "strategies/mine.yaml,df2011"}
    assert (run / "strategies" / "mine.yaml").read_bytes() == (folder / "mine.yaml").read_bytes()
    assert sorted(set(read_log(run).games["prompts"])) == ["intent", "words", "words-2"]


def test_a_run_is_resumed_elsewhere_without_what_it_was_made_of(folder: Path, tmp_path: Path) -> None:
    whole = play_experiment(folder / "experiment.yaml", tmp_path / "whole")
    new_run(load_source(folder / "experiment.yaml"), tmp_path / "begun")
    shutil.rmtree(folder)
    (tmp_path / "elsewhere").mkdir()
    moved = shutil.move(tmp_path / "begun", tmp_path / "elsewhere" / "moved")
    assert len(run_matrix(Path(moved))) > 0
    outcome = resume(moved)
    assert outcome.log.moves.equals(whole.log.moves)
    assert outcome.summary["labels"] == whole.summary["labels"]
    assert resume(moved).log.moves.equals(whole.log.moves)
    assert files_that_name(folder, Path(moved)) == []


def test_it_is_resumed_with_its_file_too(folder: Path, tmp_path: Path) -> None:
    new_run(load_source(folder / "experiment.yaml"), tmp_path / "begun")
    again = shutil.copytree(folder, tmp_path / "again")
    assert len(resume(tmp_path / "begun", Path(again) / "experiment.yaml").log) == 6


def test_folders_on_the_command_line_are_copied_too(folder: Path, tmp_path: Path) -> None:
    source = load_source(
        {"game": "prisoner-dilemma", "players": ["scripted/uniform", "scripted/TFT"], "rounds": 2},
        prompts=str(folder / "own" / "words"),
    )
    run = new_run(source, tmp_path / "run")[0].folder
    assert files_that_name(folder, run) == []
    assert [path.name for path in (run / "prompts").iterdir()] == ["words.json"]


def test_the_recogniser_of_labels_is_copied(folder: Path, tmp_path: Path) -> None:
    save_recogniser(BayesRecogniser("ALLD,ALLC").fit(), folder / "people")
    text = FILE.replace('strategies: "mine.yaml,df2011"', f"recogniser: {folder}/people")
    (folder / "experiment.yaml").write_text(text.replace("scripted/MINE", "scripted/people@0.1"))
    whole = play_experiment(folder / "experiment.yaml", tmp_path / "whole")
    run = new_run(load_source(folder / "experiment.yaml"), tmp_path / "begun")[0].folder
    assert sorted(path.name for path in (run / "models").iterdir()) == ["people", "people-2"]
    shutil.rmtree(folder)
    assert files_that_name(folder, run) == []
    assert resume(run).summary["labels"] == whole.summary["labels"]


def test_a_strangers_run_names_no_file_of_this_machine(folder: Path, tmp_path: Path) -> None:
    """A place in the folder of a run is no way out of it."""
    run = new_run(load_source(folder / "experiment.yaml"), tmp_path / "run")[0].folder
    (run / "strategies" / "mine.yaml").unlink()
    (run / "strategies" / "mine.yaml").symlink_to(folder / "mine.yaml")
    summary = resume(run).summary
    assert summary["labels"] is None
    assert any("strategies/mine.yaml" in note for note in summary["notes"])
