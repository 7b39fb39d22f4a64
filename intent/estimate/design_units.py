"""The unit of independence: who or what was drawn, read off the design of a table.

A subject who plays ten games is one draw; a prompt condition that is repeated ten times is one draw for what
is said of conditions like it, and ten for what is said of these conditions. Every command that gives an
interval or a p takes its unit from `design_units`.

Which columns of a table of results say how its games were set up.

Blocks: rows alike in some columns, so that a factor is compared at equal model, persona and game.

Repeats of one condition: cells of the design, whether their games are all the same, their worth.

What is independent among the subjects of an estimate of shares.

References
----------
Abadie, Athey, Imbens & Wooldridge (2023), Quarterly Journal of Economics 138:1 (cluster by how units were
drawn and treated); Cameron & Miller (2015), Journal of Human Resources 50:317 (two-way clusters);
Fréchette (2012), Experimental Economics 15:485 (sessions).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import UnknownNameError, UsageError
from intent.base.statistics import MAX_GROUPS, NONE, cluster_codes, grouping
from intent.base.tables import strategy_classes

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog


__all__ = [
    "CELL",
    "SEAT",
    "SESSIONS",
    "DesignUnits",
    "SubjectUnit",
    "Unit",
    "block_codes",
    "block_sets",
    "cell_codes",
    "cell_columns",
    "copied_games",
    "design_columns",
    "design_units",
    "determines",
    "few_clusters",
    "identical_cells",
    "informative_rows",
    "joined_names",
    "named_unit",
    "own_unit",
    "plain_name",
    "pooled_games",
    "several_clusters",
    "subject_unit",
]


Codes = NDArray[np.intp]
Kind = Literal["session", "component", "player", "condition", "game", "row", "cluster"]

CELL = ("cell",)
"""What ``--cluster`` says for conditions, unless the table has a column of that name."""

SEAT = ("game_id", "seat")
"""Columns of a subject that is one seat of one game."""

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
    bounded : bool
        Whether the claim on `unit` is the narrower one, since units were too few for the wider: whatever is
        said then says so.
    """

    unit: Unit
    narrow: Unit | None = None
    notes: tuple[str, ...] = ()
    players: Codes | None = None
    bounded: bool = False

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
        return _named(table, tuple(cluster), classes, players, by)
    if players is not None:
        return replace(_of_players(table, by, players), players=players)
    if "game_id" not in table.columns:
        if "player" in table.columns and table["player"].notna().all() and table["player"].is_unique:
            return DesignUnits(_unit("player", np.arange(len(table)), ("player",), "a row is a subject"))
        return DesignUnits(
            _unit("row", np.arange(len(table)), (), "no column game_id says what belongs together")
        )
    games = cluster_codes(table, ["game_id"])
    named = "player" in by
    why = f"{'players are what is compared' if named else 'no player returns'} and no condition repeats"
    of_games = _unit("game", games, ("game_id",), why)
    cells = _conditions(table, games, classes) if conditions else None
    if cells is None:
        return DesignUnits(of_games)
    n_games, n_cells = len(np.unique(games)), len(np.unique(cells))
    why = f"{n_games:,} games repeat {n_cells:,} conditions"
    of_cells = _unit("condition", cells, CELL, why)
    of_games = _unit("game", games, ("game_id",), why)
    lacking = _lacking(table, by, of_cells)
    if lacking:
        return DesignUnits(
            of_games, notes=(f"{lacking}: what is said holds in these conditions",), bounded=True
        )
    return DesignUnits(of_cells, of_games)


def _unit(kind: Kind, codes: Codes, columns: Sequence[str], reason: str, also: Codes | None = None) -> Unit:
    return Unit(kind, codes, tuple(columns), _QUESTIONS[kind], reason, also)


