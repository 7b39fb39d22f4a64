"""Which words are moves, and which two moves a game has."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.logs.readers import read_log
from intent.logs.readers.reader import Settings
from intent.logs.readers.stages import MISSING, check_two, settle, words_for_no_move

HEAD = "game,player,round,action\n"
GAME = "g,p,1,C\ng,q,1,D\n"


@pytest.mark.parametrize("word", [*sorted(MISSING), "TimeOut", "N/A", "None", "nan"])
def test_words_for_no_move_are_missing_moves(tmp_path: Path, word: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{HEAD}{GAME}g,p,2,{word}\n")
    log = read_log(path, cooperate="C")
    assert log.moves["status"].tolist() == ["parsed", "parsed", "missing"]
    assert log.moves["cooperated"].isna().tolist() == [False, False, True]
    assert log.moves["action"].isna().tolist() == [False, False, True]


def test_a_word_that_the_user_names_is_a_move() -> None:
    assert words_for_no_move(["C", "refused", "NA"], "C:refused") == ["NA"]
    assert words_for_no_move(["refused"], None, cooperative=["refused"]) == []


def test_a_status_of_parsed_does_not_hide_a_missing_move(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("game,player,round,action,status\ng,p,1,C,parsed\ng,q,1,timeout,parsed\n")
    assert read_log(path, cooperate="C").moves["status"].tolist() == ["parsed", "missing"]


def test_a_cooperative_action_of_none_is_no_action(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    head = "game,player,round,action,cooperative_action\n"
    path.write_text(f"{head}g,p,1,C,C\ng,q,1,D,C\ng,p,2,None,None\n")
    assert read_log(path).moves["status"].tolist() == ["parsed", "parsed", "missing"]


def test_a_third_action_is_an_error_with_counts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{HEAD}{GAME}g,p,2,C\ng,q,2,E\n")
    says = r"t\.csv: 3 actions, expected two: C \(2\), D \(1\), E \(1\); give --cooperate C:DEFECTING"
    with pytest.raises(DataError, match=says):
        read_log(path, cooperate="C")


def test_both_actions_named_reject_rows_with_a_third(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{HEAD}{GAME}g,p,2,C\ng,q,2,E\n")
    log = read_log(path, cooperate="C:D")
    assert log.moves["cooperated"].tolist() == [True, False, True]
    assert log.rejects[["line", "reason"]].values.tolist() == [[5, "action is 'E', expected C or D"]]
    assert set(log.games["cooperative_action"]) == {"C"}


def test_the_cooperative_action_of_one_game_is_no_verdict_on_another(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "game_id,game,player,round,action\n" + "a,x,p,1,C\na,x,q,1,D\nb,y,p,1,Left\nb,y,q,1,Right\n"
    )
    with pytest.raises(DataError, match=r"3 actions of y, expected two: Left \(1\), Right \(1\), C \(0\)"):
        read_log(path, cooperate="C")


def test_no_move_at_all(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{HEAD}g,p,1,\ng,q,1,NA\n")
    with pytest.raises(DataError, match=r"t\.csv: no move in column action"):
        read_log(path, cooperate="C")


def test_two_actions_are_fine() -> None:
    check_two({"C": 3}, "C")
    check_two({"C": 3, "D": 1}, "D")
    with pytest.raises(DataError, match="3 actions"):
        check_two({"A": 3, "B": 1}, "C")


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("C", ["C", "D"], ("C", None)),
        ("C:D", ["C", "D", "E"], ("C", "D")),
        ("C:D", ["D"], ("C", "D")),
        ("a:b", ["a:b", "c"], ("a:b", None)),
        ("a:b:c", ["a:b", "c"], ("a:b", "c")),
    ],
)
def test_pairs_of_actions(text: str, labels: list[str], expected: tuple[str, str | None]) -> None:
    found = settle(Settings(cooperate=text), labels)
    assert (found.cooperate, found.defect) == expected


@pytest.mark.parametrize(
    ("text", "error"),
    [("C:", UsageError), ("C:C", UsageError), ("c:D", UnknownNameError), ("C:X", UnknownNameError)],
)
def test_pairs_that_cannot_be(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        settle(Settings(cooperate=text), ["C", "D"])
