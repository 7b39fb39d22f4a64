"""A tournament that was played, as the matches that evolution draws from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, located
from intent.workflows.tournament_files import RESULT

if TYPE_CHECKING:
    from intent.arena.evolution.pool import By
    from intent.workflows.evolve_source import Source

__all__ = ["is_tournament", "tournament_source"]

_FACTS = ("turns", "noise", "repetitions", "game", "engine")
_LONGEST = 64 * 2**20
_COLUMNS = ("name", "group", "opponent", "payoff")


def is_tournament(path: Path) -> bool:
    """Whether a folder is one of ``intent tournament``."""
    return (path / RESULT).is_file()


def tournament_source(folder: Path, by: By | None) -> Source:
    """The pool of a tournament's pairs: means over the repetitions of each.

    Parameters
    ----------
    folder : path
    by : {"group", "strategy"}, optional
        Default: by group where every strategy has one, and they were not played as agents.

    Raises
    ------
    DataError
        A file that is missing or not what it should be.
    UsageError
        Pairs that were not played.
    """
    import numpy as np

    from intent.arena.evolution.pool import group_places, pool_of_means
    from intent.logs.tablefile import read_table
    from intent.workflows.evolve_source import Source

    told, source = _read(folder / RESULT), folder / "pairs.csv"
    pairs, _ = read_table(source)
    if missing := [name for name in _COLUMNS if name not in pairs.columns]:
        raise DataError(located(source, f"no column {missing[0]}"))
    own = pairs.drop_duplicates("name")
    names = [str(name) for name in own["name"]]
    groups = [str(g) if known else None for g, known in zip(own["group"], own["group"].notna(), strict=True)]
    place = {name: i for i, name in enumerate(names)}
    payoffs = np.full((len(names), len(names)), np.nan)
    try:
        rows = [place[str(name)] for name in pairs["name"]]
        columns = [place[str(name)] for name in pairs["opponent"]]
        payoffs[rows, columns] = pairs["payoff"].to_numpy(dtype=float)
    except (KeyError, ValueError) as error:
        raise DataError(located(source, f"not the pairs of a tournament: {error}")) from None
    config = told.get("config")
    if by is None and isinstance(config, dict) and config.get("agents"):
        by = "strategy"
    pool = pool_of_means(names, group_places(names, groups, by), payoffs)
    notes = []
    if (told.get("repetitions") or 1) > 1:
        notes.append(
            "of a tournament, means over the repetitions of a pair are taken; give the strategies themselves "
            "for single matches to be drawn"
        )
    return Source(pool, {name: told.get(name) for name in _FACTS}, _left_out(told), notes, folder.name)


def _left_out(told: dict[str, Any]) -> dict[str, str]:
    listed = told.get("left_out")
    rows = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {str(one.get("name")): str(one.get("reason")) for one in rows}


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _LONGEST:
            raise DataError(located(path, f"more than {_LONGEST // 2**20} MiB, expected a tournament"))
        told = json.loads(path.read_text("utf8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(located(path, f"cannot be read: {error}")) from None
    if not isinstance(told, dict):
        raise DataError(located(path, "no JSON object, expected a tournament"))
    return told
