"""`intent validate` prints one JSON object, or tables and notes."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from printed import printed
from typer.testing import CliRunner

from intent.base.json_objects import JSON_OBJECTS
from intent.cli.app import job_command
from intent.logs.validate import ValidateRequest

app = typer.Typer()
app.command()(job_command(ValidateRequest))
run = CliRunner().invoke


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("game,player,round,action\ng,p,1,c\ng,q,1,d\ng,q,1,d\n")
    return path


def test_json_is_one_object(table: Path) -> None:
    result = run(app, [str(table), "--cooperate", "c", "--json"])
    found = printed(result.stdout)
    assert list(found) == list(JSON_OBJECTS["validate"])
    assert (found["format"], found["rejects"], found["games"][0]["cooperative_action"]) == ("tidy", 1, "c")


def test_the_headline_is_one_line_without_trailing_blanks(table: Path) -> None:
    long = table.rename(table.with_name(f"{'a_name_of_more_than_a_line_' * 6}.csv"))
    lines = run(app, [str(long), "--cooperate", "c"]).stdout.splitlines()
    assert lines[0] == f"{long.name}: tidy, 1 game, 2 seats, 2 moves"
    assert all(line == line.rstrip() for line in lines)


def test_tables_and_rejected_lines(table: Path) -> None:
    result = run(app, [str(table), "--cooperate", "c", "--rejects", str(table.parent / "r.csv")])
    assert "tidy, 1 game, 2 seats, 2 moves" in result.stdout
    assert "line 4: a second row for game g, player q, round 1" in result.stderr
    assert (table.parent / "r.csv").is_file()
