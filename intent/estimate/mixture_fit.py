"""What an estimation says: shares, trembles, their errors, criteria, and tests between groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "GroupTest", "MixtureFit", "SfemResult", "TrembleKind"]

TrembleKind = Literal["common", "strategy", "pooled"]
"""One tremble per group, one per strategy, or one for all groups."""


@dataclass(frozen=True)
class Estimate:
    """A parameter with its error.

    Attributes
    ----------
    estimate : float
        NaN where the data say nothing of it (the tremble of a strategy that nobody plays).
    se : float or None
        None on the boundary, on a ridge, and where there is no bootstrap to take it from.
    low, high : float
        Ends of the interval; NaN where there is none.
    source : {"information", "bootstrap", "none"}
        Where the error and the interval come from; on a ridge ("none") the ends are the bounds that the
        data leave.
    """

    estimate: float
    se: float | None
    low: float
    high: float
    source: str


@dataclass(frozen=True, eq=False)
class MixtureFit:
    """The finite mixture of one group.

    Attributes
    ----------
    names : K strategies
    shares : K Estimate
    tremble : one Estimate, or one per strategy
    tremble_kind : {"common", "strategy", "pooled"}
    n_subjects, n_choices : int
    log_likelihood : float
    n_parameters : int
        K - 1 shares, and the trembles (a pooled one is counted here too).
    gradient : float
        max_k mean_i P_ki / mix_i - 1 at the end: the mean log-likelihood of a subject can rise by no more
        than this through other shares at the same tremble.
    iterations : int
    converged : bool
    posterior : (n_subjects, K), or None where subjects were counted and not kept
    subjects : (n_subjects,) codes as given, or None
    ridge : tuples of strategies whose shares the data do not tell apart
    best : strategy whose likelier moves agree with most choices
    match : share of the choices that agree with it
    n_units : int or None
        Independent observations: clusters, or subjects.
    patterns, weights : (P, K) and (P,), or None
        Posterior of the distinct subjects, and how often each occurs.
    """

    names: tuple[str, ...]
    shares: tuple[Estimate, ...]
    tremble: tuple[Estimate, ...]
    tremble_kind: TrembleKind
    n_subjects: int
    n_choices: int
    log_likelihood: float
    n_parameters: int
    gradient: float
    iterations: int
    converged: bool
    posterior: NDArray[np.float64] | None
    subjects: NDArray[Any] | None
    ridge: tuple[tuple[str, ...], ...]
    best: str
    match: float
    n_units: int | None = None
    patterns: NDArray[np.float64] | None = None
    weights: NDArray[np.float64] | None = None

    @property
    def aic(self) -> float:
        """-2 log L + 2 p; smaller is better (Akaike 1974)."""
        return -2 * self.log_likelihood + 2 * self.n_parameters

    @property
    def bic(self) -> float:
        """-2 log L + p log n over n subjects; smaller is better (Schwarz 1978)."""
        return -2 * self.log_likelihood + self.n_parameters * float(np.log(self.n_subjects))

    @property
    def entropy(self) -> float:
        """-sum_ik t_ik log t_ik of the posterior: 0 where every subject is assigned with certainty."""
        t = self.posterior if self.patterns is None else self.patterns
        if t is None:
            return float("nan")
        each = -(t * np.log(np.where(t > 0, t, 1.0))).sum(axis=1)
        return float(each.sum() if self.weights is None else each @ self.weights)

    @property
    def icl(self) -> float:
        """BIC + 2 entropy: prefers strategies that separate (Biernacki, Celeux & Govaert 2000)."""
        return self.bic + 2 * self.entropy

    @property
    def gammas(self) -> tuple[float, ...]:
        """Dal Bó & Fréchette's gamma of each tremble b: b = 1 / (1 + exp(1 / gamma))."""
        return tuple(_gamma(t.estimate) for t in self.tremble)

    @property
    def gamma(self) -> float:
        """The gamma of the tremble; NaN where each strategy has its own (see `gammas`)."""
        return self.gammas[0] if self.tremble_kind != "strategy" else float("nan")


@dataclass(frozen=True)
class GroupTest:
    """A likelihood-ratio test between groups.

    Attributes
    ----------
    tested : {"shares and tremble", "shares", "tremble"}
        What is the same in all groups under the null hypothesis; everything else is free.
    groups : codes of the groups
    statistic : float, 2 (log L free - log L equal), at least 0
    df : int
    p : float, by chi-square
    boundary : bool
        Whether an estimate under the null hypothesis sits on its boundary: chi-square is then only an
        approximation.
    p_permutation : float or None
        By exchanging group labels between subjects (or clusters); for "shares and tremble".
    permutations : int
    p_units : float or None
        For "shares" with one tremble per group: by `contrast.equal_shares_of`, whatever the clusters.
    draws : int, of its distribution
    """

    tested: str
    groups: tuple[Any, ...]
    statistic: float
    df: int
    p: float
    boundary: bool
    p_permutation: float | None = None
    permutations: int = 0
    p_units: float | None = None
    draws: int = 0


@dataclass(frozen=True, eq=False)
class SfemResult:
    """The fits of all groups, and tests between them.

    Attributes
    ----------
    groups : pairs of group code and MixtureFit, sorted by code
    tests : GroupTest, empty for one group
    """

    groups: tuple[tuple[Any, MixtureFit], ...]
    tests: tuple[GroupTest, ...]

    @property
    def log_likelihood(self) -> float:
        """Of all groups together."""
        return sum(fit.log_likelihood for _, fit in self.groups)

    @property
    def n_parameters(self) -> int:
        """Of all groups together; a pooled tremble counts once."""
        total = sum(fit.n_parameters for _, fit in self.groups)
        first = self.groups[0][1]
        shared = first.n_parameters - (len(first.names) - 1) if first.tremble_kind == "pooled" else 0
        return total - (len(self.groups) - 1) * shared

    def criterion(self, name: Literal["aic", "bic", "icl"]) -> float:
        """AIC, BIC or ICL of all groups together; smaller is better."""
        if name == "aic":
            return -2 * self.log_likelihood + 2 * self.n_parameters
        n = sum(fit.n_subjects for _, fit in self.groups)
        bic = -2 * self.log_likelihood + self.n_parameters * float(np.log(n))
        return bic if name == "bic" else bic + 2 * sum(fit.entropy for _, fit in self.groups)


def _gamma(tremble: float) -> float:
    if not 0 < tremble < 0.5:
        return {0.0: 0.0, 0.5: float("inf")}.get(tremble, float("nan"))
    return 1 / float(np.log((1 - tremble) / tremble))
