"""From a game's moves in a log to the record of its play: one function per game."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, shorten
from intent.games.gamma.parameters import exact
from intent.suites.gamma.plays import (
    AuctionPlays,
    BarPlays,
    DinerPlays,
    DollarPlays,
    GoodsPlays,
    GuessingPlays,
    Plays,
)
from intent.suites.gamma.sequential_plays import BattlePlays, PiratePlays, Shot, Vote

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["READERS", "Table"]

Models = tuple[str | None, ...]

_WHOLE = re.compile(r"\d{1,12}", re.ASCII)


@dataclass(frozen=True)
class Table:
    """Moves of one game.

    Parameters
    ----------
    rounds : tuple of mappings seat -> action, by round
        None of a move that is missing; a seat that did not move is absent.
    hits : tuple of mappings seat -> number
        What the column ``value`` has.
    n_players : int
    """

    rounds: tuple[Mapping[int, str | None], ...]
    hits: tuple[Mapping[int, float], ...]
    n_players: int

    @classmethod
    def of(cls, moves: pd.DataFrame, n_players: int) -> Table:
        """The moves of a game, in rounds 1 to the last.

        Raises
        ------
        DataError
            A round or seat that cannot be, a round without a move between others, or a seat that moved twice.
        """
        rounds: dict[int, dict[int, str | None]] = {}
        hits: dict[int, dict[int, float]] = {}
        values = moves["value"] if "value" in moves else [None] * len(moves)
        for number, seat, action, value in zip(
            moves["round"], moves["seat"], moves["action"], values, strict=True
        ):
            at, who = int(number), int(seat)
            if not 1 <= who <= n_players:
                raise DataError(f"round {at}: seat {who}, expected 1 to {n_players}")
            if who in rounds.setdefault(at, {}):
                raise DataError(f"round {at}: seat {who} moved twice")
            rounds[at][who] = action if isinstance(action, str) else None
            if isinstance(value, int | float) and value == value:
                hits.setdefault(at, {})[who] = float(value)
        if sorted(rounds) != list(range(1, len(rounds) + 1)):
            raise DataError(f"rounds {shorten(sorted(rounds))}, expected each from 1 to {len(rounds)}")
        order = range(1, len(rounds) + 1)
        return cls(tuple(rounds[i] for i in order), tuple(hits.get(i, {}) for i in order), n_players)

    def words(self, options: tuple[str, ...]) -> tuple[tuple[str | None, ...], ...]:
        """Rounds by seats of actions that are one of the options."""
        for i, played in enumerate(self.rounds, start=1):
            for seat, action in played.items():
                if action is not None and action not in options:
                    raise DataError(_odd(i, seat, action, " or ".join(options)))
        return tuple(tuple(played.get(s + 1) for s in range(self.n_players)) for played in self.rounds)

    def numbers(self) -> tuple[tuple[float | None, ...], ...]:
        """Rounds by seats of actions that are whole numbers."""
        return tuple(
            tuple(_whole(i, s + 1, played.get(s + 1)) for s in range(self.n_players))
            for i, played in enumerate(self.rounds, start=1)
        )


def _guessing(game: Any, table: Table, models: Models) -> Plays:
    rows = [row for row in table.numbers() if any(x is not None for x in row)]
    known = [[x for x in row if x is not None] for row in rows]
    return GuessingPlays(
        n_players=game.n_players,
        models=models,
        low=game.low,
        high=game.high,
        ratio=float(exact(game.name, "ratio", game.ratio, 10)),
        written=str(game.ratio),
        means=tuple(sum(some) / len(some) for some in known),
        by_seat=tuple(rows),
    )


def _bar(game: Any, table: Table, models: Models) -> Plays:
    rows = table.words(("go", "stay"))
    return BarPlays(
        n_players=game.n_players,
        models=models,
        ratio=float(exact(game.name, "ratio", game.ratio, 10)),
        written=str(game.facts()["ratio"]),
        mode=game.mode,
        goers=tuple(row.count("go") for row in rows),
        by_seat=rows,
    )


def _dollar(game: Any, table: Table, models: Models) -> Plays:
    rows = table.numbers()
    return DollarPlays(
        n_players=game.n_players, models=models, gold=game.gold, totals=_sums(rows), by_seat=rows
    )


def _goods(game: Any, table: Table, models: Models) -> Plays:
    rows = table.numbers()
    return GoodsPlays(
        n_players=game.n_players,
        models=models,
        tokens=game.tokens,
        factor=float(game.factor),
        reset=game.reset,
        least=game.least,
        totals=_sums(rows),
        by_seat=rows,
    )


def _diner(game: Any, table: Table, models: Models) -> Plays:
    rows = tuple(row for row in table.words(("cheap", "costly")) if any(row))
    return DinerPlays(
        n_players=game.n_players,
        models=models,
        menu=(game.cheap_price, game.cheap_utility, game.costly_price, game.costly_utility),
        cheap=tuple(row.count("cheap") for row in rows),
        diners=tuple(len(row) - row.count(None) for row in rows),
        by_seat=rows,
    )


def _auction(game: Any, table: Table, models: Models) -> Plays:
    return AuctionPlays(
        n_players=game.n_players,
        models=models,
        price=game.price,
        top=game.top,
        step=game.step,
        seed=game.seed,
        overbid=game.overbid,
        valuations=_valuations(game, len(table.rounds)),
        bids=table.numbers(),
    )


def _battle(game: Any, table: Table, models: Models) -> Plays:
    rates = dict(enumerate(game.facts()["rates"], start=1))
    alive, shots = dict(rates), []
    for i, (played, hits) in enumerate(zip(table.rounds, table.hits, strict=True), start=1):
        if len(played) != 1 or not set(played) <= set(alive):
            raise DataError(f"round {i}: seats {sorted(played)} shot, expected one that is alive")
        ((shooter, action),) = played.items()
        target = None if action in (None, "miss") else _whole(i, shooter, action)
        aimed = int(target) if target is not None and target in alive else None
        hit = aimed is not None and hits.get(shooter) == 1
        shots.append(Shot(shooter, tuple(alive.items()), aimed, hit))
        if aimed is not None and hit:
            del alive[aimed]
    span = (min(rates.values()), max(rates.values()))
    return BattlePlays(n_players=game.n_players, models=models, span=span, shots=tuple(shots))


def _pirate(game: Any, table: Table, models: Models) -> Plays:
    held = []
    for i, played in enumerate(table.rounds, start=1):
        if i > game.n_players or (played and min(played) < i):
            raise DataError(f"round {i}: seats {sorted(played)} moved, expected proposer {i} and its juniors")
        juniors = range(i + 1, game.n_players + 1)
        votes = tuple(played.get(seat) for seat in juniors)
        for seat, vote in zip(juniors, votes, strict=True):
            if vote not in (None, "accept", "reject"):
                raise DataError(_odd(i, seat, vote, "accept or reject"))
        held.append(Vote(_shares(i, played.get(i), game.n_players - i + 1), votes))
    return PiratePlays(n_players=game.n_players, models=models, gold=game.gold, held=tuple(held))


READERS: Mapping[str, Callable[[Any, Table, Models], Plays]] = MappingProxyType(
    {
        "guessing": _guessing,
        "bar": _bar,
        "divide_dollar": _dollar,
        "public_goods": _goods,
        "diner": _diner,
        "auction": _auction,
        "battle_royale": _battle,
        "pirate": _pirate,
    }
)
"""Game -> what reads it."""


def _valuations(game: Any, n_rounds: int) -> tuple[tuple[float, ...], ...]:
    """Valuations by round and seat, which the game's own seed decides, whatever is bid."""
    import numpy as np

    course, drawn = game.course(np.random.default_rng(0)), []
    seats = range(1, game.n_players + 1)
    for _ in range(n_rounds):
        drawn.append(tuple(float(course.asked(seat, {})["valuation"]) for seat in seats))
        course.complete(dict.fromkeys(seats))
    return tuple(drawn)


def _shares(i: int, action: str | None, n: int) -> tuple[float, ...] | None:
    if action is None:
        return None
    shares = action.split(",", n)
    if len(shares) != n:
        raise DataError(_odd(i, i, action, f"{n} whole numbers joined by commas"))
    return tuple(_whole(i, i, share) or 0.0 for share in shares)


def _whole(i: int, seat: int, action: str | None) -> float | None:
    if action is None:
        return None
    if not _WHOLE.fullmatch(action):
        raise DataError(_odd(i, seat, action, "a whole number"))
    return float(action)


def _sums(rows: tuple[tuple[float | None, ...], ...]) -> tuple[float, ...]:
    return tuple(sum(x for x in row if x is not None) for row in rows)


def _odd(i: int, seat: int, action: object, expected: str) -> str:
    return f"round {i}, seat {seat}: action {shorten(action, 40)!r}, expected {expected}"
