"""Types with free response: each type chooses each action with a probability of its own in each situation.

With N_ica how often subject i chose action a in situation c, p_kca = P(a | c, type k) and pi_ik the share of
type k among subjects like i,

    L = prod_i sum_k pi_ik prod_ca p_kca^N_ica,

so the counts are all that the play says. EM repeats

    r_ik = pi_ik P_ik / sum_l pi_il P_il,     p_kca = (sum_i r_ik N_ica + s_ca) / sum_a (…),

with a few pseudo-counts s_ca, which keep probabilities inside (0, 1); it never lowers
log L + sum_kca s_ca log p_kca. A cell c may belong to all types (a situation that all of them meet) or to one
(a state of its automaton), and cells of different types may have one response. Where covariates x act on the
response, all types shift alike in log odds,

    log p_kca(x) = theta_kca + (x - mean x)' b_a + constant,    b_1 = 0,

with a ridge on b; the M-step is then one Newton step that never lowers what it maximises.

References
----------
Dempster, Laird & Rubin (1977), JRSS B 39:1; Louis (1982), JRSS B 44:226 (the observed information of an EM
problem); Breitmoser (2015), American Economic Review 105:2882, and Dvorak (2023), Journal of the Economic
Science Association 9:337 (strategies with estimated responses).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.membership import Membership, along_last, log_softmax

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = [
    "Described",
    "Design",
    "Evidence",
    "Fitted",
    "Mixed",
    "climb",
    "climb_together",
    "described",
    "evidence",
    "fit_types",
    "observed_information",
    "penalised_score",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_NUMBERS = 1 << 22
"""Numbers in memory at a time, where scores of patterns are made."""
_HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Design:
    """What covariates say, coded.

    Attributes
    ----------
    membership : (m, P), of subjects, the first column ones
    shift : (n, R), of rows of play; R is 0 where covariates do not act on the response
    ridge : float, of all coefficients but intercepts
    """

    membership: Floats
    shift: Floats
    ridge: float


@dataclass(frozen=True, eq=False)
class Evidence:
    """What subjects did: distinct patterns of counts, each with its place in the design and its weight.

    A case is a cell met under the same covariates; without covariates on the response it is the cell.

    Attributes
    ----------
    counts : (I, Q A) sparse, how often a subject chose each action in each case
    weights : (I,), subjects of each pattern
    group : (I,), row of `design`
    design : (G, P), distinct covariates of subjects, the first column ones
    ridge : (P,), of the coefficients of membership
    cell : (Q,), cell of each case
    shift : (Q, R), covariates of each case, less their mean over all moves
    shift_mean : (R,)
    shift_ridge : float
    n_cells, n_actions : int, C and A
    owner : (C,) type that a cell belongs to, or None where all cells belong to all types
    tied : (C,) class of a cell, cells of one class having one response; None where each has its own
        Cells that have owners only, and one of a class and type at most.
    """

    counts: csr_matrix
    weights: Floats
    group: Ints
    design: Floats
    ridge: Floats
    cell: Ints
    shift: Floats
    shift_mean: Floats
    shift_ridge: float
    n_cells: int
    n_actions: int
    owner: Ints | None = None
    tied: Ints | None = None

    @cached_property
    def _case_columns(self) -> csr_matrix:
        """The counts, by case and action."""
        return self.counts.T.tocsr()

    @cached_property
    def _cases_of_cells(self) -> csr_matrix:
        """(C, Q), which cases are of a cell."""
        return _indicator(self.cell, self.n_cells)

    @cached_property
    def _shifts_of_cells(self) -> csr_matrix:
        """(C R, Q), the covariates of the cases of each cell."""
        from scipy.sparse import csr_matrix

        q, r = self.shift.shape
        row = self.cell[:, None] * r + np.arange(r)
        case = np.repeat(np.arange(q), r)
        return csr_matrix((self.shift.reshape(-1), (row.reshape(-1), case)), shape=(self.n_cells * r, q))

    @cached_property
    def _patterns_of_groups(self) -> csr_matrix:
        """(G, I), which patterns are of a row of the design."""
        return _indicator(self.group, len(self.design))

    @property
    def pooled(self) -> Floats:
        """(C, A), counts of all subjects."""
        counts = (self._case_columns @ self.weights).reshape(-1, self.n_actions)
        pooled: Floats = self.by_cell(counts, axis=0)
        return pooled

    def by_cell(self, values: Floats, *, axis: int) -> Floats:
        """Sums over the cases of each cell, the cases lying along an axis: Q -> C."""
        return _gathered(self._cases_of_cells, values, axis) if self.shift.shape[1] else values

    def expected(self, wr: Floats) -> Floats:
        """Expected counts (..., K, Q, A) of types, from weighted posteriors (..., I, K)."""
        by_case = _gathered(self._case_columns, wr, -2)
        return by_case.swapaxes(-1, -2).reshape(*wr.shape[:-2], wr.shape[-1], len(self.cell), self.n_actions)

    def owned(self, n_types: int) -> NDArray[np.bool_]:
        """(K, C), whether a type has a cell."""
        if self.owner is None:
            return np.ones((n_types, self.n_cells), dtype=bool)
        owned: NDArray[np.bool_] = self.owner == np.arange(n_types)[:, None]
        return owned

    def places(self, n_types: int) -> Ints:
        """(K, C), which of the estimated responses a type's cell has; -1 where it has no such cell."""
        owned = self.owned(n_types)
        at = np.full(owned.shape, -1, dtype=np.intp)
        if self.tied is None:
            at[owned] = np.arange(int(owned.sum()))
        else:
            at[owned] = np.unique(self.tied[np.nonzero(owned)[1]], return_inverse=True)[1].reshape(-1)
        return at

    def n_responses(self, n_types: int) -> int:
        """How many responses there are to estimate."""
        return int(self.places(n_types).max(initial=-1)) + 1

    def joined(self, values: Floats) -> Floats:
        """Sums over the cells that have one response, at each of them: (S, K, C, ...) of S starts."""
        if self.tied is None:
            return values
        k = values.shape[1]
        at = self.places(k)
        owned = at >= 0
        total = np.zeros((self.n_responses(k), len(values), *values.shape[3:]))
        np.add.at(total, at[owned], values[:, owned].swapaxes(0, 1))
        out = values.copy()
        out[:, owned] = total[at[owned]].swapaxes(0, 1)
        return out

    def by_group(self, values: Floats) -> Floats:
        """Sums over the patterns of each row of the design: (..., I, K) -> (..., G, K)."""
        if len(self.design) == 1:
            total: Floats = values.sum(-2, keepdims=True)
            return total
        return _gathered(self._patterns_of_groups, values, -2)

    def some(self, rows: Ints) -> Evidence:
        """Those of some patterns."""
        return replace(self, counts=self.counts[rows], weights=self.weights[rows], group=self.group[rows])

    def without_covariates(self) -> Evidence:
        """The same patterns, as if nothing were known of the subjects before they play."""
        from scipy.sparse import csr_matrix

        counts = self.counts
        if self.shift.shape[1]:
            q = len(self.cell)
            a = self.n_actions
            columns = (self.cell[:, None] * a + np.arange(a)).reshape(-1)
            gather = csr_matrix(
                (np.ones(q * a), (np.arange(q * a), columns)), shape=(q * a, self.n_cells * a)
            )
            counts = (counts @ gather).tocsr()
        return replace(
            self,
            counts=counts,
            group=np.zeros_like(self.group),
            design=np.ones((1, 1)),
            ridge=np.zeros(1),
            cell=np.arange(self.n_cells),
            shift=np.zeros((self.n_cells, 0)),
            shift_mean=np.zeros(0),
        )


