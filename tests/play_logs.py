"""Small logs written out move by move, for analyses of play."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from intent import GameLog
from intent.demo import sample_log
from intent.games.catalogue import game as named_game
from intent.games.game import MatrixGame, PublicGoods
from intent.logs.readers import read_log
from intent.logs.stores import write_log
from intent.play.match import Horizon, Match, Move, Round, to_log

PD = named_game("prisoner-dilemma")


def match(
    game: MatrixGame | PublicGoods,
    *moves: str,
    model: str | Sequence[str | None] = "m",
    persona: Sequence[str | None] = (),
    **columns: Any,
) -> Match:
    """A game from one text per seat: ``C`` and ``D``; lower case a default, ``.`` a missing move."""
    models = [model] * len(moves) if isinstance(model, str) else list(model)
    seats = [
        {"model": m, "persona": p} for m, p in zip(models, [*persona, *[None] * len(moves)], strict=False)
    ]
    rounds = [_round(game, number, joint) for number, joint in enumerate(zip(*moves, strict=True), start=1)]
    return Match(game, Horizon(len(rounds), True), tuple(rounds), tuple(seats), columns)


def log_of(*matches: Match) -> GameLog:
    """Their log."""
    return to_log(matches)


def _round(game: MatrixGame | PublicGoods, number: int, joint: Sequence[str]) -> Round:
    moves = []
    for seat, letter in enumerate(joint, start=1):
        give = game.cooperative_action(seat) or game.actions[0]
        other = next(a for a in game.actions if a != give)
        action = {"C": give, "D": other}.get(letter.upper())
        status = "missing" if action is None else "parsed" if letter.isupper() else "defaulted"
        moves.append(Move(seat, 1, action, status))
    known = [m.action for m in moves]
    payoffs = (None,) * len(moves) if None in known else game.payoff(known)
    return Round(number, tuple(moves), payoffs)


def scaled_games(
    rng: np.random.Generator, *, models: Sequence[str] = ("A", "B"), repetitions: int = 4
) -> GameLog:
    """Prisoner's Dilemmas at three scales in two languages, all pairings; B cooperates less in Vietnamese."""
    made = []
    for m in models:
        for language in ("en", "vi"):
            for scale in (0.1, 1.0, 10.0):
                for persona in (
                    ("cooperative", "cooperative"),
                    ("cooperative", "selfish"),
                    ("selfish", "selfish"),
                ):
                    for repetition in range(1, repetitions + 1):
                        p = [0.8 if who == "cooperative" else 0.2 for who in persona]
                        if m == "B" and language == "vi":
                            p = [x / 2 for x in p]
                        play = ["".join("DC"[int(rng.random() < x)] for _ in range(10)) for x in p]
                        columns = {"language": language, "scale": scale, "repetition": repetition}
                        made.append(match(PD.scaled(scale), *play, model=m, persona=persona, **columns))
    return log_of(*made)


def public_goods_games(
    rng: np.random.Generator, *, models: Sequence[str] = ("A", "B"), n: int = 3
) -> GameLog:
    """Public goods games of `n` players with three factors in two languages."""
    made = []
    for m in models:
        for language in ("en", "vi"):
            for factor in (1.1, 2.0, 2.9):
                goods = PublicGoods("public-goods", n, 10, factor)
                for k in range(n + 1):
                    for repetition in (1, 2, 3):
                        persona = ["cooperative"] * k + ["selfish"] * (n - k)
                        p = [0.3 + 0.2 * factor if who == "cooperative" else 0.05 for who in persona]
                        play = ["".join("DC"[int(rng.random() < x)] for _ in range(10)) for x in p]
                        columns = {"language": language, "repetition": repetition}
                        made.append(match(goods, *play, model=m, persona=persona, **columns))
    return log_of(*made)


def few_games(path: Path) -> Path:
    """Every fifth of the 240 games of the sample, as a file: enough for commands to do all their work on."""
    log = read_log(sample_log())
    some = set(log.games["game_id"].iloc[::5])
    return write_log(
        GameLog(*(table[table["game_id"].isin(some)] for table in (log.games, log.seats, log.moves))), path
    )
