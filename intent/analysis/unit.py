"""The unit of independence: who or what was drawn, read off the design of a table.

A subject who plays ten games is one draw; a prompt condition that is repeated ten times is one draw for what
is said of conditions like it, and ten for what is said of these conditions. Every command that gives an
interval or a p takes its unit from `design_units`.

References
----------
Abadie, Athey, Imbens & Wooldridge (2023), Quarterly Journal of Economics 138:1 (cluster by how units were
drawn and treated); Cameron & Miller (2015), Journal of Human Resources 50:317 (two-way clusters);
Fréchette (2012), Experimental Economics 15:485 (sessions).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.groups import cluster_codes, grouping
from intent.errors import UsageError

__all__ = ["CELL", "SESSIONS", "DesignUnits", "Unit", "design_units"]

Codes = NDArray[np.intp]
Kind = Literal["session", "component", "player", "condition", "game", "row", "cluster"]

CELL = ("cell",)
"""What ``--cluster`` says for conditions, unless the table has a column of that name."""

SESSIONS = ("session", "session_id", "session_code", "matching_group", "matchinggroup", "cohort", "silo")
"""Columns that name who could meet whom, as laboratories call them; case, dots and spaces do not matter."""

FEWEST = 5
"""Units that each group needs before the wider claim is made."""

_NOUNS: dict[str, tuple[str, str]] = {
    "session": ("session", "sessions"),
    "component": ("group of subjects who met", "groups of subjects who met"),
    "player": ("subject", "subjects"),
    "condition": ("condition", "conditions"),
    "game": ("game", "games"),
    "row": ("row", "rows"),
}

_QUESTIONS: dict[str, str] = {
    "session": "in sessions like these",
    "component": "among subjects like these",
    "player": "among subjects like these",
    "condition": "in conditions like these",
    "game": "in these conditions",
    "row": "in rows like these",
    "cluster": "in clusters like these",
}


@dataclass(frozen=True, eq=False)
class Unit:
    """What is independent.

    Parameters
    ----------
    kind : str
        session, component (of subjects who met), player, condition, game, row, or cluster (columns that the
        user names).
    codes : (n,) int
        Unit of each row.
    columns : tuple of str
        Columns that name it; empty for rows.
    question : str
        What a claim on this unit is about, as "in conditions like these".
    reason : str
        Why this is the unit, in words.
    also : (n,) int, optional
        Second way of a two-way clustering: games, where subjects who return have all met.
    """

    kind: Kind
    codes: Codes
    columns: tuple[str, ...]
    question: str
    reason: str
    also: Codes | None = None

    @property
    def n(self) -> int:
        """Number of units."""
        return len(np.unique(self.codes))

    @property
    def noun(self) -> str:
        """The plural: subjects, conditions, games, ..."""
        return self._nouns()[1]

    def counted(self, number: int | None = None) -> str:
        """So many of them in words: ``266 subjects``."""
        n = self.n if number is None else number
        return f"{n:,} {self._nouns()[n != 1]}"

    def line(self) -> str:
        """Which unit it is and why, in one line."""
        ways = " and the game (two ways)" if self.also is not None else ""
        return f"unit of independence: the {self._nouns()[0]}{ways}, {self.counted()}; {self.reason}"

    def one_way(self) -> Unit:
        """The same without the second way, for errors that know one; the reason says so."""
        if self.also is None:
            return self
        return replace(self, also=None, reason=f"{self.reason}, and these errors know one way of the two")

    def _nouns(self) -> tuple[str, str]:
        if self.kind != "cluster":
            return _NOUNS[self.kind]
        name = " × ".join(self.columns)
        return f"cluster of {name}", f"clusters of {name}"


@dataclass(frozen=True, eq=False)
class DesignUnits:
    """The unit of a design, and the narrower one where a narrower claim can be made too.

    Parameters
    ----------
    unit : Unit
        The widest that every group has enough of.
    narrow : Unit, optional
        Beside it, for the claim about these very conditions (or sessions) alone.
    notes : tuple of str
        Wider claims that cannot be made, and why; clusters that are narrower than the design.
    players : (n,) int, optional
        Player of each row, where players return: all games of a player are one observation of a strategy.
    """

    unit: Unit
    narrow: Unit | None = None
    notes: tuple[str, ...] = ()
    players: Codes | None = None

    @property
    def units(self) -> tuple[Unit, ...]:
        """The wide one first."""
        return (self.unit,) if self.narrow is None else (self.unit, self.narrow)


def design_units(
    table: pd.DataFrame,
    by: Sequence[str] = (),
    cluster: Sequence[str] | None = None,
    *,
    classes: Sequence[str] | None = None,
    conditions: bool = True,
) -> DesignUnits:
    """The unit of independence of a table of labels, metrics or trajectories.

    1. Columns that the user names: these.
    2. Players who return in several games: the session or matching group where the table names one; else the
       connected component of players who met, where every group has `FEWEST` of them; else players and games,
       two ways.
    3. Conditions with several games: the condition, and beside it the game, for the claim about these
       conditions.
    4. The game; without a column ``game_id``, the row.

    A wide unit of which some group has fewer than `FEWEST` gives way to the narrower one, and a note says so.

    Parameters
    ----------
    table : DataFrame
        n rows, one for each focal trajectory (or subject).
    by : columns that make the groups
    cluster : columns, optional
        Named by the user; empty for rows; ``("cell",)`` for conditions. None: read off the design.
    classes : strategies whose posteriors the table holds, as `cell_columns`
    conditions : bool
        Whether repeats of a condition make one unit; not where columns hold results, which would pass for
        conditions, nor for what is said of these conditions alone.

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    UsageError
        A named cluster that cuts through the games of a player who returns.
    """
    players = _returning(table, by)
    if cluster is not None:
        return _named(table, tuple(cluster), classes, players)
    if players is not None:
        return replace(_of_players(table, by, players), players=players)
    if "game_id" not in table.columns:
        if "player" in table.columns and table["player"].notna().all() and table["player"].is_unique:
            return DesignUnits(_unit("player", np.arange(len(table)), ("player",), "a row is a subject"))
        return DesignUnits(
            _unit("row", np.arange(len(table)), (), "no column game_id says what belongs together")
        )
    games = cluster_codes(table, ["game_id"])
    of_games = _unit("game", games, ("game_id",), "no player returns and no condition repeats")
    cells = _conditions(table, games, classes) if conditions else None
    if cells is None:
        return DesignUnits(of_games)
    n_games, n_cells = len(np.unique(games)), len(np.unique(cells))
    why = f"{n_games:,} games repeat {n_cells:,} conditions"
    of_cells = _unit("condition", cells, CELL, why)
    of_games = _unit("game", games, ("game_id",), why)
    lacking = _lacking(table, by, of_cells)
    if lacking:
        return DesignUnits(of_games, notes=(f"{lacking}: what is said holds in these conditions",))
    return DesignUnits(of_cells, of_games)


def _unit(kind: Kind, codes: Codes, columns: Sequence[str], reason: str, also: Codes | None = None) -> Unit:
    return Unit(kind, codes, tuple(columns), _QUESTIONS[kind], reason, also)


def _named(
    table: pd.DataFrame, columns: tuple[str, ...], classes: Sequence[str] | None, players: Codes | None
) -> DesignUnits:
    """The unit that the user names."""
    from intent.analysis.repeats import cell_codes

    if not columns:
        return DesignUnits(_unit("row", np.arange(len(table)), (), "as --cluster says"))
    if columns == CELL and "cell" not in table.columns:
        return DesignUnits(_unit("condition", cell_codes(table, classes=classes), CELL, "as --cluster says"))
    codes = cluster_codes(table, columns)
    kinds: dict[tuple[str, ...], Kind] = {("game_id",): "game", ("player",): "player"}
    kind = kinds.get(columns, "cluster")
    if kind == "cluster" and len(columns) == 1 and _plain(columns[0]) in map(_plain, SESSIONS):
        kind = "session"
    unit = _unit(kind, codes, columns, "as --cluster says")
    cut = None if players is None else _cut(players, codes)
    if cut is None:
        return DesignUnits(unit, players=players)
    name = table["player"].iloc[cut]
    if kind != "game":
        raise UsageError(
            f"--cluster {','.join(columns)} cuts through subjects: player {name} is in several of them, "
            "expected clusters that hold all games of a player, such as player or a session"
        )
    return DesignUnits(
        unit,
        notes=(f"players return (player {name}, for one): games are not independent, as --cluster says",),
    )


def _returning(table: pd.DataFrame, by: Sequence[str]) -> Codes | None:
    """(n,) player of each row, a row without one being its own; None where no player returns in another game.

    A column of players that names the model, or that makes the groups, names no subjects.
    """
    from intent.analysis.design_columns import determines

    if not {"player", "game_id"} <= set(table.columns) or "player" in by:
        return None
    known = table["player"].notna()
    if not known.any():
        return None
    if (
        "model" in table.columns
        and table.loc[known, "model"].notna().all()
        and determines(table, "model", "player")
    ):
        return None
    games = table.loc[known, "game_id"].astype(str).groupby(table.loc[known, "player"].astype(str)).nunique()
    return cluster_codes(table, ["player"]) if bool((games > 1).any()) else None


def _of_players(table: pd.DataFrame, by: Sequence[str], players: Codes) -> DesignUnits:
    """Units of subjects who return: session, component, or subject and game."""
    games = cluster_codes(table, ["game_id"])
    n, n_games = len(np.unique(players)), len(np.unique(games))
    why = f"{n:,} subjects return in {n_games:,} games"
    session = next(
        (c for c in map(str, table.columns) if _plain(c) in map(_plain, SESSIONS) and c not in by), None
    )
    components = _components(players, games)
    n_components = len(np.unique(components))
    if n_components == n:
        subject = _unit("player", players, ("player",), why)
    else:
        joined = _unit("component", components, ("player",), f"{why} and meet each other")
        subject = joined
        if n_components < n and _lacking(table, by, joined):
            subject = _unit("player", players, ("player",), f"{why} and have nearly all met", games)
    if session is None or table[session].isna().any():
        return DesignUnits(subject)
    codes = cluster_codes(table, [session])
    if _cut(players, codes) is not None:
        return DesignUnits(subject, notes=(f"{session} is no unit: some subjects are in several of them",))
    wide = _unit("session", codes, (session,), f"{why}, who could meet within a {session} only")
    lacking = _lacking(table, by, wide)
    if lacking:
        return DesignUnits(subject, notes=(f"{lacking}: what is said holds in these sessions",))
    return DesignUnits(
        wide, Unit("player", subject.codes, ("player",), "in these sessions", why, subject.also)
    )


def _conditions(table: pd.DataFrame, games: Codes, classes: Sequence[str] | None) -> Codes | None:
    """(n,) condition of each row; None where each game has one of its own, or all have the same."""
    from intent.analysis.repeats import cell_codes

    cells = cell_codes(table, classes=classes)
    n_cells = len(np.unique(cells))
    return cells if 1 < n_cells < len(np.unique(games)) else None


def _components(players: Codes, games: Codes) -> Codes:
    """(n,) connected component of each row: players who met, directly or through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    player, game = (np.unique(codes, return_inverse=True)[1] for codes in (players, games))
    n = int(player.max()) + 1
    size = n + int(game.max()) + 1
    graph = coo_array((np.ones(len(player)), (player, game + n)), shape=(size, size))
    return np.asarray(connected_components(graph, directed=False)[1][player], dtype=np.intp)


def _lacking(table: pd.DataFrame, by: Sequence[str], unit: Unit) -> str | None:
    """Which group has too few units for the wider claim, in words; None where each has enough."""
    for column in by or ((),):
        groups = grouping(table, [column] if column else [])
        for g, values in enumerate(groups.values):
            n = len(np.unique(unit.codes[groups.codes == g]))
            if n < FEWEST:
                group = f"{column} {values[0]}" if column else "the table"
                return f"{group} has {unit.counted(n)}, too few (of {FEWEST}) for a claim {unit.question}"
    return None


def _cut(players: Codes, clusters: Codes) -> int | None:
    """A row of a player who is in several clusters; None where nobody is."""
    first = np.full(int(players.max()) + 1, -1, dtype=np.intp)
    first[players[::-1]] = clusters[::-1]
    cut = np.flatnonzero(first[players] != clusters)
    return int(cut[0]) if len(cut) else None


def _plain(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())
