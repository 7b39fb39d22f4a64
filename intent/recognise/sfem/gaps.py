"""Histories whose state path is unknown: their likelihood as a polynomial in the tremble.

Every factor is p (1 - b) + (1 - p) b, so the likelihood of a history, summed over the paths that its gaps
leave open, is sum_x c_x b^x (1 - b)^(d - x) with coefficients c_x >= 0: x trembles among d moves. The
coefficients are found once, by the forward pass, and give likelihood and derivatives at any tremble. A known
implementation error between decision and play only changes the coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.strategies.automaton import Strategy, outcome_code
from intent.strategies.forward import CASES, Case

__all__ = ["Gaps", "polynomials"]

Floats = NDArray[np.float64]
_CHUNK = 1 << 21


@dataclass(frozen=True, eq=False)
class Gaps:
    """Likelihoods of U pairs of history and strategy.

    Attributes
    ----------
    row : (U,) subject
    strategy : (U,)
    degree : (U,) moves d
    fewest : (U,) least number of trembles x0
    coefficients : (U, D + 1) c_x0, c_x0+1, ... over their scale
    log_scale : (U,)
    """

    row: NDArray[np.intp]
    strategy: NDArray[np.intp]
    degree: NDArray[np.int64]
    fewest: NDArray[np.int64]
    coefficients: Floats
    log_scale: Floats

    def __len__(self) -> int:
        return len(self.row)

    def take(self, keep: NDArray[np.intp], row: NDArray[np.intp], strategy: NDArray[np.intp]) -> Gaps:
        """Those of the indices `keep`, with new subjects and strategies."""
        return Gaps(
            row, strategy, self.degree[keep], self.fewest[keep], self.coefficients[keep], self.log_scale[keep]
        )

    @classmethod
    def join(cls, parts: list[Gaps]) -> Gaps:
        """All of several."""
        width = max((p.coefficients.shape[1] for p in parts), default=1)
        wide = [np.pad(p.coefficients, ((0, 0), (0, width - p.coefficients.shape[1]))) for p in parts]

        def merged(name: str, dtype: type) -> NDArray[np.int64]:
            return np.concatenate([np.empty(0, dtype), *(getattr(p, name) for p in parts)])

        return cls(
            merged("row", np.intp),
            merged("strategy", np.intp),
            merged("degree", np.int64),
            merged("fewest", np.int64),
            np.concatenate([np.empty((0, width)), *wide]),
            np.concatenate([np.empty(0), *(p.log_scale for p in parts)]),
        )

    def moments(self, log_odds: Floats) -> tuple[Floats, Floats, Floats]:
        """Log-likelihood, its first and its second derivative by the log-odds of the tremble: three (B, U).

        With E over the trembles x given the history: E x - d b, and Var x - d b (1 - b).

        Parameters
        ----------
        log_odds : (B, U)
        """
        size = self.coefficients.shape[1] * len(log_odds)
        step = max(1, _CHUNK // size)
        if len(self) > step:
            parts = [np.arange(a, min(a + step, len(self))) for a in range(0, len(self), step)]
            found = [self.take(i, self.row[i], self.strategy[i]).moments(log_odds[:, i]) for i in parts]
            ll, slope, curve = (np.concatenate(values, axis=1) for values in zip(*found, strict=True))
            return ll, slope, curve
        x = np.arange(self.coefficients.shape[1])
        terms = np.exp(x * log_odds[:, :, None]) * self.coefficients
        total = terms.sum(axis=2)
        mean = (terms @ x) / total
        spread = (terms @ (x * x)) / total - mean**2
        b = 1 / (1 + np.exp(-log_odds))
        ll = np.log(total) + self.log_scale + self.fewest * log_odds - self.degree * np.logaddexp(0, log_odds)
        return ll, mean + self.fewest - self.degree * b, spread - self.degree * b * (1 - b)


def polynomials(
    cases: NDArray[np.intp], s: Strategy, rows: NDArray[np.intp], strategy: int, error: float = 0.0
) -> Gaps:
    """Likelihood polynomials of histories under one strategy.

    Parameters
    ----------
    cases : (T, n), `case_codes` transposed
    s : Strategy
    rows : (n,) subject of each
    strategy : int, its index
    error : float in [0, .5), probability that the game flips a decision, where decisions are not recorded
    """
    horizon, n = cases.shape
    width = s.n_states * (horizon + 1)
    step = max(1, _CHUNK // width)
    parts = [
        _polynomials(cases[:, a : a + step], s, rows[a : a + step], strategy, error)
        for a in range(0, n, step)
    ]
    return Gaps.join(parts)


def _polynomials(
    cases: NDArray[np.intp], s: Strategy, rows: NDArray[np.intp], strategy: int, error: float
) -> Gaps:
    horizon, n = cases.shape
    moves = {case: _moves(s, case, error) for case in range(CASES)}
    counts = np.array([Case.of(case).counts for case in range(CASES)])
    counted = np.logical_or.accumulate(counts[cases][::-1], axis=0)[::-1]
    alpha = np.zeros((n, s.n_states, horizon + 1))
    alpha[:, s.start, 0] = 1.0
    degree, log_scale = np.zeros(n, dtype=np.int64), np.zeros(n)
    for t in range(horizon):
        for case in np.unique(cases[t, counted[t]]):
            at = np.flatnonzero((cases[t] == case) & counted[t])
            before, after = alpha[at], np.zeros((len(at), s.n_states, horizon + 1))
            trembling, steps = moves[int(case)]
            for state, target, flip, weight in steps:
                after[:, target, flip:] += weight * before[:, state, : horizon + 1 - flip]
            scale = after.max(axis=(1, 2))
            alpha[at] = after / scale[:, None, None]
            log_scale[at] += np.log(scale)
            degree[at] += trembling
    found = alpha.sum(axis=1)
    fewest = (found > 0).argmax(axis=1)
    shift = np.minimum(np.arange(horizon + 1) + fewest[:, None], horizon)
    shifted = np.take_along_axis(found, shift, axis=1)
    shifted[np.arange(horizon + 1) + fewest[:, None] > horizon] = 0.0
    return Gaps(rows, np.full(n, strategy), degree, fewest, shifted, log_scale)


def _moves(s: Strategy, case: int, error: float) -> tuple[int, list[tuple[int, int, int, float]]]:
    """Whether a tremble can show in this case, and its steps: state, next state, tremble, weight."""
    seen = Case.of(case)
    own, theirs = seen.own, seen.other
    hidden = s.memory == "intended"
    trembling = seen.counts or (own == 2 and not hidden)
    steps: dict[tuple[int, int, int], float] = {}
    for other in (0, 1) if theirs == 2 else (theirs,):
        half = 0.5 if theirs == 2 else 1.0
        for state, p in enumerate(s.p_cooperate):
            for intent, chance in ((0, 1 - p), (1, p)):
                for realised in (0, 1) if own == 2 else (own,):
                    if not trembling and own == 2 and realised != intent:
                        continue
                    remembered = intent if hidden else realised
                    target = s.next_state[state][outcome_code(remembered, other)]
                    emitted = realised if own == 2 else seen.decided
                    for flip in (0, 1) if trembling else (0,):
                        agrees = (emitted != intent) == bool(flip)
                        weight = 1.0 if not trembling else 1 - error if agrees else error
                        key = (state, target, flip)
                        steps[key] = steps.get(key, 0.0) + half * chance * weight
    return int(trembling), [(*key, weight) for key, weight in steps.items() if weight > 0]
