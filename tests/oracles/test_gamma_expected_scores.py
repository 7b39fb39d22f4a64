"""What random and equilibrium players score, against expectations computed by enumeration."""

from __future__ import annotations

from itertools import product
from math import comb, sqrt
from statistics import fmean, stdev

import numpy as np
import pytest

from intent.agents.plan import parse_player
from intent.agents.table import scripted_table_player
from intent.gamma.bench.scores import score
from intent.gamma.catalogue import gamma_game
from intent.gamma.records import plays_of
from intent.play.match import Horizon, to_log
from intent.play.referee import play


def scores(who: str, name: str, runs: int, rounds: int, **parameters) -> list[float]:
    """Scores of runs with a player of one kind in all seats."""
    game, horizon = gamma_game(name, **parameters), Horizon(rounds)
    seats = [scripted_table_player(parse_player(who), game, s + 1) for s in range(game.n_players)]
    played = [play(game, seats, horizon, rng) for rng in np.random.default_rng(7).spawn(runs)]
    return [score(plays) for _, plays in plays_of(to_log(played))]


def within_error(found: list[float], expected: float) -> bool:
    """Whether the mean is within four standard errors."""
    return abs(fmean(found) - expected) <= 4 * stdev(found) / sqrt(len(found)) + 1e-9


def bar(n: int, going: float, ratio: float) -> float:
    """Expected score of players who go with one probability: E abs(K / n - R), K binomial."""
    chances = [comb(n, k) * going**k * (1 - going) ** (n - k) for k in range(n + 1)]
    far = sum(p * abs(k / n - ratio) for k, p in enumerate(chances))
    return 100 * (1 - far / max(ratio, 1 - ratio))


def dollar(gold: int) -> float:
    """Two bids, each of 0 to `gold` alike, one round."""
    return fmean(
        max(0, 100 * (1 - abs(a + b - gold) / gold)) for a in range(gold + 1) for b in range(gold + 1)
    )


def battle(alive: dict[int, int], turn: int, shots: int, hits: int, last: int = 4) -> float:
    """Any of the others, or a miss on purpose, alike, until one is left or `last` shots are fired."""
    if len(alive) == 1 or shots == last:
        return 100 * hits / shots
    shooter = next(s for s in (*range(turn, 4), *range(1, turn)) if s in alive)
    others = [s for s in alive if s != shooter]
    total = battle(alive, shooter % 3 + 1, shots + 1, hits, last)
    for target in others:
        scored = hits + (target == max(others))
        left = {s: rate for s, rate in alive.items() if s != target}
        hit, missed = (battle(now, shooter % 3 + 1, shots + 1, scored, last) for now in (left, alive))
        total += alive[shooter] / 100 * hit + (1 - alive[shooter] / 100) * missed
    return total / (len(others) + 1)


def pirates() -> float:
    """Three pirates: any division of 100 coins and any vote alike; at least one of two juniors passes it."""
    three = [(100 - b - c, b, c) for b in range(101) for c in range(101 - b)]
    two = [(100 - b, b) for b in range(101)]
    second_far = fmean(abs(a - 100) + b for a, b in two)
    second_right = fmean(right(b, 1, vote) for _, b in two for vote in "ar")
    total = 0.0
    for (a, b, c), votes in product(three, product("ar", repeat=2)):
        far, rights = abs(a - 99) + b + abs(c - 1), right(b, 1, votes[0]) + right(c, 2, votes[1])
        if "a" in votes:
            total += 50 * (200 - far) / 200 + 50 * rights / 2
        else:
            total += 50 * (200 - (far + second_far) / 2) / 200 + 50 * (rights + second_right) / 3
    return total / (4 * len(three))


def right(share: int, offset: int, vote: str) -> bool:
    """Two coins are accepted, none rejected, one accepted at even offsets and never right at odd ones."""
    if share == 1:
        return offset == 2 and vote == "a"
    return vote == ("a" if share else "r")


@pytest.mark.parametrize(
    ("name", "rounds", "parameters", "expected"),
    [
        ("guessing", 3, {"n_players": 3}, 50),
        ("bar", 3, {"n_players": 4}, bar(4, 0.5, 0.6)),
        ("divide_dollar", 1, {"n_players": 2}, dollar(100)),
        ("public_goods", 3, {"n_players": 3}, 50),
        ("diner", 3, {"n_players": 3}, 50),
        ("auction", 1, {}, 50 * 9 / 10),  # one of the ten published valuations is 0
        ("battle_royale", 4, {"n_players": 3}, battle({1: 35, 2: 40, 3: 45}, 1, 0, 0)),
        ("pirate", 3, {"n_players": 3}, pirates()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_random_players_score_what_is_expected_of_them(name, rounds, parameters, expected):
    assert within_error(scores("scripted/RANDOM", name, 200, rounds, **parameters), expected)


def test_mixers_in_the_bar_score_80():
    assert bar(10, 0.6, 0.6) == pytest.approx(79.9, abs=0.05)
    expected = bar(10, 0.607, 0.6)
    assert expected == pytest.approx(80.0, abs=0.05)
    assert within_error(scores("scripted/equilibrium", "bar", 60, 10), expected)


@pytest.mark.parametrize("name", ["guessing", "divide_dollar", "public_goods", "diner", "pirate"])
def test_equilibrium_scores_100_in_every_run(name):
    assert scores("scripted/equilibrium", name, 3, 20) == pytest.approx([100, 100, 100])


def test_bidders_in_equilibrium_shade_a_tenth_or_nothing():
    valuations = [200, 30, 80, 70, 160, 20, 110, 10, 100]
    shaded = 100 * sum((v - 9 * v // 10) / v for v in valuations) / 10
    assert scores("scripted/equilibrium", "auction", 1, 1) == pytest.approx([shaded])
    assert scores("scripted/equilibrium", "auction", 1, 1, price="second") == [0]


def test_the_weakest_of_three_misses_on_purpose_and_all_other_shots_are_right():
    """Hit rates 30, 65, 100: only the first shot is not at the best of the others (Kilgour 1975)."""
    chances, going, shots = {4: 0.35 * 0.3, 5: 0.35 * 0.7}, 0.65, 2  # the third, spared, kills the second
    while going > 1e-12 and shots < 20:
        shots += 1
        hit = (0.3, 0.65)[(shots - 3) % 2]
        chances[shots] = chances.get(shots, 0) + going * hit
        going *= 1 - hit
    expected = sum(100 * p * (k - 1) / k for k, p in chances.items()) + 95 * going
    truel = {"n_players": 3, "lowest": 30, "interval": 35}
    assert within_error(scores("scripted/equilibrium", "battle_royale", 200, 20, **truel), expected)
