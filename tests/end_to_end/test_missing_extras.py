"""Without an extra: what needs it says the line to install it before any game begins, all else goes on."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from intent.cli.main import main

LINE = "pip install 'strategy-intent[games]'"


@pytest.fixture(autouse=True)
def _no_nashpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nashpy", None)


def command(*words: str) -> int:
    with pytest.raises(SystemExit) as done:
        main([*words])
    return int(done.value.code or 0)


@pytest.mark.parametrize("how", [[], ["--dry-run"]])
def test_advice_of_the_equilibrium_needs_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], how) -> None:
    experiment = {"name": "x", "model": "scripted/agreeable", "opponent": "scripted/TFT", "rounds": 1}
    file, run = tmp_path / "x.json", tmp_path / "run"
    file.write_text(json.dumps({**experiment, "architecture": "tool", "attitude": "compute"}))
    assert command("play", str(file), "-o", str(run), *how) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert LINE in said.err
    assert not run.exists()


def test_fixed_advice_and_pure_equilibria_do_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiment = {"name": "x", "model": "scripted/agreeable", "opponent": "scripted/TFT", "rounds": 1}
    (tmp_path / "x.json").write_text(
        json.dumps({**experiment, "architecture": "tool", "attitude": "cooperate"})
    )
    assert command("play", str(tmp_path / "x.json"), "-o", str(tmp_path / "run"), "--no-track", "--json") == 0
    assert json.loads(capsys.readouterr().out)["state"] == "finished"
    assert command("games", "chicken", "--json") == 0
    (told,) = json.loads(capsys.readouterr().out)["games"]
    assert (told["mixed"], len(told["equilibria"])) == (None, 2)
    assert told["correlated"]["Swerve,Swerve"] == pytest.approx(0.5)


@pytest.mark.parametrize("words", [["check", "{}"], ["write", "scripted/strategist", "-o", "{}.out"]])
def test_the_fallback_of_the_sandbox_needs_its_library(tmp_path, monkeypatch, capsys, words) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    file = tmp_path / "mine.py"
    file.write_text("def strategy(self, opponent):\n    return axl.Action.C\n")
    assert command("strategies", *(word.format(file) for word in words), "--engine", "monty") == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "pip install 'strategy-intent[sandbox]'" in said.err
