"""Which attempts are made, and which of them count, whatever the order in which they end."""

from __future__ import annotations

import asyncio
import random

import pytest

from intent.arena.writing.desk import Attempt, choose_attempts, default_limit, in_waves

GROUPS = (("default", "Aggressive"), ("default", "Neutral"))


def made(bad, n, limit, shuffled=0):
    """Numbers of all attempts and of the chosen ones, by attitude; those in `bad` fail."""
    order = random.Random(shuffled)

    async def one(place):
        await asyncio.sleep(order.random() / 500)
        return Attempt(place, "gate" if (place.attitude, place.number) in bad else "good")

    found = asyncio.run(in_waves(dict.fromkeys(GROUPS, one), n=n, limit=limit, seed=0))
    return {
        attitude: ([a.place.number for a in attempts], [a.place.number for a in choose_attempts(attempts, n)])
        for (_, attitude), attempts in found.items()
    }


BAD = {("Aggressive", 1), ("Aggressive", 4), ("Aggressive", 5), ("Neutral", 2)}


@pytest.mark.parametrize("shuffled", range(4))
def test_what_failed_is_replaced(shuffled):
    assert made(BAD, 3, 14, shuffled) == {
        "Aggressive": ([1, 2, 3, 4, 5, 6], [2, 3, 6]),
        "Neutral": ([1, 2, 3, 4], [1, 3, 4]),
    }


def test_up_to_a_limit():
    hopeless = {("Neutral", number) for number in range(100)}
    assert made(hopeless, 2, 5)["Neutral"] == ([1, 2, 3, 4, 5], [])
    assert default_limit(25) == 80


def test_numbers_come_first_then_attitudes():
    asked = []

    async def one(place):
        asked.append((place.number, place.attitude))
        return Attempt(place, "good")

    asyncio.run(in_waves(dict.fromkeys(GROUPS, one), n=2, limit=2, seed=0))
    assert asked == [(1, "Aggressive"), (1, "Neutral"), (2, "Aggressive"), (2, "Neutral")]


def test_more_wanted_later_keeps_the_first():
    assert made(BAD, 4, 14)["Aggressive"][1][:3] == made(BAD, 3, 14)["Aggressive"][1]
