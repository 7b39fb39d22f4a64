"""What differs: contrasts of cooperation with simultaneous intervals, gated and ranked.

A question is one factor (do its levels cooperate equally often; have they equal shares of strategies) or one
pair of factors (is the effect of one the same at all levels of the other). Each question has one p, corrected
by Holm over all questions of a report, and one range or contrast that answers it, with an interval that
allows for the choice among all contrasts of the question. A `Widest` is the same for the largest of all
differences of shares or means between groups.

References
----------
Hothorn, Bretz & Westfall (2008), Biometrical Journal 50:346 (max-t); Holm (1979), Scandinavian Journal of
Statistics 6:65; Liang & Zeger (1986), Biometrika 73:13 (cluster-robust covariance).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.statistics import (
    Grouping,
    cluster_covariance,
    grouping,
    stream_of_test,
    two_way_variance,
)
from intent.comparison.groups import holm
from intent.estimate.design_units import Unit, design_units
from intent.logs.chunks import places_of, play_of_labels

if TYPE_CHECKING:
    from intent.comparison.data import Compared
    from intent.comparison.requests import CompareRequest
    from intent.estimate.design_units import DesignUnits

__all__ = [
    "LEAST",
    "Cell",
    "Finding",
    "Findings",
    "Moves",
    "SimpleEffect",
    "Widest",
    "cooperation_findings",
    "interaction_of_rates",
    "range_of_rates",
    "ranked",
    "simultaneous_contrasts",
    "simultaneous_widest",
]


Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Kind = Literal["rate", "share", "interaction"]

LEAST = 0.05
"""Size below which a difference of rates or shares is no finding: five percentage points."""

FEWEST = 3
"""Units that a group needs to be compared."""

_DRAWN = 4.0
"""Observations at the mean of all groups that steady the variance of a rate."""

_DRAWS = 9999
_MOST_CONTRASTS = 2000
"""Contrasts beyond which Šidák's bound takes the place of draws."""

_CHUNK = 1 << 22
_MOST_CELLS = 1000
"""Groups x outcomes beyond which the bound of Šidák takes the place of draws."""


_RANGES_HELD = 1 << 21
"""Draws of ranges held at a time."""
_FLAT = 1e-12


@dataclass(frozen=True, eq=False)
class Moves:
    """The known own moves of rows of a table.

    Parameters
    ----------
    table : DataFrame
        n rows with the factors, one for each trajectory or subject.
    known : (n,) int
        Own moves that are known.
    cooperated : (n,) int
        Those of them that cooperated.
    """

    table: pd.DataFrame
    known: Codes
    cooperated: Codes


