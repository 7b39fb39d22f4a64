"""Rows of a table of equilibria have nothing in common but what they are about."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from intent.arena.evolution.evolve import evolve_pool
from intent.arena.evolution.population import pool_of_matrix
from intent.arena.requests import EvolveRequest
from intent.arena.streams import Salt

PAYOFFS = np.array([[1.5, 2.3, 1.9], [1.6, 3.0, 2.8], [1.9, 2.7, 2.9]])
RUNS = 300


def winners(shift: float = 0.0, seed: int = 0, *initial: str) -> list[np.ndarray]:
    """Of each start, which name was left alone in each run."""
    pool = pool_of_matrix(["Aggressive", "Cooperative", "Neutral"], PAYOFFS + shift)
    request = EvolveRequest(paths="-", initial=list(initial) or "4,4,4", runs=RUNS, seed=seed)
    return [mix.runs.winner for mix in evolve_pool(pool, request).mixes]


def alike_too_often(rows: list[np.ndarray]) -> float:
    """Standard errors by which runs of pairs of rows end alike more often than independent ones do."""
    excess, variance = 0.0, 0.0
    for one, other in combinations(rows, 2):
        p, q = (np.bincount(row, minlength=3) / RUNS for row in (one, other))
        expected = float(p @ q)
        excess += float((one == other).mean()) - expected
        variance += expected * (1 - expected) / RUNS
    return excess / variance**0.5


def test_runs_of_other_sets_end_alike_no_more_often_than_independent_ones() -> None:
    assert abs(alike_too_often([winners(shift)[0] for shift in (0.0, 0.001, 0.002, 0.003)])) < 4


def test_runs_of_other_starts_end_alike_no_more_often_than_independent_ones() -> None:
    assert abs(alike_too_often(winners(0.0, 0, "4,4,4", "5,4,3", "4,4,4"))) < 4


def test_shared_streams_would_be_seen() -> None:
    row = winners()[0]
    nearly = np.where(np.arange(RUNS) % 3 == 0, winners(0.001)[0], row)
    assert alike_too_often([row, nearly]) > 8


def test_the_same_seed_gives_the_same_rows_and_another_one_others() -> None:
    assert (winners()[0] == winners()[0]).all()
    assert (winners(0.0, 0, "4,4,4", "8,2,2")[1] == winners(0.0, 0, "8,2,2")[0]).all()
    assert (winners(0.0, 1)[0] != winners()[0]).any()


def test_parts_of_a_salt_have_other_matches_and_seeds() -> None:
    salt = Salt(bytes(32))
    parts = [salt, salt.part("set", "a"), salt.part("set", "b"), salt.part("set", "a").part("line-up")]
    streams = [part.match("Aggressive_1", "Neutral_1", 0) for part in parts]
    assert len({stream.player(0) for stream in streams}) == len(parts)
    flips = np.array([stream.flips(0, 20_000, 0.1) for stream in streams])
    both = [(one & other).mean() for one, other in combinations(flips, 2)]
    assert np.abs(np.array(both) - 0.01).max() < 4 * (0.01 * 0.99 / 20_000) ** 0.5
    assert len({part.number("seed") for part in parts}) == len(parts)
    assert salt.part("set", "a") == Salt(bytes(32)).part("set", "a")
    assert 0 <= salt.number("seed") < 2**48
