"""What a match is: its rules, the work given to an engine, what comes back, and the random numbers.

These are drawn by the host: no player's process learns what decides its match, or spends time on a generator
that it does not draw from.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.streams import MatchStreams
from intent.base.errors import UsageError
from intent.games.game import MatrixGame

__all__ = [
    "INTERPRETER",
    "Engine",
    "Fault",
    "FaultKind",
    "Fidelity",
    "Job",
    "Limits",
    "MatchRules",
    "MatchSeed",
    "Played",
    "check_job",
    "flips_text",
    "legacy_generator",
    "match_draws",
]


Fidelity = Literal["axelrod", "clean"]

MatchSeed = int | MatchStreams
"""What decides the random numbers of a match: its streams, or a seed in [0, 2**32 - 1) as the Axelrod library
takes one. Of such a seed a player's first draw tells everything, so it is for replication only."""

FaultKind = Literal[
    "refused",  # the gate does not let the source in, or it does not compile
    "error",  # it raised
    "value",  # it returned something that is no move
    "time",  # it ran longer than a match may take
    "memory",  # it asked for more memory than it may have
    "output",  # it wrote more than it may, or on the channel of results
    "killed",  # it did what the sandbox forbids, and was ended
]


@dataclass(frozen=True)
class MatchRules:
    """How matches are played.

    Parameters
    ----------
    payoffs : tuple of 4 floats
        Utility of a player after CC, CD, DC, DD (own move first), higher is better.
    turns : int, rounds per match
    noise : float in [0, .5), probability per move that it is flipped after the choice
    fidelity : {"axelrod", "clean"}
        ``axelrod``: move for move those of the Axelrod library with the published score-keeping: the player
        called first sees the other's score one round late. ``clean``: both scores are current.
    known_length : bool
        Whether ``self.match_attributes["length"]`` tells `turns`, else it is -1.
    reuse_instances : bool
        Whether custom attributes live on across the repetitions of a pair, as they do upstream; for
        replication only.

    Raises
    ------
    UsageError
    """

    payoffs: tuple[float, float, float, float] = (3.0, 0.0, 5.0, 1.0)
    turns: int = 1000
    noise: float = 0.0
    fidelity: Fidelity = "axelrod"
    known_length: bool = True
    reuse_instances: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.turns <= 100_000:
            raise UsageError(f"{self.turns} turns, expected 1 to 100000")
        if not 0 <= self.noise < 0.5:
            raise UsageError(f"noise {self.noise:g}, expected a probability below .5")

    def total(self, outcomes: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """(…,) sums of payoffs over (…, 4) counts of outcomes; of equal counts equal to the last digit."""
        cc, cd, dc, dd = (outcomes[..., k] * payoff for k, payoff in enumerate(self.payoffs))
        return np.asarray(cc + (cd + dc) + dd)

    @classmethod
    def of(cls, game: MatrixGame, **settings: object) -> MatchRules:
        """The rules of a symmetric game with a cooperative action.

        Raises
        ------
        UsageError
            The game is not symmetric, or its payoffs do not say which action is cooperation.
        """
        cooperate = game.cooperative_label
        if not game.is_symmetric or cooperate is None:
            raise UsageError(f"{game.name} is no symmetric game with a cooperative action")
        (defect,) = (a for a in game.actions if a != cooperate)
        sign = -1.0 if game.kind == "penalty" else 1.0
        order = ((cooperate, cooperate), (cooperate, defect), (defect, cooperate), (defect, defect))
        payoffs = tuple(sign * float(game.payoff(cell)[0]) + 0.0 for cell in order)
        return cls(payoffs=payoffs, **settings)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Job:
    """The matches of one pair.

    Parameters
    ----------
    first, second : int
        Places of the players in the field; `first` is called first in every round.
    seeds : tuple of MatchSeed, one per repetition
    """

    first: int
    second: int
    seeds: tuple[MatchSeed, ...]


@dataclass(frozen=True, eq=False)
class Played:
    """The moves of a job: ``moves`` (repetitions, 2, turns) uint8, 1 = cooperate, realised (after noise)."""

    job: Job
    moves: NDArray[np.uint8]


@dataclass(frozen=True)
class Fault:
    """A job that a player spoiled.

    Parameters
    ----------
    player : int, the culprit's place in the field
    reason : str, one line
    repetition, turn : int from 0, where known
    """

    job: Job
    player: int
    kind: FaultKind
    reason: str
    repetition: int | None = None
    turn: int | None = None


class Engine(Protocol):
    """Plays jobs where the players can do no harm; a context manager."""

    @property
    def name(self) -> str: ...

    def play(
        self, field: Sequence[Entrant], jobs: Iterable[Job], rules: MatchRules
    ) -> Iterator[Played | Fault]:
        """What became of each job, as they end. `jobs` is drawn from as workers get free."""
        ...

    def close(self) -> None:
        """End the workers."""
        ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _Own(threading.local):
    """A generator per thread, seeded for every match: to make one takes a hundred times as long."""

    def __init__(self) -> None:
        self.generator = RandomState(0)


_OWN = _Own()


def match_draws(
    seed: MatchSeed, seeded: Sequence[bool], rules: MatchRules
) -> tuple[list[int], NDArray[np.bool_]]:
    """What chance decides outside the players.

    Of streams, each number comes from a stream of its own. Of a seed, as in the Axelrod library: the match's
    legacy generator gives a seed to each player that has a generator, in seat order, and then draws in seat
    order, round by round, which moves noise flips.

    Parameters
    ----------
    seed : MatchStreams or int, of the match
    seeded : one bool per player, whether it has a generator of its own in the Axelrod library

    Returns
    -------
    seeds : list of int
        Of the players' generators; in the Axelrod library's way 0 for those who have none.
    flips : (turns, players) bool, (0, players) without noise
        Which moves noise flips.

    References
    ----------
    Knight et al. 2016, Journal of Open Research Software 4:e35.
    """
    seats = range(len(seeded))
    n = rules.turns if rules.noise else 0
    if isinstance(seed, MatchStreams):
        flips = [seed.flips(seat, n, rules.noise) for seat in seats if n]
        return (
            [seed.player(seat) for seat in seats],
            np.column_stack(flips) if flips else np.empty((0, len(seats)), dtype=bool),
        )
    match = _OWN.generator
    match.seed(seed)
    seeds = [int(match.randint(0, 2**32 - 1, dtype="uint64")) if own else 0 for own in seeded]
    return seeds, match.random_sample((n, len(seeds))) < rules.noise


def legacy_generator(seed: int) -> RandomState:
    """Numpy's generator of a player's seed: word for word `intent.arena.sandbox.values.Generator`."""
    if seed < 2**32:
        return RandomState(seed)
    words = [seed >> shift & 0xFFFFFFFF for shift in range(0, seed.bit_length(), 32)]
    return RandomState(np.array(words, dtype=np.uint32))


def flips_text(flips: NDArray[np.bool_]) -> str:
    """A digit per round, 0 to 3: 2 where the first player's move is flipped, and 1 where the second's is."""
    digits = (flips @ np.array([2, 1]) + ord("0")).astype(np.uint8)
    return bytes(digits).decode()


INTERPRETER = 17 * 2**20
"""Bytes of address space that CPython takes in a confined process, beside what a player may have."""


@dataclass(frozen=True)
class Limits:
    """Bounds of one confined process.

    Parameters
    ----------
    memory : int, bytes that a player may have, beside what its interpreter takes
    cpu : float, seconds of processor time per match of 1,000 rounds (longer ones in proportion)
    wall : float, optional
        Seconds on the clock per match; by default twice `cpu`, and ten times `cpu` where no processor time
        is known (``monty``). A process that lacks a processor meanwhile may take ten times as long.
    output : int, bytes that the matches of one pair may come to; a round is one byte

    Raises
    ------
    UsageError
    """

    memory: int = 256 * 2**20
    cpu: float = 2.0
    wall: float | None = None
    output: int = 8 * 2**20

    def __post_init__(self) -> None:
        if self.memory < 64 * 2**20:
            raise UsageError(f"{self.memory} bytes of memory, expected at least 64 MB")
        if not 0 < self.cpu <= 3600:
            raise UsageError(f"{self.cpu:g} seconds per match, expected more than 0 and at most 3600")
        if self.wall is not None and self.wall < self.cpu:
            raise UsageError(
                f"{self.wall:g} seconds on the clock, expected at least the {self.cpu:g} of work"
            )
        if self.output < 1:
            raise UsageError(f"{self.output} bytes of output, expected at least 1")

    def per_match(self, turns: int, patience: float = 2.0) -> tuple[float, float]:
        """Seconds of work and seconds on the clock that a match of `turns` rounds may take.

        Parameters
        ----------
        patience : float, seconds on the clock per second of work where `wall` is not given
        """
        scale = max(1.0, turns / 1000)
        return self.cpu * scale, (patience * self.cpu if self.wall is None else self.wall) * scale


def check_job(job: Job, n: int, rules: MatchRules, limits: Limits) -> None:
    """Nothing, where the job is one.

    Parameters
    ----------
    n : int, size of the field

    Raises
    ------
    UsageError
        Players that are not there, seeds that are none, or more rounds than one pair may come to.
    """
    if not (0 <= job.first < n and 0 <= job.second < n):
        raise UsageError(f"players {job.first} and {job.second}, expected places in a field of {n}")
    if not job.seeds or not all(isinstance(seed, MatchStreams) or 0 <= seed < 2**32 for seed in job.seeds):
        raise UsageError("a job needs streams, or a seed from 0 to 2**32 - 1, per repetition")
    if len(job.seeds) * rules.turns > limits.output:
        raise UsageError(
            f"{len(job.seeds)} matches of {rules.turns} rounds by one pair, expected at most "
            f"{limits.output} rounds; take fewer repetitions"
        )
