"""A tournament that was played, as the matches that evolution draws from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UsageError, located
from intent.workflows.tournament_files import RESULT

if TYPE_CHECKING:
    from intent.arena.evolution.pool import By
    from intent.workflows.evolve_source import Source

__all__ = ["is_tournament", "tournament_source"]

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
        Pairs that were not played, or nobody was never at fault.
    """
    import numpy as np

    from intent.arena.evolution.pool import group_places, pool_of_means
    from intent.logs.jsonfile import read_object
    from intent.logs.tablefile import read_table
    from intent.workflows.evolve_source import FACTS, Source

    told, source = read_object(folder / RESULT, "a tournament"), folder / "pairs.csv"
    pairs, _ = read_table(source)
    if missing := [name for name in _COLUMNS if name not in pairs.columns]:
        raise DataError(located(source, f"no column {missing[0]}"))
    left_out = _left_out(told)
    pairs = pairs[~(pairs["name"].isin(list(left_out)) | pairs["opponent"].isin(list(left_out)))]
    if pairs.empty:
        raise UsageError(f"{folder}: no strategy is left to evolve, expected some that were never at fault")
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
    return Source(pool, {name: told.get(name) for name in FACTS}, left_out, notes, folder.name)


def _left_out(told: dict[str, Any]) -> dict[str, str]:
    """Who did not play, or was ever at fault, with the reason."""
    lists = [told.get(key) for key in ("faults", "left_out")]
    rows = [one for listed in lists if isinstance(listed, list) for one in listed if isinstance(one, dict)]
    return {str(one.get("name")): str(one.get("reason")) for one in rows}
