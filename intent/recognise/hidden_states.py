"""Ways of playing in unlabelled play: states of a hidden Markov model, as many as BIC asks for.

How far a way of playing is from the strategies of the catalogue, noise aside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import RecogniserError
from intent.logs.gamelog import Trajectories
from intent.recognise.encoding import move_symbols, situations
from intent.recognise.hmm import (
    Fit,
    HiddenMarkov,
    expected_counts,
    fit_hidden_markov,
    split_states,
    state_posterior,
)
from intent.strategies.automaton import Strategy

__all__ = [
    "MOST_NOISE",
    "OUTSIDE",
    "Candidate",
    "Discovery",
    "Neighbour",
    "State",
    "discover_states",
    "nearest_strategies",
    "situation_vector",
]


MOST_NOISE = 0.2
"""A strategy that slips more often is not called by its name."""

_AFTER = {False: (1, 2, 3, 4), True: (5, 2, 6, 4)}
"""Situation after CC, CD, DC, DD, by whether the other had defected before that round."""

_HALF = 30.0
"""Moves at which a situation counts half as much as one with very many."""


@dataclass(frozen=True)
class Neighbour:
    """A strategy and its distance.

    Attributes
    ----------
    strategy : str
    distance : float
        Root mean square difference in P(C) between the play and the strategy with this noise.
    eps : float in [0, .2]
        The noise that brings the strategy nearest.
    """

    strategy: str
    distance: float
    eps: float


def nearest_strategies(
    p: NDArray[np.float64],
    moves: NDArray[np.float64],
    strategies: Sequence[Strategy],
    n: int = 3,
    *,
    slips: bool = True,
) -> tuple[Neighbour, ...]:
    """The strategies whose noisy play is nearest to a way of playing, nearest first.

    With v the strategy's P(C) by situation, q = v + eps (1 - 2v) is what noise makes of it; eps minimises

        d^2 = sum_c w_c (p_c - q_c)^2 / sum_c w_c,    w_c = m_c / (m_c + 30),

    m_c being the moves made in situation c, so that hardly seen situations hardly count.

    Parameters
    ----------
    p : (m,), P(C) in each situation
    moves : (m,), number of moves it is known from
    strategies : sequence of Strategy
        Those whose play is not a function of these situations are passed over.
    n : int
        How many to return.
    slips : bool
        As `situation_vector`.
    """
    weights = moves / (moves + _HALF)
    total = weights.sum()
    if not total:
        return ()
    play = np.where(moves > 0, p, 0.5)
    neighbours = []
    for s in strategies:
        vector = situation_vector(s, len(p), slips=slips)
        if vector is None:
            continue
        v = np.array(vector)
        away = 1 - 2 * v
        size = weights @ away**2
        eps = float(np.clip(weights @ (away * (play - v)) / size, 0, MOST_NOISE)) if size else 0.0
        distance = float(np.sqrt(weights @ (play - v - eps * away) ** 2 / total))
        neighbours.append(Neighbour(s.name, distance, eps))
    return tuple(sorted(neighbours, key=lambda neighbour: neighbour.distance)[:n])


@lru_cache(maxsize=512)
def situation_vector(s: Strategy, n_situations: int, *, slips: bool = True) -> tuple[float, ...] | None:
    """P(C) of a strategy in each situation, or None where its play depends on more.

    Parameters
    ----------
    s : Strategy
    n_situations : 5, 7 or 21
        First round and after R, S, T, P; with 7 also after R and T where the other had defected before; with
        21 after one round, and after each outcome of the last round but one and then of the last.
    slips : bool
        Whether histories with own moves that the strategy never intends count as much as others. Else they
        decide only about situations that nothing else leads to: GRIM is then a function of the last round.
    """
    if not s.observed_path:
        return None
    values = _by_situation(s, n_situations, slips=True)
    if not slips:
        intended = _by_situation(s, n_situations, slips=False)
        values = [first or second for first, second in zip(intended, values, strict=True)]
    if any(len(choices) != 1 for choices in values):
        return None
    return tuple(choices.pop() for choices in values)


def _by_situation(s: Strategy, n_situations: int, *, slips: bool) -> list[set[float]]:
    """The probabilities that histories lead to in each situation."""
    p, next_state = s.arrays()
    values: list[set[float]] = [set() for _ in range(7 if n_situations == 5 else n_situations)]
    values[0].add(float(p[s.start]))
    seen = [(s.start, 0)]
    for state, before in seen:
        for outcome in range(4):
            if not slips and p[state] == (0.0 if outcome < 2 else 1.0):
                continue
            if n_situations == 21:
                situation = 1 + outcome + (4 * before if before else 0)
                memory = 1 + outcome
            else:
                situation, memory = _AFTER[bool(before)][outcome], int(before or outcome in (1, 3))
            after = (int(next_state[state, outcome]), memory)
            values[situation].add(float(p[after[0]]))
            if after not in seen:
                seen.append(after)
    if n_situations == 5:
        return [values[0], values[1] | values[5], values[2], values[3] | values[6], values[4]]
    return values


OUTSIDE = 0.1
"""Distance from the nearest strategy beyond which a state is called outside the catalogue."""

_N_ITER = 3000
_TOLERANCE = 1e-3
_ROWS = 1 << 14


@dataclass(frozen=True)
class Candidate:
    """A number of states and how well it fits.

    Attributes
    ----------
    n_states : int
    log_likelihood : float
        Conditional: of the own moves, given their situations.
    n_parameters : int
        K - 1 starts, K (K - 1) transitions, and K emissions for each situation that occurs.
    bic : float
        -2 log-likelihood + parameters * log(own moves); smaller is better.
    agreement : (found, followed)
        Of the starts that were followed to the end, those that reached this maximum.
    converged : bool
    """

    n_states: int
    log_likelihood: float
    n_parameters: int
    bic: float
    agreement: tuple[int, int]
    converged: bool


@dataclass(frozen=True)
class State:
    """A way of playing.

    Attributes
    ----------
    name : str, "1" for the state with the largest share of play
    share : float, of all moves
    start : float, of trajectories that begin in it
    p_cooperate, moves : tuple of float, by situation
        P(C), NaN where no move is expected; and the expected number of moves it is known from.
    next : tuple of float
        Probability of each state in the next round, this one included.
    nearest : tuple of Neighbour
    """

    name: str
    share: float
    start: float
    p_cooperate: tuple[float, ...]
    moves: tuple[float, ...]
    next: tuple[float, ...]
    nearest: tuple[Neighbour, ...]

    @property
    def outside(self) -> bool:
        """Whether no strategy of the catalogue plays like this, even with noise up to .2."""
        return not self.nearest or self.nearest[0].distance > OUTSIDE


@dataclass(frozen=True, eq=False)
class Discovery:
    """The states found, and the share of each trajectory's moves that was made in each of them.

    Attributes
    ----------
    situations : names, in the order of `State.p_cooperate`
    states : tuple of K `State`
    candidates : tuple of `Candidate`, by number of states
    n_moves : int
    shares : (n, K), NaN where a trajectory has no move that counts
    """

    situations: tuple[str, ...]
    states: tuple[State, ...]
    candidates: tuple[Candidate, ...]
    n_moves: int
    shares: NDArray[np.float64]


def discover_states(
    X: Trajectories,
    *,
    n_states: Sequence[int],
    n_symbols: int,
    n_starts: int,
    strategies: Sequence[Strategy],
    rng: np.random.Generator,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> Discovery:
    """Fit hidden Markov models to unlabelled play and describe the states of the one with the least BIC.

    Besides random starts, each number of states begins from the model of the number before with one state
    split in two.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    n_states : numbers of states to try, ascending by one
    n_symbols : 10 or 14, as `move_symbols`
    n_starts : int
        Random starts for each number of states.
    strategies : sequence of Strategy to compare the states with
    rng : numpy Generator
    update : called with (numbers of states done, in all)

    Raises
    ------
    RecogniserError
        No move that counts as evidence.
    """
    symbols = move_symbols(X, n_symbols)
    n_moves = int((symbols >= 0).sum())
    if not n_moves:
        raise RecogniserError("no own move in a known situation, nothing to discover")
    seen = len(np.unique(symbols[symbols >= 0] // 2))
    fits: list[Fit] = []
    candidates: list[Candidate] = []
    for done, (k, child) in enumerate(zip(n_states, rng.spawn(len(n_states)), strict=True)):
        update(done, len(n_states))
        fit = fit_hidden_markov(
            symbols,
            k,
            n_symbols=n_symbols,
            group=2,
            smoothing=0.0,
            n_starts=n_starts,
            n_iter=_N_ITER,
            tol=_TOLERANCE,
            rng=child,
            begin=split_states(fits[-1].model, 2, child) if fits else (),
        )
        fits.append(fit)
        d = k * k - 1 + k * seen
        bic = -2 * fit.log_likelihood + d * float(np.log(n_moves))
        candidates.append(Candidate(k, fit.log_likelihood, d, bic, fit.agreement, fit.converged))
    update(len(n_states), len(n_states))
    model = fits[int(np.argmin([round(c.bic, 6) for c in candidates]))].model
    shares = _shares(model, symbols)
    played = (symbols >= 0).sum(axis=1)
    occupied = np.nansum(shares * played[:, None], axis=0) / n_moves
    order = np.argsort(-occupied, kind="stable")
    model = HiddenMarkov(model.start[order], model.transition[np.ix_(order, order)], model.emission[order])
    states = _described(model, symbols, occupied[order], strategies)
    return Discovery(situations(n_symbols), states, tuple(candidates), n_moves, shares[:, order])


def _described(
    model: HiddenMarkov,
    symbols: NDArray[np.int8],
    shares: NDArray[np.float64],
    strategies: Sequence[Strategy],
) -> tuple[State, ...]:
    counts = expected_counts(model, symbols, np.ones(len(symbols))).emission
    moves = counts.reshape(model.n_states, -1, 2).sum(axis=2)
    states = []
    for k in range(model.n_states):
        p = np.where(moves[k] > 0, model.emission[k, ::2], np.nan)
        states.append(
            State(
                str(k + 1),
                float(shares[k]),
                float(model.start[k]),
                tuple(p.tolist()),
                tuple(moves[k].tolist()),
                tuple(model.transition[k].tolist()),
                nearest_strategies(p, moves[k], strategies),
            )
        )
    return tuple(states)


def _shares(model: HiddenMarkov, symbols: NDArray[np.int8]) -> NDArray[np.float64]:
    """(n, K), share of each trajectory's moves in each state."""
    out = np.empty((len(symbols), model.n_states))
    for first in range(0, len(symbols), _ROWS):
        part = symbols[first : first + _ROWS]
        known = (part >= 0)[:, :, None]
        total = (state_posterior(model, part) * known).sum(axis=1)
        with np.errstate(invalid="ignore"):
            out[first : first + _ROWS] = total / known.sum(axis=1)
    return out
