"""What a benchmark would take."""

from __future__ import annotations

import pytest

from intent.base.errors import PromptError
from intent.base.json_objects import JSON_OBJECTS
from intent.gamma.bench.benchmark import load_benchmark
from intent.runner.dry_run import dry_run

MODEL = "scripted/asked:RANDOM"


def counted(**values):
    return dry_run(load_benchmark({"models": [MODEL], "repetitions": 1, **values}), prompts_shown=0)


def test_the_keys_are_those_of_the_codebook():
    assert list(counted(games="bar")) == list(JSON_OBJECTS["bench_dry_run"])


@pytest.mark.parametrize(
    ("values", "calls", "most"),
    [
        ({"games": "guessing"}, 200, 1200),
        ({"games": "auction", "players": 3, "rounds": 4, "reply": {"retries": 0}}, 12, 12),
        ({"games": "pirate"}, 10, 6 * sum(range(1, 11))),
        ({"games": "pirate", "table": ["scripted/RANDOM"] * 9 + [MODEL]}, 1, 6 * 10),
        ({"games": "diner", "table": {"model": 4, "scripted/RANDOM": "rest"}}, 80, 480),
        ({"games": "bar", "models": ["scripted/RANDOM"]}, 0, 0),
        ({"games": "bar", "grid": {"version": ["v1", "v2"]}, "repetitions": 3}, 1200, 7200),
    ],
)
def test_counts(values, calls, most):
    found = counted(**values)
    assert found["calls"] == pytest.approx(calls)
    assert found["most_calls"] == most


def test_a_model_that_cannot_be_asked_is_noted():
    found = counted(games="bar", models=["scripted/asked:often"])
    assert found["notes"][-1].startswith("cannot be played yet: model scripted/asked:often: expected asked:")


def test_a_story_in_a_language_that_lacks_it_says_which_have_it():
    with pytest.raises(PromptError, match=r"no bar_bridge_fr.txt, .*; it is told in en"):
        counted(games="bar", relabelled=True, language="fr")


def test_a_battle_takes_at_most_one_call_a_round():
    found = counted(games="battle_royale", reply={"retries": 0})
    assert 9 <= found["calls"] <= found["most_calls"] == 20
    assert any("equilibrium play" in note for note in found["notes"])


def test_costs_are_prices_times_tokens():
    found = counted(games="bar", settings={"max_tokens": 5}, prices={MODEL: [2, 10]}, budget=0.001)
    assert found["reply_tokens"] == 5 * 200
    assert found["cost"] == pytest.approx((2 * found["prompt_tokens"] + 10 * 1000) / 1e6)
    assert any("above the budget of 0.001" in note for note in found["notes"])


def test_prompts_of_a_proposer_and_a_voter():
    shown = dry_run(load_benchmark({"models": [MODEL], "games": "pirate"}))["prompts"]
    assert ['"proposal"' in prompt["text"] for prompt in shown] == [True, False]
