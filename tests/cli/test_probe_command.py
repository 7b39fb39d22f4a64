"""The command `intent probe`."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from intent.base.errors import OutputError, UsageError
from intent.cli.app import job_command
from intent.recognise.requests import ProbeRequest

app = typer.Typer()
app.command()(job_command(ProbeRequest))


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_says_what_to_play_and_how_to_try_it() -> None:
    shown = run("--rounds", "6")
    assert "ALLC, ALLD, TFT, WSLS at eps = 0.05" in shown
    assert "99 % take 9 rounds, with the sequence DCDCDCDDC" in shown
    assert "--rounds 6 --eps 0.05 --opponent sequence:DCDCDC" in shown


def test_json_and_files(tmp_path) -> None:
    figure = tmp_path / "probe.png"
    found = json.loads(
        run("--rounds", "4", "--eps", "0-0.2", "--max-rounds", "5", "--json", "-o", str(figure))
    )
    assert found["eps"] == [0.0, 0.2]
    assert found["rounds_needed"] is None
    assert figure.is_file()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(["--eps", "same"], UsageError), (["--eps", "much"], UsageError), (["-o", "probe.doc"], OutputError)],
)
def test_wrong_options_are_refused(arguments: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
