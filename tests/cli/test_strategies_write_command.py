"""The command `intent strategies write`."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from intent.arena.engines import engine_status
from intent.base.errors import UsageError
from intent.cli.app import app

needs_engine = pytest.mark.skipif(
    None not in engine_status().values(), reason="needs an engine of the sandbox: seccomp or monty"
)


def run(*arguments):
    result = CliRunner().invoke(app, ["strategies", "write", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result


@needs_engine
def test_prints_a_table_and_one_object(tmp_path):
    asked = ("scripted/strategist", "-o", tmp_path / "w", "-n", 2, "--turns", 20)
    shown = run(*asked).stdout.splitlines()
    assert shown[0].split()[:4] == ["style", "attitude", "attempts", "good"]
    assert [line.split()[1] for line in shown[1:4]] == ["Aggressive", "Cooperative", "Neutral"]
    assert shown[4].startswith("6 of 6 strategies, ")
    assert json.loads(run(*asked, "--json").stdout)["n"] == 6


@needs_engine
def test_says_plainly_when_nothing_plays(tmp_path):
    asked = ("scripted/says:I like games.", "-o", tmp_path / "w", "-n", 1, "--attempts", 2, "--turns", 20)
    result = run(*asked)
    assert "0 of 3 strategies, 18 calls, cost 0" in result.stdout
    assert "0 of 6 attempts ran: 6 no code" in result.stderr


def test_shows_every_prompt_and_asks_nobody(tmp_path):
    (tmp_path / "words_en.txt").write_text("Mine for {rounds}: {attitude}", encoding="utf-8")
    shown = run("openai/none", "--show-prompts", "--prompts", tmp_path, "--style", "default,prose").stdout
    assert "Mine for 1000: aggressive" in shown
    assert shown.count("[plan: ") == shown.count("[convert: ") == 12
    assert "def strategy(self, opponent) -> axl.Action" in shown


def test_counts_before_it_costs():
    shown = run("openai/none", "--dry-run", "-n", 5, "--price", "openai/none=2.5,10").stdout.splitlines()
    assert shown[1].split()[:3] == ["15", "30", "180"]
    found = json.loads(run("openai/none", "--dry-run", "-n", 5, "--json").stdout)
    assert (found["calls"], found["cost"]) == (30, None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no folder for the strategies, expected -o FOLDER"),
        (("-o", "x", "--temperature", "warm"), "--temperature 'warm', expected a number or none"),
    ],
)
def test_wrong_uses(arguments, said):
    with pytest.raises(UsageError, match=said):
        run("scripted/strategist", *arguments)
