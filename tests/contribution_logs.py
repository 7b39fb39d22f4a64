"""Logs of public goods games, made by hand or by simulation."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd

from intent.logs.gamelog import GameLog

TOKENS = {"rules": "public_goods", "n_players": 4, "tokens": 20, "factor": 2, "reset": True, "least": None}


def token_log(games: Sequence[Sequence[Sequence[float | None]]], payoffs: dict | None = TOKENS) -> GameLog:
    """A log of games[g][round][seat] numbers; None is a missing move; no payoffs, no endowment."""
    return _log(games, "value", payoffs, "tokens")


def binary_log(games: Sequence[Sequence[Sequence[int | None]]]) -> GameLog:
    """A log of games[g][round][seat]: 1 cooperates, 0 does not, None is missing."""
    return _log(games, "cooperated", None, "binary")


def _log(games, column, payoffs, name):
    table, seats, moves = [], [], []
    for g, rounds in enumerate(games):
        n = len(rounds[0])
        text = None if payoffs is None else json.dumps({**payoffs, "n_players": n}, separators=(",", ":"))
        table.append(
            {"game_id": f"{name}{g}", "game": "goods", "payoffs": text, "n_players": n,
             "rounds_played": len(rounds), "repetition": 1, "cooperative_action": None}
        )  # fmt: skip
        seats += [{"game_id": f"{name}{g}", "seat": s + 1, "focal": True} for s in range(n)]
        for t, row in enumerate(rounds):
            for s, value in enumerate(row):
                status = "missing" if value is None else "parsed"
                shown = None if value is None else f"{value:g}"
                move = {"game_id": f"{name}{g}", "round": t + 1, "step": 1, "seat": s + 1, "status": status}
                moves.append({**move, "action": shown, column: value})
    frame = pd.DataFrame(moves)
    if column == "cooperated":
        frame["cooperated"] = frame["cooperated"].map({1: True, 0: False}).astype("boolean")
    else:
        frame["value"] = frame["value"].astype(float)
    return GameLog(pd.DataFrame(table), pd.DataFrame(seats), frame)


def threshold_play(seats, rounds: int, eps: float, rng: np.random.Generator) -> list[list[list[int]]]:
    """Games of seats[g][i] = (Strategy, k), stepped with thresholds and trembles: games[g][round][seat]."""
    games = []
    for table in seats:
        states, played = [s.start for s, _ in table], []
        for _ in range(rounds):
            chances = [s.p_cooperate[state] for (s, _), state in zip(table, states, strict=True)]
            moves = [int((rng.random() < p) != (rng.random() < eps)) for p in chances]
            others = [int(sum(moves) - own >= k) for (_, k), own in zip(table, moves, strict=True)]
            states = [
                s.next_code(state, own, other)
                for (s, _), state, own, other in zip(table, states, moves, others, strict=True)
            ]
            played.append(moves)
        games.append(played)
    return games
