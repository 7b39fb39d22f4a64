"""The compact form (a Parquet file, or a folder of parts, with one row per seat) as a `GameLog`, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.binary import parquet_table
from intent.base.errors import DataError, LimitError, UsageError, located, of_file, shorten
from intent.base.statistics import distinct_rows
from intent.logs.compact import CompactWriter, decisions_of, descriptions, is_compact, moves_of, open_compact
from intent.logs.gamelog import KEY_SEAT_COLUMNS, GameLog, Trajectories
from intent.logs.readers.reader import Reader, Settings, Source

__all__ = ["LIMIT_MOVES", "READER", "games_of", "left_out", "read_compact", "write_compact"]


LIMIT_MOVES = 2**25
"""Most moves of a compact log that become tables of moves; longer ones are labelled as they stand."""


def read_compact(path: str | Path) -> GameLog:
    """The games, seats and moves of a compact log.

    A seat that has no row of its own is not focal; its moves are those that the other's row names. Payoffs
    follow from the table of payoffs where there is one.

    Raises
    ------
    DataError
        Rows that contradict each other, or are none.
    LimitError
        More moves than memory should hold.
    """
    log = open_compact(path)
    if log.n * max(log.rounds, 1) > LIMIT_MOVES:
        raise LimitError(
            located(
                log.path,
                f"{log.n:,} rows of {log.rounds:,} rounds are more than {LIMIT_MOVES:,} moves; "
                "intent label, metrics, sfem and sweep read such a log piece by piece",
            )
        )
    if not log.n:
        raise DataError(located(log.path, "no rows, expected at least one seat"))
    try:
        arrow = pa.concat_tables([parquet_table(part) for part in log.parts], promote_options="permissive")
        return games_of(arrow, log.rounds, log.filled, log.seat_columns, log.provenance)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(located(log.path, f"not readable as a compact log: {shorten(error)}")) from None
    except DataError as error:
        raise of_file(log.path, error) from None


def write_compact(log: GameLog, path: str | Path, *, overwrite: bool = False) -> int:
    """Write the trajectories of a log's focal seats in compact form; returns the number of their games.

    What a trajectory does not hold is left out: other seats, payoffs of rounds, messages, replies, and games
    in which no move is known to be cooperation or its opposite.

    Raises
    ------
    UsageError
        Games of more than two players, or none that can be told.
    """
    X = log.trajectories()
    if X.other_share is not None:
        raise UsageError("the compact form holds games of two players, but the log has some of more")
    if not len(X):
        raise UsageError("the log has no trajectory to write in compact form")
    keys = X.keys
    assert keys is not None
    place = pd.Index(log.games["game_id"]).get_indexer(pd.Index(keys["game_id"]))
    for column in ("payoffs", "rounds_planned"):
        if log.games[column].notna().any():
            keys[column] = log.games[column].take(place).array
    for column in keys.columns:
        if isinstance(keys[column].dtype, pd.CategoricalDtype):
            keys[column] = keys[column].astype("str")
    with CompactWriter(
        path, overwrite=overwrite, seat_columns=tuple(log.seat_conditions), provenance=log.provenance
    ) as writer:
        table = pa.Table.from_pandas(keys, preserve_index=False).replace_schema_metadata(None)
        writer.write(table, X.own, X.other, X.evidence_mask, _decisions(log, X))
    return int(keys["game_id"].nunique())


def left_out(log: GameLog) -> tuple[str, ...]:
    """What of a log the compact form has no room for, one line each; empty where nothing is lost."""
    held = {"game_id", "round", "step", "seat", "action", "cooperated", "decided", "status"}
    follows = {"payoff"} if log.games["payoffs"].notna().all() else set()
    lost = [str(c) for c in log.moves if c not in held | follows and log.moves[c].notna().any()]
    lines = [f"the compact form has no room for {', '.join(lost)} of the moves"] if lost else []
    if silent := int((~log.has_cooperation()).sum()):
        lines.append(f"{silent:,} games without a cooperative action are left out")
    if log.questions is not None:
        lines.append("the table of questions has no place in it")
    return tuple(lines)


def _decisions(log: GameLog, X: Trajectories) -> NDArray[np.int8] | None:
    """What players chose, where that is recorded and says more than what was played, or else -1."""
    if "decided" not in log.moves or not log.moves["decided"].notna().any():
        return None
    assert X.keys is not None
    recorded = (X.decisions != X.own).any(axis=1)
    if "implementation_error" in X.keys:
        unseen = np.zeros(len(X)) if X.implementation_error is None else X.implementation_error
        recorded |= (np.nan_to_num(X.keys["implementation_error"].to_numpy(dtype=float)) > 0) & (unseen == 0)
    return np.where(recorded[:, None], X.decisions, np.int8(-1)) if recorded.any() else None


def games_of(
    arrow: pa.Table,
    rounds: int,
    filled: Mapping[str, Any],
    seat_columns: Sequence[str] = (),
    provenance: Mapping[str, Any] | None = None,
) -> GameLog:
    """The games, seats and moves of rows of a compact log.

    Parameters
    ----------
    arrow : Table of the rows, those of a game together
    rounds : int, T
    filled : column -> value of columns that the rows do not spell out
    seat_columns : further columns that describe a seat
    provenance : dict, optional

    Raises
    ------
    DataError
        Rows that contradict each other, or are none.
    LimitError
        n T is more than memory should hold.
    """
    own, other, evidence, lengths = moves_of(arrow, rounds)
    decided = decisions_of(arrow, rounds, lengths)
    game_ids = arrow.column("game_id").cast(pa.string()).to_pandas()
    seat = arrow.column("seat").to_pandas()
    if game_ids.isna().any() or not seat.isin([1, 2]).all():
        raise DataError("a row without game_id, or a seat other than 1 and 2")
    side = seat.to_numpy(dtype=np.intp) - 1
    game, first = _adjacent(game_ids)
    n = len(first)
    if (np.bincount(game * 2 + side, minlength=2 * n) > 1).any():
        raise DataError("a seat stands twice in a game")
    row_of = np.full(2 * n, -1)
    row_of[game * 2 + side] = np.arange(len(game))
    cube = np.full((n, rounds, 2), -1, dtype=np.int8)
    cube[game, :, 1 - side] = other
    cube[game, :, side] = own
    if not (cube[game, :, 1 - side] == other).all():
        row = int(np.flatnonzero((cube[game, :, 1 - side] != other).any(axis=1))[0])
        raise DataError(f"game {shorten(game_ids.iloc[row])}: the two rows tell different moves")
    counts = np.ones(cube.shape, dtype=bool)
    if evidence is not None:
        counts[game, :, side] = evidence | (own < 0)
    described = _spelled(arrow.select(descriptions(arrow.column_names))).to_pandas(
        types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get
    )
    described = described.assign(**filled)
    played = np.zeros(n, dtype=np.int64)
    np.maximum.at(played, game, lengths)
    ids = pd.Index(game_ids.iloc[first], name=None)
    of_seats = [c for c in described if c in KEY_SEAT_COLUMNS or c in seat_columns]
    games = described.drop(columns=of_seats).iloc[first].reset_index(drop=True)
    _check_same(described.drop(columns=of_seats), game, first, game_ids)
    games = games.assign(game_id=ids.to_numpy(), n_players=2, rounds_played=played)
    seats = described[of_seats].reindex(row_of).reset_index(drop=True)
    seats = seats.assign(game_id=np.repeat(ids.to_numpy(), 2), seat=np.tile([1, 2], n), focal=row_of >= 0)
    moves = _moves(cube, counts, played, ids, games)
    if decided is not None:
        choices = np.full(cube.shape, -1, dtype=np.int8)
        choices[game, :, side] = decided
        choice = choices[_inside(cube.shape, played)]
        moves["decided"] = pd.arrays.BooleanArray(choice == 1, choice < 0)
    return GameLog(games, seats, moves, provenance=dict(provenance or {}))


def _spelled(table: pa.Table) -> pa.Table:
    """The table with coded texts spelled out."""
    for i, column in enumerate(table.schema):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(i, column.name, table.column(i).cast(column.type.value_type))
    return table


def _adjacent(game_ids: pd.Series) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number of the game of each row, and the first row of each game.

    Raises
    ------
    DataError
        Rows of a game that do not follow each other.
    """
    values = game_ids.to_numpy(dtype=object)
    starts = np.ones(len(values), dtype=bool)
    starts[1:] = values[1:] != values[:-1]
    first = np.flatnonzero(starts)
    ids = pd.Index(values[first])
    if not ids.is_unique:
        again = ids[ids.duplicated()][0]
        raise DataError(f"game_id {shorten(again)} comes back after other games, expected its rows together")
    return np.cumsum(starts) - 1, first


