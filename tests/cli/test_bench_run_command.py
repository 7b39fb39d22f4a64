"""``intent bench gamma run``, ``resume`` and ``status`` of its folder."""

from __future__ import annotations

import json

import pytest

from intent.cli.main import main

SMALL = ("--players", 3, "--rounds", 2, "--repetitions", 1, "--no-track", "--no-figures")


@pytest.fixture
def intent(capsys):
    """Run a command line; returns exit code, standard output and standard error."""

    def run(*words: object):
        with pytest.raises(SystemExit) as stopped:
            main([str(w) for w in words])
        out, err = capsys.readouterr()
        return stopped.value.code, out, err

    return run


def test_a_run_prints_its_scores_and_resume_prints_them_again(intent, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    words = ("bench", "gamma", "run", "-m", "scripted/equilibrium", "-m", "scripted/asked:RANDOM")
    code, out, err = intent(*words, "-o", tmp_path / "run", *SMALL)
    assert code == 0
    assert "16 games" in err
    assert "calls expected" in err
    heads = out.splitlines()[1].split()
    assert heads == ["game", "setting", "scripted/equilibrium", "scripted/asked:RANDOM"]
    assert "overall" in out
    code, again, _ = intent("resume", tmp_path / "run", "--no-track")
    assert code == 0
    assert again.splitlines()[:10] == out.splitlines()[:10]
    assert "finished, 16 of 16 games" in intent("status", tmp_path / "run")[1]


def test_json_is_one_object(intent, tmp_path):
    words = ("bench", "gamma", "run", "-m", "scripted/RANDOM", "--game", "bar", "--json")
    code, out, err = intent(*words, "-o", tmp_path / "run", *SMALL)
    found = json.loads(out)
    where = found["path"]
    assert (code, found["state"]) == (0, "finished")
    assert err == f"contacts nobody\nrun: {where}, log: {where}/log\n"
    assert [row["game"] for row in found["scores"]] == ["bar"]


def test_a_dry_run_makes_nothing(intent, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ("--cot", 1, "--persona", "selfish", "--told", "smart", "--temperature", 0, "--temperature", 1)
    words = ("bench", "gamma", "run", "-m", "openai/gpt-4o", "--game", "guessing", "--dry-run", *options)
    code, out, err = intent(*words, "--price", "openai/gpt-4o=2.5,10")
    assert code == 0
    assert "2,000 calls expected, at most 12,000" in out
    assert "cannot be played yet" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "chess"], "intent: unknown gamma-bench game 'chess'"),
        (["-m", "gpt-4o"], "says no provider"),
        ([], "no model; give `models:` in the file or -m on the command line"),
        (["-m", "scripted/TFT", "--game", "bar"], "TFT"),
        (["-m", "scripted/RANDOM", "--set", "rouns=3"], "did you mean rounds"),
        (["-m", "scripted/RANDOM", "--set", "temperature=1e400"], "number 1e400 is beyond"),
    ],
)
def test_errors_are_one_line(intent, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = intent("bench", "gamma", "run", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["../up", "a/b", "..", "\x1b[31m", "x" * 300])
def test_a_name_that_is_no_folder_needs_one(intent, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.yaml").write_text(
        json.dumps({"name": name, "models": ["scripted/RANDOM"], "games": "bar"})
    )
    code, _, err = intent("bench", "gamma", "run", "b.yaml", "--json", *SMALL)
    assert (code, err.count("\n")) == (2, 1)
    assert "no folder can be called" in err
    assert [path.name for path in tmp_path.iterdir()] == ["b.yaml"]


def test_scores_of_many_models_and_few_shared_games_are_a_row_each(intent, tmp_path):
    (tmp_path / "b.yaml").write_text(
        "models: [scripted/RANDOM, scripted/equilibrium, scripted/best-reply]\n"
        "games: [guessing, bar]\ngrid: {part: {a: {games: [guessing]}, b: {games: [bar]}}}\n"
    )
    code, out, _ = intent("bench", "gamma", "run", tmp_path / "b.yaml", "-o", tmp_path / "run", *SMALL)
    lines = out.splitlines()
    assert (code, lines[1].split()) == (0, ["model", "game", "setting", "score"])
    assert len(lines[2:8]) == 6
    assert "equilibrium (part=a)" in out
