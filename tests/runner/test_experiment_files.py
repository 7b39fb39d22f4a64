"""The experiments of the repository: how many games they hold, and that a run of each ends in its figures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from experiments.llm_strategies.sets import load_chain
from intent.gamma.bench.benchmark import load_benchmark
from intent.runner.dry_run import dry_run
from intent.runner.experiment.file import load_experiment
from intent.runner.finish import check_after
from intent.runner.play import play

FOLDER = Path(__file__).resolve().parents[2] / "experiments"
GAMMA_PAGE = (FOLDER / "gamma_bench" / "README.md").read_text(encoding="utf-8")
GAMES = {
    "agent_architectures/experiment": (126, 3780),
    "agent_architectures/own": (126, 3780),
    "agent_architectures/framings": (378, 11_340),
    "agent_architectures/small": (9, 36),
    "agent_architectures/scripted": (126, 3780),
    "fairgame/experiment": (2100, 42_000),
    "informed/experiment": (160, 3200),
    "fairgame/communication": (2100, 42_000),
    "fairgame/small": (12, 72),
    "payoff_scaling/experiment": (240, 4800),
    "payoff_scaling/five_languages": (600, 12_000),
    "payoff_scaling/unknown_horizon": (240, 4800),
    "payoff_scaling/small": (12, 72),
    "private_deliberation/experiment": (60, 1800),
    "private_deliberation/opponent_types": (10, 300),
    "private_deliberation/own": (60, 1800),
    "private_deliberation/paper": (330, 10_000),
    "private_deliberation/scripted": (60, 1800),
    "private_deliberation/small": (2, 12),
    "private_deliberation/steps": (30, 1000),
    "private_deliberation/x_game": (240, 7200),
    "strategy_recognition/dilemmas": (900, 18_000),
    "public_goods/experiment": (480, 14_400),
    "public_goods/five_languages": (1200, 36_000),
    "public_goods/three_personas": (1620, 48_600),
    "public_goods/small": (8, 72),
}
"""File -> games and choices per model."""

CHAINS = {
    "llm_strategies/paper": (12, 900),
    "llm_strategies/own": (12, 900),
    "llm_strategies/small": (2, 18),
    "llm_strategies/local": (1, 6),
}
"""File of the chain of written strategies -> sets and strategies wanted."""

BENCHMARKS = {
    "gamma_bench/contamination": (80, 12_276),
    "gamma_bench/experiment": (40, 6138),
    "gamma_bench/generality": (46, 7894),
    "gamma_bench/languages": (200, 30_691),
    "gamma_bench/mixed": (200, 13_509),
    "gamma_bench/own": (40, 6138),
    "gamma_bench/published": (187, 29_724),
    "gamma_bench/reasoning": (72, 11_049),
    "gamma_bench/robustness_runs": (40, 6138),
    "gamma_bench/robustness_temperatures": (48, 7366),
    "gamma_bench/robustness_templates": (40, 6138),
    "gamma_bench/scripted": (160, 6138),
    "gamma_bench/small": (8, 79),
    "gamma_bench/treatments": (8, 1560),
}
"""File -> tables, and calls expected of a model that takes the seats of models."""


def loaded(name, *models):
    return load_experiment(FOLDER / f"{name}.yaml", models=models or ["scripted/first"])


@pytest.mark.parametrize("name", GAMES)
def test_as_many_games_as_the_page_says(name):
    experiment = loaded(name)
    plans = experiment.plans()
    assert (len(plans), sum(p.rounds * len(p.seats) for p in plans)) == GAMES[name]
    check_after(experiment.after)


def test_every_file_is_listed():
    files = {f"{p.parent.name}/{p.stem}" for p in FOLDER.glob("*/*.yaml") if p.name != "study.yaml"}
    assert files == {*GAMES, *CHAINS, *BENCHMARKS}


@pytest.mark.parametrize("name", BENCHMARKS)
def test_as_many_tables_as_the_page_says(name):
    own = name in ("gamma_bench/scripted", "gamma_bench/small")
    benchmark = load_benchmark(FOLDER / f"{name}.yaml", models=() if own else ["scripted/asked:RANDOM"])
    found = dry_run(benchmark, prompts_shown=0)
    assert (found["n_games"], round(found["calls"])) == BENCHMARKS[name]
    row = next(line for line in GAMMA_PAGE.splitlines() if f"`{Path(name).name}.yaml`" in line)
    assert [f"{number:,}" in row for number in BENCHMARKS[name]] == [True, True]


@pytest.mark.slow
def test_theory_and_chance_are_scored_as_the_page_says(tmp_path):
    models = ["scripted/equilibrium", "scripted/best-reply", "scripted/RANDOM"]
    benchmark = load_benchmark(FOLDER / "gamma_bench" / "scripted.yaml", models=models, figures=False)
    board = play(benchmark, tmp_path / "run").summary["leaderboard"]
    told = [f"{one['overall']['mean']:.1f} ± {one['overall']['sd']:.1f}" for one in board]
    assert [words in GAMMA_PAGE for words in told] == [True] * 3


@pytest.mark.parametrize("name", CHAINS)
def test_as_many_strategies_as_the_page_says(name):
    spec = load_chain(FOLDER / f"{name}.yaml")
    sets = len(spec.models) * len(spec.styles) * len(spec.noise) * len(spec.games)
    assert (sets, sets * len(spec.attitudes) * spec.n) == CHAINS[name]


def test_forty_games_of_ten_rounds_per_setting():
    plans = loaded("payoff_scaling/experiment").plans()
    settings = Counter((p.language, p.columns["scale"]) for p in plans)
    assert set(settings.values()) == {40}
    assert len(settings) == 6
    met = Counter((p.language, p.columns["scale"], p.columns["pairing"]) for p in plans)
    assert {met["vi", 10, pairing] for pairing in ("CC", "SS")} == {10}
    assert met["vi", 10, "CS"] == 20


def test_the_dilemmas_of_fairgame_are_the_published_tables():
    plans = loaded("fairgame/experiment").plans()
    tables = {(p.game, p.columns["payoff_type"]): p.payoffs for p in plans if p.game == "prisoner-dilemma"}
    corners = {
        key[1]: payoffs.split('":')[1][:5] + payoffs.split('":')[-1] for key, payoffs in tables.items()
    }
    assert corners == {"conventional": "[6,6][2,2]}", "harsh": "[8,8][5,5]}", "mild": "[8,8][2,2]}"}
    assert all(p.payoff_kind == "penalty" for p in plans if p.game == "prisoner-dilemma")


@pytest.mark.parametrize("folder", ["fairgame", "payoff_scaling", "public_goods"])
def test_a_dry_run_says_what_each_would_take(folder):
    found = dry_run(loaded(f"{folder}/experiment", "scripted/uniform"), prompts_shown=1)
    n_games, n_choices = GAMES[f"{folder}/experiment"]
    assert (found["n_games"], found["calls"]) == (n_games, n_choices)
    assert "OptionA" in found["prompts"][0]["text"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fairgame/small", "payoff_scaling/small", "public_goods/small"])
def test_a_run_ends_in_labels_and_figures(name, tmp_path):
    experiment = load_experiment(
        FOLDER / f"{name}.yaml", models=["scripted/uniform", "scripted/last"], settings={"constrained": False}
    )
    result = play(experiment, tmp_path / "run")
    assert result.summary["labels"]["n"] > 0
    drawn = {Path(f).name.split("-")[0].removesuffix(".png") for f in result.summary["figures"]}
    assert drawn == set(experiment.after.figures)
    assert all((tmp_path / "run" / f).is_file() for f in result.summary["figures"])
