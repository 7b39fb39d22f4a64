"""Every game of the suite is played to the end by every player that may sit at its table."""

from __future__ import annotations

import json

import pytest
from table_plans import GAMES, played_table, table_plan

from intent.play.match import to_log

SCRIPTED = ("equilibrium", "best-reply", "RANDOM", "RANDOM@0.4", "equilibrium@0.3")
FAKES = ("asked:RANDOM", "agreeable", "erratic", "uniform", "first", "last", "asked:constant:1")


@pytest.mark.parametrize("player", SCRIPTED)
@pytest.mark.parametrize("game", GAMES)
def test_scripted_players_play_to_the_end_and_alike_again(game: str, player: str) -> None:
    plan = table_plan(game, *[f"scripted/{player}"] * 5, rounds=6)
    match = played_table(plan)
    assert match.rounds == played_table(plan).rounds
    assert all(move.status == "parsed" for played in match.rounds for move in played.moves)
    assert len(match.rounds) == 6 or game in ("battle_royale", "pirate")
    log = to_log([match])
    assert set(log.seats["strategy"]) == {player.partition("@")[0]}


@pytest.mark.parametrize("player", FAKES)
@pytest.mark.parametrize("game", GAMES)
def test_models_are_asked_and_bad_answers_do_not_hold_up_the_game(game: str, player: str) -> None:
    plan = table_plan(game, *[f"scripted/{player}"] * 4, rounds=4)
    match = played_table(plan)
    moves = [move for played in match.rounds for move in played.moves]
    assert {move.status for move in moves} <= {"parsed", "missing"}
    for move in moves:
        refused = json.loads(move.details or "{}").get("unread", [])
        assert all(isinstance(why, str) and why for why in refused)
        assert (move.status == "missing") == (len(refused) == 3)
    if player in ("uniform", "first", "last", "agreeable", "asked:RANDOM") and game != "pirate":
        assert {move.status for move in moves} == {"parsed"}


@pytest.mark.parametrize("game", GAMES)
def test_different_players_share_a_table(game: str) -> None:
    seats = ("scripted/equilibrium", "scripted/asked:RANDOM", "scripted/RANDOM", "scripted/erratic")
    assert played_table(table_plan(game, *seats)).rounds
