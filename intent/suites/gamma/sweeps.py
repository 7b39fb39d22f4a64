"""Scores over the levels of what was varied, as the paper lays them out: games by levels, settings by game.

References
----------
Huang et al. 2024, arXiv:2403.11807, tables 5 to 8 and 11 to 21: a score per level, and at the right the mean
and the sample deviation over levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from intent.games.gamma.catalogue import GAMMA_GAMES
from intent.suites.gamma.leaderboard import TITLES, Cell, cell, check_score, in_cell, ruled

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OVERALL", "SETTING", "Sweep", "SweepRow", "sweep_frame", "sweep_markdown", "sweeps_of"]

SETTING = "setting"
"""The factor whose levels are parameters of a game."""

OVERALL = "overall"


@dataclass(frozen=True)
class SweepRow:
    """One line of a sweep.

    Parameters
    ----------
    model : str
        With the levels of what is held.
    game : str, or `OVERALL`
    setting : str
        That of all cells, unless settings are the levels.
    cells : tuple of Cell or None, by level
        Mean and deviation over runs.
    """

    model: str
    game: str
    setting: str
    cells: tuple[Cell | None, ...]

    @property
    def average(self) -> Cell:
        """Mean and sample deviation over the levels that were played."""
        return cell(one.mean for one in self.cells if one is not None)


@dataclass(frozen=True)
class Sweep:
    """Scores over the levels of one factor, all else held.

    Parameters
    ----------
    factor : str
    about : str
        Who it is of; the game, where settings are the levels.
    levels : tuple of str
    rows : tuple of SweepRow
        One per game and at last overall; one per model, where settings are the levels.
    """

    factor: str
    about: str
    levels: tuple[str, ...]
    rows: tuple[SweepRow, ...]


def sweeps_of(rows: Iterable[Mapping[str, Any]]) -> list[Sweep]:
    """A table for every factor of which a model has two levels or more, and for every game with two settings.

    Parameters
    ----------
    rows : of mappings with
        model, game, setting, run, score; base (whether the setting is the one that counts overall); levels
        (factor -> level). One row per run.

    Notes
    -----
    A factor that another one determines (the company, where a treatment names it) is not held beside it.

    Raises
    ------
    DataError
        As `intent.suites.gamma.leaderboard.check_score`.
    """
    rows = list(rows)
    for row in rows:
        check_score(row["model"], row["game"], row["score"])
    factors = list(dict.fromkeys(factor for row in rows for factor in row["levels"]))
    found = [one for factor in factors for one in _over_levels(factor, factors, rows)]
    return found + [one for game in GAMMA_GAMES if (one := _over_settings(game, rows)) is not None]


def sweep_markdown(sweeps: Sequence[Sweep]) -> str:
    """One Markdown table per sweep, under a line with what varies and whose scores they are."""
    parts = []
    for one in sweeps:
        first = "Model" if one.factor == SETTING else "Game"
        header = [first, *(in_cell(level) for level in one.levels), f"Mean over {in_cell(one.factor)}"]
        body = []
        for row in one.rows:
            name = row.model if one.factor == SETTING else _titled(row)
            shown = ["–" if c is None else str(c) for c in row.cells]
            body.append([in_cell(name), *shown, str(row.average)])
        parts.append(f"**{in_cell(one.factor)}** · {in_cell(one.about)}\n\n{ruled(header, body)}")
    return "\n".join(parts)


def sweep_frame(sweeps: Sequence[Sweep]) -> pd.DataFrame:
    """One row per cell: factor, model, game, setting, level, mean, sd, n.

    A row without a level has mean and deviation over levels, with n of them.
    """
    import pandas as pd

    columns = ["factor", "model", "game", "setting", "level", "mean", "sd", "n"]
    table = []
    for one in sweeps:
        for row in one.rows:
            for level, c in (*zip(one.levels, row.cells, strict=True), (None, row.average)):
                setting = level if one.factor == SETTING else row.setting
                if c is not None:
                    table.append((one.factor, row.model, row.game, setting, level, c.mean, c.sd, c.n))
    return pd.DataFrame(table, columns=columns)


def _over_levels(factor: str, factors: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[Sweep]:
    """The sweeps of one factor: one per model and levels of the others."""
    mine = [row for row in rows if factor in row["levels"]]
    held = [other for other in factors if other != factor and not _determined(other, factor, mine)]
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in mine:
        groups.setdefault(_who(row, held), []).append(row)
    found = []
    for who, members in groups.items():
        levels = _ordered({str(row["levels"][factor]) for row in members}, members, factor)
        if len(levels) < 2:
            continue
        by_level = {level: [r for r in members if str(r["levels"][factor]) == level] for level in levels}
        keys = dict.fromkeys((row["game"], row["setting"]) for row in members)
        lines = [
            SweepRow(who, game, setting, tuple(_cell(by_level[level], game, setting) for level in levels))
            for game, setting in sorted(keys, key=lambda key: list(GAMMA_GAMES).index(key[0]))
        ]
        lines.append(SweepRow(who, OVERALL, "", tuple(_overall(by_level[level]) for level in levels)))
        kept = tuple(line for line in lines if sum(c is not None for c in line.cells) > 1)
        if kept:
            found.append(Sweep(factor, who, tuple(levels), kept))
    return found


def _over_settings(game: str, rows: Sequence[Mapping[str, Any]]) -> Sweep | None:
    """The settings of a game: a row per model and levels of all factors."""
    mine = [row for row in rows if row["game"] == game]
    settings = list(dict.fromkeys(str(row["setting"]) for row in mine))
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in mine:
        groups.setdefault(_who(row, list(row["levels"])), []).append(row)
    lines = tuple(
        SweepRow(who, game, "", tuple(_cell(members, game, setting) for setting in settings))
        for who, members in groups.items()
        if len({row["setting"] for row in members}) > 1
    )
    return Sweep(SETTING, TITLES[game], tuple(settings), lines) if lines else None


def _determined(other: str, factor: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every level of a factor comes with one level of the other, and the other varies."""
    seen: dict[Any, set[str]] = {}
    for row in rows:
        seen.setdefault(row["levels"][factor], set()).add(str(row["levels"].get(other)))
    return all(len(values) == 1 for values in seen.values()) and len(set().union(*seen.values())) > 1