@dataclass(frozen=True)
class Cell:
    """One group that a figure shows.

    Parameters
    ----------
    values : tuple
        Of the factors of the finding, in their order.
    estimate, low, high : float in [0, 1]
        With the interval of this group alone; NaN where there is none.
    n : int, rows
    """

    values: tuple[Any, ...]
    estimate: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class SimpleEffect:
    """The difference that the second factor makes at one level of the first.

    Parameters
    ----------
    level : value of the first factor
    estimate, low, high : float, differences of rates; simultaneous interval
    """

    level: Any
    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Finding:
    """The answer to one question.

    Parameters
    ----------
    kind : {"rate", "share", "interaction"}
    factors : tuple of str
        One; of an interaction the one that moderates, then the one whose effect it moderates.
    levels : tuple
        Rate and share: the highest and the lowest level. Interaction: the two levels of the second factor
        that are compared, higher first at the first of `effects`.
    estimate, low, high : float in [-1, 1]
        Highest less lowest; of an interaction the largest difference of two such differences.
    p : float
        Of the question.
    unit, question : str
        What is taken as independent, and what the claim is about.
    counted : str
        The units in words: ``270 conditions``.
    cells : tuple of Cell
    outcome : tuple of str
        Share: the strategy, or several that the play does not tell apart.
    effects : tuple of SimpleEffect
        Interaction: at each level of the first factor, from the largest to the smallest.
    reverses : bool
        Interaction: whether some effects are above zero and some below, both by their intervals.
    n_compared : int
        Contrasts that the interval allows for.
    game : str
        The game that it is about.
    p_adjusted : float, NaN before `ranked`
        After Holm's correction over all questions.
    games : tuple of str
        game_id of games that are typical of the named levels.
    key : str
        Section of a report that holds the whole comparison.
    """

    kind: Kind
    factors: tuple[str, ...]
    levels: tuple[Any, ...]
    estimate: float
    low: float
    high: float
    p: float
    unit: str
    question: str
    counted: str
    cells: tuple[Cell, ...]
    outcome: tuple[str, ...] = ()
    effects: tuple[SimpleEffect, ...] = ()
    reverses: bool = False
    n_compared: int = 1
    game: str = ""
    p_adjusted: float = float("nan")
    games: tuple[str, ...] = ()
    key: str = ""

    @property
    def nearest(self) -> float:
        """The end of the interval that is nearer to zero; 0 where it holds zero."""
        if np.isnan(self.low):
            return 0.0
        return max(self.low, -self.high, 0.0)

    @property
    def score(self) -> float:
        """What `ranked` sorts by: the size that the data support at least.

        `nearest`; of an interaction whose effects have one sign, half of it, since it is a difference of two
        differences.
        """
        half = self.kind == "interaction" and not self.reverses
        return self.nearest / 2 if half else self.nearest

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; differences in percentage points."""
        facts = asdict(self)
        for name in ("estimate", "low", "high"):
            facts[name] = _points(getattr(self, name))
        facts["effects"] = [
            {"level": str(e.level), **{n: _points(getattr(e, n)) for n in ("estimate", "low", "high")}}
            for e in self.effects
        ]
        facts["levels"] = [str(level) for level in self.levels]
        return {name: facts[name] for name in facts if name not in ("cells", "key")}


@dataclass(frozen=True)
class Findings:
    """All questions, in three parts.

    Parameters
    ----------
    shown : tuple of Finding
        Differences, the best first.
    open : tuple of Finding
        A difference is shown (p), but no single contrast.
    silent : tuple of Finding
        No difference is shown, or one below `LEAST`.
    """

    shown: tuple[Finding, ...] = ()
    open: tuple[Finding, ...] = ()
    silent: tuple[Finding, ...] = ()

    @property
    def n(self) -> int:
        """Questions."""
        return len(self.shown) + len(self.open) + len(self.silent)


def ranked(questions: Sequence[Finding], *, level: float = 0.95, least: float = LEAST) -> Findings:
    """Gate and rank.

    1. p of all questions by Holm.
    2. A question is a finding where the corrected p is at most 1 - level, its interval leaves zero behind and
       the difference is `least` or more. Where only the interval holds zero, the difference is open.
    3. Findings are sorted by `Finding.score`, the size that the data support at least, ties by p.

    Parameters
    ----------
    questions : sequence of Finding
    level : float in (0, 1)
    least : float in [0, 1]
    """
    adjusted = holm([one.p for one in questions]) if questions else []
    every = [replace(one, p_adjusted=p) for one, p in zip(questions, adjusted, strict=True)]
    shown, unclear, silent = [], [], []
    for one in every:
        if not one.p_adjusted <= 1 - level + 1e-12 or abs(one.estimate) < least:
            silent.append(one)
        elif one.nearest > 0:
            shown.append(one)
        else:
            unclear.append(one)
    shown.sort(key=lambda one: (-one.score, one.p))
    return Findings(tuple(shown), tuple(unclear), tuple(silent))


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Contrasts of estimates with simultaneous intervals.

    Attributes
    ----------
    estimates, low, high : (k,) float
    p : float
        That all of the tested ones are zero.
    pointwise : float
        Level that each interval has alone.
    """

    estimates: Floats
    low: Floats
    high: Floats
    p: float
    pointwise: float


