"""A Dask cluster as a user starts it, from the command line: the commands give what they give without it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from intent import generate
from intent.logs.stores import write_log

RUN = "from intent.cli.main import main; main()"


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Path]:
    """The file of a scheduler on loopback with one worker, each a process of its own."""
    pytest.importorskip("distributed")
    path = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    local = ["--no-dashboard", "--scheduler-file", str(path)]
    asked = [
        [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", *local],
        [*dask, "worker", "--nthreads", "1", "--nworkers", "1", "--local-directory", str(tmp_path), *local],
    ]
    started = []
    try:
        for command in asked:
            started.append(
                subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
            deadline = time.monotonic() + 30
            while not path.is_file() and time.monotonic() < deadline:
                time.sleep(0.05)
        yield path
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(timeout=30)


@pytest.mark.slow
def test_shares_are_those_of_one_process(scheduler: Path, tmp_path: Path) -> None:
    write_log(generate("canonical4", 40, eps=0.1), tmp_path / "log")

    def sfem_output(*more: str) -> tuple[str, str]:
        command = [sys.executable, "-c", RUN, "sfem", str(tmp_path / "log"), "--bootstrap", "20"]
        done = subprocess.run(
            [*command, "--json", *more], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
        )
        return done.stdout, done.stderr

    here, there = sfem_output(), sfem_output("--dask", str(scheduler))
    assert there[0] == here[0]
    assert set(there[1].splitlines()) - set(here[1].splitlines()) <= {
        line
        for line in there[1].splitlines()
        if "has no workers yet" in line or line.startswith("contacts 127.0.0.1:")
    }
