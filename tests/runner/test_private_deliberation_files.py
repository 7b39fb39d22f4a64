"""The experiment files of private deliberation hold the games of the paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.runner.experiment.file import load_experiment

FOLDER = Path(__file__).parents[2] / "experiments" / "private_deliberation"


@pytest.mark.parametrize(
    ("name", "games", "iterations"),
    [
        ("experiment", 60, {15}),
        ("x_game", 240, {15}),
        ("steps", 30, {5, 15, 30}),
        ("opponent_types", 10, {15}),
        ("paper", 330, {5, 15, 30}),
        ("small", 2, {3}),
        ("scripted", 60, {15}),
        ("own", 60, {15}),
    ],
)
def test_games(name: str, games: int, iterations: set[int]) -> None:
    plans = load_experiment(FOLDER / f"{name}.yaml", models=["scripted/agreeable"]).plans()
    assert len(plans) == games
    assert {plan.rounds for plan in plans} == iterations
    assert {(plan.memory, plan.totals, plan.horizon_known) for plan in plans} == {(2, "all", False)}


def test_inferred_payoffs_are_marked() -> None:
    plans = load_experiment(FOLDER / "paper.yaml", models=["scripted/agreeable"]).plans()
    marked = {plan.game for plan in plans if plan.columns["payoffs_inferred"]}
    assert marked == {"chicken", "head-tail", "battle-sexes-2-1"}


def test_the_treatment_is_the_papers_and_ours_is_a_variant() -> None:
    def told(name: str) -> dict[str, tuple[str, str | None, str]]:
        plans = load_experiment(FOLDER / f"{name}.yaml", models=["scripted/agreeable"]).plans()
        decisions = {plan.game: plan.seats[0].options.get("decision") for plan in plans}
        return {plan.game: (plan.goal, plan.title, decisions[plan.game]) for plan in plans}

    dilemma, stag = "prisoner-dilemma-deliberation", "stag-hunt-deliberation"
    for name in ("experiment", "paper", "small", "scripted", "opponent_types", "steps"):
        assert told(name)[dilemma] == ("rival", "Iterated Prisoner's Dilemma", "announced")
    assert told("paper")[stag] == ("own", "Stag Hunt", "announced")
    assert set(told("own").values()) == {("own", None, "stated")}
