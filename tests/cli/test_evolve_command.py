"""The command `intent evolve`."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from intent.arena.requests import EvolveRequest
from intent.cli.app import job_command

app = typer.Typer()
app.command()(job_command(EvolveRequest))


@pytest.fixture
def matrix(tmp_path):
    path = tmp_path / "payoff.csv"
    path.write_text("row,hawk,dove\nhawk,1,6\ndove,2,4\n")
    return str(path)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_prints_equilibria_payoffs_and_stability(matrix):
    shown = run(matrix, "--initial", "2,6", "--runs", "20")
    assert "hawk 2, dove 6: 20 runs" in shown
    assert "takes over from 1" in shown
    assert "strict Nash" in shown


def test_json_alone_on_standard_output(matrix, tmp_path):
    found = json.loads(run(matrix, "--runs", "20", "--json", "-o", str(tmp_path / "out")))
    assert found["stable"]["hawk"]["nash"] is False
    assert found["replicator"] == pytest.approx({"hawk": 2 / 3, "dove": 1 / 3}, abs=1e-6)
    assert (tmp_path / "out" / "equilibria.png").is_file()


def test_mutation(matrix):
    assert "share %" in run(matrix, "--runs", "3", "--mutation", "0.05", "--steps", "500")
