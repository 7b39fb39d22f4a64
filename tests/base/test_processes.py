"""Processes of a pool: their variables are the caller's, and they end with it, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from intent.base.workers import open_workers


def variable(name: str) -> str | None:
    return os.environ.get(name)


def test_variables_are_those_of_the_caller_now(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["INTENT_TEST_VARIABLE", "PYTHONSAFEPATH", "OMP_NUM_THREADS"]
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    for value in ("first", "second"):
        monkeypatch.setenv("INTENT_TEST_VARIABLE", value)
        with open_workers(2) as workers:
            assert list(workers.map(variable, names)) == [value, None, "1"]
    assert "PYTHONSAFEPATH" not in os.environ
    assert "OMP_NUM_THREADS" not in os.environ


@pytest.mark.slow  # a process of its own
def test_a_temporary_folder_whose_path_is_too_long_for_a_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    script = tmp_path / "script.py"
    script.write_text(
        "from intent.base.workers import open_workers\n"
        "if __name__ == '__main__':\n"
        "    with open_workers(2) as workers:\n"
        "        print(sum(workers.map(abs, [-1, -2])))\n"
    )
    done = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "TMPDIR": str(deep)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr


@pytest.mark.slow  # waits for processes to end
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill without a word on this system")
def test_a_killed_caller_leaves_no_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, time\n"
        "from intent.base.workers import open_workers\n"
        "def work(path):\n"
        "    open(path, 'w').write(str(os.getpid()))\n"
        "    time.sleep(60)\n"
        "if __name__ == '__main__':\n"
        "    with open_workers(2) as workers:\n"
        f"        list(workers.map(work, [{str(tmp_path / 'one')!r}, {str(tmp_path / 'two')!r}]))\n"
    )
    caller = subprocess.Popen([sys.executable, script])
    paths = [tmp_path / "one", tmp_path / "two"]
    wait_until(lambda: all(path.exists() and path.read_text() for path in paths))
    pids = [int(path.read_text()) for path in paths]
    caller.kill()
    caller.wait()
    wait_until(lambda: not any(runs(pid) for pid in pids))


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/status")
    return not status.exists() or "\nState:\tZ" not in status.read_text()


def wait_until(happens, seconds: float = 60) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, f"not within {seconds} seconds"
        time.sleep(0.05)
