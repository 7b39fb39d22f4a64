"""Shares of strategies by maximum likelihood in the groups of a comparison, and whether they differ.

Also how much of what can be predicted of the next move these strategies explain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import DataError, IntentError, UsageError
from intent.base.statistics import Grouping, group_name, grouping, stream_of_test
from intent.base.tables import strategy_classes
from intent.comparison.findings import Widest, simultaneous_widest
from intent.comparison.groups import Comparison, ErrorInterval, Group, Hypothesis, with_holm
from intent.estimate.choice.choices import choices_of_log
from intent.estimate.choice.completeness import completeness
from intent.estimate.contrast import EqualShares, GroupPlay, ShareFit, equal_shares, fit_shares, unit_sums
from intent.estimate.counts import count_moves, patterns
from intent.estimate.design_units import DesignUnits, Unit, few_clusters
from intent.logs.chunks import focal_play, reading_of_play
from intent.strategies.catalogue import named_set, with_background
from intent.strategies.sets import strategies_in

if TYPE_CHECKING:
    from intent.comparison.data import Compared
    from intent.comparison.requests import CompareRequest
    from intent.estimate.choice.completeness import Completeness
    from intent.logs.gamelog import GameLog, Trajectories
    from intent.strategies.catalogue import Strategy

__all__ = [
    "EstimatedShares",
    "Furthest",
    "Subjects",
    "competing",
    "estimator",
    "explained_of",
    "joined_strategies",
    "play_of",
]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
_WILD = 0.25
"""Tremble from which on one may doubt that the set of strategies describes the play."""
_MANY_GROUPS = 30
"""Groups beyond which no two are tested against each other in `pairwise`."""


@dataclass(frozen=True, eq=False)
class Subjects:
    """Whose play is estimated from: a table of rows, and their play by subject.

    Parameters
    ----------
    table : DataFrame
        n rows with the factors; one for each trajectory.
    who : (n,) int
        Subject of each row, all of whose rows of a group are one observation.
    units : DesignUnits
        Of the rows; a subject lies in one unit.
    names : K strategies
    play : callable
        Rows and the observation of each, 0 .. m - 1 -> `GroupPlay` of the m observations.
    """

    table: pd.DataFrame
    who: Codes
    units: DesignUnits
    names: tuple[str, ...]
    play: Callable[[Codes, Codes], GroupPlay]

    def of(self, rows: Codes) -> tuple[GroupPlay, Codes]:
        """The play of some rows, and the first row of each observation."""
        _, first, subject = np.unique(self.who[rows], return_index=True, return_inverse=True)
        return self.play(rows, subject.reshape(-1)), rows[first]


@dataclass(frozen=True, eq=False)
class _Fitted:
    """One factor's groups: their play, their fits, and a row of each subject."""

    groups: Grouping
    plays: tuple[GroupPlay, ...]
    fits: tuple[ShareFit, ...]
    firsts: tuple[Codes, ...]