def _named(
    table: pd.DataFrame,
    columns: tuple[str, ...],
    classes: Sequence[str] | None,
    players: Codes | None,
    by: Sequence[str],
) -> DesignUnits:
    """The unit that the user names."""
    if not columns:
        return DesignUnits(_unit("row", np.arange(len(table)), (), "as --cluster says"))
    if columns == CELL and "cell" not in table.columns:
        return DesignUnits(_unit("condition", cell_codes(table, classes=classes), CELL, "as --cluster says"))
    codes = cluster_codes(table, columns)
    kinds: dict[tuple[str, ...], Kind] = {("game_id",): "game", ("player",): "player"}
    kind = kinds.get(columns, "cluster")
    if kind == "cluster" and len(columns) == 1 and plain_name(columns[0]) in map(plain_name, SESSIONS):
        kind = "session"
    unit = _unit(kind, codes, columns, "as --cluster says")
    cut = None if players is None else _cut(players, codes)
    if cut is None:
        within = None if players is None else _within_sessions(table, unit, players, by)
        if within is None:
            return DesignUnits(unit, players=players)
        return DesignUnits(
            replace(unit, question="in these sessions"), notes=(within,), players=players, bounded=True
        )
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
    games = (
        table.loc[known, "game_id"]
        .astype(str)
        .groupby(table.loc[known, "player"].astype(str), observed=True)
        .nunique()
    )
    return cluster_codes(table, ["player"]) if bool((games > 1).any()) else None


def _of_players(table: pd.DataFrame, by: Sequence[str], players: Codes) -> DesignUnits:
    """Units of subjects who return: session, component, or subject and game."""
    games = cluster_codes(table, ["game_id"])
    n, n_games = len(np.unique(players)), len(np.unique(games))
    why = f"{n:,} subjects return in {n_games:,} games"
    session = _session(table, by)
    components = _components(players, games)
    n_components = len(np.unique(components))
    if n_components == n:
        subject = _unit("player", players, ("player",), why)
    else:
        joined = _unit("component", components, ("player",), f"{why} and meet each other")
        subject = joined
        if n_components < n and _lacking(table, by, joined):
            subject = _unit("player", players, ("player",), f"{why} and have nearly all met", games)
    if session is None:
        return DesignUnits(subject)
    codes = cluster_codes(table, [session])
    if _cut(players, codes) is not None:
        return DesignUnits(subject, notes=(f"{session} is no unit: some subjects are in several of them",))
    wide = _unit("session", codes, (session,), f"{why}, who could meet within a {session} only")
    here = replace(subject, question="in these sessions")
    lacking = _lacking(table, by, wide)
    if lacking:
        return DesignUnits(here, notes=(f"{lacking}: what is said holds in these sessions",), bounded=True)
    return DesignUnits(wide, replace(here, kind="player", reason=why))


def _session(table: pd.DataFrame, by: Sequence[str]) -> str | None:
    """The column of the session or matching group that each row has, None where there is none."""
    names = map(str, table.columns)
    session = next((c for c in names if plain_name(c) in map(plain_name, SESSIONS) and c not in by), None)
    return None if session is None or table[session].isna().any() else session


def _within_sessions(table: pd.DataFrame, unit: Unit, players: Codes, by: Sequence[str]) -> str | None:
    """A note where subjects who meet within a session only stand in several units of it, else None.

    What these have in common, beside each other's play, is no part of errors by that unit.
    """
    session = _session(table, by)
    if session is None:
        return None
    codes = cluster_codes(table, [session])
    n = len(np.unique(codes))
    if n < 2 or _cut(players, codes) is not None or _cut(unit.codes, codes) is not None or unit.n == n:
        return None
    wide = _unit("session", codes, (session,), "")
    lacking = _lacking(table, by, wide)
    advice = f"{lacking}" if lacking else f"--cluster {session} makes the claim {wide.question}"
    return (
        f"subjects can meet within {wide.counted()} only and may be alike there, which errors by "
        f"{unit.columns[0]} do not count: what is said holds in these sessions; {advice}"
    )


def _conditions(table: pd.DataFrame, games: Codes, classes: Sequence[str] | None) -> Codes | None:
    """(n,) condition of each row; None where each game has one of its own, or all have the same."""
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


def plain_name(name: str) -> str:
    """Letters and digits of a name, in one case."""
    return "".join(c for c in name.casefold() if c.isalnum())


