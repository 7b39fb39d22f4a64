"""The command line as a user meets it: one process-like call, exit codes, one-line errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from intent import schema
from intent.cli.main import COMMANDS, main


@pytest.fixture
def intent(capsys):
    """Run a command line; returns exit code, standard output and standard error."""

    def run(*words: object):
        with pytest.raises(SystemExit) as stopped:
            main([str(w) for w in words])
        out, err = capsys.readouterr()
        return stopped.value.code, out, err

    return run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lable"], "No such command 'lable'. Did you mean 'label'?"),
        (["label"], "intent label: Missing argument 'log'"),
        (["label", "x", "--epz", "3"], "No such option: --epz"),
        (
            ["label", "x", "--eps", "many"],
            "--eps 'many', expected a number in [0, .5), integrate or estimate",
        ),
        (["label", "x", "--where", "game"], "--where 'game', expected COLUMN=VALUE"),
        (["label", "nowhere.csv"], "no such file: nowhere.csv"),
        (["strategies", "show", "TFTT"], "unknown strategy 'TFTT'; did you mean TFT"),
        (["models", "show", "bayes-canonical7"], "unknown recogniser 'bayes-canonical7'; did you mean"),
        (["generate", "--rounds", "x"], "--rounds 'x', expected a number or a range"),
        (["generate", "--eps", "0.7"], "eps 0.7 to 0.7, expected probabilities in [0, .5)"),
        (["train", "canonical9"], "unknown dataset spec or log file 'canonical9'; did you mean canonical"),
        (["train", "canonical4", "-p", "depth"], "--param 'depth', expected NAME=VALUE"),
    ],
)
def test_errors_are_one_line_and_exit_with_2(intent, tmp_path, words, message):
    code, out, err = intent(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_debug_lets_the_traceback_through():
    from intent.errors import UnknownNameError

    with pytest.raises(UnknownNameError):
        main(["strategies", "show", "TFTT", "--debug"])


@pytest.mark.parametrize("command", COMMANDS)
def test_help(intent, command):
    code, out, _ = intent(command, "--help")
    assert code == 0
    assert f"intent {command}" in out


def test_version(intent):
    assert intent("--version")[:2] == (0, "0.1.0\n")


def test_from_play_to_comparison(intent, tmp_path):
    play, labels, models = tmp_path / "play", tmp_path / "labels.parquet", tmp_path / "models"
    code, out, _ = intent("generate", "-n", 200, "--seed", 5, "-o", play, "--json")
    assert code == 0
    assert json.loads(out)["n_trajectories"] == 200
    words = ("train", "paper-eps005", "-m", "logistic", "--no-track", "-o", models, "--json")
    code, out, _ = intent(*words)
    assert code == 0
    (row,) = json.loads(out)["models"]
    assert {"name", "path", "run_id", "accuracy", "regret", "seconds"} == row.keys()
    assert row["run_id"] is None
    code, out, _ = intent("evaluate", play, "-r", row["path"], "--json")
    assert schema.JSON_OBJECTS["evaluate"].keys() == json.loads(out).keys()
    code, out, err = intent("label", play, "-r", row["path"], "-o", labels, "--json")
    assert json.loads(out).keys() == schema.JSON_OBJECTS["label"].keys()
    assert err == ""
    code, out, _ = intent(
        "compare", labels, "--by", "strategy", "--json", "--bootstrap", 50, "--permutations", 19
    )
    assert code == 0
    assert [g["group"]["strategy"] for g in json.loads(out)["groups"]] == ["ALLC", "ALLD", "TFT", "WSLS"]


def test_existing_output_is_refused_before_any_work(intent, tmp_path):
    target = tmp_path / "labels.csv"
    target.write_text("mine")
    code, _, err = intent("label", "nowhere.csv", "-o", target)
    assert code == 2
    assert "exists; choose another path or give --overwrite" in err
    assert target.read_text() == "mine"


def test_the_log_itself_is_never_written_over(intent, tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("game,round,player,action\n1,1,a,C\n")
    code, _, err = intent("label", log, "--cooperate", "C", "-o", log, "--overwrite")
    assert code == 2
    assert "it is the log that is read" in err
    assert log.read_text().startswith("game,round")


@pytest.mark.parametrize("name", ["labels.xlsx", "nowhere/deep/labels.txt"])
def test_unknown_suffix(intent, tmp_path, name):
    from intent.workflows.demo import sample_log

    code, _, err = intent("label", sample_log(), "-o", tmp_path / name)
    assert code == 2
    assert "expected one of .parquet, .csv, .jsonl" in err


def test_a_folder_that_cannot_be_written(intent, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = intent("generate", "-n", 4, "-o", tmp_path / "file" / "play")
    assert code == 2
    assert "cannot write" in err


def test_catalogues(intent):
    assert (
        "memory-one vector (p0; p_CC, p_CD, p_DC, p_DD): (1; 1, 0, 1, 0)"
        in intent("strategies", "show", "tit for tat")[1]
    )
    assert "play depends on more than the last outcome" in intent("strategies", "show", "TF2T")[1]
    listed = json.loads(intent("strategies", "list", "canonical5", "--json")[1])["strategies"]
    assert [s["name"] for s in listed] == ["ALLC", "ALLD", "TFT", "WSLS", "GTFT"]
    names = [m["name"] for m in json.loads(intent("models", "list", "--json")[1])["models"]]
    assert {"bayes-canonical4", "forest-canonical6", "logistic-canonical5"} <= set(names)
    assert "regret" in intent("models", "show", "forest-canonical4")[1]


def test_the_demo_names_files_that_exist(intent, tmp_path):
    code, out, _ = intent("demo", "-o", tmp_path / "demo", "-m", "scripted/uniform", "--json", "--no-track")
    assert code == 0
    result = json.loads(out)
    assert result["play"]["n_moves"] == 120
    assert result["label"]["n"] == 8
    assert all(Path(f["path"]).exists() for f in result["files"])
    assert {m["name"] for m in result["train"]} == {"logistic-paper-eps005", "forest-paper-eps005"}
    assert abs(result["evaluate"]["bayes-canonical4"]["regret"]) < 0.01


def test_an_interrupted_command_says_so(intent, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("intent.workflows.games.list_games", interrupted, raising=False)
    assert intent("games") == (130, "", "intent: interrupted\n")