@dataclass(frozen=True, eq=False)
class EstimatedShares:
    """Shares of strategies by maximum likelihood in each group, each with its own tremble.

    Parameters
    ----------
    level : float in (0, 1)
    seed : int
        Every test has a stream of its own, so that a test shown twice has one p.
    draws : int, optional
        From the distribution of each test's statistic; default: until p leaves 1 - level.
    """

    subjects: Subjects
    by: tuple[str, ...]
    level: float
    seed: int
    draws: int | None = None

    @cached_property
    def joint(self) -> _Fitted:
        """The groups that are shown."""
        return self._fitted(self.by)

    def comparison(self, *, pairwise: bool = False) -> Comparison:
        """Shares with intervals, and the tests of each factor, of all together, and of pairs of groups."""
        unit = self.subjects.units.unit
        groups = tuple(
            self._group(values, fit, first, unit)
            for values, fit, first in zip(
                self.joint.groups.values, self.joint.fits, self.joint.firsts, strict=True
            )
        )
        tests = [test for factor in self._factors() for test in self.tests(factor)]
        if pairwise and 2 < len(groups) <= _MANY_GROUPS:
            tests += self._pairs()
        few = few_clusters([group_name(g.values) for g in groups], [g.n_clusters for g in groups], unit.noun)
        return Comparison(
            by=self.by,
            count="estimate",
            metric=None,
            level=self.level,
            outcomes=self.subjects.names,
            groups=groups,
            tests=with_holm(tests),
            unit=unit.noun,
            notes=tuple(note for note in (*self._ridges(), *self._wild(), few) if note),
            n_clusters=unit.n,
            n_effective=sum(g.n_effective for g in groups),
        )

    def tests(self, factor: Sequence[str]) -> list[Hypothesis]:
        """Equal shares at all levels of a factor: on the unit of the design, and on the narrower one."""
        fitted = self._fitted(factor)
        return self._tested(",".join(factor), fitted, range(len(fitted.fits)))

    def widest(self, unit: Unit | None = None) -> tuple[Widest, tuple[str, ...]] | None:
        """The widest range of a share over the groups, with a simultaneous interval, and the names it is of.

        Strategies that the play of some group does not tell apart count as one, so that none is named alone.
        """
        if len(self.joint.fits) < 2:
            return None
        parts = joined_strategies(self.subjects.names, [fit.ridge for fit in self.joint.fits])
        merge = np.zeros((len(self.subjects.names), len(parts)))
        for place, part in enumerate(parts):
            merge[list(part), place] = 1.0
        own = self.subjects.units.unit if unit is None else unit
        estimates = np.array([fit.shares for fit in self.joint.fits]) @ merge
        n_units = int(own.codes.max()) + 1
        influence = np.stack(
            [
                self._corrected(fit.influence, own.codes[first], n_units) @ merge
                for fit, first in zip(self.joint.fits, self.joint.firsts, strict=True)
            ],
            axis=1,
        )
        held = influence.any(axis=(1, 2))
        if held.sum() < 2:
            return None
        rng = self._rng("widest", *self.by)
        range_ = simultaneous_widest(
            estimates, influence[held], np.flatnonzero(held), level=self.level, rng=rng
        )
        if range_ is None:
            return None
        return range_, tuple(self.subjects.names[k] for k in parts[range_.outcome])

    def furthest(self) -> Furthest | None:
        """The widest range with its groups and their shares."""
        named = self.widest()
        if named is None:
            return None
        widest, names = named
        places = [self.subjects.names.index(name) for name in names]
        fits, values = self.joint.fits, self.joint.groups.values
        ends = [(values[g], float(fits[g].shares[places].sum())) for g in (widest.lowest, widest.highest)]
        low, high = widest.low, widest.high
        if not high > low:
            low, high = self._between(widest, places)
        return Furthest(names, ends[0], ends[1], low, high, widest.n_ranges)

    def _between(self, widest: Widest, places: Sequence[int]) -> tuple[float, float]:
        """Ends of a difference of shares without variance (all against none), from the intervals of both.

        p - q -+ the root of the summed squares of how far each interval reaches (Newcombe 1998, Statistics in
        Medicine 17:873), each at the level that makes all ranges hold together.
        """
        nan = float("nan")
        if len(places) != 1:
            return nan, nan
        one, two = (
            self._group(
                (), self.joint.fits[g], self.joint.firsts[g], self.subjects.units.unit, widest.pointwise
            )
            for g in (widest.highest, widest.lowest)
        )
        p, q = one.intervals[places[0]], two.intervals[places[0]]
        span = p.estimate - q.estimate
        low = span - float(np.hypot(p.estimate - p.low, q.high - q.estimate))
        return low, min(span + float(np.hypot(p.high - p.estimate, q.estimate - q.low)), 1.0)

    def _corrected(self, influence: Floats, units: Codes, n_units: int) -> Floats:
        """(C, K) sums by unit, larger by (C_g / (C_g - 1))^1/2."""
        n = len(np.unique(units))
        sums: Floats = unit_sums(influence, units, n_units) * np.sqrt(n / max(n - 1, 1))
        return sums

    def _factors(self) -> list[tuple[str, ...]]:
        single: list[tuple[str, ...]] = [(column,) for column in self.by]
        return [*single, self.by] if len(self.by) > 1 else single

    def _fitted(self, factor: Sequence[str]) -> _Fitted:
        if tuple(factor) == self.by and "joint" in self.__dict__:
            return self.joint
        groups = grouping(self.subjects.table, factor)
        own = [self.subjects.of(np.flatnonzero(groups.codes == g)) for g in range(len(groups))]
        plays = tuple(play for play, _ in own)
        return _Fitted(
            groups, plays, tuple(fit_shares(play) for play in plays), tuple(first for _, first in own)
        )

    def _tested(self, name: str, fitted: _Fitted, places: Sequence[int]) -> list[Hypothesis]:
        plays = [fitted.plays[g] for g in places]
        if len(plays) < 2:
            return []
        smallest = min(play.n for play in plays)
        shares = np.array([fitted.fits[g].shares for g in places])
        effect = float(np.ptp(shares, axis=0).max())
        hypotheses = []
        for unit in self.subjects.units.units:
            codes = [unit.codes[fitted.firsts[g]] for g in places]
            if min(len(np.unique(own)) for own in codes) < 2:
                continue
            test = equal_shares(
                plays,
                codes,
                [fitted.fits[g] for g in places],
                rng=self._rng(name, unit.kind),
                alpha=1 - self.level,
                draws=self.draws,
            )
            if test.df < 1 or np.isnan(test.p):
                continue
            hypotheses.append(_hypothesis(name, test, unit, effect, smallest))
        return hypotheses

    def _pairs(self) -> list[Hypothesis]:
        names = [group_name(values) for values in self.joint.groups.values]
        by = ",".join(self.by)
        return [
            replace(test, question=test.question)
            for a, b in combinations(range(len(names)), 2)
            for test in self._tested(f"{by}: {names[a]} vs {names[b]}", self.joint, (a, b))[:1]
        ]

    def _group(
        self, values: tuple[object, ...], fit: ShareFit, first: Codes, unit: Unit, level: float | None = None
    ) -> Group:
        units = np.unique(unit.codes[first], return_inverse=True)[1].reshape(-1)
        n, n_units = len(first), int(units.max()) + 1
        variance = (self._corrected(fit.influence, units, n_units) ** 2).sum(axis=0)
        usual = fit.naive.sum()
        effect = float(variance.sum() / usual) if usual > 0 and n_units > 1 else 1.0
        return Group(
            values=values,
            n=n,
            n_clusters=n_units,
            n_effective=min(float(n), n / effect) if effect > 0 else float(n),
            intervals=tuple(_intervals(fit, variance, units, n_units, level or self.level)),
        )

    def _ridges(self) -> list[str]:
        sets: dict[tuple[int, ...], list[str]] = {}
        for values, fit in zip(self.joint.groups.values, self.joint.fits, strict=True):
            for part in fit.ridge:
                sets.setdefault(part, []).append(group_name(values))
        lines = []
        for part, groups in sets.items():
            names = " and ".join(self.subjects.names[k] for k in part)
            where = "" if groups == ["all"] else f" (in {', '.join(groups[:3])}{', …' * (len(groups) > 3)})"
            lines.append(f"this play does not tell {names} apart, only their sum is estimated{where}")
        return lines

    def _wild(self) -> list[str]:
        """Groups whose tremble is so large that the strategies hardly describe the play."""
        wild = [
            group_name(values)
            for values, fit in zip(self.joint.groups.values, self.joint.fits, strict=True)
            if fit.tremble >= _WILD - 1e-9
            and fit.shares[[n != "RANDOM" for n in self.subjects.names]].sum() > 0
        ]
        if not wild:
            return []
        where = "" if wild == ["all"] else f" ({', '.join(wild[:3])}{', …' * (len(wild) > 3)})"
        return [f"a tremble of {_WILD:g} or more: the strategies hardly describe the play{where}"]

    def _rng(self, *names: str) -> np.random.Generator:
        return stream_of_test(self.seed, *names)


