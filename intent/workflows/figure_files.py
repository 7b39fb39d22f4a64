"""The two files of a figure: the image with its caption, the table with how it came about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.result_files import data_line, kept_in_words

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.workflows.figure_subject import Made, Subject

__all__ = ["log_facts", "write_figure_files", "write_made"]

_FEW = 5
"""Games below which an interval is not to be relied on."""


def log_facts(log: GameLog, source: object) -> dict[str, Any]:
    """Where a log comes from: name of its file (of the run, where it is a run's), hash.

    Parameters
    ----------
    log : GameLog
    source : the path that was read, or the log itself
    """
    told = source if isinstance(source, str | Path) else log.provenance.get("source")
    place = Path(told) if isinstance(told, str | Path) else None
    parts = () if place is None else place.parts[-2:] if place.name == "log" else place.parts[-1:]
    return {"source": "/".join(parts) or None, "sha256": log.provenance.get("sha256")}


def write_figure_files(
    made: Made, subject: Subject, path: Path, settings: Mapping[str, Any], *, overwrite: bool = False
) -> dict[str, Any]:
    """Draw a figure into `path`, and write its table beside it as CSV.

    Returns
    -------
    dict
        file, table (names within the folder), n_games.

    Raises
    ------
    UsageError
        More panels or lines than a figure can show.
    OutputError
        A file cannot be written.
    """
    from intent.analysis.groups import NONE
    from intent.version import __version__

    files = write_made(
        made,
        path,
        title=made.title if subject.name == NONE else f"{made.title}: {subject.name}",
        lines=[*made.lines, _averaged(made, subject), _intervals(made.table, subject), _data(settings)],
        facts={"kind": "figure of play", **settings, "version": __version__},
        overwrite=overwrite,
    )
    return {**files, "n_games": int(subject.table["game_id"].nunique())}


def write_made(
    made: Made,
    path: Path,
    *,
    title: str,
    lines: Sequence[str],
    facts: Mapping[str, Any],
    overwrite: bool = False,
) -> dict[str, str]:
    """Draw a figure into `path`, and write its table beside it as CSV; both hold the facts.

    Returns
    -------
    dict
        file, table (names within the folder).

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    from intent.logs.tablefile import claim_table, write_table
    from intent.report.play_figures import write_play_figure

    numbers = claim_table(path.with_suffix(".csv"), overwrite=overwrite)
    picture = write_play_figure(
        made.draw,
        path,
        title=title,
        lines=lines,
        description=json.dumps(dict(facts), ensure_ascii=True, default=str),
        overwrite=overwrite,
    )
    write_table(made.table.reset_index(drop=True), numbers, facts, overwrite=overwrite)
    return {"file": picture.name, "table": numbers.name}


def _averaged(made: Made, subject: Subject) -> str:
    """What a figure is a mean over, without showing it."""
    from intent.analysis.played import conditions, determined

    if made.shows is None:
        return ""
    shown = {part for name in made.shows for part in name.split(" · ")} | {subject.by}
    by = [name for name in shown if name in subject.table.columns]
    implied = {"persona"} if {"pairing", "composition"} & shown else set()
    names = [name for name in conditions(subject.table) if name not in shown | implied | {"agent_name"}]
    others = [name for name in names if not determined(subject.table, name, by)]
    return f"Not told apart: {', '.join(others)}." if others else ""


def _intervals(table: pd.DataFrame, subject: Subject) -> str:
    """What the intervals are, and where they say little."""
    if "low" not in table.columns:
        return ""
    several = table[table["n_games"] > 1]
    level = subject.intervals.level * 100
    text = f"Lines and bands: {level:g} % intervals that take whole games as independent."
    few, alike = int((table["n_games"] < _FEW).sum()), int((several["low"] == several["high"]).sum())
    if few:
        text += f" {few} of {len(table)} means are of fewer than {_FEW} games, their intervals unreliable."
    if alike:
        text += f" In {alike} of {len(table)} all games are alike, so that their interval has no width."
    return text


def _data(settings: Mapping[str, Any]) -> str:
    return data_line(settings.get("source"), *kept_in_words(settings.get("where", {})))
