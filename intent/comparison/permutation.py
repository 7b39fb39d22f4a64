"""Cluster permutation: a factor exchanged between whole games, so that games stay as they were played.

With blocks (same model, persona, game, ...) it is exchanged only between what is alike in them.

How many permutations a p needs, and which stream of random numbers they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from intent.estimate.design_units import block_sets

__all__ = [
    "ALPHA",
    "CHUNK",
    "MOST",
    "constant_within",
    "exchangeable",
    "named_stream",
    "p_interval",
    "permutation_p",
    "permuted_codes",
    "permuted_sums",
    "sequential_p",
]


CHUNK = 1 << 22
"""Permuted codes held at a time; bounds memory at 16 MiB."""

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def permuted_codes(
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    permutations: int,
    rng: np.random.Generator,
    blocks: NDArray[np.intp] | None = None,
) -> Iterator[NDArray[np.int32]]:
    """Random reassignments of a factor to rows, in chunks.

    1. A factor that is constant within every cluster (a model that plays both seats) is exchanged
       between all clusters.
    2. Else (a persona per seat) the vector of its values in a cluster is exchanged between clusters with
       the same number of rows, and its order within the cluster is shuffled. With blocks, these clusters
       have as many rows in each block, and only rows of the same block change places.

    Parameters
    ----------
    codes : (n,) int
        Level of the factor in each row.
    clusters : (n,) int
    permutations : int
    rng : Generator
    blocks : (n,) int, optional
        Of clusters that all lie in the same blocks (`block_sets`).

    Yields
    ------
    (b, n) int32
        Levels after b permutations.
    """
    cluster = np.unique(clusters, return_inverse=True)[1]
    labels = codes.astype(np.int32)
    step = max(1, CHUNK // max(1, len(codes)))
    sizes = [min(step, permutations - start) for start in range(0, permutations, step)]
    if constant_within(codes, cluster):
        by_cluster = np.zeros(int(cluster.max()) + 1, dtype=np.int32)
        by_cluster[cluster] = labels
        for size in sizes:
            drawn = rng.permuted(np.tile(by_cluster, (size, 1)), axis=1)
            yield drawn if len(by_cluster) == len(codes) else drawn[:, cluster]
        return
    strata = _strata(cluster, blocks)
    for size in sizes:
        drawn = np.empty((size, len(codes)), dtype=np.int32)
        for rows, seats in strata:
            order = rng.permuted(np.tile(np.arange(len(rows)), (size, 1)), axis=1)
            moved = labels[rows][order]
            for own in seats:
                moved[:, :, own] = rng.permuted(moved[:, :, own], axis=2)
            drawn[:, rows] = moved
        yield drawn


def exchangeable(
    codes: NDArray[np.intp], clusters: NDArray[np.intp], blocks: NDArray[np.intp] | None = None
) -> bool:
    """Whether any permutation differs from what was observed; if none does, there is nothing to test."""
    if blocks is not None:
        sets = block_sets(clusters, blocks)
        parts = (sets == one for one in range(int(sets.max()) + 1))
        return any(_movable(codes[own], clusters[own], blocks[own]) for own in parts)
    return _movable(codes, clusters, None)


def permutation_p(
    observed: float,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    statistic: Statistic,
    permutations: int,
    rng: np.random.Generator,
    blocks: NDArray[np.intp] | None = None,
) -> float:
    """p = (1 + number of permutations with a statistic at least as large) / (1 + permutations).

    The null hypothesis is that the factor has nothing to do with the values: games (and, for a factor
    that varies within games, the rows of a game) could have had each other's levels.

    Parameters
    ----------
    observed : float, finite
    values : (n, k) float
        What is summed by level, such as weights of outcomes.
    codes, clusters : (n,) int
    statistic : callable
        (b, levels, k) sums by level -> (b,) statistics; large means unlike the null.
    permutations : int
    rng : Generator
    blocks : (n,) int, optional
        Levels are exchanged only between rows of equal blocks, and clusters that lie in the same blocks:
        the null hypothesis is that the factor has nothing to do with the values where the blocks are equal.

    References
    ----------
    Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9:39;
    Pesarin & Salmaso (2010), Permutation Tests for Complex Data, ch. 2; Good (2005), Permutation, Parametric
    and Bootstrap Tests of Hypotheses, ch. 5 (blocks).
    """
    threshold = observed - 1e-9 * max(1.0, abs(observed))
    if blocks is None:
        every = permuted_sums(values, codes, clusters, permutations, rng)
    else:
        every = blocked_sums(values, codes, clusters, blocks, permutations, rng)
    reached = sum(int((statistic(sums) >= threshold).sum()) for sums in every)
    return (1 + reached) / (1 + permutations)


def permuted_sums(
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    permutations: int,
    rng: np.random.Generator,
    blocks: NDArray[np.intp] | None = None,
    levels: int | None = None,
) -> Iterator[NDArray[np.float64]]:
    """(b, levels, k) sums of the (n, k) values by level, after each of `permuted_codes`, in chunks.

    Whole clusters with the same sums are interchangeable: where many are alike, the number of each kind
    that falls to each level is drawn at once, from the hypergeometric distribution that this gives.
    """
    cluster = np.unique(clusters, return_inverse=True)[1]
    levels = int(codes.max()) + 1 if levels is None else levels
    if constant_within(codes, cluster):
        values = np.stack([np.bincount(cluster, weights=column) for column in values.T], axis=1)
        codes = codes[np.unique(cluster, return_index=True)[1]]
        cluster = np.arange(len(codes))
        kinds, numbers = np.unique(values, axis=0, return_counts=True)
        if len(kinds) * levels < len(codes):
            sizes = np.bincount(codes, minlength=levels)
            step = max(1, CHUNK // (len(kinds) * levels))
            for start in range(0, permutations, step):
                yield random_tables(sizes, numbers, min(step, permutations - start), rng) @ kinds
            return
        blocks = None
    for drawn in permuted_codes(codes, cluster, permutations, rng, blocks):
        yield _sums_by_level(drawn, values, levels)


def blocked_sums(
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    blocks: NDArray[np.intp],
    permutations: int,
    rng: np.random.Generator,
) -> Iterator[NDArray[np.float64]]:
    """As `permuted_sums`, with levels exchanged within blocks, and sums added over sets of blocks."""
    sets = block_sets(clusters, blocks)
    levels, k = int(codes.max()) + 1, values.shape[1]
    order = np.argsort(sets, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(sets))[:-1])
    still = [not _movable(codes[own], clusters[own], blocks[own]) for own in parts]
    fixed = np.zeros((1, levels, k))
    for own in (part for part, kept in zip(parts, still, strict=True) if kept):
        fixed += _sums_by_level(codes[own][None].astype(np.int32), values[own], levels)
    step = max(1, CHUNK // (levels * k))
    for start in range(0, permutations, step):
        size = min(step, permutations - start)
        total = np.repeat(fixed, size, axis=0)
        for own in (part for part, kept in zip(parts, still, strict=True) if not kept):
            filled = 0
            for sums in permuted_sums(values[own], codes[own], clusters[own], size, rng, blocks[own], levels):
                total[filled : filled + len(sums)] += sums
                filled += len(sums)
        yield total


def random_tables(
    rows: NDArray[np.intp], columns: NDArray[np.intp], size: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(size, r, c) random contingency tables with given margins, as exchanging labels makes them."""
    tables = np.zeros((size, len(rows), len(columns)))
    left = np.tile(columns, (size, 1))
    for i, total in enumerate(rows[:-1]):
        needed, pool = np.full(size, total), left.sum(axis=1)
        for j in range(len(columns) - 1):
            pool = pool - left[:, j]
            drawn = rng.hypergeometric(left[:, j], pool, needed)
            tables[:, i, j] = drawn
            needed = needed - drawn
        tables[:, i, -1] = needed
        left = left - tables[:, i].astype(left.dtype)
    tables[:, -1] = left
    return tables


