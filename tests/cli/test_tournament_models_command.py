"""``intent tournament --model``."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from intent.arena.requests import TournamentRequest
from intent.base.errors import UsageError
from intent.cli.app import job_command

app = typer.Typer()
app.command()(job_command(TournamentRequest))


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_models_stand_in_the_standings(tmp_path):
    folder = str(tmp_path / "t")
    found = json.loads(run("--against", "ALLC,TFT", "-m", "scripted/says:D", "--json", "-o", folder))
    assert (found["turns"], found["repetitions"], found["n"], found["matches"]) == (10, 1, 3, 6)
    assert found["standings"][0]["name"] == "scripted/says:D"
    assert found["standings"][0]["group"] == "model"
    assert (tmp_path / "t" / "models" / "run.json").is_file()
    again = json.loads(run("--against", "ALLC,TFT", "-m", "scripted/says:D", "--json", "-o", folder))
    assert again["standings"] == found["standings"]


def test_calls_are_counted_without_asking(tmp_path):
    (tmp_path / "s.yaml").write_text("prices: {openai/gpt-4o: [2.5, 10]}\n")
    shown = run(
        "--against", "ALLC,TFT", "-m", "openai/gpt-4o", "--turns", "5", "--dry-run",
        "--model-settings", str(tmp_path / "s.yaml"),
    )  # fmt: skip
    assert shown.startswith("3 games, 20 calls, about 0.")


def test_what_does_not_go_together():
    with pytest.raises(UsageError, match="-o FOLDER"):
        run("--against", "ALLC", "-m", "scripted/says:D")
