"""What is to be scored: files, run folders, logs, and folders of files that GAMA-Bench saved."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["spread"]

_RUN = ("run.json", "log", "games.parquet", "games.csv")
"""One of these is in every run folder and log."""


def spread(sources: Iterable[str | Path]) -> list[str | Path]:
    """The sources, with the JSON files below a folder in its place unless it is a run or a log.

    Files are in the order in which people count: run 2 before run 10. A folder that a leaderboard was written
    into stands for its scores.
    """
    found: list[str | Path] = []
    for source in sources:
        folder = Path(source)
        files: list[Path] = []
        if folder.is_dir() and not any((folder / name).exists() for name in _RUN):
            board = folder / "leaderboard.json"
            files = (
                [folder / "scores.csv"]
                if board.is_file()
                else sorted((path for path in folder.rglob("*.json") if path.is_file()), key=_counted)
            )
        found += files or [source]
    return found


def _counted(path: Path) -> list[tuple[int, str]]:
    """Parts of a path, numbers by their size."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]{1,9})", str(path))
    ]
