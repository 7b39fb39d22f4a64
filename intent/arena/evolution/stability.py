"""What holds its ground on a payoff matrix: stability, dominance, the replicator dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError

__all__ = [
    "Course",
    "Dominance",
    "RestPoint",
    "Stability",
    "best_replies",
    "dominance",
    "flow",
    "replicator",
    "rest_points",
    "stability",
]


TOLERANCE = 1e-9
"""Payoffs nearer than this times their range are equal."""


@dataclass(frozen=True)
class Stability:
    """Whether a population of one name resists the others.

    Parameters
    ----------
    strict_nash : bool
        Nobody earns as much against it as it does itself.
    nash : bool
        Nobody earns more.
    ess : bool
        Evolutionarily stable: Nash, and whoever earns as much against it earns less against itself than it
        does there: a(i, i) = a(j, i) implies a(i, j) > a(j, j).
    margin : float or None
        What it earns against itself, less what the best other name earns against it; None of one name.
    low, high : float or None
        Interval of the margin over draws of strategies; None where none were drawn.

    References
    ----------
    Maynard Smith & Price 1973, Nature 246:15; Maynard Smith 1982, Evolution and the Theory of Games, p. 14.
    """

    name: str
    strict_nash: bool
    nash: bool
    ess: bool
    margin: float | None
    low: float | None = None
    high: float | None = None

    @property
    def open(self) -> bool:
        """Whether the interval of its margin holds 0, so that other strategies might reverse the verdict."""
        return self.low is not None and self.high is not None and self.low <= 0 <= self.high


def best_replies(names: Sequence[str], payoffs: NDArray[np.float64]) -> dict[str, tuple[str, ...]]:
    """By name, who earns most against it; several where they tie."""
    slack = _slack(payoffs)
    return {
        name: tuple(n for n, earned in zip(names, payoffs[:, j], strict=True) if earned >= top - slack)
        for j, (name, top) in enumerate(zip(names, payoffs.max(axis=0), strict=True))
    }


def stability(
    names: Sequence[str],
    payoffs: NDArray[np.float64],
    draws: NDArray[np.float64] | None = None,
    *,
    level: float = 0.95,
) -> tuple[Stability, ...]:
    """Nash and evolutionary stability of each name, as pure strategies of the matrix.

    Parameters
    ----------
    names : sequence of m str
    payoffs : (m, m) float, row against column
    draws : (B, m, m) float, optional
        Matrices that might have been, as of `payoff_draws`; they give intervals of the margins.
    level : float in (0, 1)
    """
    slack = _slack(payoffs)
    verdicts = []
    for i, name in enumerate(names):
        others = [j for j in range(len(names)) if j != i]
        gaps = payoffs[i, i] - payoffs[others, i]
        back = payoffs[i, others] - payoffs[others, others]
        tied = np.abs(gaps) <= slack
        nash = bool((gaps >= -slack).all())
        low, high = _interval(draws, i, others, level)
        verdicts.append(
            Stability(
                name,
                strict_nash=bool((gaps > slack).all()),
                nash=nash,
                ess=nash and bool((back[tied] > slack).all()),
                margin=float(gaps.min()) if others else None,
                low=low,
                high=high,
            )
        )
    return tuple(verdicts)


def _interval(
    draws: NDArray[np.float64] | None, i: int, others: list[int], level: float
) -> tuple[float | None, float | None]:
    if draws is None or not others:
        return None, None
    margins = (draws[:, i, i][:, None] - draws[:, others, i]).min(axis=1)
    low, high = np.quantile(margins, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _slack(payoffs: NDArray[np.float64]) -> float:
    return TOLERANCE * max(float(np.ptp(payoffs)), 1e-300)


@dataclass(frozen=True)
class Dominance:
    """One name is never better than another, or than a mixture.

    Parameters
    ----------
    by : tuple of (name, probability)
    strictly : bool
        Whether it earns less against everybody, not only against somebody.
    """

    dominated: str
    by: tuple[tuple[str, float], ...]
    strictly: bool

    def __str__(self) -> str:
        """``Aggressive``, or ``0.50 Aggressive + 0.50 Neutral``."""
        if len(self.by) == 1:
            return self.by[0][0]
        return " + ".join(f"{p:.2f} {name}" for name, p in self.by)


def dominance(names: Sequence[str], payoffs: NDArray[np.float64]) -> tuple[Dominance, ...]:
    """All dominations by single names; by a mixture, strict ones, where no single name dominates strictly.

    The mixture is the one with the largest least advantage: max v such that sum_i p_i a(i, k) - a(j, k) >= v
    for all k.

    Parameters
    ----------
    names : sequence of m str
    payoffs : (m, m) float, row against column

    References
    ----------
    Osborne & Rubinstein 1994, A Course in Game Theory, 4.2.
    """
    slack = TOLERANCE * max(float(np.ptp(payoffs)), 1e-300)
    dominations = []
    for j, name in enumerate(names):
        more = payoffs - payoffs[j]
        single = []
        for i, other in enumerate(names):
            if i != j and (more[i] >= -slack).all() and (more[i] > slack).any():
                single.append(Dominance(name, ((other, 1.0),), bool((more[i] > slack).all())))
        dominations += single
        if not any(one.strictly for one in single) and len(names) > 2:
            dominations += _by_mixture(names, more, j, slack)
    return tuple(dominations)


def _by_mixture(names: Sequence[str], more: NDArray[np.float64], j: int, slack: float) -> list[Dominance]:
    from scipy.optimize import linprog

    m = len(names)
    bounds = [(0.0, 0.0 if i == j else 1.0) for i in range(m)]
    solved = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.column_stack([-more.T, np.ones(m)]),
        b_ub=np.zeros(m),
        A_eq=[np.append(np.ones(m), 0.0)],
        b_eq=[1.0],
        bounds=[*bounds, (None, None)],
    )
    if not solved.success or solved.x[-1] <= max(slack, 1e-9):
        return []
    mixture = tuple((names[i], float(p)) for i, p in enumerate(solved.x[:m]) if p > 1e-6)
    return [Dominance(names[j], mixture, True)]


_STILL = 1e-9
"""Speed, in shares per unit of time at a payoff range of 1, below which nothing moves any more."""

_ADVANTAGE = 1e-5
"""Payoff above the mean, at a range of 1, that makes a name grow however rare it is: near a saddle nothing
moves either."""


@dataclass(frozen=True, eq=False)
class Course:
    """A path of shares.

    Parameters
    ----------
    times : (k,) float
    shares : (k, m) float
    settled : bool
        Whether it came to rest; on a cycle it never does.
    """

    times: NDArray[np.float64]
    shares: NDArray[np.float64]
    settled: bool

    @property
    def end(self) -> NDArray[np.float64]:
        """(m,) shares at the last time."""
        return np.asarray(self.shares[-1])


@dataclass(frozen=True)
class RestPoint:
    """Shares that do not change.

    Parameters
    ----------
    shares : tuple of m float
    stable : bool or None
        Whether small changes die out (all eigenvalues of the Jacobian within the simplex have negative real
        parts), grow (some has a positive one), or, None, the first order leaves it open.
    """

    shares: tuple[float, ...]
    stable: bool | None


def flow(payoffs: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """dx_i/dt = x_i ((A x)_i - x A x); shares (..., m).

    References
    ----------
    Taylor & Jonker 1978, Mathematical Biosciences 40:145, equation 5.
    """
    earned = shares @ payoffs.T
    return np.asarray(shares * (earned - (shares * earned).sum(axis=-1, keepdims=True)))


def replicator(
    payoffs: NDArray[np.float64], start: Sequence[float], *, until: float = 1e5, points: int = 400
) -> Course:
    """The course of the shares from a start until they rest.

    Solved in logarithms, z_i' = (A x)_i with x = softmax(z), so that shares stay in the simplex. Time is in
    units in which payoffs range over 1; a share of 0 stays 0.

    Parameters
    ----------
    payoffs : (m, m) float
    start : (m,) float, not negative; normalised
    until : float
        Time after which no rest is waited for.
    points : int
        Points of the course, densest at first.

    Raises
    ------
    UsageError
    """
    from scipy.integrate import solve_ivp

    x = np.asarray(start, dtype=float)
    if x.shape != (len(payoffs),) or (x < 0).any() or not x.sum() > 0:
        raise UsageError(f"start {x.tolist()}, expected {len(payoffs)} shares, none negative")
    x = x / x.sum()
    alive = np.flatnonzero(x > 0)
    matrix = _scaled(payoffs[np.ix_(alive, alive)])

    def softmax(z: NDArray[np.float64]) -> NDArray[np.float64]:
        grown = np.exp(z - z.max(axis=0))
        return np.asarray(grown / grown.sum(axis=0))

    def change(t: float, z: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(matrix @ softmax(z))

    def unrest(t: float, z: NDArray[np.float64]) -> float:
        now = softmax(z)
        earned = matrix @ now
        speed = np.abs(flow(matrix, now)).max()
        return float(max(speed / _STILL, (earned - now @ earned).max() / _ADVANTAGE)) - 1.0

    shares = np.zeros((1, len(x)))
    shares[0] = x
    if unrest(0.0, np.log(x[alive])) <= 0:
        return Course(np.zeros(1), shares, True)
    unrest.terminal = True  # type: ignore[attr-defined]
    solution = solve_ivp(
        change, (0.0, until), np.log(x[alive]), method="LSODA", events=unrest, rtol=1e-8, atol=1e-10,
        dense_output=True,
    )  # fmt: skip
    last = float(solution.t[-1])
    times = np.concatenate([[0.0], np.geomspace(min(1e-2, last / 2), last, points - 1)])
    shares = np.zeros((points, len(x)))
    shares[:, alive] = softmax(solution.sol(times)).T
    return Course(times, shares, bool(solution.status == 1))


def rest_points(payoffs: NDArray[np.float64]) -> tuple[RestPoint, ...]:
    """Rest points with isolated shares: at most one on each face, where all its names earn the same.

    Faces on which names earn the same everywhere have lines of rest points, which are not listed.

    Parameters
    ----------
    payoffs : (m, m) float, at most 8 names

    Raises
    ------
    UsageError

    References
    ----------
    Hofbauer & Sigmund 1998, Evolutionary Games and Population Dynamics, 7.1.
    """
    m = len(payoffs)
    if m > 8:
        raise UsageError(f"rest points of {m} names, expected at most 8")
    matrix = _scaled(np.asarray(payoffs, dtype=float))
    points = []
    for size in range(1, m + 1):
        for face in combinations(range(m), size):
            inner = _inner_point(matrix[np.ix_(face, face)])
            if inner is not None:
                shares = np.zeros(m)
                shares[list(face)] = inner
                points.append(RestPoint(tuple(shares.tolist()), _stable(matrix, shares)))
    return tuple(points)


def _inner_point(matrix: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Positive shares at which all earn the same: A x = v 1, sum x = 1."""
    k = len(matrix)
    if k == 1:
        return np.ones(1)
    system = np.block([[matrix, -np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
    if np.linalg.cond(system) > 1e10:
        return None
    x = np.asarray(np.linalg.solve(system, np.append(np.zeros(k), 1.0))[:k])
    return x if (x > 1e-9).all() else None


def _stable(matrix: NDArray[np.float64], x: NDArray[np.float64]) -> bool | None:
    """By the eigenvalues of the Jacobian on directions that keep the sum."""
    m = len(x)
    if m == 1:
        return True
    earned = matrix @ x
    jacobian = np.diag(earned - x @ earned) + x[:, None] * (matrix - (earned + x @ matrix))
    basis = np.linalg.svd(np.ones((1, m)))[2][1:]
    real = np.linalg.eigvals(basis @ jacobian @ basis.T).real
    return True if (real < -1e-9).all() else False if (real > 1e-9).any() else None


def _scaled(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Payoffs shifted and scaled to a range of 1, which changes the unit of time alone."""
    spread = float(np.ptp(matrix))
    return np.asarray((matrix - matrix.min()) / spread) if spread > 0 else np.zeros_like(matrix)
