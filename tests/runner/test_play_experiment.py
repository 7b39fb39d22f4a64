"""Playing, stopping, resuming, exporting, tracking."""

from __future__ import annotations

import asyncio
import json

import pandas as pd
import pytest

import intent
from intent.agents.client import Reply, Usage
from intent.base.codebook import CALLS
from intent.base.errors import DataError, OutputError, RefusedError, RunError, UnknownNameError, UsageError
from intent.base.json_objects import JSON_OBJECTS
from intent.base.tracking import MemoryTracker
from intent.logs.readers import read_log
from intent.runner.dry_run import dry_run
from intent.runner.experiment.file import load_experiment
from intent.runner.export import export
from intent.runner.play import play, play_experiment, resume
from intent.runner.run import Run, run_status

SMALL = {
    "name": "small",
    "model": "scripted/uniform",
    "rounds": 3,
    "grid": {"language": ["en", "vi"]},
    "repetitions": 2,
}


def text_of(reply: str):
    async def model(messages, tools, settings):
        return reply

    return model


def same(one, other) -> bool:
    return all(
        a.drop(columns="source", errors="ignore").equals(b.drop(columns="source", errors="ignore"))
        for a, b in zip(one.tables().values(), other.tables().values(), strict=True)
    )


def test_scripted_play_is_known_beforehand():
    result = play_experiment({"model": "scripted/TFT", "opponent": "scripted/sequence:CDDC", "rounds": 4})
    moves = result.log.moves
    shown = "".join("C" if c else "D" for c in moves[moves["seat"] == 1]["cooperated"])
    assert shown == "CCDD"
    assert (result.path, result.summary["state"]) == (None, "finished")
    assert list(result.summary) == list(JSON_OBJECTS["play"])


def test_front_door():
    assert intent.play_experiment is play_experiment


def test_models_of_ones_own():
    result = play_experiment(
        {**SMALL, "rounds": 1}, models={"a": text_of("OptionA"), "b": text_of("OptionB")}
    )
    by_model = {p["player"]: p["cooperation_rate"] for p in result.summary["players"]}
    assert by_model == {"python/a": 0.0, "python/b": 1.0}
    assert result.summary["readable"] == 1.0


def test_models_of_your_own_play_where_the_experiment_says() -> None:
    named = {**SMALL, "rounds": 1, "repetitions": 1, "players": ["python/b", "python/a"]}
    log = play_experiment(named, models={"a": text_of("OptionA"), "b": text_of("OptionB")}).log
    assert set(zip(log.seats["seat"], log.seats["model"], strict=True)) == {(1, "python/b"), (2, "python/a")}


def test_within_a_running_loop():
    async def notebook():
        return play_experiment({**SMALL, "repetitions": 1}).summary["n_finished"]

    assert asyncio.run(notebook()) == 2


def test_unreadable_replies_are_counted():
    summary = play_experiment({**SMALL, "repetitions": 1}, models={"mute": text_of("what?")}).summary
    assert (summary["n_missing"], summary["readable"], summary["calls"]) == (12, 0.0, 36)


def test_a_key_in_a_persona_is_neither_sent_nor_kept(tmp_path, monkeypatch):
    key = "sk-proj-4f9Kd02mQxZ81"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    careless = {**SMALL, "persona": f"My key is {key}."}
    for work in (
        lambda: play_experiment(careless, output=tmp_path / "run"),
        lambda: dry_run(load_experiment(careless)),
    ):
        with pytest.raises(DataError, match="small: personas holds a key") as refused:
            work()
        assert key not in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_the_run_folder_holds_everything(tmp_path):
    run = tmp_path / "run"
    after = {"label": {}, "compare": {"by": ["language"], "bootstrap": 50, "permutations": 50}}
    result = play_experiment({**SMALL, "after": after}, output=run)
    assert result.summary["notes"] == []
    assert {p.name for p in run.iterdir()} >= {
        "run.json",
        "run.sqlite",
        "prompts",
        "log",
        "labels.parquet",
        "comparison.json",
        "comparison.png",
    }
    assert same(read_log(run), result.log)
    kept = json.loads((run / "run.json").read_text())["experiment"]
    assert load_experiment(kept).plans() == list(Run.open(run).plans())
    with pytest.raises(OutputError, match="exists"):
        play_experiment(SMALL, output=run)


def test_same_seed_same_play(tmp_path):
    first, second = (play_experiment(SMALL, seed=seed).log for seed in (7, 7))
    assert same(first, second)


def test_labels_of_several_others_say_how(tmp_path):
    after = {"game": "public-goods", "after": {"label": {}}}
    with pytest.raises(UsageError, match="more than two players need others"):
        play_experiment({**SMALL, **after}, output=tmp_path / "run")


