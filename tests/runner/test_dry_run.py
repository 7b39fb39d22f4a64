"""What an experiment would take."""

from __future__ import annotations

import pytest

from intent.base.errors import PromptError
from intent.base.json_objects import JSON_OBJECTS
from intent.runner.dry_run import dry_run
from intent.runner.experiment.file import load_experiment

PD = {"model": "scripted/uniform", "rounds": 10}


def counted(**values):
    return dry_run(load_experiment({**PD, **values}))


@pytest.mark.parametrize(
    ("values", "decisions", "calls", "most"),
    [
        ({}, 20, 20, 60),
        ({"opponent": "scripted/TFT"}, 20, 10, 30),
        ({"reply": {"retries": 0}}, 20, 20, 20),
        ({"communication": "sequential"}, 20, 40, 80),
        ({"continuation": 0.5, "rounds": 2}, 3, 3, 12),
        ({"game": "public-goods", "repetitions": 4}, 120, 120, 360),
        ({"model": "scripted/TFT"}, 20, 0, 0),
    ],
)
def test_counts(values, decisions, calls, most):
    found = counted(**values)
    assert (found["decisions"], found["calls"], found["most_calls"]) == (decisions, calls, most)
    assert list(found) == list(JSON_OBJECTS["dry_run"])


def test_costs_are_prices_times_tokens():
    prices = {"openai/m@http://127.0.0.1:9/v1": [2, 10]}
    found = counted(model="openai/m@http://127.0.0.1:9/v1", prices=prices, settings={"max_tokens": 5})
    assert found["reply_tokens"] == 100
    assert found["cost"] == pytest.approx((2 * found["prompt_tokens"] + 10 * 100) / 1e6)
    assert counted(model="openai/m@http://127.0.0.1:9/v1")["cost"] is None


def test_one_prompt_of_each_condition_that_has_another():
    found = dry_run(
        load_experiment({**PD, "grid": {"temperature": [0, 1], "language": ["en", "fr"]}}), prompts_shown=9
    )
    assert [prompt["levels"]["language"] for prompt in found["prompts"]] == ["en", "fr"]
    assert "Round 1:" in found["prompts"][0]["text"]


def test_unbalanced_orders_are_noted():
    found = counted(counterbalance=["labels", "named_first"], repetitions=6)
    assert found["notes"] == [
        "6 repetitions hold the 4 counterbalanced orders unequally often; a multiple of 4 would balance them"
    ]


def test_implementation_errors_are_noted_and_told():
    found = counted(grid={"implementation_error": [0, 0.125]}, model="openai/m@http://127.0.0.1:9/v1")
    assert found["notes"][0].startswith("implementation_error 0.125 in 1 of 2 games")
    assert ["With probability 0.125, drawn anew" in p["text"] for p in found["prompts"]] == [False, True]


def test_a_condition_without_words_is_refused():
    with pytest.raises(PromptError, match="framing"):
        counted(framing="opera")


def test_a_prompt_of_each_role_and_stage():
    found = counted(
        architecture=["debate", "tool"],
        model="scripted/erratic",
        attitude=["cooperate", "cooperate"],
        rounds=2,
    )
    shown = found["prompts"]
    assert [(one["seat"], one["role"], one["stage"]) for one in shown] == [
        (1, "debate, assistant", "advise"),
        (1, "debate, decision maker", "choose"),
        (2, "tool", "choose"),
    ]
    assert [len(one["tools"]) for one in shown] == [0, 0, 1]
    assert shown[2]["tools"][0]["function"]["description"]
    assert len({one["text"] for one in shown}) == 3


def test_seats_that_are_alike_show_one_prompt():
    assert len(counted()["prompts"]) == 1


def test_the_stages_of_a_decision_are_shown():
    shown = counted(architecture="chain_of_thought", settings={"constrained": True})["prompts"]
    assert [one["stage"] for one in shown] == ["think", "choose"]
