"""The command `intent power`."""

from __future__ import annotations

import pytest
import typer
from printed import printed
from typer.testing import CliRunner

from intent.base.errors import OutputError, UsageError
from intent.base.json_objects import JSON_OBJECTS
from intent.cli.app import job_command
from intent.comparison.requests import PowerRequest

app = typer.Typer()
app.command(context_settings=PowerRequest.context)(job_command(PowerRequest))


SMALL = [
    "--rounds",
    "4",
    "--games",
    "50",
    "--count",
    "status",
    "--check",
    "20",
    "--most",
    "200",
    "--workers",
    "1",
]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments, *SMALL], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_says_how_many_games_it_takes(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    shown = run("0.2", "--icc", "0.5")
    assert "Games per group to see a difference of 0.2 in the share" in shown
    assert "Power, with a design effect of 1.50" in shown


def test_json_and_files(tmp_path) -> None:
    found = printed(run("0.2", "--json", "-o", str(tmp_path / "plan.parquet")))
    assert list(found) == list(JSON_OBJECTS["power"])
    assert found["design"]["opponent"] == "self"
    assert (tmp_path / "plan.parquet").is_file()


def test_base_shares_are_given_one_by_one() -> None:
    found = printed(run("0.1", "--base", "TFT=.2", "--base", "ALLD=.8", "--json"))
    assert found["shares"]["ALLD"][0] == 0.8


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["0.1", "--games", "many"], UsageError),
        (["0.1", "--base", "TFT=much"], UsageError),
        (["0.1", "-o", "plan.doc"], OutputError),
    ],
)
def test_wrong_options_are_refused(arguments: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_a_difference_may_be_negative(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert "to see a difference of -0.2 in the share" in run(
        "-0.2", "--base", "TFT=0.5", "--base", "ALLD=0.5"
    )
    result = CliRunner().invoke(app, ["0.1", "--gamez", "5"])
    assert result.exit_code == 2