@dataclass(frozen=True, eq=False)
class Mixed:
    """The parameters: responses (K, C, A) at mean covariates, who plays which type, and shifts (R, A).

    Those of several starts are one, each array with the starts before its other axes.
    """

    responses: Floats
    membership: Membership
    shift: Floats

    @classmethod
    def stacked(cls, several: Sequence[Mixed]) -> Mixed:
        """Several starts as one."""
        return cls(
            np.stack([m.responses for m in several]),
            Membership(np.stack([m.membership.coefficients for m in several])),
            np.stack([m.shift for m in several]),
        )

    def at(self, which: int | Ints) -> Mixed:
        """One of several starts, or some of them."""
        coefficients = self.membership.coefficients[which]
        return Mixed(self.responses[which], Membership(coefficients), self.shift[which])

    def where(self, better: NDArray[np.bool_], other: Mixed) -> Mixed:
        """Another one's responses and shifts at the starts where these are better."""
        by = better[:, None, None]
        responses = np.where(by[..., None], other.responses, self.responses)
        return Mixed(responses, self.membership, np.where(by, other.shift, self.shift))


@dataclass(frozen=True, eq=False)
class Fitted:
    """Where EM ended.

    Attributes
    ----------
    mixed : Mixed
    value : float, log L + the pseudo-counts' and the ridges' part
    log_likelihood : float
    path : values before each step and after the last
    converged : bool
    agreement : (reached, followed)
        Of the starts that were followed to the end, those that ended at this value, within the tolerance.
    """

    mixed: Mixed
    value: float
    log_likelihood: float
    path: Floats
    converged: bool
    agreement: tuple[int, int] = (1, 1)


def evidence(
    cell: NDArray[np.integer[Any]],
    chosen: NDArray[np.int8],
    subject: Ints,
    design: Design,
    *,
    n_cells: int,
    n_actions: int,
    owner: Ints | None = None,
    tied: Ints | None = None,
) -> Evidence:
    """Counts of subjects, like ones together.

    Parameters
    ----------
    cell : (n, T) or (n, T, M) int
        Of each move; several where types have cells of their own; -1 where there is none.
    chosen : (n, T) int8, -1 where no move counts
    subject : (n,) in 0 .. m - 1
    design : Design of m subjects and n rows
    owner, tied : as `Evidence`
    """
    from scipy.sparse import csr_matrix

    m, a = len(design.membership), n_actions
    if cell.ndim == 2:
        cell = cell[..., None]
    row, at = np.nonzero(chosen >= 0)
    cells = cell[row, at]
    known = cells >= 0
    rows = np.broadcast_to(subject[row, None], cells.shape)[known]
    moves = np.broadcast_to(chosen[row, at, None], cells.shape)[known]
    if design.shift.shape[1]:
        distinct, of = _distinct_rows(design.shift)
        code = np.broadcast_to(of[row, None], cells.shape)[known] * n_cells + cells[known]
        met, case = np.unique(code, return_inverse=True)
        case_cell, shift = (met % n_cells).astype(np.intp), distinct[met // n_cells]
        mean = np.average(shift, axis=0, weights=np.bincount(case.reshape(-1)))
        shift = shift - mean
    else:
        case, case_cell = cells[known].astype(np.intp), np.arange(n_cells)
        shift, mean = np.zeros((n_cells, 0)), np.zeros(0)
    index = np.int32 if len(case_cell) * a < 1 << 31 else np.int64
    counts = csr_matrix(
        (np.ones(len(rows)), (rows.astype(index), (case.reshape(-1) * a + moves).astype(index))),
        shape=(m, len(case_cell) * a),
    )
    counts.sum_duplicates()
    groups, group = _distinct_rows(design.membership)
    place, pattern = _distinct_counts(counts, group)
    return Evidence(
        counts[place],
        np.bincount(pattern, minlength=len(place)).astype(float),
        group[place],
        groups,
        np.r_[0.0, np.full(groups.shape[1] - 1, design.ridge)],
        case_cell.astype(np.intp),
        shift,
        mean,
        design.ridge,
        n_cells,
        a,
        owner,
        tied,
    )


def _indicator(of: Ints, n: int) -> csr_matrix:
    """(n, m) which of m things are of each of n."""
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(len(of)), (of, np.arange(len(of)))), shape=(n, len(of)))


