"""Saved files: what they hold, in their older forms too, and what is refused."""

from __future__ import annotations

import json
import math
import random

import pytest
from saved_files import META, saved, shots, votes

from intent.base.errors import DataError
from intent.gamma.bench.scores import score
from intent.gamma.records import plays_of
from intent.gamma.saved import is_saved, saved_plays
from intent.logs.readers import read_log
from intent.logs.stores import write_log

ROUND = {
    "guessing": {"responses": [10, 20], "mean": 15, "mean_ratio": 10, "winner": 10, "winner_num": 1},
    "bar": {"responses": ["go", "stay"], "go_num": 1, "go_ratio": 0.5, "winner": "go", "utility": 10},
    "divide_dollar": {"responses": [10, 20], "total_proposal": 30},
    "public_goods": {"responses": [10, 20], "total_tokens": 30},
    "diner": {"responses": ["cheap", "costly"], "cheap_player": 1, "total_cost": 30, "avg_cost": 15},
    "auction": {"responses": [10, 20], "valuations": [20, 40], "bid_winner": "player_1", "utility": [0, 20]},
    "battle_royale": shots("0>1", n=2)[0],
    "pirate": votes("99,1 r")[0],
}


def one(game: str, **changes) -> dict:
    """A file of one round of two players, with changes in the round."""
    return saved(game, {**ROUND[game], **changes}, n=2)


@pytest.mark.parametrize("game", META)
def test_the_game_is_told_by_its_keys(game):
    found = one(game)
    assert saved_plays(found).game == game
    found["meta"] = {"player_num": 2}
    assert saved_plays(found).game == game


def test_a_file_is_read_with_its_models_and_setting(tmp_path):
    found = saved("bar", ROUND["bar"], n=2, mode="explicit", ratio=0.2, ratio_str="20%")
    path = tmp_path / "bar_v1_1.json"
    path.write_text(json.dumps(found))
    ((_, plays),) = plays_of(read_log(path))
    assert (plays.model, plays.setting) == ("m", "ratio=20%, mode=explicit, n_players=2")


@pytest.mark.parametrize("key", ["model", "models"])
def test_models_stand_under_either_name_in_players_or_meta(key):
    found = one("diner")
    for player in found["player_data"]:
        player[key] = player.pop("model") if key == "models" else player["model"]
    assert saved_plays(found).model == "m"
    del found["player_data"]
    found["meta"][key] = "other"
    assert saved_plays(found).model == "other"


def test_no_gold_means_100():
    found = one("pirate")
    del found["meta"]["gold"]
    assert saved_plays(found) == saved_plays(one("pirate"))


def test_shuffled_responses_are_not_taken_for_seats():
    found = saved("guessing", {"responses": [1, 2, 3], "mean": 2}, n=3)
    assert saved_plays(found).by_seat is None
    for player, number in zip(found["player_data"], [3, 1, 2], strict=True):
        player["records"] = [number]
    assert saved_plays(found).by_seat == ((3, 1, 2),)
    found["player_data"][0]["records"] = [7]
    with pytest.raises(DataError, match="round 1: the responses are not what the players' records hold"):
        saved_plays(found)


@pytest.mark.parametrize("game", ["guessing", "bar", "divide_dollar", "public_goods", "diner"])
def test_figures_of_a_round_are_enough(game):
    found = one(game)
    del found["round_records"][0]["responses"]
    assert score(saved_plays(found)) == score(saved_plays(one(game)))


@pytest.mark.parametrize("target", ["1", 1, "player_1"])
def test_targets_are_spelt_in_several_ways(target):
    assert score(saved_plays(one("battle_royale", shot_player=target))) == 100


@pytest.mark.parametrize("target", ["null", None, "-1", "None", "", "player_01x", "0", "7"])
def test_targets_that_are_nobody_miss(target):
    assert score(saved_plays(one("battle_royale", shot_player=target, action="shoot"))) == 0


