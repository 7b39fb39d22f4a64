"""GAMA-Bench's saved JSON files, as records of what was played.

A file is an object with ``meta`` (the parameters), ``round_records`` and ``player_data``; it does not name
its game, which the keys of ``meta`` tell, and those of the rounds where ``meta`` lacks them. Files differ
with their age: ``model`` or ``models``, no ``gold`` (then 100), targets as ``player_3`` or ``3``. Responses
of the guessing game and of dividing the dollar were shuffled before they were saved, so that single choices
come from ``player_data[*].records``.

Rounds of a saved file, of games in which all choose a number or one of two words at once.

Rounds of the auction, of battle royale and of the pirate game, from a saved file.

The values of a saved file, checked: numbers that are numbers, lists that are as long as they should be.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intent.base.errors import DataError, located, one_line, shorten
from intent.base.json_text import read_object
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

__all__ = [
    "LARGEST",
    "MOST_PLAYERS",
    "MOST_ROUNDS",
    "SMALLEST",
    "Saved",
    "auction_plays",
    "bar_plays",
    "battle_plays",
    "count",
    "diner_plays",
    "dollar_plays",
    "goods_plays",
    "guessing_plays",
    "is_saved",
    "number",
    "numbers",
    "part",
    "pirate_plays",
    "read_saved",
    "saved_plays",
    "seat_of",
    "words",
]


LARGEST = 1e9
"""Size of a number beyond which it is no choice that anybody made."""

SMALLEST = 1e-6
"""Of what scores are divided by: beyond it they would be infinite."""

MOST_PLAYERS = 1000
MOST_ROUNDS = 10_000

_ID = re.compile(r"(?:player_)?(\d{1,4})", re.ASCII)


@dataclass(frozen=True)
class Saved:
    """The parts of a saved file.

    Parameters
    ----------
    meta : mapping
    records : list of mappings, by round
    n_players : int
    models : tuple of str or None, by player
    own : tuple of lists, by player, or None
        ``records`` of the players, which hold a choice per round; None where a player has none.
    """

    meta: Mapping[str, Any]
    records: list[Mapping[str, Any]]
    n_players: int
    models: tuple[str | None, ...]
    own: tuple[list[Any], ...] | None

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Saved:
        """The parts of an object.

        Raises
        ------
        DataError
            A part is missing or of another kind.
        """
        meta = part(found, "meta", dict, "the file")
        records = part(found, "round_records", list, "the file")
        if len(records) > MOST_ROUNDS:
            raise DataError(f"{len(records):,} rounds, expected at most {MOST_ROUNDS:,}")
        for i, record in enumerate(records, start=1):
            if not isinstance(record, dict):
                raise DataError(f"round {i}: {shorten(repr(record))}, expected an object")
        players = part(found, "player_data", list, "the file") if "player_data" in found else []
        if any(not isinstance(player, dict) for player in players):
            raise DataError("player_data: expected a list of objects")
        given = meta.get("player_num", len(players))
        n_players = count(given, "player_num", "meta", low=2, high=MOST_PLAYERS)
        if players and len(players) != n_players:
            raise DataError(f"player_data of {len(players)} players, expected {n_players}")
        own = tuple(player.get("records") for player in players)
        complete = bool(own) and all(isinstance(one, list) for one in own)
        return cls(meta, records, n_players, _models(meta, players, n_players), own if complete else None)

    def responses(self, i: int) -> list[Any] | None:
        """The answers of a round, in the order of the file; None where the file has none."""
        record, at = self.records[i], f"round {i + 1}"
        if "responses" not in record:
            return None
        found: list[Any] = part(record, "responses", list, at)
        if len(found) != self.n_players:
            raise DataError(f"{at}: {len(found)} responses, expected {self.n_players}")
        return found


def part(found: Mapping[str, Any], key: str, kind: type, at: str) -> Any:
    """The value of a key, of a kind.

    Raises
    ------
    DataError
        None is there, or one of another kind.
    """
    if key not in found:
        raise DataError(f"{at}: no {key}, expected {_KINDS[kind]}")
    value = found[key]
    if not isinstance(value, kind):
        raise DataError(f"{at}: {key} is {shorten(repr(value), 40)}, expected {_KINDS[kind]}")
    return value


_KINDS: Mapping[type, str] = {dict: "an object", list: "a list", str: "a text"}


def number(value: object, name: str, at: str, *, low: float = 0.0, high: float = LARGEST) -> float:
    """A number within bounds: no truth value, no text, nothing infinite.

    Raises
    ------
    DataError
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise DataError(
            f"{at}: {name} is {shorten(repr(value), 40)}, expected a number from {low:g} to {high:g}"
        )
    return value