@dataclass(frozen=True)
class Furthest:
    """The widest range of an estimated share: between which groups, of which strategies.

    Parameters
    ----------
    names : tuple of str
        One strategy, or several that the play does not tell apart.
    lowest, highest : (values of the group, share)
    low, high : float
        Ends of the simultaneous interval of the difference.
    n_ranges : int
        Differences that it is the largest of.
    """

    names: tuple[str, ...]
    lowest: tuple[tuple[Any, ...], float]
    highest: tuple[tuple[Any, ...], float]
    low: float
    high: float
    n_ranges: int


def joined_strategies(
    names: Sequence[str], ridges: Sequence[Sequence[Sequence[int]]]
) -> list[tuple[int, ...]]:
    """Strategies joined where the play of some group does not tell them apart, as places, in order.

    Parameters
    ----------
    names : K strategies
    ridges : for each group, sets of places that are not told apart

    Examples
    --------
    >>> together(["ALLC", "ALLD", "TFT", "WSLS"], [[(0, 2)], [(2, 3)]])
    [(0, 2, 3), (1,)]
    """
    own = list(range(len(names)))
    for part in (part for group in ridges for part in group):
        lowest = min(own[k] for k in part)
        joined = {own[k] for k in part}
        own = [lowest if o in joined else o for o in own]
    return [tuple(k for k in range(len(names)) if own[k] == o) for o in dict.fromkeys(own)]


