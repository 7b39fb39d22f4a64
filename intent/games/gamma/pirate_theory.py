"""Equilibrium of the pirate game: backward induction over who is still aboard.

Pirates want first to survive, then gold, then to see others thrown overboard. Every vote is cast as if it
decided (the undominated equilibrium): to accept is better for a pirate who would die in the game that follows
a rejection, and for one who is offered more than it would get there; offered the same, it rejects and sees
the proposer go. So each vote has a price, and the proposer buys the cheapest half, or dies where the gold
does not suffice.

References
----------
Stewart 1999, Scientific American 280(5):98 (with few coins, proposers survive at 2G + 2^k pirates alone).
Goodin 1998, "Pirates" is the source that Huang et al. 2024 (arXiv:2403.11807) name beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Division", "pirate_equilibrium", "pirate_vote", "stewart_shares", "utility"]


@dataclass(frozen=True)
class Division:
    """What becomes of those aboard from one proposal on; all by place, the proposer being 0.

    Parameters
    ----------
    proposal : tuple of int
        Shares; of a proposer who cannot survive, all for itself.
    passes : bool
    gold : tuple of int
        What each ends with.
    drowned : int
        Proposers who go overboard before a proposal passes: the first so many.
    """

    proposal: tuple[int, ...]
    passes: bool
    gold: tuple[int, ...]
    drowned: int


def pirate_equilibrium(n_players: int, gold: int, proposer: int = 1) -> Division:
    """The subgame-perfect equilibrium from a proposer on.

    Where several votes have the same price, those at an even distance from the proposer are bought first, as
    in the benchmark's closed form, then the most senior: one of several equilibria where gold is short.

    Parameters
    ----------
    n_players : int
    gold : int
    proposer : int
        Rank from 1; the pirates before it are gone.

    Examples
    --------
    >>> pirate_equilibrium(5, 100).proposal
    (98, 0, 1, 0, 1)
    """
    return _divisions(n_players, gold)[n_players - proposer]


@lru_cache(maxsize=32)
def _divisions(n_players: int, gold: int) -> tuple[Division, ...]:
    """Of the last 1, 2, ..., N pirates."""
    found = [Division((gold,), True, (gold,), 0)]
    for n in range(2, n_players + 1):
        rest = found[-1]
        prices = [0 if place < rest.drowned else rest.gold[place] + 1 for place in range(n - 1)]
        cheapest = sorted(range(n - 1), key=lambda place: (prices[place], (place + 1) % 2, place))
        bought = cheapest[: (n + 1) // 2 - 1]
        cost = sum(prices[place] for place in bought)
        if cost > gold:
            found.append(Division((gold, *(0 for _ in rest.gold)), False, (0, *rest.gold), rest.drowned + 1))
            continue
        shares = tuple(prices[place] if place in set(bought) else 0 for place in range(n - 1))
        found.append(Division((gold - cost, *shares), True, (gold - cost, *shares), 0))
    return tuple(found)


def stewart_shares(n_players: int, gold: int, proposer: int = 1) -> tuple[int, ...]:
    """The benchmark's closed form: one coin for every second pirate after the proposer, who keeps the rest.

    It is the equilibrium while the gold suffices (up to 2G + 2 aboard); past that the rest is negative and
    this is no proposal.

    Examples
    --------
    >>> stewart_shares(5, 100)
    (98, 0, 1, 0, 1)
    """
    aboard = n_players - proposer + 1
    return (gold - (aboard - 1) // 2, *((place + 1) % 2 for place in range(1, aboard)))


def pirate_vote(n_players: int, gold: int, proposer: int, seat: int, share: int) -> bool:
    """Whether a voter who is offered `share` accepts in equilibrium, whatever the rest of the proposal."""
    rest = pirate_equilibrium(n_players, gold, proposer + 1)
    place = seat - proposer - 1
    return place < rest.drowned or share > rest.gold[place]


def utility(n_players: int, gold: int, survives: bool, share: int, drowned: int) -> float:
    """The prompt's order of aims as one number: share + (G + 1) for survival + drowned/N.

    Survival is worth more than all gold, and a coin more than all others overboard, of whom there are N - 1
    at most.

    Parameters
    ----------
    survives : bool
    share : int
        Gold in the end; 0 of the drowned.
    drowned : int
        Others who went overboard before the end, or before oneself.
    """
    return share + (gold + 1) * survives + drowned / n_players
