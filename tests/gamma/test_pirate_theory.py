"""Equilibrium of the pirate game."""

from __future__ import annotations

import itertools
from functools import cache

import pytest

from intent.gamma.pirate import pirate_equilibrium, pirate_vote, stewart_shares, utility


def test_stewart_s_division_while_the_gold_suffices() -> None:
    for n_players in range(1, 202):
        assert pirate_equilibrium(n_players, 100).proposal == stewart_shares(n_players, 100)


@pytest.mark.parametrize("gold", [1, 2, 4, 5])
def test_stewart_s_survivors_where_it_does_not(gold: int) -> None:
    """Up to 2G + 2 aboard, then 2G + 2^k alone."""
    survive = {n for n in range(1, 150) if pirate_equilibrium(n, gold).passes}
    assert survive == {
        *range(1, 2 * gold + 3),
        *(2 * gold + 2**k for k in range(1, 8) if 2 * gold + 2**k < 150),
    }


@pytest.mark.parametrize(("gold", "first"), [(4, 0), (5, 1), (100, 96), (400, 396)])
def test_the_settings_of_the_paper_are_the_closed_form(gold: int, first: int) -> None:
    for proposer in range(1, 11):
        assert pirate_equilibrium(10, gold, proposer).proposal == stewart_shares(10, gold, proposer)
    assert pirate_equilibrium(10, gold).proposal == (first, 0, 1, 0, 1, 0, 1, 0, 1, 0)


def test_too_little_gold_drowns_the_proposers_until_one_is_carried_by_their_fear() -> None:
    """Two coins and eleven: the first three go, the fourth of eight lives without gold."""
    division = pirate_equilibrium(11, 2)
    assert (division.passes, division.drowned, division.gold[3]) == (False, 3, 0)
    assert sum(division.gold) == 2


@cache
def outcomes(n_players: int, gold: int, proposer: int) -> frozenset[tuple[tuple[int, ...], tuple[bool, ...]]]:
    """Slow and independent: all (gold, survives) by place that a best proposal can lead to.

    For every way the rest may end, every proposal, and a vote for every pirate.
    """
    aboard = n_players - proposer + 1
    if aboard == 1:
        return frozenset({((gold,), (True,))})
    found = set()
    for rest_gold, rest_lives in outcomes(n_players, gold, proposer + 1):
        rest = [
            utility(n_players, gold, life, coins, 1 + sum(not other for other in rest_lives[:place]))
            for place, (coins, life) in enumerate(zip(rest_gold, rest_lives, strict=True))
        ]
        results = []
        for shares in itertools.product(range(gold + 1), repeat=aboard):
            if sum(shares) != gold:
                continue
            votes = 1 + sum(
                utility(n_players, gold, True, share, 0) > rejected
                for share, rejected in zip(shares[1:], rest, strict=True)
            )
            passes = 2 * votes >= aboard
            end = (shares, (True,) * aboard) if passes else ((0, *rest_gold), (False, *rest_lives))
            results.append((utility(n_players, gold, passes, end[0][0], 0), end))
        best = max(value for value, _ in results)
        found |= {end for value, end in results if value == best}
    return frozenset(found)


@pytest.mark.parametrize(
    ("n_players", "gold"), [(2, 3), (3, 4), (4, 4), (5, 3), (5, 1), (6, 2), (6, 1), (7, 1)]
)
def test_all_proposals_tried_lead_nowhere_better(n_players: int, gold: int) -> None:
    """Where gold is short there are several equilibria; ours is one of them."""
    division = pirate_equilibrium(n_players, gold)
    lives = tuple(place >= division.drowned for place in range(n_players))
    assert (division.gold, lives) in outcomes(n_players, gold, 1)


@pytest.mark.parametrize(("n_players", "gold"), [(4, 4), (5, 5), (5, 3)])
def test_while_gold_suffices_it_is_the_only_one(n_players: int, gold: int) -> None:
    assert outcomes(n_players, gold, 1) == {(stewart_shares(n_players, gold), (True,) * n_players)}


@pytest.mark.parametrize(
    ("seat", "share", "accepts"),
    [
        (3, 2, True),
        (3, 1, True),
        (3, 0, False),
        (2, 1, False),
        (2, 97, False),
        (2, 99, False),
        (2, 100, True),
        (4, 1, False),
    ],
)
def test_votes_of_five(seat: int, share: int, accepts: bool) -> None:
    """After a rejection 2 keeps 99, 4 gets 1, and 3 and 5 get nothing."""
    assert pirate_vote(5, 100, 1, seat, share) is accepts


def test_who_would_drown_next_accepts_anything() -> None:
    assert pirate_vote(6, 1, 1, 2, 0)


def test_survival_before_gold_before_others_overboard() -> None:
    assert utility(10, 100, True, 0, 0) > utility(10, 100, False, 100, 9)
    assert utility(10, 100, True, 1, 0) > utility(10, 100, True, 0, 9)
    assert utility(10, 100, True, 0, 2) > utility(10, 100, True, 0, 1)
