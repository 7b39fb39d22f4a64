"""Games of agents that write in private and in public, with moves and texts as told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from intent import GameLog
from intent.games.catalogue import game as named_game
from intent.play.match import Horizon, Match, Move, Round, to_log

Said = tuple[int, str | None, str | None]
"""Place of the action (0 first, 1 second, -1 missing), public text, private text."""


def honest(action: int, labels: Sequence[str]) -> Said:
    return action, f"I will choose {labels[action]}.", f"I will choose {labels[action]}."


def liar(action: int, labels: Sequence[str]) -> Said:
    return (
        action,
        f"I will choose {labels[1 - action]}.",
        f"I will tell them {labels[1 - action]}. I will choose {labels[action]}.",
    )


def silent(action: int, labels: Sequence[str]) -> Said:
    return action, None, None


def deliberation(
    game: str,
    rounds: Sequence[tuple[Said, Said]],
    agents: Sequence[str] = ("private", "public"),
    model: str = "m",
    **columns: Any,
) -> Match:
    """A game; an agent in capitals is a strategy."""
    stage = named_game(game)
    made = []
    for number, joint in enumerate(rounds, start=1):
        moves = tuple(_move(seat, said, stage.actions) for seat, said in enumerate(joint, start=1))
        known = [move.action for move in moves]
        payoffs = (None, None) if None in known else stage.payoff([str(a) for a in known])
        made.append(Round(number, moves, payoffs))
    seats = tuple(
        {"strategy": a, "model": None} if a.isupper() else {"model": model, "architecture": a} for a in agents
    )
    return Match(stage, Horizon(len(rounds), False), tuple(made), seats, columns)


def log_with(*matches: Match, types: Sequence[tuple[str, int, int, str | None, str]] = ()) -> GameLog:
    """Their log; types: (game_id, round, seat, answer, actual type) of the question on the opponent."""
    log = to_log(matches)
    if not types:
        return log
    questions = pd.DataFrame(
        [
            {
                "game_id": g,
                "round": r,
                "seat": s,
                "question": "opponent_type",
                "answer": said,
                "parsed": said,
                "expected": true,
                "correct": None if said is None else said == true,
            }
            for g, r, s, said, true in types
        ]
    )
    return GameLog(log.games, log.seats, log.moves, questions)


def _move(seat: int, said: Said, labels: Sequence[str]) -> Move:
    place, message, thought = said
    action = None if place < 0 else labels[place]
    status = "missing" if action is None else "parsed"
    return Move(seat, 1, action, status, message=message, private_thought=thought)