def _who(row: Mapping[str, Any], held: Sequence[str]) -> str:
    told = [f"{name}={row['levels'][name]}" for name in held if name in row["levels"]]
    return f"{row['model']} ({', '.join(told)})" if told else str(row["model"])


def _ordered(levels: set[str], rows: Sequence[Mapping[str, Any]], factor: str) -> list[str]:
    """Numbers by size, others as they come."""
    try:
        return sorted(levels, key=float)
    except ValueError:
        return list(dict.fromkeys(str(row["levels"][factor]) for row in rows))


def _cell(rows: Iterable[Mapping[str, Any]], game: str, setting: str) -> Cell | None:
    scores = [row["score"] for row in rows if (row["game"], row["setting"]) == (game, setting)]
    return cell(scores) if scores else None


def _overall(rows: Iterable[Mapping[str, Any]]) -> Cell | None:
    """Over runs, of the mean over the eight games; None where no run has them all."""
    runs: dict[Any, dict[str, float]] = {}
    for row in rows:
        if row["base"]:
            runs.setdefault(row["run"], {})[row["game"]] = row["score"]
    whole = [fmean(games.values()) for games in runs.values() if len(games) == len(GAMMA_GAMES)]
    return cell(whole) if whole else None


def _titled(row: SweepRow) -> str:
    title = TITLES.get(row.game, "Overall")
    return title if row.setting in ("", "default") else f"{title} ({row.setting})"
