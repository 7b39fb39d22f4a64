"""FAIRGAME's results file: one row per game, play in cells that hold Python lists.

FAIRGAME's own columns come first: game_id, language, n_rounds_is_known, max_rounds, played_rounds,
agents_communicate, and seven per agent. What they have no room for follows in columns of ours, as the
public file all_results.csv appends its game and payoff type: source, game, payoffs, payoff_kind,
cooperative_action, repetition, run, the conditions, and ``agent1_<column>`` for further columns of the seats.

The play of a log as FAIRGAME's cells hold it: actions, scores and messages of a seat, round by round.

References
----------
Buscemi et al. 2025, FAIRGAME: a Framework for AI Agents Bias Recognition using Game Theory,
arXiv:2504.14325.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import OutputError, shorten
from intent.base.files import bounds
from intent.base.outputs import writing
from intent.logs.gamelog import GameLog

__all__ = ["Seat", "game_play", "left_out", "quoted", "score_cells", "write_fairgame_csv"]


@dataclass(frozen=True)
class Seat:
    """One seat's play of a game, by round.

    Parameters
    ----------
    actions : tuple of str or None
    payoffs : tuple of float or None
    messages : tuple of str or None
    statuses : tuple of str
    """

    actions: tuple[str | None, ...]
    payoffs: tuple[float | None, ...]
    messages: tuple[str | None, ...]
    statuses: tuple[str, ...]


def game_play(log: GameLog) -> Iterator[list[Seat]]:
    """The seats of every game, in the order of the games.

    Raises
    ------
    OutputError
        Moves are made in several steps or are numbers, or a round of a seat is not there.
    """
    moves, games = log.moves, log.games
    row = games["game_id"].to_numpy()
    code = moves["game_id"].cat.codes.to_numpy(dtype=np.intp)
    number = moves["round"].to_numpy(dtype=np.intp)
    seat = moves["seat"].to_numpy(dtype=np.intp)
    _check_steps(log)
    _check_labels(log)
    order = np.lexsort((number, seat, code))
    empty = np.full(len(moves), None, dtype=object)
    cells = [_objects(moves[name]) for name in ("action", "payoff")]
    cells += [_objects(moves["message"]) if "message" in moves else empty, _objects(moves["status"])]
    ends = np.cumsum(np.bincount(code, minlength=len(games)))
    seats, rounds = games["n_players"].to_numpy(dtype=np.intp), games["rounds_played"].to_numpy(dtype=np.intp)
    for i, end in enumerate(ends):
        n, length = seats[i], rounds[i]
        at = order[(ends[i - 1] if i else 0) : end]
        if len(at) != n * length or not (
            np.array_equal(number[at], np.tile(np.arange(1, length + 1), n))
            and np.array_equal(seat[at], np.repeat(np.arange(1, n + 1), length))
        ):
            raise OutputError(
                f"game {shorten(row[i])} has {len(at)} moves, "
                f"expected one of {n} seats in each of {length} rounds"
            )
        yield [Seat(*(tuple(column[part].tolist()) for column in cells)) for part in at.reshape(n, length)]


def _objects(column: pd.Series[Any]) -> NDArray[np.object_]:
    """The values, None for null."""
    values = column.to_numpy(dtype=object, copy=True)
    values[column.isna().to_numpy()] = None
    return values


def score_cells(payoffs: Sequence[float | None], game: Any) -> str:
    """The list of scores, in whole numbers where those of the game are.

    Parameters
    ----------
    payoffs : sequence of float or None, by round
    game : str or null
        Payoffs of the game as `Game.to_json` writes them. FAIRGAME computes those of public goods games, by
        division, so that they are floats even where they are whole; where the game is unknown, the
        scores themselves decide.
    """
    whole = all(value is None or value.is_integer() for value in payoffs)
    if whole and isinstance(game, str):
        whole = _whole_table(game)
    return str([int(value) if whole and value is not None else value for value in payoffs])


def _whole_table(text: str) -> bool:
    try:
        table = json.loads(text)
        return all(isinstance(value, int) for pair in table.values() for value in pair)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return False


def _check_steps(log: GameLog) -> None:
    later = np.flatnonzero((log.moves["step"] != 1).to_numpy(dtype=bool))
    if len(later):
        move = log.moves.iloc[later[0]]
        raise OutputError(
            f"FAIRGAME's CSV has no steps within a round: game {shorten(move['game_id'])}, "
            f"round {move['round']}, seat {move['seat']}; choose another format"
        )


def _check_labels(log: GameLog) -> None:
    """Refuse moves that are numbers: who reads the file expects labels of the game."""
    if "value" not in log.moves:
        return
    numbers = np.flatnonzero(log.moves["value"].notna().to_numpy(dtype=bool))
    if len(numbers):
        move = log.moves.iloc[int(numbers[0])]
        raise OutputError(
            f"FAIRGAME's CSV has no moves that are numbers: game {shorten(move['game_id'])}, "
            f"round {move['round']}, seat {move['seat']}; choose another format"
        )


_OF_GAME = ("game_id", "language", "n_rounds_is_known", "max_rounds", "played_rounds", "agents_communicate")
_OF_AGENT = ("name", "llm", "personality", "knows_opponent_with_prob", "strategies", "scores", "messages")
_HELD = {"game_id", "language", "horizon_known", "rounds_planned", "rounds_played", "n_players"}
_HELD_SEATS = {"game_id", "seat", "agent_name", "model", "persona", "opponent_persona_probability"}
_ALWAYS = ("source", "payoffs", "payoff_kind", "cooperative_action")
_HELD_MOVES = {"game_id", "round", "step", "seat", "action", "cooperated", "payoff", "status", "message"}


def write_fairgame_csv(log: GameLog, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a log as FAIRGAME writes its results, cells alike to the last digit.

    Lists are Python's: ``['OptionA', 'OptionB']``, ``[0, 10]``; scores are whole numbers where all payoffs of
    a matrix game are, else floats. A player without name is ``agent1`` and so on, one without persona
    ``None``, one without model (a scripted strategy) has an empty cell, as has ``max_rounds`` where
    chance ends the game; silence in a round with messages is an empty text. FAIRGAME knows no missing
    moves: here they and the scores of their round are ``None``, and where any move of the log is missing or a
    default, ``agent1_statuses`` and so on say which.

    `intent.read_log` reads the games, seats and moves back as they were, except for: what `left_out`
    lists; conditions whose texts all look like numbers or truth values, which become these; and the columns
    agents_communicate, agent_name and opponent_persona_probability, which the file always has.

    Raises
    ------
    OutputError
        The path cannot be written, or the log has what the format cannot hold: moves in several steps of a
        round, seats or rounds that are not there, a condition named like a column of the format.
    """
    width = int(log.games["n_players"].max()) if len(log) else 2
    further, of_seats = _further(log)
    listed = ["statuses"] if (log.moves["status"] != "parsed").any() else []
    header = [
        *_OF_GAME,
        *(f"agent{i}_{name}" for i in range(1, width + 1) for name in _OF_AGENT),
        *further,
        *(f"agent{i}_{name}" for i in range(1, width + 1) for name in (*listed, *of_seats)),
    ]
    clash = next((name for name in header if header.count(name) > 1 or name == "known"), None)
    if clash is not None:
        raise OutputError(f"column {shorten(clash)!r} has a name that FAIRGAME's CSV uses itself; rename it")
    with writing(path, overwrite=overwrite) as draft, draft.open("wb") as file:
        for row in (header, *_rows(log, width, further, of_seats, bool(listed))):
            line = ",".join(quoted(cell) for cell in row) + "\n"
            file.write(line.encode("utf-8", "backslashreplace"))
    return Path(path)


