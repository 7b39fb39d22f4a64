"""Five strategies of one's own through every command and from Python, their file taken away in between."""

from __future__ import annotations

import json
import shutil

import own_sets
import pytest

import intent
from intent.arena.tournament.tournament import tournament
from intent.cli.main import main
from intent.recognise.probe.probe import probe

EXPERIMENT = """\
game: prisoner-dilemma-trps
rounds: 12
strategies: {file}
grid:
  seats:
    strikes: {{players: [scripted/MOSTLY_D, scripted/TWO_STRIKES@0.05]}}
    extorts: {{players: [scripted/GTFT10, scripted/EXTORT3]}}
repetitions: 3
after:
  label: {{strategies: {file}}}
"""


@pytest.fixture
def run(capsys):
    """What a command prints with --json."""

    def printed(*words):
        with pytest.raises(SystemExit) as stopped:
            main([*map(str, words), "--json"])
        out, err = capsys.readouterr()
        assert stopped.value.code == 0, err
        return json.loads(out)

    return printed


def of_shares(model):
    """The strategies of which a model of choice has shares."""
    return {row["of"] for row in model["parameters"] if row["name"] == "share"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["own.yaml", "own.py"])
def test_from_the_command_line(run, tmp_path, name):
    own = own_sets.written(tmp_path, name)
    play, models = tmp_path / "play", tmp_path / "models"
    listed = run("strategies", "list", own)["strategies"]
    assert [row["name"] for row in listed] == list(own_sets.NAMES)
    assert run("strategies", "show", "TWO_STRIKES", "--strategies", own)["states"] == 3
    assert run("strategies", "check", own)["failed"] == []
    run("generate", "--strategies", own, "-n", 1000, "--rounds", 20, "--opponent", "EXTORT3", "-o", play)
    assert set(run("sfem", play, "--strategies", own)["groups"][0]["shares"]) == set(own_sets.NAMES)
    held_out = ("--folds", 2, "--checks", 0, "--ceiling", "none")
    predicted = run("predict", play, "--models", f"automata:{own}", *held_out)["models"]
    assert of_shares(predicted[1]) == {*own_sets.NAMES, "RANDOM"}
    assert predicted[1]["log_loss"] < predicted[0]["log_loss"]
    probed = run("probe", "--strategies", own, "--rounds", 4, "--max-rounds", 4)
    assert probed["strategies"] == list(own_sets.NAMES)
    by_set = run("label", play, "--strategies", own)
    standings = run("tournament", "--against", own, "--turns", 20, "--repetitions", 2, "--no-figures")[
        "standings"
    ]
    assert {row["name"] for row in standings} == set(own_sets.NAMES)
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"{{strategies: {name}, n: 600, rounds: 5-20, eps: 0-0.1}}")
    run("train", spec, "-m", "lstm", "-p", "steps=4", "-p", "hidden=8", "--no-track", "-o", models)
    experiment = tmp_path / "experiment.yaml"
    experiment.write_text(EXPERIMENT.format(file=name))
    run_folder = tmp_path / "run"
    played = run("play", experiment, "-o", run_folder)
    assert played["labels"]["n"] == 12

    shutil.move(own, tmp_path / "elsewhere")
    run("train", play, "-m", "forest,logistic", "--no-track", "-o", models)
    assert sorted(f.name for f in models.iterdir()) == ["forest-play", "logistic-play", "lstm-spec"]
    for model in models.iterdir():
        summary = run("label", play, "-r", model)
        assert summary["n"] == by_set["n"] == 1000
        assert summary["consistent"] == by_set["consistent"]
        assert summary["mean_posterior"].keys() == by_set["mean_posterior"].keys()
        assert run("evaluate", play, "-r", model)["ceiling"] > 0.5
        assert run("label", run_folder, "-r", model)["n"] == 12
    run("resume", run_folder)
    labels = tmp_path / "labels.parquet"
    run("label", play, "-r", models / "forest-play", "-o", labels)
    group = run("compare", labels, "--by", "opponent", "--permutations", 0)["groups"][0]
    assert set(own_sets.NAMES) <= set(group["shares"])
    report = tmp_path / "report.html"
    run("report", labels, "-o", report)
    assert "TWO_STRIKES" in report.read_text(encoding="utf8")


@pytest.mark.slow
def test_from_python(tmp_path):
    own = own_sets.strategies()
    log = intent.generate(own, 600, rounds=20, seed=1)
    made = intent.train(log, ["forest", "logistic"], output=tmp_path / "models")
    for row in made["models"]:
        model = intent.load_recogniser(row["path"])
        table = intent.label(log, model, coin=False)
        assert set(table["best"]) <= {*own_sets.NAMES, "RANDOM"}
    assert len(intent.label(log, strategies=own, coin=False)) == 600
    assert set(intent.sfem(log, own).fields()["groups"][0]["shares"]) == set(own_sets.NAMES)
    assert probe(own, 3, max_rounds=3).strategies == own_sets.NAMES
    (tmp_path / "own.yaml").write_text(own_sets.YAML)
    named = f"automata:{tmp_path / 'own.yaml'}"
    predicted = intent.predict(log, models=[named], ceiling=["none"], checks=0, folds=2)
    assert of_shares(predicted.fields()["models"][1]) == {*own_sets.NAMES, "RANDOM"}
    values = {
        "game": "prisoner-dilemma-trps",
        "rounds": 5,
        "players": ["scripted/EXTORT3", "scripted/TWO_STRIKES"],
        "strategies": str(tmp_path / "own.yaml"),
    }
    run_of = intent.play_experiment(values, output=tmp_path / "run")
    assert set(run_of.log.seats["strategy"]) == {"EXTORT3", "TWO_STRIKES"}
    result = tournament(tmp_path / "own.yaml", turns=10, repetitions=1, figures=False)
    assert set(result.table()["name"]) == set(own_sets.NAMES)
