"""What a benchmark plays: how things vary, who sits where, and which luck tables share."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from intent.base.errors import DataError, GameError, LimitError, UnknownNameError
from intent.gamma.bench.benchmark import bench_seed, load_benchmark
from intent.gamma.bench.conditions import PAPER_SETTINGS, combinations, one_at_a_time, seat_players
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game, setting_name


def planned(**values):
    return load_benchmark({"models": ["scripted/RANDOM"], "repetitions": 1, **values}).plans()


def test_nothing_but_a_model_is_the_published_protocol():
    plans = load_benchmark(models=["openai/x"]).plans()
    assert Counter(plan.game for plan in plans) == dict.fromkeys(GAMMA_GAMES, 5)
    assert {len(plan.seats) for plan in plans} == {10}
    assert {plan.rounds for plan in plans if plan.game != "pirate"} == {20}
    assert {plan.columns["temperature"] for plan in plans} == {1}
    assert {(plan.framing, plan.language, plan.columns["setting"]) for plan in plans} == {
        ("v1", "en", "default")
    }
    payoffs = {plan.game: plan.payoffs for plan in plans}
    assert '"mode":"implicit"' in payoffs["bar"].replace(" ", "")
    assert '"price":"first"' in payoffs["auction"].replace(" ", "")


@pytest.mark.parametrize(("block", "n"), [("sweep", 1 + 1 + 2), ("grid", 2 * 3)])
def test_a_sweep_varies_one_thing_and_a_grid_all(block, n):
    plans = planned(games="bar", **{block: {"temperature": [0, 1], "version": ["v1", "v2", "v3"]}})
    assert len({(plan.framing, plan.columns["temperature"]) for plan in plans}) == len(plans) == n


def test_a_sweep_is_played_in_every_cell_of_the_grid():
    plans = planned(games="bar", grid={"language": ["en", "fr"]}, sweep={"version": ["v1", "v2"]})
    assert [(plan.language, plan.framing) for plan in plans] == [
        ("en", "v1"),
        ("en", "v2"),
        ("fr", "v1"),
        ("fr", "v2"),
    ]


def test_settings_of_a_game_one_at_a_time_or_all_combinations():
    asked = {"bar": {"ratio": ["20%", "60%"], "mode": ["explicit"]}}
    assert len(one_at_a_time("bar", asked, {})) == 1 + 2 + 1
    assert len(combinations("bar", asked, {})) == 2
    assert combinations("diner", asked, {"cheap_price": 1}) == [{"cheap_price": 1}]


def test_the_settings_of_the_paper_make_games_and_hold_the_default():
    plans = planned(sweep={"parameters": "paper"})
    assert Counter(plan.game for plan in plans) == {
        game: len(listed) for game, listed in PAPER_SETTINGS.items()
    }
    assert Counter(plan.game for plan in plans if plan.columns["setting"] == "default") == dict.fromkeys(
        GAMMA_GAMES, 1
    )


def test_a_level_that_names_games_is_for_these():
    level = {"told": "smart", "games": ["guessing", "diner"]}
    plans = planned(
        models=["openai/x"], games=["guessing", "bar"], sweep={"treatment": {"smart": level, "all": {}}}
    )
    assert [(plan.game, plan.columns["treatment"]) for plan in plans] == [
        ("guessing", "default"),
        ("bar", "default"),
        ("guessing", "smart"),
    ]
    assert [plan.seats[0].options for plan in plans] == [{}, {}, {"told": "smart"}]


def test_luck_depends_on_game_setting_and_repetition_alone():
    base = planned(games=["bar", "diner"], repetitions=2)
    others = planned(
        games=["bar", "diner"],
        repetitions=2,
        models=["scripted/best-reply"],
        version="v3",
        language="fr",
        temperature=0,
        relabelled=True,
        table={"model": 4, "scripted/RANDOM": "rest"},
    )
    assert [plan.seed for plan in base] == [plan.seed for plan in others]
    assert len({plan.seed for plan in base}) == 4
    assert bench_seed(1, gamma_game("bar"), 1) != bench_seed(0, gamma_game("bar"), 1)


def test_seats_of_a_table_are_shuffled_alike_whatever_the_model():
    company = {"model": 2, "scripted/RANDOM": 2, "human": "rest"}
    one, other = (
        [
            [seat.player for seat in plan.seats]
            for plan in planned(games="bar", players=6, models=[model], table=company, repetitions=4)
        ]
        for model in ("openai/a", "openai/b")
    )
    assert [[p.replace("/a", "/b") for p in players] for players in one] == other
    assert len(set(map(tuple, one))) > 1
    assert all(Counter(players)["human"] == 2 for players in one)


def test_a_table_that_is_listed_stands_as_it_is():
    listed = ["human", "model", "scripted/constant:91"]
    (plan,) = planned(games="divide_dollar", players=3, table=listed, models=["openai/a"])
    assert [seat.player for seat in plan.seats] == ["human", "openai/a", "scripted/constant:91"]
    assert plan.columns["table"] == "human×1, openai/a×1, scripted/constant:91×1"


def test_a_table_without_the_model_is_played_once_however_many_there_are():
    table = {"openai/a": 1, "openai/b": 1}
    assert len(planned(games="bar", players=2, table=table, models=["openai/a", "openai/b"])) == 1


def test_strategies_are_neither_told_nor_asked_to_think():
    (plan,) = planned(
        games="bar",
        players=2,
        models=["local/smollm2-135m"],
        table=["model", "scripted/RANDOM"],
        persona="selfish",
        told="random",
        chain_of_thought=3,
        temperature=0.5,
    )
    model, script = plan.seats
    assert (model.persona, model.architecture, model.options) == (
        "selfish",
        "chain_of_thought",
        {"told": "random", "phrase": 3},
    )
    assert (model.settings.temperature, model.settings.seeded) == (0.5, True)
    assert (script.persona, script.architecture, script.options) == (None, "plain", {})


def test_defaults_are_by_game():
    reply = {"reply": {"then": "default"}, "defaults": {"bar": "stay"}}
    (plan,) = planned(games="bar", **reply)
    assert (plan.reply.default, plan.reply.retries) == ("stay", 5)
    with pytest.raises(DataError, match="defaults has no action of diner"):
        planned(games="diner", **reply)


def test_a_default_may_be_a_number():
    (plan,) = planned(games="guessing", reply={"then": "default"}, defaults={"guessing": 50})
    assert plan.reply.default == "50"


@pytest.mark.parametrize(
    ("game", "parameters", "name"),
    [
        ("guessing", {"ratio": "1/2"}, "ratio=1/2"),
        ("auction", {"seed": 7, "price": "second"}, "price=second, seed=7"),
        ("battle_royale", {"lowest": 51, "interval": 1}, "rates=51/60"),
        ("public_goods", {"reset": False}, "reset=false"),
        ("pirate", {"n_players": 4}, "n_players=4"),
    ],
)
def test_names_of_settings(game, parameters, name):
    assert setting_name(gamma_game(game, **parameters)) == name


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"games": ["chess"]}, DataError, "unknown gamma-bench game 'chess'"),
        ({"games": {"bar": {"rato": 1}}}, DataError, "unknown parameter of bar 'rato'; did you mean ratio"),
        ({"games": {"bar": {"ratio": 7}}}, DataError, "bar: ratio '7'"),
        ({"sweep": {"parameters": "papr"}}, DataError, "expected paper or game: parameters"),
        ({"sweep": {"parameters": {"bar": {"ratio": ["x"]}}}}, GameError, "bar: ratio 'x'"),
        ({"sweep": {"versions": ["v1"]}}, DataError, "unknown factor 'versions'; did you mean version"),
        ({"sweep": {"version": []}}, DataError, "version has no levels"),
        ({"sweep": {"version": ["v1"]}, "grid": {"version": ["v1"]}}, DataError, "in sweep and in grid"),
        ({"table": {"model": 3}}, DataError, "table: .* 3 seats, expected 10"),
        ({"table": {"model": "rest", "human": "rest"}}, DataError, "one player may have rest"),
        ({"table": ["model"]}, DataError, r"table: 1 seats \(model\), expected 10"),
        ({"models": []}, DataError, "no model; give `models:`"),
        ({"chain_of_thought": 6}, DataError, "less than or equal to 5"),
        ({"verison": "v2"}, DataError, "unknown key 'verison'; did you mean version"),
        ({"grid": {"setting": {"a": {"games": "bar"}, "b": 3}}}, DataError, "level b is '3', expected"),
        ({"sweep": {"setting": {"default": {"told": "smart"}}}}, DataError, "another name than default"),
        ({"games": "bar", "grid": {"s": {"a": {"games": "diner"}}}}, DataError, "nothing is played"),
    ],
)
def test_what_cannot_be_played_is_refused(values, error, message):
    with pytest.raises(error, match=message):
        planned(**values)


def test_an_unknown_player_is_refused_when_it_is_seated():
    with pytest.raises(UnknownNameError, match="strategy"):
        planned(models=["scripted/equilibrum"])


def test_seats_of_a_mapping_are_uniform_over_places():
    rng = np.random.default_rng(0)
    places = Counter(
        seat_players({"human": 1, "model": "rest"}, "a", 4, rng).index("human") for _ in range(4000)
    )
    assert min(places.values()) > 900


@pytest.mark.parametrize(
    "factors",
    [
        {"grid": {f"columns.c{i}": list(range(50)) for i in range(10)}},
        {"grid": {"parameters": {"diner": {f"{d}_price": list(range(400)) for d in ("cheap", "costly")}}}},
        {"models": [f"scripted/says:{i}" for i in range(3000)], "sweep": {"memory": list(range(40))}},
    ],
)
def test_more_than_anybody_can_play_is_refused_before_it_is_spelled_out(factors):
    with pytest.raises(LimitError, match="more than 100,000 conditions"):
        planned(**factors)


def test_more_tables_than_can_be_planned_are_refused():
    with pytest.raises(LimitError, match="more than 1,000,000 seats of all tables"):
        planned(repetitions=100_000)
