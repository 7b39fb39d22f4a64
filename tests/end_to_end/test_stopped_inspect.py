"""A person stops an evaluation of Inspect: its log is labelled, retried, labelled again, scanned by name."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.extra("inspect_ai")]
GAMES = 8


def program(name: str) -> str:
    """A command beside this Python."""
    return str(Path(sys.executable).with_name(name))


def called(folder: Path, name: str, *words: str) -> str:
    done = subprocess.run([program(name), *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def labels(folder: Path, log: Path) -> dict:
    return json.loads(called(folder, "intent", "label", str(log), "-o", f"{log.stem}.parquet", "--json"))


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_an_evaluation_that_a_person_stops_is_labelled_and_retried(tmp_path: Path) -> None:
    words = ("-T", f"repetitions={GAMES}", "-T", "rounds=30", "--max-samples", "1", "--log-buffer", "1")
    shown = ("--log-dir", "logs", "--display", "log")
    running = subprocess.Popen(
        [program("inspect"), "eval", "intent/prisoners_dilemma", "--model", "intent/tft", *words, *shown],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        # whoever runs the tests in the background of a shell has interrupts ignored, and so would Inspect
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        while running.poll() is None and not any(b"samples/" in f.read_bytes() for f in logs(tmp_path)):
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=120)
    finally:
        running.kill()
    (stopped,) = logs(tmp_path)
    first = labels(tmp_path, stopped)
    assert 1 <= first["n_games"] < GAMES
    rejects = (tmp_path / f"{stopped.stem}.rejects.csv").read_text(encoding="utf8")
    assert "by whoever cancelled the evaluation, expected a whole game" in rejects
    called(tmp_path, "inspect", "eval-retry", str(stopped), "--log-dir", "logs", "--display", "log")
    (whole,) = set(logs(tmp_path)) - {stopped}
    assert labels(tmp_path, whole)["n_games"] == GAMES
    # in one process: another test has Scout start several
    scan = ("scan", "intent/repeated_play", "-T", str(whole), "--display", "plain", "--max-processes", "1")
    scanned = called(tmp_path, "scout", *scan)
    assert "scan complete" in scanned


def logs(folder: Path) -> list[Path]:
    return sorted((folder / "logs").glob("*.eval"))
