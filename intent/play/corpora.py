"""Corpora of noisy play: balanced classes, any opponents and lengths, streamed in seeded chunks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.errors import UsageError
from intent.logs.trajectories import Trajectories
from intent.play.matches import play_matches
from intent.play.opponents import Automaton, Mixture, Opponent, Recorded
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import strategy
from intent.strategies.noise import Noise

__all__ = ["CHUNK", "FAIR_COIN", "Chunk", "Corpus", "generate_arrays", "play_chunk", "starts", "stream"]

CHUNK = 1 << 14
"""Trajectories per chunk. Every chunk has its own random stream, so this number is part of the seed."""


FAIR_COIN = Automaton(strategy("RANDOM"))
"""The opponent of the literature's recipe."""


@dataclass(frozen=True)
class Corpus:
    """What play to generate.

    Parameters
    ----------
    strategies : tuple of K Strategy
        Classes, equally frequent (trajectory i plays strategy i mod K).
    n : int
        Trajectories.
    rounds : (int, int)
        Shortest and longest trajectory; lengths are drawn uniformly.
    eps : tuple of two float in [0, .5)
        Execution noise of the focal player: drawn per trajectory, uniform between the two.
    eps_other : tuple of two float, or None
        Noise of the opponent; None means the opponent has the focal player's eps.
    opponent : Opponent
        Whom they meet.

    Raises
    ------
    UsageError
        A number out of range.
    """

    strategies: tuple[Strategy, ...]
    n: int
    rounds: tuple[int, int] = (10, 10)
    eps: tuple[float, float] = (0.0, 0.0)
    eps_other: tuple[float, float] | None = (0.0, 0.0)
    opponent: Opponent = FAIR_COIN

    def __post_init__(self) -> None:
        if self.n < 0 or not self.strategies:
            raise UsageError(f"a corpus of {self.n} trajectories of {len(self.strategies)} strategies")
        if not 1 <= self.rounds[0] <= self.rounds[1]:
            raise UsageError(f"rounds {self.rounds}, expected 1 <= shortest <= longest")
        for low, high in (self.eps, self.eps_other or (0.0, 0.0)):
            if not 0 <= low <= high < 0.5:
                raise UsageError(f"eps {low:g} to {high:g}, expected probabilities in [0, .5)")

    @property
    def fixed_eps(self) -> float | None:
        """The one eps of the focal player, None where it varies."""
        return self.eps[0] if self.eps[0] == self.eps[1] else None

    @property
    def opponent_names(self) -> tuple[str, ...]:
        """Names of the parts of the opponent, as `Chunk.opponent` counts them."""
        parts = self.opponent.parts if isinstance(self.opponent, Mixture) else (self.opponent,)
        return tuple(part.name for part in parts)

    @property
    def fixed_rounds(self) -> int | None:
        """The one length, None where it varies."""
        return self.rounds[0] if self.rounds[0] == self.rounds[1] else None


@dataclass(frozen=True, eq=False)
class Chunk:
    """Consecutive trajectories of a corpus, grouped by class.

    Attributes
    ----------
    X : Trajectories of m rows, column-major arrays
    y : (m,) intp, index into the corpus' strategies
    eps : (m, 2) float64, noise of own and other
    opponent : (m,) intp, index into the parts of a mixture (0 otherwise)
    first : int, position of the chunk in the corpus
    n_classes : int, K of the corpus
    """

    X: Trajectories
    y: NDArray[np.intp]
    eps: NDArray[np.float64]
    opponent: NDArray[np.intp]
    first: int
    n_classes: int

    @property
    def number(self) -> NDArray[np.intp]:
        """Position of each row in the corpus, where classes take turns: row i plays class i mod K."""
        k, size = self.n_classes, len(self.y)
        turns = [np.arange((c - self.first) % k, size, k) for c in range(k)]
        found: NDArray[np.intp] = self.first + np.concatenate(turns)
        return found


