"""Corpora of noisy play: balanced classes, any opponents and lengths, streamed in seeded chunks."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.base.errors import StrategyError, UsageError, shorten
from intent.logs.gamelog import GameLog, Trajectories
from intent.strategies.catalogue import SETS, Noise, Stepper, Strategy, coin_flips, named_set, strategy

__all__ = [
    "CHUNK",
    "CONSTANTS",
    "Automaton",
    "Corpus",
    "Mixture",
    "Opponent",
    "Recorded",
    "SelfPlay",
    "chunk_log",
    "chunk_rows",
    "generate_arrays",
    "opponent",
    "play_chunk",
    "play_matches",
    "starts",
    "stream",
]


@dataclass(frozen=True)
class Automaton:
    """A catalogue entry (RANDOM is the fair coin of the literature's recipe)."""

    strategy: Strategy

    @property
    def name(self) -> str:
        """Name as written in the log."""
        return self.strategy.name


@dataclass(frozen=True)
class SelfPlay:
    """The same strategy as the focal player's."""

    name: str = "self"


@dataclass(frozen=True, eq=False)
class Recorded:
    """Move sequences taken from a log; each trajectory meets one of them, drawn with replacement.

    Parameters
    ----------
    moves : (m, T) int8, 1 = cooperate, -1 = not played
    """

    moves: NDArray[np.int8]
    name: str = "recorded"

    def __post_init__(self) -> None:
        if self.moves.ndim != 2 or not self.moves.size:
            raise StrategyError(f"recorded opponents have shape {self.moves.shape}, expected (m, T)")


Simple = Automaton | SelfPlay | Recorded


@dataclass(frozen=True)
class Mixture:
    """Opponents drawn per trajectory, independently of the focal player's strategy.

    Parameters
    ----------
    parts : tuple of opponents
    weights : tuple of float, positive; normalised to one
    """

    parts: tuple[Simple, ...]
    weights: tuple[float, ...]
    name: str = "mixture"

    def __post_init__(self) -> None:
        if len(self.parts) != len(self.weights) or not self.parts or min(self.weights) <= 0:
            raise StrategyError(f"mixture has {len(self.parts)} parts and weights {self.weights}")


Opponent = Simple | Mixture


def opponent(text: str, own: Sequence[Strategy] = ()) -> Opponent:
    """The opponent of a text.

    Parameters
    ----------
    text : ``random``, ``random(0.7)``, a strategy name, ``self``, ``sequence:CDDC`` (these moves whatever
        the other does, again from the first where the game is longer), a set name (each of its strategies
        equally often), or a mixture ``random=0.5,TFT=0.3,self=0.2``
    own : sequence of Strategy
        Strategies of the user's own that names may mean.

    Raises
    ------
    UnknownNameError
        A part that is none of these.
    UsageError
        A weight that is not a positive number, or a sequence of other letters than C and D.
    """
    if "=" in text or ("," in text and "(" not in text):
        parts, weights = [], []
        for item in text.split(","):
            name, _, weight = item.partition("=")
            try:
                share = float(weight) if weight else 1.0
            except ValueError:
                share = 0.0
            if not share > 0:
                raise UsageError(f"opponent {item.strip()!r}: weight {weight!r}, expected a positive number")
            parts.append(_simple(name.strip(), own))
            weights.append(share)
        return Mixture(tuple(parts), tuple(weights), name=text.replace(" ", ""))
    if text in SETS:
        members = named_set(text)
        return Mixture(tuple(Automaton(s) for s in members), (1.0,) * len(members), name=text)
    return _simple(text, own)


def _simple(name: str, own: Sequence[Strategy] = ()) -> Simple:
    head, colon, moves = name.partition(":")
    if colon and head.casefold() == "sequence":
        return Automaton(_sequence(moves.strip().upper()))
    return SelfPlay() if name.casefold() == "self" else Automaton(strategy(name, own))


def _sequence(moves: str) -> Strategy:
    """The automaton that plays given moves: one state per move, left whatever the outcome."""
    if not moves or set(moves) - {"C", "D"}:
        raise UsageError(f"opponent sequence:{shorten(moves)}, expected moves such as sequence:CDDC")
    n = len(moves)
    following = tuple(((t + 1) % n,) * 4 for t in range(n))
    return Strategy(f"sequence:{moves}", tuple(float(m == "C") for m in moves), following)


Rounds = NDArray[np.uint8]


def play_matches(
    own: Rounds,
    other: Rounds,
    strategy: Strategy,
    against: Automaton | SelfPlay | Recorded,
    noise: Noise | NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    """Play `n` matches of `T` rounds, writing the realised moves into `own` and `other`.

    Each intended move is flipped with probability eps, independently. A loop over rounds only.

    Parameters
    ----------
    own, other : (T, n) uint8, written; 1 = cooperate (255 where a recorded opponent has no move)
    against : opponent
    noise : Noise, or (n, 2) float64 with eps of own and other per match
    rng : numpy Generator
    """
    horizon, n = own.shape
    own_flips = _flips(noise, 0, horizon, n, rng)
    me = Stepper(strategy, n)
    if isinstance(against, Recorded):
        _recorded(other, against, rng)
        rival = None
    else:
        rival_strategy = strategy if isinstance(against, SelfPlay) else against.strategy
        other_flips = _flips(noise, 1, horizon, n, rng)
        rival = Stepper(rival_strategy, n)
        if rival_strategy.n_states == 1:
            _memoryless(other, rival_strategy, other_flips, rng)
            rival = None
    if strategy.n_states == 1:
        _memoryless(own, strategy, own_flips, rng)
        if rival is None:
            return
    for t in range(horizon):
        if strategy.n_states > 1:
            intended = me.intended(rng)
            _slip(intended, own_flips, own, t)
        if rival is not None:
            rival_intended = rival.intended(rng)
            _slip(rival_intended, other_flips, other, t)
        if t + 1 == horizon:
            return
        if strategy.n_states > 1:
            theirs = other[t]
            if isinstance(against, Recorded) and (theirs > 1).any():
                theirs = np.where(theirs > 1, coin_flips(n, 0.5, rng), theirs)
            me.advance(own[t], theirs, intended)
        if rival is not None:
            rival.advance(other[t], own[t], rival_intended)


def _flips(
    noise: Noise | NDArray[np.float64], who: int, horizon: int, n: int, rng: np.random.Generator
) -> Rounds | None:
    """(T, n) flips of one player, None where there is no noise."""
    if isinstance(noise, Noise):
        eps = (noise.own, noise.other)[who]
        return coin_flips(horizon * n, eps, rng).reshape(horizon, n) if eps else None
    if not noise[:, who].any():
        return None
    return (rng.random((horizon, n)) < noise[:, who]).view(np.uint8)


def _slip(intended: NDArray[np.uint8], flips: Rounds | None, out: Rounds, t: int) -> None:
    """Write the moves of round t: what was intended, flipped where there is noise."""
    if flips is None:
        out[t] = intended
    else:
        np.bitwise_xor(intended, flips[t], out=out[t])


def _memoryless(out: Rounds, s: Strategy, flips: Rounds | None, rng: np.random.Generator) -> None:
    p = s.p_cooperate[0]
    if p in (0.0, 1.0):
        if flips is None:
            out[:] = int(p)
        else:
            np.bitwise_xor(flips, np.uint8(p), out=out)
        return
    out[:] = coin_flips(out.size, p, rng).reshape(out.shape)
    if flips is not None:
        np.bitwise_xor(out, flips, out=out)


def _recorded(out: Rounds, against: Recorded, rng: np.random.Generator) -> None:
    horizon, n = out.shape
    rows = rng.integers(len(against.moves), size=n)
    width = min(horizon, against.moves.shape[1])
    out[:width] = against.moves[rows, :width].T.view(np.uint8)
    out[width:] = 255


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
    n : trajectories
    rounds : (int, int)
        Shortest and longest trajectory; lengths are drawn uniformly.
    eps : tuple of two float in [0, .5)
        Execution noise of the focal player: drawn per trajectory, uniform between the two.
    eps_other : tuple of two float, or None
        Noise of the opponent; None means the opponent has the focal player's eps.
    opponent : whom they meet

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
    def opponents(self) -> tuple[Simple, ...]:
        """The parts of the opponent, as `Chunk.opponent` counts them."""
        return self.opponent.parts if isinstance(self.opponent, Mixture) else (self.opponent,)

    @property
    def opponent_names(self) -> tuple[str, ...]:
        """Names of `opponents`."""
        return tuple(part.name for part in self.opponents)

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
        places: NDArray[np.intp] = self.first + np.concatenate(turns)
        return places


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
    rng : numpy Generator
    workers : threads
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
    parts = corpus.opponents
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


GAME = "prisoner-dilemma-trps"
_PAYOFFS = {"C,C": [3, 3], "C,D": [0, 5], "D,C": [5, 0], "D,D": [1, 1]}

CONSTANTS = {
    "source": "generated",
    "game": GAME,
    "payoffs": json.dumps(_PAYOFFS, separators=(",", ":")),
    "payoff_kind": "reward",
    "cooperative_action": "C",
    "horizon_known": False,
}
"""Columns of games that have one value in generated play."""


def chunk_log(chunk: Chunk, corpus: Corpus) -> GameLog:
    """The chunk as a `GameLog`: seat 1 is focal and carries its strategy, seat 2 is its opponent.

    Classes take turns; condition columns are ``eps``, ``opponent_eps`` and ``opponent``. Payoffs are those of
    the standard Prisoner's Dilemma (T, R, P, S = 5, 3, 1, 0).
    """
    order = np.argsort(chunk.number, kind="stable")
    own, other = chunk.X.own[order], chunk.X.other[order]
    y, eps, met = chunk.y[order], chunk.eps[order], chunk.opponent[order]
    n = len(own)
    number = chunk.number[order]
    ids = pd.Index([f"g{i:07d}" for i in range(chunk.first + 1, chunk.first + n + 1)])
    names = np.array([s.name for s in corpus.strategies], dtype=object)[y]
    parts = corpus.opponents
    rivals = np.array(corpus.opponent_names, dtype=object)[met]
    played = (own >= 0).sum(axis=1)
    games = pd.DataFrame(
        {
            "game_id": ids,
            **CONSTANTS,
            "n_players": 2,
            "rounds_planned": played,
            "rounds_played": played,
            "repetition": number // len(corpus.strategies) + 1,
            "eps": eps[:, 0],
            "opponent_eps": eps[:, 1],
            "opponent": rivals,
        }
    )
    scripted = [names[i] if isinstance(parts[met[i]], SelfPlay) else rivals[i] for i in range(n)]
    seats = pd.DataFrame(
        {
            "game_id": np.repeat(ids.to_numpy(), 2),
            "seat": np.tile([1, 2], n),
            "strategy": np.stack([names, np.array(scripted, dtype=object)], axis=1).reshape(-1),
            "focal": np.tile([True, False], n),
        }
    )
    cube = np.stack([own, other], axis=2)
    at = np.nonzero(cube >= 0)
    value = cube[at]
    partner = cube[at[0], at[1], 1 - at[2]]
    table = np.array([[1.0, 5.0], [0.0, 3.0]])
    moves = pd.DataFrame(
        {
            "game_id": pd.Categorical.from_codes(at[0], categories=ids),
            "round": at[1] + 1,
            "step": 1,
            "seat": at[2] + 1,
            "action": pd.Categorical.from_codes(1 - value, categories=pd.Index(["C", "D"])),
            "cooperated": value.astype(bool),
            "payoff": np.where(partner < 0, np.nan, table[value, np.maximum(partner, 0)]),
            "status": pd.Categorical.from_codes(
                np.zeros(len(value), dtype=np.int8), categories=pd.Index(["parsed"])
            ),
        }
    )
    return GameLog(games, seats, moves)


def chunk_rows(chunk: Chunk, corpus: Corpus) -> tuple[pa.Table, NDArray[np.int8], NDArray[np.int8]]:
    """The chunk as rows of a compact log, without the columns that are `CONSTANTS`.

    Returns
    -------
    keys : Table of m rows: game_id, seat, repetition, strategy, eps, opponent_eps and opponent
    own, other : (m, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    order = np.argsort(chunk.number, kind="stable")
    number, n = chunk.number[order], len(order)
    digits = pc.utf8_lpad(pa.array(number + 1).cast(pa.string()), 7, padding="0")
    names = pa.array([s.name for s in corpus.strategies])
    keys = {
        "game_id": pc.binary_join_element_wise("g", digits, ""),
        "seat": pa.array(np.ones(n, dtype=np.int8)),
        "repetition": pa.array(number // len(corpus.strategies) + 1),
        "strategy": _coded(chunk.y[order], names),
        "eps": pa.array(chunk.eps[order, 0]),
        "opponent_eps": pa.array(chunk.eps[order, 1]),
        "opponent": _coded(chunk.opponent[order], pa.array(list(corpus.opponent_names))),
    }
    return pa.table(keys), chunk.X.own[order], chunk.X.other[order]


def _coded(codes: NDArray[np.intp], names: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), names)
