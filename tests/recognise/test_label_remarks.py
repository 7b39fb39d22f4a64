"""What `intent label` says of rows and games without labels."""

from __future__ import annotations

from pathlib import Path

from intent.recognise.labels.request import LabelRequest

HEAD = "game_id,round,player,action,points\n"


def remarks(rows: str, folder: Path) -> list[str]:
    """Of the labels of a file."""
    path = folder / "log.csv"
    path.write_text(HEAD + rows, encoding="utf-8")
    return list(LabelRequest(log=path).run().remarks())


def test_the_first_row_that_could_not_be_read_is_shown(tmp_path: Path) -> None:
    whole = "g1,1,a,C,3\ng1,1,b,C,3\ng1,2,a,D,5\ng1,2,b,C,0\ng1,3,a,D,1\ng1,3,b,D,1\n"
    said = remarks(whole + "g2,1,a,C\n", tmp_path)
    assert any(line.startswith("1 row could not be read; the first, log.csv, line 8: ") for line in said)


def test_an_option_is_named_where_nothing_has_a_label(tmp_path: Path) -> None:
    undecided = "g1,1,a,C,3\ng1,1,b,C,3\ng1,2,a,D,5\ng1,2,b,C,0\n"
    assert "1 game got no labels: no cooperative action (--cooperate ACTION names one)" in remarks(
        undecided, tmp_path
    )
