"""Shares of strategies in the groups of a population, from its counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.errors import DataError, UsageError
from intent.parallel import SERIAL, Workers
from intent.recognise.sfem.bootstrap import bootstrap as resample
from intent.recognise.sfem.describe import TOLERANCE, cluster_scores, describe
from intent.recognise.sfem.groups import group_tests
from intent.recognise.sfem.information import covariance
from intent.recognise.sfem.mixture import Mixture
from intent.recognise.sfem.population import Population
from intent.recognise.sfem.result import GroupTest, MixtureFit, SfemResult, TrembleKind
from intent.recognise.sfem.sample import Sample, layout_of, split
from intent.recognise.sfem.starts import climb

__all__ = ["estimate_population", "fit_population"]

Floats = NDArray[np.float64]


def estimate_population(
    names: Sequence[str],
    population: Population,
    *,
    codes: Sequence[Any] | None = None,
    tremble: TrembleKind = "common",
    bootstrap: int = 0,
    level: float = 0.95,
    test: bool = True,
    rng: np.random.Generator | None = None,
    shares_rng: np.random.Generator | None = None,
    update: Callable[[int, int], None] = lambda done, total: None,
    workers: Workers = SERIAL,
) -> SfemResult:
    """Shares and trembles of a population whose play is counted; its fits know no subject by name.

    Parameters
    ----------
    names : K strategies, of which the play was counted
    population : Population
    codes : of the groups; default: 0 .. G - 1
    tremble, bootstrap, level, test, rng, shares_rng, update, workers
        As `estimate`.

    Raises
    ------
    UsageError
        A bootstrap without `rng`.
    DataError
        No own move.
    """
    if bootstrap and rng is None:
        raise UsageError("a bootstrap draws random numbers: got no rng, expected a numpy Generator")
    if not population.counts.choices.any():
        raise DataError("the play has no own move that counts, expected at least one")
    n_groups = population.n_groups
    codes = range(n_groups) if codes is None else codes
    permutations = bootstrap if test and n_groups > 1 else 0
    total = 1 + permutations + bootstrap * (1 if tremble == "pooled" else n_groups)
    update(1, total)
    samples = split(population)
    fits = _fit(
        tuple(names),
        samples,
        tremble,
        bootstrap,
        level,
        rng,
        lambda done: update(1 + done, total),
        workers,
    )
    tests: tuple[GroupTest, ...] = ()
    if test and n_groups > 1:
        free = sum(fit.log_likelihood for fit in fits)
        tests = group_tests(
            population,
            codes,
            samples,
            tremble,
            free,
            permutations=permutations,
            rng=rng,
            shares_rng=shares_rng,
            alpha=1 - level,
            update=lambda done: update(total - permutations + done, total),
            workers=workers,
        )
    update(total, total)
    return SfemResult(tuple(zip(codes, fits, strict=True)), tests)


def fit_population(
    names: Sequence[str], population: Population, tremble: TrembleKind
) -> tuple[MixtureFit, ...]:
    """Fits of all groups, with errors from the information.

    Parameters
    ----------
    names : K strategies
    population : Population
    tremble : {"common", "strategy", "pooled"}
    """
    return _fit(tuple(names), split(population), tremble, 0, 0.95, None, lambda done: None, SERIAL)


def _fit(
    names: tuple[str, ...],
    samples: Sequence[Sample],
    tremble: TrembleKind,
    n_draws: int,
    level: float,
    rng: np.random.Generator | None,
    update: Callable[[int], None],
    workers: Workers,
) -> tuple[MixtureFit, ...]:
    """Fits of all groups: one by one, or together where they share their tremble."""
    together = [list(range(len(samples)))] if tremble == "pooled" else [[g] for g in range(len(samples))]
    fits: list[MixtureFit] = []
    for turn, members in enumerate(together):
        own = [samples[g] for g in members]
        layout = layout_of(len(own), len(names), tremble)
        found = climb([s.counts for s in own], [s.number for s in own], layout, tol=TOLERANCE)
        draws: tuple[Floats, Floats] | None = None
        if n_draws:
            assert rng is not None
            draws = resample(
                Mixture([s.counts for s in own], layout),
                [s.kinds for s in own],
                found.at,
                n_draws,
                rng,
                lambda done, base=turn * n_draws: update(base + done),  # type: ignore[misc]
                workers,
            )
        scores = cluster_scores(own, layout, found.at) if own[0].clustered else (None, None)
        errors = covariance(found, *scores)
        for place in range(len(members)):
            fits.append(describe(names, own, place, layout, found, errors, draws, level, tremble))
    return tuple(fits)
