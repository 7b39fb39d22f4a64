"""``intent export`` to the formats of others, of one log and of a folder of runs."""

from __future__ import annotations

import json

import pytest
from printed import printed

from intent import generate, read_log
from intent.base.json_objects import JSON_OBJECTS
from intent.cli.main import main
from intent.logs.gamelog import GameLog
from intent.logs.stores import write_log


@pytest.fixture
def intent(capsys, tmp_path, monkeypatch):
    """Run a command line in a folder with a log of texts; returns exit code, standard output and error."""
    monkeypatch.chdir(tmp_path)
    log = generate(n=4, rounds=3, seed=1)
    moves = log.moves.assign(message="hello", reasoning="hm")
    facts = {
        **log.provenance,
        "source": "/home/roberta/secret/study.csv",
        "settings": {"at": "C:\\users\\roberta\\x.csv"},
    }
    write_log(GameLog(log.games, log.seats, moves, provenance=facts), tmp_path / "log")

    def run(*words: str):
        with pytest.raises(SystemExit) as stopped:
            main(list(words))
        return stopped.value.code, *capsys.readouterr()

    return run


TARGETS = {
    "dataset": ("out", "--licence", "MIT"),
    "stratest": ("out.csv",),
    "fairgame": ("out.csv",),
    "inspect": ("out.eval",),
    "compact": ("out.parquet",),
    "gamelog": ("out.jsonl",),
}


@pytest.mark.parametrize("form", TARGETS)
def test_every_format_says_what_it_lost_and_where_it_lies(intent, form):
    code, out, _ = intent("export", "log", "-o", *TARGETS[form], "--to", form, "--json")
    said = printed(out)
    assert (code, said["n_games"], said["format"], said["path"]) == (0, 4, form, TARGETS[form][0])
    assert list(said) == list(JSON_OBJECTS["export"])
    lost = " ".join(said["notes"])
    assert ("reasoning" in lost) == (form in ("stratest", "fairgame", "compact"))
    assert ("--creator, --url" in lost) == (form == "dataset")


@pytest.mark.parametrize("form", TARGETS)
def test_no_path_of_this_machine_leaves(intent, tmp_path, form):
    assert intent("export", "log", "-o", *TARGETS[form], "--format", form)[0] == 0
    out = tmp_path / TARGETS[form][0]
    for path in out.iterdir() if out.is_dir() else [out]:
        assert b"roberta" not in path.read_bytes()
    if form in ("dataset", "inspect", "gamelog"):
        assert read_log(out).provenance["origin"]["source"] == "log"


def test_no_key_leaves(intent, tmp_path, monkeypatch):
    key = "sk-canary-5f2a9c7e1b"
    log = read_log(tmp_path / "log")
    facts = {"experiment": {"model": f"openai/x@https://u:{key}@host/v1"}, "note": key}
    write_log(GameLog(log.games, log.seats, log.moves, provenance=facts), tmp_path / "keyed")
    monkeypatch.setenv("OPENAI_API_KEY", key)
    for form in ("dataset", "inspect", "gamelog"):
        name = f"k-{TARGETS[form][0]}"
        assert intent("export", "keyed", "-o", name, *TARGETS[form][1:], "--to", form)[0] == 0
        out = tmp_path / name
        said = json.dumps(read_log(out).provenance)
        assert key not in said
        assert "[key]" in said


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("-o", "d", "--to", "dataset"), "expected --licence, such as CC-BY-4.0"),
        (("-o", "d.csv", "--to", "dataset", "--licence", "MIT"), "a data set is a folder"),
        (("-o", "d.csv", "--to", "inspect"), "is one .eval file"),
        (("-o", "d.json", "--to", "stratest"), "is one .csv file: -o frame.csv --format stratest"),
        (("-o", "d.csv"), "expected --format stratest or --format fairgame"),
        (("-o", "d.eval"), "expected --format inspect"),
        (("-o", "d", "--licence", "MIT"), "--licence is of a data card"),
        (("-o", "d", "--to", "datset"), "did you mean dataset"),
    ],
)
def test_what_does_not_go_together(intent, words, problem):
    code, _, err = intent("export", "log", *words)
    assert code == 2
    assert problem in err
    assert err.count("\n") == 1


def test_texts_and_names_stay_out_of_every_format(intent, tmp_path):
    code, _, _ = intent(
        *("export", "log", "-o", "out", "--to", "dataset", "--licence", "MIT"),
        *("--redact", "all", "--pseudonyms"),
    )
    assert code == 0
    card = (tmp_path / "out" / "README.md").read_text()
    assert "names of subjects are pseudonyms" in card
    assert "hello" not in read_log(tmp_path / "out").moves["message"].tolist()
    assert all(g.startswith("g-") for g in read_log(tmp_path / "out").games["game_id"])


def test_a_folder_of_runs_is_exported_as_one_log(intent, tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        (tmp_path / "runs").mkdir(exist_ok=True)
        write_log(generate(n=3, rounds=2, seed=seed), tmp_path / "runs" / name)
    code, _, err = intent("export", "runs", "-o", "one", "--to", "dataset", "--licence", "CC0-1.0")
    assert code == 0
    assert "2 runs are read as one log, column run tells them apart: a, b" in err
    back = read_log(tmp_path / "one")
    assert back.games["run"].tolist() == ["a"] * 3 + ["b"] * 3
    assert [row["run"] for row in back.provenance["runs"]] == ["a", "b"]
    assert "2 runs, each with its own provenance" in (tmp_path / "one" / "README.md").read_text()
    assert intent("label", "runs", "-o", "labels.parquet")[0] == 0
    code, out, _ = intent("compare", "labels.parquet", "--by", "run", "--json", "--count", "best")
    assert code == 0
    assert {row["group"]["run"] for row in printed(out)["groups"]} == {"a", "b"}
