"""Wide tables: one row per round with both answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.errors import DataError
from intent.logs.readers import read_log

HEAD = "round,player1,player2,answer1,answer2,points1,points2\n"
GAME = "1,p,q,J,J,8,8\n2,p,q,J,F,0,10\n3,p,q,F,F,5,5\n"


def test_a_new_game_begins_where_the_round_does_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(HEAD + GAME + GAME + "1,q,p,F,J,10,0\n")
    log = read_log(path)
    assert log.provenance["format"] == "pairs"
    assert log.games["rounds_played"].tolist() == [3, 3, 1]
    assert log.games["repetition"].tolist() == [1, 2, 1]
    assert set(log.games["cooperative_action"]) == {"J"}
    assert log.trajectories().own.tolist()[:2] == [[1, 1, 0], [1, 0, 0]]
    assert log.seats["player"].tolist() == ["p", "q", "p", "q", "q", "p"]


def test_rows_that_contradict_the_others_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(HEAD + GAME + GAME + "1,p,q,J,J,9,8\n" + "x,p,q,J,J,8,8\n1,p,q,J,,8,8\n1,p,q,J,J,?,8\n")
    log = read_log(path)
    assert log.rejects["line"].tolist() == [8, 9, 10, 11]
    assert len(log.moves) == 12


def test_without_points_the_user_says_what_cooperation_is(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("round,player1,player2,answer1,answer2\n1,p,q,J,F\n")
    with pytest.raises(DataError, match=r"w\.csv: no points, .*give --cooperate ACTION"):
        read_log(path)
    assert read_log(path, cooperate="F").moves["cooperated"].tolist() == [False, True]


@pytest.mark.data
def test_public_file(data_dir: Path) -> None:
    log = read_log(data_dir / "repeatedgames" / "pd_experiment_pd.csv")
    assert (len(log), len(log.rejects)) == (64, 0)
    assert set(log.games["cooperative_action"]) == {"J"}
    assert set(log.games["payoff_kind"]) == {"reward"}
