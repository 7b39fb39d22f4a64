"""A chain of written strategies is an experiment: `play`, `resume` and `status` know it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from printed import printed
from typer.testing import CliRunner

import intent
from intent.arena.chain import load_chain
from intent.arena.engines import engine_status
from intent.base.codebook import JSON_OBJECTS
from intent.base.errors import IntentError, OutputError, RunError, UnknownNameError
from intent.cli.app import app
from intent.runner.play import resume

SMALL = Path(__file__).resolve().parents[2] / "experiments" / "llm_strategies" / "small.yaml"
LESS = ("noise=[0]", "n=1", "turns=10", "evolution=null", "line_up=null", "bootstrap=100", "inspect=false")
needs_engine = pytest.mark.skipif(all(engine_status().values()), reason=f"no sandbox here: {engine_status()}")


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)


@needs_engine
@pytest.mark.slow
def test_a_chain_is_played_resumed_and_shown_as_runs_are(tmp_path):
    folder = tmp_path / "chain"
    settings = [word for one in LESS for word in ("--set", one)]
    first = printed(run("play", SMALL, "-o", folder, "--seed", 3, "--json", *settings).stdout)
    assert set(first) == set(JSON_OBJECTS["chain"])
    known = json.loads((folder / "chain.json").read_text("utf8"))
    assert (known["chain"]["seed"], known["options"]["experiment"]) == (3, "llm_strategies")
    status = printed(run("status", folder, "--json").stdout)
    assert set(status) == set(JSON_OBJECTS["chain_status"])
    assert (status["state"], status["sets"]) == (
        "finished",
        [{"set": "scripted-strategist_default", "played": True}],
    )
    (folder / "chain.json").write_text(json.dumps(known | {"result": None}), "utf8")
    stopped = run("status", folder)
    assert "stopped, 1 of 1 sets played" in stopped.stdout
    assert f"intent resume {folder} goes on" in stopped.stderr
    assert resume(folder).to_dict() == first
    with pytest.raises(OutputError, match="goes on, --overwrite begins anew"):
        run("play", SMALL, "-o", folder)
    command = run("strategies", "run", SMALL, "-o", folder, "--set", "seed=3", "--json", *settings)
    assert printed(command.stdout) == first


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("chain: nosuch", (), "unknown experiment 'nosuch'"),
        ("chain: llm_strategies\nturn: 3", (), "line 2: unknown key 'turn'; did you mean turns"),
        ("chain: llm_strategies", ("--language", "vi"), "--language is not for chains"),
        ("chain: llm_strategies", ("--dry-run",), "no models to write strategies"),
    ],
)
def test_what_a_chain_cannot_do_is_one_line(tmp_path, text, words, message):
    file = tmp_path / "mine.yaml"
    file.write_text(text, "utf8")
    with pytest.raises(IntentError, match=message):
        run("play", file, "-o", tmp_path / "out", *words)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("inside", [".", "plays/small"])
def test_a_chain_without_sets_says_what_it_does(tmp_path, inside):
    place = tmp_path / inside
    place.mkdir(parents=True, exist_ok=True)
    (tmp_path / "replicate.json").write_text("{}", "utf8")
    spec = {
        "name": "mine",
        "models": ["a", "b"],
        "games": ["classic"],
        "noise": [0, 0.1],
        "styles": ["default"],
    }
    (place / "chain.json").write_text(json.dumps({"chain": spec, "options": {}, "result": None}), "utf8")
    before = run("status", tmp_path)
    assert before.stdout == "mine: stopped, 0 of 4 sets played\n"
    (place / "step.json").write_text('{"stage": "writing", "done": 3, "total": 12}', "utf8")
    assert run("status", tmp_path).stdout == "mine: stopped, 0 of 4 sets played; writing: 3 of 12\n"


def test_a_chain_needs_a_folder():
    with pytest.raises(RunError, match="expected a folder"):
        intent.play_experiment(SMALL)


def test_code_is_found_by_name_only(tmp_path):
    """A folder that somebody else made names no code by its place."""
    text = json.dumps({"chain": {}, "options": {"experiment": str(tmp_path)}, "result": None})
    (tmp_path / "chain.json").write_text(text, "utf8")
    with pytest.raises(UnknownNameError, match="unknown experiment"):
        run("resume", tmp_path)


def test_a_folder_of_texts_is_that_of_who_calls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    assert load_chain(SMALL, prompts="mine").spec.writing.prompts == str(tmp_path / "mine")
    assert load_chain(SMALL).spec.writing.prompts is None
