"""Names above the rounds of JSON, and lists in lists of which rounds or players may come first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from intent import GameLog, read_log
from intent.base.errors import DataError
from intent.logs.importer.mapping import LogMapping

PLAY = (("ann", "bob", "CDCD", "DCCC"), ("cid", "dan", "DDCCD", "CDDCC"), ("ann", "dan", "CDC", "CCC"))
"""Players and moves of three games."""


def read(folder: Path, value: Any, **options: Any) -> GameLog:
    path = folder / "log.json"
    path.write_text(json.dumps(value))
    return read_log(path, **options)


def rounds(game: tuple[str, ...], of: Any) -> list[Any]:
    return [of(a, b, t) for t, (a, b) in enumerate(zip(*game[2:], strict=True), start=1)]


def played(log: GameLog) -> list[str]:
    """The moves of each seat of each game, in order."""
    moves = log.moves.sort_values(["game_id", "seat", "round"])
    return ["".join(part["action"]) for _, part in moves.groupby(["game_id", "seat"], observed=True)]


FORMS: dict[str, Any] = {
    "the same keys": lambda g: {
        "player1": g[0],
        "player2": g[1],
        "rounds": rounds(g, lambda a, b, t: {"player1": {"action": a}, "player2": {"action": b}}),
    },
    "the same keys of moves": lambda g: {
        "player1": g[0],
        "player2": g[1],
        "rounds": rounds(g, lambda a, b, t: {"round": t, "player1": a, "player2": b}),
    },
    "keys and name": lambda g: {
        "player_1_name": g[0],
        "player_2_name": g[1],
        "rounds": rounds(
            g, lambda a, b, t: {"round": t, "player_1": {"action": a}, "player_2": {"action": b}}
        ),
    },
    "players by key": lambda g: {
        "players": {"p1": g[0], "p2": g[1]},
        "rounds": rounds(g, lambda a, b, t: {"round": t, "p1": a, "p2": b}),
    },
    "players in order": lambda g: {
        "players": [g[0], g[1]],
        "rounds": rounds(g, lambda a, b, t: {"round": t, "player1": a, "player2": b}),
    },
    "players by id": lambda g: {
        "players": [{"id": "player1", "name": g[0]}, {"id": "player2", "name": g[1]}],
        "rounds": rounds(g, lambda a, b, t: {"round": t, "player1": a, "player2": b}),
    },
    "letters": lambda g: {"A": g[0], "B": g[1], "history": rounds(g, lambda a, b, t: {"A": a, "B": b})},
    "records": lambda g: {
        "player1": {"name": g[0], "model": "gpt"},
        "player2": {"name": g[1], "model": "claude"},
        "rounds": rounds(g, lambda a, b, t: {"player1": a, "player2": b}),
    },
    "fields with words": lambda g: {
        "player1": {"name": g[0]},
        "player2": {"name": g[1]},
        "rounds": rounds(g, lambda a, b, t: {"player1_action": a, "player2_action": b}),
    },
    "in a record": lambda g: {
        "meta": {"player1": g[0], "player2": g[1]},
        "rounds": rounds(g, lambda a, b, t: {"moves": {"player1": a, "player2": b}}),
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_names_above_the_rounds_are_the_players(tmp_path: Path, form: str) -> None:
    log = read(tmp_path, [FORMS[form](game) for game in PLAY])
    assert log.seats["player"].tolist() == [name for game in PLAY for name in game[:2]]
    assert played(log) == [moves for game in PLAY for moves in game[2:]]
    assert not {"player1", "player2", "player_1_name"} & {*log.conditions}


@pytest.mark.parametrize("form", FORMS)
def test_a_kept_mapping_finds_the_names_again(tmp_path: Path, form: str) -> None:
    log = read(tmp_path, [FORMS[form](game) for game in PLAY])
    mapping = LogMapping.model_validate(log.provenance["mapping"])
    other = [FORMS[form](("eve", "fay", "CCD", "DDC")), FORMS[form](("fay", "gus", "CCD", "DDC"))]
    again = read(tmp_path, other, mapping=mapping)
    assert again.seats["player"].tolist() == ["eve", "fay", "fay", "gus"]


def test_what_both_agents_may_be_is_their_model_and_keys_are_seats(tmp_path: Path) -> None:
    models = (("gpt", "gpt"), ("claude", "gpt"), ("gpt", "claude"))
    games = [FORMS["the same keys"]((*m, *game[2:])) for m, game in zip(models, PLAY, strict=True)]
    log = read(tmp_path, games)
    assert log.seats["model"].tolist() == [model for pair in models for model in pair]
    assert log.seats["player"].isna().all()


SQUARE = [["C", "D"], ["D", "D"]]


@pytest.mark.parametrize(
    "value",
    [
        {"moves": [["C", "C"], ["D", "D"]]},
        [{"moves": SQUARE}, {"moves": [["C", "C"], ["D", "C"]]}],
        [SQUARE, [["C", "C"], ["D", "C"]]],
        {"moves": [["C", "C"], ["D", "D"]], "payoffs": [[3, 3], [1, 1]]},
    ],
)
def test_as_many_rounds_as_players_are_asked(tmp_path: Path, value: Any) -> None:
    with pytest.raises(
        DataError, match=r"give --map round=outer,seat=inner or --map round=inner,seat=outer$"
    ):
        read(tmp_path, value)


def test_both_answers_are_read(tmp_path: Path) -> None:
    value = {"moves": [["C", "C"], ["D", "D"]]}
    by_round = read(tmp_path, value, mapping="round=outer,seat=inner")
    assert played(by_round) == ["CD", "CD"]
    assert played(read(tmp_path, value, mapping="round=inner,seat=outer")) == ["CC", "DD"]
    kept = LogMapping.model_validate(by_round.provenance["mapping"])
    assert played(read(tmp_path, {"moves": [["C", "D"], ["C", "C"]]}, mapping=kept)) == ["CC", "DC"]


def test_both_answers_are_read_where_players_are_named(tmp_path: Path) -> None:
    value = [{"players": ["ann", "bob"], "moves": [["C", "C"], ["D", "D"]]}]
    with pytest.raises(
        DataError, match=r"round=outer,player=inner_player or --map round=inner,player=outer_player$"
    ):
        read(tmp_path, value)
    one = read(tmp_path, value, mapping="round=outer,player=inner_player")
    two = read(tmp_path, value, mapping="round=inner,player=outer_player")
    assert (played(one), played(two)) == (["CD", "CD"], ["CC", "DD"])
    assert one.seats["player"].tolist() == two.seats["player"].tolist() == ["ann", "bob"]


@pytest.mark.parametrize(
    ("value", "play"),
    [
        ({"moves": [list("CCDDC"), list("DDCCC")]}, ["CCDDC", "DDCCC"]),
        ([{"moves": SQUARE}, {"moves": [list("CCD"), list("DCD")]}], ["CD", "DD", "CCD", "DCD"]),
        ([{"moves": SQUARE}, {"moves": [["C", "C"], ["D", "D"], ["C", "C"]]}], ["CD", "DD", "CDC", "CDC"]),
        ({"player_moves": [["C", "C"], ["D", "D"]]}, ["CC", "DD"]),
        ({"rounds": [["C", "C"], ["D", "D"]]}, ["CD", "CD"]),
        ({"moves": [["C", "D"], ["D", "C"]]}, ["CD", "DC"]),
    ],
)
def test_lengths_and_words_tell_rounds_from_players(tmp_path: Path, value: Any, play: list[str]) -> None:
    assert played(read(tmp_path, value)) == play


def test_payoffs_tell_rounds_from_players(tmp_path: Path) -> None:
    brings = {"CC": 3, "CD": 0, "DC": 5, "DD": 1}
    games = [[["C", "D"], ["D", "D"]], [["C", "C"], ["D", "C"]], [["D", "C"], ["C", "C"]]]
    for_rounds = [{"moves": g, "payoffs": [[brings[a + b], brings[b + a]] for a, b in g]} for g in games]
    turned = [
        {key: [list(one) for one in zip(*lists, strict=True)] for key, lists in game.items()}
        for game in for_rounds
    ]
    expected = ["CD", "DD", "CD", "CC", "DC", "CC"]
    assert played(read(tmp_path, for_rounds)) == expected
    assert played(read(tmp_path, turned)) == expected
