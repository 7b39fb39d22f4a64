"""One hidden Markov model per class, compared by the likelihood of the agent's own moves.

Hidden Markov models of an agent's moves: likelihood, posterior states and expected counts, vectorised.

A state z_t is drawn from pi first and from row z_{t-1} of A afterwards; in it the agent emits symbol x_t
with probability B[z_t, x_t]. Where a symbol is "this move in that situation" and B is a probability of the
move *given* the situation, the product is the conditional likelihood of the agent's own moves:

    P(a_1..a_T | situations) = sum_z pi(z_1) prod_t A(z_{t-1}, z_t) P(a_t | situation_t, z_t)

As the opponent reacts to moves and never to hidden states, its probabilities are a factor that all models
share. So this likelihood compares models whoever the opponent was; that of a joint B does not.

Fitting a hidden Markov model by expectation maximisation, from several random starts.

Repeat: expected starts, transitions and emissions under the model (E); the model whose tables are these
counts, plus `smoothing`, divided by their sums (M). Each step raises

    log P(play) + smoothing * (sum of the logarithms of all table entries),

which for smoothing 0 is the likelihood. Identical trajectories are counted once, with a weight.

References
----------
Rabiner 1989, Proceedings of the IEEE 77:257, equations 19-25, 27, 37 and 92 (scaling). Bengio & Frasconi
1995, NIPS 7:427 (emissions that depend on an input).
Baum, Petrie, Soules & Weiss 1970, Annals of Mathematical Statistics 41:164. Rabiner 1989, Proceedings of
the IEEE 77:257, equations 40 and 109.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import RecogniserError, UnknownNameError, shorten
from intent.logs.gamelog import Trajectories
from intent.recognise.bayes import normalise
from intent.recognise.encoding import move_symbols, situations
from intent.recognise.recogniser import (
    Files,
    Recogniser,
    as_trajectories,
    class_codes,
    read_classes,
    read_tensors,
)
from intent.strategies.catalogue import Strategy

__all__ = [
    "MOST_NOISE",
    "OUTSIDE",
    "Candidate",
    "Climb",
    "Discovery",
    "Expected",
    "Fit",
    "HiddenMarkov",
    "HmmRecogniser",
    "Neighbour",
    "State",
    "baum_welch",
    "discover_states",
    "expected_counts",
    "fit_hidden_markov",
    "log_likelihood",
    "nearest_strategies",
    "random_model",
    "situation_vector",
    "split_states",
    "state_posterior",
]

Floats = NDArray[np.float64]
Symbols = NDArray[np.int8]

_CHUNK = 1 << 11
"""Trajectories that are in memory at a time."""


@dataclass(frozen=True, eq=False)
class HiddenMarkov:
    """The tables of a model with K states and S symbols.

    Parameters
    ----------
    start : (K,), probability of the state of round 1
    transition : (K, K), rows sum to one
    emission : (K, S), probability of each symbol, or of its move given its situation
    """

    start: Floats
    transition: Floats
    emission: Floats

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.start)


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of the hidden states, given the play: the E step of `baum_welch`.

    Attributes
    ----------
    log_likelihood : float, of all trajectories
    start : (K,), trajectories that begin in each state
    transition : (K, K), moves from state to state while play lasts
    emission : (K, S), symbols emitted in each state
    """

    log_likelihood: float
    start: Floats
    transition: Floats
    emission: Floats


def log_likelihood(model: HiddenMarkov, symbols: Symbols) -> Floats:
    """Log-likelihood of each trajectory.

    Parameters
    ----------
    model : HiddenMarkov
    symbols : (n, T) int8
        -1 where there is no evidence: the state moves on, and nothing is multiplied.

    Returns
    -------
    (n,), -inf where the model rules the play out
    """
    out = np.empty(len(symbols))
    for rows in _chunks(len(symbols)):
        with np.errstate(divide="ignore"):
            out[rows] = np.log(_forward(model, _emitted(model, symbols[rows]))[1]).sum(axis=0)
    return out


def state_posterior(model: HiddenMarkov, symbols: Symbols) -> Floats:
    """Probability (n, T, K) of the state in each round, given the whole trajectory."""
    out = np.empty((*symbols.shape, model.n_states))
    for rows in _chunks(len(symbols)):
        emitted = _emitted(model, symbols[rows])
        alpha, norm = _forward(model, emitted)
        out[rows] = (alpha * _backward(model, emitted, norm)).transpose(1, 0, 2)
    return out


