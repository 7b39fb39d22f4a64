"""The statistic that is permuted: a score test that is robust to clusters, new for every permutation.

Permuting whole clusters is exact where groups have equal distributions. They need not have: seats of one
group's games may agree more, or its numbers vary more, while shares and means are the same. A statistic in
units of its own error is then still asymptotically exact.

One statistic for shares and means given blocks: Cochran, Mantel and Haenszel's, generalised.

References
----------
Chung & Romano (2013), Annals of Statistics 41:484; DiCiccio & Romano (2017), JASA 112:1211 (studentised
permutations); Boos (1992), The American Statistician 46:327 (score test robust to clusters); Rao & Scott
(1987), Annals of Statistics 15:385 (design effects of groups); Mantel (1963), JASA 58:690 (pooled over
blocks).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import product

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics import exact_share
from intent.estimate.design_units import block_sets

__all__ = [
    "ALPHA",
    "CHUNK",
    "MOST",
    "Robust",
    "exchangeable",
    "named_stream",
    "p_interval",
    "permuted_codes",
    "permuted_sums",
    "robust_statistic",
    "sequential_p",
    "stratified",
]


Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

_NOTHING = 1e-10
"""Eigenvalues below this share of the largest are zero."""

_BORROWED = 0.5
"""Clusters at the average of all that steady the design effect of a group."""

_DRAWN = 10.0
"""Clusters for each free outcome at which a group's own covariance and its design effect count alike."""

_MOST_TYPES = 20_000
"""Kinds of clusters times assignments of groups to their rows up to which clusters are counted by kind."""

_FEW = 12
"""Clusters below which signs alone make too few different samples."""

_WIDEST = 60
"""Contrasts beyond which covariances between groups are left out of the statistic."""