def test_the_target_decides_and_not_the_action():
    assert score(saved_plays(one("battle_royale", action="miss"))) == 100


def test_any_dish_that_is_not_cheap_is_costly():
    assert score(saved_plays(one("diner", responses=["Cheap", "lobster"]))) == 50


def test_words_may_be_capital():
    assert saved_plays(one("bar", responses=["Go", "STAY"])).goers == (1,)


@pytest.mark.parametrize(
    ("game", "changes", "points"),
    [
        ("divide_dollar", {"responses": [-10, 110], "total_proposal": 100}, 100),
        ("public_goods", {"responses": [-4, 0], "total_tokens": -4}, 110),
        ("auction", {"responses": [-50, 100], "valuations": [100, 100]}, 75),
        ("pirate", {"gold_distribution": [101, -1], "responses": ["accept", "reject"]}, 49.5),
    ],
)
def test_numbers_below_0_are_scored_as_they_are_where_upstream_checks_none(game, changes, points):
    """Of a share below 0 the code counts no vote as right."""
    assert score(saved_plays(one(game, **changes))) == pytest.approx(points)


def test_a_guess_below_the_range_is_none():
    with pytest.raises(DataError, match="response 1 is -1, expected a number from 0 to 100"):
        saved_plays(one("guessing", responses=[-1, 5]))


BAD = [True, math.nan, math.inf, -(10**30), 10**30, "12", None, [1], {"a": 1}]


@pytest.mark.parametrize("value", BAD, ids=str)
@pytest.mark.parametrize("game", ["guessing", "divide_dollar", "public_goods", "auction"])
def test_numbers_that_are_none_are_named_with_their_round(game, value, tmp_path):
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(one(game, responses=[10, value])))
    with pytest.raises(DataError, match=r"odd.json: round 1: response 2 is .*, expected a number from"):
        read_log(path, format="gamabench")


@pytest.mark.parametrize("value", [*BAD, "maybe"], ids=str)
@pytest.mark.parametrize("game", ["bar", "pirate"])
def test_words_that_are_none_are_named_with_their_round(game, value):
    with pytest.raises(DataError, match=r"round 1: (response 2|vote 1) is .*, expected"):
        saved_plays(one(game, responses=["go", value]))


@pytest.mark.parametrize(
    ("game", "changes", "told"),
    [
        ("bar", {"go_num": 2}, "round 1: go_num is 2, and the responses come to 1"),
        ("bar", {"go_num": 1.5}, "round 1: go_num is 1.5, expected a whole number"),
        ("bar", {"responses": ["go"]}, "round 1: 1 responses, expected 2"),
        ("bar", {"responses": "go"}, "round 1: responses is 'go', expected a list"),
        (
            "divide_dollar",
            {"total_proposal": 29},
            "round 1: total_proposal is 29, and the responses come to 30",
        ),
        ("auction", {"valuations": [1]}, "round 1: 1 valuations, expected 2"),
        ("auction", {"valuations": [1, "x"]}, "round 1: valuation 2 is 'x'"),
        (
            "battle_royale",
            {"initial_players": [["player_0", 35]]},
            "initial_players has 1, expected two or more",
        ),
        ("battle_royale", {"initial_players": [["player_9", 35]] * 2}, "initial_players has"),
        ("battle_royale", {"initial_players": [["player_0", "35"]] * 2}, "hit rate of player_0 is '35'"),
        (
            "battle_royale",
            {"player_shooting": "5"},
            "player_shooting is '5', expected one of the players alive",
        ),
        ("battle_royale", {"shot_player": True}, "shot_player is True"),
        ("pirate", {"gold_distribution": [100]}, "round 1: gold_distribution of 1, expected 2"),
        ("pirate", {"gold_distribution": [101, "-1"]}, "round 1: gold 2 is '-1'"),
    ],
)
def test_rounds_that_cannot_be_are_refused(game, changes, told):
    with pytest.raises(DataError) as caught:
        saved_plays(one(game, **changes))
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("meta", "told"),
    [
        ({"player_num": 3}, "player_data of 2 players, expected 3"),
        ({"player_num": 10**9}, "player_num is 1000000000"),
        ({"ratio": 7}, "meta: ratio is 7, expected a number from 0 to 1"),
        ({"mode": "loud"}, "mode 1 is 'loud', expected implicit or explicit"),
    ],
)
def test_parameters_that_cannot_be_are_refused(meta, told):
    with pytest.raises(DataError) as caught:
        saved_plays(saved("bar", ROUND["bar"], n=2) | {"meta": {**one("bar")["meta"], **meta}})
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"meta": 1, "round_records": []}', "nonsense", "[" * 100_000]
)
def test_what_is_no_saved_file_is_refused(text, tmp_path):
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"odd.json"):
        read_log(path, format="gamabench")


