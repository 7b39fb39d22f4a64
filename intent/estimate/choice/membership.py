"""Who plays which type: a multinomial logit of the types on covariates, and its M-step.

With u_i = (1, x_i) the coded covariates of subject i, the share of type k among subjects like i is

    pi_ik = exp(u_i' b_k) / sum_l exp(u_i' b_l),    b_1 = 0,

and the M-step of EM maximises the concave

    sum_i sum_k r_ik log pi_ik - (ridge / 2) sum_j sum_k (b_jk - mean_l b_jl)^2,    j over the covariates.

The penalty does not depend on which type is the first. Without covariates the shares are the mean posterior.

References
----------
Bandeen-Roche, Miglioretti, Zeger & Rathouz (1997), JASA 92:1375; Dvorak (2023), stratEst, Journal of the
Economic Science Association 9:337 (latent class regression on strategies).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.choices import Choices
from intent.estimate.choice.model import Coding

__all__ = ["SEPARATED", "Membership", "SubjectCoding"]

Floats = NDArray[np.float64]

SEPARATED = 12.0
"""Log odds beyond which a covariate is said to separate the types."""
_LEAST_SHARE = 1e-12
_HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Membership:
    """Coefficients b (P, K), those of the first type zero; the first row is the intercept.

    Without covariates P is 1.
    """

    coefficients: Floats

    @classmethod
    def of_shares(cls, shares: Floats, n_columns: int = 0) -> Membership:
        """The same shares (K,) whatever the covariates."""
        logits = np.log(np.maximum(shares, _LEAST_SHARE))
        b = np.zeros((1 + n_columns, len(shares)))
        b[0] = logits - logits[0]
        return cls(b)

    @property
    def n_types(self) -> int:
        """K."""
        return int(self.coefficients.shape[1])

    def log_shares(self, design: Floats) -> Floats:
        """Log probability of each type before any move: (n, P) -> (n, K)."""
        eta = design @ self.coefficients
        eta -= eta.max(axis=1, keepdims=True)
        total: Floats = eta - np.log(np.exp(eta).sum(axis=1, keepdims=True))
        return total

    def taken(self, order: NDArray[np.intp]) -> Membership:
        """The types in another order."""
        b = self.coefficients[:, order]
        return Membership(b - b[:, :1])

    def maximised(self, design: Floats, r: Floats, ridge: Floats, *, steps: int = 1) -> Membership:
        """After some Newton steps, none of which lowers what is maximised.

        Parameters
        ----------
        design : (G, P), distinct rows, the first column ones
        r : (G, K), expected subjects of each type among those of each row
        ridge : (P,), penalty of each coefficient, that of the intercept 0
        steps : int
        """
        if self.n_types == 1:
            return self
        if design.shape[1] == 1:
            return Membership.of_shares(r.sum(0) / r.sum())
        at, value = self, self.objective(design, r, ridge)
        k = self.n_types
        for _ in range(steps):
            gradient = at.gradient(design, r, ridge)
            information = at.information(design, r.sum(1), ridge)
            scale = np.maximum(np.diag(information), 1e-8)
            step = np.linalg.solve(information + np.diag(1e-9 * scale + 1e-10), gradient)
            move = np.concatenate([np.zeros((design.shape[1], 1)), step.reshape(k - 1, -1).T], axis=1)
            size = min(1.0, 8.0 / max(float(np.abs(design @ move).max()), 1e-300))
            for _ in range(_HALVINGS):
                new = Membership(at.coefficients + size * move)
                reached = new.objective(design, r, ridge)
                if reached >= value:
                    break
                size /= 2
            else:
                return at
            if reached - value < 1e-12 * abs(value):
                return new
            at, value = new, reached
        return at

    def objective(self, design: Floats, r: Floats, ridge: Floats) -> float:
        """What the M-step maximises."""
        return float((r * self.log_shares(design)).sum()) - self.penalty(ridge)

    def penalty(self, ridge: Floats) -> float:
        """(1 / 2) sum_jk ridge_j (b_jk - mean_l b_jl)^2."""
        b = self.coefficients
        return 0.5 * float((ridge @ (b - b.mean(axis=1, keepdims=True)) ** 2).sum())

    def gradient(self, design: Floats, r: Floats, ridge: Floats) -> Floats:
        """((K - 1) P,), by type and coefficient."""
        pi = np.exp(self.log_shares(design))
        slope = design.T @ (r - r.sum(1, keepdims=True) * pi) - self._penalty_slope(ridge)
        flat: Floats = slope[:, 1:].T.reshape(-1)
        return flat

    def _penalty_slope(self, ridge: Floats) -> Floats:
        b = self.coefficients
        slope: Floats = ridge[:, None] * (b - b.mean(axis=1, keepdims=True))
        return slope

    def information(self, design: Floats, weights: Floats, ridge: Floats) -> Floats:
        """Minus the second derivative, ((K - 1) P, (K - 1) P)."""
        pi = np.exp(self.log_shares(design))
        p, k = design.shape[1], self.n_types
        out = np.empty((k - 1, p, k - 1, p))
        for a in range(1, k):
            for b in range(a, k):
                w = weights * pi[:, a] * ((a == b) - pi[:, b])
                block = (design * w[:, None]).T @ design + np.diag(ridge * ((a == b) - 1 / k))
                out[a - 1, :, b - 1], out[b - 1, :, a - 1] = block, block.T
        return out.reshape((k - 1) * p, (k - 1) * p)


@dataclass(frozen=True, eq=False)
class SubjectCoding:
    """Covariates of subjects as the columns of the logit.

    Beside a column for each level (and number) there is one for each combination of the covariates that was
    met, so that a combination may differ from what its levels tell, as far as the ridge lets it.

    Attributes
    ----------
    coding : Coding
    combinations : mapping from settings to the place of their column; empty for levels alone
    """

    coding: Coding
    combinations: Mapping[tuple[str, ...], int]

    @classmethod
    def learn(cls, X: Choices, *, combinations: bool) -> SubjectCoding:
        """From the first row of each subject."""
        coding = Coding.learn(X)
        many = combinations and len(coding.levels) > 1
        settings = sorted(set(_settings(coding, X))) if many else []
        return cls(coding, {setting: i for i, setting in enumerate(settings)})

    @property
    def columns(self) -> tuple[str, ...]:
        """The covariates."""
        return self.coding.columns

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns but the intercept."""
        return (*self.coding.names, *(" ".join(setting) for setting in self.combinations))

    def design(self, X: Choices) -> Floats:
        """(n, P), the first column ones."""
        code = self.coding.code(X)
        parts = [np.ones((len(X), 1)), code]
        if self.combinations:
            place = np.array([self.combinations.get(s, -1) for s in _settings(self.coding, X)])
            parts.append((place[:, None] == np.arange(len(self.combinations))).astype(float))
        return np.hstack(parts)

    def to_state(self) -> dict[str, Any]:
        """As JSON values."""
        return {"coding": self.coding.to_state(), "combinations": [list(s) for s in self.combinations]}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> SubjectCoding:
        """Restore what `to_state` gave."""
        combinations = {tuple(map(str, s)): i for i, s in enumerate(state["combinations"])}
        return cls(Coding.from_state(state["coding"]), combinations)


def _settings(coding: Coding, X: Choices) -> list[tuple[str, ...]]:
    """The combination of categories of each row; numbers are left out."""
    at = [i for i, column in enumerate(coding.columns) if column in coding.levels]
    return [tuple(setting[i] for i in at) for setting in coding.settings(X)]
