"""A scan of Scout's that is stopped by Ctrl+C ends soon, says so, and keeps what it has."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("inspect_scout", reason="needs the extra inspect")

TRANSCRIPTS = 120
"""A minute of reading: Scout says how far it is every few seconds, and must not be done by then."""
TEXT = "f(a,b)\n" * 2_800
"""Takes as long as anything to read: some .8 s for twenty rounds of it."""


def write_log(folder: Path) -> None:
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalPlan,
        EvalSample,
        EvalSpec,
        write_eval_log,
    )
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    chat = [message(content=TEXT) for _ in range(20) for message in (ChatMessageUser, ChatMessageAssistant)]
    samples = [
        EvalSample(id=f"s{k}", epoch=1, input="", target="", messages=chat) for k in range(TRANSCRIPTS)
    ]
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="t",
        model="mockllm/model",
        dataset=EvalDataset(),
        config=EvalConfig(),
    )
    log = EvalLog(version=2, status="success", eval=spec, plan=EvalPlan(), samples=samples)
    write_eval_log(log, str(folder / "log.eval"))


def takes_interrupts(process: int, output: str) -> bool:
    """Whether transcripts are read and interrupts taken: Scout ignores those while it starts processes."""
    ignored = re.search(r"^SigIgn:\s*([0-9a-f]+)$", Path(f"/proc/{process}/status").read_text("utf-8"), re.M)
    assert ignored is not None
    starts_processes = int(ignored[1], 16) >> (signal.SIGINT - 1) & 1
    return re.search(r"scanning: +[1-9]", output) is not None and not starts_processes


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="asks Linux which signals a process ignores"
)
def test_a_stopped_scan_ends_soon_and_can_be_resumed(tmp_path: Path) -> None:
    scout = shutil.which("scout", path=str(Path(sys.executable).parent))
    if scout is None:
        pytest.skip("no command scout beside Python")
    (tmp_path / "logs").mkdir()
    write_log(tmp_path / "logs")
    words = [scout, "scan", "intent/repeated_play", "-T", "logs", "--scans", "scans", "--display", "plain"]
    words += ["--max-processes", "2"]  # each loads Scout anew
    output = tmp_path / "output.txt"
    with output.open("w") as sink:
        scan = subprocess.Popen(
            words,
            cwd=tmp_path,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # whoever runs the tests in the background of a shell has interrupts ignored, and so would Scout
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    try:
        begun = time.monotonic()
        while not takes_interrupts(scan.pid, output.read_text("utf-8")) and scan.poll() is None:
            assert time.monotonic() - begun < 300
            time.sleep(0.1)
        stopped = time.monotonic()
        os.killpg(scan.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            scan.wait(120)
    finally:
        if scan.poll() is None:
            os.killpg(scan.pid, signal.SIGKILL)
    text = output.read_text("utf-8")
    assert time.monotonic() - stopped < 60, text
    assert "scan interrupted, resume scan with:" in text
    assert "Traceback" not in text
    assert "scan complete" not in text
    assert len(list((tmp_path / "scans").glob("*/_scan.json"))) == 1
