from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent import GameLog
from intent.base.errors import DataError, LimitError, UnknownNameError


def log(moves, seats=((("a", 1)), ("a", 2)), n_players=2, **columns):
    """A log from (game, round, step, seat, cooperated, status) rows."""
    ids = list(dict.fromkeys(g for g, _ in seats))
    games = pd.DataFrame(
        {"game_id": ids, "n_players": n_players, "rounds_played": 3, "repetition": 1, **columns}
    )
    who = pd.DataFrame({"game_id": [g for g, _ in seats], "seat": [s for _, s in seats], "focal": True})
    names = ["game_id", "round", "step", "seat", "cooperated", "status"]
    table = pd.DataFrame([(*m, "parsed")[:6] for m in moves], columns=names)
    return GameLog(games, who, table.astype({"cooperated": "boolean"}))


def plain(text_1, text_2, seats=(1, 2)):
    rows = []
    for seat, text in zip(seats, (text_1, text_2), strict=True):
        rows += [("a", t, 1, seat, {"C": True, "D": False}.get(x)) for t, x in enumerate(text, start=1)]
    return log(rows, [("a", s) for s in seats])


def strings(array):
    return ["".join({1: "C", 0: "D", -1: "?"}[x] for x in row) for row in array.tolist()]


def test_trajectories_face_each_other():
    X = plain("CCD", "DC?").trajectories()
    assert (strings(X.own), strings(X.other)) == (["CCD", "DC?"], ["DC?", "CCD"])
    assert X.keys["seat"].tolist() == [1, 2]


def test_seats_may_have_any_numbers():
    X = plain("CCD", "DCC", seats=(1, 7)).trajectories()
    assert strings(X.other) == ["DCC", "CCD"]


def test_a_single_seat_has_an_unknown_opponent():
    X = log([("a", 1, 1, 1, True)], [("a", 1)]).trajectories()
    assert (strings(X.own), strings(X.other)) == (["C"], ["?"])


def test_the_first_step_of_a_round_counts():
    X = log([("a", 1, 2, 1, True), ("a", 1, 1, 1, False), ("a", 1, 1, 2, True)]).trajectories()
    assert strings(X.own) == ["D", "C"]


def test_defaulted_moves_are_seen_but_no_evidence():
    played = log(
        [("a", 1, 1, 1, True, "defaulted"), ("a", 1, 1, 2, False), ("a", 2, 1, 1, True), ("a", 2, 1, 2, True)]
    )
    X = played.trajectories()
    assert strings(X.own) == ["CC", "DC"]
    assert X.evidence.tolist() == [[False, True], [True, True]]
    assert played.trajectories(keep_defaulted=True).evidence.all()


def test_more_than_two_players_have_shares():
    moves = [("a", 1, 1, s, c) for s, c in ((1, True), (2, True), (3, False))]
    X = log(moves, [("a", 1), ("a", 2), ("a", 3)], n_players=3).trajectories()
    assert X.other_share[:, 0].tolist() == [0.5, 0.5, 1.0]
    assert strings(X.other) == ["?", "?", "?"]
    assert strings(X.read_others("majority").other) == ["D", "D", "C"]
    assert strings(X.read_others("any").other) == ["C", "C", "C"]
    assert strings(X.read_others("all").other) == ["D", "D", "C"]


@pytest.mark.parametrize(
    ("moves", "seats", "message"),
    [
        ([("a", 1, 1, 3, True)], [("a", 1), ("a", 2)], "seat 3 of game 'a' is not listed"),
        ([("b", 1, 1, 1, True)], [("a", 1)], "refers to game_id 'b'"),
        ([("a", 0, 1, 1, True)], [("a", 1)], "round 0, expected numbers from 1"),
        ([("a", 1, 0, 1, True)], [("a", 1)], "step 0, expected numbers from 1"),
        ([("a", 1, 1, 1, True)], [("a", 0), ("a", 1)], "seat 0, expected numbers from 1"),
        ([("a", 1, 1, 1, True)] * 2, [("a", 1)], "two moves of seat 1 in round 1 of game 'a'"),
        ([("a", 1, 1, 1, True)], [("a", 1), ("a", 1)], "lists seat 1 of game 'a' twice"),
    ],
)
def test_tables_that_contradict_each_other(moves, seats, message):
    with pytest.raises(DataError, match=message):
        log(moves, seats)


def test_one_endless_game_does_not_take_all_memory():
    seats = [(f"g{i}", 1) for i in range(20_000)]
    rows = [(g, 1, 1, 1, True) for g, _ in seats] + [("g0", 100_000, 1, 1, True)]
    with pytest.raises(LimitError, match="cells"):
        log(rows, seats).trajectories()


def test_where_on_games_and_on_seats():
    seats = [(g, s) for g in "ab" for s in (1, 2)]
    both = log([(g, 1, 1, s, True) for g, s in seats], seats, language=["en", "fr"])
    both.seats["persona"] = ["kind", "selfish", "kind", "kind"]
    assert both.where({"language": ["fr", "de"]}).games["game_id"].tolist() == ["b"]
    selfish = both.where({"persona": ["selfish"]})
    assert selfish.trajectories().keys["seat"].tolist() == [2]
    assert strings(selfish.trajectories().other) == ["C"]
    assert len(both.where({"persona": ["selfish"], "language": ["fr"]})) == 0
    with pytest.raises(UnknownNameError, match="did you mean persona"):
        both.where({"personna": ["kind"]})


def test_games_without_cooperation_are_skipped_with_a_reason():
    moves = [("a", 1, 1, 1, None), ("b", 1, 1, 1, None), ("c", 1, 1, 1, True)]
    played = log(moves, [("a", 1), ("b", 1), ("c", 1)], cooperative_action=[None, "A", "A"])
    assert played.skipped() == {"no cooperative action": 1, "no readable move": 1}
    assert played.trajectories().keys["game_id"].tolist() == ["c"]


def test_order_of_moves_does_not_matter(rng):
    played = plain("CCDC", "DCCD")
    mixed = GameLog(played.games, played.seats, played.moves.iloc[rng.permutation(len(played.moves))])
    assert np.array_equal(mixed.trajectories().own, played.trajectories().own)
