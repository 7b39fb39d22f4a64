"""The command line as a user meets it: one process-like call, exit codes, one-line errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from printed import printed

from intent.base import codebook
from intent.cli.app import COMMANDS
from intent.cli.console import harmless, print_json, progress, silence
from intent.cli.main import main
from intent.version import __version__


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
    from intent.base.errors import UnknownNameError

    with pytest.raises(UnknownNameError):
        main(["strategies", "show", "TFTT", "--debug"])


@pytest.mark.parametrize("command", COMMANDS)
def test_help(intent, command):
    code, out, _ = intent(*command.split(), "--help")
    assert code == 0
    assert f"intent {command}" in out


def test_version(intent):
    assert intent("--version")[:2] == (0, f"{__version__}\n")


def test_from_play_to_comparison(intent, tmp_path):
    play, labels, models = tmp_path / "play", tmp_path / "labels.parquet", tmp_path / "models"
    code, out, _ = intent("generate", "-n", 200, "--seed", 5, "-o", play, "--json")
    assert code == 0
    assert printed(out)["n_trajectories"] == 200
    words = ("train", "paper-eps005", "-m", "logistic", "--no-track", "-o", models, "--json")
    code, out, _ = intent(*words)
    assert code == 0
    (row,) = printed(out)["models"]
    assert {"name", "path", "run_id", "accuracy", "regret", "seconds"} == row.keys()
    assert row["run_id"] is None
    code, out, _ = intent("evaluate", play, "-r", row["path"], "--json")
    assert codebook.JSON_OBJECTS["evaluate"].keys() == printed(out).keys()
    code, out, err = intent("label", play, "-r", row["path"], "-o", labels, "--json")
    assert printed(out).keys() == {*codebook.JSON_OBJECTS["label"], "n_rows", "coin"}
    assert err == f"wrote {labels}\n"
    code, out, _ = intent(
        "compare", labels, "--by", "strategy", "--json", "--bootstrap", 50, "--permutations", 19
    )
    assert code == 0
    assert [g["group"]["strategy"] for g in printed(out)["groups"]] == ["ALLC", "ALLD", "TFT", "WSLS"]


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
    from intent.demo import sample_log

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
    result = printed(out)
    assert result["play"]["n_moves"] == 120
    assert result["label"]["n"] == 8
    assert all(Path(f["path"]).exists() for f in result["files"])
    assert Path(result["files"][0]["path"]).name == "report.html"
    assert result["report"]["n"] == result["label"]["n"]
    assert {m["name"] for m in result["train"]} == {"logistic-paper-eps005", "forest-paper-eps005"}
    assert abs(result["evaluate"]["bayes-canonical4"]["regret"]) < 0.01


def test_an_interrupted_command_says_so(intent, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("intent.games.description.list_games", interrupted, raising=False)
    assert intent("games") == (130, "", "intent: interrupted\n")


WRITTEN = Path(__file__).parents[2] / "datasets" / "samples" / "written_strategies" / "default.py"


@pytest.mark.parametrize(
    "words",
    [
        ["tournament", WRITTEN, "-m", "openai/gpt-4o"],
        ["tournament", WRITTEN, "-m", "nosuch/model"],
        ["tournament", WRITTEN, "--engine", "nosuch"],
        ["tournament", WRITTEN, "--repetitions", 0],
        ["evolve", "nowhere.py"],
        ["evolve", WRITTEN, "--initial", "3,3"],
        ["evolve", WRITTEN, "--mutation", 2],
        ["evolve", WRITTEN, "--engine", "nosuch"],
        ["strategies", "write", "openai/gpt-4o"],
        ["strategies", "write", "scripted/strategist", "--style", "nosuch"],
        ["strategies", "write", "scripted/strategist", "--engine", "nosuch"],
        ["strategies", "write", "scripted/strategist", "--prompts", "nowhere"],
        ["strategies", "run", "chain.yaml", "--set", "models=[openai/gpt-4o]"],
        ["strategies", "run", "chain.yaml", "--from", "nowhere"],
        ["strategies", "run", "chain.yaml", "--engine", "nosuch"],
    ],
)
def test_what_fails_before_any_work_leaves_nothing_behind(intent, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    Path("chain.yaml").write_text("{name: tiny, models: [scripted/strategist]}")
    code, _, err = intent(*words, "-o", "out/deep")
    assert (code, err.count("\n")) == (2, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["chain.yaml"]


def test_interrupted_while_the_commands_load(intent, monkeypatch):
    class Interrupting:
        def find_spec(self, name, *_):
            if name == "intent.cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "intent.cli.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    assert intent("games") == (130, "", "intent: interrupted\n")


def test_letters_that_standard_output_cannot_show_are_escaped():
    code = (
        "from intent.cli.console import print_json; print_json(['\u2013 \U0001f600']); "
        "from intent.cli.main import main; main(['tournament', '--against', 'ALLC,TFT', '--turns', '5'])"
    )
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
    assert json.loads(done.stdout.splitlines()[0]) == ["\u2013 \U0001f600"]
    assert b"UnicodeEncodeError" not in done.stderr
    assert done.returncode == 0


def test_nothing_that_a_terminal_obeys_or_cannot_show_is_printed():
    assert harmless("\x1b[2Jé\ud800\udcff\x9b\u202e\u2066\n") == "�[2Jé�����\n"


def test_json_spells_what_a_terminal_obeys(capsys):
    print_json(["\x9b2J\u202e\x7fé\ud800"])
    shown = capsys.readouterr().out
    assert shown == '["\\u009b2J\\u202e\\u007fé\\ud800"]\n'
    assert json.loads(shown) == ["\x9b2J\u202e\x7fé\ud800"]


@pytest.mark.parametrize("words", [(), ("--quiet",)])
def test_long_work_says_on_standard_error_how_far_it_is(capsys, monkeypatch, words):
    monkeypatch.setattr("intent.cli.console._FIRST_LINE", 0.05)
    with silence("--quiet" in words), progress("fits", plain=True) as update:
        update(3, 1700)
        time.sleep(0.3)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == ("" if words else "fits: 3 of 1,700; 0 s\n")


def test_quiet_is_understood_anywhere_on_the_line(intent):
    code, out, err = intent("generate", "-n", 10, "-o", "here.csv", "--help", "--quiet")
    assert (code, err) == (0, "")
    assert "Usage" in out
