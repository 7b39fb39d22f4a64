"""Types with free response: each type chooses each action with a probability of its own in each situation.

With N_ica how often subject i chose action a in situation c, p_kca = P(a | c, type k) and pi_ik the share of
type k among subjects like i,

    L = prod_i sum_k pi_ik prod_ca p_kca^N_ica,

so the counts are all that the play says. EM repeats

    r_ik = pi_ik P_ik / sum_l pi_il P_il,     p_kca = (sum_i r_ik N_ica + s_ca) / sum_a (…),

with a few pseudo-counts s_ca, which keep probabilities inside (0, 1); it never lowers
log L + sum_kca s_ca log p_kca. A cell c may belong to all types (a situation that all of them meet) or to one
(a state of its automaton).

References
----------
Dempster, Laird & Rubin (1977), JRSS B 39:1; Louis (1982), JRSS B 44:226 (the observed information of an EM
problem); Breitmoser (2015), American Economic Review 105:2882, and Dvorak (2023), Journal of the Economic
Science Association 9:337 (strategies with estimated responses).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.membership import Membership

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Evidence", "Fitted", "Mixed", "climb", "evidence", "fit_types"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_ROWS = 1 << 15
"""Patterns in memory at a time, for what is as wide as the types."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What subjects did: distinct patterns of counts, each with its place in the design and its weight.

    Attributes
    ----------
    counts : (I, C A) sparse, how often a subject chose each action in each cell
    weights : (I,), subjects of each pattern
    group : (I,), row of `design`
    design : (G, P), distinct covariates of subjects, the first column ones
    ridge : (P,), of the coefficients of membership
    n_actions : int, A
    owner : (C,) type that a cell belongs to, or None where all cells belong to all types
    """

    counts: csr_matrix
    weights: Floats
    group: Ints
    design: Floats
    ridge: Floats
    n_actions: int
    owner: Ints | None = None

    @property
    def n_cells(self) -> int:
        """C."""
        return int(self.counts.shape[1]) // self.n_actions

    @property
    def pooled(self) -> Floats:
        """(C, A), counts of all subjects."""
        total = self.counts.T @ self.weights
        return np.asarray(total).reshape(self.n_cells, self.n_actions)

    def some(self, rows: Ints) -> Evidence:
        """Those of some patterns."""
        return replace(self, counts=self.counts[rows], weights=self.weights[rows], group=self.group[rows])


@dataclass(frozen=True, eq=False)
class Mixed:
    """The parameters: responses (K, C, A), and who plays which type."""

    responses: Floats
    membership: Membership


@dataclass(frozen=True, eq=False)
class Fitted:
    """Where EM ended.

    Attributes
    ----------
    mixed : Mixed
    value : float, log L + the pseudo-counts' and the ridge's part
    log_likelihood : float
    path : values before each step and after the last
    converged : bool
    """

    mixed: Mixed
    value: float
    log_likelihood: float
    path: Floats
    converged: bool


def evidence(
    cell: NDArray[np.integer[Any]],
    chosen: NDArray[np.int8],
    subject: Ints,
    *,
    n_cells: int,
    n_actions: int,
    design: Floats,
    ridge: Floats,
    owner: Ints | None = None,
) -> Evidence:
    """Counts of subjects, like ones together.

    Parameters
    ----------
    cell : (n, T) or (n, T, M) int
        Of each move; several where types have cells of their own; -1 where there is none.
    chosen : (n, T) int8, -1 where no move counts
    subject : (n,) in 0 .. m - 1
    design : (m, P), of subjects
    """
    from scipy.sparse import csr_matrix

    m = len(design)
    if cell.ndim == 2:
        cell = cell[..., None]
    row, at = np.nonzero(chosen >= 0)
    cells = cell[row, at]
    columns = cells * n_actions + chosen[row, at, None]
    rows = np.broadcast_to(subject[row, None], columns.shape)
    known = cells >= 0
    index = np.int32 if n_cells * n_actions < 1 << 31 else np.int64
    counts = csr_matrix(
        (np.ones(int(known.sum())), (rows[known].astype(index), columns[known].astype(index))),
        shape=(m, n_cells * n_actions),
    )
    counts.sum_duplicates()
    distinct, group = _distinct_rows(design)
    place, pattern = _distinct_counts(counts, group)
    return Evidence(
        counts[place],
        np.bincount(pattern, minlength=len(place)).astype(float),
        group[place],
        distinct,
        ridge,
        n_actions,
        owner,
    )


def _distinct_rows(design: Floats) -> tuple[Floats, Ints]:
    if design.shape[1] == 1:
        return design[:1], np.zeros(len(design), dtype=np.intp)
    distinct, group = np.unique(design, axis=0, return_inverse=True)
    return distinct, group.reshape(-1).astype(np.intp)


def _distinct_counts(counts: csr_matrix, group: Ints) -> tuple[Ints, Ints]:
    """One place of each distinct row with its group, and which of these each row is.

    Rows are told apart by sums of 64-bit numbers, one drawn for each column, and these are then checked.
    """
    n = counts.shape[0]
    drawn = np.random.default_rng(counts.shape[1]).integers(0, 1 << 63, counts.shape[1] + 1, dtype=np.uint64)
    key = np.zeros(n, dtype=np.uint64)
    values = counts.data.astype(np.uint64) * drawn[counts.indices]
    ends = np.r_[np.uint64(0), np.cumsum(values)]
    key = (
        ends[counts.indptr[1:]]
        - ends[counts.indptr[:-1]]
        + group.astype(np.uint64) * (drawn[-1] | np.uint64(1))
    )
    _, place, pattern = np.unique(key, return_index=True, return_inverse=True)
    same = (counts[place[pattern]] != counts).nnz == 0 and (group[place[pattern]] == group).all()
    if not same:
        return np.arange(n), np.arange(n)
    return place.astype(np.intp), pattern.reshape(-1).astype(np.intp)


def log_likelihoods(e: Evidence, responses: Floats, rows: slice = slice(None)) -> Floats:
    """Log probability of the play of each pattern under each type: (I, K)."""
    k = len(responses)
    log_p = np.log(responses)
    if e.owner is not None:
        log_p = log_p * (e.owner == np.arange(k)[:, None])[..., None]
    table = np.ascontiguousarray(log_p.reshape(k, -1).T)
    return np.asarray(e.counts[rows] @ table)


def posterior(e: Evidence, mixed: Mixed) -> tuple[Floats, Floats]:
    """Posterior of the types (I, K), and log-likelihood of each pattern (I,)."""
    joint = log_likelihoods(e, mixed.responses)
    joint += mixed.membership.log_shares(e.design)[e.group]
    top = joint.max(axis=1, keepdims=True)
    joint -= top
    np.exp(joint, out=joint)
    total = joint.sum(axis=1, keepdims=True)
    joint /= total
    return joint, (top + np.log(total))[:, 0]


def climb(e: Evidence, mixed: Mixed, pseudo: Floats, *, n_iter: int, tol: float) -> Fitted:
    """EM from one start.

    Parameters
    ----------
    pseudo : (C, A) pseudo-counts, positive
    tol : float, nats that a step must gain over all subjects to go on
    """
    path: list[float] = []
    converged = False
    while True:
        r, each = posterior(e, mixed)
        log_likelihood = float(e.weights @ each)
        path.append(log_likelihood + _prior(e, mixed, pseudo))
        if len(path) > 1 and path[-1] - path[-2] < tol:
            converged = True
        if converged or len(path) > n_iter:
            return Fitted(mixed, path[-1], log_likelihood, np.array(path), converged)
        mixed = _maximised(e, mixed, r, pseudo)


def _prior(e: Evidence, mixed: Mixed, pseudo: Floats) -> float:
    """The pseudo-counts' and the ridge's part of what EM raises."""
    log_p = np.log(mixed.responses)
    if e.owner is not None:
        log_p = log_p * (e.owner == np.arange(len(log_p))[:, None])[..., None]
    return float((log_p * pseudo).sum()) - mixed.membership.penalty(e.ridge)


def _maximised(e: Evidence, mixed: Mixed, r: Floats, pseudo: Floats) -> Mixed:
    wr = r * e.weights[:, None]
    k = wr.shape[1]
    expected = np.asarray(e.counts.T @ wr).T.reshape(k, *pseudo.shape) + pseudo
    responses = expected / expected.sum(axis=2, keepdims=True)
    by_group = np.zeros((len(e.design), k))
    if len(e.design) == 1:
        by_group[0] = wr.sum(0)
    else:
        for i in range(k):
            by_group[:, i] = np.bincount(e.group, weights=wr[:, i], minlength=len(e.design))
    return Mixed(responses, mixed.membership.maximised(e.design, by_group, e.ridge))


_SHORT = 20
"""Iterations after which the more promising starts go on."""
_FOLLOWED = 3
_SCREENED = 20_000
"""Patterns that starts are screened on."""


def fit_types(
    e: Evidence,
    n_types: int,
    pseudo: Floats,
    *,
    n_starts: int,
    n_iter: int,
    tol: float,
    rng: np.random.Generator,
    begin: Sequence[Mixed] = (),
) -> Fitted:
    """The best of several starts: all run shortly, the best three longer, the best of them to the end.

    Parameters
    ----------
    e : Evidence
    n_types : int, K
    pseudo : (C, A)
    n_starts, n_iter : int
    tol : float, nats per subject that a step must gain to go on
    rng : numpy Generator
    begin : further starts
    """
    n = len(e.weights)
    part = e
    if n > _SCREENED and n_types > 1:
        part = e.some(np.sort(rng.choice(n, _SCREENED, replace=False, p=e.weights / e.weights.sum())))
    starts = [_start(part, n_types, pseudo, rng) for _ in range(n_starts if n_types > 1 else 1)]
    pool = [climb(part, s, pseudo, n_iter=_SHORT, tol=0.0) for s in (*begin, *starts)]
    size = float(part.weights.sum())
    for steps in (5 * _SHORT,):
        pool = sorted(pool, key=lambda f: -f.value)[:_FOLLOWED]
        pool = [climb(part, f.mixed, pseudo, n_iter=steps, tol=10 * tol * size) for f in pool]
    best = max(pool, key=lambda f: f.value)
    return climb(e, best.mixed, pseudo, n_iter=n_iter, tol=tol * float(e.weights.sum()))


def _start(e: Evidence, k: int, pseudo: Floats, rng: np.random.Generator) -> Mixed:
    """Each type begins as one subject plays, the pooled rates filling what that one does not show.

    Further subjects are drawn with chances that grow with how badly the types before explain them.
    """
    pooled = e.pooled + pseudo
    rates = pooled / pooled.sum(axis=1, keepdims=True)
    if k == 1:
        return Mixed(rates[None], Membership.of_shares(np.ones(1), e.design.shape[1] - 1))
    made = np.empty((k, *rates.shape))
    moves = np.maximum(np.asarray(e.counts.sum(axis=1))[:, 0], 1.0)
    chance = e.weights / e.weights.sum()
    worst = np.full(len(moves), -np.inf)
    for i in range(k):
        row = int(rng.choice(len(moves), p=chance))
        own = np.asarray(e.counts[row].todense()).reshape(rates.shape)
        blended = own + rates
        made[i] = blended / blended.sum(axis=1, keepdims=True)
        worst = np.maximum(worst, log_likelihoods(replace(e, owner=None), made[i : i + 1])[:, 0])
        lost = -worst * e.weights
        chance = lost / lost.sum()
    return Mixed(made, Membership.of_shares(np.full(k, 1 / k), e.design.shape[1] - 1))


@dataclass(frozen=True, eq=False)
class Described:
    """Shares of subjects and responses with standard errors.

    Attributes
    ----------
    shares, share_se : (K,)
    response_se : (K, C, A), NaN for cells of other types
    moves : (K, C), expected moves
    """

    shares: Floats
    share_se: Floats
    response_se: Floats
    moves: Floats


_MOST_PARAMETERS = 3000


def described(e: Evidence, mixed: Mixed, pseudo: Floats) -> Described:
    """Shares and responses of fitted parameters, with errors from the observed information.

    Louis' identity: with z the type of a subject and s_k the score of its play and type k,

        I = sum_i { E[-d2 | z] - E[s s'] + E[s] E[s]' },    expectations over the posterior r_ik,

    plus the curvature of pseudo-counts and ridge. Responses are log odds against the first action; a share of
    subjects is the mean of pi_ik over them. The delta method makes errors of probabilities of those.
    """
    r, _ = posterior(e, mixed)
    k = len(mixed.responses)
    c, a = pseudo.shape
    wr = r * e.weights[:, None]
    moves = np.asarray(e.counts.T @ wr).T.reshape(k, c, a).sum(2)
    mine = np.ones((k, c), dtype=bool) if e.owner is None else e.owner == np.arange(k)[:, None]
    moves = np.where(mine, moves, 0.0)
    pi = np.exp(mixed.membership.log_shares(e.design))[e.group]
    shares = e.weights @ pi / e.weights.sum()
    information, at = observed_information(e, mixed, pseudo)
    if information is None:
        nothing = np.full(mixed.responses.shape, np.nan)
        return Described(shares, np.full(k, np.nan), nothing, moves)
    covariance = _inverse(information)
    n_member = (k - 1) * e.design.shape[1]
    design, weights = e.design, np.bincount(e.group, weights=e.weights, minlength=len(e.design))
    pi = np.exp(mixed.membership.log_shares(design))
    slope = np.zeros((k, k - 1, design.shape[1]))
    for i in range(k):
        for j in range(1, k):
            slope[i, j - 1] = (weights * pi[:, i] * ((i == j) - pi[:, j])) @ design / weights.sum()
    flat = slope.reshape(k, n_member)
    variance = np.einsum("ki,ij,kj->k", flat, covariance[:n_member, :n_member], flat)
    response_se = np.full((k, c, a), np.nan)
    for i in range(k):
        for cell in np.flatnonzero(at[i] >= 0):
            rows = slice(int(at[i, cell]), int(at[i, cell]) + a - 1)
            p = mixed.responses[i, cell]
            jacobian = (np.diag(p) - np.outer(p, p))[:, 1:]
            spread = np.diag(jacobian @ covariance[rows, rows] @ jacobian.T)
            response_se[i, cell] = np.sqrt(np.maximum(spread, 0))
    return Described(shares, np.sqrt(np.maximum(variance, 0)), response_se, moves)


def observed_information(e: Evidence, mixed: Mixed, pseudo: Floats) -> tuple[Floats | None, Ints]:
    """Observed information of membership ((K - 1) P, by type) and of the responses' log odds.

    Returns
    -------
    information : (D, D), or None where there are too many parameters
    at : (K, C), where the log odds of a cell begin; -1 where a type does not have it
    """
    k = len(mixed.responses)
    c, a = pseudo.shape
    mine = np.ones((k, c), dtype=bool) if e.owner is None else e.owner == np.arange(k)[:, None]
    n_member = (k - 1) * e.design.shape[1]
    at = np.full((k, c), -1, dtype=np.intp)
    at[mine] = n_member + (a - 1) * np.arange(int(mine.sum()))
    size = n_member + (a - 1) * int(mine.sum())
    if size > _MOST_PARAMETERS:
        return None, at
    total = np.zeros((size, size))
    r, _ = posterior(e, mixed)
    pi = np.exp(mixed.membership.log_shares(e.design))
    step = max(256, _ROWS * 64 // size)
    for first in range(0, len(e.weights), step):
        rows = slice(first, min(first + step, len(e.weights)))
        w, design = e.weights[rows], e.design[e.group[rows]]
        counts = np.asarray(e.counts[rows].todense()).reshape(len(w), c, a)
        n = counts.sum(2)
        mean = np.zeros((len(w), size))
        for i in range(k):
            cells = np.flatnonzero(mine[i])
            away = counts[:, cells, 1:] - n[:, cells, None] * mixed.responses[i, cells, 1:]
            score = np.zeros((len(w), n_member + away.shape[1] * (a - 1)))
            target = (np.arange(1, k) == i) - pi[e.group[rows], 1:]
            score[:, :n_member] = (target[:, :, None] * design[:, None]).reshape(len(w), -1)
            score[:, n_member:] = away.reshape(len(w), -1)
            places = np.r_[np.arange(n_member), (at[i, cells][:, None] + np.arange(a - 1)).reshape(-1)]
            weighted = score * r[rows, i, None]
            total[np.ix_(places, places)] -= (weighted * w[:, None]).T @ score
            mean[:, places] += weighted
        total += (mean * w[:, None]).T @ mean
    expected = np.asarray(e.counts.T @ (r * e.weights[:, None])).T.reshape(k, c, a) + pseudo
    moves = expected.sum(2)
    for i in range(k):
        for cell in np.flatnonzero(mine[i]):
            rows = slice(int(at[i, cell]), int(at[i, cell]) + a - 1)
            p = mixed.responses[i, cell, 1:]
            total[rows, rows] += moves[i, cell] * (np.diag(p) - np.outer(p, p))
    weights: Floats = np.bincount(e.group, weights=e.weights, minlength=len(e.design)).astype(float)
    if k > 1:
        total[:n_member, :n_member] += mixed.membership.information(e.design, weights, e.ridge)
    return total, at


def _inverse(information: Floats) -> Floats:
    """Covariance; directions that the play says nothing of are left out."""
    values, vectors = np.linalg.eigh(information)
    usable = values > 1e-9 * max(float(values.max(initial=0.0)), 1e-300)
    half = vectors[:, usable] / np.sqrt(values[usable])
    covariance: Floats = half @ half.T
    return covariance