def _sums_by_level(drawn: NDArray[np.int32], values: NDArray[np.float64], levels: int) -> NDArray[np.float64]:
    """(b, levels, k) sums of (n, k) values by each of (b, n) assignments to levels.

    Mostly-zero values are counted entry by entry, others multiplied level by level: whichever is less work.
    """
    if levels * len(values) <= 2 * np.count_nonzero(values):
        return np.stack([(drawn == level).astype(float) @ values for level in range(levels)], axis=1)
    size = len(drawn)
    offset = (np.arange(size, dtype=np.int32) * levels)[:, None]
    sums = np.empty((size, levels, values.shape[1]))
    for k, column in enumerate(values.T):
        rows = np.flatnonzero(column)
        place = (drawn[:, rows] + offset).ravel()
        tiled = None if (column[rows] == 1).all() else np.tile(column[rows], size)
        sums[:, :, k] = np.bincount(place, weights=tiled, minlength=size * levels).reshape(size, levels)
    return sums


def constant_within(codes: NDArray[np.intp], cluster: NDArray[np.intp]) -> bool:
    first = np.empty(int(cluster.max()) + 1, dtype=codes.dtype)
    first[cluster] = codes
    return bool((first[cluster] == codes).all())


def _movable(codes: NDArray[np.intp], clusters: NDArray[np.intp], blocks: NDArray[np.intp] | None) -> bool:
    """Whether some exchange changes the codes, all clusters lying in the same blocks."""
    cluster = np.unique(clusters, return_inverse=True)[1]
    if constant_within(codes, cluster):
        return len(np.unique(codes)) > 1
    for rows, seats in _strata(cluster, blocks):
        own = codes[rows]
        if (own != own[:1]).any() or any((own[:, seat] != own[:, seat[:1]]).any() for seat in seats):
            return True
    return False


