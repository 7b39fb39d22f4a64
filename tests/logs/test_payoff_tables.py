"""Payoffs in a table beside a log are used where the play does not tell them, nor contradict them."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.logs.readers import read_log

CELLS = "r1_c1_p1,r1_c1_p2,r1_c2_p1,r1_c2_p2,r2_c1_p1,r2_c1_p2,r2_c2_p1,r2_c2_p2"
DILEMMA, CHICKEN = "3,3,1,4,4,1,2,2", "3,3,2,4,4,2,1,1"
TABLE = f"number,name,{CELLS}\n67,dilemma,{DILEMMA}\n68,chicken,{CHICKEN}\n"
HEAD = "number,round,player1,player2,answer1,answer2,points1,points2"
NEVER_BOTH_DEFECT = [("X", "X", 3, 3), ("X", "Y", 1, 4), ("Y", "X", 4, 1), ("X", "X", 3, 3)]
ONE_SIDED = [("X", "X", 3, 3), ("X", "Y", 1, 4)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "games.csv").write_text(TABLE)
    return tmp_path


def log_of(folder: Path, rounds: list[tuple[str, str, int, int]], number: int = 67):
    lines = [f"{number},{t},a,b,{','.join(map(str, row))}" for t, row in enumerate(rounds, start=1)]
    (folder / "play.csv").write_text("\n".join([HEAD, *lines]) + "\n")
    return read_log(folder / "play.csv")


def test_the_table_tells_what_no_round_paid(folder):
    log = log_of(folder, ONE_SIDED)
    assert log.games["payoffs"].tolist() == ['{"X,X":[3,3],"X,Y":[1,4],"Y,X":[4,1],"Y,Y":[2,2]}']
    assert log.games["cooperative_action"].tolist() == ["X"]
    assert log.moves.sort_values(["seat", "round"])["cooperated"].tolist() == [True, True, True, False]
    assert "payoffs of 1 games are those of games.csv, by number" in log.provenance["notes"]
    assert log.provenance["payoff_table"]["file"] == "games.csv"
    assert log.trajectories().own.sum() == 3


def test_the_options_are_told_by_what_rounds_paid(folder):
    turned = [("Y", "Y", 3, 3), ("Y", "X", 1, 4)]
    assert log_of(folder, turned).games["cooperative_action"].tolist() == ["Y"]


def test_what_the_play_tells_needs_no_table(folder):
    log = log_of(folder, [*NEVER_BOTH_DEFECT, ("Y", "Y", 0, 0)])
    assert '"Y,Y":[0,0]' in log.games["payoffs"].item()
    assert "payoff_table" not in log.provenance


@pytest.mark.parametrize(
    ("table", "number"),
    [
        (TABLE, 69),  # a game that the table does not have
        (TABLE.replace("3,3,1,4", "3,3,0,9"), 67),  # other payoffs than rounds paid
        (TABLE + f"67,again,{CHICKEN}\n", 67),  # which of both rows it is, nothing tells
        (TABLE.replace("r1_c1_p1", "cell"), 67),
        (TABLE.replace("3,3,1,4", "3,3,x,4"), 67),
        (TABLE.replace("number", "nr"), 67),
        ("not a table\n", 67),
    ],
)
def test_a_table_that_does_not_fit_is_not_used(table, number, folder):
    (folder / "games.csv").write_text(table)
    log = log_of(folder, ONE_SIDED, number)
    assert log.games["payoffs"].isna().all()
    assert "payoff_table" not in log.provenance


def test_of_two_tables_none_is_used(folder):
    (folder / "others.csv").write_text(TABLE)
    assert log_of(folder, ONE_SIDED).games["payoffs"].isna().all()


def test_the_table_may_be_that_of_many_games(folder):
    lines = [
        f"{number},{t},a,b,{','.join(map(str, row))}"
        for number in (67, 68)
        for t, row in enumerate([("X", "X", 3, 3), ("X", "Y", 1 if number == 67 else 2, 4)], start=1)
    ]
    (folder / "play.csv").write_text("\n".join([HEAD, *lines]) + "\n")
    payoffs = read_log(folder / "play.csv", mapping="game=number").games["payoffs"]
    assert payoffs.notna().all()
    assert payoffs.nunique() == 2


def test_the_public_table_of_144_games(data_dir):
    log = read_log(data_dir / "repeatedgames" / "game_101.csv")
    assert set(log.games["payoffs"]) == {'{"1,1":[4,4],"1,2":[2,2],"2,1":[1,1],"2,2":[3,3]}'}