def block_codes(table: pd.DataFrame, columns: Sequence[str]) -> Codes:
    """(n,), number of the block of each row: rows with equal values in all columns; nulls are equal.

    No columns: one block of all rows.

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    """
    codes = np.zeros(len(table), dtype=np.intp)
    for column in columns:
        if column not in table.columns:
            raise UnknownNameError("column", column, map(str, table.columns))
        own = _value_codes(table[column])
        codes = np.unique(codes * (int(own.max(initial=-1)) + 2) + own, return_inverse=True)[1]
    return codes


def _value_codes(column: pd.Series[Any]) -> Codes:
    """(n,), values as text, numbered as they first occur; only the distinct ones are made text."""
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) != "string":
        column = column.where(column.notna(), NONE).map(str)
    raw, values = pd.factorize(column)
    names = pd.factorize(np.array([*map(str, values), NONE], dtype=object))[0]
    codes: Codes = pd.factorize(names[raw])[0]
    return codes


def informative_rows(codes: Codes, blocks: Codes) -> NDArray[np.bool_]:
    """(n,), rows of blocks in which the factor has two levels or more; the others say nothing of it.

    Parameters
    ----------
    codes : (n,) int
        Level of the factor in each row.
    blocks : (n,) int
    """
    block = np.unique(blocks, return_inverse=True)[1]
    least = np.full(int(block.max(initial=0)) + 1, np.iinfo(np.intp).max, dtype=np.intp)
    most = np.full_like(least, -1)
    np.minimum.at(least, block, codes)
    np.maximum.at(most, block, codes)
    varies: NDArray[np.bool_] = (least < most)[block]
    return varies


def block_sets(clusters: Codes, blocks: Codes) -> Codes:
    """(n,), clusters whose rows lie in the same blocks get the same number.

    A game whose seats are in blocks of their own (a persona each) can be exchanged with games that have a
    seat in each of the same blocks, and with no others.

    Parameters
    ----------
    clusters, blocks : (n,) int
    """
    cluster = np.unique(clusters, return_inverse=True)[1]
    block = np.unique(blocks, return_inverse=True)[1]
    pairs = np.unique(np.stack([cluster, block], axis=1), axis=0)
    starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
    kinds: dict[bytes, int] = {}
    own = [kinds.setdefault(part.tobytes(), len(kinds)) for part in np.split(pairs[:, 1].copy(), starts[1:])]
    return np.asarray(own, dtype=np.intp)[cluster]


_SET_UP = {"game", "payoffs", "payoff_kind", "rounds_planned", "horizon_known", "language", "n_players"} | {
    "seat",
    "model",
    "persona",
    "architecture",
    "attitude",
}
"""Columns of the codebook that a designer of an experiment chooses."""

_NOT_CHOSEN = {"game_id", "source", "repetition", "run", "player", "focal", "rounds_played", "strategy"}
"""What tells games apart, and the truth behind scripted play, at equal values of which nothing is left."""

_RESULTS = {
    column.name
    for name in ("labels", "metrics")
    for column in codebook.RESULT_TABLES[name]
    if column.name not in _SET_UP | _NOT_CHOSEN
}


def design_columns(table: pd.DataFrame) -> list[str]:
    """Columns that vary and were set before play: model, persona, language, seat, conditions.

    In tables of labels and metrics these are the columns before the first result; of any other table only
    those that the codebook knows, since the others may be results. Left out are names of games (columns
    that end with ``_id``), what tells repeats apart, numbers with a decimal part, and columns of more than
    50 values.
    """
    columns = [str(name) for name in table.columns]
    first = next((i for i, name in enumerate(columns) if name in _RESULTS), None)
    described = (
        columns if first is None else [*columns[:first], *(c for c in columns[first:] if c in _SET_UP)]
    )
    varying = []
    for name in described:
        if name in _NOT_CHOSEN or name.endswith("_id") or (first is None and name not in _SET_UP):
            continue
        if _is_category(table[name]) and 1 < _levels(table, name) <= MAX_GROUPS:
            varying.append(name)
    return varying