def _check_same(
    described: pd.DataFrame, game: NDArray[np.intp], first: NDArray[np.intp], game_ids: pd.Series
) -> None:
    for column in described:
        values = described[column]
        lead = values.iloc[first[game]].reset_index(drop=True)
        differs = ~(
            (values == lead).fillna(False).to_numpy(dtype=bool) | (values.isna() & lead.isna()).to_numpy()
        )
        if differs.any():
            row = int(np.flatnonzero(differs)[0])
            raise DataError(
                f"game {shorten(game_ids.iloc[row])}: column {column!r} differs between its seats; "
                "name it in seat_columns of the metadata"
            )


def _moves(
    cube: NDArray[np.int8],
    counts: NDArray[np.bool_],
    played: NDArray[np.int64],
    ids: pd.Index,
    games: pd.DataFrame,
) -> pd.DataFrame:
    """The table of moves of games (n, T, 2)."""
    at = np.nonzero(_inside(cube.shape, played))
    value, partner = cube[at], cube[at[0], at[1], 1 - at[2]]
    names, codes, payoffs = _actions(games, at[0], value, partner, at[2])
    status = np.where(value < 0, codebook.MOVE_STATUSES.index("missing"), np.where(counts[at], 0, 1))
    return pd.DataFrame(
        {
            "game_id": pd.Categorical.from_codes(at[0], categories=ids),
            "round": at[1] + 1,
            "step": 1,
            "seat": at[2] + 1,
            "action": pd.Categorical.from_codes(codes, categories=names),
            "cooperated": pd.arrays.BooleanArray(value == 1, value < 0),
            "payoff": payoffs,
            "status": pd.Categorical.from_codes(status, categories=pd.Index(codebook.MOVE_STATUSES)),
        }
    )


