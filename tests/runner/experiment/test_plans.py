"""From an experiment to its games."""

from __future__ import annotations

from collections import Counter

import pytest

from intent.base.errors import DataError, GameError, LimitError
from intent.games.catalogue import game
from intent.runner.experiment.file import load_experiment


def plans(**values):
    return load_experiment({"model": "a/b", **values}).plans()


def test_every_combination_the_last_factor_fastest():
    found = plans(grid={"language": ["en", "fr"], "framing": ["plain", "prison"]}, repetitions=2)
    assert [(p.repetition, p.language, p.framing) for p in found[:5]] == [
        (1, "en", "plain"),
        (1, "en", "prison"),
        (1, "fr", "plain"),
        (1, "fr", "prison"),
        (2, "en", "plain"),
    ]
    assert len({p.game_id for p in found}) == len({p.seed for p in found}) == 8


def test_seeds_depend_on_the_condition_not_on_the_grid():
    few, many = plans(grid={"language": ["fr"]}), plans(grid={"language": ["en", "fr"]})
    assert few[0].seed == many[1].seed
    assert few[0].seed != plans(grid={"language": ["fr"]}, seed=1)[0].seed


@pytest.mark.parametrize(
    ("pattern", "pairings"),
    [
        ({"unordered": ["cooperative", "selfish"]}, ["CC", "CS", "SS"]),
        ({"ordered": ["cooperative", "selfish"]}, ["CC", "CS", "CS", "SS"]),
        ({"mixed": ["cooperative", None]}, ["mixed"]),
        (
            [["cautious", "cautious"], ["cautious", "cooperative"]],
            ["cautious + cautious", "cautious + cooperative"],
        ),
    ],
)
def test_personas_by_seat_and_their_pairing(pattern, pairings):
    assert [p.columns["pairing"] for p in plans(grid={"personas": pattern})] == pairings


def test_three_seats():
    found = plans(
        game={"name": "public-goods", "factor": 1.1}, personas=["x", None, None], opponent="scripted/TFT"
    )
    (plan,) = found
    assert [s.player for s in plan.seats] == ["a/b", "scripted/TFT", "scripted/TFT"]
    assert [s.persona for s in plan.seats] == ["x", None, None]
    assert plan.stage().factor == 1.1
    assert plan.seats[1].others == "majority"


@pytest.mark.parametrize(
    "spec",
    [
        "prisoner-dilemma-trps",
        {"name": "prisoner-dilemma-trps", "kind": "reward", "payoffs": {"T": 5, "R": 3, "P": 1, "S": 0}},
        {
            "name": "prisoner-dilemma-trps",
            "kind": "reward",
            "actions": ["C", "D"],
            "payoffs": [[3, 0], [5, 1]],
        },
        {
            "name": "prisoner-dilemma-trps",
            "kind": "reward",
            "payoffs": {"C,C": [3, 3], "C,D": [0, 5], "D,C": [5, 0], "D,D": [1, 1]},
        },
    ],
)
def test_four_ways_to_write_a_game(spec):
    assert plans(game=spec)[0].stage() == game("prisoner-dilemma-trps")


def test_scaled_payoffs_are_not_rounded():
    by_scale = {p.columns["scale"]: p for p in plans(grid={"lambda": [0.1, 1, 10]})}
    assert by_scale[0.1].stage().payoffs[0][0] == (6 * 0.1, 6 * 0.1)
    assert '"OptionA,OptionA":[60,60]' in by_scale[10].payoffs


def test_named_levels_change_several_keys():
    stakes = {"low": {"lambda": 0.1, "framing": "plain"}, "high": {"lambda": 10, "framing": "business"}}
    assert [(p.columns["stakes"], p.framing) for p in plans(grid={"stakes": stakes})] == [
        ("low", "plain"),
        ("high", "business"),
    ]


def test_columns_of_the_log_alone():
    found = plans(columns={"wave": 1}, grid={"columns.lab": ["x", "y"]})
    assert [p.columns for p in found] == [{"wave": 1, "lab": "x"}, {"wave": 1, "lab": "y"}]