def determines(table: pd.DataFrame, one: str, other: str) -> bool:
    """Whether the value of one column tells that of another in every row."""
    both = block_codes(table, [one, other])
    return _levels(table, one) == int(both.max(initial=-1)) + 1


def _levels(table: pd.DataFrame, name: str) -> int:
    return int(block_codes(table, [name]).max(initial=-1)) + 1


def _is_category(column: pd.Series[Any]) -> bool:
    """Whether the values are names, truth values or whole numbers."""
    if not pd.api.types.is_float_dtype(column.dtype):
        return True
    known = column.dropna()
    return bool((known == known.round()).all())


_PLAYERS = ("player", "model", "persona", "architecture", "attitude", "strategy")
_NAMES = {"game_id", "source", "repetition", "run", "player", "rounds_played", "strategy"}
"""What names games, repeats and players, and the truth behind scripted play."""
_REPEATS_RESULTS = {c.name for c in (*codebook.LABELS, *codebook.METRICS)} - {"seat", "rounds", "opponent"}
_MANY = 20


def identical_cells(log: GameLog) -> pd.DataFrame:
    """One row per cell of the design: how many games it has, and how many different ones.

    A cell is a game with its payoffs, length, language and every other condition, and the same players in
    the same seats; two games are the same where every move is. FAIRGAME's public log (three of its models)
    has 630 cells of ten games, and 140 of them hold ten times the same game.

    Returns
    -------
    DataFrame
        One row per cell: n_games, n_distinct, identical (several games, all the same), and the columns
        that make the cell; ``players`` joins what each seat is.
    """
    games, seats = log.games, log.seats
    moves = log.moves.sort_values(["game_id", "round", "step", "seat"])
    settings = [
        *("game", "payoffs", "payoff_kind", "rounds_planned", "horizon_known", "language", "n_players"),
        *log.conditions,
    ]
    cells = games.set_index(games["game_id"].map(str))[settings].map(str)
    who = _joined(seats[["seat", *_PLAYERS, *log.seat_conditions]].map(str))
    cells["players"] = who.groupby(seats["game_id"].map(str), observed=True).agg(" / ".join)
    cells["play"] = (
        moves["action"]
        .astype(object)
        .map(str)
        .groupby(moves["game_id"].map(str), observed=True)
        .agg(",".join)
    )
    kinds = cells.groupby([*settings, "players"], sort=False, observed=True)["play"].agg(
        n_games="size", n_distinct="nunique"
    )
    kinds["identical"] = (kinds["n_games"] > 1) & (kinds["n_distinct"] == 1)
    return kinds.reset_index()[["n_games", "n_distinct", "identical", *settings, "players"]]


def cell_columns(table: pd.DataFrame, *, classes: Sequence[str] | None = None) -> tuple[str, ...]:
    """Columns of a table of labels or metrics that say under which condition a game was played.

    All but names of games and repeats, results of labelling, metrics, and continuous numbers.

    Parameters
    ----------
    classes : sequence of str, optional
        Strategies whose posteriors it holds; default `strategy_classes`.
    """
    known = strategy_classes(table) if classes is None else classes
    results = _REPEATS_RESULTS | _NAMES | {codebook.PROBABILITY_PREFIX + name for name in known}
    return tuple(
        c
        for c in map(str, table.columns)
        if c not in results and not c.endswith("_id") and _is_kind(table[c])
    )


