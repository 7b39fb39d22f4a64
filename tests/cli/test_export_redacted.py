"""``intent export`` of runs and logs with texts and names left out."""

from __future__ import annotations

import json

import pytest

from intent import read_log
from intent.cli.main import main

FILE = """
name: small
game: prisoner-dilemma
model: scripted/uniform
rounds: 2
grid: {language: [en, fr]}
"""
TIDY = "game,round,player,action,message\n" + "".join(
    f"lab1,{t},{who},{'left' if t == 1 else 'right'},hello from {who}\n"
    for t in (1, 2)
    for who in ("maria", "ivan")
)


@pytest.fixture
def intent(capsys, tmp_path, monkeypatch):
    """Run a command line in an empty folder; returns exit code, standard output and error."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str):
        with pytest.raises(SystemExit) as stopped:
            main(list(words))
        return stopped.value.code, *capsys.readouterr()

    return run


def test_a_run_without_its_prompts_and_replies(intent, tmp_path):
    (tmp_path / "small.yaml").write_text(FILE)
    assert intent("play", "small.yaml", "-o", "run", "--no-track")[0] == 0
    done = intent(
        "export",
        "run",
        "-o",
        "log.jsonl",
        "--calls",
        "calls.csv",
        "--redact",
        "all",
        "--pseudonyms",
        "--json",
    )
    assert done[0] == 0
    assert json.loads(done[1])["n_games"] == 2
    text = (tmp_path / "log.jsonl").read_text("utf-8") + (tmp_path / "calls.csv").read_text("utf-8")
    for word in ("You are", "Choose one option", "g000001", "experiment"):
        assert word not in text
    assert "scripted/uniform" in text
    log = read_log("log.jsonl")
    assert log.moves["reply"].str.startswith("g-").all()


def test_a_log_of_another_form_is_read_with_its_options(intent, tmp_path):
    (tmp_path / "tidy.csv").write_text(TIDY)
    words = [
        "export",
        "tidy.csv",
        "--map",
        "game=game",
        "--cooperate",
        "left",
        "--redact",
        "messages",
        "--pseudonyms",
    ]
    assert intent(*words, "-o", "out.csvs")[0] == 0
    text = "".join(path.read_text("utf-8") for path in (tmp_path / "out.csvs").iterdir())
    assert "maria" not in text
    assert "⟨redacted 16 characters⟩" in text
    assert read_log("out.csvs").trajectories().own.tolist() == [[1, 0], [1, 0]]


def test_fairgames_file_and_the_compact_form_hold_no_text_either(intent, tmp_path):
    (tmp_path / "tidy.csv").write_text(TIDY)
    words = ["export", "tidy.csv", "--cooperate", "left", "--redact", "messages", "--pseudonyms"]
    assert intent(*words, "--format", "fairgame", "-o", "out.csv")[0] == 0
    assert intent(*words, "--format", "compact", "-o", "out.parquet")[0] == 0
    for path in (tmp_path / "out.csv", tmp_path / "out.parquet"):
        assert b"maria" not in path.read_bytes()
        assert b"hello" not in path.read_bytes()


def test_one_key_gives_two_exports_the_same_names(intent, tmp_path):
    (tmp_path / "tidy.csv").write_text(TIDY)
    (tmp_path / "lab.key").write_bytes(b"k" * 32)
    for name in ("one.jsonl", "two.jsonl"):
        intent("export", "tidy.csv", "--cooperate", "left", "--pseudonyms", "--key", "lab.key", "-o", name)
    assert read_log("one.jsonl").equals(read_log("two.jsonl"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--redact", "mesages"], "messages"),
        (["--redact", "all,"], "cut by commas"),
        (["--redact", "all", "--redact-as", "rot13"], "length"),
        (["--key", "k"], "expected one of them"),
        (["--pseudonyms", "--key", "nowhere"], "no such file"),
    ],
)
def test_what_cannot_be_left_out_is_told_in_one_line(intent, tmp_path, words, told):
    (tmp_path / "tidy.csv").write_text(TIDY)
    code, _, err = intent("export", "tidy.csv", "--cooperate", "left", "-o", "out.jsonl", *words)
    assert code in (1, 2)
    assert "\n" not in err.strip()
    assert told in err
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--pseudonyms"], "pseudonyms are"),
        (["--redact", "all", "--redact-as", "hash"], "hashes are"),
        (["--pseudonyms", "--redact", "all", "--redact-as", "hash"], "pseudonyms and hashes are"),
        (["--redact", "all"], ""),
        (["--pseudonyms", "--key", "lab.key"], ""),
    ],
)
def test_a_key_that_is_not_kept_is_told_with_what_follows(intent, tmp_path, options, what):
    (tmp_path / "games.csv").write_text(TIDY)
    (tmp_path / "lab.key").write_text("0123456789abcdef")
    code, _, errors = intent("export", "games.csv", "--cooperate", "left", "-o", "log.jsonl", *options)
    assert code == 0
    lines = [line for line in errors.splitlines() if "kept nowhere" in line]
    assert [line.startswith(f"note: {what} by a key") for line in lines] == [True] * bool(what)
    assert all("--key FILE makes them alike" in line for line in lines)