@pytest.mark.parametrize(("figures", "drawn"), [({}, True), ({"names": ["choices"]}, True), ([], False)])
def test_no_settings_are_all_figures(tmp_path, figures, drawn):
    after = {"figures": figures}
    found = play_experiment({**SMALL, "repetitions": 1, "after": after}, output=tmp_path / "run").summary
    assert bool(found["figures"]) == drawn


def test_without_labels_nothing_is_compared(tmp_path):
    after = {"label": {"eps": "no number"}, "compare": {"by": ["language"]}}
    found = play_experiment({**SMALL, "after": after}, output=tmp_path / "run").summary
    assert (found["comparisons"], [note.partition(":")[0] for note in found["notes"]]) == ([], ["labels"])


@pytest.mark.slow
def test_metrics_and_results_of_a_study_come_after(tmp_path):
    after = {"metrics": {"by": "model"}, "results": "agent_architectures"}
    found = play_experiment({**SMALL, "repetitions": 1, "after": after}, output=tmp_path / "run").summary
    assert found["comparisons"] == ["metrics.parquet", "metrics.json"]
    assert "results/agent_architectures/games.csv" in found["figures"]
    files = (*found["comparisons"], *found["figures"])
    assert all((tmp_path / "run" / name).is_file() for name in files)


@pytest.mark.parametrize(
    ("after", "error", "message"),
    [
        ({"label": {"recognizer": "x"}}, UsageError, "unknown setting 'recognizer'; did you mean recogniser"),
        ({"compare": {"by": ["language"]}}, UsageError, "compare counts labels, so it needs label"),
        ({"figures": ["pie"]}, UsageError, "unknown figure 'pie'"),
        ({"metrics": {"bye": "model"}}, UsageError, "metrics: unknown setting 'bye'; did you mean by"),
        ({"results": "agent_architecture"}, UnknownNameError, "did you mean agent_architectures"),
        ({"label": {"recogniser": "lstn"}}, UnknownNameError, "unknown recogniser of after.label 'lstn'"),
    ],
)
def test_what_comes_after_is_checked_before(tmp_path, after, error, message):
    with pytest.raises(error, match=message):
        play_experiment({**SMALL, "after": after}, output=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        ("Gemini25Flash", UsageError, "says no provider, .*--map-model Gemini25Flash=NAME"),
        ("opnai/gpt-4o", UnknownNameError, "did you mean openai"),
        ("scripted/TFTT", UnknownNameError, "did you mean TFT"),
        ("openai/gpt-4o", UsageError, "OPENAI_API_KEY"),
    ],
)
def test_models_that_cannot_be_had(tmp_path, monkeypatch, model, error, message):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(error, match=message):
        play_experiment(SMALL, output=tmp_path / "run", model=model)
    assert not (tmp_path / "run").exists()


def refusing(after: int):
    """A model that is refused after some calls, until it is mended."""
    state = {"calls": 0, "broken": True}

    async def model(messages, tools, settings):
        if state["broken"] and state["calls"] >= after:
            raise RefusedError("no more")
        state["calls"] += 1
        return "OptionA" if len(messages[0].content) % 2 else "OptionB"

    return model, state


def test_a_stopped_run_goes_on(tmp_path):
    model, state = refusing(after=5)
    stopped = play_experiment(SMALL, output=tmp_path / "run", models={"m": model})
    assert (stopped.summary["state"], stopped.summary["reason"]) == ("stopped", "no more")
    assert run_status(tmp_path / "run")["state"] == "stopped"
    state["broken"] = False
    done = resume(tmp_path / "run", callables={"m": model}, concurrency=1)
    assert done.summary["state"] == "finished"
    assert state["calls"] == 24
    assert Run.open(tmp_path / "run").check() == []
    model, state = refusing(after=99)
    assert same(done.log, play_experiment(SMALL, models={"m": model}).log)


def test_a_changed_experiment_is_refused(tmp_path):
    play_experiment(SMALL, output=tmp_path / "run")
    with pytest.raises(RunError, match=r"not that of the run .game g000001 differs in rounds"):
        resume(tmp_path / "run", set=["rounds=4"])
    with pytest.raises(RunError, match="plans 6 games, the run 4"):
        resume(tmp_path / "run", {**SMALL, "repetitions": 3})
    assert resume(tmp_path / "run", SMALL, budget=1.0).summary["state"] == "finished"


