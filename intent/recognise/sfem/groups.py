"""Likelihood-ratio tests between groups, by chi-square and by exchanging labels.

Under the null hypothesis that shares and trembles are equal, group labels can be exchanged between subjects
(or clusters), which gives a p that needs no asymptotics and no interior estimates. For "shares" or
"tremble" alone labels are not exchangeable. The p of "shares" is then that of `contrast.equal_shares_of`,
which holds for clusters and for shares of zero; for "tremble" chi-square is all there is.

References
----------
Self & Liang 1987, JASA 82:605 (parameters on the boundary); Phipson & Smyth 2010, SAGMB 9:39 (p of
permutations).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.parallel import SERIAL, Workers
from intent.recognise.sfem.bootstrap import PIECE
from intent.recognise.sfem.contrast import equal_shares_of
from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.exchange import Exchange, observed_weights, permuted_groups
from intent.recognise.sfem.information import NO_TREMBLE, ZERO
from intent.recognise.sfem.maximise import Optimum, maximise
from intent.recognise.sfem.mixture import Layout, Mixture, Parameters
from intent.recognise.sfem.population import Population
from intent.recognise.sfem.result import GroupTest, TrembleKind
from intent.recognise.sfem.sample import Sample, layout_of
from intent.recognise.sfem.starts import climb

__all__ = ["group_tests", "permuted_groups"]

Floats = NDArray[np.float64]


def group_tests(
    population: Population,
    codes: Sequence[Any],
    samples: Sequence[Sample],
    tremble: TrembleKind,
    free: float,
    *,
    permutations: int = 0,
    rng: np.random.Generator | None = None,
    shares_rng: np.random.Generator | None = None,
    alpha: float = 0.05,
    update: Callable[[int], None] = lambda done: None,
    workers: Workers = SERIAL,
) -> tuple[GroupTest, ...]:
    """Tests of equal shares and trembles, of equal shares, and of equal trembles.

    Parameters
    ----------
    population : Population
    codes : of the G groups
    samples : G Sample
    tremble : {"common", "strategy", "pooled"}
        With "pooled" the tremble is equal anyway, and only shares are tested.
    free : float, log-likelihood of the unrestricted fit
    permutations : int
    rng : Generator, for permutations
    shares_rng : Generator, for the test of equal shares; None: by chi-square alone
    alpha : float in (0, 1), of that test
    update : called with the number of permutations done
    workers : Workers, which fit; what is drawn is drawn here
    """
    counts = population.counts
    n_groups, k = len(samples), counts.n_strategies
    kinds = [("shares", "tremble"), ("shares",), ("tremble",)] if tremble != "pooled" else [("shares",)]
    tests = []
    for equal in kinds:
        layout = layout_of(n_groups, k, tremble, equal=equal)
        found = climb([s.counts for s in samples], [s.number for s in samples], layout)
        df = _degrees(layout_of(n_groups, k, tremble), counts) - _degrees(layout, counts)
        statistic = max(0.0, 2 * (free - float(found.slopes.value[0])))
        p_permutation = None
        if permutations and (len(equal) == 2 or tremble == "pooled"):
            assert rng is not None
            drawn = _permuted(population, tremble, found, permutations, rng, update, workers)
            p_permutation = float((1 + (drawn[1:] >= drawn[0] - 1e-8).sum()) / (1 + permutations))
        p_units, draws = None, 0
        if shares_rng is not None and equal == ("shares",) and tremble == "common":
            drawn_test = equal_shares_of(population, free, rng=shares_rng, alpha=alpha)
            if drawn_test.draws:
                p_units, draws = drawn_test.p, drawn_test.draws
        tests.append(
            GroupTest(
                " and ".join(equal),
                tuple(codes),
                statistic,
                df,
                _chi_square_tail(statistic, df),
                _on_boundary(found),
                p_permutation,
                permutations if p_permutation is not None else 0,
                p_units,
                draws,
            )
        )
    return tuple(tests)


def _permuted(
    population: Population,
    tremble: TrembleKind,
    equal: Optimum,
    permutations: int,
    rng: np.random.Generator,
    update: Callable[[int], None],
    workers: Workers,
) -> Floats:
    """Log-likelihood of the free fit for the labels as they are and for permuted ones, (1 + permutations,).

    All fits start from the fit of equal groups, with all shares positive.
    """
    counts, n_groups = population.counts, population.n_groups
    n, k = len(counts), counts.n_strategies
    layout = layout_of(n_groups if tremble == "pooled" else 1, k, tremble)
    mixture = Mixture([counts] * len(layout.block), layout)
    shares = 0.9 * equal.at.shares[:, :1] + 0.1 / k
    odds = np.clip(equal.at.log_odds[:, : layout.n_trembles], np.log(1e-3), np.log(0.45 / 0.55))
    step = max(1, PIECE // (k * n_groups * n))
    exchange = Exchange(population.kinds, n_groups, n)

    def pieces() -> Iterator[Floats]:
        for start in range(0, 1 + permutations, step):
            size = min(step, 1 + permutations - start)
            weights = np.empty((size, n_groups, n))
            for i in range(size):
                as_is = start + i == 0
                weights[i] = observed_weights(population.kinds, n_groups, n) if as_is else exchange.draw(rng)
            yield weights

    values: list[Floats] = []
    done = 0
    fit = partial(_free_fits, mixture, shares, odds, tremble != "pooled")
    for some in workers.map(fit, pieces()):
        values.append(some)
        done += len(some)
        update(min(done, permutations))
    return np.concatenate(values)


def _free_fits(mixture: Mixture, shares: Floats, odds: Floats, apart: bool, weights: Floats) -> Floats:
    """Log-likelihoods (size,) of all groups together, of weights (size, G, n) of the distinct subjects."""
    size, n_groups, n = weights.shape
    b = size * n_groups if apart else size
    batch = [weights.reshape(b, n)] if apart else [weights[:, g] for g in range(n_groups)]
    begin = Parameters(np.tile(shares, (b, mixture.layout.n_blocks, 1)), np.tile(odds, (b, 1)))
    found = maximise(mixture, batch, begin, tol=1e-7).slopes.value
    total: Floats = found.reshape(size, -1).sum(axis=1)
    return total


def _degrees(layout: Layout, counts: Counts) -> int:
    """Free parameters; the tremble of a strategy that always tosses a fair coin is none."""
    k = counts.n_strategies
    shows = [i for i in range(k) if (counts.p[counts.columns(i)] != 0.5).any()]
    return layout.n_blocks * (k - 1) + len(np.unique(layout.tremble[:, shows]))


def _on_boundary(found: Optimum) -> bool:
    odds = found.at.log_odds
    return bool(
        (found.at.shares <= ZERO).any() or (odds <= NO_TREMBLE).any() or (odds >= found.highest).any()
    )


def _chi_square_tail(statistic: float, df: int) -> float:
    from scipy.special import gammaincc

    return float(gammaincc(df / 2, statistic / 2)) if df > 0 else 1.0