def _strata(
    cluster: NDArray[np.intp], blocks: NDArray[np.intp] | None
) -> list[tuple[NDArray[np.intp], list[NDArray[np.intp]]]]:
    """Clusters alike in the number of rows in each block: (C, m) rows, and the places of each block in m."""
    block = np.zeros_like(cluster) if blocks is None else np.unique(blocks, return_inverse=True)[1]
    order = np.lexsort((block, cluster))
    sizes = np.bincount(cluster)
    starts = np.cumsum(sizes) - sizes
    found = []
    for m in np.unique(sizes):
        rows = order[starts[sizes == m][:, None] + np.arange(m)]
        kinds, kind = np.unique(block[rows], axis=0, return_inverse=True)
        for i, places in enumerate(kinds):
            seats = [np.flatnonzero(places == b) for b in np.unique(places)]
            found.append((rows[kind.reshape(-1) == i], seats))
    return found


ALPHA = 0.05

MOST = 99_999
"""Permutations after which p is what it is."""

_FIRST = 999
_LEVEL = 0.99


def named_stream(seed: int, *names: str) -> np.random.Generator:
    """A generator that depends on the seed and on names alone, not on what was drawn before.

    Parameters
    ----------
    seed : int
    *names : factor and test

    Examples
    --------
    >>> named_stream(0, "model", "permutation").random() == named_stream(0, "model", "permutation").random()
    True
    """
    digest = sha256("\x1f".join(names).encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest[:16], dtype="<u4").tolist()])


def p_interval(reached: int, permutations: int, level: float = _LEVEL) -> tuple[float, float]:
    """Clopper and Pearson's interval of the p that all permutations would give.

    Parameters
    ----------
    reached : int
        Permutations whose statistic is at least the observed one.
    permutations : int
    level : float

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26:404.
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(reached, permutations - reached + 1, tail)) if reached else 0.0
    high = float(betaincinv(reached + 1, permutations - reached, 1 - tail)) if reached < permutations else 1.0
    return low, high


def sequential_p(
    observed: float,
    draws: Callable[[int], Iterator[NDArray[np.float64]]],
    *,
    alpha: float = ALPHA,
    permutations: int | None = None,
) -> tuple[float, int]:
    """p = (1 + number of statistics at least as large) / (1 + permutations), and how many were made.

    Without a number of them, 999 are made, and as many again as there are, until the 99 % interval of p
    (`p_interval`) lies on one side of alpha, or 99,999 are made.

    Parameters
    ----------
    observed : float, finite
    draws : callable
        A number of permutations -> their statistics, in chunks; large means unlike the null.
    alpha : float
    permutations : int, optional
        Exactly so many.

    References
    ----------
    Besag & Clifford (1991), Biometrika 78:301 (sequential p); Phipson & Smyth (2010), Statistical
    Applications in Genetics and Molecular Biology 9:39 (the 1 in numerator and denominator).
    """
    threshold = observed - 1e-9 * max(1.0, abs(observed))
    reached = done = 0
    size = _FIRST if permutations is None else permutations
    while size:
        reached += sum(int((statistics >= threshold).sum()) for statistics in draws(size))
        done += size
        low, high = p_interval(reached, done)
        if permutations is not None or not low <= alpha <= high:
            break
        size = min(done + 1, MOST - done)
    return (1 + reached) / (1 + done), done