def stream(
    corpus: Corpus,
    rng: np.random.Generator,
    *,
    workers: int = 1,
    into: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None,
) -> Iterator[Chunk]:
    """Chunks of a corpus in order; the same for the same generator, whatever the number of workers.

    Parameters
    ----------
    corpus : Corpus
    rng : numpy Generator
    workers : int
        Threads.
    into : two (T, n) uint8 arrays, optional
        Where to play; each chunk then holds views of its columns.
    """

    def play(first: int, own_rng: np.random.Generator) -> Chunk:
        columns = slice(first, min(first + CHUNK, corpus.n))
        if into is not None:
            return _chunk(corpus, first, into[0][:, columns], into[1][:, columns], own_rng)
        return play_chunk(corpus, (first, own_rng))

    jobs = starts(corpus, rng)
    if workers <= 1:
        yield from (play(*job) for job in jobs)
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[Chunk]] = deque()
        for job in jobs:
            waiting.append(pool.submit(play, *job))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def starts(corpus: Corpus, rng: np.random.Generator) -> Iterator[tuple[int, np.random.Generator]]:
    """Position and random stream of each chunk, which can be played by itself."""
    return ((first, rng.spawn(1)[0]) for first in range(0, corpus.n, CHUNK))


def play_chunk(corpus: Corpus, start: tuple[int, np.random.Generator]) -> Chunk:
    """The chunk that begins there."""
    first, rng = start
    shape = (corpus.rounds[1], min(CHUNK, corpus.n - first))
    return _chunk(corpus, first, np.empty(shape, np.uint8), np.empty(shape, np.uint8), rng)


def generate_arrays(
    corpus: Corpus, rng: np.random.Generator, *, workers: int = 1
) -> tuple[Trajectories, NDArray[np.intp]]:
    """The whole corpus in memory: trajectories (n, T) and classes (n,)."""
    own = np.empty((corpus.rounds[1], corpus.n), dtype=np.uint8)
    other = np.empty_like(own)
    y = np.empty(corpus.n, dtype=np.intp)
    for chunk in stream(corpus, rng, workers=workers, into=(own, other)):
        y[chunk.first : chunk.first + len(chunk.y)] = chunk.y
    return Trajectories.trusted(own.view(np.int8).T, other.view(np.int8).T), y


def _chunk(
    corpus: Corpus,
    first: int,
    own: NDArray[np.uint8],
    other: NDArray[np.uint8],
    rng: np.random.Generator,
) -> Chunk:
    """Play one chunk into two (T, m) arrays."""
    k = len(corpus.strategies)
    longest, size = own.shape
    sizes = [len(range((c - first) % k, size, k)) for c in range(k)]
    eps = _noise(corpus, size, rng)
    met = np.zeros(size, dtype=np.intp)
    parts = corpus.opponent.parts if isinstance(corpus.opponent, Mixture) else (corpus.opponent,)
    at = 0
    for s, m in zip(corpus.strategies, sizes, strict=True):
        counts = [m]
        if isinstance(corpus.opponent, Mixture):
            weights = np.array(corpus.opponent.weights)
            counts = rng.multinomial(m, weights / weights.sum()).tolist()
        for i, count in enumerate(counts):
            block = slice(at, at + count)
            at += count
            if count:
                met[block] = i
                noise = eps if isinstance(eps, Noise) else eps[block]
                play_matches(own[:, block], other[:, block], s, parts[i], noise, rng)
    mine, theirs = own.view(np.int8), other.view(np.int8)
    if corpus.fixed_rounds is None:
        lengths = rng.integers(corpus.rounds[0], longest + 1, size=size)
        over = np.arange(longest)[:, None] >= lengths
        mine[over], theirs[over] = -1, -1
    if any(isinstance(part, Recorded) for part in parts):
        mine[theirs < 0] = -1
    noise_table = np.broadcast_to([eps.own, eps.other], (size, 2)) if isinstance(eps, Noise) else eps
    y = np.repeat(np.arange(k), sizes)
    return Chunk(Trajectories.trusted(mine.T, theirs.T), y, noise_table, met, first, k)


def _noise(corpus: Corpus, size: int, rng: np.random.Generator) -> Noise | NDArray[np.float64]:
    """One noise for the chunk, or (m, 2) draws."""
    others = corpus.eps if corpus.eps_other is None else corpus.eps_other
    if corpus.fixed_eps is not None and others[0] == others[1]:
        return Noise(corpus.fixed_eps, others[0])
    eps = np.empty((size, 2))
    eps[:, 0] = rng.uniform(*corpus.eps, size=size)
    eps[:, 1] = eps[:, 0] if corpus.eps_other is None else rng.uniform(*corpus.eps_other, size=size)
    return eps