def _gathered(matrix: csr_matrix, values: Floats, axis: int) -> Floats:
    """Matrix times values along one of their axes."""
    moved = np.moveaxis(values, axis, 0)
    flat = np.asarray(matrix @ moved.reshape(len(moved), -1))
    return np.moveaxis(flat.reshape(-1, *moved.shape[1:]), 0, axis)


def _distinct_rows(design: Floats) -> tuple[Floats, Ints]:
    if design.shape[1] == 1 and (design == design[:1]).all():
        return design[:1], np.zeros(len(design), dtype=np.intp)
    distinct, group = np.unique(design, axis=0, return_inverse=True)
    return distinct, group.reshape(-1).astype(np.intp)


def _distinct_counts(counts: csr_matrix, group: Ints) -> tuple[Ints, Ints]:
    """One place of each distinct row with its group, and which of these each row is.

    Rows are told apart by sums of 64-bit numbers, one for each column, and these are then checked.
    """
    n = counts.shape[0]
    drawn = np.random.default_rng(counts.shape[1]).integers(0, 1 << 63, counts.shape[1] + 1, dtype=np.uint64)
    values = counts.data.astype(np.uint64) * drawn[counts.indices]
    ends = np.r_[np.uint64(0), np.cumsum(values)]
    key = ends[counts.indptr[1:]] - ends[counts.indptr[:-1]] + group.astype(np.uint64) * drawn[-1]
    _, place, pattern = np.unique(key, return_index=True, return_inverse=True)
    pattern = pattern.reshape(-1)
    same = (counts[place[pattern]] != counts).nnz == 0 and (group[place[pattern]] == group).all()
    if not same:
        return np.arange(n), np.arange(n)
    return place.astype(np.intp), pattern.astype(np.intp)


def log_cases(e: Evidence, mixed: Mixed) -> Floats:
    """Log probability of each action in each case, (..., K, Q, A)."""
    log_p = np.log(mixed.responses)
    if not e.shift.shape[1]:
        return log_p
    return log_softmax(log_p.take(e.cell, axis=-2) + (e.shift @ mixed.shift)[..., None, :, :])


def log_likelihoods(e: Evidence, mixed: Mixed) -> Floats:
    """Log probability of the play of each pattern under each type: (..., I, K)."""
    return _of_types(e, log_cases(e, mixed))


def _of_types(e: Evidence, log_p: Floats) -> Floats:
    """`log_likelihoods` from those of actions in cases."""
    *lead, k, _, _ = log_p.shape
    if e.owner is not None:
        log_p = log_p * e.owned(k)[:, e.cell, None]
    return _gathered(e.counts, log_p.reshape(*lead, k, -1).swapaxes(-1, -2), -2)


def posterior(e: Evidence, mixed: Mixed) -> tuple[Floats, Floats]:
    """Posterior of the types (..., I, K), and log-likelihood of each pattern (..., I)."""
    return _posterior(e, mixed, log_cases(e, mixed))


def _posterior(e: Evidence, mixed: Mixed, log_p: Floats) -> tuple[Floats, Floats]:
    joint = _of_types(e, log_p) + mixed.membership.log_shares(e.design)[..., e.group, :]
    top = along_last(np.maximum, joint)
    joint -= top
    np.exp(joint, out=joint)
    total = along_last(np.add, joint)
    joint /= total
    return joint, (top + np.log(total))[..., 0]


def climb(e: Evidence, mixed: Mixed, pseudo: Floats, *, n_iter: int, tol: float) -> Fitted:
    """EM from one start, as `climb_together`."""
    return climb_together(e, [mixed], pseudo, n_iter=n_iter, tol=tol)[0]


def climb_together(
    e: Evidence, starts: Sequence[Mixed], pseudo: Floats, *, n_iter: int, tol: float
) -> list[Fitted]:
    """EM from several starts, each until its own end.

    Small play takes hardly longer from thirty starts than from one; of large play as many go together as fit
    into a bounded memory.

    Parameters
    ----------
    starts : S of them
    pseudo : (C, A) pseudo-counts, positive
    n_iter : int
    tol : float, nats that a step must gain over all subjects to go on
    """
    ends: list[Fitted] = []
    for first in range(0, len(starts), step := _at_once(e, starts)):
        ends += _climbed(e, Mixed.stacked(starts[first : first + step]), pseudo, n_iter, tol)
    return ends


