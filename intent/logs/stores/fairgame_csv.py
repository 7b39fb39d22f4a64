"""FAIRGAME's results file: one row per game, play in cells that hold Python lists.

FAIRGAME's own columns come first: game_id, language, n_rounds_is_known, max_rounds, played_rounds,
agents_communicate, and seven per agent. What they have no room for follows in columns of ours, as the
public file all_results.csv appends its game and payoff type: source, game, payoffs, payoff_kind,
cooperative_action, repetition, run, the conditions, and ``agent1_<column>`` for further columns of the seats.

References
----------
Buscemi et al. 2025, FAIRGAME: a Framework for AI Agents Bias Recognition using Game Theory,
arXiv:2504.14325.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from intent.errors import OutputError, shorten
from intent.files.bounds import bounds
from intent.logs.gamelog import GameLog
from intent.logs.output import writing
from intent.logs.stores.fairgame_cells import Seat, game_play, score_cells

__all__ = ["left_out", "write_fairgame_csv"]

_OF_GAME = ("game_id", "language", "n_rounds_is_known", "max_rounds", "played_rounds", "agents_communicate")
_OF_AGENT = ("name", "llm", "personality", "knows_opponent_with_prob", "strategies", "scores", "messages")
_HELD = {"game_id", "language", "horizon_known", "rounds_planned", "rounds_played", "n_players"}
_HELD_SEATS = {"game_id", "seat", "agent_name", "model", "persona", "opponent_persona_probability"}
_ALWAYS = ("source", "payoffs", "payoff_kind", "cooperative_action")
_PRIVATE = ("value", "private_thought", "reasoning", "reply", "prompt", "advice", "details")


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
            line = ",".join(_quoted(cell) for cell in row) + "\n"
            file.write(line.encode("utf-8", "backslashreplace"))
    return Path(path)


def left_out(log: GameLog) -> tuple[str, ...]:
    """What of a log the file has no room for, as ``moves: reasoning``; empty where nothing is lost."""
    private = (name for name in _PRIVATE if name in log.moves and log.moves[name].notna().any())
    found = [f"moves: {name}" for name in private]
    return (*found, *(() if log.questions is None else ("questions",)))


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
    told = _plain(seat.get("opponent_persona_probability"))
    spoken = any(text is not None for text in play.messages)
    return [
        _plain(seat.get("agent_name")) or f"agent{seat['seat']}",
        _plain(seat["model"]),
        _plain(seat["persona"]) or "None",
        told or "0",
        str(list(play.actions)),
        score_cells(play.payoffs, game["payoffs"]),
        str([text or "" for text in play.messages]) if spoken else "[]",
    ]


def _plain(value: Any) -> str:
    """A value as Python writes it, nothing for null."""
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return ""
    return str(value.item() if isinstance(value, np.generic) else value)


def _quoted(cell: str) -> str:
    """The cell in quotes where it needs them; a lone carriage return does."""
    if len(cell) > bounds().field:
        raise OutputError(f"a cell of {len(cell):,} characters, expected at most {bounds().field:,}")
    if any(mark in cell for mark in ',"\r\n'):
        return '"' + cell.replace('"', '""') + '"'
    return cell