def _inside(shape: tuple[int, ...], played: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which cells (n, T, 2) are of rounds that were played."""
    return np.broadcast_to(np.arange(shape[1])[None, :, None] < played[:, None, None], shape)


def _actions(
    games: pd.DataFrame,
    game: NDArray[np.intp],
    value: NDArray[np.int8],
    partner: NDArray[np.int8],
    side: NDArray[np.intp],
) -> tuple[pd.Index, NDArray[np.intp], NDArray[np.float64]]:
    """Names of actions, the code of each move, its payoff (nan where unknown)."""
    code, kinds = distinct_rows(games[["cooperative_action", *(["payoffs"] if "payoffs" in games else [])]])
    pairs = [_table(*kind) for kind in kinds]
    names = pd.Index(dict.fromkeys(name for pair, _ in pairs for name in pair))
    places = np.array([[names.get_loc(name) for name in pair] for pair, _ in pairs]).reshape(-1, 2)
    payoffs = np.array([table for _, table in pairs]).reshape(-1, 2, 2, 2)
    kind = code[game]
    known = (value >= 0) & (partner >= 0)
    paid = np.where(known, payoffs[kind, side, value, partner], np.nan)
    return names, np.where(value < 0, -1, places[kind, value]), paid


def _table(
    cooperative: str | None, payoffs: str | None = None
) -> tuple[tuple[str, str], NDArray[np.float64]]:
    """Names of defection and cooperation, and payoffs (seat, own, other); nan where no table tells."""
    nothing = np.full((2, 2, 2), np.nan)
    chosen = cooperative or "C"
    try:
        table = json.loads(payoffs) if isinstance(payoffs, str) else {}
        cells = {tuple(key.split(",")): pair for key, pair in table.items()}
        actions = list(dict.fromkeys(name for key in cells for name in key))
        if len(actions) != 2 or chosen not in actions:
            return (("D" if chosen == "C" else f"not {chosen}", chosen), nothing)
        names = (next(a for a in actions if a != chosen), chosen)
        for mine in (0, 1):
            for theirs in (0, 1):
                pair: Any = cells[names[mine], names[theirs]]
                mirrored: Any = cells[names[theirs], names[mine]]
                nothing[:, mine, theirs] = float(pair[0]), float(mirrored[1])
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        raise DataError(f"payoffs {shorten(payoffs)} are no table of two actions: {shorten(error)}") from None
    return names, nothing


def _recognises(source: Source, settings: Settings) -> bool:
    """Whether the source has the columns of a compact log."""
    return source.kind in ("folder", "parquet") and is_compact(source.path)


def _read(source: Source, settings: Settings) -> GameLog:
    """The games of the compact log."""
    unused = settings.to_json()
    unused.pop("strict", None)
    if unused:
        raise UsageError(f"{source.path} is a compact log and says itself what {', '.join(unused)} would say")
    return read_compact(source.path)


READER = Reader(
    "compact",
    "Parquet with game_id, seat and the lists own and other",
    _recognises,
    _read,
)
