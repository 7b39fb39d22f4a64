"""The pirate game: the most senior proposes how to divide the gold, and goes overboard if too few accept.

Equilibrium of the pirate game: backward induction over who is still aboard.

Pirates want first to survive, then gold, then to see others thrown overboard. Every vote is cast as if it
decided (the undominated equilibrium): to accept is better for a pirate who would die in the game that follows
a rejection, and for one who is offered more than it would get there; offered the same, it rejects and sees
the proposer go. So each vote has a price, and the proposer buys the cheapest half, or dies where the gold
does not suffice.

Proposals of how to share gold: read from what a player answers, and all there are.

References
----------
Stewart 1999, Scientific American 280(5):98 (with few coins, proposers survive at 2G + 2^k pirates alone).
Goodin 1998, "Pirates" is the source that Huang et al. 2024 (arXiv:2403.11807) name beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING, ClassVar

from intent.base.errors import GameError, shorten
from intent.games.game import Facts, RoundOutcome
from intent.gamma.game import (
    MOST_LISTED,
    MOST_VALUE,
    SituatedGame,
    check_moves,
    check_whole,
    one_of,
    whole_number,
)

if TYPE_CHECKING:
    import numpy as np


__all__ = [
    "ACCEPT",
    "REJECT",
    "Division",
    "Pirate",
    "all_proposals",
    "pirate_equilibrium",
    "pirate_vote",
    "shares_of",
    "stewart_shares",
    "utility",
]


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


_LONGEST = 4096
_RANK = re.compile(r"\D{0,20}(\d{1,4})\D{0,20}")


def shares_of(value: object, left: tuple[int, ...]) -> list[object]:
    """The shares of those in `left`, in order, as they were given.

    Parameters
    ----------
    value : list, mapping of rank -> share, or text of either
        Ranks as ``"1"``, 1 or ``"pirate 1"``; text as JSON, or shares between commas.
    left : tuple of int
        Ranks of those who get a share.

    Raises
    ------
    GameError
        Not one share for each of them and no others; the message may be shown to a player.

    Examples
    --------
    >>> shares_of({"2": 98, "3": 0, "4": 2}, (2, 3, 4)), shares_of("98, 0, 2", (2, 3, 4))
    ([98, 0, 2], ['98', ' 0', ' 2'])
    """
    ranks = ", ".join(map(str, left)) if len(left) <= 20 else f"{left[0]} to {left[-1]}"
    if isinstance(value, str):
        value = _parsed_text(value)
    if isinstance(value, Mapping):
        by_rank: dict[int, object] = {}
        for key, share in value.items():
            match = (
                _RANK.fullmatch(str(key))
                if isinstance(key, str | int) and not isinstance(key, bool)
                else None
            )
            if match is None or int(match[1]) not in left or int(match[1]) in by_rank:
                raise GameError(f"share for {shorten(key)!r}, expected one each for {ranks}")
            by_rank[int(match[1])] = share
        missing = [rank for rank in left if rank not in by_rank]
        if missing:
            raise GameError(f"proposal without a share for {missing[0]}, expected shares for {ranks}")
        return [by_rank[rank] for rank in left]
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        if len(value) != len(left):
            raise GameError(f"proposal of {len(value)} shares, expected {len(left)}: for {ranks}")
        return list(value)
    raise GameError(f"proposal {shorten(value)!r}, expected a share for each of {ranks}")


def _parsed_text(text: str) -> object:
    """A proposal that came as text: numbers between commas, or JSON."""
    if len(text) > _LONGEST:
        return text
    if not text.lstrip().startswith(("{", "[")):
        return text.split(",") if "," in text else text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def all_proposals(gold: int, aboard: int) -> Iterator[tuple[int, ...]]:
    """All ways to share `gold` coins among `aboard` pirates: bars among stars.

    Examples
    --------
    >>> list(all_proposals(1, 3))
    [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    for bars in combinations(range(gold + aboard - 1), aboard - 1):
        ends = (-1, *bars, gold + aboard - 1)
        yield tuple(b - a - 1 for a, b in pairwise(ends))


ACCEPT, REJECT = "accept", "reject"

MOST_PLAYERS = 200


@dataclass(frozen=True)
class Pirate(SituatedGame):
    """In each round the most senior pirate aboard proposes shares of the gold, and then the others vote.

    The proposer counts as accepting. Where at least half of those aboard accept, the gold is divided so and
    the match ends; else the proposer goes overboard, and the next in rank proposes. A pirate who is left
    alone has all the gold without a round of its own, so that there are N - 1 rounds at most.

    Seats are ranks, 1 the most senior. A vote on a proposal that is missing can only reject; the proposer
    goes overboard.

    Parameters
    ----------
    n_players : int, 2 to 200
    gold : int, at least 1
        Coins, which are not split.

    Raises
    ------
    GameError
        Parameters that make no game.

    References
    ----------
    Stewart 1999, Scientific American 280(5):98; the equilibrium is `intent.gamma.pirate`'s.
    """

    gold: int = 100

    name: ClassVar[str] = "pirate"

    def __post_init__(self) -> None:
        check_whole(self.name, "n_players", self.n_players, 2, MOST_PLAYERS)
        check_whole(self.name, "gold", self.gold, 1, MOST_VALUE)

    def course(self, rng: np.random.Generator) -> PirateCourse:
        """A new match; nothing is drawn."""
        return PirateCourse(self)

    def facts(self) -> Facts:
        """gold."""
        return {"gold": self.gold}

    def key(self, asked: Facts) -> str:
        """``proposal`` of the proposer, ``decision`` of the voters."""
        return "proposal" if asked.get("role") == "propose" else "decision"

    def read(self, value: object, seat: int, asked: Facts) -> str:
        """``accept`` or ``reject``; of the proposer the shares from the proposer down, joined by commas.

        Proposals come as a list, as text of one, or as a mapping of rank -> shares (``"1"``, ``"pirate 1"``),
        of exactly those aboard; shares are whole numbers from 0 that add up to the gold.
        """
        if asked.get("role") != "propose":
            vote = one_of(value, (ACCEPT, REJECT), "decision")
            if vote == ACCEPT and not asked.get("proposal"):
                raise GameError("decision 'accept', expected reject: there is no proposal")
            return vote
        left = _left(asked)
        shares = [whole_number(share, "share", 0, self.gold) for share in shares_of(value, left)]
        if sum(shares) != self.gold:
            raise GameError(f"proposal of {sum(shares)} in all, expected shares that add up to {self.gold}")
        return ",".join(map(str, shares))

    def legal(self, seat: int, asked: Facts) -> tuple[str, ...] | None:
        """Both votes; the proposals where they are few."""
        if asked.get("role") != "propose":
            return (ACCEPT, REJECT) if asked.get("proposal") else (REJECT,)
        aboard = len(_left(asked))
        if comb(self.gold + aboard - 1, aboard - 1) > MOST_LISTED:
            return None
        return tuple(",".join(map(str, shares)) for shares in all_proposals(self.gold, aboard))

    def equilibrium(self, seat: int, asked: Facts, rng: np.random.Generator) -> str:
        """The equilibrium proposal; the vote on the proposal that was made."""
        proposer = _left(asked)[0]
        if asked.get("role") == "propose":
            return ",".join(map(str, pirate_equilibrium(self.n_players, self.gold, proposer).proposal))
        accepts = bool(asked.get("proposal")) and self._accepts(proposer, seat, _share(asked))
        return ACCEPT if accepts else REJECT

    def best_reply(self, seat: int, told: Facts | None, asked: Facts, rng: np.random.Generator) -> str:
        """As `equilibrium`: how many accepted another proposal says nothing of this one."""
        return self.equilibrium(seat, asked, rng)

    def gains(
        self, seat: int, others: Mapping[int, str | None], asked: Facts, actions: tuple[str, ...]
    ) -> tuple[float, ...]:
        """`pirate_theory.utility`: share + (G + 1) for survival + others overboard/N, play after the round
        being the equilibrium's.

        A vote counts beside the others' votes as they were cast. A proposal is answered by equilibrium votes,
        as the votes that were cast answered another one.
        """
        if asked.get("role") == "propose":
            return tuple(self._of_proposal(seat, action) for action in actions)
        left = _left(asked)
        accepted = 1 + sum(others.get(s) == ACCEPT for s in left[1:] if s != seat)
        if not asked.get("proposal"):
            accepted = -1
        return tuple(
            utility(self.n_players, self.gold, True, _share(asked), 0)
            if 2 * (accepted + (action == ACCEPT)) >= len(left)
            else self._of_rejection(left[0], seat)
            for action in actions
        )

    def best(self, seat: int, others: Mapping[int, str | None], asked: Facts) -> tuple[str, float]:
        """The equilibrium proposal; the vote that pays more, rejection where both pay the same."""
        if asked.get("role") == "propose":
            shares = pirate_equilibrium(self.n_players, self.gold, seat).proposal
            action = ",".join(map(str, shares))
            return action, self._of_proposal(seat, action)
        votes = self.legal(seat, asked) or (REJECT,)
        gains = self.gains(seat, others, asked, votes)
        i = max(range(len(votes)), key=lambda j: (gains[j], votes[j] == REJECT))
        return votes[i], gains[i]

    def _accepts(self, proposer: int, seat: int, share: int) -> bool:
        return pirate_vote(self.n_players, self.gold, proposer, seat, share)

    def _of_proposal(self, proposer: int, action: str) -> float:
        shares = [int(share) for share in action.split(",")]
        accepted = 1 + sum(
            self._accepts(proposer, proposer + place, share) for place, share in enumerate(shares) if place
        )
        passes = 2 * accepted >= len(shares)
        return utility(self.n_players, self.gold, passes, shares[0] if passes else 0, 0)

    def _of_rejection(self, proposer: int, seat: int) -> float:
        rest, place = pirate_equilibrium(self.n_players, self.gold, proposer + 1), seat - proposer - 1
        survives = place >= rest.drowned
        drowned = 1 + (rest.drowned if survives else place)
        return utility(self.n_players, self.gold, survives, rest.gold[place], drowned)


class PirateCourse:
    """A division in progress.

    Parameters
    ----------
    game : Pirate
    """

    def __init__(self, game: Pirate) -> None:
        self._game = game
        self._left = tuple(range(1, game.n_players + 1))
        self._passed = False

    @property
    def over(self) -> bool:
        """Whether a proposal has passed, or one pirate is left."""
        return self._passed or len(self._left) == 1

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """The proposer, then the others."""
        return () if self.over else (self._left[:1], self._left[1:])

    def asked(self, seat: int, earlier: Mapping[int, str | None]) -> Facts:
        """Who is aboard and what to do; voters see the proposal, which is empty where none was made."""
        proposer = self._left[0]
        rules = {"proposer": proposer, "left": self._left}
        if seat == proposer:
            return {**rules, "role": "propose"}
        shares = _parsed(earlier.get(proposer))
        share = shares[self._left.index(seat)] if shares else 0
        return {**rules, "role": "vote", "proposal": shares, "share": share}

    def complete(self, actions: Mapping[int, str | None]) -> RoundOutcome:
        """Count the votes."""
        if self.over:
            raise GameError("pirate: moves after the last round, expected none")
        check_moves(self._game.name, actions, self._left)
        left, proposer = self._left, self._left[0]
        shares = _parsed(actions[proposer])
        accepted = 1 + sum(actions[s] == ACCEPT for s in left[1:]) if shares else 0
        self._passed = 2 * accepted >= len(left) and bool(shares)
        if not self._passed:
            self._left = left[1:]
        gold = dict(zip(left, shares, strict=True)) if self._passed else {}
        if not self._passed and len(self._left) == 1:
            gold = {self._left[0]: self._game.gold}
        told: dict[str, object] = {
            "proposer": proposer,
            "proposal": shares,
            "accepted": accepted,
            "voters": len(left),
            "passed": self._passed,
        }
        return RoundOutcome(
            payoffs=tuple(
                None if s in actions and actions[s] is None else float(gold.get(s, 0))
                for s in range(1, self._game.n_players + 1)
            ),
            values={s: float(shares[0]) if s == proposer and shares else None for s in left},
            told={
                s: {**told, "own": None if s == proposer else actions[s], "gain": gold.get(s, 0)}
                for s in self._left
            },
        )


def _left(asked: Facts) -> tuple[int, ...]:
    left = asked.get("left")
    if not isinstance(left, tuple):
        raise GameError("pirate: a request without those aboard, expected what the course asks")
    return left


def _share(asked: Facts) -> int:
    share = asked.get("share")
    return share if isinstance(share, int) else 0


def _parsed(action: str | None) -> tuple[int, ...]:
    return () if action is None else tuple(int(share) for share in action.split(","))
