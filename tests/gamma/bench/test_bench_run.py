"""Benchmarks played to the end, stopped and gone on with, and what stands in the folder then."""

from __future__ import annotations

import json

import pytest

from intent.base.codebook import BENCH_SCORES
from intent.base.errors import DataError, RunError
from intent.base.json_objects import JSON_OBJECTS
from intent.gamma.bench.run import run_benchmark
from intent.runner.experiment.file import load_experiment
from intent.runner.export import export
from intent.runner.play import load_source, play_experiment, play_source, resume
from intent.runner.run import Run, run_status

SMALL = {"name": "small", "players": 3, "rounds": 2, "repetitions": 2, "figures": False}
FAKES = ["scripted/asked:RANDOM", "scripted/erratic"]


async def accepts(messages, tools, settings):
    """A model of a user's own, for the pirate game."""
    return '{"proposal": [50, 30, 20], "decision": "accept"}'


def bytes_of(folder):
    """Tables of the log, without the file that says when they were made."""
    return {path.name: path.read_bytes() for path in sorted((folder / "log").glob("*.parquet"))}


def test_every_game_ends_in_a_log_scores_and_a_leaderboard(tmp_path):
    result = run_benchmark(SMALL, tmp_path / "run", models=["scripted/RANDOM", *FAKES])
    summary = result.summary
    assert list(summary) == list(JSON_OBJECTS["bench_run"])
    assert (summary["state"], summary["n_finished"]) == ("finished", 3 * 8 * 2)
    assert {(row["model"], row["n"]) for row in summary["scores"]} == {
        (model, 2) for model in ["scripted/RANDOM", *FAKES]
    }
    assert all(one["overall"]["n"] == 2 and not one["missing"] for one in summary["leaderboard"])
    for name in ("scores.csv", "means.csv", "leaderboard.md", "leaderboard.json"):
        assert (tmp_path / "run" / name).is_file()
    board = json.loads((tmp_path / "run" / "leaderboard.json").read_text())
    assert set(board) == set(JSON_OBJECTS["bench_leaderboard"])
    assert Run.open(tmp_path / "run").check() == []
    assert result.log.conditions
    assert set(result.log.games["setting"]) >= {"n_players=3"}
    assert set(result.scores.columns) >= {c.name for c in BENCH_SCORES if c.name not in ("file", "note")}


def test_illegal_answers_are_asked_again_within_a_limit_and_end_as_missing():
    result = run_benchmark(
        {**SMALL, "reply": {"retries": 1}}, models=["scripted/says:nothing"], games=["bar", "pirate"]
    )
    assert result.summary["state"] == "finished"
    assert set(result.log.moves["status"]) == {"missing"}
    assert result.summary["calls"] == 2 * len(result.log.moves)


def test_the_same_seed_plays_the_same(tmp_path):
    for name in ("one", "two"):
        run_benchmark(SMALL, tmp_path / name, models=["scripted/RANDOM", FAKES[0]])
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_a_run_that_its_budget_stopped_goes_on_to_the_same_log(tmp_path):
    """The scores are written anew; what was answered is not asked again."""
    settings = {
        **SMALL,
        "games": ["guessing", "battle_royale", "pirate"],
        "models": [FAKES[0]],
        "prices": {FAKES[0]: [1000, 1000]},
    }
    whole = run_benchmark(settings, tmp_path / "whole")
    part = run_benchmark({**settings, "budget": 2.5, "concurrency": 1}, tmp_path / "part")
    assert part.summary["state"] == "stopped"
    assert 0 < part.summary["calls"] < whole.summary["calls"]
    assert run_status(tmp_path / "part")["state"] == "stopped"
    rest = resume(tmp_path / "part", budget=1e6)
    assert rest.summary["state"] == "finished"
    assert part.summary["calls"] + rest.summary["new_calls"] == whole.summary["calls"]
    assert rest.scores.equals(whole.scores)
    assert bytes_of(tmp_path / "part") == bytes_of(tmp_path / "whole")
    assert export(tmp_path / "part", tmp_path / "log.jsonl").n_games == 6


def test_a_benchmark_file_is_played_as_an_experiment_is(tmp_path):
    """One path: the file names its kind, and the same games, scores and prompts come out."""
    file = tmp_path / "small.yaml"
    file.write_text("benchmark: gamma\nplayers: 3\nrounds: 2\nrepetitions: 1\nfigures: false\n")
    models = ["scripted/equilibrium"]
    played = play_source(load_source(file, models=models, games=["diner"]), tmp_path / "one")
    made = run_benchmark(file, tmp_path / "two", models=models, games=["diner"])
    assert played.scores.equals(made.scores)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert play_experiment({**SMALL, "benchmark": "gamma", "games": "diner", "models": models}).summary[
        "scores"
    ]
    with pytest.raises(DataError, match="benchmark 'other', expected gamma"):
        load_source({"benchmark": "other"})