def _at_once(e: Evidence, starts: Sequence[Mixed]) -> int:
    """How many starts go together."""
    k = len(starts[0].responses) if starts else 1
    case = max(k * e.n_actions**2, e.shift.shape[1])
    numbers = max(k * len(e.weights), len(e.cell) * case, len(e.design) * k * k)
    return max(1, int(_NUMBERS // (8 * numbers)))


def _climbed(e: Evidence, mixed: Mixed, pseudo: Floats, n_iter: int, tol: float) -> list[Fitted]:
    n = len(mixed.responses)
    paths: list[list[float]] = [[] for _ in range(n)]
    ends: list[Fitted | None] = [None] * n
    going, log_p = np.arange(n), log_cases(e, mixed)
    while len(going):
        r, each = _posterior(e, mixed, log_p)
        log_likelihoods = each @ e.weights
        values = log_likelihoods + _prior(e, mixed, pseudo)
        more = np.ones(len(going), dtype=bool)
        for i, start in enumerate(going.tolist()):
            path = paths[start]
            path.append(float(values[i]))
            converged = len(path) > 1 and path[-1] - path[-2] < tol
            if converged or len(path) > n_iter:
                more[i] = False
                log_likelihood = float(log_likelihoods[i])
                ends[start] = Fitted(mixed.at(i), path[-1], log_likelihood, np.array(path), converged)
        if not more.all():
            going, mixed, r, log_p = going[more], mixed.at(np.flatnonzero(more)), r[more], log_p[more]
        if len(going):
            mixed, log_p = _maximised(e, mixed, log_p, r * e.weights[:, None], pseudo)
    return [end for end in ends if end is not None]


def _prior(e: Evidence, mixed: Mixed, pseudo: Floats) -> Floats:
    """The pseudo-counts' and the ridges' part of what EM raises, (...)."""
    held = pseudo * e.owned(mixed.responses.shape[-3])[..., None]
    counted = (np.log(mixed.responses) * held).sum((-3, -2, -1))
    shifts = 0.5 * e.shift_ridge * (mixed.shift**2).sum((-2, -1))
    prior: Floats = counted - mixed.membership.penalty(e.ridge) - shifts
    return prior


def _maximised(e: Evidence, mixed: Mixed, log_p: Floats, wr: Floats, pseudo: Floats) -> tuple[Mixed, Floats]:
    """The next parameters and what `log_cases` makes of them, from these of the last."""
    expected = e.expected(wr)
    membership = mixed.membership.maximised(e.design, e.by_group(wr), e.ridge)
    if e.shift.shape[1]:
        return _shifted(e, Mixed(mixed.responses, membership, mixed.shift), log_p, expected, pseudo)
    raised = e.joined(expected + pseudo)
    mixed = Mixed(raised / raised.sum(axis=-1, keepdims=True), membership, mixed.shift)
    return mixed, log_cases(e, mixed)


def _shifted(
    e: Evidence, mixed: Mixed, log_p: Floats, expected: Floats, pseudo: Floats
) -> tuple[Mixed, Floats]:
    """One Newton step of responses and shifts, halved until the expected log-likelihood does not fall."""
    expected = expected * e.owned(expected.shape[1])[:, e.cell, None]
    gradient, diagonal, cross, corner = _curvature(e, mixed, log_p, expected, pseudo)
    theta, shift = gradient
    sides = np.concatenate([theta[..., None], cross], axis=-1)
    solved = np.linalg.solve(e.joined(diagonal), e.joined(sides))
    r, b = mixed.shift.shape[-2], mixed.shift.shape[-1] - 1
    reduced = corner - np.einsum("skcap,skcaq->spq", cross, solved[..., 1:])
    right = shift - np.einsum("skcap,skca->sp", cross, solved[..., 0])
    step_shift = np.linalg.solve(reduced + 1e-10 * np.eye(r * b), right[..., None])[..., 0]
    step = solved[..., 0] - np.einsum("skcap,sp->skca", solved[..., 1:], step_shift)
    limit = np.maximum(np.abs(step).max(axis=(1, 2, 3)), np.abs(step_shift).max(axis=1))
    size = np.minimum(1.0, 4.0 / np.maximum(limit, 1e-300))
    before = _expected_value(e, mixed, log_p, expected, pseudo)
    odds, tried = np.log(mixed.responses), np.ones(len(size), dtype=bool)
    for _ in range(_HALVINGS):
        eta = odds.copy()
        eta[..., 1:] += size[:, None, None, None] * step
        p = np.exp(log_softmax(eta))
        moved = mixed.shift.copy()
        moved[..., 1:] += size[:, None, None] * step_shift.reshape(-1, r, b)
        moved[~tried] = mixed.shift[~tried]
        new = Mixed(p, mixed.membership, moved)
        inside = new.responses.min(axis=(1, 2, 3)) > 0
        with np.errstate(divide="ignore", invalid="ignore"):  # of those that are not inside
            after = log_cases(e, new)
            better = tried & inside & (_expected_value(e, new, after, expected, pseudo) >= before)
        mixed, tried = mixed.where(better, new), tried & ~better
        log_p = after if better.all() else np.where(better[:, None, None, None], after, log_p)
        if not tried.any():
            break
        size = size / 2
    return mixed, log_p


def _expected_value(e: Evidence, mixed: Mixed, log_p: Floats, expected: Floats, pseudo: Floats) -> Floats:
    value: Floats = np.einsum("...kqa,...kqa->...", expected, log_p) + _prior(e, mixed, pseudo)
    return value


def _curvature(
    e: Evidence, mixed: Mixed, log_p: Floats, expected: Floats, pseudo: Floats
) -> tuple[tuple[Floats, Floats], Floats, Floats, Floats]:
    """Slope and minus the curvature of the expected log-likelihood in log odds against the first action.

    Returns
    -------
    gradient : (S, K, C, B) by responses and (S, R B) by shifts, B = A - 1, of S starts
    diagonal : (S, K, C, B, B) by the responses of one cell, the identity where a type does not have it
    cross : (S, K, C, B, R B), corner : (S, R B, R B)
    """
    s, k = mixed.responses.shape[:2]
    b, r = e.n_actions - 1, e.shift.shape[1]
    owned = e.owned(k)
    p = np.exp(log_p[..., 1:])
    n = expected.sum(-1)
    away = expected[..., 1:] - n[..., None] * p
    met = mixed.responses[..., 1:]
    held = pseudo.sum(1)
    theta = e.by_cell(away, axis=2)
    theta = theta + np.where(owned[..., None], pseudo[:, 1:] - held[:, None] * met, 0.0)
    slope = e.shift.T @ away.sum(1) - e.shift_ridge * mixed.shift[..., 1:]
    weight = n[..., None, None] * (p[..., None] * np.eye(b) - p[..., None] * p[..., None, :])
    prior = held[:, None, None] * (met[..., None] * np.eye(b) - met[..., None] * met[..., None, :])
    diagonal = e.by_cell(weight, axis=2) + np.where(owned[..., None, None], prior, np.eye(b))
    diagonal += 1e-12 * np.eye(b)
    cross = _gathered(e._shifts_of_cells, weight, 2).reshape(s, k, e.n_cells, r, b, b)
    cross = cross.swapaxes(3, 4).reshape(s, k, e.n_cells, b, r * b)
    total = weight.sum(1)
    corner = np.empty((s, r, b, r, b))
    for x in range(b):
        for y in range(b):
            corner[:, :, x, :, y] = (e.shift * total[..., x, y, None]).swapaxes(-1, -2) @ e.shift
    corner = corner.reshape(s, r * b, r * b) + e.shift_ridge * np.eye(r * b)
    return (theta, slope.reshape(s, -1)), diagonal, cross, corner


_STAGES = ((20, 3), (40, 8))
"""Steps of EM, after which the best of the starts go on, one of so many."""
_FOLLOWED = 6
"""Starts that go on at least."""
_SCREENED = 20_000
"""Patterns that starts are screened on."""
_CARRIED = 6
"""Ends of the search without covariates at which that with covariates begins, one for each place."""
_OF_GROUPS = 3
"""Starts from types that are groups of like covariates."""
_GROUPED = 20
"""Iterations that part groups."""
_ALIKE = 1e-3
"""Nats by which starts that end in one place differ."""
_EQUAL = 0.05
"""Nats below the best value at which a start counts as having reached it, beside what tolerance leaves."""
_LEFT = 100
"""Steps that a search which has ended may still have before it, none of which gains the tolerance."""
_SPREAD = 1.5
"""Standard deviation of the coefficients of random starts, in log odds."""
_INSIDE = 0.02
"""Share of equal chances in random responses, which keeps them inside (0, 1)."""


def fit_types(
    e: Evidence,
    n_types: int,
    pseudo: Floats,
    *,
    n_starts: int,
    n_iter: int,
    tol: float,
    rng: np.random.Generator,
    begin: Sequence[Floats] = (),
) -> Fitted:
    """The best of several starts: a third of them go on after twenty steps, an eighth to the end.

    Types begin in turn as subjects play and at random. Where there are covariates, the types are first sought
    without them, and the search with them begins where that ended, at types of subjects with like covariates,
    and at all the first starts, half of them with coefficients at random. What is best without covariates may
    be types that are all alike, which EM never parts, however much covariates tell.

    Parameters
    ----------
    e : Evidence
    n_types : int, K
    pseudo : (C, A)
    n_starts, n_iter : int
    tol : float, nats per subject that a step must gain to go on
    rng : numpy Generator
    begin : further starts, responses (K, C, A)
    """
    plain = e if e.design.shape[1] == 1 and not e.shift.shape[1] else e.without_covariates()
    n = len(plain.weights)
    part, full = plain, e
    if n > _SCREENED and n_types > 1:
        rows = np.sort(rng.choice(n, _SCREENED, replace=False, p=e.weights / e.weights.sum()))
        part, full = (replace(x.some(rows), weights=np.ones(_SCREENED)) for x in (plain, e))
    equal = Membership.of_shares(np.full(n_types, 1 / n_types))
    none = np.zeros((0, e.n_actions))
    seeds = _seeds(part, n_types, n_starts if n_types > 1 else int(not begin), pseudo, rng)
    whole = [_probabilities(part, s) for s in (*begin, *seeds)]
    starts = [Mixed(s, equal, none) for s in whole]
    followed = _followed(part, starts, pseudo, n_iter, tol)
    if plain is not e:
        starts = [*_carried(full, part, followed, pseudo, rng), *_scattered(full, whole, rng)]
        followed = _followed(full, starts, pseudo, n_iter, tol)
    best = climb(e, followed[0].mixed, pseudo, n_iter=n_iter, tol=tol * float(e.weights.sum()))
    least = followed[0].value - _EQUAL - _LEFT * tol * float(full.weights.sum())
    reached = sum(f.value > least for f in followed)
    return replace(best, agreement=(reached, len(followed)))


def _followed(e: Evidence, starts: Sequence[Mixed], pseudo: Floats, n_iter: int, tol: float) -> list[Fitted]:
    """Where the more promising starts end, the best first."""
    tol *= float(e.weights.sum())
    pool = list(starts)
    for steps, one_of in _STAGES:
        ends = climb_together(e, pool, pseudo, n_iter=min(steps, n_iter), tol=tol)
        most = max(_FOLLOWED, len(starts) // one_of)
        pool = [f.mixed for f in sorted(ends, key=lambda f: -f.value)[:most]]
    return sorted(climb_together(e, pool, pseudo, n_iter=n_iter, tol=tol), key=lambda f: -f.value)


def _carried(
    e: Evidence, plain: Evidence, fits: Sequence[Fitted], pseudo: Floats, rng: np.random.Generator
) -> list[Mixed]:
    """Starts of the search with covariates.

    1. Where searches without covariates ended, one for each place.
    2. Types of groups: subjects with like covariates play as one, and are a type or share one.

    Parameters
    ----------
    e, plain : Evidence with covariates and without
    fits : of `plain`, the best first
    """
    k, p = len(fits[0].mixed.responses), e.design.shape[1]
    still = np.zeros((e.shift.shape[1], e.n_actions))
    places: list[Fitted] = []
    for fit in fits:
        if not places or places[-1].value - fit.value > _ALIKE:
            places.append(fit)
    one = np.ones((1, 1))
    starts = [
        Mixed(
            f.mixed.responses,
            Membership.of_shares(np.exp(f.mixed.membership.log_shares(one))[0], p - 1),
            still,
        )
        for f in places[:_CARRIED]
    ]
    groups, which = np.unique(e.group, return_inverse=True)
    if not 1 < k <= len(groups) <= len(e.group) // 2:
        return starts
    together = _together(plain, which.reshape(-1), len(groups))
    equal, none = Membership.of_shares(np.full(k, 1 / k)), still[:0]
    seeds = [_start(together, k, pseudo, rng) for _ in range(_OF_GROUPS)]
    begun = [Mixed(_probabilities(together, s), equal, none) for s in seeds]
    for end in climb_together(together, begun, pseudo, n_iter=_GROUPED, tol=0.0):
        r = posterior(together, end.mixed)[0] * e.by_group(e.weights[:, None])[groups]
        member = Membership.of_shares(r.sum(0) / r.sum(), p - 1)
        member = member.maximised(e.design[groups], r, e.ridge, steps=_GROUPED)
        starts.append(Mixed(end.mixed.responses, member, still))
    return starts


def _scattered(e: Evidence, whole: Sequence[Floats], rng: np.random.Generator) -> list[Mixed]:
    """Starts from responses (K, C, A), every second pair of them with coefficients at random."""
    still = np.zeros((e.shift.shape[1], e.n_actions))
    starts = []
    for i, responses in enumerate(whole):
        b = np.zeros((e.design.shape[1], len(responses)))
        if i // 2 % 2:
            b[:, 1:] = rng.normal(0, _SPREAD, b[:, 1:].shape)
        starts.append(Mixed(responses, Membership(b), still))
    return starts


def _together(e: Evidence, which: Ints, n: int) -> Evidence:
    """The play of several patterns as that of one subject."""
    from scipy.sparse import csr_matrix

    sums = csr_matrix((e.weights, (which, np.arange(len(which)))), shape=(n, len(which)))
    return replace(e, counts=(sums @ e.counts).tocsr(), weights=np.ones(n), group=np.zeros(n, dtype=np.intp))


def _probabilities(e: Evidence, seeds: Floats) -> Floats:
    """Seeds (K, C, A) as responses, those of tied cells alike."""
    joined = e.joined(seeds[None])[0]
    p: Floats = joined / joined.sum(axis=2, keepdims=True)
    return p


def _seeds(e: Evidence, k: int, n: int, pseudo: Floats, rng: np.random.Generator) -> list[Floats]:
    """Responses at which types begin: in turn as subjects play and at random."""
    seeds = []
    for i in range(n):
        if i % 2 and k > 1:
            p = rng.dirichlet(np.ones(e.n_actions), size=(k, e.n_cells))
            seeds.append((1 - _INSIDE) * p + _INSIDE / e.n_actions)
        else:
            seeds.append(_start(e, k, pseudo, rng))
    return seeds


def _start(e: Evidence, k: int, pseudo: Floats, rng: np.random.Generator) -> Floats:
    """Each type begins as one subject plays, the pooled rates filling what that one does not show.

    Further subjects are drawn with chances that grow with how badly the types before explain them.
    """
    pooled = e.pooled + pseudo
    rates = pooled / pooled.sum(axis=1, keepdims=True)
    if k == 1:
        return np.asarray(rates[None])
    made = np.empty((k, *rates.shape))
    chance = e.weights / e.weights.sum()
    best = np.full(len(chance), -np.inf)
    alone, one = replace(e, owner=None), Membership.of_shares(np.ones(1))
    for i in range(k):
        row = int(rng.choice(len(chance), p=chance))
        blended = np.asarray(e.counts[row].todense()).reshape(rates.shape) + rates
        made[i] = blended / blended.sum(axis=1, keepdims=True)
        best = np.maximum(best, log_likelihoods(alone, Mixed(made[i : i + 1], one, np.zeros((0, 0))))[:, 0])
        lost = -best * e.weights
        chance = lost / lost.sum() if lost.sum() > 0 else e.weights / e.weights.sum()
    return made


@dataclass(frozen=True, eq=False)
class Described:
    """Shares of subjects and responses with standard errors.

    Attributes
    ----------
    shares, share_se : (K,)
    response_se : (K, C, A), NaN for cells of other types
    membership_se : (P, K), 0 for the first type
    shift_se : (R, A), 0 for the first action
    moves : (K, C), expected moves
    """

    shares: Floats
    share_se: Floats
    response_se: Floats
    membership_se: Floats
    shift_se: Floats
    moves: Floats


_MOST_PARAMETERS = 3000


def described(e: Evidence, mixed: Mixed, pseudo: Floats, *, errors: str) -> Described:
    """Shares and responses of fitted parameters, with errors.

    A share of subjects is the mean of pi_ik over them; the delta method makes errors of probabilities from
    those of log odds. Above 3,000 parameters there are no errors.

    Parameters
    ----------
    errors : {"subject", "information", "none"}
        Whether errors allow for subjects of one type that differ in more than chance (sandwich), or are
        those of the observed information, which hold where the model does; or none are made.
    """
    k, c, a = mixed.responses.shape
    r, _ = posterior(e, mixed)
    moves = e.by_cell(e.expected(r * e.weights[:, None]), axis=1).sum(2) * e.owned(k)
    weights = e.by_group(e.weights[:, None])[:, 0]
    pi = np.exp(mixed.membership.log_shares(e.design))
    shares = weights @ pi / weights.sum()
    p, n_shift = e.design.shape[1], e.shift.shape[1] * (a - 1)
    nan = np.nan
    response_se = np.full((k, c, a), nan)
    membership_se, shift_se = np.full((p, k), nan), np.full((e.shift.shape[1], a), nan)
    if errors == "none" or _size(e, k) > _MOST_PARAMETERS:
        return Described(shares, np.full(k, nan), response_se, membership_se, shift_se, moves)
    covariance = _covariance(e, mixed, pseudo, robust=errors == "subject")
    error = np.sqrt(np.maximum(np.diag(covariance), 0))
    n_member = (k - 1) * p
    slope = np.zeros((k, k - 1, p))
    for i in range(k):
        for j in range(1, k):
            slope[i, j - 1] = (weights * pi[:, i] * ((i == j) - pi[:, j])) @ e.design / weights.sum()
    flat = slope.reshape(k, n_member)
    variance = np.einsum("ki,ij,kj->k", flat, covariance[:n_member, :n_member], flat)
    at = _places(e, k)
    for i in range(k):
        for cell in np.flatnonzero(at[i] >= 0):
            rows = slice(int(at[i, cell]), int(at[i, cell]) + a - 1)
            q = mixed.responses[i, cell]
            jacobian = (np.diag(q) - np.outer(q, q))[:, 1:]
            spread = np.diag(jacobian @ covariance[rows, rows] @ jacobian.T)
            response_se[i, cell] = np.sqrt(np.maximum(spread, 0))
    membership_se[:, 0], membership_se[:, 1:] = 0, error[:n_member].reshape(k - 1, p).T
    shift_se[:, 0], shift_se[:, 1:] = 0, error[len(error) - n_shift :].reshape(-1, a - 1)
    share_se = np.sqrt(np.maximum(variance, 0))
    return Described(shares, share_se, response_se, membership_se, shift_se, moves)


def _places(e: Evidence, k: int) -> Ints:
    """Where the log odds of each type's cell begin among all parameters, (K, C); -1 where it has none."""
    at = e.places(k)
    return np.where(at >= 0, (k - 1) * e.design.shape[1] + (e.n_actions - 1) * at, -1)


def _scores(e: Evidence, mixed: Mixed, k: int, rows: slice) -> tuple[Floats, Ints]:
    """Scores of patterns that are of type k, (I, D_k), and the places of these parameters among all."""
    from scipy.sparse import csr_matrix

    n_types, a, p = len(mixed.responses), e.n_actions, e.design.shape[1]
    cells = np.flatnonzero(e.owned(n_types)[k])
    group = e.group[rows]
    pi = np.exp(mixed.membership.log_shares(e.design))[group, 1:]
    parts = [
        (((np.arange(1, n_types) == k) - pi)[:, :, None] * e.design[group][:, None]).reshape(len(group), -1)
    ]
    log_p = log_cases(e, mixed)[k]
    counts = e.counts[rows]
    own = np.isin(e.cell, cells).astype(float)
    # d log P / d log odds b of a case is N_b - N p_b: for every action a column with [a = b] - p_b
    column = (np.eye(a)[None] - np.exp(log_p)[:, None, :])[..., 1:] * own[:, None, None]
    q = len(e.cell)
    by_cell = np.zeros((len(group), len(cells), a - 1))
    by_shift = np.zeros((len(group), e.shift.shape[1], a - 1))
    place = np.full(e.n_cells, -1)
    place[cells] = np.arange(len(cells))
    used = np.flatnonzero(own)
    for b in range(a - 1):
        values = np.zeros((q, a))
        values[:] = column[:, :, b]
        scaled = counts.multiply(values.reshape(1, -1)).tocsr()
        where = np.repeat(place[e.cell[used]], a)
        source = (used[:, None] * a + np.arange(a)).reshape(-1)
        gather = csr_matrix((np.ones(len(source)), (source, where)), shape=(q * a, len(cells)))
        by_cell[:, :, b] = (scaled @ gather).todense()
        if e.shift.shape[1]:
            by_shift[:, :, b] = scaled @ np.repeat(e.shift, a, axis=0)
    parts += [by_cell.reshape(len(group), -1), by_shift.reshape(len(group), -1)]
    at = _places(e, n_types)
    n_member, size = (n_types - 1) * p, _size(e, n_types)
    n_shift = e.shift.shape[1] * (a - 1)
    places = np.r_[
        np.arange(n_member),
        (at[k, cells][:, None] + np.arange(a - 1)).reshape(-1),
        np.arange(size - n_shift, size),
    ]
    return np.hstack(parts), places.astype(np.intp)


def _size(e: Evidence, k: int) -> int:
    b = e.n_actions - 1
    return (k - 1) * int(e.design.shape[1]) + b * e.n_responses(k) + b * int(e.shift.shape[1])


def penalised_score(e: Evidence, mixed: Mixed, pseudo: Floats) -> Floats:
    """Derivative of what EM raises, by membership, log odds of responses, and shifts: (D,)."""
    k, _, a = mixed.responses.shape
    r, _ = posterior(e, mixed)
    total = np.zeros(_size(e, k))
    for i in range(k):
        score, places = _scores(e, mixed, i, slice(None))
        total[places] += (e.weights * r[:, i]) @ score
    weights = e.by_group(e.weights[:, None])
    nothing = weights * np.exp(mixed.membership.log_shares(e.design))
    total[: (k - 1) * e.design.shape[1]] += mixed.membership.gradient(e.design, nothing, e.ridge)
    at = _places(e, k)
    slope = pseudo[:, 1:] - pseudo.sum(1)[:, None] * mixed.responses[..., 1:]
    for i in range(k):
        for cell in np.flatnonzero(at[i] >= 0):
            total[at[i, cell] : at[i, cell] + a - 1] += slope[i, cell]
    if e.shift.shape[1]:
        total[-mixed.shift[:, 1:].size :] -= e.shift_ridge * mixed.shift[:, 1:].reshape(-1)
    return total


def observed_information(e: Evidence, mixed: Mixed, pseudo: Floats) -> Floats:
    """Observed information of membership ((K - 1) P, by type), of the responses' log odds, and of shifts.

    Louis' identity: with z the type of a subject and s_k the score of its play and type k,

        I = sum_i { E[-d2 | z] - E[s s'] + E[s] E[s]' },    expectations over the posterior r_ik,

    plus the curvature of pseudo-counts and ridges.
    """
    return information_and_scores(e, mixed, pseudo)[0]


def information_and_scores(e: Evidence, mixed: Mixed, pseudo: Floats) -> tuple[Floats, Floats]:
    """Observed information, and the sum of E[s] E[s]' over subjects: what varies between them, two (D, D)."""
    k, _, a = mixed.responses.shape
    size = _size(e, k)
    total, outer = np.zeros((size, size)), np.zeros((size, size))
    r, _ = posterior(e, mixed)
    step = max(256, _NUMBERS // size)
    for first in range(0, len(e.weights), step):
        rows = slice(first, min(first + step, len(e.weights)))
        w = e.weights[rows, None]
        mean = np.zeros((len(w), size))
        for i in range(k):
            score, places = _scores(e, mixed, i, rows)
            weighted = score * r[rows, i, None]
            total[np.ix_(places, places)] -= (weighted * w).T @ score
            mean[:, places] += weighted
        outer += (mean * w).T @ mean
    total += outer
    expected = e.expected(r * e.weights[:, None]) * e.owned(k)[:, e.cell, None]
    one = Mixed.stacked([mixed])
    _, *curved = _curvature(e, one, log_cases(e, one), expected[None], pseudo)
    diagonal, cross, corner = (values[0] for values in curved)
    at, n_shift = _places(e, k), e.shift.shape[1] * (a - 1)
    for i in range(k):
        for cell in np.flatnonzero(at[i] >= 0):
            rows = slice(int(at[i, cell]), int(at[i, cell]) + a - 1)
            total[rows, rows] += diagonal[i, cell]
            total[rows, size - n_shift :] += cross[i, cell]
            total[size - n_shift :, rows] += cross[i, cell].T
    total[size - n_shift :, size - n_shift :] += corner
    if k > 1:
        n_member = (k - 1) * e.design.shape[1]
        weights = e.by_group(e.weights[:, None])[:, 0]
        total[:n_member, :n_member] += mixed.membership.information(e.design, weights, e.ridge)
    return total, outer


def _covariance(e: Evidence, mixed: Mixed, pseudo: Floats, *, robust: bool) -> Floats:
    """Inverse of the information I, or I^-1 J I^-1 with J the outer product of the subjects' scores.

    Few subjects make J too small, since their scores sum to nothing: J counts n / (n - 1) times.
    """
    information, outer = information_and_scores(e, mixed, pseudo)
    inverse = _inverse(information)
    if not robust:
        return inverse
    n = float(e.weights.sum())
    sandwich: Floats = inverse @ outer @ inverse * (n / max(n - 1, 1))
    return sandwich


def _inverse(information: Floats) -> Floats:
    """Covariance; directions that the play says nothing of are left out."""
    values, vectors = np.linalg.eigh(information)
    usable = values > 1e-9 * max(float(values.max(initial=0.0)), 1e-300)
    half = vectors[:, usable] / np.sqrt(values[usable])
    covariance: Floats = half @ half.T
    return covariance
