"""From an optimum to what is said of one group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.information import ZERO, Covariance, ridges
from intent.recognise.sfem.intervals import share_estimates, tremble_estimates
from intent.recognise.sfem.maximise import Optimum, gradient_bound
from intent.recognise.sfem.mixture import Layout, Mixture, Parameters
from intent.recognise.sfem.result import MixtureFit, TrembleKind
from intent.recognise.sfem.sample import Sample

__all__ = ["TOLERANCE", "cluster_scores", "describe"]

Floats = NDArray[np.float64]
TOLERANCE = 1e-9
"""Gradient per subject at which a fit has converged."""


def describe(
    names: tuple[str, ...],
    samples: Sequence[Sample],
    place: int,
    layout: Layout,
    found: Optimum,
    errors: Covariance,
    draws: tuple[Floats, Floats] | None,
    level: float,
    tremble: TrembleKind,
) -> MixtureFit:
    """The fit of one group of those that were fitted together, without posteriors of its subjects."""
    sample, k = samples[place], len(names)
    own_layout = Layout(np.zeros(1, dtype=np.intp), _renumbered(layout.tremble[place]))
    used = np.unique(layout.tremble[place])
    at = Parameters(found.at.shares[:, layout.block[[place]]], found.at.log_odds[:, used])
    mixture = Mixture([sample.counts], own_layout)
    slopes = mixture.slopes(at, [sample.number[None, :]])
    n = sample.n_subjects
    ridge = ridges(slopes.shares[0, 0], slopes.information[0, :k, :k], n)
    shares = np.where(at.shares[0, 0] > ZERO, at.shares[0, 0], 0.0)
    first = int(layout.block[place]) * k
    blocks = layout.n_blocks * k
    moves = found.slopes.moves[0]
    n_units = sum(s.n_units for s in samples)
    can_show = [
        any(
            (sample.counts.p[sample.counts.columns(int(s))] != 0.5).any()
            for s in np.flatnonzero(own_layout.tremble[0] == j)
        )
        for j in range(len(used))
    ]
    best, match = _best(sample)
    return MixtureFit(
        names=names,
        shares=share_estimates(
            shares,
            errors,
            first,
            ridge,
            None if draws is None else draws[0][:, layout.block[place]],
            sample.n_units,
            level,
        ),
        tremble=tremble_estimates(
            at.log_odds[0],
            moves[used] > 1e-6 * moves.sum(),
            errors,
            blocks + int(used[0]),
            None if draws is None else draws[1][:, used],
            n_units,
            level,
        ),
        tremble_kind=tremble,
        n_subjects=n,
        n_choices=int(sample.counts.choices @ sample.number),
        log_likelihood=float(slopes.value[0]),
        n_parameters=k - 1 + sum(can_show),
        gradient=float(gradient_bound(at, slopes, np.full((1, 1), float(n)))[0][0]),
        iterations=int(found.iterations[0]),
        converged=bool(found.gradient[0] <= TOLERANCE),
        posterior=None,
        subjects=None,
        ridge=tuple(tuple(names[i] for i in part) for part in ridge),
        best=names[best],
        match=match,
        n_units=sample.n_units,
        patterns=mixture.posterior(0, at),
        weights=sample.number,
    )


def _renumbered(tremble: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.unique(tremble, return_inverse=True)[1].reshape(1, -1)


def _best(sample: Sample) -> tuple[int, float]:
    """The strategy whose likelier moves agree with most choices (half of those that it leaves open)."""
    counts = sample.counts
    total = sample.number @ counts.moves
    agree = np.select([counts.p > 0.5, counts.p == 0.5], [1.0, 0.5], 0.0) * total
    match = [
        float(agree[counts.columns(k)].sum() / max(total[counts.columns(k)].sum(), 1e-300))
        for k in range(counts.n_strategies)
    ]
    best = int(np.argmax(match))
    return best, match[best]


def cluster_scores(
    samples: Sequence[Sample], layout: Layout, at: Parameters
) -> tuple[Floats, NDArray[np.int64]]:
    """Sum of the scores of each kind of cluster, (C, A K + J), and how many are of the kind (C,).

    Clusters of different groups are different.
    """
    mixture = Mixture([s.counts for s in samples], layout)
    parts = []
    for g, sample in enumerate(samples):
        kinds = sample.kinds
        each = mixture.scores(g, at)[kinds.pattern] * kinds.times[:, None]
        parts.append(np.add.reduceat(each, kinds.start[:-1], axis=0))
    return np.concatenate(parts), np.concatenate([sample.kinds.number for sample in samples])