def test_scripted_tables_that_are_over_are_scored_again_by_resume(tmp_path):
    first = run_benchmark(SMALL, tmp_path / "run", models=["scripted/equilibrium"], games=["diner"])
    before = bytes_of(tmp_path / "run")
    (tmp_path / "run" / "scores.csv").unlink()
    again = resume(tmp_path / "run")
    assert bytes_of(tmp_path / "run") == before
    assert (tmp_path / "run" / "scores.csv").is_file()
    assert again.scores.equals(first.scores)


def test_another_benchmark_is_no_way_to_go_on(tmp_path):
    run_benchmark(SMALL, tmp_path / "run", models=["scripted/RANDOM"], games=["bar"])
    with pytest.raises(RunError, match="not that of the run"):
        resume(tmp_path / "run", {**SMALL, "models": ["scripted/RANDOM"], "games": ["bar"], "rounds": 3})
    with pytest.raises(RunError, match="is the run of a benchmark"):
        resume(tmp_path / "run", load_experiment({"name": "other", "model": "scripted/TFT"}))


def test_scores_at_other_settings_stay_out_of_the_leaderboard(tmp_path):
    result = run_benchmark(
        {**SMALL, "sweep": {"parameters": {"divide_dollar": {"gold": [50]}}, "version": ["v1", "v2"]}},
        tmp_path / "run",
        models=["scripted/equilibrium"],
        games=["divide_dollar"],
    )
    assert {(row["model"], row["setting"]) for row in result.summary["scores"]} == {
        ("scripted/equilibrium (version=v1)", "n_players=3"),
        ("scripted/equilibrium (version=v1)", "gold=50, n_players=3"),
        ("scripted/equilibrium (version=v2)", "n_players=3"),
    }
    assert {one["games"]["divide_dollar"]["n"] for one in result.summary["leaderboard"]} == {2}


def test_what_is_varied_is_tabled_as_in_the_paper(tmp_path):
    varied = {"parameters": {"divide_dollar": {"gold": [50]}}, "relabelled": [False, True]}
    run_benchmark(
        {**SMALL, "sweep": varied},
        tmp_path / "run",
        models=["scripted/equilibrium"],
        games=["divide_dollar", "diner"],
    )
    assert (tmp_path / "run" / "sweeps.md").read_text().splitlines() == [
        r"**relabelled** · scripted/equilibrium",
        "",
        "| Game | false | true | Mean over relabelled |",
        "| --- | ---: | ---: | ---: |",
        r"| Divide the Dollar (n\_players=3) | 100.0 ± 0.0 | 100.0 ± 0.0 | 100.0 ± 0.0 |",
        r"| Diner's Dilemma (n\_players=3) | 100.0 ± 0.0 | 100.0 ± 0.0 | 100.0 ± 0.0 |",
        "",
        "**setting** · Divide the Dollar",
        "",
        r"| Model | n\_players=3 | gold=50, n\_players=3 | Mean over setting |",
        "| --- | ---: | ---: | ---: |",
        "| scripted/equilibrium (relabelled=false) | 100.0 ± 0.0 | 100.0 ± 0.0 | 100.0 ± 0.0 |",
    ]
    assert len((tmp_path / "run" / "sweeps.csv").read_text().splitlines()) == 1 + 3 * 3


def test_models_of_ones_own_sit_beside_strategies():
    table = {"python/mine": 1, "scripted/equilibrium": "rest"}
    result = run_benchmark({**SMALL, "table": table}, callables={"mine": accepts}, games=["pirate"])
    assert result.summary["scores"][0]["model"] == "scripted/equilibrium×2, python/mine×1"
    assert result.path is None


def test_prompts_of_a_relabelled_game_are_scored_as_the_original():
    swept = {**SMALL, "sweep": {"relabelled": [False, True]}}
    scores = run_benchmark(swept, models=["scripted/equilibrium"]).scores
    plain, told = (scores[scores["model"].str.endswith(f"={level})")] for level in ("false", "true"))
    assert plain["score"].tolist() == pytest.approx(told["score"].tolist())
    assert plain["game"].tolist() == told["game"].tolist()
    assert all("story=" in setting for setting in told["setting"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"language": "xx"}, "xx"),
        ({"version": "v9"}, "v9"),
        ({"options": {"tld": "x"}}, "did you mean told"),
        ({"prompts": "nowhere/at/all"}, "nowhere"),
    ],
)
def test_nothing_is_made_where_a_model_could_not_be_asked(tmp_path, values, message):
    from intent.base.errors import IntentError

    with pytest.raises(IntentError, match=message):
        run_benchmark({**SMALL, **values}, tmp_path / "run", models=[FAKES[0]], games=["bar"])
    assert not (tmp_path / "run").exists()
