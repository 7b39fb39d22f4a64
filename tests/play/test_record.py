"""Matches as a game log."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import DataError, GameError
from intent.games.catalogue import game, public_goods
from intent.play.match import Horizon, Match, to_log
from intent.play.players import ConstantPlayer, SequencePlayer
from intent.play.referee import Referee, play

PD = game("prisoner-dilemma")


def match(first: str, second: str, stage: str = "prisoner-dilemma", **columns: object) -> Match:
    """A match of moves such as ``"AB"`` for OptionA, OptionB."""
    players = [SequencePlayer([f"Option{m}" for m in moves]) for moves in (first, second)]
    return play(game(stage), players, Horizon(len(first)), np.random.default_rng(0), columns=columns)


def test_every_column_of_a_match() -> None:
    log = to_log([match("AB", "BB", language="en")], source="here")
    assert log.games.loc[
        0, ["game_id", "game", "payoff_kind", "cooperative_action", "language"]
    ].tolist() == [
        "game_0",
        "prisoner-dilemma",
        "penalty",
        "OptionB",
        "en",
    ]
    assert log.games.loc[0, ["n_players", "rounds_planned", "rounds_played", "repetition"]].tolist() == [
        2,
        2,
        2,
        1,
    ]
    assert log.games.loc[0, "payoffs"] == PD.to_json()
    assert log.games.loc[0, "horizon_known"]
    moves = log.moves[["round", "step", "seat", "action", "cooperated", "payoff", "status"]]
    assert moves.to_numpy().tolist() == [
        [1, 1, 1, "OptionA", False, 0.0, "parsed"],
        [1, 1, 2, "OptionB", True, 10.0, "parsed"],
        [2, 1, 1, "OptionB", True, 2.0, "parsed"],
        [2, 1, 2, "OptionB", True, 2.0, "parsed"],
    ]
    assert "message" not in log.moves


def test_trajectories_come_back() -> None:
    trajectories = to_log([match("AB", "BB"), match("BBB", "AAA")]).trajectories()
    assert trajectories.own.tolist() == [[0, 1, -1], [1, 1, -1], [1, 1, 1], [0, 0, 0]]
    assert trajectories.other.tolist() == [[1, 1, -1], [0, 1, -1], [0, 0, 0], [1, 1, 1]]


def test_repeats_are_kept_and_numbered() -> None:
    log = to_log([match("AB", "BB"), match("BB", "BB"), match("AB", "BB", language="vn"), match("AB", "BB")])
    assert log.games["repetition"].tolist() == [1, 2, 1, 3]
    assert log.games["game_id"].is_unique


def test_repeats_may_differ_in_length_and_name() -> None:
    endings = [(("OptionA", "OptionA"), 1), (("OptionA", "OptionB"), 2)]
    matches = []
    for joint, n in endings:
        referee = Referee(PD, Horizon(2), stop=[("OptionA", "OptionA")])
        for _ in range(n):
            for seat, action in enumerate(joint, start=1):
                referee.submit(seat, action)
        matches.append(Match(PD, Horizon(2), referee.record, columns={"game_id": f"g{n}"}))
    log = to_log(matches)
    assert log.games["rounds_played"].tolist() == [1, 2]
    assert log.games["repetition"].tolist() == [1, 2]


def test_games_without_cooperation_are_skipped_with_a_reason() -> None:
    log = to_log([match("AB", "BB", "battle-sexes")])
    assert log.moves["cooperated"].isna().all()
    assert log.skipped() == {"no cooperative action": 1}


def test_missing_and_defaulted_moves_and_messages() -> None:
    referee = Referee(PD, Horizon(1))
    referee.submit(1, "OptionA", "defaulted", "a word")
    referee.submit(2, None, "missing")
    log = to_log([Match(PD, Horizon(1), referee.record, ({"model": "m"}, {"focal": False}))])
    assert log.moves["status"].tolist() == ["defaulted", "missing"]
    assert log.moves["payoff"].isna().all()
    assert log.moves["message"].tolist()[0] == "a word"
    assert log.seats["model"].tolist()[0] == "m"
    assert log.seats["focal"].tolist() == [True, False]


def test_three_seats_and_an_open_end(rng: np.random.Generator) -> None:
    players = [ConstantPlayer("OptionA"), ConstantPlayer("OptionA"), ConstantPlayer("OptionB")]
    log = to_log([play(public_goods(2), players, Horizon(5, continuation=0), rng)])
    assert log.moves["payoff"].tolist() == [3.333333333333334, 3.333333333333334, 13.333333333333334]
    assert log.games["rounds_planned"].isna().all()
    assert log.games["horizon_known"].tolist() == [False]
    assert log.trajectories().other_share.tolist() == [[0.5], [0.5], [1.0]]  # type: ignore[union-attr]


def test_no_matches_make_an_empty_log() -> None:
    assert len(to_log([])) == 0


def test_contradictions_are_refused() -> None:
    with pytest.raises(GameError, match="3 seats are described, expected at most 2"):
        to_log([Match(PD, Horizon(1), (), ({}, {}, {}))])
    with pytest.raises(DataError, match="'g' occurs twice"):
        to_log([match("A", "A", game_id="g"), match("B", "B", game_id="g")])


def test_private_texts_and_references_are_columns_where_there_are_any() -> None:
    referee = Referee(PD, Horizon(1))
    referee.submit(1, "OptionA", private_thought="hm", reasoning="so", reply="g/1/1/2", prompt="g/1/1/2")
    referee.submit(2, "OptionB")
    log = to_log([Match(PD, Horizon(1), referee.record)])
    texts = log.moves[["private_thought", "reasoning", "reply", "prompt"]]
    assert texts.iloc[0].tolist() == ["hm", "so", "g/1/1/2", "g/1/1/2"]
    assert texts.iloc[1].isna().all()
    assert "message" not in log.moves
    assert not {"private_thought", "reasoning", "reply", "prompt"} & set(to_log([match("A", "B")]).moves)


def test_a_match_that_ended_before_its_first_round() -> None:
    referee = Referee(PD, Horizon(3, continuation=0.5), rng=np.random.default_rng(0))
    referee.finish()
    log = to_log([Match(PD, referee.horizon, referee.record)])
    assert log.games[["rounds_played", "continuation"]].to_numpy().tolist() == [[0, 0.5]]
    assert log.skipped() == {"no readable move": 1}