def _hypothesis(name: str, test: EqualShares, unit: Unit, effect: float, smallest: int) -> Hypothesis:
    return Hypothesis(
        name,
        "likelihood_ratio",
        test.statistic,
        float(test.df),
        test.p,
        test.p,
        test.p,
        effect,
        smallest=float(smallest),
        unit=unit.noun,
        question=unit.question,
    )


def _intervals(
    fit: ShareFit, variance: Floats, units: Codes, n_units: int, level: float
) -> list[ErrorInterval]:
    """Score intervals of the shares, with as many observations as their variances are worth.

    1. Of an interior share, Wilson's with n = p (1 - p) / V and t of one degree of freedom less than units.
    2. A share of 0 reaches up to where the profile log-likelihood, over its design effect, has fallen by half
       the quantile of F with one degree of freedom; one of 1 down to what all others together reach.
    3. Shares that the data do not tell apart: anything from 0 to the sum of all of them.
    """
    from scipy.special import stdtrit

    nan = float("nan")
    if n_units < 2:
        return [ErrorInterval(float(p), nan, nan, None) for p in fit.shares]
    t = float(stdtrit(n_units - 1, 0.5 + level / 2))
    sums = unit_sums(fit.spread, units, n_units)
    sums -= sums.mean(axis=0)
    robust = (sums**2).sum(axis=0) * n_units / (n_units - 1)
    inflated = np.maximum(robust / fit.curvature, 1.0)
    slope = np.minimum(fit.slope, 0.0)
    reach = (slope + np.sqrt(slope**2 + t**2 * inflated * fit.curvature)) / fit.curvature
    upper = np.minimum(reach, 1.0)
    intervals = []
    for k, p in enumerate(fit.shares.tolist()):
        ridge = next((part for part in fit.ridge if k in part), None)
        if ridge is not None:
            intervals.append(ErrorInterval(p, 0.0, min(1.0, float(fit.shares[list(ridge)].sum())), None))
        elif 0 < p < 1 and variance[k] > 0:
            n = p * (1 - p) / float(variance[k])
            middle, width = (
                p + t**2 / (2 * n),
                t * float(np.sqrt(p * (1 - p) / n + t**2 / (4 * n**2))),
            )
            low, high = (
                max((middle - width) / (1 + t**2 / n), 0.0),
                min((middle + width) / (1 + t**2 / n), 1.0),
            )
            intervals.append(ErrorInterval(p, low, high, float(np.sqrt(variance[k]))))
        elif p == 0:
            intervals.append(ErrorInterval(p, 0.0, float(upper[k]), None))
        else:
            others = float(upper[[j for j, q in enumerate(fit.shares) if q == 0]].max(initial=0.0))
            intervals.append(
                ErrorInterval(p, 1 - others, 1.0, None) if others else ErrorInterval(p, nan, nan, None)
            )
    return intervals


