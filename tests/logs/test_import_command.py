"""`intent import`: what is shown, asked, kept and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from intent.logs.importer.importing import ImportRequest, import_log
from intent.logs.readers import read_log

LAB = "subject,supergame,period,myChoice,otherChoice\n" + "".join(
    f"{s},{g},{t},{a},{b}\n"
    for s in (1, 2)
    for g in (1, 2)
    for t, (a, b) in enumerate(["10", "01", "11"], start=1)
)
"""Two subjects, two supergames each, actions 1 and 0 of which nobody says what they are."""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    path = tmp_path / "lab.csv"
    path.write_text(LAB)
    return path


def test_what_is_open_is_asked_and_not_read(lab):
    imported = import_log(lab)
    assert (imported.games, imported.exit_code) == (None, 2)
    (question,) = imported.to_dict()["questions"]
    assert question["answers"] == ["--cooperate 1", "--cooperate 0"]
    assert ("myChoice", "action", "its name says so") in imported.columns


def test_an_answer_goes_on(lab):
    texts: list[str] = []

    def first(text: str, answers: tuple[str, ...]) -> int:
        texts.append(text)
        return 0

    imported = import_log(lab, ask=first)
    assert texts == ["no payoffs are there to tell which action is cooperation"]
    assert imported.to_dict() | {"decoded": []} == {
        "format": "import",
        "mapping": {
            "intent_mapping": 1,
            "shape": "long",
            "columns": {
                "round": "period",
                "action": "myChoice",
                "player": "subject",
                "other": "otherChoice",
                "game_id": "supergame",
            },
            "cooperate": "1",
        },
        "n_games": 4,
        "n_players": 2,
        "actions": ["0", "1"],
        "cooperation": ["1"],
        "decoded": [],
        "questions": [],
        "refusal": None,
        "rejects": 0,
    }


def test_one_game_is_decoded_round_by_round(lab):
    decoded = import_log(lab, cooperate="1").decoded
    assert [(d["round"], d["seat"], d["action"], d["cooperated"]) for d in decoded] == [
        (1, 1, "1", True),
        (1, 2, "0", False),
        (2, 1, "0", False),
        (2, 2, "1", True),
        (3, 1, "1", True),
        (3, 2, "1", True),
    ]


def test_the_mapping_and_the_log_are_written(lab, tmp_path):
    request = ImportRequest(log=lab, cooperate="1", keep=tmp_path / "kept.yaml", output=tmp_path / "log")
    request.write_outputs(request.run())
    again = read_log(lab, mapping=str(tmp_path / "kept.yaml"))
    stored = read_log(tmp_path / "log")
    assert again.trajectories().own.tolist() == stored.trajectories().own.tolist()
    assert len(stored) == 4


def test_a_refusal_is_a_question_with_its_options(tmp_path):
    path = tmp_path / "lab.csv"
    rows = "".join(f"s{i},1,{t},{'CD'[(i + t) % 2]}\n" for i in range(6) for t in (1, 2, 3))
    path.write_text("subject,supergame,period,choice\n" + rows)
    imported = import_log(path)
    (question,) = json.loads(json.dumps(imported.to_dict()))["questions"]
    assert "6 players" in question["question"]
    assert "--map by=SESSION" in question["answers"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("intent_mapping: 2\nshape: long\n", "intent_mapping"),
        ("intent_mapping: 1\nshape: lang\n", "did you mean long"),
        ("intent_mapping: 1\nshape: long\ncolumn: {round: period}\n", "column"),
        (
            "intent_mapping: 1\nshape: long\ncolumns: {round: peroid, action: myChoice}\n",
            "did you mean period",
        ),
    ],
)
def test_mappings_that_cannot_be(text, says, lab, tmp_path):
    from intent.base.errors import IntentError

    kept = tmp_path / "kept.yaml"
    kept.write_text(text)
    with pytest.raises(IntentError, match=says) as error:
        read_log(lab, mapping=str(kept))
    assert "\n" not in str(error.value)


def test_whatever_reads_a_foreign_log_says_what_it_was_read_as(lab, caplog):
    with caplog.at_level("INFO", logger="intent.readings"):
        read_log(lab, cooperate="1")
    assert caplog.messages == [
        "lab.csv is read as a row per game, round and player: round=period, action=myChoice, player=subject, "
        "other=otherChoice, game_id=supergame; 1 is cooperation (intent import says why)"
    ]


def test_the_command_line_shows_the_reading_once_beside_the_result(lab):
    from typer.testing import CliRunner

    from intent.cli.app import app

    done = CliRunner().invoke(app, ["label", str(lab), "--cooperate", "1", "--json"])
    assert done.stderr.count("lab.csv is read as a row per game, round and player: round=period") == 1
    assert json.loads(done.stdout)["n"] == 4
    assert "is read as" not in CliRunner().invoke(app, ["import", str(lab), "--cooperate", "1"]).output


def test_a_log_in_a_format_of_its_own_needs_no_such_line(tmp_path, caplog):
    path = tmp_path / "tidy.csv"
    path.write_text("game_id,player,round,action\n1,a,1,C\n1,b,1,D\n")
    with caplog.at_level("INFO", logger="intent.readings"):
        read_log(path, cooperate="C")
    assert caplog.messages == []


def first_line(path: Path, **options: str) -> str:
    return str(next(iter(import_log(path, **options).parts())))


def test_columns_of_rounds_are_no_conditions(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("subject,opponent,r1,r2,r3,age\na,b,C,D,C,30\nb,a,D,D,C,40\n")
    imported = import_log(path)
    assert [column for column, what, _ in imported.columns if what == "condition"] == ["age"]
    (tmp_path / "kept.yaml").write_text(imported.mapping.to_yaml())
    again = import_log(path, mapping=str(tmp_path / "kept.yaml"))
    assert [row for row in again.columns if row[1] != "condition"] == [
        ("r{round}", "action", "the mapping says so"),
        ("subject", "player", "the mapping says so"),
        ("opponent", "other_player", "the mapping says so"),
    ]


def test_what_a_reading_uses_is_no_condition(tmp_path):
    path = tmp_path / "people.csv"
    rows = ["1,PD,1,8,1", "1,PD,0,10,0", "1,PD,0,5,1", "1,BoS,1,7,1", "1,BoS,0,0,0", "1,BoS,0,10,1"]
    path.write_text("\n".join(["id,game,action,score,coordination", *rows]) + "\n")
    assert ("score", "payoff", "it fits the others") in import_log(path).columns


def test_both_players_in_a_row_are_shown_as_the_file_calls_them(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(
        "round,player1,player2,answer1,answer2,points1,points2\n1,a,b,J,J,8,8\n2,a,b,J,F,0,10\n3,a,b,F,F,5,5\n"
    )
    imported = import_log(path)
    assert imported.format == "pairs"
    assert ("answer1 | answer2", "action", "a column for each seat") in imported.columns
    assert not any(column.startswith("_") for column, _, _ in imported.columns)


def test_seats_in_which_nobody_is_named_are_no_players(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("moves1,moves2\nCCD,DCC\nCDD,DCD\n")
    assert first_line(path).startswith(
        "games.csv: import, 2 games, 4 seats, in which nobody is named; actions C, D;"
    )


def test_many_actions_are_counted():
    from intent.logs.importer.importing import _listed

    assert _listed([str(i) for i in range(20)]) == "0, 1, 2, 3, 4, 5, 6, 7 … (20 of them)"
    assert _listed(["C", "D"]) == "C, D"