def count(value: object, name: str, at: str, *, low: int = 0, high: int = 10**9) -> int:
    """A whole number within bounds; 3.0 is one.

    Raises
    ------
    DataError
    """
    known = number(value, name, at, low=low, high=high)
    if known != int(known):
        raise DataError(f"{at}: {name} is {shorten(repr(value), 40)}, expected a whole number")
    return int(known)


def numbers(
    values: Sequence[object], name: str, at: str, *, low: float = 0.0, high: float = LARGEST
) -> tuple[float, ...]:
    """Numbers within bounds, named by their place.

    Raises
    ------
    DataError
    """
    return tuple(
        number(value, f"{name} {i}", at, low=low, high=high) for i, value in enumerate(values, start=1)
    )


def words(values: Sequence[object], options: tuple[str, ...], name: str, at: str) -> tuple[str, ...]:
    """Each value as one of the options, in lower case.

    Raises
    ------
    DataError
    """
    known = []
    for i, value in enumerate(values, start=1):
        word = value.lower() if isinstance(value, str) else value
        if word not in options:
            raise DataError(
                f"{at}: {name} {i} is {shorten(repr(value), 40)}, expected {' or '.join(options)}"
            )
        known.append(str(word))
    return tuple(known)


def seat_of(value: object) -> int | None:
    """The seat, from 1, of ``player_3``, ``"3"`` or 3 (players count from 0); None of anything else."""
    found = (
        _ID.fullmatch(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    )
    return int(found[1]) + 1 if found else None


def _models(
    meta: Mapping[str, Any], players: Sequence[Mapping[str, Any]], n_players: int
) -> tuple[str | None, ...]:
    """Models by player, else that of ``meta``, each under ``model`` or ``models``."""
    of_all = _model(meta)
    return tuple(_model(player) or of_all for player in players) or (of_all,) * n_players


def _model(found: Mapping[str, Any]) -> str | None:
    name = found.get("model", found.get("models"))
    return one_line(name) or None if isinstance(name, str) else None


_NEAR = 1e-6
"""How far a figure of a round may be from what its single choices come to."""


def guessing_plays(saved: Saved) -> GuessingPlays:
    """Guess the ratio of the average.

    Numbers may lie in 0 to 100 whatever ``min`` and ``max`` say: upstream checks no others.
    """
    meta = saved.meta
    low = number(meta.get("min", 0), "min", "meta", low=-1e6, high=1e6)
    high = number(meta.get("max", 100), "max", "meta", low=-1e6, high=1e6)
    if high - low < SMALLEST:
        raise DataError(f"meta: min is {low:g} and max {high:g}, expected min below max")
    bounds = {"low": min(low, 0), "high": max(high, 100)}
    ratio = number(meta.get("ratio", 2 / 3), "ratio", "meta", high=1000)
    means, rows = [], []
    for i, record in enumerate(saved.records):
        at, answers = f"round {i + 1}", saved.responses(i)
        chosen = None if answers is None else numbers(answers, "response", at, **bounds)
        told = number(record["mean"], "mean", at, **bounds) if "mean" in record else None
        means.append(_agreed(told, sum(chosen) / len(chosen) if chosen else None, "mean", at))
        rows.append(chosen)
    by_seat = _numbers_by_seat(saved, rows, bounds["low"], bounds["high"])
    return GuessingPlays(
        n_players=saved.n_players,
        models=saved.models,
        low=low,
        high=high,
        ratio=ratio,
        written=_written(meta, "ratio_str", "2/3", ratio),
        means=tuple(means),
        by_seat=by_seat,
    )


def bar_plays(saved: Saved) -> BarPlays:
    """El Farol bar."""
    meta = saved.meta
    mode = words([meta.get("mode", "implicit")], ("implicit", "explicit"), "mode", "meta")[0]
    ratio = number(meta.get("ratio", 0.6), "ratio", "meta", high=1)
    low, high, home = (
        number(meta.get(key, usual), key, "meta", low=-1e6, high=1e6)
        for key, usual in (("min", 0), ("max", 10), ("home", 5))
    )
    goers, rows = _counts(saved, "go_num", ("go", "stay"))
    return BarPlays(
        n_players=saved.n_players,
        models=saved.models,
        low=low,
        high=high,
        home=home,
        ratio=ratio,
        written=_written(meta, "ratio_str", "60%", ratio),
        mode=mode,
        goers=goers,
        by_seat=rows,
    )


def dollar_plays(saved: Saved) -> DollarPlays:
    """Divide the dollar."""
    gold = number(saved.meta.get("golds", 100), "golds", "meta", low=1e-9)
    totals, rows = _totals(saved, "total_proposal")
    return DollarPlays(
        n_players=saved.n_players,
        models=saved.models,
        gold=gold,
        totals=totals,
        by_seat=_numbers_by_seat(saved, rows, -LARGEST),
    )


def goods_plays(saved: Saved) -> GoodsPlays:
    """Public goods; contributions above the endowment are taken as they are, as upstream does."""
    meta = saved.meta
    totals, rows = _totals(saved, "total_tokens")
    whole = [row for row in rows if row is not None]
    reset = meta.get("reset", True)
    if not isinstance(reset, bool):
        raise DataError(f"meta: reset is {shorten(repr(reset), 40)}, expected true or false")
    drawn = meta.get("token_initialization") == "random"
    return GoodsPlays(
        n_players=saved.n_players,
        models=saved.models,
        tokens=number(meta.get("tokens", 20), "tokens", "meta", low=1e-9),
        factor=number(meta.get("ratio", 2), "ratio", "meta", high=1e6),
        reset=reset,
        least=number(meta.get("rand_min", 11), "rand_min", "meta") if drawn else None,
        totals=totals,
        by_seat=tuple(whole) if len(whole) == len(rows) else None,
    )


def diner_plays(saved: Saved) -> DinerPlays:
    """Diner's dilemma; any dish that is not ``cheap`` is a costly one, as upstream has it."""
    meta = saved.meta
    menu = tuple(
        number(meta.get(key, usual), key, "meta", low=-1e6, high=1e6)
        for key, usual in (("cheap_cost", 10), ("cheap_utility", 15), ("exp_cost", 20), ("exp_utility", 20))
    )
    cheap, rows = _counts(saved, "cheap_player", ("cheap", "costly"), other="costly")
    return DinerPlays(
        n_players=saved.n_players,
        models=saved.models,
        menu=(menu[0], menu[1], menu[2], menu[3]),
        cheap=cheap,
        diners=(saved.n_players,) * len(cheap),
        by_seat=rows,
    )


def _counts(
    saved: Saved, key: str, options: tuple[str, str], *, other: str | None = None
) -> tuple[tuple[int, ...], tuple[tuple[str, ...], ...] | None]:
    """How many chose the first option, by round; and who, where every round says so.

    `other` stands for texts that are no option.
    """
    figures: list[int] = []
    rows: list[tuple[str, ...] | None] = []
    for i, record in enumerate(saved.records):
        at, answers = f"round {i + 1}", saved.responses(i)
        if answers is not None and other is not None:
            answers = [other if isinstance(a, str) and a.lower() not in options else a for a in answers]
        row = None if answers is None else words(answers, options, "response", at)
        told = count(record[key], key, at, high=saved.n_players) if key in record else None
        figures.append(int(_agreed(told, None if row is None else row.count(options[0]), key, at)))
        rows.append(row)
    whole = [row for row in rows if row is not None]
    return tuple(figures), tuple(whole) if len(whole) == len(rows) else None


def _totals(saved: Saved, key: str) -> tuple[tuple[float, ...], list[tuple[float, ...] | None]]:
    """Sum of the numbers of every round, and the numbers in the order of the file.

    Upstream checks no range here, so numbers below 0 are taken as they are.
    """
    totals: list[float] = []
    rows: list[tuple[float, ...] | None] = []
    for i, record in enumerate(saved.records):
        at, answers = f"round {i + 1}", saved.responses(i)
        row = None if answers is None else numbers(answers, "response", at, low=-LARGEST)
        told = number(record[key], key, at, low=-LARGEST) if key in record else None
        totals.append(_agreed(told, None if row is None else sum(row), key, at))
        rows.append(row)
    return tuple(totals), rows


def _agreed(told: float | None, computed: float | None, key: str, at: str) -> float:
    """A figure of a round, as the file says and as its choices come to."""
    if told is None and computed is None:
        raise DataError(f"{at}: neither {key} nor responses, expected one of them")
    if told is None or computed is None:
        return told if told is not None else computed  # type: ignore[return-value]
    if not math.isclose(told, computed, rel_tol=_NEAR, abs_tol=_NEAR):
        raise DataError(f"{at}: {key} is {told:g}, and the responses come to {computed:g}")
    return told


def _numbers_by_seat(
    saved: Saved, rows: Sequence[tuple[float, ...] | None], low: float, high: float = 1e9
) -> tuple[tuple[float, ...], ...] | None:
    """Numbers whose players are known, from the players' own records, which must agree with the rounds."""
    n = len(rows)
    if saved.own is None or any(len(one) != n for one in saved.own):
        return None
    columns = [numbers(one, "record", f"player {i}", low=low, high=high) for i, one in enumerate(saved.own)]
    by_seat = tuple(zip(*columns, strict=True))
    for i, (row, of_seats) in enumerate(zip(rows, by_seat, strict=True), start=1):
        if row is not None and Counter(row) != Counter(of_seats):
            raise DataError(f"round {i}: the responses are not what the players' records hold")
    return by_seat


def _written(meta: Mapping[str, Any], key: str, usual: str, value: float) -> str:
    """How the rules say a ratio; the number itself where the file does not say."""
    text = meta.get(key)
    if isinstance(text, str) and one_line(text):
        return one_line(text, 20)
    return usual if "ratio" not in meta else f"{value:g}"


_NOBODY = (None, "", "-1", "null", "none", "nobody", "no one", "miss")
"""Targets that are a miss on purpose, whatever ``action`` says: upstream decides by the target."""

_PRICES = {"highest bid": "first", "second highest bid": "second"}


def auction_plays(saved: Saved) -> AuctionPlays:
    """Sealed-bid auction; bids above the valuation or below 0 are taken as they are, as upstream does."""
    meta, bids, valuations = saved.meta, [], []
    mode = words([meta.get("mode", "highest bid")], tuple(_PRICES), "mode", "meta")[0]
    for i, record in enumerate(saved.records):
        at, answers = f"round {i + 1}", saved.responses(i)
        worth = part(record, "valuations", list, at)
        if len(worth) != saved.n_players:
            raise DataError(f"{at}: {len(worth)} valuations, expected {saved.n_players}")
        if answers is None:
            raise DataError(f"{at}: no responses, expected a bid of every player")
        bids.append(numbers(answers, "response", at, low=-LARGEST))
        valuations.append(numbers(worth, "valuation", at))
        if small := next((v for v in valuations[-1] if 0 < v < SMALLEST), None):
            raise DataError(f"{at}: valuation {small:g}, expected 0 or at least {SMALLEST:g}")
    return AuctionPlays(
        n_players=saved.n_players,
        models=saved.models,
        price=_PRICES[mode],
        top=number(meta.get("valuation_max", 200), "valuation_max", "meta"),
        step=number(meta.get("interval", 10), "interval", "meta"),
        valuations=tuple(valuations),
        bids=tuple(bids),
    )


def battle_plays(saved: Saved) -> BattlePlays:
    """Battle royale: a round is a shot, so that the divisor is the number of rounds (``round_id`` - 1).

    Players are matched by their number, not by a piece of their name: 1 is a piece of ``player_10`` too.
    ``removed_player_info`` is the final list in every round, and ignored.
    """
    shots = tuple(_shot(saved, record, f"round {i}") for i, record in enumerate(saved.records, start=1))
    meta, n = saved.meta, saved.n_players
    if "base_hit_rate" in meta:
        lowest = number(meta["base_hit_rate"], "base_hit_rate", "meta", high=100)
        step = number(meta.get("interval", 5), "interval", "meta", high=100)
        span = (lowest, lowest + step * (n - 1))
    else:
        rates = [rate for _, rate in shots[0].rates] if shots else [35.0, 80.0]
        span = (min(rates), max(rates))
    return BattlePlays(n_players=n, models=saved.models, span=span, shots=shots)


def pirate_plays(saved: Saved) -> PiratePlays:
    """Pirate game: the first round has all players, each further one player fewer."""
    if len(saved.records) > saved.n_players:
        raise DataError(
            f"{len(saved.records)} rounds, expected at most one for each of {saved.n_players} players"
        )
    gold = number(saved.meta.get("gold", 100), "gold", "meta", low=1e-9)
    held = []
    for i, record in enumerate(saved.records):
        at, n = f"round {i + 1}", saved.n_players - i
        given = {key: part(record, key, list, at) for key in ("gold_distribution", "responses")}
        for key, values in given.items():
            if len(values) != n:
                raise DataError(f"{at}: {key} of {len(values)}, expected {n}")
        shares = numbers(given["gold_distribution"], "gold", at, low=-LARGEST)
        votes = words(given["responses"][1:], ("accept", "reject"), "vote", at)
        held.append(Vote(shares, votes))
    return PiratePlays(n_players=saved.n_players, models=saved.models, gold=gold, held=tuple(held))


def _shot(saved: Saved, record: Mapping[str, Any], at: str) -> Shot:
    """One shot, with who was alive before it."""
    alive = part(record, "initial_players", list, at)
    rates: dict[int, float] = {}
    for entry in alive:
        pair = entry if isinstance(entry, list) and len(entry) == 2 else [None, None]
        seat = seat_of(pair[0])
        if seat is None or seat > saved.n_players or seat in rates:
            expected = f"a list of different players of {saved.n_players} with their hit rates"
            raise DataError(f"{at}: initial_players has {shorten(repr(entry), 40)}, expected {expected}")
        rates[seat] = number(pair[1], f"hit rate of {pair[0]}", at, high=100)
    if len(rates) < 2:
        raise DataError(f"{at}: initial_players has {len(rates)}, expected two or more")
    shooter = seat_of(record.get("player_shooting"))
    if shooter not in rates:
        got = shorten(repr(record.get("player_shooting")), 40)
        raise DataError(f"{at}: player_shooting is {got}, expected one of the players alive")
    target = record.get("shot_player")
    if isinstance(target, bool | float | list | dict):
        raise DataError(
            f"{at}: shot_player is {shorten(repr(target), 40)}, expected a player's number, or null"
        )
    word = target.strip().lower() if isinstance(target, str) else target
    aimed = None if word in _NOBODY else seat_of(word)
    return Shot(shooter, tuple(rates.items()), aimed if aimed in rates else None)


_READERS: Mapping[str, Callable[[Saved], Plays]] = {
    "bar": bar_plays,
    "guessing": guessing_plays,
    "divide_dollar": dollar_plays,
    "public_goods": goods_plays,
    "diner": diner_plays,
    "auction": auction_plays,
    "battle_royale": battle_plays,
    "pirate": pirate_plays,
}

_SIGNS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("bar", ("home",), ("go_num",)),
    ("auction", ("valuation_min", "valuation_max"), ("valuations",)),
    ("battle_royale", ("base_hit_rate",), ("player_shooting",)),
    ("public_goods", ("tokens",), ("total_tokens",)),
    ("divide_dollar", ("golds",), ("total_proposal",)),
    ("diner", ("cheap_cost",), ("cheap_player",)),
    ("guessing", ("min", "max", "ratio"), ("mean_ratio",)),
    ("pirate", ("gold",), ("gold_distribution",)),
)
"""Game, keys of ``meta`` that only it has, and keys that every round of it has."""

