"""Files whose first line holds no names: one line says so, `--map header=…` reads them; repeated names."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from intent.base.errors import DataError
from intent.logs.delimited import guessed_names, is_headless
from intent.logs.importer.importing import ImportRequest, import_log
from intent.logs.readers import read_log

PLAY = ((1, "ann", "bob", "CCD", "DCC"), (2, "cid", "dan", "DDC", "CDC"), (3, "eve", "fay", "CDC", "CCD"))
LONG = [
    (g, t, p, m)
    for g, one, two, a, b in PLAY
    for t in (1, 2, 3)
    for p, m in ((one, a[t - 1]), (two, b[t - 1]))
]
BOTH = [(g, t, one, two, a[t - 1], b[t - 1]) for g, one, two, a, b in PLAY for t in (1, 2, 3)]
WIDE = [(p, *m) for _, one, two, a, b in PLAY for p, m in ((one, a), (two, b))]
GAMES = [(one, two, a, b) for _, one, two, a, b in PLAY]
LAB = [
    (s, g, t, a, b, p) for s in (1, 2) for g in (1, 2) for t, (a, b, p) in enumerate(["CD0", "DD1", "CC3"], 1)
]


def lines(rows: object) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in rows)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (LONG, "game+round+player+action"),
        (BOTH, "game+round+player1+player2+action1+action2"),
        (WIDE, "player+r1+r2+r3"),
        (GAMES, "player1+player2+moves1+moves2"),
        ([game[2:] for game in GAMES], "moves1+moves2"),
        ([(1, 1, "C", "D"), (1, 2, "D", "D"), (1, 3, "C", "C")], "game+round+action1+action2"),
        (LAB, "game+player+round+action1+action2+payoff"),
    ],
)
def test_a_file_without_names_says_so_in_one_line(rows, names, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(lines(rows))
    with pytest.raises(
        DataError, match=r"a\.csv line 1: .* no names of columns: give --map header="
    ) as error:
        read_log(path)
    assert f"header={names}," in str(error.value)
    assert "\n" not in str(error.value)


def test_the_first_line_is_a_row_once_the_columns_have_names(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(lines(LONG))
    log = read_log(path, mapping="header=game+round+player+action")
    assert (len(log), len(log.moves)) == (3, 18)
    path.write_text(lines([*LONG, (3, 1, "fay", "C")]))
    log = read_log(path, mapping="header=game+round+player+action")
    assert log.rejects["line"].tolist() == [19]


def test_the_names_are_asked_and_kept(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(lines(BOTH))
    (question,) = import_log(path).to_dict()["questions"]
    assert question["answers"] == ["--map header=game+round+player1+player2+action1+action2"]
    request = ImportRequest(log=path, ask=lambda text, answers: 0, keep=tmp_path / "kept.yaml")
    imported = request.run()
    request.write_outputs(imported)
    assert imported.mapping is not None
    assert imported.mapping.header == ("game", "round", "player1", "player2", "action1", "action2")
    (tmp_path / "folder").mkdir()
    for n in (1, 2):
        (tmp_path / "folder" / f"game_{n}.csv").write_text(lines(BOTH[3 * n - 3 : 3 * n]))
    for log in (path, tmp_path / "folder"):
        assert len(read_log(log, mapping=str(tmp_path / "kept.yaml")).moves) == 6 * (3 if log == path else 2)


def test_the_log_of_a_table_is_read_again_with_its_names(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(lines(LONG))
    settings = read_log(path, mapping="header=game+round+player+action").provenance["settings"]
    assert len(read_log(path, mapping=json.loads(json.dumps(settings))["mapping"])) == 3
    imported = import_log(path, mapping="header=game+round+player+action")
    (tmp_path / "kept.yaml").write_text(imported.mapping.to_yaml())
    settings = read_log(path, mapping=str(tmp_path / "kept.yaml")).provenance["settings"]
    assert len(read_log(path, mapping=json.loads(json.dumps(settings))["mapping"])) == 3


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("game+round+player", "4 fields cut by ',', expected the 3 of --map header"),
        ("a+b+b+c", "two columns are"),
    ],
)
def test_names_that_do_not_fit(header, says, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(lines(LONG))
    with pytest.raises(DataError, match=says):
        read_log(path, mapping=f"header={header}")


def test_what_has_names_takes_none(tmp_path):
    with pytest.raises(DataError, match="its columns have names, expected no --map header"):
        read_log(pd.DataFrame(LONG, columns=list("grpa")), mapping="header=game+round+player+action")


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        ("id,1,2,3,4", ["a,1,0,1,1", "b,0,0,1,0"]),  # rounds
        (",0,1,2", ["0,C,D,C", "1,D,D,C"]),  # as pandas numbers columns
        ("round,player,action", ["1,round,C", "2,player,D"]),
        ("player,choice", ["C,C", "D,C"] * 4),
        ("model,moves", ["gpt,CCDC", "claude,DDCD"]),
        ("A,B,A_choice,B_choice", ["ann,bob,C,D", "ann,bob,D,D", "bob,ann,D,D"]),
        ("text,more", ["x,y", "z,w"]),
    ],
)
def test_names_are_not_taken_for_values(first, rows):
    assert not is_headless(first.split(","), [row.split(",") for row in rows])


def test_guesses_stand_for_every_column():
    assert guessed_names([["x", "", "3.5"], ["y", "", "2.5"]])[1] == "column_2"


def test_names_that_are_repeated_within_a_file_are_no_rows(tmp_path):
    path = tmp_path / "a.csv"
    names = "game,round,player,action\n"
    path.write_text(names + lines(LONG[:6]) + names + lines(LONG[6:]))
    log = read_log(path)
    assert (len(log), len(log.moves), len(log.rejects)) == (3, 18, 0)
    assert log.provenance["notes"][0] == "1 line repeats the names of the columns, and is left out"
