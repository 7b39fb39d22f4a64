"""Every reader and every hostile file: a log with its rejects listed, or one line that names the file.

The files are made by `hostile_files`; each is read in a process of its own, with little memory and time, so
that a bomb fails a test instead of the machine. A reader that joins the registry is in this contract too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hostile_files import FILES

from intent.logs.readers import READERS

SCRIPT = Path(__file__).resolve().parents[1] / "bounded_reading.py"

ERRORS = {"DataError", "LimitError"}
OPTION = "unknown action (--cooperate)"
"""What the options of the tests are refused with, where a file has other actions."""

LARGE = {
    name
    for name in FILES
    if any(
        word in name
        for word in (
            "million",
            "30,000",
            "20,000",
            "25,000",
            "10,000",
            "200,000",
            "300,000",
            "5,000",
            "bomb",
            "16 MB",
            "64 MB",
            "equal",
            "without end",
            "widths",
            "gzips",
            "3,000",
        )
    )
}
"""Files that take a second or more to make or to read."""

needs_fork = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")


def read_all(folder: Path, formats: Sequence[str], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    words = [sys.executable, str(SCRIPT), str(folder), ",".join(formats), *names]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(formats) * len(names)
    yield from rows


def wrong_with(row: dict[str, Any]) -> str:
    """What an outcome breaks of the contract; empty where nothing."""
    told = row["told"]
    if "broken" in row:
        return f"{row['broken']}: {told}\n{row.get('trace', '')}"
    if row["written"]:
        return f"wrote {row['written']}"
    if "error" not in row:
        return "" if row["games"] > 0 else "a log of no games"
    if OPTION in told:
        return "" if "\n" not in told else "several lines"
    if row["error"] not in ERRORS:
        return f"{row['error']}: {told}"
    if "\n" in told or len(told) > 800 or not told.isprintable():
        return f"no single plain line: {told!r}"
    return "" if row["name"] in told else f"does not name the file: {told}"


def failures(rows: Iterator[dict[str, Any]]) -> list[str]:
    return [f"{row['file']} as {row['format']}: {wrong}" for row in rows if (wrong := wrong_with(row))]


@needs_fork
def test_hostile_files_end_in_a_log_or_one_line(tmp_path):
    names = [name for name in FILES if name not in LARGE][::4]
    assert failures(read_all(tmp_path, ["auto"], names)) == []


@needs_fork
@pytest.mark.parametrize(
    "format",
    [
        pytest.param("auto", marks=pytest.mark.slow),
        *(pytest.param(reader, marks=pytest.mark.exhaustive) for reader in READERS),
    ],
)
def test_every_reader_bears_every_hostile_file(tmp_path, format):
    assert failures(read_all(tmp_path, [format], list(FILES))) == []
