"""The three ways to compare groups: shares estimated, labels counted, the mean of a number.

Estimated shares in a comparison: from whose play, by which strategies, on which units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, IntentError, UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.comparison.estimated_shares import EstimatedShares, Subjects
    from intent.comparison.hypothesis import Hypothesis
    from intent.comparison.share_tests import Comparison, Settings
    from intent.comparison.source import Compared
    from intent.estimate.contrast import GroupPlay
    from intent.estimate.design_units import DesignUnits, Unit
    from intent.estimate.label_weights import Outcomes
    from intent.strategies.automaton import Strategy


__all__ = ["Way", "competing", "counted_shares", "estimated_shares", "estimator", "means"]


@dataclass(frozen=True, eq=False)
class Way:
    """A comparison with what it was made of.

    Parameters
    ----------
    comparison : Comparison
    rows : DataFrame
        Those that were compared.
    clusters : (n,) int
    blocks : mapping of factor -> (n,) int
    units : DesignUnits, of these rows
    counted : Outcomes, of labels that were counted
    values : (n,) float, of a metric
    estimate : EstimatedShares, of shares that were estimated
    notes : tuple of str
    """

    comparison: Comparison
    rows: pd.DataFrame
    clusters: NDArray[np.intp]
    units: DesignUnits
    blocks: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    counted: Outcomes | None = None
    values: NDArray[np.float64] | None = None
    estimate: EstimatedShares | None = None
    notes: tuple[str, ...] = ()


def counted_shares(
    rows: pd.DataFrame,
    factors: Sequence[str],
    units: DesignUnits,
    within: str | Sequence[str],
    count: str,
    classes: Sequence[str],
    settings: Settings,
    rng: np.random.Generator,
    seed: int,
) -> Way:
    """Labels, counted as `count` says."""
    from intent.comparison.design import blocks_of
    from intent.comparison.hypothesis import share_tests
    from intent.comparison.share_tests import compare_shares
    from intent.estimate.cautions import identical_repeats
    from intent.estimate.label_weights import outcomes

    counted = outcomes(rows, count, classes=classes)  # type: ignore[arg-type]
    codes = units.unit.codes
    blocks, told = blocks_of(rows, factors, within, codes)
    found = compare_shares(
        rows,
        factors,
        counted,
        codes,
        count=count,
        settings=settings,
        rng=rng,
        blocks=blocks,
        also=units.unit.also,
        seed=seed,
    )

    def tests(factor: str, groups: NDArray[np.intp], unit: Unit) -> list[Hypothesis]:
        own = blocks_of(rows, factor.split(","), within, unit.codes)[0].get(factor)
        return share_tests(
            factor,
            counted.weights,
            groups,
            unit.codes,
            permutations=settings.permutations,
            rng=rng,
            blocks=own,
            also=unit.also,
            seed=seed,
            alpha=1 - settings.level,
        )

    found = _on_both(replace(found, within=told), rows, units, tests)
    alike = None if units.unit.kind == "condition" else identical_repeats(rows, classes=classes)
    return Way(found, rows, codes, units, blocks, counted, notes=(alike,) if alike else ())


def _on_both(
    found: Comparison,
    rows: pd.DataFrame,
    units: DesignUnits,
    tests: Callable[[str, NDArray[np.intp], Unit], list[Hypothesis]],
) -> Comparison:
    """Tests with their unit, and the deciding test of each factor on the narrower unit beside them."""
    from intent.base.statistics.groups import grouping
    from intent.comparison.hypothesis import with_holm
    from intent.comparison.sensitivity import deciding

    wide, narrow = units.unit, units.narrow
    every = [replace(test, unit=wide.noun, question=wide.question) for test in found.tests]
    if narrow is not None:
        for factor in [(f,) for f in found.by] + ([found.by] if len(found.by) > 1 else []):
            own = tests(",".join(factor), grouping(rows, factor).codes, narrow)
            if own:
                every.append(replace(deciding(own), unit=narrow.noun, question=narrow.question))
    return replace(found, tests=with_holm(every))


def estimated_shares(
    given: Compared,
    rows: pd.DataFrame,
    factors: Sequence[str],
    units: DesignUnits,
    settings: Settings,
    **options: Any,
) -> Way:
    """Shares by maximum likelihood, each group with its own tremble; no tests within blocks.

    Parameters
    ----------
    given, rows, factors, units, settings
    **options : as `compare_estimate.estimator`

    Raises
    ------
    UsageError
        There is neither a log nor a posterior.
    """

    estimate, keep, notes = estimator(given, rows, factors, units, level=settings.level, **options)
    own = rows.iloc[keep].reset_index(drop=True)
    comparison = estimate.comparison(pairwise=settings.pairwise)
    kept = estimate.subjects.units
    return Way(comparison, own, kept.unit.codes, kept, estimate=estimate, notes=tuple(notes))


def means(
    rows: pd.DataFrame,
    factors: Sequence[str],
    cluster: Sequence[str] | None,
    within: str | Sequence[str],
    metric: str,
    kept: Sequence[str],
    settings: Settings,
    rng: np.random.Generator,
    seed: int,
) -> Way:
    """The mean of a column, over the rows that have a value there.

    Raises
    ------
    UsageError
        No row has one.
    """
    import numpy as np

    from intent.comparison.design import blocks_of
    from intent.comparison.hypothesis import mean_tests
    from intent.comparison.share_tests import compare_means
    from intent.comparison.source import numbers
    from intent.estimate.cautions import mixed_payoffs
    from intent.estimate.design_units import design_units

    values = numbers(rows, metric)
    notes: tuple[str, ...] = ()
    known = ~np.isnan(values)
    if not known.any():
        also = f" ({'; '.join(kept)})" if kept else ""
        raise UsageError(f"column {metric!r} has no value in any of {len(rows)} rows{also}")
    if not known.all():
        notes = (f"{int((~known).sum())} of {len(rows)} rows have no {metric} and are left out",)
    rows, values = rows[known].reset_index(drop=True), values[known]
    mixed = mixed_payoffs(rows, factors) if metric == "mean_payoff" else None
    notes += (mixed,) if mixed else ()
    units = design_units(rows, factors, cluster)
    settings, codes = replace(settings, unit=units.unit.noun), units.unit.codes
    blocks, told = blocks_of(rows, factors, within, codes)
    found = compare_means(
        rows,
        factors,
        values,
        codes,
        metric=metric,
        settings=settings,
        rng=rng,
        blocks=blocks,
        also=units.unit.also,
        seed=seed,
    )

    def tests(factor: str, groups: NDArray[np.intp], unit: Unit) -> list[Hypothesis]:
        own = blocks_of(rows, factor.split(","), within, unit.codes)[0].get(factor)
        return mean_tests(
            factor,
            values,
            groups,
            unit.codes,
            permutations=settings.permutations,
            rng=rng,
            blocks=own,
            also=unit.also,
            seed=seed,
            alpha=1 - settings.level,
        )

    found = _on_both(replace(found, within=told), rows, units, tests)
    return Way(found, rows, codes, units, blocks, values=values, notes=notes)


def estimator(
    given: Compared,
    rows: pd.DataFrame,
    factors: Sequence[str],
    units: DesignUnits,
    *,
    level: float,
    draws: int | None,
    background: bool | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    seed: int = 0,
) -> tuple[EstimatedShares, NDArray[np.intp], list[str]]:
    """What estimates shares of labelled play, the rows that it takes, and notes.

    The play is read from the log behind the labels as it was for them. Where there is none, likelihoods are
    the posteriors over the prior that they were made with, at the noise of the labels, which is then the same
    in every group.

    Parameters
    ----------
    given : Compared
    rows : DataFrame
        Of labels, one for each trajectory, or for each player with all games.
    factors : sequence of str
    units : DesignUnits, of the rows
    level : float in (0, 1)
    draws : int, optional
        As `EstimatedShares`.
    background : bool, optional
        Whether RANDOM competes; default: unless the labels were made without it.
    others, keep_defaulted
        As `label_log`; default: as for the labels.
    seed : int

    Raises
    ------
    UsageError
        No row has a move, or there is neither a log nor a posterior.
    """
    import numpy as np

    from intent.comparison.estimated_shares import EstimatedShares, Subjects

    facts = given.provenance if isinstance(given.provenance, Mapping) else {}
    wanted = background_of(facts) if background is None else background
    players = units.players
    who = np.arange(len(rows)) if players is None else players
    notes: list[str] = []
    subjects: Subjects
    try:
        strategies = competing(given, rows, background=wanted)
    except IntentError as error:
        strategies, why = (), f"their classes are no strategies of the catalogue ({error})"
    else:
        why = given.behind.why
    if strategies and given.behind.log is not None:
        keep, play, more = _of_log(given, rows, strategies, facts, others, keep_defaulted)
        notes += more
        subjects = Subjects(rows, who, units, tuple(s.name for s in strategies), play)
    else:
        names, play, more = _of_posteriors(given, rows, facts, wanted, why)
        notes += more
        keep = np.arange(len(rows))
        subjects = Subjects(rows, who, units, names, play)
    if not len(keep):
        raise UsageError(f"no move in any of {len(rows):,} rows, expected play to estimate shares from")
    if len(keep) < len(rows):
        notes.append(
            f"{len(rows) - len(keep):,} of {len(rows):,} rows have no readable move and are left out"
        )
        subjects = _kept(subjects, keep)
    notes += _crossed(subjects, factors)
    return EstimatedShares(subjects, tuple(factors), level, seed, draws), keep, notes


def background_of(facts: Mapping[str, Any]) -> bool:
    """Whether RANDOM competes for the play of labels: unless they were made without it on purpose."""
    return facts.get("background") is not False


def competing(given: Compared, rows: pd.DataFrame, *, background: bool) -> tuple[Strategy, ...]:
    """The strategies whose shares are estimated: those that the labels may name, and RANDOM.

    Raises
    ------
    UnknownNameError, StrategyError
        A class of the labels that is no strategy.
    """
    from intent.estimate.label_weights import strategy_classes
    from intent.recognise.storage import with_background
    from intent.strategies.catalogue import strategy_set

    classes = [c for c in strategy_classes(rows, given.provenance) if background or c != "RANDOM"]
    if not classes:
        raise DataError("no column 'p_<STRATEGY>', expected a table made by `intent label`")
    return with_background(strategy_set(classes), background)


def _of_log(
    given: Compared,
    rows: pd.DataFrame,
    strategies: Sequence[Strategy],
    facts: Mapping[str, Any],
    others: str | None,
    keep_defaulted: bool,
) -> tuple[NDArray[np.intp], Any, list[str]]:
    """Rows with a move, the function that counts the play of some of them, and notes."""
    import numpy as np

    from intent.estimate.contrast import GroupPlay
    from intent.estimate.counts import count_moves
    from intent.estimate.population import patterns
    from intent.logs.selection import focal_play
    from intent.recognise.labels.sources import reading_of_play

    log = given.behind.needed("an estimate of shares")
    reading = reading_of_play(facts)
    reading["others"] = others or reading["others"]
    reading["keep_defaulted"] = keep_defaulted or reading["keep_defaulted"]
    X = focal_play(log, **reading)[1]
    owner = _owners(rows, X)
    here = np.flatnonzero((owner >= 0) & (X.n_rounds > 0))
    here = here[np.argsort(owner[here], kind="stable")]
    owner = owner[here]
    keep = np.unique(owner)
    notes = []
    lost = len(rows) - len(np.unique(_owners(rows, X)[_owners(rows, X) >= 0]))
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
    import numpy as np
    import pandas as pd

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
    given: Compared, rows: pd.DataFrame, facts: Mapping[str, Any], background: bool, why: str
) -> tuple[tuple[str, ...], Any, list[str]]:
    """Names, the function that gives likelihoods of some rows, and notes."""
    import numpy as np

    from intent.base import codebook
    from intent.estimate.contrast import GroupPlay
    from intent.estimate.label_weights import strategy_classes

    names = [n for n in strategy_classes(rows, given.provenance) if background or n != "RANDOM"]
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
    import numpy as np

    prior = facts.get("prior")
    if isinstance(prior, Mapping) and all(isinstance(prior.get(n), int | float) for n in names):
        values = np.array([float(prior[n]) for n in names])
        if (values > 0).all():
            return values
    return np.full(len(names), 1 / len(names))


def _kept(subjects: Subjects, keep: NDArray[np.intp]) -> Subjects:
    """The subjects of some rows."""
    import numpy as np

    from intent.estimate.design_units import DesignUnits

    def cut(unit: Any) -> Any:
        if unit is None:
            return None
        also = None if unit.also is None else unit.also[keep]
        return replace(unit, codes=unit.codes[keep], also=also)

    units = subjects.units
    players = None if units.players is None else units.players[keep]
    own = DesignUnits(cut(units.unit), cut(units.narrow), units.notes, players)
    who = np.unique(subjects.who[keep], return_inverse=True)[1].reshape(-1)
    table = subjects.table.iloc[keep].reset_index(drop=True)
    return replace(subjects, table=table, who=who, units=own)


def _crossed(subjects: Subjects, factors: Sequence[str]) -> list[str]:
    """Factors that vary within subjects who return, in words."""
    import numpy as np

    from intent.base.statistics.groups import grouping

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
