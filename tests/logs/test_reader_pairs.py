"""Wide tables: one row per round with both answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.base.errors import DataError
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
    assert log.rejects["line"].tolist() == [8, 9, 11]
    assert len(log.moves) == 14


def test_a_missing_answer_leaves_the_other_one(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(HEAD + GAME + "4,p,q,timeout,F,,\n")
    log = read_log(path)
    assert log.trajectories().own.tolist() == [[1, 1, 0, -1], [1, 0, 0, 0]]
    assert log.moves["status"].value_counts().to_dict() == {"parsed": 7, "missing": 1}
    assert "read as missing moves: timeout (1)" in log.provenance["notes"]


def test_a_third_answer_is_no_defection(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(HEAD + GAME + "4,p,q,X,F,1,1\n")
    with pytest.raises(DataError, match=r"3 actions, expected two: F \(4\), J \(3\), X \(1\); give .*J:DEF"):
        read_log(path, cooperate="J")
    log = read_log(path, cooperate="J:F")
    assert log.rejects["reason"].tolist() == ["answer1 is 'X', expected J or F"]
    assert len(log.moves) == 6


def test_a_bad_round_does_not_split_its_game(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(HEAD + "1,p,q,J,J,8,8\nx,p,q,J,J,8,8\n3,p,q,J,J,8,8\n1000000000,p,q,J,J,8,8\n")
    log = read_log(path, cooperate="J:F")
    assert (log.games["rounds_played"].tolist(), log.rejects["line"].tolist()) == ([3], [3, 5])


def test_no_answer_at_all(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(HEAD + "1,p,q,,NA,,\n")
    with pytest.raises(DataError, match=r"w\.csv: no move in columns answer1 and answer2"):
        read_log(path)


def test_without_points_the_user_says_what_cooperation_is(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("round,player1,player2,answer1,answer2\n1,p,q,J,F\n")
    with pytest.raises(DataError, match=r"w\.csv: no payoffs .*give --cooperate J or --cooperate F"):
        read_log(path)
    assert read_log(path, cooperate="F").moves["cooperated"].tolist() == [False, True]


@pytest.mark.data
def test_public_file(data_dir: Path) -> None:
    log = read_log(data_dir / "repeatedgames" / "pd_experiment_pd.csv")
    assert (len(log), len(log.rejects)) == (64, 0)
    assert set(log.games["cooperative_action"]) == {"J"}
    assert set(log.games["payoff_kind"]) == {"reward"}