def test_levels_of_several_types_become_texts():
    assert [p.columns["memory"] for p in plans(grid={"memory": [None, 3]})] == ["none", "3"]


def test_counterbalancing_holds_every_order_once():
    found = plans(counterbalance=["labels", "listed_first", "named_first"], repetitions=8)
    orders = Counter(
        (p.columns["labels"], p.columns["listed_first"], p.columns["named_first"]) for p in found
    )
    assert len(orders) == 8
    assert set(orders.values()) == {1}
    for plan in found:
        assert plan.listed_first == plan.columns["listed_first"]
        assert plan.named_first == plan.columns["named_first"]


def test_swapped_labels_swap_what_they_stand_for():
    rules = {"reply": {"then": "default", "default": "OptionB"}, "stop": ["OptionA,OptionA"]}
    first, second = plans(counterbalance=["labels"], repetitions=2, **rules)
    assert first.stage().cooperative_action(1) == "OptionB"
    assert second.stage().cooperative_action(1) == "OptionA"
    assert second.reply.default == "OptionA"
    assert second.stop == (("OptionB", "OptionB"),)
    assert (first.listed_first, second.listed_first) == ("OptionA", "OptionA")


def test_labels_by_language():
    labels = {"en": ["Left", "Right"], "fr": ["Gauche", "Droite"]}
    found = plans(labels=labels, stop=["OptionA,OptionA"], grid={"language": ["en", "fr"]})
    assert [p.stage().actions for p in found] == [("Left", "Right"), ("Gauche", "Droite")]
    assert found[1].stop == (("Gauche", "Gauche"),)
    with pytest.raises(DataError, match="labels in en, fr, expected vi too"):
        plans(labels=labels, language="vi")


def test_settings_of_one_model():
    found = plans(
        settings={"temperature": 1, "max_tokens": 5},
        model_settings={"c/d": {"temperature": None}},
        players=["a/b", "c/d"],
    )
    assert [(s.settings.temperature, s.settings.max_tokens) for s in found[0].seats] == [(1, 5), (None, 5)]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"model": None}, DataError, "no model; give `model:`"),
        ({"players": ["a/b"]}, DataError, "players a/b, expected 2 for prisoner-dilemma"),
        ({"personas": ["x"]}, DataError, "personas x, expected 2 values, or one"),
        ({"names": ["x", "x"]}, DataError, "names x, x, expected different ones"),
        (
            {"listed_first": "Red"},
            DataError,
            "listed_first 'Red', expected first, second, OptionA or OptionB",
        ),
        ({"game": {"name": "x", "payoffs": [[1, 2], [3, 4]]}}, GameError, "x: payoffs without kind"),
        ({"game": {"name": "stag-hunt", "factor": 2}}, GameError, "stag-hunt has no factor"),
        (
            {"grid": {"temperature": ["hot"]}},
            DataError,
            "grid settings.temperature=hot: settings.temperature is 'hot'",
        ),
        (
            {"repetitions": 1000, "grid": {"columns.x": list(range(1001))}},
            LimitError,
            "more than 1,000,000 games",
        ),
        ({"reply": {"then": "default"}}, DataError, "no reply.default, but reply.then is default"),
        ({"reply": {"then": "default", "default": "C"}}, DataError, "reply.default 'C', .* OptionA, OptionB"),
        ({"stop": ["OptionA"]}, DataError, "stop 'OptionA', expected 2 actions out of OptionA, OptionB"),
        ({"stop": [["A", "B"]]}, DataError, "stop 'A,B', expected 2 actions"),
        (
            {"grid": {"persona": {"orderd": ["x", "y"]}}},
            DataError,
            "unknown pattern 'orderd'; did you mean ordered",
        ),
        (
            {"persona_texts": {"x": {"fr": "y"}}, "personas": "x"},
            DataError,
            "persona_texts of x has fr, expected en",
        ),
    ],
)
def test_what_makes_no_game(values, error, message):
    with pytest.raises(error, match=message):
        plans(**values)