def estimator(
    request: CompareRequest,
    source: Compared,
    rows: pd.DataFrame,
    factors: Sequence[str],
    units: DesignUnits,
) -> tuple[EstimatedShares, NDArray[np.intp], list[str]]:
    """What estimates shares of labelled play, the rows that it takes, and notes.

    The play is read from the log behind the labels as it was for them. Where there is none, likelihoods are
    the posteriors over the prior that they were made with, at the noise of the labels, which is then the same
    in every group.

    Parameters
    ----------
    request : CompareRequest
        Its level, permutations (`EstimatedShares.draws`), seed, and how the play is read.
    rows : DataFrame
        Of labels, one for each trajectory, or for each player with all games.
    units : DesignUnits, of the rows

    Raises
    ------
    UsageError
        No row has a move, or there is neither a log nor a posterior.
    """
    facts = source.provenance if isinstance(source.provenance, Mapping) else {}
    background = request.background
    if background is None:
        background = background_of(facts)
    players = units.players
    who = np.arange(len(rows)) if players is None else players
    notes: list[str] = []
    try:
        strategies = competing(source, rows, background=background)
    except IntentError as error:
        strategies, why = (), f"their classes are no strategies of the catalogue ({error})"
    else:
        why = source.behind.why
    if strategies and source.behind.log is not None:
        names = tuple(s.name for s in strategies)
        keep, play, more = _of_moves(request, source, rows, strategies)
    else:
        names, play, more = _of_posteriors(source, rows, facts, background, why)
        keep = np.arange(len(rows))
    notes += more
    subjects = Subjects(rows, who, units, names, play)
    if not len(keep):
        raise UsageError(f"no move in any of {len(rows):,} rows, expected play to estimate shares from")
    if len(keep) < len(rows):
        notes.append(
            f"{len(rows) - len(keep):,} of {len(rows):,} rows have no readable move and are left out"
        )
        subjects = _of_rows(subjects, keep)
    notes += _crossed(subjects, factors)
    draws = request.permutations or None
    return EstimatedShares(subjects, tuple(factors), request.level, request.seed, draws), keep, notes


def background_of(facts: Mapping[str, Any]) -> bool:
    """Whether RANDOM competes for the play of labels: unless they were made without it on purpose."""
    return facts.get("background") is not False


def competing(source: Compared, rows: pd.DataFrame, *, background: bool) -> tuple[Strategy, ...]:
    """The strategies whose shares are estimated: those that the labels may name, and RANDOM.

    Raises
    ------
    UnknownNameError, StrategyError
        A class of the labels that is no strategy.
    """
    classes = [c for c in strategy_classes(rows, source.provenance) if background or c != "RANDOM"]
    if not classes:
        raise DataError("no column 'p_<STRATEGY>', expected a table made by `intent label`")
    return with_background(named_set(classes, strategies_in(source.provenance or {})), background)


