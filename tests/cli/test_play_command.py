"""``intent play``, ``resume``, ``status`` and ``export`` as a user meets them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from printed import printed

from intent.base.json_objects import JSON_OBJECTS
from intent.cli.main import main

FILE = """
name: small
game: prisoner-dilemma
model: scripted/uniform
rounds: 2
grid:
  language: [en, fr]
  persona: {unordered: [cooperative, selfish]}
"""


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run a command line in a folder with small.yaml; returns exit code, standard output and error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(FILE)

    def intent(*words: object):
        with pytest.raises(SystemExit) as stopped:
            main([str(w) for w in words])
        out, err = capsys.readouterr()
        return stopped.value.code, out, err

    return intent


def test_from_file_to_labels(run, tmp_path):
    code, out, err = run("play", "small.yaml", "--no-track", "--seed", 3)
    assert code == 0
    assert "small: 6 of 6 games, 24 moves" in out
    assert "run: runs/small, log: runs/small/log" in err
    code, out, _ = run("label", "runs/small", "--json")
    assert (code, printed(out)["n"]) == (0, 12)
    code, out, _ = run("status", "runs/small")
    assert "small: finished, 6 of 6 games finished" in out
    code, out, _ = run(
        "export", "runs/small", "-o", "x.csv", "--format", "fairgame", "--calls", "c.csv", "--json"
    )
    assert printed(out) == {
        "path": "x.csv",
        "format": "fairgame",
        "n_games": 6,
        "calls": "c.csv",
        "n_calls": 24,
        "notes": ["FAIRGAME's CSV has no room for moves: reply, moves: prompt"],
    }
    assert not (tmp_path / "mlflow.db").exists()


def test_one_json_object(run):
    code, out, err = run("play", "small.yaml", "--no-track", "--json", "-o", "r")
    assert (code, err) == (0, "contacts nobody\nrun: r, log: r/log\n")
    assert list(printed(out)) == list(JSON_OBJECTS["play"])
    assert list(printed(run("play", "small.yaml", "--dry-run", "--json")[1])) == list(JSON_OBJECTS["dry_run"])
    assert set(printed(run("status", "r", "--json")[1])) == set(JSON_OBJECTS["status"])


def test_a_dry_run_needs_no_key_and_makes_nothing(run, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words = ("-m", "openai/gpt-4o", "--price", "openai/gpt-4o=2.5,10", "--repetitions", 10)
    code, out, err = run("play", "small.yaml", "--dry-run", *words)
    assert code == 0
    assert "60 games (6 conditions x 10), 240 decisions, 240 calls expected, at most 720" in out
    assert "you get a penalty of" in out
    assert "set the environment variable OPENAI_API_KEY" in err
    assert [p.name for p in tmp_path.iterdir()] == ["small.yaml"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--set", "langage=en"), "--set langage: unknown key 'langage'; did you mean language"),
        (("--set", "rounds"), "--set 'rounds', expected KEY=VALUE"),
        (("-m", "gpt-4o"), "model 'gpt-4o' says no provider, expected a name such as openai/gpt-4o"),
        (("--price", "openai/gpt-4o"), "--price 'openai/gpt-4o', expected MODEL=IN,OUT"),
        (("--limit", "openai=3"), "--limit 'openai=3', expected ENDPOINT:LIMIT=N"),
        (("--limit", "openai:requests_per_second=3"), "unknown key 'limits.openai.requests_per_second'"),
        (("--map-model", "a"), "--map-model 'a', expected NAME=MODEL"),
        (("--map-model", "a=b/c"), "--map-model a: no player of the experiment is called so"),
        (("--prompts", "nowhere"), "nowhere"),
        (("--language", "de"), "unknown language 'de'"),
        (("--journal", "x"), "--journal 'x', expected wal or delete"),
        (
            ("--budget", "1", "-m", "openai/x@http://127.0.0.1:9/v1"),
            "a budget needs the price of every model",
        ),
    ],
)
def test_errors_are_one_line(run, tmp_path, words, message):
    code, out, err = run("play", "small.yaml", "--no-track", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not (tmp_path / "runs").exists()


def test_a_run_is_never_written_over(run):
    assert run("play", "small.yaml", "--no-track")[0] == 0
    code, _, err = run("play", "small.yaml", "--no-track")
    assert (code, "runs/small exists, and intent resume runs/small goes on with it" in err) == (2, True)
    assert run("resume", "runs/small", "--no-track")[0] == 0
    code, _, err = run("resume", "runs/small", "--no-track", "--set", "rounds=3")
    assert (code, "the experiment is not that of the run" in err) == (2, True)
    assert run("resume", "runs", "--no-track")[0] == 2


def test_endpoints_steer_no_terminal(run, tmp_path):
    run("play", "small.yaml", "--no-track")
    with closing(sqlite3.connect(tmp_path / "runs/small/run.sqlite")) as db, db:
        db.execute("UPDATE calls SET model = 'm' || char(27) || '[2J'")
        db.execute("UPDATE games SET state = 'interrupted', error = 'HTTP 500' || char(27, 155) || ']0;x'")
    _, out, err = run("status", "runs/small")
    assert ("m\ufffd[2J" in out, "HTTP 500\ufffd\ufffd]0;x" in err, "\x1b" in out + err) == (
        True,
        True,
        False,
    )
    assert "\x1b" not in run("play", "a\x1b[2J.yaml")[2]


def test_options_change_the_experiment(run):
    words = ("--language", "vi", "--rounds", 1, "--repetitions", 2, "--set", "framing=prison")
    found = printed(run("play", "small.yaml", "--dry-run", "--json", *words)[1])
    assert (found["n_games"], found["decisions"]) == (6, 12)
    assert [set(c["levels"]) for c in found["conditions"]] == [{"personas"}] * 3


def test_a_human_plays_at_the_terminal(run, tmp_path):
    words = ["play", "small.yaml", "--set", "grid.persona=null", "--language", "en", "--no-track"]
    code = "import sys; from intent.cli.main import main; main(sys.argv[1:])"
    players = "players=[human, scripted/TFT]"
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "--set", players],
        input="1\nOptionB\n",
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "Your choice (1 = OptionA, 2 = OptionB)" in done.stderr
    assert "small: 1 of 1 games, 4 moves" in done.stdout
