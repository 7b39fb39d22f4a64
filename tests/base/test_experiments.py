"""Code of one study, beside its experiment: found by name, or in a folder that is named."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import intent
from intent.base.errors import UnknownNameError, UsageError
from intent.base.experiments import VARIABLE, experiment_code, experiments
from intent.cli.main import main
from intent.logs.stores import write_log
from intent.report.results import papers, results

WRITER = """
from intent.report.results import Collected
from .words import ANSWER

def write_results(log, folder, *, seed, bootstrap, image, overwrite):
    collected = Collected(ANSWER, folder, {})
    collected.note(f"{len(log.games)} games")
    return collected
"""


def study(place: Path, name: str, code: str = WRITER) -> Path:
    """The folder of an experiment with code that names itself."""
    folder = place / name
    folder.mkdir(parents=True)
    (folder / "results.py").write_text(code)
    (folder / "words.py").write_text(f"ANSWER = {name!r}")
    return folder


@pytest.fixture
def log() -> intent.GameLog:
    return intent.generate("TFT", 2, seed=1)


def test_ours_are_known_by_name() -> None:
    assert list(experiments("results")) == ["agent_architectures", "private_deliberation"]
    assert experiments("chain").keys() == {"llm_strategies"}
    assert papers()[:2] == ["agent_architectures", "private_deliberation"]
    assert callable(experiment_code("llm_strategies", "chain").run_chain)


def test_folders_that_the_user_lists_come_after_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: intent.GameLog
) -> None:
    study(tmp_path / "a", "mine")
    study(tmp_path / "b", "agent_architectures")
    monkeypatch.setenv(VARIABLE, os.pathsep.join([str(tmp_path / "a"), str(tmp_path / "b"), ""]))
    collected = results(log, "mine", tmp_path / "out")
    assert (collected.paper, collected.notes) == ("mine", ["2 games"])
    assert not experiments("results")["agent_architectures"].is_relative_to(tmp_path)


def test_a_folder_is_written_with_a_slash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: intent.GameLog, capsys: pytest.CaptureFixture[str]
) -> None:
    study(tmp_path, "other")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownNameError, match="unknown paper 'other'"):
        results(log, "other", "out")
    for text in ("./other", str(tmp_path / "other")):  # as an experiment file could say it
        with pytest.raises(UnknownNameError, match="unknown paper"):
            results(log, text, "out")
    assert results(log, Path("other"), "out").paper == "other"
    write_log(log, tmp_path / "log")
    with pytest.raises(SystemExit, match="0"):
        main(["results", "log", "--paper", f"{tmp_path}/other", "-o", "out", "--json"])
    made = json.loads(capsys.readouterr().out)
    assert (made["paper"], made["notes"]) == ("other", ["2 games"])


def test_code_that_came_with_a_log_is_not_run(tmp_path: Path, log: intent.GameLog) -> None:
    write_log(log, tmp_path / "log")
    folder = study(tmp_path / "log", "theirs", "raise SystemExit")
    with pytest.raises(UsageError, match="code that came with the log is not run"):
        results(tmp_path / "log", folder, tmp_path / "out")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (None, "no results.py in it, expected the folder of an experiment"),
        ("1 / 0", r"results.py cannot be loaded: ZeroDivisionError: division by zero"),
        ("write_results = None", "has no function write_results"),
    ],
)
def test_what_cannot_be_used_is_one_line(
    tmp_path: Path, log: intent.GameLog, code: str | None, message: str
) -> None:
    folder = tmp_path / "empty" if code is None else study(tmp_path, "broken", code)
    with pytest.raises(UsageError, match=message):
        results(log, folder, tmp_path / "out")


def test_an_unknown_experiment_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="agent_architectures"):
        experiment_code("agent_architecture", "results")


def test_the_wheel_carries_every_folder_with_code() -> None:
    root = Path(__file__).resolve().parents[2]
    shipped = (root / "pyproject.toml").read_text()
    for path in (root / "experiments").glob("*/*.py"):
        folder = f"experiments/{path.parent.name}"
        whole, alone = (
            f'"{place}" = "intent/_shipped/{place}"' for place in (folder, f"{folder}/{path.name}")
        )
        assert whole in shipped or alone in shipped
