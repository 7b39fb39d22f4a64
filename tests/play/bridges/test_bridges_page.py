"""The page on other libraries: its Python runs as it stands, its commands parse, its file plays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from axelrod_players import quiet_axelrod

from tests.test_gallery import test_a_command_parses

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "bridges.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_commands_parse():
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("intent ")]
    assert len(commands) == 3
    for command in commands:
        test_a_command_parses(command)


@pytest.mark.axelrod
@pytest.mark.slow
def test_the_python_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyspiel", reason="pip install 'strategy-intent[bridges]'")
    pytest.importorskip("pettingzoo", reason="pip install 'strategy-intent[bridges]'")
    try:
        quiet_axelrod()
    except ImportError:
        pytest.skip("pip install 'strategy-intent[axelrod]'")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "bridges.md", "exec"), names)  # noqa: S102 - our own page
    assert "intent memory-two" in capsys.readouterr().out
    assert len(names["log"].moves) == 60
    assert names["state"].move_number() == 10


@pytest.mark.axelrod
@pytest.mark.slow
def test_the_file_plays(tmp_path):
    pytest.importorskip("pyspiel", reason="pip install 'strategy-intent[bridges]'")
    from intent import play_experiment

    (tmp_path / "spiel.yaml").write_text(blocks("yaml")[0])
    log = play_experiment(tmp_path / "spiel.yaml", tmp_path / "run").log
    assert set(log.seats["strategy"]) == {"openspiel:uniform_random", "axelrod:Adaptive"}
    assert len(log.moves) == 400
