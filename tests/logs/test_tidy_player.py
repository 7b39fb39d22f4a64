"""Long tables whose players have weak names or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.base.errors import DataError
from intent.logs.gamelog import GameLog
from intent.logs.readers import read_log

PLAY = [(1, 1, "c", "d"), (1, 2, "d", "d"), (2, 1, "d", "d"), (2, 2, "c", "d")]


def layout(name: str, players: int = 6, treatments: str = "x", head: str = "") -> str:
    """Many players of one session whose game numbers repeat, as in Dal Bó & Fréchette's data."""
    lines = [head or f"{name},game,period,choice,other.choice,treatment"]
    for treatment in treatments:
        for player in range(1, players + 1):
            lines += [f"{player},{g},{t},{own},{other},{treatment}" for g, t, own, other in PLAY]
    return "\n".join(lines) + "\n"


def read(tmp_path: Path, text: str, **options: object) -> GameLog:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return read_log(path, cooperate="c", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["id", "ID", "subject", "subject_id", "pid", "participant"])
def test_a_player_by_a_weak_name(tmp_path: Path, name: str) -> None:
    log = read(tmp_path, layout(name))
    assert (len(log), len(log.rejects), log.seats["player"].nunique()) == (12, 0, 6)
    assert log.games["game_id"][0] == "1-1"
    assert log.conditions == ["treatment"]
    assert log.trajectories().own[:2].tolist() == [[1, 0], [0, 1]]


def test_rows_that_only_a_name_tells_apart(tmp_path: Path) -> None:
    log = read(tmp_path, "game,round,action,pid\ng,1,c,a\ng,1,d,b\ng,2,c,a\ng,2,c,b\n")
    assert log.seats["player"].tolist() == ["a", "b"]


def test_a_number_of_rows_is_no_player(tmp_path: Path) -> None:
    text = "id,game,round,action,other\n1,g,1,c,d\n2,g,2,d,d\n3,g,3,c,c\n"
    log = read(tmp_path, text)
    assert log.games["rounds_played"].tolist() == [3]
    assert log.seats["player"].isna().all()


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        (layout("who"), {}, r"20 of 24 rows are .* same game, round; who would .*: give --map player=who$"),
        (
            layout("id", treatments="xy"),
            {},
            "come back in each treatment, .*: give --map session=treatment or --map by=treatment",
        ),
        (layout("who", treatments="xy"), {}, "who and treatment would .*--map player=who,by=treatment"),
        (
            "game,round,action\ng,1,c\ng,1,d\ng,2,c\ng,2,c\n",
            {},
            "no column is known to be the player, and 2 of 4 rows .*; no column tells them apart",
        ),
        (layout("id"), {"mapping": "seat=id"}, "seats go up to 6, but each row has the move of one opponent"),
    ],
)
def test_tables_without_players_are_refused(
    tmp_path: Path, text: str, options: dict[str, object], says: str
) -> None:
    with pytest.raises(DataError, match=rf"t\.csv: .*{says}"):
        read(tmp_path, text, **options)


def test_the_advice_works(tmp_path: Path) -> None:
    log = read(tmp_path, layout("who", treatments="xy"), mapping="player=who,by=treatment")
    assert (len(log), len(log.rejects)) == (24, 0)


@pytest.mark.parametrize("column", ["seat", "step", "round"])
def test_numbers_from_zero_are_shifted(tmp_path: Path, column: str) -> None:
    rows = {"game": ["g", "g"], "player": ["p", "q"], "round": [1, 1], "action": ["c", "d"]}
    rows[column] = [0, 1] if column == "seat" else [0, 0]
    text = "\n".join(",".join(map(str, row)) for row in [rows.keys(), *zip(*rows.values(), strict=True)])
    log = read(tmp_path, text)
    assert f"{column}s are numbered from 0 in the file and from 1 here" in log.provenance["notes"]
    assert log.moves[column].min() == 1


def test_a_step_below_one_is_a_rejected_row(tmp_path: Path) -> None:
    log = read(tmp_path, "game,player,round,step,action\ng,p,1,1,c\ng,q,1,1,d\ng,p,1,-1,c\n")
    assert log.rejects["reason"].tolist() == ["step is '-1', expected 1 to 100000"]


MEETINGS = {
    "again after somebody else": (
        "period,subject,partner,choice\n"
        + "".join(
            f"{r},{a},{b},C\n"
            for r, partner in enumerate(["bob"] * 2 + ["cat"] * 2 + ["bob"] * 2, start=1)
            for a, b in (("ann", partner), (partner, "ann"))
        ),
        [["ann", "bob"], ["ann", "cat"], ["ann", "bob"]],
    ),
    "at another time for each": (
        "subject,partner,round,choice\nann,bob,1,C\nbob,ann,1,D\nann,bob,2,C\nbob,ann,2,D\ncat,ann,1,C\nann,cat,1,D\n"
        "cat,bob,1,C\nbob,cat,1,C\n",
        [["ann", "bob"], ["ann", "cat"], ["bob", "cat"]],
    ),
    "all with all in each round": (
        "round,subject,partner,choice\n"
        + "".join(f"{r},{a},{b},C\n" for r in (1, 2) for a in "xyz" for b in "xyz" if a != b),
        [["x", "y"], ["x", "z"], ["y", "z"]],
    ),
}


@pytest.mark.parametrize("order", MEETINGS)
def test_the_pair_and_its_order_of_meeting_are_the_game(order: str, tmp_path: Path) -> None:
    text, expected = MEETINGS[order]
    path = tmp_path / "p.csv"
    path.write_text(text)
    log = read_log(path, cooperate="C")
    pairs = log.seats.groupby("game_id")["player"].agg(sorted).tolist()
    assert sorted(pairs) == sorted(expected)