def expected_counts(model: HiddenMarkov, symbols: Symbols, weights: Floats) -> Expected:
    """Expected starts, transitions and emissions.

    Parameters
    ----------
    model : HiddenMarkov
    symbols : (n, T) int8, -1 where there is no evidence
    weights : (n,)
        How often each trajectory occurs.
    """
    k, s = model.emission.shape
    total, start, transition, emission = 0.0, np.zeros(k), np.zeros((k, k)), np.zeros((k, s))
    for rows in _chunks(len(symbols)):
        part, weight = symbols[rows], weights[rows]
        emitted = _emitted(model, part)
        alpha, norm = _forward(model, emitted)
        beta = _backward(model, emitted, norm)
        with np.errstate(divide="ignore"):
            total += float(np.log(norm).sum(axis=0) @ weight)
        gamma = alpha * beta * weight[:, None]
        start += gamma[0].sum(axis=0)
        ahead = emitted[1:] * beta[1:] * (weight * _played(part)[1:] / norm[1:])[:, :, None]
        transition += alpha[:-1].reshape(-1, k).T @ ahead.reshape(-1, k)
        place = part.T.ravel() + 1
        flat = gamma.reshape(-1, k)
        for state in range(k):
            emission[state] += np.bincount(place, weights=flat[:, state], minlength=s + 1)[1:]
    return Expected(total, start, transition * model.transition, emission)


def _chunks(n: int) -> Iterator[slice]:
    for first in range(0, n, _CHUNK):
        yield slice(first, min(first + _CHUNK, n))


def _emitted(model: HiddenMarkov, symbols: Symbols) -> Floats:
    """(T, n, K), probability of what was emitted in each state; 1 where there is no evidence."""
    table = np.concatenate([model.emission, np.ones((model.n_states, 1))], axis=1).T
    emitted: Floats = np.ascontiguousarray(table)[symbols.T]
    return emitted


def _forward(model: HiddenMarkov, emitted: Floats) -> tuple[Floats, Floats]:
    """P(state | play so far), (T, n, K), and P(symbol | play before), (T, n)."""
    alpha, norm = np.empty_like(emitted), np.empty(emitted.shape[:2])
    for t in range(len(emitted)):
        np.multiply(model.start if t == 0 else alpha[t - 1] @ model.transition, emitted[t], out=alpha[t])
        norm[t] = alpha[t].sum(axis=1)
        alpha[t] /= np.where(norm[t] > 0, norm[t], 1.0)[:, None]
    return alpha, norm


def _backward(model: HiddenMarkov, emitted: Floats, norm: Floats) -> Floats:
    """(T, n, K), the factor that later play puts on each state."""
    beta = np.ones_like(emitted)
    for t in range(len(emitted) - 2, -1, -1):
        ahead = emitted[t + 1] * beta[t + 1]
        ahead /= np.where(norm[t + 1] > 0, norm[t + 1], 1.0)[:, None]
        beta[t] = ahead @ model.transition.T
    return beta


def _played(symbols: Symbols) -> NDArray[np.bool_]:
    """(T, n), whether evidence comes in this round or later."""
    known = (symbols >= 0).T
    lasts: NDArray[np.bool_] = np.logical_or.accumulate(known[::-1], axis=0)[::-1]
    return lasts


_SHORT = 30
"""Iterations after which the more promising half of the starts goes on, for twice as many."""

_FOLLOWED = 3
"""Starts that are followed to the end."""

_SAME = 0.5
"""Starts whose log-likelihoods differ by less found the same maximum."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model and how it was found.

    Attributes
    ----------
    model : HiddenMarkov
    log_likelihood : float, of all trajectories
    path : (iterations,), what EM raises, before each step and after the last
    converged : bool
        Whether the last step gained less than the tolerance.
    agreement : (found, tried)
        Of the starts that were followed to the end, those that reached this maximum (within .5).
    """

    model: HiddenMarkov
    log_likelihood: float
    path: Floats
    converged: bool
    agreement: tuple[int, int] = (1, 1)


