"""Payoffs of games in a table that lies beside a log: which games they are of, and which option is which.

A table of payoffs has a row for each game and a column for each cell and player (``r1_c2_p1``, row 1 and
column 2, of player 1). It is used for games of whose payoffs the play does not tell all, where every value of
a column of the log stands once in the table's column of that name (or the names of the games in some column),
and where what rounds paid agrees with the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import GameError, IntentError
from intent.base.files import TextFile
from intent.games.game import MatrixGame
from intent.logs.delimited import header_of
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.readers.arrays import TidyTable, by_value, open_table
from intent.logs.readers.reader import Source
from intent.logs.readers.stages import OPEN

__all__ = ["cells_of", "with_payoffs_beside"]

Cell = tuple[int, int, int]
"""Row, column and player, from 0."""

_CELL = re.compile(r"(?:r(?:ow)?)_?([12])_?c(?:ol(?:umn)?)?_?([12])_?p(?:layer)?_?([12])", re.IGNORECASE)
_BYTES = 1 << 20
"""Most bytes of a table of payoffs."""

_FILES = 200
"""Most files beside a log that are looked at."""

_SUFFIXES = (".csv", ".tsv", ".txt")
_SURE = 0.99
"""Share of rounds that have to have paid what the table says."""


def cells_of(names: Sequence[str]) -> dict[Cell, str]:
    """The columns of the eight payoffs of a 2x2 game; empty where one is missing."""
    cells: dict[Cell, str] = {}
    for name in names:
        if match := _CELL.fullmatch(name):
            row, column, player = (int(number) - 1 for number in match.groups())
            cells[row, column, player] = name
    return cells if len(cells) == 8 else {}


@dataclass(frozen=True, eq=False)
class _PayoffTable:
    """A table of payoffs.

    Parameters
    ----------
    name, sha256 : str, of the file
    keys : mapping of column -> value -> row, of the columns whose values come once each
    payoffs : (n, 2, 2, 2) float, by row of the table, rows and columns of the game, and player
    """

    name: str
    sha256: str
    keys: Mapping[str, Mapping[str, int]]
    payoffs: NDArray[np.float64]


def with_payoffs_beside(log: GameLog, source: Source) -> GameLog:
    """The log with payoffs from a table beside it, where the play does not tell them.

    Parameters
    ----------
    log : GameLog
        Its games and moves are completed.
    source : Source
        Where it was read from.
    """
    open_ = (log.games["payoffs"].isna() & (log.games["n_players"] == 2)).to_numpy()
    if source.kind == "frame" or not open_.any() or not log.moves["action"].notna().any():
        return log
    place = source.path if source.kind == "folder" else source.path.parent
    fitting = [
        (table, key, column)
        for table in _tables_beside(place, source.path)
        for key, column in _keys(table, log.games[open_])
    ]
    if len({table.name for table, _, _ in fitting}) != 1:
        return log
    (table, key, column), *_ = fitting
    groups = log.games[open_].groupby(log.games.loc[open_, column].astype(str), observed=True)
    filled = sum(_fill(log, rows.index, table.payoffs[table.keys[key][value]]) for value, rows in groups)
    if filled:
        note = f"payoffs of {filled:,} games are those of {table.name}, by {key}"
        notes = log.provenance.get("notes", ())
        stay = log.games["payoffs"].isna().any()
        log.provenance["notes"] = [*(line for line in notes if stay or line != OPEN), note]
        log.provenance["payoff_table"] = {"file": table.name, "sha256": table.sha256, "by": key}
    return log


def _tables_beside(folder: Path, log: Path) -> Iterator[_PayoffTable]:
    """The tables of payoffs in a folder."""
    files = sorted(path for path in folder.iterdir() if path.suffix.casefold() in _SUFFIXES and path != log)
    for path in files[:_FILES]:
        try:
            if (
                not path.is_file()
                or path.stat().st_size > _BYTES
                or not cells_of(header_of(TextFile(path))[0])
            ):
                continue
            source = Source(path)
            table = _payoff_table(path.name, source.sha256, open_table(source, Rejects(path)))
        except (IntentError, OSError):  # somebody else's file, which need not be a table
            continue
        if table is not None:
            yield table


def _payoff_table(name: str, sha256: str, table: TidyTable) -> _PayoffTable | None:
    cells = cells_of([*table.columns])
    payoffs = np.full((len(table), 2, 2, 2), np.nan)
    for place, column in cells.items():
        amounts = pd.to_numeric(pd.Series(table.columns[column].to_pylist()), errors="coerce")
        payoffs[(slice(None), *place)] = amounts.to_numpy(dtype=float)
    keys = {}
    for column in [c for c in table.columns if c not in cells.values()]:
        codes, values = by_value(table.columns[column])
        if len({*codes.tolist()}) == len(codes) and "" not in values:
            keys[column] = {value: int(np.flatnonzero(codes == i)[0]) for i, value in enumerate(values)}
    return _PayoffTable(name, sha256, keys, payoffs) if keys and np.isfinite(payoffs).all() else None


def _keys(table: _PayoffTable, games: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """The columns of a table, and of games, by which each game has one row there."""
    for key, rows in table.keys.items():
        for column in dict.fromkeys((key, "game")):
            named = games[column] if column in games else pd.Series([None])
            if named.notna().all() and {*named.astype(str)} <= rows.keys():
                yield key, column


def _fill(log: GameLog, rows: pd.Index, payoffs: NDArray[np.float64]) -> int:
    """Give games their payoffs, and what follows from them; the number of games.

    Parameters
    ----------
    log : GameLog
    rows : index of the games, which are all of one kind
    payoffs : (2, 2, 2) float
    """
    games = log.games.loc[rows]
    of_these = log.moves["game_id"].isin(games["game_id"]).to_numpy()
    own, every = (
        sorted(moves["action"].dropna().astype(str).unique().tolist())
        for moves in (log.moves[of_these], log.moves)
    )
    labels = own if len(own) == 2 else every
    if {*labels} < {"1", "2"}:
        labels = ["1", "2"]
    fitting = [p for p in (labels, labels[::-1]) if len(p) == 2 and _agree(log.moves[of_these], p, payoffs)]
    numbered = labels == ["1", "2"] and labels in fitting
    if not numbered and len(fitting) != 1:
        return 0
    first, second = labels if numbered else fitting[0]
    kinds = games["payoff_kind"].dropna().unique().tolist()
    cells = [[(float(a), float(b)) for a, b in row] for row in payoffs]
    name = str(games["game"].iloc[0]) if games["game"].notna().all() else "unnamed"
    try:
        table = ((cells[0][0], cells[0][1]), (cells[1][0], cells[1][1]))
        kind = "penalty" if kinds == ["penalty"] else "reward"
        game = MatrixGame(name, (first, second), table, kind)  # type: ignore[arg-type]
    except GameError:
        return 0
    log.games.loc[rows, "payoffs"] = game.to_json()
    if len(kinds) != 1 or games["cooperative_action"].notna().any() or game.cooperative_label is None:
        return len(rows)
    log.games.loc[rows, "cooperative_action"] = game.cooperative_label
    for seat in (1, 2):
        here = of_these & (log.moves["seat"] == seat).to_numpy() & log.moves["action"].notna().to_numpy()
        chosen = log.moves.loc[here, "action"].astype(str) == game.cooperative_action(seat)
        log.moves.loc[here, "cooperated"] = chosen.to_numpy()
    return len(rows)


def _agree(moves: pd.DataFrame, labels: Sequence[str], payoffs: NDArray[np.float64]) -> bool:
    """Whether rounds paid what a table says, if its rows are actions in some order."""
    place = {label: i for i, label in enumerate(labels)}
    known = moves[moves["action"].notna() & moves["payoff"].notna()]
    cells = known.set_index(["game_id", "round"])[["action", "payoff"]]
    one_side, other_side = (cells[(known["seat"] == seat).to_numpy()] for seat in (1, 2))
    both = one_side.merge(other_side, left_index=True, right_index=True, suffixes=("", "_2"))
    if both.empty:
        return True
    one, two = (both[c].astype(str).map(place).to_numpy(dtype=int) for c in ("action", "action_2"))
    paid = both[["payoff", "payoff_2"]].to_numpy(dtype=float)
    return bool((payoffs[one, two] == paid).all(axis=1).mean() >= _SURE)
