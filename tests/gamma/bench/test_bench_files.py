"""The benchmark files that come with the project, played small; other templates; what reaches the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.gamma.bench.benchmark import load_benchmark
from intent.gamma.bench.run import run_benchmark
from intent.gamma.templates import FOLDERS, INPUTS
from intent.runner.play import new_run

FILES = Path(__file__).resolve().parents[3] / "experiments" / "gamma_bench"
TINY = {"players": 6, "rounds": 1, "repetitions": 1, "figures": False}


@pytest.mark.parametrize("file", sorted(FILES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_file_is_played_to_its_tables(file, tmp_path):
    models = load_benchmark(file).models if file.stem == "scripted" else ["scripted/asked:RANDOM"]
    result = run_benchmark(file, tmp_path / "run", models=models, **TINY)
    summary = result.summary
    assert (summary["state"], summary["n_missing"]) == ("finished", 0)
    assert len(result.scores) == summary["n_games"]
    varied = bool(load_benchmark(file).sweep)
    assert ("sweeps.md" in summary["comparisons"]) == (tmp_path / "run" / "sweeps.md").exists() == varied


class Asked:
    """A model that keeps what it is asked with, and goes to the bar."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, object]] = []

    async def __call__(self, messages, tools, settings):
        self.requests.append(("\n".join(m.content for m in messages), settings.temperature))
        return '{"explanation": "why not", "decision": "go"}'


def test_a_folder_of_published_templates_takes_the_place_of_our_words(tmp_path):
    folder = tmp_path / "prompt_template"
    for name in ("description", "report_implicit", "report_explicit", "request"):
        (folder / FOLDERS["bar"]).mkdir(parents=True, exist_ok=True)
        told = " ".join(f"{fact}=!<INPUT {i}>!" for i, fact in enumerate(INPUTS["bar"][name]))
        said = (
            f"THEIRS-{name} {told}"
            if not name.startswith("report")
            else f"A\n<part>///</part>\n{told}\n<part>///</part>\nB"
        )
        text = f"notes\n<commentblockmarker>###</commentblockmarker>\n{said}"
        (folder / FOLDERS["bar"] / f"{name}_v2.txt").write_text(text)
    asked = Asked()
    setting = {**TINY, "players": 2, "rounds": 2, "version": "v2", "prompts": str(folder)}
    result = run_benchmark(setting, models=["python/me"], callables={"me": asked}, games=["bar"])
    assert (result.summary["state"], result.summary["n_missing"]) == ("finished", 0)
    first = asked.requests[0][0]
    assert "THEIRS-description n_players=2 rounds=2 ratio=60% high=10" in first
    assert "THEIRS-request round=1" in first
    run, _ = new_run(load_benchmark(setting, models=["scripted/RANDOM"], games=["bar"]), tmp_path / "run")
    assert run.facts["benchmark"]["prompts"] == "prompt_template"
    assert str(folder) not in (run.folder / "run.json").read_text("utf-8")


def test_a_temperature_that_is_swept_reaches_the_model_and_the_log():
    asked = Asked()
    swept = {**TINY, "players": 2, "sweep": {"temperature": [0, 0.5, 1]}}
    result = run_benchmark(swept, models=["python/me"], callables={"me": asked}, games=["bar"])
    assert sorted(temperature for _, temperature in asked.requests) == [0, 0, 0.5, 0.5, 1, 1]
    assert sorted(result.log.games["temperature"]) == [0, 0.5, 1]


def test_personas_phrases_and_what_is_told_reach_the_model():
    asked = Asked()
    options = {"persona": "selfish", "chain_of_thought": 1, "told": "smart"}
    result = run_benchmark(
        {**TINY, "players": 2, **options}, models=["python/me"], callables={"me": asked}, games=["bar"]
    )
    assert all(
        "selfish" in words and "smart" in words and '"explanation"' in words for words, _ in asked.requests
    )
    assert set(result.log.moves["reasoning"]) == {"why not"}


def test_tokens_are_kept_where_the_rules_say_so(tmp_path):
    games = {"public_goods": {"reset": False}}
    setting = {**TINY, "players": 2, "rounds": 3, "games": games}
    moves = run_benchmark(setting, models=["scripted/constant:20"]).log.moves
    assert moves["value"].tolist() == [20, 20, 20, 20, 20, 20]
    assert moves["payoff"].tolist() == [20] * 6
    kept = run_benchmark(setting, models=["scripted/constant:1000"]).log.moves
    assert kept["value"].tolist() == [20, 20, 40, 40, 80, 80]
