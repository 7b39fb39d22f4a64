"""Games of gamma-bench in a game log, as records of what was played.

A missing move counts as the games' rules have it: nobody's guess, at home, no bid and no token, no dish, a
miss on purpose. In the pirate game a missing vote is a wrong one, and a missing proposal as far from the
equilibrium as can be. Defaults that replaced an unreadable answer count as moves, since they were played.

From a game's moves in a log to the record of its play: one function per game.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from intent.agents.plan import SCRIPTED
from intent.base.errors import DataError, GameError, shorten
from intent.games.courses import course_from_json, holds_rules
from intent.gamma.auction import valuations
from intent.gamma.catalogue import GAMMA_GAMES, setting_name
from intent.gamma.game import exact
from intent.gamma.plays import (
    AuctionPlays,
    BarPlays,
    BattlePlays,
    DinerPlays,
    DollarPlays,
    GoodsPlays,
    GuessingPlays,
    PiratePlays,
    Plays,
    Shot,
    Vote,
)
from intent.gamma.replay import MovesByGame, Rounds, told_plainly

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog


__all__ = ["READERS", "Table", "each_plays", "gamma_rows", "plays_of"]


Models = tuple[str | None, ...]

_WHOLE = re.compile(r"\d{1,12}", re.ASCII)
_LARGEST = 10**12


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
    def of(cls, rounds: Rounds, n_players: int) -> Table:
        """The moves of a game, in rounds 1 to the last.

        Raises
        ------
        DataError
            A round or seat that cannot be, or a round without a move between others.
        """
        for i, played in rounds.items():
            stray = next((seat for seat in played if not 1 <= seat <= n_players), None)
            if stray is not None:
                raise DataError(f"round {i}: seat {stray}, expected 1 to {n_players}")
        if list(rounds) != list(range(1, len(rounds) + 1)):
            raise DataError(f"rounds {shorten(sorted(rounds))}, expected each from 1 to {len(rounds)}")
        actions = [{seat: move.action for seat, move in played.items()} for played in rounds.values()]
        values = [{s: m.value for s, m in played.items() if m.value == m.value} for played in rounds.values()]
        return cls(tuple(actions), tuple(values), n_players)

    def words(self, options: tuple[str, ...]) -> tuple[tuple[str | None, ...], ...]:
        """Rounds by seats of actions that are one of the options."""
        for i, played in enumerate(self.rounds, start=1):
            for seat, action in played.items():
                if action is not None and action not in options:
                    raise DataError(_odd(i, seat, action, " or ".join(options)))
        return tuple(tuple(played.get(s + 1) for s in range(self.n_players)) for played in self.rounds)

    def numbers(self, low: float, high: float) -> tuple[tuple[float | None, ...], ...]:
        """Rounds by seats of actions that are whole numbers of a range."""
        rows = tuple(
            tuple(_whole(i, s + 1, played.get(s + 1)) for s in range(self.n_players))
            for i, played in enumerate(self.rounds, start=1)
        )
        for i, row in enumerate(rows, start=1):
            for seat, x in enumerate(row, start=1):
                if x is not None and not low <= x <= high:
                    raise DataError(_odd(i, seat, f"{x:.0f}", f"a whole number from {low} to {high}"))
        return rows


def _guessing(game: Any, table: Table, models: Models) -> Plays:
    rows = [row for row in table.numbers(game.low, game.high) if any(x is not None for x in row)]
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
        low=game.low,
        high=game.high,
        home=game.home,
        ratio=float(exact(game.name, "ratio", game.ratio, 10)),
        written=str(game.facts()["ratio"]),
        mode=game.mode,
        goers=tuple(row.count("go") for row in rows),
        by_seat=rows,
    )


def _dollar(game: Any, table: Table, models: Models) -> Plays:
    rows = table.numbers(0, game.gold)
    return DollarPlays(
        n_players=game.n_players, models=models, gold=game.gold, totals=_sums(rows), by_seat=rows
    )


def _goods(game: Any, table: Table, models: Models) -> Plays:
    rows = table.numbers(0, game.tokens if game.reset else _LARGEST)
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
        bids=table.numbers(0, game.top),
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
    return tuple(
        tuple(map(float, valuations(i, game.n_players, game.top, game.step, game.seed)))
        for i in range(1, n_rounds + 1)
    )


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


def plays_of(log: GameLog) -> list[tuple[Mapping[str, Any], Plays]]:
    """Every gamma-bench game of a log, in its order.

    Parameters
    ----------
    log : GameLog

    Returns
    -------
    list of (row of the table of games, Plays)

    Raises
    ------
    DataError
        A game whose parameters or moves cannot be; the message names game, round and seat.
    """
    found = []
    for row, plays in each_plays(log):
        if isinstance(plays, DataError):
            raise plays
        found.append((row, plays))
    return found


def each_plays(log: GameLog) -> Iterator[tuple[Mapping[str, Any], Plays | DataError]]:
    """As `plays_of`, with the error in place of a game that cannot be read."""
    log = told_plainly(log)
    moves, players = MovesByGame(log), _players(log)
    places = {game_id: i for i, game_id in enumerate(log.games["game_id"])}
    for row in gamma_rows(log):
        game_id = row["game_id"]
        try:
            yield row, _plays(row, players.get(game_id, {}), moves.rounds(places[game_id]))
        except (DataError, GameError) as error:
            yield row, DataError(f"game {shorten(row['game_id'])!r}, {error}")


def gamma_rows(log: GameLog) -> list[Mapping[str, Any]]:
    """Rows of the table of games whose payoffs are the rules of a gamma-bench game."""
    ours = [holds_rules(payoffs) for payoffs in log.games["payoffs"]]
    return [{str(name): value for name, value in row.items()} for row in log.games[ours].to_dict("records")]


def _players(log: GameLog) -> dict[str, dict[int, str]]:
    """game_id -> seat -> model, or the strategy of a scripted seat."""
    found: dict[str, dict[int, str]] = {}
    columns = (log.seats[name].astype(object) for name in ("game_id", "seat", "model", "strategy"))
    for game_id, seat, model, strategy in zip(*columns, strict=True):
        if isinstance(model, str) or isinstance(strategy, str):
            name = model if isinstance(model, str) else SCRIPTED + strategy
            found.setdefault(game_id, {})[int(seat)] = shorten(name, 200)
    return found


def _plays(row: Mapping[str, Any], models: Mapping[int, str], rounds: Rounds) -> Plays:
    game = course_from_json(row["payoffs"], str(row["game"]))
    table = Table.of(rounds, game.n_players)
    plays = READERS[game.name](game, table, tuple(models.get(i + 1) for i in range(game.n_players)))
    return replace(plays, named=setting_name(game))


assert set(READERS) == set(GAMMA_GAMES)
