"""Do the shares of strategies differ between groups, and by how much, when rows are not independent?

Each group has its mixture with its own tremble. What is estimated and tested holds for units of any kind
(games, subjects, conditions): several rows of a unit may lie in one group or in several.

References
----------
Self & Liang (1987), JASA 82:605 (shares at zero); Rotnitzky & Jewell (1990), Biometrika 77:485 (likelihood
ratios of clustered rows); Liang & Zeger (1986), Biometrika 73:13 (cluster-robust covariance); Satterthwaite
(1946), Biometrics Bulletin 2:110 (degrees of freedom); Vaeth (1985), International Statistical Review 53:199.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics import exact_share
from intent.estimate.counts import Counts
from intent.estimate.mixture import (
    NO_TREMBLE,
    ZERO,
    KnownMixture,
    Layout,
    Mixture,
    Optimum,
    Parameters,
    climb,
    climb_known,
    covariance,
    layout_of,
    ridges,
)
from intent.estimate.population import Population, split

__all__ = [
    "EqualShares",
    "GroupPlay",
    "ShareFit",
    "equal_shares",
    "equal_shares_of",
    "fit_shares",
    "unit_sums",
]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

_FIRST, _MOST = 1_999, 99_999
_PIVOTS = 40
_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class GroupPlay:
    """The subjects of one group.

    Parameters
    ----------
    play : Counts of the distinct subjects, or their (P, K) log-likelihoods at a noise that is not estimated
    pattern : (n,) which of them each subject is
    """

    play: Counts | Floats
    pattern: Codes

    @property
    def weights(self) -> Floats:
        """(P,) how often each occurs."""
        return np.bincount(self.pattern, minlength=len(self.play)).astype(float)

    @property
    def n(self) -> int:
        """Subjects."""
        return len(self.pattern)


class _Weighed(Protocol):
    """Distinct subjects of a group, and how often each occurs."""

    @property
    def play(self) -> Counts | Floats: ...

    @property
    def weights(self) -> Floats: ...


@dataclass(frozen=True, eq=False)
class _Counted:
    """The subjects of a group, counted."""

    play: Counts
    weights: Floats


@dataclass(frozen=True, eq=False)
class _Units:
    """Units that hold the same, counted: U kinds.

    Attributes
    ----------
    members : (U, G) bool, groups that they have subjects in
    number : (U,) float, units of the kind
    sums : group and (P, K) values of its distinct subjects -> (U, K) sums by unit
    """

    members: NDArray[np.bool_]
    number: Floats
    sums: Callable[[int, Floats], Floats]


@dataclass(frozen=True, eq=False)
class ShareFit:
    """The mixture of one group, with what its errors are made of.

    Attributes
    ----------
    shares : (K,)
    tremble : float, NaN where the noise is not estimated
    log_odds : float, of the tremble
    posterior : (n, K)
    likelihoods : (n, K), log-probability of each subject's play, at the tremble of the group
    influence : (n, K), what each subject adds to the error of each share; zero for shares of 0 or 1
    naive : (K,), variances of the shares if subjects are independent and the mixture is true
    slope, curvature : (K,), of the profile log-likelihood at a share of zero
    spread : (n, K), scores whose sum is that slope
    known : (K,) bool, whether the data tell the share from the others'
    ridge : groups of strategies between which shares can be moved freely
    """

    shares: Floats
    tremble: float
    log_odds: float
    log_likelihood: float
    posterior: Floats
    likelihoods: Floats
    influence: Floats
    naive: Floats
    slope: Floats
    curvature: Floats
    spread: Floats
    known: NDArray[np.bool_]
    ridge: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class EqualShares:
    """The test that groups have equal shares, each at its own tremble.

    Attributes
    ----------
    statistic : float, 2 (log L of free shares - log L of equal ones)
    df : int, differences of shares that the test compares
    draws : int, from the distribution of the statistic
    design_effect : float, what clustering does to its mean
    units : float, effective degrees of freedom of the units
    """

    statistic: float
    df: int
    p: float
    draws: int
    design_effect: float
    units: float


def fit_shares(group: GroupPlay) -> ShareFit:
    """Maximum-likelihood shares of one group, its tremble free.

    The influence of subject i is T (T' A T)^-1 T' s_i, with s_i its score, A the observed information of
    shares and log-odds of the tremble, and T a basis of what can move: interior shares that sum to one.
    """
    layout = layout_of(1, _width(group), "common")
    optimum = _climbed([group], layout)
    mixture = _mixture([group], layout)
    scores = mixture.scores(0, optimum.at)
    shares = _cleared(optimum.at).shares[0, 0]
    k = len(shares)
    errors = covariance(optimum)
    influence = (scores @ errors.matrix)[:, :k]
    information = optimum.slopes.information[0]
    slope, curvature, spread = _at_zero(shares, scores, information, errors.matrix)
    parts = ridges(optimum.slopes.shares[0, 0], information[:k, :k], group.n)
    odds = float(optimum.at.log_odds[0, 0])
    return ShareFit(
        shares=shares,
        log_odds=odds,
        tremble=_probability(odds) if isinstance(group.play, Counts) else float("nan"),
        log_likelihood=float(optimum.slopes.value[0]),
        posterior=mixture.posterior(0, optimum.at)[group.pattern],
        likelihoods=mixture.likelihoods(0, slice(None), optimum.at.log_odds)[0][0].T[group.pattern],
        influence=influence[group.pattern],
        naive=np.diag(errors.matrix)[:k].copy(),
        slope=slope,
        curvature=curvature,
        spread=spread[group.pattern],
        known=errors.known[:k].copy(),
        ridge=tuple(parts),
    )


def _cleared(at: Parameters) -> Parameters:
    """The parameters of one group, with shares that are zero or not."""
    shares = np.where(at.shares > ZERO, at.shares, 0.0)
    return Parameters(shares / shares.sum(axis=2, keepdims=True), at.log_odds)


def _probability(odds: float) -> float:
    return 0.0 if odds <= NO_TREMBLE else float(1 / (1 + np.exp(-odds)))


def _at_zero(
    shares: Floats, scores: Floats, information: Floats, inverse: Floats
) -> tuple[Floats, Floats, Floats]:
    """Slope, curvature (K,) and scores (P, K) of the profile log-likelihood at each share of zero.

    Raising share k by u takes it from the others in proportion, which then move to where the likelihood is
    highest: along e_k - phi, less what the free parameters explain of it.
    """
    k = len(shares)
    direction = np.zeros((k, len(information)))
    direction[:, :k] = np.eye(k) - shares
    explained = direction - direction @ information @ inverse
    spread = scores @ explained.T
    curvature = np.einsum("ki,ij,kj->k", direction, information, explained)
    slope = scores @ direction.T
    return slope.sum(axis=0), np.maximum(curvature, _TINY), spread


def unit_sums(values: Floats, units: Codes, n_units: int) -> Floats:
    """(C, K) sums of (n, K) values by unit."""
    sums = np.zeros((n_units, values.shape[1]))
    np.add.at(sums, units, values)
    return sums


def equal_shares(
    groups: Sequence[GroupPlay],
    units: Sequence[Codes],
    fits: Sequence[ShareFit],
    *,
    rng: np.random.Generator,
    alpha: float = 0.05,
    draws: int | None = None,
) -> EqualShares:
    """Test that all groups have the same shares, whatever their trembles.

    1. The likelihood ratio of free against equal shares, trembles free in both.
    2. Its distribution under equal shares: scores s_g of all groups are drawn from a multivariate t with the
       covariance of the sums of scores by unit and as many degrees of freedom as the units of the groups are
       worth (Welch, Satterthwaite); the quadratic approximation of both likelihoods is maximised over shares
       that are not negative, so that a strategy that nobody plays costs little power. Scores and curvature
       are those at the groups' own fits: at the fit of equal shares they would be of another play where
       groups differ much, and the test lose its power there (Vaeth 1985).
    3. p = (1 + draws at least as large) / (1 + draws); draws are added until the interval of p (99 %) leaves
       alpha or there are 99,999 (Besag & Clifford 1991, Biometrika 78:301).

    Parameters
    ----------
    groups : G GroupPlay
    units : G arrays (n_g,), unit of each subject, the same codes in all groups, 0 .. C - 1
    fits : G ShareFit
    alpha : float in (0, 1)
    draws : int, optional
        A number that is then not added to.

    Returns
    -------
    EqualShares
        p is NaN where nothing can be compared, or a group lies in one unit.
    """
    n_units = 1 + max(int(codes.max(initial=-1)) for codes in units)

    def sums(g: int, scores: Floats) -> Floats:
        return unit_sums(scores[groups[g].pattern], units[g], n_units)

    members = np.stack([np.bincount(own, minlength=n_units) > 0 for own in units], axis=1)
    free = sum(fit.log_likelihood for fit in fits)
    peaks = [Parameters(fit.shares[None, None], np.array([[fit.log_odds]])) for fit in fits]
    return _tested(groups, _Units(members, np.ones(n_units), sums), peaks, free, rng, alpha, draws)


def equal_shares_of(
    population: Population,
    free: float,
    *,
    rng: np.random.Generator,
    alpha: float = 0.05,
    draws: int | None = None,
) -> EqualShares:
    """`equal_shares` of a population, whose clusters are the units.

    Parameters
    ----------
    free : float, log-likelihood of its groups, each with its own shares and tremble
    rng, alpha, draws : as `equal_shares`
    """
    kinds, samples = population.kinds, split(population)
    own = [np.flatnonzero(kinds.group == g) for g in range(population.n_groups)]
    place = [np.unique(kinds.pattern[rows], return_inverse=True)[1].reshape(-1) for rows in own]
    owner = kinds.owner

    def sums(g: int, scores: Floats) -> Floats:
        rows = own[g]
        return unit_sums(scores[place[g]] * kinds.times[rows, None], owner[rows], len(kinds))

    members = np.stack([np.bincount(owner[rows], minlength=len(kinds)) > 0 for rows in own], axis=1)
    groups = [_Counted(sample.counts, np.asarray(sample.number, dtype=float)) for sample in samples]
    alone = layout_of(1, population.counts.n_strategies, "common")
    peaks = [_cleared(_climbed([group], alone).at) for group in groups]
    return _tested(groups, _Units(members, kinds.number.astype(float), sums), peaks, free, rng, alpha, draws)


def _tested(
    groups: Sequence[_Weighed],
    units: _Units,
    peaks: Sequence[Parameters],
    free: float,
    rng: np.random.Generator,
    alpha: float,
    draws: int | None,
) -> EqualShares:
    n_groups, k = len(groups), _width(groups[0])
    layout = layout_of(n_groups, k, "common", equal=("shares",))
    null = _climbed(groups, layout)
    statistic = max(0.0, 2 * (free - float(null.slopes.value[0])))
    shares = np.where(null.at.shares[0, 0] > ZERO, null.at.shares[0, 0], 0.0)
    members, number = units.members, units.number
    curves, sums = [], np.zeros((len(number), n_groups, k))
    for g, (group, peak) in enumerate(zip(groups, peaks, strict=True)):
        curve, scores = _profiled(group, peak)
        curves.append(curve)
        sums[:, g] = units.sums(g, scores)
    inside = shares > ZERO
    df = (int(inside.sum()) - 1) * (n_groups - 1)
    nothing = EqualShares(statistic, df, float("nan"), 0, float("nan"), float("nan"))
    if df < 1 or (number @ members).min() < 2:
        return nothing
    centred = _centred(sums, members, number)
    effect, freedom = _effective(centred, members, number, _form(curves, inside), inside, df)
    if not freedom > 0:
        return nothing
    half = _half(centred.reshape(len(number), -1) * np.sqrt(number)[:, None])
    reached, done, batch = 0, 0, _FIRST if draws is None else draws
    while batch:
        normal = rng.standard_normal((batch, len(half))) @ half
        scale = np.sqrt(freedom / rng.chisquare(freedom, batch))
        ratios = _ratios((normal * scale[:, None]).reshape(batch, n_groups, k), curves, shares)
        reached += int((ratios >= statistic - 1e-9).sum())
        done += batch
        batch = 0 if draws is not None else _further(reached, done, alpha)
    return EqualShares(statistic, df, (1 + reached) / (1 + done), done, effect, freedom)


def _half(rows: Floats) -> Floats:
    """(m, m) H with H'H = R'R for rows R (U, m), whatever their order, so that the same draws give one p."""
    m = rows.shape[1]
    _, singular, right = np.linalg.svd(rows, full_matrices=False)
    sign = np.where(right @ np.cos(np.arange(m)) < 0, -1.0, 1.0)
    half = np.zeros((m, m))
    half[: len(right)] = (singular * sign)[:, None] * right
    return half


def _further(reached: int, done: int, alpha: float) -> int:
    """How many draws to add: none where the interval of p has left alpha."""
    p = exact_share(reached, done, level=0.99)
    return 0 if done >= _MOST or not p.low <= alpha <= p.high else min(2 * (done + 1), _MOST - done)


def _profiled(group: _Weighed, at: Parameters) -> tuple[Floats, Floats]:
    """Curvature (K, K) of a group's likelihood in the shares, its tremble following; scores (P, K)."""
    k, odds = at.shares.shape[2], float(at.log_odds[0, 0])
    single = _mixture([group], layout_of(1, k, "common"))
    information = single.slopes(at, [group.weights[None, :]]).information[0]
    scores = single.scores(0, at)
    share_part, cross, last = information[:k, :k], information[:k, k], float(information[k, k])
    slopes = scores[:, :k]
    if last > 0 and NO_TREMBLE < odds < single.highest:
        profiled = share_part - np.outer(cross, cross) / last
        values, vectors = np.linalg.eigh(profiled)
        if values.min() < -1e-8 * values.max():
            profiled = (vectors * np.maximum(values, 0)) @ vectors.T
        return profiled, slopes - scores[:, [k]] * (cross / last)
    return share_part, slopes


def _form(curves: Sequence[Floats], inside: NDArray[np.bool_]) -> Floats:
    """(G m, G m) P with 2 (log L free - log L equal) = s' P s, over the m shares that are not zero.

    Shares move along directions that sum to zero; along the shares themselves curvature is rounding error.
    """
    m, n_groups = int(inside.sum()), len(curves)
    basis = np.linalg.svd(np.ones((1, m)))[2][1:].T
    free = [basis.T @ c[np.ix_(inside, inside)] @ basis for c in curves]

    def inverse(matrix: Floats) -> Floats:
        return np.asarray(basis @ np.linalg.pinv(matrix, rcond=1e-10, hermitian=True) @ basis.T)

    form = -np.tile(inverse(np.sum(free, axis=0)), (n_groups, n_groups))
    for g, matrix in enumerate(free):
        form[g * m : (g + 1) * m, g * m : (g + 1) * m] += inverse(matrix)
    return form


def _centred(sums: Floats, members: NDArray[np.bool_], number: Floats) -> Floats:
    """Sums of units (U, G, K) less the mean of the units of each group, times (C_g / (C_g - 1))^1/2."""
    out = np.zeros_like(sums)
    for g in range(sums.shape[1]):
        own = members[:, g]
        n = float(number[own].sum())
        if n > 1:
            mean = (sums[own, g] * number[own, None]).sum(axis=0) / n
            out[own, g] = (sums[own, g] - mean) * np.sqrt(n / (n - 1))
    return out


def _effective(
    sums: Floats,
    members: NDArray[np.bool_],
    number: Floats,
    form: Floats,
    inside: NDArray[np.bool_],
    df: int,
) -> tuple[float, float]:
    """Design effect of the statistic, and degrees of freedom of its denominator.

    With v_j the part of the mean of the statistic that comes from the units of stratum j (units of one group,
    or of the same groups): (sum_j v_j)^2 / sum_j v_j^2 / (C_j - 1).
    """
    flat = sums[:, :, inside].reshape(len(sums), -1)
    parts = np.einsum("ci,ij,cj->c", flat, form, flat) * number
    kinds = np.unique(members, axis=0, return_inverse=True)[1].reshape(-1)
    total = float(parts.sum())
    inverse = 0.0
    for kind in np.unique(kinds):
        own = kinds == kind
        v, n = float(parts[own].sum()), float(number[own].sum())
        if v > _TINY * max(total, 1.0):
            if n < 2:
                return float("nan"), float("nan")
            inverse += v**2 / (n - 1)
    if not total > 0 or not inverse > 0:
        return float("nan"), float("nan")
    return total / df, total**2 / inverse


def _ratios(scores: Floats, curves: Sequence[Floats], shares: Floats) -> Floats:
    """2 (log L free - log L equal) of drawn scores (B, G, K), both maximised over shares >= 0."""
    free = np.sum([_highest(scores[:, g], curve, shares) for g, curve in enumerate(curves)], axis=0)
    equal = _highest(scores.sum(axis=1), np.sum(curves, axis=0), shares)
    return np.asarray(2 * np.maximum(free - equal, 0.0))


def _highest(scores: Floats, curve: Floats, shares: Floats) -> Floats:
    """max over d >= -shares of s'd - d'M d / 2, for each of (B, K) scores, by block principal pivoting.

    References
    ----------
    Portugal, Júdice & Vicente (1994), Mathematics of Computation 63:625.
    """
    scale = 1 / np.sqrt(np.maximum(np.diag(curve), 1e-12 * max(float(np.diag(curve).max()), 1e-300)))
    matrix = curve * scale[:, None] * scale + 1e-9 * np.eye(len(curve))
    slope, bound = scores * scale, -shares / scale
    size, k = slope.shape
    held = np.zeros((size, k), dtype=bool)
    best = np.zeros((size, k))
    fewest, patience = np.full(size, k + 1), np.full(size, 3)
    left = np.arange(size)
    for _ in range(_PIVOTS):
        own = held[left]
        fixed = np.where(own, bound, 0.0)
        right = np.where(own, bound, slope[left] - fixed @ matrix)
        system = np.where(own[:, :, None] | own[:, None, :], np.eye(k), matrix)
        d = np.linalg.solve(system, right[:, :, None])[:, :, 0]
        d = np.where(own, bound, d)
        gradient = slope[left] - d @ matrix
        wrong = np.where(own, gradient > 1e-9, d < bound - 1e-9)
        best[left] = d
        number = wrong.sum(axis=1)
        better = number < fewest[left]
        fewest[left] = np.where(better, number, fewest[left])
        patience[left] = np.where(better, 3, patience[left] - 1)
        single = patience[left] < 0
        last = k - 1 - wrong[:, ::-1].argmax(axis=1)
        one = np.zeros_like(wrong)
        one[np.arange(len(left)), last] = True
        held[left] ^= np.where(single[:, None], wrong & one, wrong)
        left = left[number > 0]
        if not len(left):
            break
    best = np.maximum(best, bound)
    return np.asarray((slope * best).sum(axis=1) - 0.5 * ((best @ matrix) * best).sum(axis=1))


def _width(group: _Weighed) -> int:
    return group.play.n_strategies if isinstance(group.play, Counts) else group.play.shape[1]


def _mixture(groups: Sequence[_Weighed], layout: Layout) -> Mixture:
    plays = [group.play for group in groups]
    counts = [play for play in plays if isinstance(play, Counts)]
    if len(counts) == len(plays):
        return Mixture(counts, layout)
    return KnownMixture([play for play in plays if not isinstance(play, Counts)], layout)


def _climbed(groups: Sequence[_Weighed], layout: Layout) -> Optimum:
    weights = [group.weights for group in groups]
    counts = [group.play for group in groups if isinstance(group.play, Counts)]
    if len(counts) == len(groups):
        return climb(counts, weights, layout)
    known = [group.play for group in groups if not isinstance(group.play, Counts)]
    return climb_known(known, weights, layout)
