"""Logs of games that are played by their courses, made by hand: no referee, no files."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from intent.games.game import CourseGame
from intent.logs.gamelog import GameLog

Policy = Callable[..., str | None]
"""(game, seat, asked, rng) -> action."""


def equilibrium(game: CourseGame, seat: int, asked: Any, rng: np.random.Generator) -> str | None:
    """Equilibrium play."""
    return game.equilibrium(seat, asked, rng)


def at_random(game: CourseGame, seat: int, asked: Any, rng: np.random.Generator) -> str | None:
    """Any legal action alike; one in twenty is missing."""
    legal = game.legal(seat, asked)
    if rng.random() < 0.05:
        return None
    return str(rng.choice(legal)) if legal else game.equilibrium(seat, asked, rng)


def course_log(
    games: list[tuple[CourseGame, dict[str, Any]]], policy: Policy, rounds: int, rng: np.random.Generator
) -> GameLog:
    """One game per (game, columns of the games table; those named ``seat_…`` go to its seats)."""
    rows, seats, moves = [], [], []
    for i, (game, given) in enumerate(games):
        of_seats = {k.removeprefix("seat_"): v for k, v in given.items() if k.startswith("seat_")}
        columns = {k: v for k, v in given.items() if not k.startswith("seat_")}
        game_id = columns.get("game_id", f"g{i}")
        course = game.course(rng)
        played = 0
        while played < rounds and not course.over:
            played += 1
            actions: dict[int, str | None] = {}
            at: dict[int, int] = {}
            for step, movers in enumerate(course.steps(), start=1):
                earlier = dict(actions)
                for seat in movers:
                    actions[seat] = policy(game, seat, course.question(seat, earlier), rng)
                    at[seat] = step
            outcome = course.complete(actions)
            moves += [
                {
                    "game_id": game_id,
                    "round": played,
                    "step": at[seat],
                    "seat": seat,
                    "action": action,
                    "value": outcome.values.get(seat),
                    "payoff": outcome.payoffs[seat - 1],
                    "status": "missing" if action is None else "parsed",
                }
                for seat, action in actions.items()
            ]
        row = {"game_id": game_id, "game": game.name, "payoffs": game.to_json(), "payoff_kind": game.kind}
        row |= {"n_players": game.n_players, "rounds_played": played, "repetition": 1}
        rows.append({**row, **columns})
        n = game.n_players
        seats += [{"game_id": game_id, "seat": s, "focal": True, **of_seats} for s in range(1, n + 1)]
    return GameLog(pd.DataFrame(rows), pd.DataFrame(seats), pd.DataFrame(moves))
