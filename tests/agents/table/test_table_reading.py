"""Replies as actions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_plans import GAMES

from intent.agents.table import opening, read_answer
from intent.gamma.catalogue import gamma_game
from intent.gamma.stories import relabelled

PLAN = {"1": 98, "2": 0, "3": 1, "4": 0, "5": 1}


def read(game: str, reply: str, seat: int = 1):
    stage = gamma_game(game, n_players=5)
    return read_answer(reply, stage, seat, opening(stage)[seat])


@pytest.mark.parametrize(
    ("game", "reply", "action"),
    [
        ("guessing", '{"chosen_number": 37}', "37"),
        ("guessing", '```json\n{"chosen_number": "37"}\n```', "37"),
        ("guessing", 'I think so.\n{"explanation": "so,\nor so", "chosen_number": 37} Done.', "37"),
        ("guessing", "{'Chosen Number': 37}", "37"),
        ("guessing", '{"chosenNumber": 37.0}', "37"),
        ("guessing", '{"guess": 37}', "37"),
        ("guessing", '{"answer": 37, "reason": "12"}', "37"),
        ("guessing", '{"my_pick": 37}', "37"),
        ("guessing", '{"chosen_number": 37} That is: {"chosen_number": 37}', "37"),
        ("guessing", " **37**. ", "37"),
        ("guessing", "chosen_number: 37", "37"),
        ("bar", '{"decision": "GO"}', "go"),
        ("bar", "Stay.", "stay"),
        ("diner", "{chosen_dish: cheap}", "cheap"),
        ("auction", '{"bid": 0}', "0"),
        ("battle_royale", '{"target": "player_3"}', "3"),
        ("battle_royale", '{"target": null}', "miss"),
        ("battle_royale", '{"action": "shoot", "target": "3"}', "3"),
        ("battle_royale", '{"Action": "miss", "target": "3"}', "miss"),
        ("pirate", '{"proposal": {"1": 98, "2": 0, "3": 1, "4": 0, "5": 1}}', "98,0,1,0,1"),
        ("pirate", "Well: {'proposal': {1: 98, 2: 0, 3: 1, 4: 0, 5: 1}}", "98,0,1,0,1"),
        ("pirate", '{"proposal": [98, 0, 1, 0, 1]}', "98,0,1,0,1"),
        ("pirate", "98,0,1,0,1", "98,0,1,0,1"),
    ],
)
def test_an_answer_is_found(game: str, reply: str, action: str) -> None:
    assert read(game, reply).action == action


@pytest.mark.parametrize(
    ("game", "reply", "why"),
    [
        ("guessing", '{"chosen_number": 101}', "expected a whole number from 0 to 100"),
        ("guessing", '{"chosen_number": -1}', "expected a whole number from 0 to 100"),
        ("guessing", "-5", "expected a whole number from 0 to 100"),
        ("guessing", '{"chosen_number": 12.5}', "a whole number"),
        ("guessing", '{"chosen_number": NaN}', "a whole number"),
        ("guessing", '{"chosen_number": 1e999}', "a whole number"),
        ("guessing", '{"chosen_number": true}', "a whole number"),
        ("guessing", '{"chosen_number": "quite a lot"}', "a whole number"),
        ("guessing", '{"chosen_number": null}', "a whole number"),
        ("guessing", '{"chosen_number": 3} or {"chosen_number": 4}', "names 3 and 4, expected one"),
        ("guessing", '{"chosen_number": 3, "chosen_number": 4}', "names 3 and 4, expected one"),
        ("guessing", "I choose 37.", 'no JSON object, expected a JSON object with the field "chosen_number"'),
        ("guessing", "", "an empty reply"),
        ("guessing", "{}", 'no field "chosen_number"'),
        ("guessing", '{"a": 1, "b": 2}', 'no field "chosen_number"'),
        ("guessing", '{"chosen_number": ' + "9" * 5000 + "}", "no JSON object"),
        ("bar", '{"decision": "perhaps"}', "expected go or stay"),
        ("divide_dollar", '{"bid_amount": 1000}', "a whole number from 0 to 100"),
        ("battle_royale", '{"target": 1}', "yourself"),
        ("battle_royale", '{"target": 9}', "is no player"),
        ("pirate", '{"proposal": {"1": 98, "2": 0, "3": 1, "4": 0, "5": 5}}', "104 in all"),
        ("pirate", '{"proposal": {"1": 105, "2": -5, "3": 0, "4": 0, "5": 0}}', "a whole number from 0"),
        ("pirate", '{"proposal": {"1": 98, "1": 2, "3": 0, "4": 0, "5": 0}}', "stands twice"),
        ("pirate", '{"proposal": [100]}', "proposal"),
    ],
)
def test_a_bad_answer_is_refused_with_the_reason(game: str, reply: str, why: str) -> None:
    got = read(game, reply)
    assert got.action is None
    assert why in (got.why or "")
    assert len(got.why or "") <= 200


def test_what_is_explained_is_kept_apart() -> None:
    assert read("bar", '{"explanation": "It is full.", "decision": "stay"}').explanation == "It is full."
    assert read("bar", 'It is full.\n{"decision": "stay"}').explanation == "It is full."
    assert read("bar", '{"decision": "stay"}').explanation is None


_SCRAPS = st.sampled_from(
    [
        '{"',
        "{",
        "}",
        '"',
        ":",
        ",",
        "[",
        "]",
        "'",
        "chosen_number",
        "proposal",
        "target",
        "1",
        "-",
        "null",
        "\n",
    ]
)


@given(st.text() | st.lists(_SCRAPS, max_size=60).map("".join))
@settings(max_examples=60)
def test_any_text_is_read_or_refused(reply: str) -> None:
    for game in GAMES:
        stage = gamma_game(game, n_players=4)
        for seat, asked in opening(stage).items():
            got = read_answer(reply, stage, seat, asked)
            assert (got.action is None) != (got.why is None)
            if got.action is not None:
                assert stage.read(got.action, seat, asked) == got.action


def test_the_story_of_battle_royale_misses_where_the_game_does():
    stage = relabelled(gamma_game("battle_royale", n_players=5))
    assert read_answer('{"action": "miss", "aim": 3}', stage, 1, opening(stage)[1]).action == "miss"
