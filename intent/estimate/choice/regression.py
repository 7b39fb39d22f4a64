"""Multinomial logit of the next move on the past and the covariates.

The log odds of each action against the first are linear in the features of the past (`features.Past`), the
round and the covariates; with two actions, a binary logit. Of the rows of moves the distinct ones are
counted, and with n_da moves of action a in row d the estimate minimises

    - sum_d sum_a n_da log p_da + 1/2 sum_j r_j b_j' M b_j,   M = 2 (I - 1 1' / A),

which is r_j b_j^2 with two actions, and treats all actions alike with more. The ridges r_j, one for each kind
of columns, are those with the least log loss L on subjects that are held out of the training part: all are
moved at once, by the sign of dL / d log r_j = - r_j (dL / db)' H^-1 (M b)_j, H the second derivative above.

References
----------
McFadden (1974), in Zarembka (ed.), Frontiers in Econometrics, 105 (conditional logit). Hoerl & Kennard
(1970), Technometrics 12:55 (ridge). Bengio (2000), Neural Computation 12:1889 (slopes by
hyperparameters). Liang & Zeger (1986), Biometrika 73:13 (errors by subject).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from intent.base.errors import DataError, UsageError
from intent.estimate.choice.ahead import Ahead
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.features import (
    Coding,
    Past,
    bounded_play,
    check_columns,
    check_two_actions,
    codes_of,
    contexts,
    drawn_subjects,
)
from intent.estimate.choice.model import Acts, ChoiceModel, Parameter
from intent.recognise.recogniser import Files

__all__ = ["Curvature", "Logit", "Problem", "held_out_loss", "minimised", "penalty_matrix"]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Moves = NDArray[np.int8]

_MOST_ROUNDS = 30
_MOST_ERRORS = 1200
_HEAVY, _MOST_HEAVY = 120, 1 << 23
"""Columns with most entries, and numbers in them, that precondition the rest of the solution."""

_HELD_OUT = 0.25
_FEWEST_SUBJECTS = 8
_STEP = 4.0
"""Factor of a ridge that is one step of the search."""
_GAIN = 2e-5
_MOST_TRIED, _LEAST_WIDTH = 12, 0.5
_LARGE = 12.0
"""Log odds beyond which a column separates."""

START = {
    "past": 0.5,
    "round": 2.0,
    "covariate": 1.0,
    "player": 4.0,
    "covariate x context": 2.0,
    "covariate x round": 8.0,
    "pair x context": 8.0,
    "pair x round": 16.0,
    "setting x context": 8.0,
    "setting x round": 16.0,
}
"""Ridge of each kind of columns from which the search sets out."""


class Problem(NamedTuple):
    """Distinct rows of moves.

    Parameters
    ----------
    X : (D, p) sparse, the features of each row
    counts : (D, A), moves of each action
    ridge : (p,)
    """

    X: Any
    counts: Floats
    ridge: Floats


def penalty_matrix(a: int) -> Floats:
    """(A - 1, A - 1): M of the module's equation."""
    return 2 * (np.eye(a - 1) - 1 / a)


def _proba(eta: Floats) -> Floats:
    """(D, A - 1) log odds against the first action -> (D, A)."""
    full = np.concatenate([np.zeros((len(eta), 1)), eta], axis=1)
    full -= full.max(axis=1, keepdims=True)
    np.exp(full, out=full)
    full /= full.sum(axis=1, keepdims=True)
    return full


def objective(problem: Problem, beta: Floats) -> tuple[float, Floats, Floats]:
    """Value and gradient (p, A - 1) at some coefficients, and the probabilities (D, A) there."""
    X, counts, ridge = problem
    p = _proba(X @ beta)
    pull = ridge[:, None] * (beta @ penalty_matrix(counts.shape[1]))
    value = -float((counts * np.log(np.maximum(p, 1e-300))).sum()) + 0.5 * float((pull * beta).sum())
    gradient = X.T @ (counts.sum(1, keepdims=True) * p - counts)[:, 1:] + pull
    return value, gradient, p


