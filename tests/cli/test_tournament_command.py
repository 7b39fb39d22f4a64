"""The command `intent tournament`."""

from __future__ import annotations

import json

import typer
from typer.testing import CliRunner

from intent import schema
from intent.cli.tournament import tournament

app = typer.Typer()
app.command()(tournament)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_prints_standings_and_both_matrices() -> None:
    shown = run("--against", "ALLC,ALLD", "--turns", "10")
    assert "2 strategies, 3 matches (prisoner-dilemma-trps, 10 rounds, noise 0, repetitions 1" in shown
    assert "Payoff per round of rows against columns" in shown
    assert "Share of cooperation of rows against columns" in shown


def test_json() -> None:
    found = json.loads(run("--against", "ALLC,ALLD", "--turns", "10", "--game", "prisoner", "--json"))
    assert list(found) == list(schema.JSON_OBJECTS["tournament"])
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
