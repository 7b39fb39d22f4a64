"""The command `intent tournament`."""

from __future__ import annotations

import typer
from printed import printed
from typer.testing import CliRunner

from intent.arena.requests import TournamentRequest
from intent.base import codebook
from intent.cli.app import job_command

app = typer.Typer()
app.command()(job_command(TournamentRequest))


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_prints_standings_and_both_matrices() -> None:
    shown = run("--against", "ALLC,ALLD", "--turns", "10")
    assert "2 strategies, 3 matches (prisoner-dilemma-trps, 10 rounds, noise 0, repetitions 1" in shown
    assert "Payoff per round of rows against columns" in shown
    assert "Share of cooperation of rows against columns" in shown


def test_no_workers_means_all_processors() -> None:
    words = ("--against", "ALLC,ALLD", "--turns", "10", "--workers")
    assert run(*words, "0") == run(*words, "1")


def test_json() -> None:
    found = printed(run("--against", "ALLC,ALLD", "--turns", "10", "--game", "prisoner", "--json"))
    assert list(found) == list(codebook.JSON_OBJECTS["tournament"])
    assert found["game"] == "prisoner-dilemma-t4"
    assert found["head_to_head"]["payoff"]["ALLD"] == {"ALLC": 4.0, "ALLD": 1.0}


def test_labels_say_which_canonical_strategy_it_is(tmp_path) -> None:
    folder = str(tmp_path / "t")
    shown = run(
        "--against",
        "TFT,RANDOM",
        "--turns",
        "60",
        "--label",
        "bayes-canonical4",
        "-o",
        folder,
        "--no-figures",
    )
    assert "Shares of labels by bayes-canonical4" in shown


def test_matrices_too_wide_for_a_line_are_left_to_the_files() -> None:
    result = CliRunner().invoke(app, ["--against", "rr20", "--turns", "5", "--repetitions", "1"])
    assert "rows against columns" not in result.stdout
    assert "head-to-head matrices of 20 are too wide to print; -o FOLDER writes them" in result.stderr


def test_one_strategy_alone_has_no_standings() -> None:
    result = CliRunner().invoke(app, ["--against", "TFT", "--turns", "5"])
    assert "1 strategy, 1 match (" in result.stdout
    assert "rank" not in result.stdout
    assert "--against humans gives it opponents" in result.stderr


def test_a_dry_run_without_prices_says_where_they_go() -> None:
    assert "prices in --model-settings" in run("--against", "TFT", "-m", "openai/x", "--dry-run")