@dataclass(frozen=True, eq=False)
class Robust:
    """What the statistic needs of the data; the same for every permutation.

    Attributes
    ----------
    residuals : (n, r) float
        Values less the mean of their block, in coordinates of unit pooled covariance.
    scale : (r,) float
        Variances of these coordinates as the values have them, for totals over outcomes.
    squares : (n,) float
        Squared length of the values less the mean of their block.
    whole : bool
        Whether each row counts for one outcome, so that equal shares imply equal variances of rows.
    codes : (n,) int
    cluster : (n,) int, 0 to C - 1
    blocks : (n,) int, or None
    """

    residuals: Floats
    scale: Floats
    squares: Floats
    whole: bool
    codes: Codes
    cluster: Codes
    levels: int
    blocks: Codes | None

    @property
    def rank(self) -> int:
        """r, outcomes that vary freely (within blocks); 0: nothing to test."""
        return int(self.residuals.shape[1])

    @property
    def plain(self) -> bool:
        """Whether whole clusters change places freely."""
        return self.blocks is None and constant_within(self.codes, self.cluster)

    def statistic(self) -> float:
        """W of the data as they are."""
        if self.plain:
            features = self._features()
            by_level = [np.bincount(self._level, f, minlength=self.levels).astype(float) for f in features.T]
            return float(self._plain(np.stack(by_level, axis=1)[None])[0])
        codes = self._level if self._constant else self.codes
        return float(next(self._wide(iter([codes[None].astype(np.int32)])))[0])

    def permuted(self, permutations: int, rng: np.random.Generator) -> Iterator[Floats]:
        """W of permuted data, in chunks of (b,)."""
        if self.plain:
            n_clusters = len(self._level)
            features = self._features()
            each = np.arange(n_clusters)
            for sums in permuted_sums(features, self._level, each, permutations, rng, levels=self.levels):
                yield self._plain(sums)
            return
        yield from self._wide(self._drawn(permutations, rng))

    def fewest(self) -> int:
        """Clusters of the group that has the fewest."""
        pairs = np.unique(self.cluster * self.levels + self.codes)
        return int(np.bincount(pairs % self.levels, minlength=self.levels).min())

    def wild_p(self, samples: int, rng: np.random.Generator) -> float:
        """p of the wild cluster bootstrap: what clusters add to D, each with a random sign, null imposed.

        Rademacher's signs, or of fewer than 12 clusters Webb's six weights; V is that of the data.

        References
        ----------
        Cameron, Gelbach & Miller (2008), Review of Economics and Statistics 90:414; Kline & Santos (2012),
        Journal of Econometric Methods 1:23 (of scores); Webb (2023), Canadian Journal of Economics 56:839.
        """
        block = np.zeros_like(self.cluster) if self.blocks is None else self.blocks
        expected = self._expected(block)
        seats = self._seats(expected[block])
        targets, rows = self._targets(block, expected)
        codes = (self._level if self._constant else self.codes)[None].astype(np.int32)[:, seats.places]
        sums = self._moments(codes, seats)
        own = (codes[..., None] == np.arange(self.levels)) & seats.there[..., None]
        u = np.einsum("cmg,cmr->cgr", own[0].astype(float), seats.residuals) - seats.shared
        flat = u.reshape(len(u), -1)
        if len(u) < _FEW:
            weights = np.sqrt([0.5, 1.0, 1.5])
            drawn = rng.choice(np.concatenate([-weights, weights]), size=(samples, len(u)))
        else:
            drawn = rng.integers(0, 2, size=(samples, len(u))) * 2.0 - 1.0
        every = np.tile(sums, (samples + 1, 1))
        every[1:, : flat.shape[1]] = drawn @ flat
        w = self._w(every, targets, rows)
        return (1 + int((w[1:] >= w[0] - 1e-9 * max(1.0, w[0])).sum())) / (1 + samples)

    @property
    def _level(self) -> Codes:
        level = np.empty(int(self.cluster.max()) + 1, dtype=np.intp)
        level[self.cluster] = self.codes
        return level

    def _sums(self, values: Floats) -> Floats:
        """(C, k) sums over the rows of clusters."""
        return np.stack([np.bincount(self.cluster, weights=v) for v in values.T], axis=1).astype(float)

    def _features(self) -> Floats:
        """(C, f) what adds up over the clusters of a group: their number, rows, sums, products, squares."""
        z = self._sums(np.round(self.residuals, 12))
        upper = np.triu_indices(self.rank)
        return np.column_stack(
            [
                np.ones(len(z)),
                np.bincount(self.cluster).astype(float),
                z,
                (z[:, :, None] * z[:, None, :])[:, upper[0], upper[1]],
                np.bincount(self.cluster, weights=np.round(self.squares, 12)),
            ]
        )

    def _effects(self, n_clusters: Floats, n: Floats, between: Floats, within: Floats) -> Floats:
        """Design effects of groups: variance of clusters over that of rows, some average clusters added."""
        whole = self._sums(self.residuals)
        mean_between = float((whole**2 @ self.scale).sum()) / len(whole)
        total, count = float(self.squares.sum()), len(self.squares)
        if self.whole:
            return np.asarray(
                (between + _BORROWED * mean_between) / (within + _BORROWED * total / len(whole))
            )
        rows = n + _BORROWED * count / len(whole)
        return np.asarray((between + _BORROWED * mean_between) / (rows * total / count))

    def _own_weight(self, n_clusters: Floats) -> Floats:
        """How much a group's own covariance counts beside its design effect times that of rows."""
        if self.rank == 1 and self.plain:
            return np.zeros_like(n_clusters)
        return np.asarray(n_clusters / (n_clusters + _DRAWN * self.rank))

    def _plain(self, sums: Floats) -> Floats:
        """W from (b, levels, f) sums of `_features`: groups are independent, each has its covariance."""
        r = self.rank
        n_clusters, n = sums[..., 0], sums[..., 1]
        z, products, within = sums[..., 2 : 2 + r], sums[..., 2 + r : -1], sums[..., -1]
        upper = np.triu_indices(r)
        covariance = np.zeros((*n.shape, r, r))
        covariance[..., upper[0], upper[1]] = products
        covariance[..., upper[1], upper[0]] = products
        between = np.einsum("...rr,r->...", covariance, self.scale)
        effects = self._effects(n_clusters, n, between, within)
        own = self._own_weight(n_clusters)
        covariance *= own[..., None, None]
        covariance[..., range(r), range(r)] += ((1 - own) * effects * n)[..., None]
        inverse = np.linalg.inv(covariance)
        scaled = np.einsum("...rs,...s->...r", inverse, z)
        alone = (scaled * z).sum(axis=(-2, -1))
        pooled = (n[..., None] * scaled).sum(axis=-2)
        weight = (n[..., None, None] ** 2 * inverse).sum(axis=-3)
        common = np.linalg.solve(weight, pooled[..., None])[..., 0]
        return np.asarray(alone - (pooled * common).sum(axis=-1))

    def _drawn(self, permutations: int, rng: np.random.Generator) -> Iterator[NDArray[np.int32]]:
        """Permuted codes; with blocks within sets of clusters that lie in the same ones.

        Of (b, C) clusters where the factor is constant within them, else of (b, n) rows.
        """
        sets = np.zeros_like(self.cluster) if self.blocks is None else block_sets(self.cluster, self.blocks)
        codes, cluster, blocks = self.codes, self.cluster, self.blocks
        if self._constant:
            first = np.unique(cluster, return_index=True)[1]
            codes, cluster, sets, blocks = codes[first], np.arange(len(first)), sets[first], None
        order = np.argsort(sets, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(sets))[:-1])
        step = max(1, CHUNK // (8 * len(codes) * (1 + self.rank)))
        for start in range(0, permutations, step):
            size = min(step, permutations - start)
            drawn = np.empty((size, len(codes)), dtype=np.int32)
            for own in parts:
                block = None if blocks is None else blocks[own]
                chunks = list(permuted_codes(codes[own], cluster[own], size, rng, block))
                drawn[:, own] = chunks[0] if len(chunks) == 1 else np.concatenate(chunks)
            yield drawn

    def _wide(self, drawn: Iterator[NDArray[np.int32]]) -> Iterator[Floats]:
        """W of drawn codes: sums of clusters by group, less what blocks let expect of them."""
        block = np.zeros_like(self.cluster) if self.blocks is None else self.blocks
        expected = self._expected(block)
        seats = self._seats(expected[block])
        targets, rows = self._targets(block, expected)
        kinds, kind = seats.kinds()
        if self._constant and not self._joint:
            for codes in drawn:
                yield self._w(self._sums_of_kinds(codes, kinds, kind, seats), targets, rows)
            return
        m = seats.places.shape[1]
        typed = len(kinds.places) * self.levels**m <= min(_MOST_TYPES, 4 * len(seats.places))
        table = None
        if typed:
            patterns = np.array(list(product(range(self.levels), repeat=m)), dtype=np.int32)
            table = np.concatenate(
                [self._moments(np.tile(p, (1, len(kinds.places), 1)), kinds, each=True) for p in patterns]
            )
            power = self.levels ** np.arange(m)[::-1]
        for codes in drawn:
            held = codes[:, seats.places]
            if table is None:
                sums = self._moments(held, seats)
            else:
                place = (
                    (held @ power) * len(kinds.places) + kind + (np.arange(len(held)) * len(table))[:, None]
                )
                counts = np.bincount(place.ravel(), minlength=len(held) * len(table))
                sums = counts.reshape(len(held), -1).astype(float) @ table
            yield self._w(sums, targets, rows)

    def _moments(self, codes: NDArray[np.int32], seats: _Seats, *, each: bool = False) -> Floats:
        """Sums over clusters of what W is made of, (b, f), from (b, C, m) codes; `each`: (C, f) of each."""
        b, n_clusters, _ = codes.shape
        own = (codes[..., None] == np.arange(self.levels)) & seats.there[..., None]
        x = np.einsum("bcmg,cmr->bcgr", own.astype(float), seats.residuals)
        u = x - seats.shared
        within = np.einsum("bcmg,cm->bcg", own.astype(float), seats.squares)
        parts: list[Floats] = [x.reshape(b, n_clusters, -1), x**2 @ self.scale, within]
        parts.append(own.any(axis=2).astype(float))
        flat = u[:, :, :-1].reshape(b, n_clusters, -1)
        if each:
            if self._joint:
                parts.append((flat[..., :, None] * flat[..., None, :]).reshape(b, n_clusters, -1))
            else:
                parts.append((u[..., :, None] * u[..., None, :]).reshape(b, n_clusters, -1))
            return np.asarray(np.concatenate(parts, axis=2)[0])
        sums = [part.sum(axis=1) for part in parts]
        if self._joint:
            sums.append((flat.transpose(0, 2, 1) @ flat).reshape(b, -1))
        else:
            by_group = u.transpose(0, 2, 3, 1)
            sums.append((by_group @ by_group.transpose(0, 1, 3, 2)).reshape(b, -1))
        return np.concatenate(sums, axis=1)

    def _sums_of_kinds(self, codes: NDArray[np.int32], kinds: _Seats, kind: Codes, seats: _Seats) -> Floats:
        """`_moments` of whole clusters: each counts for the covariance of its own group alone."""
        b, g, n_kinds = len(codes), self.levels, len(kinds.places)
        place = (np.arange(b)[:, None] * g + codes) * n_kinds + kind
        counts = np.bincount(place.ravel(), minlength=b * g * n_kinds).reshape(b, g, n_kinds).astype(float)
        z, shared = kinds.residuals[:, 0], kinds.shared
        total = counts @ z
        products = z[:, :, None] * z[:, None, :]
        second = []
        for h in range(g):
            crossed = z[:, :, None] * shared[:, h, None, :]
            own = (products - crossed - crossed.transpose(0, 2, 1)).reshape(n_kinds, -1)
            second.append(counts[:, h] @ own + (seats.shared[:, h].T @ seats.shared[:, h]).ravel())
        parts = [total, counts @ (z**2 @ self.scale), counts @ kinds.squares[:, 0], counts.sum(axis=2)]
        return np.concatenate([*(part.reshape(b, -1) for part in parts), *second], axis=1)

    def _w(self, sums: Floats, targets: Floats, rows: Floats) -> Floats:
        """W from the (b, f) sums of `_moments`."""
        r, g = self.rank, self.levels
        ends = np.cumsum([g * r, g, g, g])
        total, between, within, held, second = np.split(sums, ends, axis=1)
        effects = self._effects(held, rows, between, within)
        own = self._own_weight(held)
        if self._joint:
            size = (g - 1) * r
            root = np.sqrt(np.repeat(own[:, :-1], r, axis=1))
            covariance = second.reshape(-1, size, size) * (root[:, :, None] * root[:, None, :])
            covariance += np.tensordot((1 - own) * effects, targets, axes=1)
            return _quadratic(covariance, total[:, :size])
        covariance = second.reshape(-1, g, r, r) * own[..., None, None]
        covariance += np.einsum("bg,ghrs->bhrs", (1 - own) * effects, targets)
        return _quadratic(covariance, total.reshape(-1, g, r))

    @property
    def _joint(self) -> bool:
        return (self.levels - 1) * self.rank <= _WIDEST

    @property
    def _constant(self) -> bool:
        return constant_within(self.codes, self.cluster)

    def _targets(self, block: Codes, expected: Floats) -> tuple[Floats, Floats]:
        """Covariance of D that the rows of each group add if rows are independent; rows of each group."""
        r, size = self.rank, np.bincount(block).astype(float)
        rows = expected * size[:, None]
        inner = np.zeros((len(size), r, r))
        for a in range(r):
            for b in range(r):
                inner[:, a, b] = np.bincount(block, self.residuals[:, a] * self.residuals[:, b]) / size
        apart = np.eye(self.levels)[None] - expected[:, None, :]
        if not self._joint:
            return np.einsum("bg,bgh,brs->ghrs", rows, apart**2, inner, optimize=True), rows.sum(axis=0)
        free = apart[:, :, :-1]
        spread = np.einsum("bg,bgh,bgi,brs->ghris", rows, free, free, inner, optimize=True)
        contrasts = (self.levels - 1) * r
        return spread.reshape(self.levels, contrasts, contrasts), rows.sum(axis=0)

    def _expected(self, block: Codes) -> Floats:
        """(blocks, levels) shares of the levels that permutations let expect."""
        rows = np.zeros((int(block.max()) + 1, self.levels))
        sets = block_sets(self.cluster, block)
        order = np.argsort(sets, kind="stable")
        for own in np.split(order, np.cumsum(np.bincount(sets))[:-1]):
            if constant_within(self.codes[own], np.unique(self.cluster[own], return_inverse=True)[1]):
                first = np.unique(self.cluster[own], return_index=True)[1]
                share = np.bincount(self.codes[own][first], minlength=self.levels) / len(first)
                rows += np.bincount(block[own], minlength=len(rows))[:, None] * share
            else:
                np.add.at(rows, (block[own], self.codes[own]), 1.0)
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    def _seats(self, expected: Floats) -> _Seats:
        """Rows by cluster; whole clusters are one row where the factor is constant within them."""
        sizes = np.bincount(self.cluster)
        shared = np.stack(
            [self._sums(self.residuals * expected[:, g][:, None]) for g in range(self.levels)], axis=1
        )
        if self._constant:
            own = self._sums(self.residuals)[:, None]
            squares = self._sums(self.squares[:, None])
            there = np.ones((len(sizes), 1), dtype=bool)
            return _Seats(np.arange(len(sizes))[:, None], own, squares, there, shared)
        order = np.argsort(self.cluster, kind="stable")
        starts = np.cumsum(sizes) - sizes
        seat = np.arange(int(sizes.max()))[None]
        there = seat < sizes[:, None]
        places = order[np.where(there, starts[:, None] + seat, starts[:, None])]
        residuals = np.where(there[:, :, None], self.residuals[places], 0.0)
        return _Seats(places, residuals, np.where(there, self.squares[places], 0.0), there, shared)


@dataclass(frozen=True, eq=False)
class _Seats:
    """Rows of each cluster side by side.

    Attributes
    ----------
    places : (C, m) int, rows (or clusters) whose codes count; beyond the size of a cluster its first
    residuals : (C, m, r) float
    squares : (C, m) float
    there : (C, m) bool
    shared : (C, levels, r) float
    """

    places: Codes
    residuals: Floats
    squares: Floats
    there: NDArray[np.bool_]
    shared: Floats

    def kinds(self) -> tuple[_Seats, Codes]:
        """Clusters that are unlike, and which of them each is."""
        flat = [part.reshape(len(self.places), -1) for part in (self.residuals, self.squares, self.shared)]
        columns = np.round(np.concatenate([*flat, self.there.astype(float)], axis=1), 9) + 0.0
        columns = columns[:, np.flatnonzero(np.ptp(columns, axis=0) > 0)]
        keys = np.ascontiguousarray(columns).view(np.dtype((np.void, 8 * max(columns.shape[1], 1))))
        if columns.shape[1] == 0:
            first, kind = np.zeros(1, dtype=np.intp), np.zeros(len(self.places), dtype=np.intp)
        else:
            _, first, kind = np.unique(keys.ravel(), return_index=True, return_inverse=True)
        unlike = _Seats(
            self.places[first],
            self.residuals[first],
            self.squares[first],
            self.there[first],
            self.shared[first],
        )
        return unlike, kind


def robust_statistic(
    values: Floats, codes: Codes, clusters: Codes, blocks: Codes | None = None
) -> Robust | None:
    """Prepare the studentised statistic of the difference of group means, robust to clusters.

    1. z_i, the values of row i less the mean of its block (without blocks, of all rows), in coordinates in
       which rows have covariance 1. D_g = sum of z over the rows of group g.
    2. Cluster c adds u_cg = sum_i z_i (1[i in g] - pi_bg) to D_g, pi_bg the share of group g in block b of
       the row; the covariance of D is sum_c u_c u_c', whatever holds within clusters and in other groups.
    3. Few clusters or rare outcomes do not tell a covariance: that of each group of C_g clusters is drawn,
       with weight 10r / (C_g + 10r) for r free outcomes, to what independent rows would have, times
       the group's design effect. Of one free outcome, and groups of whole clusters, it is the latter alone.
    4. W = D' V^- D. Where whole clusters change places freely, V is made of the groups' own covariances, each
       drawn so, and shares of groups are those of the permuted data.

    Differences between blocks cancel; a block that holds one group alone adds nothing. Without clusters and
    with two outcomes, W is chi-square times (N - 1) / N, or nearly so.

    Parameters
    ----------
    values : (n, k) float
        Weights of outcomes, or one number.
    codes : (n,) int
        Group of each row.
    clusters : (n,) int
    blocks : (n,) int, optional
        Groups are compared within equal blocks only.

    Returns
    -------
    Robust or None
        None where no block holds two groups, or nothing varies in those that do.
    """
    level = np.unique(codes, return_inverse=True)[1]
    cluster = np.unique(clusters, return_inverse=True)[1]
    levels = int(level.max()) + 1
    if blocks is not None:
        block = np.unique(blocks, return_inverse=True)[1]
        if int(block.max()) == 0:
            blocks = None
    if blocks is None:
        block = np.zeros(len(values), dtype=np.intp)
    size = np.bincount(block).astype(float)
    means = np.stack([np.bincount(block, weights=v) / size for v in values.T], axis=1)
    centred = values - means[block]
    counts = np.zeros((len(size), levels))
    np.add.at(counts, (block, level), 1.0)
    mixed = ((counts > 0).sum(axis=1) > 1)[block]
    if not mixed.any():
        return None
    pooled = centred[mixed].T @ centred[mixed] / mixed.sum()
    if np.trace(pooled) <= 1e-20 * max(1e-300, float((values**2).sum()) / len(values)):
        return None
    variances, vectors = np.linalg.eigh(pooled)
    free = variances > _NOTHING * variances.max()
    residuals = centred @ (vectors[:, free] / np.sqrt(variances[free]))
    whole = values.shape[1] > 1 and bool(np.isin(values, (0.0, 1.0)).all())
    return Robust(
        residuals,
        variances[free],
        (centred**2).sum(axis=1),
        whole,
        level,
        cluster,
        levels,
        None if blocks is None else block,
    )


def _quadratic(covariance: Floats, distance: Floats) -> Floats:
    """d' V^- d, of (b, p, p) and (b, p), or summed over groups of (b, G, r, r) and (b, G, r)."""
    trace = np.einsum("...pp->...", covariance) / covariance.shape[-1]
    ridge = 1e-9 * np.where(trace > 0, trace, 1.0)
    covariance = covariance + ridge[..., None, None] * np.eye(covariance.shape[-1])
    solved = np.linalg.solve(covariance, distance[..., None])[..., 0]
    forms = (solved * distance).sum(axis=-1)
    return np.asarray(forms if forms.ndim == 1 else forms.sum(axis=-1))


"""Eigenvalues below this share of the largest are zero."""


@dataclass(frozen=True, eq=False)
class Stratified:
    """What Q needs of the data; the same for every permutation within blocks.

    Attributes
    ----------
    centred : (n, k) float
        Values less the mean of their block.
    inverse : (levels * k, levels * k) float
        Generalised inverse of the covariance of the summed deviations.
    df : int
        Rank of the covariance.
    scale : float
        sum_b (N_b - 1) over informative blocks, times min(levels - 1, rank of the values): Q is no larger.
    """

    centred: Floats
    inverse: Floats
    df: int
    scale: float

    def statistic(self, sums: Floats) -> Floats:
        """Q of (..., levels, k) sums of the centred values by level."""
        flat = sums.reshape(*sums.shape[:-2], -1)
        return np.asarray(((flat @ self.inverse) * flat).sum(axis=-1))


def stratified(values: Floats, codes: NDArray[np.intp], blocks: NDArray[np.intp]) -> Stratified:
    """Prepare the generalised Cochran-Mantel-Haenszel statistic.

    1. D_gk = sum over blocks b of (sum of value k in level g of b, less what the block's mean lets expect).
    2. Under exchange of rows within blocks, Cov(D) = sum_b [diag(r_b) - r_b r_b' / N_b] (x) S_b, with r_b
       the rows of each level and S_b the covariance of the values in b (N_b - 1).
    3. Q = D' Cov(D)^- D, on `df` degrees of freedom if rows were independent.

    With 0/1 outcomes this is the test of general association, with one number the mean score test; with
    one block it is (N - 1) / N chi-square, or (N - 1) eta squared. Differences between blocks cancel, and
    a block that holds one level alone adds nothing.

    Parameters
    ----------
    values : (n, k) float
        Weights of outcomes, or one number.
    codes : (n,) int
        Level of the factor, 0 to levels - 1.
    blocks : (n,) int

    References
    ----------
    Mantel (1963), JASA 58:690; Landis, Heyman & Koch (1978), International Statistical Review 46:237.
    """
    block = np.unique(blocks, return_inverse=True)[1]
    n_blocks, levels, k = int(block.max()) + 1, int(codes.max()) + 1, values.shape[1]
    size = np.bincount(block).astype(float)
    means = np.stack([np.bincount(block, weights=v) / size for v in values.T], axis=1)
    centred = values - means[block]
    rows = np.bincount(block * levels + codes, minlength=n_blocks * levels).reshape(n_blocks, levels)
    covariance, pooled, scale = np.zeros((levels * k, levels * k)), np.zeros((k, k)), 0.0
    order = np.argsort(block, kind="stable")
    for b, part in enumerate(np.split(order, np.cumsum(size.astype(int))[:-1])):
        r = rows[b].astype(float)
        if (r > 0).sum() < 2:
            continue
        within = centred[part].T @ centred[part] / (size[b] - 1)
        covariance += np.kron(np.diag(r) - np.outer(r, r) / size[b], within)
        pooled += within
        scale += float(size[b]) - 1
    inverse, df = _inverse(covariance)
    freedom = min(levels - 1, int(np.linalg.matrix_rank(pooled, hermitian=True)))
    return Stratified(centred, inverse, df, scale * max(freedom, 1))


def _inverse(matrix: Floats) -> tuple[Floats, int]:
    """Moore-Penrose inverse of a covariance, and its rank."""
    values, vectors = np.linalg.eigh(matrix)
    positive = values > _NOTHING * max(float(values.max(initial=0.0)), 1e-300)
    part = vectors[:, positive]
    return (part / values[positive]) @ part.T, int(positive.sum())


ALPHA = 0.05


CHUNK = 1 << 22
"""Permuted codes held at a time; bounds memory at 16 MiB."""


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


def permuted_sums(
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    permutations: int,
    rng: np.random.Generator,
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
    for drawn in permuted_codes(codes, cluster, permutations, rng):
        yield _sums_by_level(drawn, values, levels)


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
    strata = []
    for m in np.unique(sizes):
        rows = order[starts[sizes == m][:, None] + np.arange(m)]
        kinds, kind = np.unique(block[rows], axis=0, return_inverse=True)
        for i, places in enumerate(kinds):
            seats = [np.flatnonzero(places == b) for b in np.unique(places)]
            strata.append((rows[kind.reshape(-1) == i], seats))
    return strata


MOST = 99_999
"""Permutations after which p is what it is."""


_FIRST = 999


_LEVEL = 0.99


def named_stream(seed: int, *names: str) -> np.random.Generator:
    """A generator that depends on the seed and on names alone, not on what was drawn before.

    Parameters
    ----------
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

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26:404.
    """
    interval = exact_share(reached, permutations, level=level)
    return interval.low, interval.high


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
