"""Every architecture played from an experiment file, with questions: as the dry run says, and whole."""

from __future__ import annotations

import pytest

from intent.agents.agent import ARCHITECTURES
from intent.runner.dry_run import dry_run
from intent.runner.experiment.file import load_experiment
from intent.runner.export import export
from intent.runner.play import play, resume
from intent.runner.run import Run

QUESTIONS = ("opponent_next", "rounds_so_far", "extremes", "total_so_far")


def experiment(architecture, **values):
    advised = {"attitude": "cooperate"} if architecture in ("tool", "debate") else {}
    fixed = {
        "model": "scripted/agreeable",
        "opponent": "scripted/TFT",
        "rounds": 3,
        "questions": QUESTIONS,
        "treatment": {"printed": ["total_so_far"]},
    }
    return load_experiment({**fixed, "architecture": architecture, **advised, **values})


def case(architecture, communication, constrained):
    """Both settings or none: each alone enters other lines of thinking in private, and of nothing else."""
    alone = (communication == "sequential") is not constrained
    marks = pytest.mark.exhaustive if alone and architecture != "private" else ()
    return pytest.param(architecture, communication, constrained, marks=marks)


@pytest.mark.parametrize(
    ("architecture", "communication", "constrained"),
    [
        case(architecture, communication, constrained)
        for architecture in ARCHITECTURES
        for communication in ("none", "sequential")
        for constrained in (False, True)
    ],
)
def test_a_run_takes_the_calls_that_the_dry_run_counts(tmp_path, architecture, communication, constrained):
    chosen = experiment(
        architecture, communication=communication, settings={"constrained": constrained}, repetitions=2
    )
    counted, found = dry_run(chosen), play(chosen, tmp_path / "run")
    assert found.summary["readable"] == 1
    if architecture == "debate" and not constrained:
        assert counted["calls"] / 3 < found.summary["calls"] <= counted["most_calls"]
    else:
        assert found.summary["calls"] == counted["calls"]
    asked = found.log.questions
    assert asked["question"].tolist() == [
        "opponent_next", "rounds_so_far", "maximum", "minimum", "total_so_far",
    ] * 6  # fmt: skip
    assert set(asked["seat"]) == {1}
    assert Run.open(found.path).check() == []


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_unreadable_replies_stay_below_the_most(tmp_path, architecture):
    chosen = experiment(architecture, model="scripted/erratic", repetitions=3)
    found = play(chosen, tmp_path / "run")
    assert (found.summary["state"], found.summary["notes"]) == ("finished", [])
    assert found.summary["calls"] <= dry_run(chosen)["most_calls"]
    assert resume(tmp_path / "run").summary["new_calls"] == 0


def test_strategies_show_neither_architecture_nor_attitude_of_the_models(tmp_path):
    log = play(experiment("tool"), tmp_path / "run").log
    assert log.seats["architecture"].tolist() == ["tool", "scripted"]
    assert log.seats["attitude"].fillna("none").tolist() == ["cooperate", "none"]


@pytest.mark.parametrize("name", ["log", "log.zip", "log.jsonl", "log.csvs"])
def test_exports_hold_the_questions(tmp_path, name):
    from intent.logs.readers import read_log

    log = play(experiment("private"), tmp_path / "run").log
    export(tmp_path / "run", tmp_path / name, calls=tmp_path / "calls.jsonl")
    assert read_log(tmp_path / name).questions.equals(log.questions)
    assert '"purpose":"question"' in (tmp_path / "calls.jsonl").read_text()
    export(tmp_path / "run", tmp_path / "results.csv", format="fairgame")