_TOP = ("meta", "round_records")


def read_saved(path: str | Path) -> Plays:
    """What a saved file holds.

    Parameters
    ----------
    path : path of a JSON file

    Raises
    ------
    DataError
        The file is not there, too large, no saved game, or something in it cannot be; the message names the
        file, the round, and what was got.
    """
    found = read_object(path, "a game saved by GAMA-Bench")
    try:
        return saved_plays(found)
    except DataError as error:
        raise DataError(located(path, str(error))) from None


def saved_plays(found: Mapping[str, Any]) -> Plays:
    """What the object of a saved file holds; messages do not name the file.

    Raises
    ------
    DataError
    """
    saved = Saved.of(found)
    return _READERS[_game(saved.meta, saved.records)](saved)


def is_saved(found: object) -> bool:
    """Whether an object looks like a saved game: to tell it from logs that are JSON as well."""
    return isinstance(found, Mapping) and all(key in found for key in _TOP)


def _game(meta: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """The game that a file is of."""
    for game, of_meta, _ in _SIGNS:
        if all(key in meta for key in of_meta):
            return game
    for game, _, of_round in _SIGNS:
        if records and all(key in records[0] for key in of_round):
            return game
    raise DataError(
        f"meta has {shorten(', '.join(map(str, meta)))}, expected the keys of one of {', '.join(_READERS)}"
    )
