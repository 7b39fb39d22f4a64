"""stratEst's data frame: a row per decision, with what the player knew of the round before.

============================  ===========================================================================
column                        what it holds
============================  ===========================================================================
``id``                        the subject, numbered from 1: a player of one name, else each seat of a game
``game``                      the game, numbered from 1 through the whole log; both players have its number
``period``                    the round
``choice``                    ``c`` or ``d``; where the log has decisions beside what was played, the decision
``played``                    only then: what was played
``other.choice``              what the other played in the round (games of two)
``others.c``                  how many of the others cooperated in the round (games of more)
``last.choice, last.other``   only with decisions: what both played in the round before
``input``                     what both played in the round before, ``cd``: own move first; with more players
                              the own move and the number of others who cooperated, ``c2``
============================  ===========================================================================

Then follow what describes seats and games, names that the format uses itself after ``log.``. An unknown move
is ``NA``, as R writes it; an unknown description is empty.

References
----------
Dvorak 2023, stratEst: a software package for strategy frequency estimation, Journal of the Economic Science
Association 9, 337-349; its data frames DF2011 (``other.choice``) and FRD2012 (``last.choice``,
``last.other``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import LimitError, OutputError
from intent.base.files import bounds
from intent.base.outputs import writing
from intent.logs.gamelog import KEY_GAME_COLUMNS, KEY_SEAT_COLUMNS, GameLog
from intent.logs.stores.fairgame import quoted

__all__ = ["left_out", "stratest_table", "write_stratest"]

_OWN = (
    "id",
    "game",
    "period",
    "choice",
    "played",
    "other.choice",
    "others.c",
    "last.choice",
    "last.other",
    "input",
)
_LETTERS = np.array(["d", "c", None], dtype=object)
_DROPPED = {"source", "payoff_kind", "cooperative_action", "payoffs"}


@dataclass(frozen=True, eq=False)
class _Grids:
    """What was played, by seat and round.

    Attributes
    ----------
    played, decided : (n_seats, T) int8, 1 cooperated, 0 defected, -1 unknown
    defaulted : (n_seats, T) bool
    others : (n_seats, T) int, how many of the others cooperated; -1 where one of them is unknown
    length : (n_seats,) rounds of the game
    """

    played: NDArray[np.int8]
    decided: NDArray[np.int8]
    defaulted: NDArray[np.bool_]
    others: NDArray[np.intp]
    length: NDArray[np.intp]


def write_stratest(log: GameLog, path: str | Path, *, overwrite: bool = False) -> int:
    """Write a log as stratEst's data frame, one .csv file; returns the number of its games.

    In R, ``d <- read.csv(path, stringsAsFactors = TRUE)`` is what ``stratEst.model(d, …)`` takes.

    Raises
    ------
    OutputError
        No game with a cooperative action, games of two and of more players in one log, or a path that cannot
        be written.
    LimitError
        Seats times rounds go beyond the bound that protects memory.
    """
    table = stratest_table(log)
    cells = {str(name): _cells(table[name], "NA" if name in _OWN else "") for name in table}
    with writing(path, overwrite=overwrite) as draft, draft.open("wb") as file:
        for row in (tuple(cells), *zip(*cells.values(), strict=True)):
            line = ",".join(quoted(cell) for cell in row) + "\n"
            file.write(line.encode("utf-8", "backslashreplace"))
    return int(table["game"].nunique())


def _cells(column: pd.Series[Any], unknown: str) -> list[str]:
    """The cells as R writes them."""
    return [
        unknown if gone else ("TRUE" if value else "FALSE") if isinstance(value, bool) else str(value)
        for value, gone in zip(column.tolist(), column.isna(), strict=True)
    ]


def stratest_table(log: GameLog) -> pd.DataFrame:
    """The rows of focal seats in games that have a cooperative action, by game, seat and round.

    Raises
    ------
    OutputError, LimitError
        As `write_stratest`.
    """
    usable = log.has_cooperation()
    sizes = log.games["n_players"].to_numpy(dtype=np.intp)[usable]
    if not len(sizes):
        raise OutputError(
            f"not one of {len(log):,} games has a cooperative action, and stratEst's choices are c and d: "
            "choose another format"
        )
    many = bool((sizes > 2).any())
    if many and (sizes == 2).any():
        raise OutputError(
            "games of two and of more players, which stratEst's input cannot tell apart in one file; "
            "expected --where n_players=2, and another file for the others"
        )
    place = pd.Index(log.games["game_id"]).get_indexer(pd.Index(log.seats["game_id"]))
    grids = _grids(log, place)
    shown = np.flatnonzero(usable[place] & log.seats["focal"].to_numpy(dtype=bool))
    shown = shown[np.lexsort((log.seats["seat"].to_numpy(dtype=np.intp)[shown], place[shown]))]
    row = np.repeat(shown, grids.length[shown])
    period = np.concatenate([np.arange(n) for n in grids.length[shown]]) if len(shown) else row
    before = np.maximum(period - 1, 0)
    first = period == 0

    def letters(codes: NDArray[Any]) -> NDArray[np.object_]:
        return _LETTERS[np.asarray(codes, dtype=np.intp)]

    own, others = letters(grids.played[row, period]), grids.others[row, period]
    last = letters(np.where(first, -1, grids.played[row, before]))
    last_others = np.where(first, -1, grids.others[row, before])
    other = None if many else letters(others)
    last_other = last_others.astype(str).astype(object) if many else letters(last_others)
    known = np.array([mine is not None for mine in last], dtype=bool) & (last_others >= 0)
    joined = np.array([f"{a}{b}" for a, b in zip(last, last_other, strict=True)], dtype=object)
    data: dict[str, Any] = {
        "id": _subjects(log, place)[row],
        "game": np.unique(place[row], return_inverse=True)[1] + 1,
        "period": period + 1,
        "choice": letters(grids.decided[row, period]),
    }
    if "decided" in log.moves and log.moves["decided"].notna().any():
        data["played"] = own
    if many:
        data["others.c"] = pd.array(np.where(others < 0, 0, others), "Int64")
        data["others.c"][others < 0] = pd.NA
    else:
        data["other.choice"] = other
    if "played" in data and not many:
        data |= {"last.choice": last, "last.other": last_other}
    joined[~known] = None
    data["input"] = joined
    if grids.defaulted[row, period].any():
        data["status"] = _status(grids, row, period)
    return pd.DataFrame(data | dict(_descriptions(log, place, row)))


def _grids(log: GameLog, place: NDArray[np.intp]) -> _Grids:
    seats, moves, n = log.seats, log.moves, len(log.seats)
    game = moves["game_id"].cat.codes.to_numpy(dtype=np.intp)
    number, round_ = (moves[name].to_numpy(dtype=np.intp) for name in ("seat", "round"))
    horizon = int(round_.max(initial=1))
    if n * horizon > bounds().moves:
        raise LimitError(f"{n:,} seats of up to {horizon:,} rounds are more than {bounds().moves:,} cells")
    width = int(number.max(initial=1)) + 1
    row_of = pd.Index(place * width + seats["seat"].to_numpy(dtype=np.intp)).get_indexer(
        game * width + number
    )
    code = _codes(moves["cooperated"])
    chosen = _codes(moves["decided"]) if "decided" in moves else np.full(len(moves), -1, dtype=np.int8)
    # The first step of a round with a known action counts, as in `GameLog.trajectories`.
    order = np.lexsort((-moves["step"].to_numpy(dtype=np.intp), code >= 0))
    at = row_of[order], round_[order] - 1
    played, decided = np.full((n, horizon), -1, dtype=np.int8), np.full((n, horizon), -1, dtype=np.int8)
    defaulted = np.zeros((n, horizon), dtype=bool)
    played[at], decided[at] = code[order], chosen[order]
    defaulted[at] = (moves["status"] == "defaulted").to_numpy()[order]
    decided = np.where(decided >= 0, decided, played)
    cooperated, known = (
        np.zeros((len(log), horizon), dtype=np.intp),
        np.zeros((len(log), horizon), dtype=np.intp),
    )
    np.add.at(cooperated, place, np.maximum(played, 0))
    np.add.at(known, place, played >= 0)
    others = cooperated[place] - np.maximum(played, 0)
    all_known = (
        known[place] - (played >= 0) == log.games["n_players"].to_numpy(dtype=np.intp)[place, None] - 1
    )
    length = np.zeros(len(log), dtype=np.intp)
    np.maximum.at(length, game, round_)
    return _Grids(played, decided, defaulted, np.where(all_known, others, -1), length[place])


def _codes(column: pd.Series[Any]) -> NDArray[np.int8]:
    values = column.to_numpy(dtype=float, na_value=np.nan)
    return np.where(np.isnan(values), -1, values).astype(np.int8)


def _subjects(log: GameLog, place: NDArray[np.intp]) -> NDArray[np.intp]:
    """(n_seats,) number of the subject; a player at two seats of a game is two: no period may come twice."""
    seats = log.seats
    alone = pd.Series([f"{game} {seat}" for game, seat in zip(place, seats["seat"], strict=True)])
    names = ("player " + seats["player"].astype("str")).where(seats["player"].notna(), alone)
    again = (
        pd.DataFrame({"game": place, "name": names})
        .groupby(["game", "name"], observed=True)
        .cumcount()
        .to_numpy()
    )
    return np.asarray(pd.factorize(names + np.where(again, again.astype(str), ""))[0] + 1, dtype=np.intp)


def _status(grids: _Grids, row: NDArray[np.intp], period: NDArray[np.intp]) -> NDArray[np.object_]:
    unknown = np.where(grids.decided[row, period] < 0, "missing", "parsed")
    return np.where(grids.defaulted[row, period], "defaulted", unknown).astype(object)


def _descriptions(log: GameLog, place: NDArray[np.intp], row: NDArray[np.intp]) -> list[tuple[str, Any]]:
    """Columns that describe seats and games, where they have a value."""
    columns: dict[str, Any] = {"seat": log.seats["seat"].take(row).array}
    for table, names, at in (
        (log.seats, (*KEY_SEAT_COLUMNS, *log.seat_conditions), row),
        (log.games, (*KEY_GAME_COLUMNS, "rounds_planned", *log.conditions), place[row]),
    ):
        for name in names:
            if name not in table or name in _DROPPED or table[name].isna().all():
                continue
            own = f"log.{name}" if name in (*_OWN, "player", "status") or name in columns else name
            columns[own] = table[name].take(at).array
    return list(columns.items())


def left_out(log: GameLog) -> tuple[str, ...]:
    """What of a log the file has no room for, one line each; empty where nothing is lost."""
    lines = []
    silent = int((~log.has_cooperation()).sum())
    if silent:
        lines.append(f"{silent:,} games without a cooperative action are left out: choices are c and d")
    unfocal = int((~log.seats["focal"]).sum())
    if unfocal:
        lines.append(f"{unfocal:,} seats known only from another's record have no rows of their own")
    steps = int((log.moves["step"] > 1).sum())
    if steps:
        lines.append(f"{steps:,} moves of later steps of a round are left out: the first one known counts")
    if (
        log.moves["status"].isin(["missing"]).any()
        or (log.moves["cooperated"].isna() & (log.moves["step"] == 1)).any()
    ):
        lines.append(
            "some choices are NA, which stratEst refuses, and after a gap it would start strategies anew: "
            "d[!(d$game %in% d$game[is.na(d$choice) | is.na(d$input) & d$period > 1]), ] leaves these out"
        )
    if (log.moves["status"] == "defaulted").any():
        lines.append(
            "some choices are defaults for unreadable replies (column status), which stratEst counts"
        )
    lost = [name for name in _unheld(log.moves) if log.moves[name].notna().any()]
    lost += ["source"] * bool(log.games["source"].notna().any())
    lost += ["payoffs"] * bool(log.games["payoffs"].notna().any())
    if lost:
        lines.append(f"a frame of stratEst has no room for {', '.join(dict.fromkeys(lost))}")
    lines.append("games and subjects are numbered, and actions are c and d, whatever they were called")
    if log.questions is not None:
        lines.append("the table of questions has no place in it")
    return tuple(lines)


def _unheld(moves: pd.DataFrame) -> Sequence[str]:
    held = {"game_id", "round", "step", "seat", "action", "cooperated", "decided", "status"}
    return [str(name) for name in moves if name not in held]
