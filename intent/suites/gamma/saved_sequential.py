"""Rounds of the auction, of battle royale and of the pirate game, from a saved file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.errors import DataError, shorten
from intent.suites.gamma.plays import AuctionPlays
from intent.suites.gamma.saved_values import LARGEST, SMALLEST, Saved, number, numbers, part, seat_of, words
from intent.suites.gamma.sequential_plays import BattlePlays, PiratePlays, Shot, Vote

__all__ = ["auction", "battle", "pirate"]

_NOBODY = (None, "", "-1", "null", "none", "nobody", "no one", "miss")
"""Targets that are a miss on purpose, whatever ``action`` says: upstream decides by the target."""

_PRICES = {"highest bid": "first", "second highest bid": "second"}


def auction(saved: Saved) -> AuctionPlays:
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


def battle(saved: Saved) -> BattlePlays:
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


def pirate(saved: Saved) -> PiratePlays:
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
