"""The command `intent strategies check`."""

from __future__ import annotations

import json

import pytest
from strategy_files import PUBLISHED
from typer.testing import CliRunner

from intent.arena.engines import engine_status
from intent.base.errors import StrategyError
from intent.cli.app import app


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["strategies", "check", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.fixture
def path(tmp_path):
    if all(engine_status().values()):
        pytest.skip("no engine of the sandbox on this machine")
    file = tmp_path / "set.py"
    file.write_text(PUBLISHED + "\n\ndef odd(history):\n    return history\n", "utf8")
    return str(file)


def test_a_table_of_files_and_the_reasons(path) -> None:
    shown = run(path, "--turns", "5")
    assert "3 of 4 strategies run" in shown
    assert "Aggressive, Neutral" in shown
    assert "takes (history), expected (self, opponent)" in shown


def test_one_object_and_nothing_else(path) -> None:
    found = json.loads(run(path, "--turns", "5", "--json"))
    assert (found["n"], found["ok"]) == (4, 3)
    assert found["failed"] == [{"name": "odd", "reason": "takes (history), expected (self, opponent)"}]


def test_strict_is_an_error(path) -> None:
    with pytest.raises(StrategyError, match="1 of 4"):
        run(path, "--turns", "5", "--strict")
