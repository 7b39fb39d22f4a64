"""Matches of a tournament as a game log, so that the strategies can be labelled and compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES, Entrant
from intent.arena.match import MatchRules
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Lot, MatchStore, lot_keys, lots, varies
from intent.arena.tournament.table import LineUp, RoundRobin
from intent.games.normal_form import MatrixGame
from intent.logs.gamelog import GameLog
from intent.logs.stores import ParquetLogWriter

__all__ = ["StoredMatch", "Which", "line_up_matches", "match_log", "round_robin_matches", "write_match_log"]


Which = Literal["first", "all"]


@dataclass(frozen=True, eq=False)
class StoredMatch:
    """One match.

    Parameters
    ----------
    players : (str, str)
        Names of the seats: a strategy's, or an agent's.
    strategies : (Entrant, Entrant)
    repetition : int from 0
    moves : (2, T) uint8, 1 = cooperate
    """

    players: tuple[str, str]
    strategies: tuple[Entrant, Entrant]
    repetition: int
    moves: NDArray[np.uint8]


def round_robin_matches(
    table: RoundRobin, salt: Salt, store: MatchStore, which: Which = "first"
) -> Iterator[StoredMatch]:
    """The matches that count, in the order of the schedule; of pairs that cannot differ, one.

    Parameters
    ----------
    salt : Salt, of the tournament
    which : {"first", "all"}, repetitions
    """
    played, added = table.played, table.added is not None
    for lot in lots(table.field, table.rules, table.repetitions):
        there = played[lot.first, lot.second]
        numbers = [r for r in lot.repetitions if there[0 if added else r] and (which == "all" or r == 0)]
        if numbers:
            yield from _of_lot(lot, numbers, table, salt, store)


def line_up_matches(
    line_up: LineUp, salt: Salt, store: MatchStore, which: Which = "first"
) -> Iterator[StoredMatch]:
    """The matches of a line-up, seats in order; the first move is the first seat's.

    Parameters
    ----------
    salt, store, which : as `round_robin_matches`
    """
    base, seats = line_up.matches, line_up.table.field
    played = line_up.table.played
    repetitions = played.shape[2] if which == "all" else 1
    for i in range(len(seats)):
        for j in range(i, len(seats)):
            for r in map(int, np.flatnonzero(played[i, j, :repetitions])):
                a, b = map(int, line_up.drawn[i, j, r])
                first, second = min(a, b), max(a, b)
                differ = varies(base.field[first], base.field[second], base.rules)
                numbers = tuple(range(played.shape[2])) if base.rules.reuse_instances else (r,)
                lot = Lot(first, second, numbers, differ)
                for match in _of_lot(lot, [r], base, salt, store):
                    yield StoredMatch(
                        (seats[i].name, seats[j].name),
                        (base.field[a], base.field[b]),
                        r,
                        match.moves if a <= b else match.moves[::-1],
                    )


def _of_lot(
    lot: Lot, numbers: Sequence[int], table: RoundRobin, salt: Salt, store: MatchStore
) -> Iterator[StoredMatch]:
    pair = (table.field[lot.first], table.field[lot.second])
    keys = dict(zip(lot.repetitions, lot_keys(lot, table.field, table.rules, salt), strict=True))
    moves = store.get([keys[r] for r in numbers], table.rules.turns)
    for r in numbers:
        yield StoredMatch((pair[0].name, pair[1].name), pair, r, moves[keys[r]])


_MOVES_PER_CHUNK = 400_000


def match_log(
    matches: Sequence[StoredMatch], rules: MatchRules, game: MatrixGame, *, number: int = 1
) -> GameLog:
    """The matches as a `GameLog`.

    Seats carry their name as ``player``, their strategy, their attitude where they have one, and as
    conditions ``group``, ``opponent`` and ``opponent_group``; ``noise`` is a condition of the game.

    Parameters
    ----------
    game : MatrixGame
        Whose actions, payoffs and kind of payoffs are written.
    number : int
        Of the first match: ``m0000001``.
    """
    n, turns = len(matches), rules.turns
    cube = np.stack([match.moves for match in matches]).transpose(0, 2, 1)
    ids = pd.Index([f"m{number + k:07d}" for k in range(n)])
    cooperate = game.cooperative_label
    other = next(action for action in game.actions if action != cooperate)
    sign = -1.0 if game.kind == "penalty" else 1.0
    table = sign * np.asarray(rules.payoffs)[::-1].reshape(2, 2) + 0.0
    games = pd.DataFrame(
        {
            "game_id": ids,
            "source": "tournament",
            "game": game.name,
            "payoffs": game.to_json(),
            "payoff_kind": game.kind,
            "cooperative_action": cooperate,
            "n_players": 2,
            "rounds_planned": turns,
            "rounds_played": turns,
            "horizon_known": rules.known_length,
            "repetition": [match.repetition + 1 for match in matches],
            "noise": rules.noise,
        }
    )
    value = cube.reshape(-1)
    partner = cube[:, :, ::-1].reshape(-1)
    moves = pd.DataFrame(
        {
            "game_id": pd.Categorical.from_codes(np.repeat(np.arange(n), 2 * turns), categories=ids),
            "round": np.tile(np.repeat(np.arange(1, turns + 1), 2), n),
            "step": 1,
            "seat": np.tile([1, 2], n * turns),
            "action": pd.Categorical.from_codes(
                1 - value.astype(np.int8), categories=pd.Index([cooperate, other])
            ),
            "cooperated": value.astype(bool),
            "payoff": table[value, partner],
            "status": pd.Categorical.from_codes(
                np.zeros(len(value), dtype=np.int8), categories=pd.Index(["parsed"])
            ),
        }
    )
    return GameLog(games, _seats(matches, ids), moves)


def write_match_log(
    path: str | Path,
    matches: Iterable[StoredMatch],
    rules: MatchRules,
    game: MatrixGame,
    *,
    provenance: Mapping[str, Any],
    overwrite: bool = False,
) -> int:
    """Write a log chunk by chunk, so that it may be larger than memory; returns the number of matches.

    Raises
    ------
    OutputError
        The folder cannot be written, or there are no matches.
    """
    written = 0
    with ParquetLogWriter(path, overwrite=overwrite, provenance=dict(provenance)) as writer:
        for chunk in _chunks(matches, max(1, _MOVES_PER_CHUNK // (2 * rules.turns))):
            writer.write(match_log(chunk, rules, game, number=written + 1))
            written += len(chunk)
    return written


def _chunks(matches: Iterable[StoredMatch], size: int) -> Iterator[list[StoredMatch]]:
    running = iter(matches)
    while chunk := list(islice(running, size)):
        yield chunk


def _seats(matches: Sequence[StoredMatch], ids: pd.Index) -> pd.DataFrame:
    rows: dict[str, list[Any]] = {
        name: [] for name in ("player", "strategy", "attitude", "group", "opponent", "opponent_group")
    }
    for match in matches:
        for own, other in ((0, 1), (1, 0)):
            entrant, rival = match.strategies[own], match.strategies[other]
            rows["player"].append(match.players[own])
            rows["strategy"].append(entrant.name)
            rows["attitude"].append(entrant.group if entrant.group in ATTITUDES else None)
            rows["group"].append(entrant.group or "other")
            rows["opponent"].append(match.players[other])
            rows["opponent_group"].append(rival.group or "other")
    return pd.DataFrame(
        {
            "game_id": np.repeat(ids.to_numpy(), 2),
            "seat": np.tile([1, 2], len(matches)),
            **rows,
            "focal": True,
        }
    )