def play_of(
    request: CompareRequest, source: Compared, rows: pd.DataFrame, purpose: str
) -> tuple[GameLog, Trajectories, NDArray[np.intp]]:
    """The log behind some rows, its play as it was read for them, and the row of each trajectory or -1.

    Raises
    ------
    UsageError
        The log is not at hand; `purpose` is what it is needed for.
    """
    reading = reading_of_play(source.provenance if isinstance(source.provenance, Mapping) else {})
    reading["others"] = request.others or reading["others"]
    reading["keep_defaulted"] = request.keep_defaulted or reading["keep_defaulted"]
    log, X = focal_play(source.behind.needed(purpose), **reading)
    return log, X, _owners(rows, X)


def _of_moves(
    request: CompareRequest,
    source: Compared,
    rows: pd.DataFrame,
    strategies: Sequence[Strategy],
) -> tuple[NDArray[np.intp], Any, list[str]]:
    """Rows with a move, the function that counts the play of some of them, and notes."""
    _, X, owner = play_of(request, source, rows, "an estimate of shares")
    lost = len(rows) - len(np.unique(owner[owner >= 0]))
    here = np.flatnonzero((owner >= 0) & (X.n_rounds > 0))
    here = here[np.argsort(owner[here], kind="stable")]
    owner = owner[here]
    keep = np.unique(owner)
    notes = []
    if lost:
        notes.append(f"{lost:,} of {len(rows):,} rows are of no game of the log")

    def play(some: NDArray[np.intp], subject: NDArray[np.intp]) -> GroupPlay:
        place = np.full(len(rows), -1, dtype=np.intp)
        place[keep[some]] = subject
        own = np.flatnonzero(place[owner] >= 0)
        counts = count_moves(X[here[own]], place[owner[own]], strategies)
        return GroupPlay(*patterns(counts))

    return keep, play, notes


def _owners(rows: pd.DataFrame, X: Any) -> NDArray[np.intp]:
    """(N,) row that each trajectory belongs to; -1 where none."""
    assert X.keys is not None
    if "game_id" in rows.columns and rows["game_id"].notna().all():
        names = ["game_id", "seat"]
        own, there = (
            pd.MultiIndex.from_arrays([t["game_id"].astype(str), t["seat"].astype(int)])
            for t in (rows, X.keys)
        )
    else:
        names = ["player"]
        if "player" not in rows.columns or "player" not in X.keys.columns:
            raise DataError("no column 'game_id' or 'player', expected labels as `intent label` writes them")
        own, there = (pd.MultiIndex.from_arrays([t["player"].astype(str)]) for t in (rows, X.keys))
    if not own.is_unique:
        twice = own[own.duplicated()][0]
        raise DataError(f"two rows for {' and '.join(names)} {twice}, expected one")
    return np.asarray(own.get_indexer(there), dtype=np.intp)


def _of_posteriors(
    source: Compared, rows: pd.DataFrame, facts: Mapping[str, Any], background: bool, why: str
) -> tuple[tuple[str, ...], Any, list[str]]:
    """Names, the function that gives likelihoods of some rows, and notes."""
    names = [n for n in strategy_classes(rows, source.provenance) if background or n != "RANDOM"]
    columns = [codebook.PROBABILITY_PREFIX + name for name in names]
    if not columns or not set(columns) <= set(rows.columns):
        raise UsageError(
            f"an estimate of shares needs the log behind the labels ({why or 'not known'}; say where with "
            "--log PATH) or their posteriors p_<STRATEGY>; --count status counts labels"
        )
    posterior = rows[columns].to_numpy(dtype=float, na_value=np.nan)
    if np.isnan(posterior).any() or (posterior < 0).any():
        row = int(np.flatnonzero(np.isnan(posterior).any(axis=1) | (posterior < 0).any(axis=1))[0])
        raise DataError(f"row {row + 1} has posteriors {posterior[row].tolist()}, expected probabilities")
    likelihoods = np.log(np.maximum(posterior, 1e-300)) - np.log(_priors(facts, names))
    eps = facts.get("eps")
    noise = f"eps {eps:g}" if isinstance(eps, int | float) else "their noise"
    lines = [
        f"the log behind the labels is not at hand ({why or 'not known'}): shares are estimated from "
        f"posteriors at {noise}, the same in every group; groups of other noise may seem to differ (--log)"
    ]
    if background and "RANDOM" not in names:
        lines.append("these labels were made without RANDOM, which cannot compete in an estimate from them")

    def play(some: NDArray[np.intp], subject: NDArray[np.intp]) -> GroupPlay:
        summed = np.zeros((int(subject.max(initial=-1)) + 1, len(names)))
        np.add.at(summed, subject, likelihoods[some])
        distinct, pattern = np.unique(summed.round(12), axis=0, return_inverse=True)
        return GroupPlay(distinct, pattern.reshape(-1))

    return tuple(names), play, lines


