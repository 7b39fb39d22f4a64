"""The command `intent sampling`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from intent.base.errors import UsageError
from intent.cli.app import app


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["sampling", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_prints_tests_and_one_object(tmp_path: Path) -> None:
    said = " ".join(str(k % 10) for k in range(100))
    options = ["-m", f"scripted/says:{said}", "-o", str(tmp_path / "s"), "--distributions", "poisson(4)"]
    shown = run(*options)
    assert "100/100" in shown
    assert "honest sampler" in shown
    found = json.loads(run(*options, "--json"))
    assert found["verdict"] == "none compatible"
    assert found["distributions"][0]["mean"] == 4.5


def test_a_second_model_is_refused_and_not_dropped(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="-m a, b: expected one model"):
        run("-m", "a", "-m", "b", "-o", str(tmp_path / "s"))