@dataclass(frozen=True)
class Climb:
    """How EM climbs.

    Parameters
    ----------
    group : int
        So many symbols in a row share a situation, and their probabilities sum to one: 2 for the
        conditional likelihood of C and D in each situation, all of them for the joint one.
    smoothing : float
        Added to every expected count.
    n_iter : int, most iterations
    tol : float
        EM stops when a step gains less than this (in nats, over all trajectories).
    """

    group: int
    smoothing: float
    n_iter: int
    tol: float


def fit_hidden_markov(
    symbols: Symbols,
    n_states: int,
    climb: Climb,
    *,
    n_symbols: int,
    n_starts: int,
    rng: np.random.Generator,
    begin: Sequence[HiddenMarkov] = (),
) -> Fit:
    """The best of several starts of `baum_welch`.

    All starts run for 30 iterations, the better half for another 60, and so on; the last three run to the
    end.

    Parameters
    ----------
    symbols : (n, T) int8, -1 where there is no evidence
    n_states : int
    climb : Climb
    n_symbols, n_starts : int
    rng : numpy Generator
    begin : models of `n_states` states
        Further starts, beside the random ones.
    """
    rows, counts = np.unique(symbols, axis=0, return_counts=True)
    weights = counts.astype(float)

    def run(model: HiddenMarkov, steps: int) -> Fit:
        return baum_welch(model, rows, weights, replace(climb, n_iter=steps))

    starts = [
        random_model(n_states, n_symbols, climb.group, rng) for _ in range(n_starts if n_states > 1 else 1)
    ]
    steps, rest = min(climb.n_iter, _SHORT), climb.n_iter
    pool = [run(model, steps) for model in (*starts, *begin)]
    while (rest := rest - steps) > 0:
        pool.sort(key=lambda fit: -fit.path[-1])
        pool = pool[: max(_FOLLOWED, len(pool) // 2)]
        steps = rest if len(pool) <= _FOLLOWED else min(rest, 2 * steps)
        pool = [fit if fit.converged else run(fit.model, steps) for fit in pool]
    best = max(pool, key=lambda fit: fit.path[-1])
    n_alike = sum(bool(fit.path[-1] > best.path[-1] - _SAME) for fit in pool)
    return Fit(best.model, best.log_likelihood, best.path, best.converged, (n_alike, len(pool)))


def baum_welch(
    model: HiddenMarkov,
    symbols: Symbols,
    weights: Floats,
    climb: Climb,
) -> Fit:
    """EM from one start.

    Parameters
    ----------
    model : HiddenMarkov to begin with
    symbols : (n, T) int8, -1 where there is no evidence
    weights : (n,), how often each trajectory occurs
    """
    smoothing = climb.smoothing
    expected = expected_counts(model, symbols, weights)
    path = [expected.log_likelihood + smoothing * _log_entries(model, smoothing)]
    converged = False
    for _ in range(climb.n_iter):
        model = _maximised(expected, climb.group, smoothing)
        expected = expected_counts(model, symbols, weights)
        path.append(expected.log_likelihood + smoothing * _log_entries(model, smoothing))
        if path[-1] - path[-2] < climb.tol:
            converged = True
            break
    return Fit(model, expected.log_likelihood, np.array(path), converged)


def random_model(n_states: int, n_symbols: int, group: int, rng: np.random.Generator) -> HiddenMarkov:
    """A model to begin with: emissions at random, states that last for two to twenty rounds or so."""
    stay = rng.uniform(0.5, 0.95)
    transition = stay * np.eye(n_states) + (1 - stay) * rng.dirichlet(np.ones(n_states), size=n_states)
    emission = rng.dirichlet(np.ones(group), size=(n_states, n_symbols // group))
    return HiddenMarkov(
        rng.dirichlet(np.full(n_states, 5.0)), transition, emission.reshape(n_states, n_symbols)
    )


def split_states(model: HiddenMarkov, group: int, rng: np.random.Generator) -> list[HiddenMarkov]:
    """Models of one state more: each state in turn halved, the halves made to differ."""
    k, s = model.emission.shape
    models = []
    for state in range(k):
        origin, halves = np.array([*range(k), state]), np.ones(k + 1)
        halves[[state, k]] = 0.5
        emission = model.emission[origin].reshape(k + 1, s // group, group)
        emission[[state, k]] += rng.uniform(0.0, 0.3, size=(2, s // group, group))
        models.append(
            HiddenMarkov(
                model.start[origin] * halves,
                model.transition[np.ix_(origin, origin)] * halves,
                _shares(emission, 0.0).reshape(k + 1, s),
            )
        )
    return models


def _maximised(expected: Expected, group: int, smoothing: float) -> HiddenMarkov:
    k, s = expected.emission.shape
    emission = _shares(expected.emission.reshape(k, s // group, group), smoothing).reshape(k, s)
    return HiddenMarkov(_shares(expected.start, smoothing), _shares(expected.transition, smoothing), emission)


def _shares(counts: NDArray[np.float64], smoothing: float) -> Floats:
    """Counts plus smoothing over their sum along the last axis; equal shares where nothing was counted."""
    raised = counts + smoothing
    total = raised.sum(axis=-1, keepdims=True)
    empty = np.full_like(raised, 1 / counts.shape[-1])
    shares: Floats = np.divide(raised, total, out=empty, where=total > 0)
    return shares


def _log_entries(model: HiddenMarkov, smoothing: float) -> float:
    """Sum of the logarithms of all table entries; 0 where nothing is smoothed, as some may be zero."""
    if not smoothing:
        return 0.0
    with np.errstate(divide="ignore"):
        return float(sum(np.log(part).sum() for part in (model.start, model.transition, model.emission)))


_LIKELIHOODS = ("conditional", "joint")
_MOST_STATES = 100
_TOLERANCE = 1e-3
_FILE = "tables.safetensors"


class HmmRecogniser(Recogniser):
    """A categorical hidden Markov model of the play of each class.

    The symbol of a round is the own move with the outcome of the round before. With one state and the
    conditional likelihood this is a memory-one strategy with its own noise in each situation, estimated
    from counts. Classes have equal prior weight.

    Parameters
    ----------
    n_states : int
        Hidden states per class.
    symbols : 10 or 14
        Moves after {nothing, R, S, T, P}, or R and T also apart by whether the other had defected earlier
        (which tells GRUDGER from TFT).
    likelihood : {"conditional", "joint"}
        P(own moves | situations), which does not depend on who the opponent was, or P(moves and
        situations), which does: it is the plain categorical model, for comparison.
    smoothing : float >= 0
        Added to every expected count.
    n_starts : int
        Random starts per class, where there is more than one state.
    n_iter : int
        Most iterations of EM.
    random_state : int, optional

    Attributes
    ----------
    classes_ : (C,) names
    models_ : tuple of C `HiddenMarkov`
    """

    kind: ClassVar[str] = "hmm"

    def __init__(
        self,
        *,
        n_states: int = 1,
        symbols: int = 10,
        likelihood: str = "conditional",
        smoothing: float = 1.0,
        n_starts: int = 4,
        n_iter: int = 200,
        random_state: int | None = None,
    ) -> None:
        self.n_states = n_states
        self.symbols = symbols
        self.likelihood = likelihood
        self.smoothing = smoothing
        self.n_starts = n_starts
        self.n_iter = n_iter
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Fit the model of each class to the trajectories of that class.

        Raises
        ------
        RecogniserError
            No classes, fewer than two, or not one for each trajectory; a parameter out of range.
        UnknownNameError
            No such likelihood.
        """
        climb = Climb(self._group(), self.smoothing, self.n_iter, _TOLERANCE)
        X = as_trajectories(X)
        self.classes_, codes = class_codes(y, len(X), type(self).__name__)
        moves = move_symbols(X, self.symbols)
        rng = np.random.default_rng(self.random_state)
        self.models_ = tuple(
            fit_hidden_markov(
                moves[codes == k],
                self.n_states,
                climb,
                n_symbols=self.symbols,
                n_starts=self.n_starts,
                rng=child,
            ).model
            for k, child in enumerate(rng.spawn(len(self.classes_)))
        )
        return self

    def log_likelihood(self, X: Any) -> NDArray[np.float64]:
        """Log-likelihood (n, C) of each trajectory under the model of each class."""
        self._fitted()
        moves = move_symbols(as_trajectories(X), self.symbols)
        return np.stack([log_likelihood(model, moves) for model in self.models_], axis=1)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Posterior (n, C) by Bayes' rule; equal shares where every class rules the play out."""
        self._fitted()
        k = len(self.classes_)
        return normalise(self.log_likelihood(X), np.full(k, 1 / k))

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Start (C, K), transition (C, K, K) and emission (C, K, S) as safetensors."""
        from safetensors.numpy import save

        self._fitted()
        tensors = {name: np.stack([getattr(m, name) for m in self.models_]) for name in self._shapes()}
        return {"classes": self.classes_.tolist()}, {_FILE: save(tensors)}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore from safetensors, every table checked.

        Raises
        ------
        RecogniserError
            The tables are no models of these classes, states and symbols.
        """
        group = self._group()
        classes = read_classes(state["classes"])
        tensors = read_tensors(files[_FILE], self._shapes(len(classes)), _FILE)
        for name, table in tensors.items():
            if not _are_probabilities(table, group if name == "emission" else self.n_states):
                raise RecogniserError(f"{_FILE}: {name} holds other numbers, expected probabilities")
        parts = zip(*tensors.values(), strict=True)
        self.models_ = tuple(HiddenMarkov(*tables) for tables in parts)
        self.classes_ = classes
        return self

    def _shapes(self, n_classes: int = 0) -> dict[str, tuple[int, ...]]:
        k = self.n_states
        return {
            "start": (n_classes, k),
            "transition": (n_classes, k, k),
            "emission": (n_classes, k, self.symbols),
        }

    def _group(self) -> int:
        """How many symbols share a distribution; refuses parameters that make no model."""
        situations(self.symbols)
        for name, most in (("n_states", _MOST_STATES), ("n_starts", 10_000), ("n_iter", 1_000_000)):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 1 <= value <= most:
                raise RecogniserError(f"{name} is {shorten(repr(value))}, expected 1 to {most:,}")
        if not isinstance(self.smoothing, int | float | np.floating) or not 0 <= self.smoothing < np.inf:
            raise RecogniserError(f"smoothing is {shorten(repr(self.smoothing))}, expected a number >= 0")
        if self.likelihood not in _LIKELIHOODS:
            raise UnknownNameError("likelihood", str(self.likelihood), _LIKELIHOODS)
        return 2 if self.likelihood == "conditional" else self.symbols


def _are_probabilities(table: NDArray[Any], width: int) -> bool:
    """Whether numbers along the last axis are, in groups of `width`, distributions."""
    sums = table.reshape(-1, width).sum(axis=1)
    return bool((table >= 0).all() and np.allclose(sums, 1, rtol=0, atol=1e-6))


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
    reached = [(s.start, 0)]
    for state, before in reached:
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
            if after not in reached:
                reached.append(after)
    if n_situations == 5:
        return [values[0], values[1] | values[5], values[2], values[3] | values[6], values[4]]
    return values


OUTSIDE = 0.1
"""Distance from the nearest strategy beyond which a state is called outside the catalogue."""

_N_ITER = 3000
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
    n_situations = len(np.unique(symbols[symbols >= 0] // 2))
    fits: list[Fit] = []
    candidates: list[Candidate] = []
    for done, (k, child) in enumerate(zip(n_states, rng.spawn(len(n_states)), strict=True)):
        update(done, len(n_states))
        fit = fit_hidden_markov(
            symbols,
            k,
            Climb(group=2, smoothing=0.0, n_iter=_N_ITER, tol=_TOLERANCE),
            n_symbols=n_symbols,
            n_starts=n_starts,
            rng=child,
            begin=split_states(fits[-1].model, 2, child) if fits else (),
        )
        fits.append(fit)
        d = k * k - 1 + k * n_situations
        bic = -2 * fit.log_likelihood + d * float(np.log(n_moves))
        candidates.append(Candidate(k, fit.log_likelihood, d, bic, fit.agreement, fit.converged))
    update(len(n_states), len(n_states))
    model = fits[int(np.argmin([round(c.bic, 6) for c in candidates]))].model
    shares = _state_shares(model, symbols)
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


def _state_shares(model: HiddenMarkov, symbols: NDArray[np.int8]) -> NDArray[np.float64]:
    """(n, K), share of each trajectory's moves in each state."""
    out = np.empty((len(symbols), model.n_states))
    for first in range(0, len(symbols), _ROWS):
        part = symbols[first : first + _ROWS]
        known = (part >= 0)[:, :, None]
        total = (state_posterior(model, part) * known).sum(axis=1)
        with np.errstate(invalid="ignore"):
            out[first : first + _ROWS] = total / known.sum(axis=1)
    return out