def _priors(facts: Mapping[str, Any], names: Sequence[str]) -> NDArray[np.float64]:
    """(K,) prior that the posteriors were made with, equal where their table does not say."""
    prior = facts.get("prior")
    if isinstance(prior, Mapping) and all(isinstance(prior.get(n), int | float) for n in names):
        values = np.array([float(prior[n]) for n in names])
        if (values > 0).all():
            return values
    return np.full(len(names), 1 / len(names))


def _of_rows(subjects: Subjects, keep: NDArray[np.intp]) -> Subjects:
    """The subjects of some rows."""

    def cut(unit: Any) -> Any:
        if unit is None:
            return None
        also = None if unit.also is None else unit.also[keep]
        return replace(unit, codes=unit.codes[keep], also=also)

    units = subjects.units
    players = None if units.players is None else units.players[keep]
    own = replace(units, unit=cut(units.unit), narrow=cut(units.narrow), players=players)
    who = np.unique(subjects.who[keep], return_inverse=True)[1].reshape(-1)
    table = subjects.table.iloc[keep].reset_index(drop=True)
    return replace(subjects, table=table, who=who, units=own)


def _crossed(subjects: Subjects, factors: Sequence[str]) -> list[str]:
    """Factors that vary within subjects who return, in words."""
    if subjects.units.players is None:
        return []
    lines = []
    for factor in factors:
        codes = grouping(subjects.table, [factor]).codes
        pairs = np.unique(np.stack([subjects.who, codes]), axis=1)[0]
        several = int((np.unique(pairs, return_counts=True)[1] > 1).sum())
        if several:
            lines.append(
                f"{several:,} subjects have games in several groups of {factor} and count once in each; "
                "tests and intervals know that these are the same subjects"
            )
    return lines


def explained_of(
    request: CompareRequest, source: Compared, rows: pd.DataFrame, factors: Sequence[str] = ()
) -> Completeness:
    """Completeness of the strategies that compete for the play of some rows, and of each of their groups.

    Parameters
    ----------
    request : CompareRequest
        Its seed, whether RANDOM competes, and how the play is read.
    source : Compared
    rows : DataFrame
        Of labels, one for each trajectory, or for each player with all games.
    factors : columns that make the groups; none: the whole alone

    Raises
    ------
    UsageError
        The log behind the labels is not at hand, or none of its moves is of these rows.
    """
    facts = source.provenance or {}
    background = background_of(facts) if request.background is None else request.background
    strategies = competing(source, rows, background=background)
    log, X, owner = play_of(request, source, rows, "--explained")
    here = np.flatnonzero((owner >= 0) & (X.n_rounds > 0))
    groups = None
    if factors:
        whole = grouping(rows, factors)
        present, codes = np.unique(whole.codes[owner[here]], return_inverse=True)
        values = tuple(whole.values[g] for g in present)
        groups = Grouping(whole.columns, values, codes.reshape(-1).astype(np.intp))
    return completeness(
        choices_of_log(log, X[here]),
        log,
        strategies,
        groups=groups,
        seed=request.seed,
        update=request.update,
    )
