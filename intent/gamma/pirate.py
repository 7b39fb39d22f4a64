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
from typing import TYPE_CHECKING, Any, ClassVar

from intent.base.errors import DataError, GameError, shorten
from intent.base.wording import number_text
from intent.figures.style import ink, outline, palette, pt
from intent.games.game import Facts, RoundOutcome
from intent.gamma.game import (
    CHOICE,
    MOST_LISTED,
    MOST_VALUE,
    About,
    BenchGame,
    Events,
    GameWords,
    Moves,
    SituatedGame,
    Story,
    Teller,
    Templates,
    check_moves,
    check_whole,
    listed,
    one_of,
    value_text,
    whole_number,
)
from intent.gamma.plays import Plays, Scoring, Table, mean_of, odd_action, whole_or_same
from intent.gamma.saved import LARGEST, numbers, part, words

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

    from intent.games.game import CourseGame
    from intent.gamma.saved import Saved


__all__ = [
    "ACCEPT",
    "REJECT",
    "Division",
    "Pirate",
    "pirate_equilibrium",
    "pirate_vote",
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
    divisions = [Division((gold,), True, (gold,), 0)]
    for n in range(2, n_players + 1):
        rest = divisions[-1]
        prices = [0 if place < rest.drowned else rest.gold[place] + 1 for place in range(n - 1)]
        cheapest = sorted(range(n - 1), key=lambda place: (prices[place], (place + 1) % 2, place))
        bought = cheapest[: (n + 1) // 2 - 1]
        cost = sum(prices[place] for place in bought)
        if cost > gold:
            divisions.append(
                Division((gold, *(0 for _ in rest.gold)), False, (0, *rest.gold), rest.drowned + 1)
            )
            continue
        shares = tuple(prices[place] if place in set(bought) else 0 for place in range(n - 1))
        divisions.append(Division((gold - cost, *shares), True, (gold - cost, *shares), 0))
    return tuple(divisions)


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


def _shares_of(value: object, left: tuple[int, ...]) -> list[object]:
    """The shares of those in `left`, in order, as they were given.

    Examples
    --------
    >>> _shares_of({"2": 98, "3": 0, "4": 2}, (2, 3, 4)), _shares_of("98, 0, 2", (2, 3, 4))
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


def _all_proposals(gold: int, aboard: int) -> Iterator[tuple[int, ...]]:
    """All ways to share `gold` coins among `aboard` pirates: bars among stars.

    Examples
    --------
    >>> list(_all_proposals(1, 3))
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

    def key(self, question: Facts) -> str:
        """``proposal`` of the proposer, ``decision`` of the voters."""
        return "proposal" if question.get("role") == "propose" else "decision"

    def read(self, value: object, seat: int, question: Facts) -> str:
        """``accept`` or ``reject``; of the proposer the shares from the proposer down, joined by commas.

        Proposals come as a list, as text of one, or as a mapping of rank -> shares (``"1"``, ``"pirate 1"``),
        of exactly those aboard; shares are whole numbers from 0 that add up to the gold.
        """
        if question.get("role") != "propose":
            vote = one_of(value, (ACCEPT, REJECT), "decision")
            if vote == ACCEPT and not question.get("proposal"):
                raise GameError("decision 'accept', expected reject: there is no proposal")
            return vote
        left = _left(question)
        shares = [whole_number(share, "share", 0, self.gold) for share in _shares_of(value, left)]
        if sum(shares) != self.gold:
            raise GameError(f"proposal of {sum(shares)} in all, expected shares that add up to {self.gold}")
        return ",".join(map(str, shares))

    def legal(self, seat: int, question: Facts) -> tuple[str, ...] | None:
        """Both votes; the proposals where they are few."""
        if question.get("role") != "propose":
            return (ACCEPT, REJECT) if question.get("proposal") else (REJECT,)
        aboard = len(_left(question))
        if comb(self.gold + aboard - 1, aboard - 1) > MOST_LISTED:
            return None
        return tuple(",".join(map(str, shares)) for shares in _all_proposals(self.gold, aboard))

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """The equilibrium proposal; the vote on the proposal that was made."""
        proposer = _left(question)[0]
        if question.get("role") == "propose":
            return ",".join(map(str, pirate_equilibrium(self.n_players, self.gold, proposer).proposal))
        accepts = bool(question.get("proposal")) and self._accepts(proposer, seat, _share(question))
        return ACCEPT if accepts else REJECT

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """As `equilibrium`: how many accepted another proposal says nothing of this one."""
        return self.equilibrium(seat, question, rng)

    def gains(self, seat: int, others: Moves, question: Facts, actions: tuple[str, ...]) -> tuple[float, ...]:
        """`pirate_theory.utility`: share + (G + 1) for survival + others overboard/N, play after the round
        being the equilibrium's.

        A vote counts beside the others' votes as they were cast. A proposal is answered by equilibrium votes,
        as the votes that were cast answered another one.
        """
        if question.get("role") == "propose":
            return tuple(self._of_proposal(seat, action) for action in actions)
        left = _left(question)
        accepted = 1 + sum(others.get(s) == ACCEPT for s in left[1:] if s != seat)
        if not question.get("proposal"):
            accepted = -1
        return tuple(
            utility(self.n_players, self.gold, True, _share(question), 0)
            if 2 * (accepted + (action == ACCEPT)) >= len(left)
            else self._of_rejection(left[0], seat)
            for action in actions
        )

    def best(self, seat: int, others: Moves, question: Facts) -> tuple[str, float]:
        """The equilibrium proposal; the vote that pays more, rejection where both pay the same."""
        if question.get("role") == "propose":
            shares = pirate_equilibrium(self.n_players, self.gold, seat).proposal
            action = ",".join(map(str, shares))
            return action, self._of_proposal(seat, action)
        votes = self.legal(seat, question) or (REJECT,)
        gains = self.gains(seat, others, question, votes)
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
    """A division in progress."""

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

    def question(self, seat: int, earlier: Moves) -> Facts:
        """Who is aboard and what to do; voters see the proposal, which is empty where none was made."""
        proposer = self._left[0]
        rules = {"proposer": proposer, "left": self._left}
        if seat == proposer:
            return {**rules, "role": "propose"}
        shares = _parsed(earlier.get(proposer))
        share = shares[self._left.index(seat)] if shares else 0
        return {**rules, "role": "vote", "proposal": shares, "share": share}

    def complete(self, actions: Moves) -> RoundOutcome:
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
        report: dict[str, object] = {
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
            reports={
                s: {**report, "own": None if s == proposer else actions[s], "gain": gold.get(s, 0)}
                for s in self._left
            },
        )


def _left(question: Facts) -> tuple[int, ...]:
    left = question.get("left")
    if not isinstance(left, tuple):
        raise GameError("pirate: a request without those aboard, expected what the course asks")
    return left


def _share(question: Facts) -> int:
    share = question.get("share")
    return share if isinstance(share, int) else 0


def _parsed(action: str | None) -> tuple[int, ...]:
    return () if action is None else tuple(int(share) for share in action.split(","))


@dataclass(frozen=True)
class Vote:
    """One round of the pirate game.

    Parameters
    ----------
    shares : tuple of float, or None
        What the proposer, then every junior, was to get; None of a proposal that is missing.
    votes : tuple of ``accept``, ``reject`` or None
        Of the juniors, in their order; None of a vote that is missing.
    """

    shares: tuple[float, ...] | None
    votes: tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class PiratePlays(Plays):
    """What was proposed, and how it was voted on.

    Parameters
    ----------
    gold : float
    held : tuple of Vote, by round
        The first of all players, each further one of one player fewer.
    """

    game = "pirate"
    by_round = "held"
    settings = (("gold", "gold", 100),)

    gold: float = 100
    held: tuple[Vote, ...]

    @classmethod
    def from_table(cls, game: Pirate, table: Table) -> dict[str, Any]:
        """A missing vote is a wrong one, a missing proposal as far from the equilibrium as can be."""
        held = []
        for i, played in enumerate(table.rounds, start=1):
            if i > game.n_players or (played and min(played) < i):
                raise DataError(
                    f"round {i}: seats {sorted(played)} moved, expected proposer {i} and its juniors"
                )
            juniors = range(i + 1, game.n_players + 1)
            votes = tuple(played.get(seat) for seat in juniors)
            for seat, vote in zip(juniors, votes, strict=True):
                if vote not in (None, ACCEPT, REJECT):
                    raise odd_action(i, seat, vote, "accept or reject")
            held.append(Vote(_proposed(table, i, played.get(i), game.n_players - i + 1), votes))
        return {"held": tuple(held)}

    def moves(self) -> Iterator[tuple[int, int, int, str, float | None]]:
        """Each proposal, with the proposer's own share as its value, then the votes on it."""
        for i, vote in enumerate(self.held, start=1):
            if vote.shares is not None:
                yield i, 1, i, ",".join(f"{share:.12g}" for share in vote.shares), vote.shares[0]
            yield from ((i, 2, i + k, cast, None) for k, cast in enumerate(vote.votes, start=1) if cast)

    @property
    def over(self) -> bool:
        """Whether a plan has passed, or one is left."""
        last = self.held[-1] if self.held else None
        return last is not None and (len(last.votes) == 1 or _passes(last))

    def rules(self) -> dict[str, Any]:
        """The gold."""
        return {"gold": whole_or_same(self.gold)}

    def payoffs(self, stage: Pirate) -> Iterator[float | None]:
        """The shares of a plan that passes; who is left alone has all the gold."""
        for vote in self.held:
            shares = vote.shares or ()
            n = 1 + len(vote.votes)
            alone = [0.0] * (n - 1) + [float(self.gold)] if n == 2 else [0.0] * n
            gains = [float(share) for share in shares] if _passes(vote) else alone
            if vote.shares is not None:
                yield gains[0]
            yield from (gain for gain, cast in zip(gains[1:], vote.votes, strict=True) if cast)

    def score(self, scoring: Scoring = "code") -> float:
        """Half for proposals, half for votes: 50 (2 G - S_P) / (2 G) + 50 S_V.

        S_P is the mean L1 distance of the proposal from the equilibrium's: one coin each to the second,
        fourth, ... after the proposer, who keeps the rest. The code takes G = 100 whatever the gold is, and
        shares per 100 gold, so that equilibrium play of other gold is at a distance; in the paper G is the
        gold. S_V is the share of right votes: accept two or more, reject none, accept one at an even distance
        from the proposer and reject it at an odd one (Stewart 1999). The code counts no vote on one coin at
        an odd distance as right.

        A missing proposal is at the largest distance, 2 G, and votes on it do not count; a missing vote is
        wrong.
        """
        whole = 100.0 if scoring == "code" else self.gold
        distance = mean_of([_distance(vote, self.gold, whole) for vote in self.held])
        votes = [
            float(_right(share, offset, cast, scoring))
            for vote in self.held
            if vote.shares is not None
            for offset, (share, cast) in enumerate(zip(vote.shares[1:], vote.votes, strict=True), start=1)
        ]
        return 50 * (2 * whole - distance) / (2 * whole) + (50 * mean_of(votes) if votes else 0.0)


def _passes(vote: Vote) -> bool:
    return bool(vote.shares) and 2 * (1 + vote.votes.count(ACCEPT)) >= 1 + len(vote.votes)


def _proposed(table: Table, i: int, action: str | None, n: int) -> tuple[float, ...] | None:
    if action is None:
        return None
    shares = action.split(",", n)
    if len(shares) != n:
        raise odd_action(i, i, action, f"{n} whole numbers joined by commas")
    return tuple(table.whole(i, i, share) or 0.0 for share in shares)


def _distance(vote: Vote, gold: float, whole: float) -> float:
    """L1 distance of a proposal, as shares of `whole`, from the equilibrium's of that much gold."""
    if vote.shares is None:
        return 2 * whole
    n = len(vote.shares)
    optimal = [whole - (n - 1) // 2, *(1 - offset % 2 for offset in range(1, n))]
    return sum(abs(whole * share / gold - best) for share, best in zip(vote.shares, optimal, strict=True))


def _right(share: float, offset: int, cast: str | None, scoring: Scoring) -> bool:
    if share >= 2 or (share == 1 and offset % 2 == 0):
        return cast == ACCEPT
    return cast == REJECT and (share == 0 or scoring == "paper")


def _saved(saved: Saved) -> dict[str, Any]:
    """The first round has all players, each further one player fewer."""
    if len(saved.records) > saved.n_players:
        raise DataError(
            f"{len(saved.records)} rounds, expected at most one for each of {saved.n_players} players"
        )
    gold = saved.parameter("gold", 100, low=1e-9)
    held = []
    for i, record in enumerate(saved.records):
        at, n = f"round {i + 1}", saved.n_players - i
        lists = {key: part(record, key, list, at) for key in ("gold_distribution", "responses")}
        for key, values in lists.items():
            if len(values) != n:
                raise DataError(f"{at}: {key} of {len(values)}, expected {n}")
        shares = numbers(lists["gold_distribution"], "gold", at, low=-LARGEST)
        held.append(Vote(shares, words(lists["responses"][1:], (ACCEPT, REJECT), "vote", at)))
    return {"gold": gold, "held": tuple(held)}


_VOTES = ("proposer", "proposal", "accepted", "voters")


class _Words(GameWords):
    pieces: ClassVar = {
        "rules": ("gold", "pirates", "name", "number"),
        "thrown": (*_VOTES, CHOICE),
        "passed": (*_VOTES, CHOICE),
        "propose": ("gold",),
        "vote": ("proposer", "gold", "proposal", "share"),
    }
    plain: ClassVar = {"form": (), "no_plan": ("proposer",)}
    length_known = False

    def rules(self, t: Teller) -> list[str]:
        crew = t.lines("player_line", range(1, t.game.n_players + 1))
        gold = number_text(self._gold(t))
        return [t.say("rules", pirates=crew, name=t.name(t.seat), number=t.seat, gold=gold)]

    def request(self, t: Teller, question: Facts) -> list[str]:
        gold = value_text(self._gold(t))
        if question["role"] == "propose":
            return [t.say("propose", gold=gold)]
        proposer: Any = question["proposer"]
        if not question["proposal"]:
            return [t.say("no_plan", proposer=t.name(proposer))]
        plan, share = self._plan(t, question), value_text(question["share"])
        return [t.say("vote", proposer=t.name(proposer), gold=gold, proposal=plan, share=share)]

    def place(self, t: Teller, question: Facts) -> str:
        left: Any = question["left"]
        if question["role"] == "propose":
            coins = t.say("form")
            return "{" + ", ".join(f'"{seat}": <{coins}>' for seat in left) + "}"
        return listed(t, t.game.legal(t.seat, question) or ())

    def report(self, t: Teller, facts: Facts) -> list[str]:
        proposer = t.name(facts["proposer"])
        if not facts["proposal"]:
            return [t.say("no_plan", proposer=proposer)]
        piece = "passed" if facts["passed"] else "thrown"
        votes = {name: value_text(facts[name]) for name in ("accepted", "voters")}
        return [t.say(piece, proposer=proposer, proposal=self._plan(t, facts), **votes)]

    def _gold(self, t: Teller) -> Any:
        return t.game.facts()["gold"]

    def _plan(self, t: Teller, facts: Facts) -> str:
        """A proposal, one line for each pirate from the proposer down."""
        proposer: Any = facts["proposer"]
        shares: Any = facts["proposal"]
        return t.lines("share_line", range(proposer, proposer + len(shares)), amount=shares)


class _Templates(Templates):
    folder = "pirate_game"
    inputs: ClassVar = {
        "description": ("n_players", "gold", "rank", "role"),
        "report": ("proposer", "plan", "accepted", "voters", "own", "compared", "result"),
        "request1": ("proposer", "plan", "share", "format"),
        "request2": ("rank", "gold", "format"),
    }

    def request_facts(self, game: CourseGame, names: Sequence[str], question: Facts) -> Facts:
        return {"plan": _plan(question), "proposer": question["proposer"]}

    def report_facts(self, game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> Facts:
        proposer = facts["proposer"]
        gain = value_text(facts["gain"])
        passed = f"The plan of pirate {proposer} is accepted and the game is over. You get {gain}."
        thrown = f"Pirate {proposer} is thrown overboard and out of the game. The game goes on."
        return {
            "plan": _plan(facts),
            "own": ACCEPT if proposer == seat else str(facts["own"] or "null"),
            "compared": "No less" if facts["passed"] else "Less",
            "result": passed if facts["passed"] else thrown,
        }

    def answer(self, game: CourseGame, question: Facts) -> object:
        left: Any = question["left"]
        return {str(s): f"g_{s}" for s in left} if question["role"] == "propose" else "accept_or_reject"

    def request_name(self, question: Facts) -> str:
        return "request2" if question["role"] == "propose" else "request1"


def _plan(facts: Facts) -> str:
    """A proposal as upstream prints it: ranks and coins as JSON."""
    proposer: Any = facts["proposer"]
    shares: Any = facts.get("proposal") or ()
    return json.dumps({str(proposer + i): coins for i, coins in enumerate(shares)})


_UNVOTED = "#D9D9D9"


def _tones() -> dict[str | None, str]:
    """Vote -> its colour."""
    _, _, reject, accept = palette(4)
    return {ACCEPT: accept, REJECT: reject, None: _UNVOTED}


def _draw(ax: Axes, run: PiratePlays) -> None:
    """A row per proposal, a cell per pirate with its share, coloured by its vote."""
    from matplotlib.patches import Rectangle

    tones = _tones()
    for row, vote in enumerate(run.held, start=1):
        shares = vote.shares or (None,) * (1 + len(vote.votes))
        for place, (share, choice) in enumerate(zip(shares, (ACCEPT, *vote.votes), strict=True)):
            pirate = row + place
            colour = tones[choice if vote.shares is not None or place else None]
            at = (pirate - 0.46, row - 0.42)
            ax.add_patch(
                Rectangle(at, 0.92, 0.84, facecolor=colour, edgecolor=outline(colour), linewidth=0.6)
            )
            text = "" if share is None else f"{share:g}"
            ax.text(pirate, row, text, ha="center", va="center", fontsize=pt(7.5), color=ink(colour))
    most = max((1 + len(vote.votes) + n for n, vote in enumerate(run.held)), default=run.n_players)
    ax.set_xlim(0.4, most + 0.6)
    ax.set_ylim(len(run.held) + 0.6, 0.4)
    ax.set_xticks(range(1, most + 1))
    ax.set_yticks(range(1, len(run.held) + 1))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def _legend() -> list[Any]:
    from matplotlib.patches import Patch

    labels = {ACCEPT: "accepts", REJECT: "rejects", None: "no vote"}
    return [
        Patch(facecolor=colour, edgecolor=outline(colour), label=labels[vote])
        for vote, colour in _tones().items()
    ]


BENCH = BenchGame(
    "sequential",
    "Pirate Game",
    About(
        "Pirate game",
        "The most senior pirate proposes how to divide the gold and all vote. With half of the "
        "votes it is done; else the proposer goes overboard and the next proposes.",
        "the proposer buys the cheapest votes: with enough gold one coin each for the third, "
        "fifth, ... pirate",
        "Stewart 1999, Scientific American 280(5):98",
    ),
    PiratePlays,
    _Words(),
    _Templates(),
    Story("partners", (("proposal", "split"), ("decision", "vote")), ((ACCEPT, "yes"), (REJECT, "no"))),
    Events(
        "Numbers: gold offered to each pirate; the proposer stands first and accepts.",
        *(4.2, 2.3, 36),
        *("pirate, by seniority", "proposal"),
        *(_draw, _legend),
    ),
    _saved,
    (("gold",), ("gold_distribution",)),
    missing="a wrong vote, or the plan that is farthest off",
    discrepancy="one coin at an odd distance from the proposer: the code counts no vote as right, the "
    "paper that against the proposal; gold other than 100: the code compares shares per 100 gold with "
    "the equilibrium of 100, the paper with that of the gold",
    spellings={"decision": ("vote",), "proposal": ("distribution", "division", "allocation", "shares")},
    short_names=("pirate",),
    sweeps=("g",),
    settings=tuple({"gold": gold} for gold in (4, 5, 100, 400)),
    seats_shown=2,
    most_rounds=min,
    most_moves=lambda rounds, seats: sum(min(rounds, seat) for seat in seats),
)