def minimised(
    problem: Problem,
    start: Floats | None = None,
    *,
    tolerance: float = 1e-7,
    steps: int = 60,
    curve: Curvature | None = None,
) -> tuple[Floats, bool]:
    """Coefficients (p, A - 1) by Newton's method with conjugate gradients, and whether it converged.

    Parameters
    ----------
    problem : Problem
    start : (p, A - 1), optional
    tolerance : float
        Of the gradient, per move.
    curve : Curvature, optional
        Of the problem, where it is there already.
    """
    curve = Curvature.of(problem) if curve is None else curve
    counts = problem.counts
    beta = np.zeros((problem.X.shape[1], counts.shape[1] - 1)) if start is None else start.copy()
    value, gradient, p = objective(problem, beta)
    goal = tolerance * float(counts.sum())
    for _ in range(steps):
        size = float(np.abs(gradient).max(initial=0))
        if size <= goal:
            return beta, True
        step = curve.solved(p, -gradient, min(0.1, (size / float(counts.sum())) ** 0.5))
        slope = float((gradient * step).sum())
        length = 1.0
        while True:
            tried = beta + length * step
            new, new_gradient, new_p = objective(problem, tried)
            if new <= value + 1e-4 * length * slope or length < 1e-6:
                break
            length /= 2
        if length < 1e-6:  # rounding hides any further gain
            return beta, size <= 100 * goal
        beta, value, gradient, p = tried, new, new_gradient, new_p
    return beta, float(np.abs(gradient).max(initial=0)) <= goal