def test_too_many_rounds_are_refused():
    with pytest.raises(DataError, match="10,001 rounds"):
        saved_plays(saved("bar", *[ROUND["bar"]] * 10_001, n=2))


def test_a_saved_object_is_told_from_others():
    assert is_saved(one("bar"))
    assert not any(is_saved(x) for x in (None, [], {}, {"meta": {}}, {"games": []}))


@pytest.mark.parametrize("game", META)
def test_damaged_files_are_refused_in_one_line(game):
    rng, text = random.Random(7), json.dumps(one(game))
    told = []
    for _ in range(150):
        i = rng.randrange(len(text))
        piece = rng.choice(['"', "1", "null", "{", "-", "]", "e9", "true"])
        told.append(refusal(text[:i] + piece + text[i + rng.randrange(3) :]))
    assert any(told)
    assert not any("\n" in line for line in told)


def refusal(text: str) -> str:
    """What is said against a text; nothing where it is no JSON or fine."""
    try:
        found = json.loads(text)
    except ValueError:
        return ""
    try:
        score(saved_plays(found))
    except DataError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (saved("auction", ROUND["auction"], n=2, mode=[]), r"meta: mode 1 is \[\], expected highest bid or"),
        (one("auction", valuations=[20, 5e-324]), "round 1: valuation 4.94066e-324, expected 0 or at least"),
        (saved("guessing", ROUND["guessing"], n=2, max=1e-320), "meta: min is 0 and max 9.99989e-321"),
    ],
)
def test_what_would_be_an_infinite_score_or_no_key_is_refused(found, told):
    with pytest.raises(DataError, match=told):
        saved_plays(found)


def test_names_are_without_what_no_table_or_terminal_takes():
    found = saved("bar", ROUND["bar"], n=2, model="\ud800m\x1b[31m", ratio=0.2, ratio_str="\ud80020%")
    plays = saved_plays(found)
    assert (plays.model, plays.written) == ("m [31m", "20%")


@pytest.mark.parametrize("game", META)
def test_a_saved_file_is_a_game_log_like_any_other(game, tmp_path):
    """Written and read back it scores the same; moves are those whose players are known."""
    path = tmp_path / f"{game}_v1_3.json"
    path.write_text(json.dumps(one(game)))
    log = read_log(path)
    assert log.provenance["format"] == "gamabench"
    again = read_log(write_log(log, tmp_path / "log.parquet"))
    ((row, plays),) = plays_of(again)
    assert plays == saved_plays(one(game))
    assert (row["game"], row["repetition"], row["version"], len(log.seats)) == (game, 3, "v1", 2)
    known = {"guessing": [], "divide_dollar": [], "battle_royale": ["2"], "pirate": ["99,1", "reject"]}
    numbers = ["go", "stay"] if game == "bar" else ["cheap", "costly"] if game == "diner" else ["10", "20"]
    assert log.moves["action"].tolist() == known.get(game, numbers)