def left_out(log: GameLog) -> tuple[str, ...]:
    """What of a log the file has no room for, as ``moves: reasoning``; empty where nothing is lost."""
    unheld = (str(name) for name in log.moves if name not in _HELD_MOVES and log.moves[name].notna().any())
    private_columns = [f"moves: {name}" for name in unheld]
    return (*private_columns, *(() if log.questions is None else ("questions",)))


def _further(log: GameLog) -> tuple[list[str], list[str]]:
    """Our columns of games and of seats: those that say how to read the scores, and those with values."""
    games = [
        name
        for name in log.games.columns
        if name not in _HELD | {"agents_communicate"} and (name in _ALWAYS or log.games[name].notna().any())
    ]
    seats = [
        name
        for name in log.seats.columns
        if name not in _HELD_SEATS
        and log.seats[name].notna().any()
        and not (name == "focal" and log.seats[name].all())
    ]
    return games, seats


def _rows(
    log: GameLog, width: int, further: Sequence[str], of_seats: Sequence[str], statuses: bool
) -> Iterator[list[str]]:
    of_game: dict[str, list[Mapping[str, Any]]] = {game_id: [] for game_id in log.games["game_id"]}
    for seat in log.seats.sort_values(["seat"], kind="stable").to_dict("records"):
        of_game[str(seat["game_id"])].append({str(k): v for k, v in seat.items()})
    for game, play in zip(log.games.to_dict("records"), game_play(log), strict=True):
        seats = of_game[game["game_id"]]
        if [seat["seat"] for seat in seats] != list(range(1, game["n_players"] + 1)):
            raise OutputError(
                f"game {shorten(game['game_id'])} lists seats {shorten([s['seat'] for s in seats])}, "
                f"expected 1 to {game['n_players']}"
            )
        absent = width - len(seats)
        yield [
            *_game_cells(game, play),
            *(cell for seat, moves in zip(seats, play, strict=True) for cell in _agent(seat, moves, game)),
            *[""] * (absent * len(_OF_AGENT)),
            *(_plain(game[name]) for name in further),
            *(
                cell
                for seat, moves in zip(seats, play, strict=True)
                for cell in (*[str(list(moves.statuses))] * statuses, *(_plain(seat[n]) for n in of_seats))
            ),
            *[""] * (absent * (statuses + len(of_seats))),
        ]