class Curvature(NamedTuple):
    """The second derivative of a problem, by products alone.

    Parameters
    ----------
    problem : Problem
    transposed, squares : (p, D) sparse
    heavy : columns with most entries; some : rows from which their block is made
    dense : the entries of both
    """

    problem: Problem
    transposed: Any
    squares: Any
    heavy: Codes
    some: Codes
    dense: Floats

    @classmethod
    def of(cls, problem: Problem) -> Curvature:
        X = problem.X
        heavy = np.argsort(-np.diff(X.tocsc().indptr), kind="stable")[:_HEAVY]
        some = np.arange(0, X.shape[0], 1 + X.shape[0] * len(heavy) // _MOST_HEAVY)
        dense = X[some][:, heavy].toarray()
        return cls(problem, X.T.tocsr(), X.multiply(X).T.tocsr(), heavy, some, dense)

    def of_ridge(self, ridge: Floats) -> Curvature:
        """The same with another ridge (p,)."""
        return self._replace(problem=self.problem._replace(ridge=ridge))

    def solved(self, p: Floats, right: Floats, tolerance: float) -> Floats:
        """H^-1 right (p, A - 1) where the probabilities are p (D, A), to a relative tolerance."""
        (X, counts, ridge), heavy, some = self.problem, self.heavy, self.some
        n, M = counts.sum(1, keepdims=True), penalty_matrix(counts.shape[1])
        q = p[:, 1:]
        weight = n * q
        diagonal = self.squares @ (weight * (1 - q)) + ridge[:, None] * np.diag(M) + 1e-10
        blocks = []
        for k in range(q.shape[1]):
            bend = (weight * (1 - q))[some, k] * (X.shape[0] / len(some))
            block = self.dense.T @ (bend[:, None] * self.dense)
            block[np.diag_indices_from(block)] = diagonal[heavy, k]
            blocks.append(_factor(block))

        def near(v: Floats) -> Floats:
            out: Floats = v / diagonal
            for k, factor in enumerate(blocks):
                if factor is not None:
                    out[heavy, k] = cho_solve(factor, v[heavy, k])
            return out

        def curvature(v: Floats) -> Floats:
            moved = X @ v
            result: Floats = self.transposed @ (weight * (moved - (q * moved).sum(1, keepdims=True)))
            out: Floats = result + ridge[:, None] * (v @ M)
            return out

        return _conjugate(curvature, right, near, tolerance)


def held_out_loss(
    curve: Curvature,
    out: Problem,
    groups: Sequence[NDArray[np.bool_]],
    start: Floats | None = None,
    *,
    tolerance: float = 1e-4,
    relative: float = 0.1,
) -> tuple[float, Floats, Floats]:
    """Log loss on moves that are left out, and its slopes by the logarithms of ridges.

    Parameters
    ----------
    curve : Curvature, of the problem that is fitted
    out : Problem, what is left out; its ridge is not looked at
    groups : (p,) bool, the columns of each ridge
    start : (p, A - 1), optional
    tolerance : float, of the estimate; relative : float, of what slopes are made of

    Returns
    -------
    loss : float, nats per move; slopes : (groups,); beta : (p, A - 1)
    """
    problem = curve.problem
    beta, _ = minimised(problem, start, tolerance=tolerance, curve=curve)
    p, total = _proba(out.X @ beta), float(out.counts.sum())
    loss = -float((out.counts * np.log(np.maximum(p, 1e-9))).sum()) / total
    pull = out.X.T @ (out.counts.sum(1, keepdims=True) * p - out.counts)[:, 1:] / total
    bent = curve.solved(_proba(problem.X @ beta), pull, relative)
    M = penalty_matrix(out.counts.shape[1])
    each = -(bent * (problem.ridge[:, None] * (beta @ M))).sum(1)
    return loss, np.array([each[group].sum() for group in groups]), beta


def _factor(block: Floats) -> Any:
    """Cholesky factor, None where rounding leaves none."""
    try:
        return cho_factor(block)
    except LinAlgError:
        return None


def _conjugate(curvature: Any, right: Floats, near: Any, tolerance: float) -> Floats:
    """Solution of curvature(x) = right by conjugate gradients, preconditioned by the inverse `near`."""
    x = np.zeros_like(right)
    rest = right.copy()
    scaled = near(rest)
    direction = scaled.copy()
    product = float((rest * scaled).sum())
    goal = tolerance * float(np.sqrt((right**2).sum()))
    for _ in range(250):
        bent = curvature(direction)
        length = product / float((direction * bent).sum())
        x += length * direction
        rest -= length * bent
        if float(np.sqrt((rest**2).sum())) <= goal:
            break
        scaled = near(rest)
        new = float((rest * scaled).sum())
        direction = scaled + (new / product) * direction
        product = new
    return x


@dataclass(frozen=True, eq=False)
class _Moves:
    """Distinct rows of moves: what is before each, and how often each action follows.

    Attributes
    ----------
    past : (D, f) float32, features that are free
    at, context : (D,), round from 0 and what happened in the round before
    row : (D,), a row of the choices that it is of
    counts : (D, A)
    place : (N,), distinct row of every counted move
    """

    past: NDArray[np.float32]
    at: Codes
    context: Codes
    row: Codes
    counts: Floats
    place: Codes

    @classmethod
    def of(cls, X: Choices, like: Codes) -> _Moves:
        """The counted moves; rows of choices with the same number in `like` (n,) differ in play alone."""
        past = Past.of(X)
        context, _ = contexts(X)
        weights = np.random.default_rng(0).integers(1, 1 << 63, len(past.free) + 2, dtype=np.uint64)
        weights |= np.uint64(1)
        parts: list[tuple[Any, ...]] = []
        for part in past.chunks():
            counted = X.counted[part]
            row, at = np.nonzero(counted)
            values = np.ascontiguousarray(past.rows(part)[counted][:, past.free])
            row = row + part.start
            key = like[row].astype(np.uint64) * weights[-1] + at.astype(np.uint64) * weights[-2]
            key += values.view(np.uint32).astype(np.uint64) @ weights[:-2]
            parts.append((key, values, at, context[row, at].astype(np.intp), row, X.chosen[row, at]))
        key, values, at, before, row, chosen = (np.concatenate(each) for each in zip(*parts, strict=True))
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        counts = np.zeros((len(first), X.n_actions))
        np.add.at(counts, (place, chosen.astype(np.intp)), 1)
        return cls(values[first], at[first], before[first], row[first], counts, place)


@dataclass(frozen=True, eq=False)
class _Columns:
    """Which columns a logit has, and how rows of moves become them."""

    coding: Coding
    settings: Mapping[tuple[str, ...], int]
    players: Mapping[tuple[str, ...], int]
    rounds: int
    crossed: bool

    def names(self, past: Past) -> list[tuple[str, str, str]]:
        """Kind, feature, and the setting that it is of, for every column."""
        context = [c if c in ("first", "unknown") else f"after {c}" for c in contexts(past.choices[:0])[1]]
        rounds = [f"round {r + 1}" for r in range(self.rounds)]
        whole = [" ".join(setting) for setting in self.settings]
        levels = self.coding.names
        pairs = [f"{one} {two}" for left, right in self._pairs() for one in left for two in right]
        names = [("intercept", "intercept", "")]
        names += [("past", past.names[i], "") for i in past.free]
        names += [("round", r, "") for r in rounds[2:]]
        names += [("covariate", "intercept", level) for level in levels]
        names += [("player", "intercept", player[0]) for player in self.players]
        if self.crossed:
            for kind, of in (("covariate", levels), ("pair", pairs), ("setting", whole)):
                names += [(f"{kind} x context", c, each) for each in of for c in context]
                names += [(f"{kind} x round", r, each) for each in of for r in rounds]
        return names

    def _pairs(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Names of the columns of every two covariates; of one or two covariates the whole says it."""
        own = [self.coding.of(column) for column in self.coding.columns]
        return list(combinations(own, 2)) if len(own) > 2 else []

    def facts(self, X: Choices) -> _Facts:
        """What `matrix` asks of the rows of some choices."""
        return _Facts(
            len(contexts(X[:0])[1]),
            tuple(_by_covariate(self.coding, X)),
            codes_of(_players(X), self.players),
            codes_of(self.coding.settings(X), self.settings) if self.crossed else np.zeros(0, dtype=np.intp),
        )

    def matrix(self, past: NDArray[np.float32], at: Codes, context: Codes, facts: _Facts, row: Codes) -> Any:
        """(D, p) sparse of D moves: their free features, rounds, contexts and rows of the choices."""
        d, k, single = len(past), facts.contexts, facts.single
        at = np.minimum(at, self.rounds - 1)
        blocks = [
            sparse.csr_matrix(np.ones((d, 1))),
            sparse.csr_matrix(past.astype(np.float64)),
            _Coded(np.where(at >= 2, at - 2, -1), None, max(0, self.rounds - 2)).matrix(),
            *(each.rows(row).matrix() for each in single),
            _Coded(facts.player[row], None, len(self.players)).matrix(),
        ]
        if self.crossed:
            pairs = [a.times(b) for a, b in combinations(single, 2)] if len(single) > 2 else []
            whole = _Coded(facts.setting, None, len(self.settings))
            for terms in ((*single,), pairs, (whole,)):
                for codes, size in ((context, k), (at, self.rounds)):
                    by = _Coded(codes, None, size)
                    blocks += [each.rows(row).times(by).matrix() for each in terms]
        return sparse.hstack(blocks, format="csr")


class _Coded(NamedTuple):
    """A factor: at most one column of each row is not 0.

    Parameters
    ----------
    codes : (n,), that column, -1 for none
    values : (n,), what it is; None for 1
    size : int, columns
    """

    codes: Codes
    values: Floats | None
    size: int

    def rows(self, row: Codes) -> _Coded:
        return _Coded(self.codes[row], None if self.values is None else self.values[row], self.size)

    def times(self, other: _Coded) -> _Coded:
        """The interaction, columns of `other` within those of this."""
        codes = self.codes * other.size + other.codes
        values = self.values if other.values is None else other.values
        if self.values is not None and other.values is not None:
            values = self.values * other.values
        inside = (self.codes >= 0) & (other.codes >= 0)
        return _Coded(np.where(inside, codes, -1), values, self.size * other.size)

    def matrix(self) -> Any:
        """(n, size) sparse."""
        inside = self.codes >= 0
        start = np.concatenate([[0], np.cumsum(inside)])
        values = np.ones(int(inside.sum())) if self.values is None else self.values[inside]
        return sparse.csr_matrix((values, self.codes[inside], start), shape=(len(self.codes), self.size))


class _Facts(NamedTuple):
    """What does not change while a game is played.

    Parameters
    ----------
    contexts : int, what may have happened in the round before a move
    single : covariates of the n rows as factors
    player : (n,), setting : (n,), columns of the rows' players and settings, -1 for none
    """

    contexts: int
    single: tuple[_Coded, ...]
    player: Codes
    setting: Codes

    def rows(self, row: Codes) -> _Facts:
        single = tuple(each.rows(row) for each in self.single)
        setting = self.setting[row] if len(self.setting) else self.setting
        return _Facts(self.contexts, single, self.player[row], setting)


class _Ahead:
    """The next moves of a logit, for which what earlier games say is made once a game."""

    def __init__(self, model: Logit, X: Choices) -> None:
        self._model, self._facts = model, model.columns_.facts(X)
        self._X = replace(X, covariates=None, keys=None)
        self._moves = (X.own.copy(), X.other.copy())
        self._begun = np.zeros(len(X), dtype=bool)

    def begin(self, rows: Codes) -> None:
        X, (own, other) = self._X, self._moves
        self._rows, self._round = rows, 0
        self._begun[rows] = True
        near = np.flatnonzero(self._begun & np.isin(X.subject, X.subject[rows]))
        past = Past.of(replace(X[near], own=own[near], other=other[near], chosen=own[near]))
        at = np.searchsorted(near, rows)
        self._past, self._now = past.game(at, own[rows], other[rows]), self._facts.rows(rows)

    def next_move(self) -> Floats:
        """Probability of every action in the round that is next, (m, A)."""
        own, other = (moves[self._rows, : self._round + 1] for moves in self._moves)
        every = np.arange(len(self._rows))
        return self._model._probabilities(self._past.game(every, own, other), self._now, last=True)[:, 0]

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        """What was played in it."""
        for moves, new in zip(self._moves, (own, other), strict=True):
            moves[self._rows, self._round] = new
        self._round += 1


def _by_covariate(coding: Coding, X: Choices) -> list[_Coded]:
    """Every covariate of the rows as a factor: its level, or its number."""
    code, parts, start = coding.code(X), [], 0
    for column in coding.columns:
        size = len(coding.of(column))
        block = code[:, start : start + size]
        if column in coding.levels:
            met = block.any(axis=1)
            parts.append(_Coded(np.where(met, block.argmax(axis=1) if size else 0, -1), None, size))
        else:
            parts.append(_Coded(np.zeros(len(X), dtype=np.intp), block[:, 0], 1))
        start += size
    return parts


def _players(X: Choices) -> list[tuple[str, ...]]:
    """Names of the players of the rows, empty where nobody is named."""
    if X.keys is None or "player" not in X.keys:
        return [()] * len(X)
    return [(str(name),) if isinstance(name, str) else () for name in X.keys["player"]]


class Logit(ChoiceModel):
    """Multinomial logit on the past, the round and the covariates.

    Parameters
    ----------
    settings : bool
        Whether each covariate, and each combination of them, has its own response to the last round and its
        own rounds, shrunk towards that of all.
    players : bool
        An intercept for each player by name, shrunk to zero; a player that was not met has zero. They help
        where the same players are predicted later, and take from what the past tells of new ones.
    ridges : mapping of kinds of columns to numbers, optional
        Of `START`. By default chosen on subjects that are held out of the training part.
    acts : "response" or "both"
        What covariates act on; a regression has no types, and so no membership.
    most_moves : int
        Learn from at most as many moves, of subjects drawn at random.
    random_state : int, optional

    Attributes
    ----------
    beta_ : (p, A - 1), log odds against the first action
    errors_ : (p, A - 1), standard errors by subject (sandwich); NaN where there are too many columns
    names_ : p of (kind, feature, setting)
    ridges_ : dict of kinds to ridges
    """

    any_actions = True
    uses_covariates = True

    def __init__(
        self,
        *,
        settings: bool = False,
        players: bool = False,
        ridges: Mapping[str, float] | None = None,
        acts: Acts = "response",
        most_moves: int = 1_000_000,
        random_state: int | None = 0,
    ) -> None:
        self.settings = settings
        self.players = players
        self.ridges = ridges
        self.acts = acts
        self.most_moves = most_moves
        self.random_state = random_state

    def _estimate(self, X: Choices) -> None:
        if self.acts == "membership":
            raise UsageError(
                "covariates act on 'membership', but a regression has no types; expected response"
            )
        check_two_actions(X)
        rng = np.random.default_rng(self.random_state)
        X = bounded_play(X, self.most_moves, rng, self.notes_)
        coding = Coding.learn(X)
        settings = {s: i for i, s in enumerate(sorted(set(coding.settings(X))))} if self.settings else {}
        crossed = self.settings and bool(coding.columns)
        names = sorted({name for name in _players(X) if name}) if self.players else []
        players = {name: i for i, name in enumerate(names)}
        rounds = min(X.shape[1], _MOST_ROUNDS)
        columns = _Columns(coding, settings if crossed else {}, players, rounds, crossed)
        like = codes_of(coding.settings(X), {s: i for i, s in enumerate(sorted(set(coding.settings(X))))})
        if players:
            like = like * (len(players) + 1) + codes_of(_players(X), players) + 1
        moves = _Moves.of(X, like)
        matrix = columns.matrix(moves.past, moves.at, moves.context, columns.facts(X), moves.row)
        described = columns.names(Past.empty(X.actions))
        used = np.flatnonzero(_telling(matrix, described))
        matrix = matrix[:, used]
        self.columns_, self.used_ = columns, used
        self.names_ = [described[i] for i in used]
        kinds = np.array([name[0] for name in self.names_])
        self.ridges_, start = self._chosen(X, matrix, moves, kinds, rng)
        problem = Problem(matrix, moves.counts, _ridge(self.ridges_, kinds))
        self.beta_, converged = minimised(problem, start)
        if not converged:
            self.notes_.append("the logit did not converge; its estimates are the best of its last step")
        self.errors_ = _errors(problem, self.beta_, X, moves)
        self._note_separation(kinds)

    def _note_separation(self, kinds: NDArray[np.str_]) -> None:
        large = np.flatnonzero((np.abs(self.beta_).max(1) > _LARGE) & (kinds != "intercept"))
        if len(large):
            _, feature, of = self.names_[int(large[0])]
            name = f"{feature} of {of}" if of else feature
            self.notes_.append(
                f"{name} separates the actions: log odds beyond {_LARGE:g}, finite by the ridge alone"
            )

    def _chosen(
        self, X: Choices, matrix: Any, moves: _Moves, kinds: NDArray[np.str_], rng: np.random.Generator
    ) -> tuple[dict[str, float], Floats | None]:
        """Ridges of the kinds that there are, by the loss on held-out subjects, and where to start from."""
        start = {kind: START[kind] for kind in START if (kinds == kind).any()}
        if self.ridges is not None:
            unknown = sorted(set(self.ridges) - set(START))
            if unknown or min(self.ridges.values(), default=1) < 0:
                raise UsageError(f"ridges={dict(self.ridges)}, expected numbers from 0 of {', '.join(START)}")
            own = {kind: float(self.ridges[kind]) for kind in start if kind in self.ridges}
            return {**start, **own}, None
        if len(np.unique(X.subject)) < _FEWEST_SUBJECTS:
            self.notes_.append(f"fewer than {_FEWEST_SUBJECTS} subjects: ridges as they come, not chosen")
            return start, None
        _, held = drawn_subjects(X, _HELD_OUT, rng)
        row, turn = np.nonzero(X.counted)
        test = np.isin(row, held)
        counts = np.zeros_like(moves.counts)
        np.add.at(counts, (moves.place[test], X.chosen[row[test], turn[test]].astype(np.intp)), 1)
        inside = (moves.counts - counts).sum(1) > 0
        outside = counts.sum(1) > 0
        train = Problem(matrix[inside], (moves.counts - counts)[inside], np.zeros(0))
        out = Problem(matrix[outside], counts[outside], np.zeros(0))
        curve, groups = Curvature.of(train), [kinds == kind for kind in start]

        def measured(steps: Floats, beta: Floats | None) -> tuple[float, Floats, Floats]:
            ridge = _ridge(dict(zip(start, _ridges(start, steps), strict=True)), kinds)
            return held_out_loss(curve.of_ridge(ridge), out, groups, beta)

        at: Floats = np.zeros(len(start))
        width: Floats = np.ones(len(start))
        best, slopes, beta = measured(at, None)
        for _ in range(_MOST_TRIED):
            move = np.where(np.abs(slopes) * np.log(_STEP) > _GAIN, -np.sign(slopes) * width, 0.0)
            if not move.any():
                break
            loss, new_slopes, estimate = measured(at + move, beta)
            if loss > best - _GAIN:
                width /= 2
                if width.max() < _LEAST_WIDTH:
                    break
                continue
            width = np.where(slopes * new_slopes < 0, width / 2, width)
            best, slopes, beta, at = loss, new_slopes, estimate, at + move
        return dict(zip(start, _ridges(start, at), strict=True)), beta

    def _predicted(self, X: Choices) -> Floats:
        return self._probabilities(Past.of(X), self.columns_.facts(X))

    def ahead(self, X: Choices) -> Ahead:
        """The logit, with what earlier games say made once a game."""
        return _Ahead(self, X)

    def _probabilities(self, past: Past, facts: _Facts, *, last: bool = False) -> Floats:
        """Probabilities in all rounds, (n, T, A), or in the last one alone, (n, 1, A)."""
        X = past.choices
        first, rounds = (X.shape[1] - 1, 1) if last else (0, X.shape[1])
        context = contexts(X)[0][:, first:]
        out = np.empty((len(X), rounds, X.n_actions))
        for part in past.chunks():
            rows = np.arange(part.start, part.stop)
            row, at = np.divmod(np.arange(len(rows) * rounds), rounds)
            values = past.rows(part, last=last).reshape(len(row), len(past.names))[:, past.free]
            codes = context[part].reshape(-1).astype(np.intp)
            matrix = self.columns_.matrix(values, at + first, codes, facts, rows[row])[:, self.used_]
            out[part] = _proba(matrix @ self.beta_).reshape(len(rows), rounds, -1)
        return out

    @property
    def known_covariates(self) -> tuple[str, ...]:
        """Those of its columns."""
        return self.columns_.coding.columns

    def parameters(self) -> tuple[Parameter, ...]:
        """Log odds of every action against the first: the intercept, then what stands out most.

        Within those of all rows, and then within those of a setting, by size over error, or by size.
        """
        known = np.isfinite(self.errors_) & (self.errors_ > 0)
        size = np.abs(self.beta_) / np.where(known, self.errors_, 1.0)
        wide = {"intercept": 0, "past": 1, "round": 1, "covariate": 1}
        place = np.array([wide.get(kind, 2) for kind, _, _ in self.names_])
        rows = []
        for j in np.lexsort((-size.max(axis=1), place)).tolist():
            _, feature, of = self.names_[j]
            for a, action in enumerate(self.actions_[1:]):
                se = float(self.errors_[j, a]) if known[j, a] else None
                name = feature if len(self.actions_) == 2 else f"{action}: {feature}"
                rows.append(Parameter(name, float(self.beta_[j, a]), se, "log odds", of))
        return tuple(rows)

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Coefficients with their names, and how covariates are coded."""
        columns = self.columns_
        state = {
            "coding": columns.coding.to_state(),
            "settings": [list(s) for s in columns.settings],
            "players": [name for (name,) in columns.players],
            "rounds": columns.rounds,
            "crossed": columns.crossed,
            "used": self.used_.tolist(),
            "names": [list(name) for name in self.names_],
            "ridges": self.ridges_,
            "beta": self.beta_.tolist(),
            "errors": np.where(np.isfinite(self.errors_), self.errors_, -1.0).tolist(),
        }
        return state, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the coefficients.

        Raises
        ------
        DataError
            They are not those of such columns.
        """
        settings = {tuple(map(str, s)): i for i, s in enumerate(state["settings"])}
        players: dict[tuple[str, ...], int] = {(str(name),): i for i, name in enumerate(state["players"])}
        rounds = int(state["rounds"])
        if not 0 <= rounds <= _MOST_ROUNDS:
            raise DataError(f"rounds is {rounds}, expected 0 to {_MOST_ROUNDS}")
        coding = Coding.from_state(state["coding"])
        self.columns_ = _Columns(coding, settings, players, rounds, bool(state["crossed"]))
        self.used_ = np.asarray(state["used"], dtype=np.intp)
        check_columns(self.used_, len(self.columns_.names(Past.empty(self.actions_))))
        self.names_ = [(str(kind), str(feature), str(of)) for kind, feature, of in state["names"]]
        self.ridges_ = {str(kind): float(value) for kind, value in state["ridges"].items()}
        shape = (len(self.used_), len(self.actions_) - 1)
        self.beta_, errors = (np.asarray(state[key], dtype=float) for key in ("beta", "errors"))
        if self.beta_.shape != shape or errors.shape != shape or len(self.names_) != shape[0]:
            raise DataError(f"beta has shape {self.beta_.shape}, expected {shape}")
        self.errors_ = np.where(errors < 0, np.nan, errors)
        return self


def _telling(matrix: Any, described: Sequence[tuple[str, str, str]]) -> NDArray[np.bool_]:
    """Which columns tell anything: those that are met, but not what the past says of every move alike."""
    past = np.array([kind == "past" for kind, _, _ in described])
    columns = matrix.tocsc()[:, past]
    same = (columns.max(axis=0).toarray() == columns.min(axis=0).toarray()).reshape(-1)
    telling = np.asarray(matrix.getnnz(axis=0) > 0)
    telling[past] &= ~same
    return telling


def _ridges(start: Mapping[str, float], steps: Floats) -> list[float]:
    """Ridges so many steps from the start, within what makes sense."""
    at = np.array(list(start.values())) * _STEP**steps
    values: list[float] = np.clip(at, 1e-3, 1e4).tolist()
    return values


def _ridge(ridges: Mapping[str, float], kinds: NDArray[np.str_]) -> Floats:
    """(p,): the ridge of each column; none for the intercept."""
    return np.array([ridges.get(str(kind), 0.0) for kind in kinds])


def _errors(problem: Problem, beta: Floats, X: Choices, moves: _Moves) -> Floats:
    """Standard errors that allow for dependence within subjects, (p, A - 1): H^-1 (sum_i g_i g_i') H^-1."""
    matrix, counts, ridge = problem
    p, k = beta.shape
    if p * k > _MOST_ERRORS:
        return np.full((p, k), np.nan)
    q = _proba(matrix @ beta)[:, 1:]
    n = counts.sum(1)
    M = penalty_matrix(k + 1)
    H = np.zeros((p, k, p, k))
    for a in range(k):
        for b in range(a, k):
            weight = n * q[:, a] * ((a == b) - q[:, b])
            block = (matrix.T @ matrix.multiply(weight[:, None])).toarray() + np.diag(ridge * M[a, b])
            H[:, a, :, b] = block
            H[:, b, :, a] = block
    row, at = np.nonzero(X.counted)
    subjects, subject = np.unique(X.subject[row], return_inverse=True)
    meat = np.zeros((p * k, p * k))
    chosen = X.chosen[row, at][:, None] == np.arange(1, k + 1)
    rest = chosen - q[moves.place]
    step = max(1, (1 << 24) // (p * k))
    for start in range(0, len(subjects), step):
        inside = (subject >= start) & (subject < start + step)
        shape = (min(step, len(subjects) - start), matrix.shape[0])
        places = (subject[inside] - start, moves.place[inside])
        scores = [
            (sparse.coo_matrix((rest[inside, a], places), shape=shape).tocsr() @ matrix).toarray()
            for a in range(k)
        ]
        g = np.stack(scores, axis=2).reshape(shape[0], p * k)
        meat += g.T @ g
    flat = H.reshape(p * k, p * k)
    if (factor := _factor(flat + 1e-9 * np.eye(p * k))) is None:
        return np.full((p, k), np.nan)
    inverse = cho_solve(factor, np.eye(p * k))
    s = len(subjects)
    variance = np.einsum("ij,jk,ki->i", inverse, meat, inverse, optimize=True) * s / max(1, s - 1)
    errors: Floats = np.sqrt(np.maximum(variance, 0)).reshape(p, k)
    return errors
