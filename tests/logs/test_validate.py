"""A dry read says what is in a log, what was decided, and what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.base.errors import OutputError
from intent.base.json_objects import JSON_OBJECTS
from intent.logs.validate import validate

HEAD = "round,player1,player2,answer1,answer2,points1,points2,model\n"
GAME = "1,p,q,J,J,8,8,m\n2,p,q,J,F,0,10,m\n3,p,q,F,F,5,5,m\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "w.csv"
    path.write_text(HEAD + GAME + GAME + "1,p,q,J,J,9,8,m\n")
    return path


def test_counts_decisions_and_rejects(pairs: Path) -> None:
    found = validate(pairs)
    assert (found.format, found.n_games, found.n_seats, found.n_moves) == ("pairs", 2, 4, 12)
    assert found.games == (
        {"game": None, "n": 2, "payoff_kind": "reward", "cooperative_action": "J", "note": None},
    )
    assert found.conditions == {"model": 1, "player": 2}
    assert found.first_rejects == ("line 8: payoffs contradict those of the other rounds with these actions",)
    assert "1 games repeat another one move for move; they are kept as repeats" in found.notes


def test_json_keeps_to_the_codebook(pairs: Path) -> None:
    assert list(validate(pairs).to_dict()) == list(JSON_OBJECTS["validate"])


def test_rejects_are_listed_in_a_file_that_is_never_replaced_unasked(pairs: Path, tmp_path: Path) -> None:
    listed = tmp_path / "rejects.csv"
    validate(pairs, rejects=listed)
    assert listed.read_text().splitlines()[1].split(",")[1] == "8"
    with pytest.raises(OutputError, match="exists"):
        validate(pairs, rejects=listed)


def test_where_narrows_the_dry_read(pairs: Path) -> None:
    assert validate(pairs, where={"repetition": ["2"]}).n_games == 1


def test_moves_that_are_no_evidence_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    head = "game,player,round,action,status\n"
    path.write_text(head + "g,p,1,c,parsed\ng,q,1,d,defaulted\ng,r,1,timeout,\ng,p,2,,missing\n")
    found = validate(path, cooperate="c")
    assert (found.n_moves, found.n_missing, found.n_defaulted) == (4, 2, 1)
    assert "2 of 4 moves are missing: they are no evidence" in found.notes
    assert any(note.startswith("1 of 4 moves are defaults for an unreadable reply") for note in found.notes)
    assert any("1 games have more than two players (up to 3): label needs --others" in n for n in found.notes)


def test_opponents_without_rows_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("game,player,round,action,other\ng,p,1,c,d\n")
    notes = validate(path, cooperate="c").notes
    assert "1 seats are opponents known only from another's record: they get no labels" in notes


@pytest.mark.data
def test_public_log(data_dir: Path) -> None:
    found = validate(data_dir / "fairgame" / "results.csv.gz")
    told = {row["game"]: (row["n"], row["cooperative_action"]) for row in found.games}
    assert told["prisoner-dilemma"] == (2700, "OptionB")
    assert told["battle-sexes"] == (900, None)
    assert "2,266 games repeat another one move for move; they are kept as repeats" in found.notes
    assert any("known is not read" in note for note in found.notes)
