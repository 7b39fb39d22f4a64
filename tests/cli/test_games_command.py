"""The command `intent games`."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from intent.base.errors import UsageError
from intent.cli.app import job_command
from intent.games.listing import GamesRequest

app = typer.Typer()
app.command()(job_command(GamesRequest))


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_lists_all_games() -> None:
    shown, rows = run(), json.loads(run("--json"))["games"]
    assert all(row["name"] in shown for row in rows)


def test_shows_the_matrix_of_one_game() -> None:
    shown = run("prisoner-dilemma")
    assert shown.startswith("prisoner-dilemma: penalty, lower is better")
    assert "0, 10" in shown
    assert "cooperation  OptionB" in shown


def test_one_game_as_json() -> None:
    (row,) = json.loads(run("x-parameterised", "--x", "3.1", "--json"))["games"]
    assert row["payoffs"]["Compete,Cooperate"] == [3.1, 0]
    (row,) = json.loads(run("--payoffs", "10,6,2,0", "--payoff-kind", "penalty", "--json"))["games"]
    assert (row["kind"], row["cooperative_action"]) == ("penalty", "D")


@pytest.mark.extra("nashpy")
def test_one_game_with_all_its_equilibria() -> None:
    (row,) = json.loads(run("chicken", "--json"))["games"]
    assert row["mixed"] == [[pytest.approx(2 / 3), pytest.approx(2 / 3)]]
    assert row["focal"] is None
    assert row["correlated"]["Swerve,Swerve"] == pytest.approx(0.5)
    assert "correlated   Swerve, Swerve with 0.5" in run("chicken")
    (row,) = json.loads(run("public-goods", "--json"))["games"]
    assert row["pareto"] is row["correlated"] is None


@pytest.mark.parametrize(
    "arguments",
    [["--x", "3"], ["--scale", "2"], ["pd", "--payoffs", "5,3,1,0"], ["pd", "--payoff-kind", "reward"]],
)
def test_options_without_their_game_are_refused(arguments: list[str]) -> None:
    with pytest.raises(UsageError):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