def test_an_experiment_of_another_version_is_refused(tmp_path):
    play_experiment(SMALL, output=tmp_path / "run")
    facts = tmp_path / "run" / "run.json"
    facts.write_text(facts.read_text().replace('"repetitions"', '"repititions"'))
    with pytest.raises(DataError, match=r"run/run.json: unknown key 'repititions'; did you mean repetitions"):
        resume(tmp_path / "run")


def priced(tokens: int):
    async def model(messages, tools, settings):
        return Reply("OptionA", usage=Usage(prompt_tokens=tokens, completion_tokens=0))

    return model


def test_a_budget_stops_a_run(tmp_path):
    experiment = {**SMALL, "prices": {"python/m": [1000, 0]}, "settings": {"max_tokens": 1}}
    result = play_experiment(experiment, output=tmp_path / "run", models={"m": priced(1000)}, budget=5.0)
    assert result.summary["state"] == "stopped"
    assert "budget" in result.summary["reason"]
    assert result.summary["failures"] == {}
    assert 3 <= result.summary["cost"] <= 5
    more = resume(tmp_path / "run", callables={"m": priced(1000)}, budget=100.0)
    assert (more.summary["state"], more.summary["cost"]) == ("finished", 24.0)


def test_exports_read_back(tmp_path):
    run = tmp_path / "run"
    log = play_experiment(SMALL, output=run).log
    for name in ("log", "log.jsonl", "log.csvs", "log.csv.zip"):
        assert export(run, tmp_path / name).n_games == 4
        assert same(read_log(tmp_path / name), log)
    for name in ("calls.parquet", "calls.csv", "calls.jsonl"):
        assert export(run, calls=tmp_path / name).n_calls == 24
    calls = pd.read_parquet(tmp_path / "calls.parquet")
    assert list(calls.columns) == [column.name for column in CALLS]
    assert (
        len(pd.read_csv(tmp_path / "calls.csv"))
        == len(pd.read_json(tmp_path / "calls.jsonl", lines=True))
        == 24
    )
    assert set(calls["reference"]) >= set(log.moves["reply"])


def test_fairgames_results_read_back(tmp_path):
    log = play_experiment(
        {**SMALL, "grid": {}, "personas": ["cooperative", "selfish"]}, output=tmp_path / "run"
    ).log
    export(tmp_path / "run", tmp_path / "results.csv", format="fairgame")
    again = read_log(tmp_path / "results.csv")
    columns = ["game_id", "round", "seat", "action", "payoff"]
    assert again.moves[columns].astype(str).equals(log.moves[columns].astype(str))
    assert list(again.seats["persona"]) == ["cooperative", "selfish"] * 2


def test_what_cannot_be_exported(tmp_path):
    play_experiment(SMALL, output=tmp_path / "run")
    for arguments, error in (
        ({}, UsageError),
        ({"calls": tmp_path / "calls.xls"}, OutputError),
        ({"output": tmp_path / "x.csv"}, OutputError),
        ({"output": tmp_path / "x.json", "format": "fairgame"}, OutputError),
        ({"output": tmp_path / "x", "format": "gamelg"}, UnknownNameError),
    ):
        with pytest.raises(error):
            export(tmp_path / "run", **arguments)
    with pytest.raises(UsageError, match="only a run has calls"):
        export(tmp_path / "run" / "log", calls=tmp_path / "calls.csv")


def test_a_run_is_tracked(tmp_path):
    tracker = MemoryTracker()
    experiment = load_experiment({**SMALL, "after": {"label": {}}})
    result = play(experiment, tmp_path / "run", tracker=tracker)
    (run,) = tracker.runs
    assert (run.name, result.summary["run_id"]) == ("small", "1")
    assert run.parameters["experiment.rounds"] == 3
    assert run.metrics["n_games"] == 4
    assert {p.name for p in run.artifacts} == {"run.json", "log", "labels.parquet"}


def test_status_has_the_promised_keys(tmp_path):
    play_experiment(SMALL, output=tmp_path / "run")
    found = run_status(tmp_path / "run")
    assert set(found) == set(JSON_OBJECTS["status"])
    assert (found["state"], found["finished"]) == ("finished", 4)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("OptionA", "python/m: expected an async function, got str"),
        (lambda *asked: "OptionA", "it returned str at once"),
    ],
)
def test_models_that_are_no_async_function(function, message):
    try:
        said = play_experiment(SMALL, models={"m": function}).summary["reason"]
    except UsageError as error:
        said = str(error)
    assert message in said


def test_a_cost_is_unknown_without_a_price(tmp_path):
    async def counted(messages, tools, settings):
        raise ConnectionError("down")

    retry = {"attempts": 1}
    play_experiment({**SMALL, "retry": retry}, output=tmp_path / "run", models={"m": counted})
    assert run_status(tmp_path / "run")["cost"] is None