def simultaneous_contrasts(
    estimates: Floats,
    covariance: Floats,
    contrasts: Floats,
    clusters: Codes,
    *,
    most: int,
    level: float,
    rng: np.random.Generator,
    tested: NDArray[np.bool_] | None = None,
) -> Contrasts:
    """Intervals of contrasts c'e that hold together, and one p for all that are tested.

    1. d = c'e, se^2 = c'Vc; nu = (sum_i v_i)^2 / sum_i v_i^2 / (C_i - 1), v_i = c_i^2 V_ii (Satterthwaite),
       at most `most` - 1.
    2. The largest |z| of contrasts drawn from N(0, corr(CVC')) has the `level` quantile q; intervals
       d -+ t se, t that of nu degrees of freedom at the level 2 Phi(q) - 1.
    3. p: how often that largest |z| (of the tested contrasts) reaches the normal quantile of their smallest
       two-sided p by t; at most the number of contrasts times that p.

    Parameters
    ----------
    estimates : (m,) float
    covariance : (m, m) float
    contrasts : (k, m) float
    clusters : (m,) int
        Clusters behind each estimate.
    most : int
        Clusters behind all of them.
    level : float in (0, 1)
    tested : (k,) bool, optional
        Default: all.
    """
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    own = np.ones(len(contrasts), dtype=bool) if tested is None else tested
    differences = contrasts @ estimates
    between = contrasts @ covariance
    variance = (between * contrasts).sum(axis=1)
    parts = contrasts**2 * np.diag(covariance)
    known = variance > _FLAT * max(float(variance.max(initial=0.0)), 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        free = parts.sum(axis=1) ** 2 / (parts**2 / np.maximum(clusters - 1, 1)).sum(axis=1)
    free = np.clip(np.where(np.isfinite(free), free, 1.0), 1.0, max(most - 1, 1))
    se = np.sqrt(np.where(known, variance, 0.0))
    n_known = max(int(known.sum()), 1)
    largest, largest_tested = None, None
    if n_known <= _MOST_CONTRASTS and known.any():
        largest, largest_tested = _largest(covariance, contrasts[known], se[known], own[known], rng)
        q = float(np.quantile(largest, level))
    else:
        q = float(ndtri((1 + level ** (1 / n_known)) / 2))
    pointwise = float(2 * ndtr(q) - 1)
    reach = stdtrit(free, (1 + pointwise) / 2) * se
    reach = np.where(known, reach, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(known, 2 * stdtr(free, -np.abs(differences) / se), 1.0)
    candidates = known & own
    p = 1.0
    if candidates.any():
        least = float(each[candidates].min())
        p = min(1.0, least * int(candidates.sum()))
        if largest_tested is not None and least > 0:
            z = float(-ndtri(least / 2))
            p = min(p, (1 + int((largest_tested >= z).sum())) / (1 + len(largest_tested)))
    return Contrasts(differences, differences - reach, differences + reach, p, pointwise)


def _largest(
    covariance: Floats, contrasts: Floats, se: Floats, tested: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draws of the largest studentised deviation: of all contrasts, and of those that are tested."""
    values, vectors = np.linalg.eigh(covariance)
    positive = values > _FLAT * max(float(values.max(initial=0.0)), 1e-300)
    root = (contrasts @ (vectors[:, positive] * np.sqrt(values[positive]))) / se[:, None]
    every, own = np.empty(_DRAWS), np.empty(_DRAWS)
    step = max(1, _CHUNK // max(len(root), 1))
    for start in range(0, _DRAWS, step):
        size = min(step, _DRAWS - start)
        drawn = np.abs(rng.standard_normal((size, root.shape[1])) @ root.T)
        every[start : start + size] = drawn.max(axis=1)
        own[start : start + size] = drawn[:, tested].max(axis=1, initial=0.0)
    return every, own


@dataclass(frozen=True, eq=False)
class _Rates:
    """Rates of cooperation by group, with their covariance."""

    values: tuple[tuple[Any, ...], ...]
    rates: Floats
    covariance: Floats
    clusters: Codes
    rows: Codes
    most: int

    def cells(self, level: float) -> tuple[Cell, ...]:
        """Each with Wilson's interval for as many observations as its variance is worth."""
        from scipy.special import stdtrit

        rates = []
        variances = np.diag(self.covariance)
        for values, p, v, c, n in zip(
            self.values, self.rates, variances, self.clusters, self.rows, strict=True
        ):
            low = high = float("nan")
            if c > 1:
                t = float(stdtrit(c - 1, 0.5 + level / 2))
                worth = p * (1 - p) / v if 0 < p < 1 and v > 0 else float(c)
                scale = 1 + t**2 / worth
                middle = (p + t**2 / (2 * worth)) / scale
                width = t * np.sqrt(p * (1 - p) / worth + t**2 / (4 * worth**2)) / scale
                low, high = max(float(middle - width), 0.0), min(float(middle + width), 1.0)
            rates.append(Cell(values, float(p), low, high, int(n)))
        return tuple(rates)


def _rates(moves: Moves, groups: Grouping, unit: Unit) -> _Rates | None:
    """Shares of own moves that cooperate, by group; groups of fewer than `FEWEST` units are left out.

    p_g = sum c_i / sum n_i; u_cg = sum_{i in c, g} (c_i - n_i p_g) / sum n_g, times (C_g / (C_g - 1))^1/2. A
    group that hardly varies has at least the variance of its rate drawn to the mean of all by four
    observations.
    """
    n_groups = len(groups)
    has = moves.known > 0
    code, cluster = groups.codes[has], unit.codes[has]
    known, cooperated = moves.known[has].astype(float), moves.cooperated[has].astype(float)
    if not len(code):
        return None
    pairs = np.unique(code.astype(np.int64) * (int(cluster.max()) + 1) + cluster)
    n_clusters = np.bincount(pairs // (int(cluster.max()) + 1), minlength=n_groups)
    large = np.flatnonzero(n_clusters >= FEWEST)
    if len(large) < 2:
        return None
    place = np.full(n_groups, -1)
    place[large] = np.arange(len(large))
    rows = place[code] >= 0
    code, cluster, known, cooperated = place[code[rows]], cluster[rows], known[rows], cooperated[rows]
    also = None if unit.also is None else unit.also[has][rows]
    m, count = len(large), n_clusters[large].astype(np.intp)
    total: Floats = np.bincount(code, weights=known, minlength=m).astype(float)
    rates: Floats = np.bincount(code, weights=cooperated, minlength=m) / total
    scale = np.sqrt(count / np.maximum(count - 1, 1))
    residual = (cooperated - known * rates[code]) / total[code] * scale[code]
    joint = cluster if also is None else cluster.astype(np.int64) * (int(also.max()) + 1) + also
    _, first, own = np.unique(joint, return_index=True, return_inverse=True)
    sums = np.bincount(own.reshape(-1) * m + code, weights=residual, minlength=len(first) * m).astype(float)
    covariance = cluster_covariance(
        sums.reshape(-1, m), cluster[first], None if also is None else also[first]
    )
    variances: Floats = np.asarray(covariance.diagonal())
    covariance = covariance + np.diag(_lacking(rates, variances, count, total))
    values = tuple(groups.values[g] for g in large)
    return _Rates(values, rates, covariance, count, np.bincount(code, minlength=m), len(np.unique(cluster)))


def _lacking(rates: Floats, variances: Floats, clusters: Codes, total: Floats) -> Floats:
    """What variances lack of those of rates drawn to the mean of all groups."""
    middle = float(rates @ total) / float(total.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        n = np.where(variances > 0, rates * (1 - rates) / variances, clusters)
    n = np.where((rates > 0) & (rates < 1) & (n > 0), n, clusters)
    drawn = (n * rates + _DRAWN * middle) / (n + _DRAWN)
    return np.asarray(np.maximum(drawn * (1 - drawn) / n - variances, 0.0))


def range_of_rates(moves: Moves, factor: str, unit: Unit, *, level: float, seed: int) -> Finding | None:
    """Which two levels of a factor differ most in how often they cooperate.

    The contrast is that whose interval, simultaneous over all pairs of levels, is furthest from zero; where
    all hold zero, the widest range. None where fewer than two levels have enough units.

    Parameters
    ----------
    unit : Unit, of the rows
    level : float in (0, 1)
    """
    own = _rates(moves, grouping(moves.table, [factor]), unit)
    if own is None:
        return None
    m = len(own.rates)
    pairs = list(combinations(range(m), 2))
    matrix = np.zeros((len(pairs), m))
    for row, (a, b) in enumerate(pairs):
        matrix[row, a], matrix[row, b] = 1.0, -1.0
    contrasts = simultaneous_contrasts(
        own.rates,
        own.covariance,
        matrix,
        own.clusters,
        most=own.most,
        level=level,
        rng=stream_of_test(seed, "rate", factor),
    )
    k = _furthest(contrasts, np.arange(len(pairs)))
    a, b = pairs[k]
    d, low, high = float(contrasts.estimates[k]), float(contrasts.low[k]), float(contrasts.high[k])
    if d < 0:
        a, b, d, low, high = b, a, -d, -high, -low
    return Finding(
        "rate",
        (factor,),
        (own.values[a][0], own.values[b][0]),
        d,
        max(low, -1.0) if low == low else low,
        min(high, 1.0) if high == high else high,
        contrasts.p,
        unit.noun,
        unit.question,
        unit.counted(),
        own.cells(level),
        n_compared=len(pairs),
    )


def interaction_of_rates(
    moves: Moves, factors: Sequence[str], unit: Unit, *, level: float, seed: int
) -> Finding | None:
    """Where the effect of one factor on cooperation differs most between levels of another.

    All differences of differences are tested together; these and the effects within each level have
    intervals that hold together. Of the two ways to read the largest one, that which reverses (effects above
    and below zero) is taken, else the first factor moderates.

    Parameters
    ----------
    factors : two columns
    unit, level, seed : as `range_of_rates`

    Returns
    -------
    Finding, or None where no two levels of each have enough units in common
    """
    own = _rates(moves, grouping(moves.table, factors), unit)
    if own is None:
        return None
    crossed = _crossed(own.values)
    if not crossed.double:
        return None
    double, simple = crossed.double, crossed.simple
    tested = np.arange(len(crossed.matrix)) < len(double)
    contrasts = simultaneous_contrasts(
        own.rates,
        own.covariance,
        crossed.matrix,
        own.clusters,
        most=own.most,
        level=level,
        rng=stream_of_test(seed, "interaction", *factors),
        tested=tested,
    )
    k = _furthest(contrasts, np.flatnonzero(tested))
    a, b, c, d = double[k]

    def effects(axis: int) -> list[SimpleEffect]:
        pair = ((c, d), (a, b))[axis]
        places = [(one, simple.get((axis, one, *pair))) for one in crossed.levels[axis]]
        return [
            SimpleEffect(
                one, float(contrasts.estimates[j]), float(contrasts.low[j]), float(contrasts.high[j])
            )
            for one, j in places
            if j is not None
        ]

    ways = [effects(0), effects(1)]
    turns = [any(e.low > 0 for e in way) and any(e.high < 0 for e in way) for way in ways]
    axis = 1 if turns[1] and not turns[0] else 0
    own_effects, levels = ways[axis], [c, d] if axis == 0 else [a, b]
    strongest = max(own_effects, key=lambda e: abs(e.estimate))
    if strongest.estimate < 0 and not turns[axis]:
        levels.reverse()
        own_effects = [SimpleEffect(e.level, -e.estimate, -e.high, -e.low) for e in own_effects]
    own_effects.sort(key=lambda e: -e.estimate)
    estimate = float(contrasts.estimates[k])
    low, high = float(contrasts.low[k]), float(contrasts.high[k])
    if estimate < 0:
        estimate, low, high = -estimate, -high, -low
    names = tuple(factors) if axis == 0 else tuple(reversed(list(factors)))
    shown = own.cells(level)
    if axis:
        shown = tuple(replace(cell, values=cell.values[::-1]) for cell in shown)
    return Finding(
        "interaction",
        names,
        tuple(levels),
        estimate,
        low,
        high,
        contrasts.p,
        unit.noun,
        unit.question,
        unit.counted(),
        shown,
        effects=tuple(own_effects),
        reverses=turns[axis],
        n_compared=len(double),
    )


@dataclass(frozen=True, eq=False)
class _Crossed:
    """The contrasts of two crossed factors: differences of differences, then effects within each level.

    Parameters
    ----------
    levels : of the first factor and of the second
    double : levels a, b of the first and c, d of the second, of each of the first rows of `matrix`
    simple : (factor that stays, its level, two levels of the other) -> row of `matrix`
    matrix : (rows, cells)
    """

    levels: tuple[list[Any], list[Any]]
    double: list[tuple[Any, Any, Any, Any]]
    simple: dict[tuple[int, Any, Any, Any], int]
    matrix: NDArray[np.float64]


def _crossed(values: Sequence[tuple[Any, ...]]) -> _Crossed:
    """Of cells with two values each, some of which may lack."""
    place = {cell: k for k, cell in enumerate(values)}
    first, second = (list(dict.fromkeys(cell[axis] for cell in values)) for axis in (0, 1))
    double, simple = [], {}
    rows: list[NDArray[np.float64]] = []

    def add(cells: Sequence[tuple[Any, Any]], weights: Sequence[float]) -> bool:
        if not place.keys() >= set(cells):
            return False
        row = np.zeros(len(values))
        row[[place[cell] for cell in cells]] = weights
        rows.append(row)
        return True

    for a, b in combinations(first, 2):
        for c, d in combinations(second, 2):
            if add(((a, c), (a, d), (b, c), (b, d)), (1.0, -1.0, -1.0, 1.0)):
                double.append((a, b, c, d))
    for axis, (outer, inner) in enumerate(((first, second), (second, first))):
        for one in outer:
            for a, b in combinations(inner, 2):
                if add([(one, x) if axis == 0 else (x, one) for x in (a, b)], (1.0, -1.0)):
                    simple[axis, one, a, b] = len(rows) - 1
    return _Crossed((first, second), double, simple, np.array(rows))


def _furthest(contrasts: Contrasts, places: Codes) -> int:
    """The contrast whose interval is furthest from zero, else the largest."""
    nearest = np.fmax(np.fmax(contrasts.low[places], -contrasts.high[places]), 0.0)
    order = np.lexsort((np.abs(contrasts.estimates[places]), nearest))
    return int(places[order[-1]])


def _points(share: float) -> float | None:
    return None if np.isnan(share) else 100 * share


def cooperation_findings(
    request: CompareRequest,
    source: Compared,
    rows: pd.DataFrame,
    factors: Sequence[str],
    units: DesignUnits,
) -> Findings | None:
    """Ranked findings on cooperation in the play that is compared; None where the moves are not at hand.

    A unit that the user names holds for all questions; else it is that of each factor's design.
    """
    if source.behind.log is None or not {"game_id", "seat"} <= set(rows.columns) or not factors:
        return None
    X = play_of_labels(source.behind.log, source.provenance or {})
    places = places_of(rows, X)
    if (places < 0).any():
        return None
    play = X[places]
    counts = play.evidence
    known, cooperated = (each.sum(axis=1).astype(np.intp) for each in (counts, counts & (play.own == 1)))
    moves = Moves(rows, known, cooperated)
    questions = []
    for chosen in [*((factor,) for factor in factors), *combinations(factors, 2)]:
        unit = units.unit if request.cluster is not None else design_units(rows, chosen).unit
        if len(chosen) == 1:
            one = range_of_rates(moves, chosen[0], unit, level=request.level, seed=request.seed)
        else:
            one = interaction_of_rates(moves, chosen, unit, level=request.level, seed=request.seed)
        questions += [] if one is None else [one]
    return ranked(questions, level=request.level)


@dataclass(frozen=True)
class Widest:
    """The largest of all differences between groups, with an interval that allows for the choice.

    Parameters
    ----------
    outcome, lowest, highest : int
        Places of the outcome and of the two groups.
    estimate, se : float
        Highest less lowest group, and its cluster-robust standard error.
    low, high : float
        estimate -+ t se, t of `pointwise` and `free` degrees of freedom; NaN where a group lies in one
        cluster.
    pointwise : float
        Level that the interval of a single range must have for all together to have theirs: what any other
        interval of the same range takes to be simultaneous.
    free : float
        Degrees of freedom of the standard error.
    n_ranges : int
        Differences that it is the largest of.
    """

    outcome: int
    lowest: int
    highest: int
    estimate: float
    se: float
    low: float
    high: float
    pointwise: float
    free: float
    n_ranges: int


def simultaneous_widest(
    estimates: Floats,
    influence: Floats,
    clusters: Codes,
    *,
    level: float,
    rng: np.random.Generator,
    also: Codes | None = None,
    ranked: NDArray[np.bool_] | None = None,
    shares: bool = True,
) -> Widest | None:
    """The widest range over groups of any outcome, with an interval by the maximum of all ranges.

    1. All differences d_ghk of two groups have standard errors se_ghk by the cluster-robust covariance of the
       estimates. A share in few clusters hardly knows its own variance (one of 0 has none): its variance is
       at least that of a share drawn to the mean of all groups by four observations, p* (1 - p*) / n with
       p* = (n p + 4 mean) / (n + 4) and n = sum_k p_k (1 - p_k) / V_k, the group's effective number.
    2. Deviations of all estimates are drawn from the normal distribution of that covariance; q is the `level`
       quantile of their largest |d*_ghk| / se_ghk, so that all intervals d -+ q se together hold with
       probability `level`, that of the widest among them, whichever it is.
    3. 2 Phi(q) - 1 is the level that each interval has alone; of few clusters it takes the t quantile of that
       level, of Welch's degrees of freedom over the clusters of the two groups (at most one less than both
       have together; two ways: one less than the fewer of both).

    Parameters
    ----------
    estimates : (G, K) float
        Shares or means of G groups and K outcomes.
    influence : (n, G, K) float
        What each row (a subject, or a whole cluster) adds to the error of each estimate, such that the errors
        have covariance sum_c u_c u_c', u_c its sum over cluster c: of a mean (value - mean) / n_g in the rows
        of the group, else 0 (`group_influence`, with the correction for few clusters); of an estimate by
        maximum likelihood the inverse information times the row's score.
    clusters : (n,) int
    level : float in (0, 1)
    also : (n,) int, optional
        Second way of clusters.
    ranked : (K,) bool, optional
        Outcomes whose ranges are compared; default all.
    shares : bool
        Whether estimates are shares, the K of a group summing to one (or to less); else plain numbers.

    Returns
    -------
    Widest or None
        None where no range is larger than zero.

    References
    ----------
    Hothorn, Bretz & Westfall (2008), Biometrical Journal 50:346 (max-t of general parameters); Romano & Wolf
    (2005), Econometrica 73:1237; Šidák (1967), JASA 62:626 (bound).
    """
    from scipy.special import ndtr, ndtri, stdtrit

    estimates, influence = np.asarray(estimates, dtype=float), np.asarray(influence, dtype=float)
    lacking = np.zeros_like(estimates)
    if shares:
        lacking = _lacking_of_shares(estimates, two_way_variance(influence, clusters, also))
    if ranked is not None:
        own = np.flatnonzero(ranked)
        estimates, influence, lacking = estimates[:, own], influence[:, :, own], lacking[:, own]
    else:
        own = np.arange(estimates.shape[1])
    n_groups, n_outcomes = estimates.shape
    spans = np.ptp(estimates, axis=0) if n_groups and n_outcomes else np.zeros(0)
    if not spans.size or not spans.max() > 0:
        return None
    k = int(spans.argmax())
    low, high = int(estimates[:, k].argmin()), int(estimates[:, k].argmax())
    pairs = np.array(list(combinations(range(n_groups), 2)))
    ranges = influence[:, pairs[:, 0]] - influence[:, pairs[:, 1]]
    errors = np.sqrt(two_way_variance(ranges, clusters, also) + lacking[pairs].sum(axis=1))
    known = errors > _FLAT * max(float(errors.max()), 1e-300)
    n_ranges = int(known.sum())
    if influence[0].size > _MOST_CELLS:
        q = float(ndtri((1 + level ** (1 / max(n_ranges, 1))) / 2))
    else:
        covariance = cluster_covariance(influence.reshape(len(influence), -1), clusters, also)
        covariance += np.diag(lacking.ravel())
        q = _largest_deviation(covariance, pairs, np.where(known, errors, np.inf), level, rng)
    pointwise = float(2 * ndtr(q) - 1)
    place = int(np.flatnonzero((pairs == sorted((low, high))).all(axis=1))[0])
    se, estimate = float(errors[place, k]), float(spans[k])
    free = _freedom(influence[:, [low, high]], k, clusters, also)
    reach = float(stdtrit(free, (1 + pointwise) / 2)) * se if free > 0 else float("nan")
    most = 1.0 if shares else np.inf
    ends = (max(estimate - reach, -most), min(estimate + reach, most)) if reach == reach else (reach, reach)
    return Widest(int(own[k]), low, high, estimate, se, *ends, pointwise, free, n_ranges)


def _lacking_of_shares(shares: Floats, variances: Floats) -> Floats:
    """What the (G, K) variances of shares lack of those of shares drawn to the mean of all groups."""
    total = variances.sum(axis=1, keepdims=True)
    spread = (shares * (1 - shares)).clip(0).sum(axis=1, keepdims=True)
    known = (total > 0) & (spread > 0)
    n = np.where(known, spread / np.where(known, total, 1.0), np.inf)
    weights = np.where(known, n, 0.0)
    middle = (weights * shares).sum(axis=0) / max(float(weights.sum()), 1e-300)
    with np.errstate(invalid="ignore"):
        drawn = np.where(known, (n * shares + _DRAWN * middle) / (n + _DRAWN), shares)
    return np.asarray(np.maximum(drawn * (1 - drawn) / n - variances, 0.0))


def _largest_deviation(
    covariance: Floats, pairs: Codes, errors: Floats, level: float, rng: np.random.Generator
) -> float:
    """Quantile of the largest of all studentised differences; `errors` is (pairs, outcomes)."""
    values, vectors = np.linalg.eigh(covariance)
    positive = values > _FLAT * max(float(values.max(initial=0.0)), 1e-300)
    root = vectors[:, positive] * np.sqrt(values[positive])
    n_outcomes = errors.shape[1]
    largest = np.empty(_DRAWS)
    step = max(1, _RANGES_HELD // errors.size)
    for start in range(0, _DRAWS, step):
        size = min(step, _DRAWS - start)
        drawn = (rng.standard_normal((size, root.shape[1])) @ root.T).reshape(size, -1, n_outcomes)
        apart = np.abs(drawn[:, pairs[:, 0]] - drawn[:, pairs[:, 1]]) / errors
        largest[start : start + size] = apart.max(axis=(1, 2))
    return float(np.quantile(largest, level))


def _freedom(influence: Floats, outcome: int, clusters: Codes, also: Codes | None) -> float:
    """Degrees of freedom of the difference of two groups, from (n, 2, K) influences; 0 of a single cluster.

    A cluster is of a group where it adds to any of its estimates.
    """
    ways = [clusters] if also is None else [clusters, also]
    least = np.inf
    for way in ways:
        held = [np.unique(way[part.any(axis=1)]) for part in (influence[:, 0], influence[:, 1])]
        counts = [len(one) for one in held]
        if min(counts) == 0:
            counts = [max(counts)] * 2
        if min(counts) < 2:
            return 0.0
        variance = two_way_variance(influence[:, :, outcome], way)
        parts = float((variance**2 / (np.array(counts) - 1)).sum())
        welch = float(variance.sum()) ** 2 / parts if parts > 0 else float(min(counts) - 1)
        every = len(np.unique(np.concatenate(held)))
        least = min(least, welch, every - 1, *([min(counts) - 1] if also is not None else []))
    return float(least)