def cell_codes(table: pd.DataFrame, *, classes: Sequence[str] | None = None) -> NDArray[np.intp]:
    """(n,), number of the cell of each row: the condition of its whole game, with who sits where.

    Clustering by it takes only conditions as independent. Where the conditions compared are all there are
    (three models in five languages, each chosen), that asks for more than the question does; where repeats
    are hardly independent, clustering by game asks for less. The truth lies between the two.

    Parameters
    ----------
    table : DataFrame
        With game_id; a row is one seat of a game.
    classes : as `cell_columns`

    Raises
    ------
    UnknownNameError
        No column game_id.
    """
    games = cluster_codes(table, ["game_id"])
    columns = list(cell_columns(table, classes=classes))
    if not columns:
        return np.zeros(len(table), dtype=np.intp)
    own = block_codes(table, columns)
    order = np.lexsort((own, games))
    parts = np.split(own[order], np.flatnonzero(np.diff(games[order])) + 1)
    kinds: dict[bytes, int] = {}
    by_game = np.array([kinds.setdefault(part.tobytes(), len(kinds)) for part in parts], dtype=np.intp)
    cells: NDArray[np.intp] = by_game[games]
    return cells


def _joined(texts: pd.DataFrame) -> pd.Series[str]:
    """Cells of each row with bars between them."""
    rows = zip(*(texts[column].tolist() for column in texts.columns), strict=True)
    return pd.Series(["|".join(row) for row in rows], index=texts.index, dtype=object)


def _is_kind(column: pd.Series) -> bool:
    """Whether a column holds kinds of things: no fractions in many values."""
    if not pd.api.types.is_float_dtype(column.dtype):
        return True
    values = column.dropna().unique()
    return len(values) <= _MANY or bool((values == np.round(values)).all())