def _game_cells(game: Mapping[Any, Any], play: Sequence[Seat]) -> list[str]:
    talk = game.get("agents_communicate")
    if talk is None or pd.isna(talk):
        phase = game.get("communication")
        spoken = any(text is not None for seat in play for text in seat.messages)
        talk = spoken if phase is None or pd.isna(phase) else phase != "none"
    columns = ("game_id", "language", "horizon_known", "rounds_planned", "rounds_played")
    return [*(_plain(game[name]) for name in columns), _plain(talk)]


def _agent(seat: Mapping[str, Any], play: Seat, game: Mapping[Any, Any]) -> list[str]:
    probability = _plain(seat.get("opponent_persona_probability"))
    spoken = any(text is not None for text in play.messages)
    return [
        _plain(seat.get("agent_name")) or f"agent{seat['seat']}",
        _plain(seat["model"]),
        _plain(seat["persona"]) or "None",
        probability or "0",
        str(list(play.actions)),
        score_cells(play.payoffs, game["payoffs"]),
        str([text or "" for text in play.messages]) if spoken else "[]",
    ]


def _plain(value: Any) -> str:
    """A value as Python writes it, nothing for null."""
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return ""
    return str(value.item() if isinstance(value, np.generic) else value)


def quoted(cell: str) -> str:
    """The cell in quotes where it needs them; a lone carriage return does."""
    if len(cell) > bounds().field:
        raise OutputError(f"a cell of {len(cell):,} characters, expected at most {bounds().field:,}")
    if any(mark in cell for mark in ',"\r\n'):
        return '"' + cell.replace('"', '""') + '"'
    return cell