@dataclass(frozen=True, eq=False)
class SubjectUnit:
    """The unit that errors, bootstrap and tests of an estimate use.

    Parameters
    ----------
    clusters : (n,) int, cluster of each row; None where each subject is a unit of its own
    notes : tuple of str
        Wider claims that cannot be made, and why.
    """

    unit: Unit
    clusters: Codes | None
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that make the clusters; none where each subject is a unit of its own."""
        return () if self.clusters is None else self.unit.columns


def subject_unit(
    keys: pd.DataFrame,
    by: Sequence[str],
    subject: Sequence[str],
    subjects: Codes,
    cluster: Sequence[str] = (),
) -> SubjectUnit:
    """The unit of independence of subjects.

    Without a named cluster it is that of the design (`design_units`), but never less than a subject: the
    session or the subjects who met, the subject, the condition, or the game. The column ``strategy`` makes no
    conditions, since it says of scripted play what is estimated.

    Parameters
    ----------
    keys : DataFrame
        n rows, what describes the trajectories.
    by : columns that make the groups
    subject : columns that name a subject
    subjects : (n,) int, subject of each row, whatever its group
    cluster : columns that the user names

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    UsageError
        A subject that several named clusters share.
    """
    table = keys.drop(columns=[c for c in ("strategy",) if c in keys and c not in by])
    own = np.unique(subjects, return_inverse=True)[1].reshape(-1)
    if cluster:
        named = tuple(cluster)
        if named == CELL and "cell" not in keys:
            codes = design_units(table.drop(columns="player", errors="ignore"), by, named).unit.codes
        else:
            codes = cluster_codes(keys, named)
        row = _cut(own, codes)
        if row is not None:
            raise several_clusters(named, [str(keys[column].iloc[row]) for column in named if column in keys])
        return SubjectUnit(named_unit(named, codes), codes)
    if tuple(subject) not in (SEAT, ("player",)):
        table = table.assign(player=pd.Series(joined_names(keys, subject), index=keys.index, dtype=object))
    design = design_units(table, by)
    unit, notes = design.unit.one_way(), design.notes
    if _cut(own, unit.codes) is not None:
        return SubjectUnit(own_unit(own, subject, "all games of a subject are one observation"), None)
    if tuple(subject) != SEAT and unit.n == len(np.unique(own)):
        kind = unit.kind if unit.kind in ("player", "game") else "player"
        columns = unit.columns if kind == unit.kind else tuple(subject)
        return SubjectUnit(replace(unit, kind=kind, columns=columns), None, notes)
    return SubjectUnit(unit, unit.codes, notes)


def named_unit(columns: Sequence[str], codes: Codes) -> Unit:
    """The unit of columns that the user names."""
    if tuple(columns) == CELL:
        return _unit("condition", codes, CELL, "as --cluster says")
    return design_units(pd.DataFrame(dict.fromkeys(columns, codes)), (), columns).unit


def own_unit(subjects: Codes, columns: Sequence[str], reason: str) -> Unit:
    """The unit where each subject is one."""
    return _unit("player", subjects, columns, reason)


def joined_names(keys: pd.DataFrame, columns: Sequence[str]) -> list[str | None]:
    """(n,) texts that name the subjects; None where a value is missing."""
    texts = [keys[column].map(str, na_action="ignore").tolist() for column in columns]
    known = keys[list(columns)].notna().all(axis=1).tolist()
    rows = zip(*texts, strict=True)
    return ["|".join(row) if there else None for row, there in zip(rows, known, strict=True)]


def several_clusters(columns: Sequence[str], name: Sequence[object]) -> UsageError:
    """The error of a subject whose games are in several clusters, one of which has the values `name`."""
    shown = "without a value" if None in name[:1] else ", ".join(map(str, name))
    return UsageError(
        f"a subject has games in several clusters of {', '.join(columns)} (one is {shown}), "
        "expected each subject in one: cluster by what subjects share, such as a session"
    )


FEW_CLUSTERS = 5


_SPELLED = 8
"""Names of games in a note."""


_SETTING = ("game", "payoffs", "rounds_planned", "language")


def few_clusters(names: Sequence[str], numbers: Sequence[int], unit: str) -> str | None:
    """A caution where groups rest on fewer than five clusters."""
    few = [name for name, number in zip(names, numbers, strict=True) if number < FEW_CLUSTERS]
    if not few:
        return None
    shown = ", ".join(few[:3]) + (f" and {len(few) - 3} more" if len(few) > 3 else "")
    return f"fewer than {FEW_CLUSTERS} {unit} in {shown}: their intervals are unreliable"


def pooled_games(names: Sequence[str], by: Sequence[str], *, most: int | None = None) -> str | None:
    """A caution where play of several games is taken together.

    Parameters
    ----------
    names : names of the games
    by : columns that make the groups
    most : int, optional
        Number of names beyond which they were not all kept.
    """
    if "game" in by or len(names) < 2:
        return None
    number = f"more than {most:,}" if most is not None and len(names) > most else f"{len(names):,}"
    shown = ", ".join(names[:_SPELLED]) + (", …" if len(names) > _SPELLED else "")
    return f"play of {number} games is pooled ({shown}); --by game or --where game=… keeps them apart"


def copied_games(log: GameLog) -> str | None:
    """A caution where the repeats of a setting are copies of one game, move by move.

    A model that answers the same request alike (temperature 0, or artificial) plays the same game again and
    again; intervals and tests take its copies for evidence. A setting is a game with all its conditions and
    the same players in the same seats, one of them a language model.
    """
    seats, games = log.seats, log.games
    who = seats[["seat", *_PLAYERS, *log.seat_conditions]].map(str).agg("|".join, axis=1)
    moves = log.moves.sort_values(["game_id", "round", "step", "seat"])
    settings = games.set_index(games["game_id"].map(str))[[*_SETTING, *log.conditions]].map(str)
    settings["who"] = who.groupby(seats["game_id"].map(str), observed=True).agg("|".join)
    actions = moves["action"].astype(object).map(str)
    settings["play"] = actions.groupby(moves["game_id"].map(str), observed=True).agg(",".join)
    by_models = seats.loc[seats["model"].notna(), "game_id"].map(str)
    settings = settings[settings.index.isin(by_models)].dropna(subset="play")
    kinds = settings.groupby([c for c in settings.columns if c != "play"], observed=True)["play"].agg(
        ["size", "nunique"]
    )
    repeated = kinds[kinds["size"] > 1]
    n_copied = int((repeated["nunique"] == 1).sum())
    if n_copied <= len(repeated) / 2:
        return None
    return (
        f"in {n_copied} of {len(repeated)} repeated settings all games were played alike, move by move: a "
        "model that answers the same request alike makes copies of one game, and intervals and tests then "
        "say too much (a temperature or settings.seeded makes them differ)"
    )
