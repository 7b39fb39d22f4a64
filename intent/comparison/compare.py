"""From a table of labels, metrics or anything else to a comparison of groups, and what it adds when asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError, UnknownNameError, UsageError, one_line
from intent.base.job import (
    Result,
    Table,
    check_bootstrap,
    check_level,
    check_output,
    data_line,
    job,
    kept_in_words,
    write_text,
)
from intent.base.registry import require
from intent.base.sheet import drawn_on
from intent.base.statistics import group_name, grouping
from intent.base.tables import column_names, strategy_classes
from intent.comparison.data import (
    blocks_of,
    compared,
    confounds_of,
    identical_repeats,
    mixed_payoffs,
    with_quality,
)
from intent.comparison.effects import difference_within, widest_difference
from intent.comparison.findings import cooperation_findings
from intent.comparison.groups import (
    ABSTENTIONS,
    Comparison,
    Rows,
    comparison_rows,
    deciding,
    gate_rows,
    outcomes,
    pair_rows,
    sentences,
    with_baselines,
    with_holm,
)
from intent.comparison.requests import CompareRequest
from intent.comparison.sentences import (
    Headline,
    bibliography,
    finding_sentence,
    headline,
    methods_text,
    overall_sentence,
)
from intent.comparison.shares import estimator
from intent.comparison.tables import (
    index_rows,
    latex_table,
    margin_rows,
    seat_rows,
    sensitivity_rows,
    term_rows,
)
from intent.comparison.tests import Sample, Settings, compare_means, compare_shares, mean_tests, share_tests
from intent.estimate.design_units import design_units, pooled_games
from intent.logs.chunks import keeps_scripted, only_subjects
from intent.logs.gamelog import accepted_rows, is_scripted
from intent.recognise.coin import coin_column, coin_of_labels

if TYPE_CHECKING:
    from intent.behaviour.indices import Index
    from intent.comparison.coefficients import MeanModel, ShareModel
    from intent.comparison.data import Compared
    from intent.comparison.differences import SeatEffects
    from intent.comparison.effects import Effect
    from intent.comparison.findings import Findings
    from intent.comparison.groups import Outcomes
    from intent.comparison.sensitivity import SensitivityRow
    from intent.comparison.shares import EstimatedShares, Furthest
    from intent.estimate.baselines import Baseline
    from intent.estimate.choice.completeness import Completeness
    from intent.estimate.design_units import DesignUnits
    from intent.logs.gamelog import GameLog

__all__ = ["COUNTS", "CompareResult", "Extras", "compare", "numbers", "way_to_count"]


_CORRECTION = (
    "p is that of a question alone; Holm: corrected over the questions of this comparison. intent report "
    "corrects over all questions of its page, so that the same question may be shown here and not there."
)


@dataclass(frozen=True, eq=False)
class Extras:
    """What was asked for beside the comparison; empty or None where it was not.

    Parameters
    ----------
    model : ShareModel or MeanModel, optional
    widest : Effect, optional
        Between the two groups of one factor that are furthest apart.
    furthest : Furthest, optional
        The same, of estimated shares.
    within : float, optional
        The same difference within blocks that are alike in all else.
    explained : Completeness, optional
        How much of what can be predicted the strategies explain, of the whole and of each group.
    """

    model: ShareModel | MeanModel | None = None
    sensitivity: tuple[SensitivityRow, ...] = ()
    indices: tuple[Index, ...] = ()
    baselines: tuple[Baseline, ...] = ()
    seats: SeatEffects | None = None
    widest: Effect | None = None
    furthest: Furthest | None = None
    within: float | None = None
    explained: Completeness | None = None

    def to_dict(self) -> dict[str, Any]:
        """The keys of ``intent compare --json`` that belong to options."""
        keys: dict[str, Any] = {
            "model": None if self.model is None else asdict(self.model),
            "sensitivity": [row.to_dict() for row in self.sensitivity],
            "indices": [index.to_dict() for index in self.indices],
            "baselines": [one.to_dict() for one in self.baselines],
            "seats": None if self.seats is None else asdict(self.seats),
        }
        return {name: value for name, value in keys.items() if value}


@dataclass(frozen=True)
class CompareResult(Result):
    """A comparison, with what is needed to say how it came about.

    Parameters
    ----------
    config : mapping
        The resolved settings, version and hash of the input, JSON-able; kept in every file written.
    notes : tuple of str
        What a reader should be warned of.
    origin : Path, optional
        The file that was read; never written over.
    confounds : tuple of str
        Factors of the design that do not vary apart, and cells without play, in sentences.
    extras : Extras
        What was asked for beside: a regression, sensitivity, indices, human baselines.
    units : DesignUnits, optional
        What is independent, and why.
    findings : Findings, optional
        On cooperation, ranked, where shares are estimated and the moves are at hand.
    tells_methods : bool
        Whether the methods text stands below what a terminal shows.
    """

    comparison: Comparison
    config: Mapping[str, Any] = field(compare=False)
    notes: tuple[str, ...] = ()
    origin: Path | None = field(default=None, compare=False)
    confounds: tuple[str, ...] = ()
    extras: Extras = field(default=Extras(), compare=False)
    units: DesignUnits | None = field(default=None, compare=False)
    findings: Findings | None = field(default=None, compare=False)
    tells_methods: bool = field(default=False, compare=False)

    kind = "comparison"

    def __repr__(self) -> str:
        return f"<CompareResult: {self.comparison.summary()}>"

    def with_methods(self) -> CompareResult:
        """The same, with the methods text below what a terminal shows."""
        return replace(self, tells_methods=True)

    def fields(self) -> Mapping[str, Any]:
        """The keys of ``intent compare --json``."""
        explained = self.extras.explained
        return {
            **self.comparison.to_dict(),
            "unit": self.comparison.unit,
            "unit_line": self.unit_line(),
            "findings": [one.to_dict() for one in self.findings.shown] if self.findings else [],
            "headline": [asdict(one) for one in self.headline()],
            "within": [asdict(one) for one in self.comparison.within],
            "confounds": list(self.confounds),
            "sentence": " ".join(self.paper_sentences()),
            **self.extras.to_dict(),
            **({} if explained is None else {"explained": explained.facts(self.comparison.by)}),
        }

    def facts(self) -> dict[str, Any]:
        """The settings, version and hash of the input."""
        return dict(self.config)

    def payload(self) -> dict[str, Any]:
        """What ``--json`` prints, the notes and the settings."""
        return {**self.to_dict(), "notes": self.notes, "config": self.facts()}

    def warnings(self) -> Iterator[str]:
        """The notes, and what the design cannot tell apart."""
        yield from self.notes
        yield from (f"design: {line}" for line in self.confounds)

    def parts(self) -> Iterator[Table | str]:
        """The groups, the tests in words, further tables, sentences for a paper, findings."""
        comparison = self.comparison
        kind = "Estimated shares" if comparison.count == "estimate" else "Counted labels"
        what = f"Mean of {comparison.metric}" if comparison.metric else f"{kind} in %"
        yield Table(*self.rows(), f"{what}, with {comparison.level * 100:g} % intervals in brackets")
        yield from filter(None, [self.unit_line()])
        if (explained := self.extras.explained) is not None:
            yield explained.sentence()
            yield from filter(None, [explained.group_table(comparison.by)])
        yield from self.sentences()
        if comparison.tests:
            yield _CORRECTION
        header, rows = self.pairs()
        if rows:
            yield Table(header, rows, "Pairs of groups, the deciding test of each (--json has all)")
        for title, (header, rows) in self.tables():
            yield ""
            yield Table(header, rows, title)
        for line in self.paper_sentences():
            yield f"\nFor a paper: {line}"
        for number, line in enumerate(self.finding_sentences()):
            if not number:
                yield "\nFindings on cooperation, by the size that the data support at least:"
            yield f"- {line}"
        if self.tells_methods:
            yield f"\nMethods. {self.methods()}"

    def table(self) -> pd.DataFrame:
        """One row per group and outcome, or per group for a metric."""
        return self.comparison.table()

    def rows(self) -> Rows:
        """Header and rows of the table for people; human baselines below the groups."""
        humans = [(one.name, {name: share for name, share, _ in one.shares}) for one in self.extras.baselines]
        return with_baselines(comparison_rows(self.comparison), self.comparison.by, humans)

    def sentences(self) -> list[str]:
        """The tests of the factors in words."""
        return sentences(self.comparison)

    def unit_line(self) -> str:
        """What is independent, and why, in one line."""
        return "" if self.units is None else self.units.unit.line()

    def headline(self) -> list[Headline]:
        """What the sentence for a paper says, one for each factor."""
        return headline(
            self.comparison,
            widest=self.extras.widest,
            furthest=self.extras.furthest,
            within_blocks=self.extras.within,
            counted=self._counts(),
            bounded=self.units is not None and self.units.bounded,
        )

    def paper_sentences(self) -> list[str]:
        """What differs, how much and on how much evidence, as a paper says it."""
        if not self.comparison.by:
            return [overall_sentence(self.comparison, self._counts())]
        return [one.sentence for one in self.headline()]

    def finding_sentences(self, most: int = 5) -> list[str]:
        """The first findings on cooperation: what differs, in which direction, by how much."""
        return [finding_sentence(one) for one in self.findings.shown[:most]] if self.findings else []

    def _counts(self) -> str | None:
        """What was observed, counted by what the unit is: ``266 subjects in 2,604 games``."""
        if self.units is None:
            return None
        unit, games = self.units.unit, self.config.get("n_games")
        if unit.kind == "game":
            n = sum(group.n for group in self.comparison.groups)
            return f"{n:,} trajectories in {unit.counted()}"
        return f"{unit.counted()} in {games:,} games" if games and unit.kind != "row" else unit.counted()

    def methods(self) -> str:
        """How the comparison was made, as a paragraph with citations."""
        return methods_text(self.comparison, self.config, self._kinds())

    def bibliography(self) -> str:
        """The works that `methods` cites, and those of the baselines, as BibTeX."""
        own = bibliography(self.comparison, self.config, self._kinds())
        more = [one.bibtex for one in self.extras.baselines]
        return "\n\n".join(dict.fromkeys([*own, *more])) + "\n"

    def pairs(self) -> Rows:
        """Header and rows of the tests between every two groups; no rows without ``pairwise``."""
        return pair_rows(self.comparison)

    def tables(self) -> list[tuple[str, Rows]]:
        """Title, header and rows of every further table that was asked for."""
        extras = self.extras
        every: list[tuple[str, Callable[[Any], Rows], Any]] = [
            ("Regression on all factors: does each matter, the others held equal", term_rows, extras.model),
            ("Adjusted by level, and difference to the first level", margin_rows, extras.model),
            (
                "How shares (%) and tests hang on the choices of labelling",
                sensitivity_rows,
                extras.sensitivity,
            ),
            ("First and second seat of the same games", seat_rows, extras.seats),
            ("Indices of behaviour", index_rows, extras.indices),
        ]
        return [(title, rows(part)) for title, rows, part in every if part]

    def latex(self) -> str:
        """All tables in LaTeX."""
        what = f"Mean of {self.comparison.metric}" if self.comparison.metric else "Shares of strategies (%)"
        by = f" by {' and '.join(self.comparison.by)}" if self.comparison.by else ""
        interval = f"with {self.comparison.level * 100:g} % intervals"
        label = "-".join(["tab:compare", *self.comparison.by])
        notes = [*self.paper_sentences(), self._provenance()]
        texts = [latex_table(*self.rows(), caption=f"{what}{by}, {interval}.", label=label, notes=notes)]
        further = [("Tests between pairs of groups", self.pairs()), *self.tables()]
        for i, (title, (names, cells)) in enumerate(further):
            if cells:
                texts.append(latex_table(names, cells, caption=f"{title}.", label=f"{label}-{i + 1}"))
        return "\n".join(texts)

    def draw(self, target: Path, *, overwrite: bool, figure: str = "auto", **_: Any) -> Path:
        """Draw the groups: `figure` is auto, bars, heatmap, points …

        Raises
        ------
        UsageError
            No such kind, or one that cannot show this comparison.
        """
        from intent.comparison.figures import comparison_figure

        return comparison_figure(self.comparison, figure).write(
            target,
            remarks=tuple(filter(None, (self._quality(), self._provenance()))),
            description=json.dumps(dict(self.config), ensure_ascii=True),
            overwrite=overwrite,
        )

    def figure(self, path: str | Path, kind: str = "auto", *, overwrite: bool = False, **how: Any) -> Path:
        """Draw a figure: kind as `draw`; the suffix is .png, .svg or .pdf; width, font, theme as `sheet_of`.

        Raises
        ------
        UsageError
            As `draw`.
        OutputError
            The path cannot be written.
        """
        with drawn_on(self.sheet_for(how)):
            return self.draw(check_output(path, origin=self.origin), overwrite=overwrite, figure=kind, **how)

    def write(self, path: str | Path, *, overwrite: bool = False, **how: Any) -> Path:
        """As `Result.write`, and all tables in LaTeX (.tex); `figure` is the kind of a figure.

        Raises
        ------
        UsageError, OutputError
            As `Result.write`.
        """
        if Path(path).suffix == ".tex":
            return write_text(self.latex(), path, overwrite=overwrite)
        return super().write(path, overwrite=overwrite, **how)

    def _provenance(self) -> str:
        games = ", ".join(self.config["games"])
        parts = (f"game: {games}" if games else "", *self.config["kept"])
        return data_line(self.config["source"], *parts, nothing="table in memory")

    def _quality(self) -> str:
        """Shares of bad moves over all groups, for captions."""
        known = [group.quality for group in self.comparison.groups if group.quality]
        n = sum(quality.n_moves for quality in known)
        if not n:
            return ""
        defaulted = sum(quality.defaulted * quality.n_moves for quality in known) / n
        missing = sum(quality.missing * quality.n_moves for quality in known) / n
        return f"Of {n:,} moves {defaulted:.2%} are defaults for unreadable replies, {missing:.2%} missing."

    def _kinds(self) -> frozenset[str]:
        """Methods that were used."""
        options = ("model", "sensitivity", "indices", "seats", "widest")
        return frozenset({test.test for test in self.comparison.tests}).union(
            name for name in options if getattr(self.extras, name)
        )


@dataclass(frozen=True, eq=False)
class Way:
    """A comparison with what it was made of.

    Parameters
    ----------
    rows : DataFrame
        Those that were compared.
    units : DesignUnits, of these rows
    blocks : mapping of factor -> (n,) int
    counted : Outcomes, of labels that were counted
    values : (n,) float, of a metric
    estimate : EstimatedShares, of shares that were estimated
    """

    comparison: Comparison
    rows: pd.DataFrame
    units: DesignUnits
    blocks: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    counted: Outcomes | None = None
    values: NDArray[np.float64] | None = None
    estimate: EstimatedShares | None = None
    notes: tuple[str, ...] = ()

    @property
    def clusters(self) -> NDArray[np.intp]:
        """(n,) what rows are no independent observations."""
        return self.units.unit.codes

    @property
    def weights(self) -> NDArray[np.float64]:
        """(n, k) what rows count for: outcomes, or the one number."""
        return self.counted.weights if self.counted is not None else np.asarray(self.values)[:, None]


@job(CompareRequest)
def compare(request: CompareRequest) -> CompareResult:
    """Strategy shares, or the mean of a number, by group: intervals and tests.

    The gate is applied before conditions on rows. A log, or the folder of a run, is labelled first.

    Raises
    ------
    UnknownNameError
        A column that the table does not have, or a baseline that is not there.
    UsageError
        A setting that cannot be, no rows left, or a column that makes no groups; a log that is
        needed and missing.
    DataError
        The table is not readable, holds no labels, or the metric is no number; a log that is not
        the table's.
    """
    request = _checked(request)
    count, metric = way_to_count(request), request.metric
    estimating = metric is None and count == "estimate"
    source = compared(
        request,
        log_needed=estimating or request.sensitivity or request.indices or request.explained,
        coin=metric is None and not estimating,
    )
    factors = column_names(request.by, source.table.columns)
    conditions = kept_in_words(request.where or {}) + ([f"gate: {request.gate}"] if request.gate else [])
    way = _way(request, source, factors, conditions)
    rows, units = way.rows, way.units
    notes = [*way.notes, *units.notes]
    pooled = pooled_games(_games(rows), factors) if metric is None else None
    notes += [pooled] if pooled else []
    of_seats = source.origin is not None and {"game_id", "seat"} <= set(rows.columns)
    comparison, unknown = with_quality(way.comparison, rows, factors, source.behind, expected=of_seats)
    notes += [f"{n:,} games of the log have no rows: {one_line(why)}" for why, n in source.skipped.items()]
    notes += [unknown] if unknown else []
    notes += [*source.notes, *untested(comparison)]
    if count == "status" and metric is None:
        notes += _coins(source.provenance, len(rows))
    findings = None
    if estimating:
        findings = cooperation_findings(request, source, rows, factors, units)
    extras, more = _extras(request, source, way, comparison)
    return CompareResult(
        comparison,
        _config(request, source, way, comparison, conditions),
        (*notes, *comparison.notes, *more),
        source.origin,
        confounds=tuple(confounds_of(rows, factors)),
        extras=extras,
        units=units,
        findings=findings,
    )


def _checked(request: CompareRequest) -> CompareRequest:
    """The request with lists for conditions, once nothing in it is refused."""
    check_level(request.level)
    check_bootstrap(request.bootstrap)
    if request.permutations is not None and request.permutations < 0:
        raise UsageError(f"--permutations {request.permutations}, expected 0 or more")
    way_to_count(request)
    if request.table is None:
        raise UsageError("nothing to compare, expected FILE: labels, metrics, any table, a log or a run")
    if request.explained:
        from intent.estimate.choice.completeness import CEILING

        require(*CEILING)
    where = {c: [v] if isinstance(v, str) else list(v) for c, v in (request.where or {}).items()}
    return request.replace(where=where)


def _way(request: CompareRequest, source: Compared, factors: Sequence[str], conditions: Sequence[str]) -> Way:
    """The rows that the conditions leave, compared as the request says."""
    rows, metric = source.table, request.metric
    clusters = None if request.cluster is None else column_names(request.cluster, rows.columns)
    keep = accepted_rows(rows, source.where)
    keeps = keeps_scripted(request)["keep_scripted"]
    if request.gate is not None:
        keep = gate_rows(rows, request.gate, None if keeps else is_scripted(rows)) & keep  # type: ignore[arg-type]
    rows = rows[keep].reset_index(drop=True)
    left_out: list[str] = []
    if not keeps:
        of_subjects, left_out = only_subjects(rows)
        rows = rows[of_subjects].reset_index(drop=True)
    if rows.empty:
        raise UsageError(
            f"no rows left of {len(keep)} ({'; '.join(conditions) or 'the table is empty'}), "
            "expected at least one"
        )
    if metric is not None:
        means = _means(request, rows, factors, clusters, conditions)
        return replace(means, notes=(*left_out, *means.notes))
    count, classes = way_to_count(request), strategy_classes(rows, source.provenance)
    units = design_units(rows, factors, clusters, classes=classes)
    if count == "estimate":
        estimate, own, lines = estimator(request, source, rows, factors, units)
        rows, units = rows.iloc[own].reset_index(drop=True), estimate.subjects.units
        comparison = estimate.comparison(pairwise=request.pairwise)
        return Way(comparison, rows, units, estimate=estimate, notes=(*left_out, *lines))
    alike = None if units.unit.kind == "condition" else identical_repeats(rows, classes=classes)
    counted = outcomes(rows, count, classes=classes)  # type: ignore[arg-type]
    way = _tested(request, rows, factors, units, count, counted=counted)
    return replace(way, notes=(*left_out, alike) if alike else tuple(left_out))


def _games(rows: pd.DataFrame) -> list[str]:
    return sorted(map(str, rows["game"].dropna().unique())) if "game" in rows.columns else []


def _config(
    request: CompareRequest, source: Compared, way: Way, comparison: Comparison, conditions: Sequence[str]
) -> dict[str, Any]:
    """What the comparison was made of, and how."""
    rows, unit = way.rows, way.units.unit
    return {
        **source.facts,
        "games": _games(rows),
        "kept": list(conditions),
        "by": list(comparison.by),
        **({"count": way_to_count(request)} if request.metric is None else {"metric": request.metric}),
        **request.values(("gate", "where")),
        **keeps_scripted(request),
        "cluster": list(unit.columns),
        "unit": unit.line(),
        "n_games": int(rows["game_id"].nunique()) if "game_id" in rows.columns else None,
        **({"strategies": list(comparison.outcomes)} if way.estimate is not None else {}),
        "within": {one.factor: list(one.columns) for one in comparison.within},
        **request.values(("bootstrap", "permutations", "level", "pairwise", "seed")),
        "labels": _labelling(source.provenance),
    }


def _means(
    request: CompareRequest,
    rows: pd.DataFrame,
    factors: Sequence[str],
    cluster: Sequence[str] | None,
    conditions: Sequence[str],
) -> Way:
    """The mean of a column, over the rows that have a value there."""
    metric = str(request.metric)
    values = numbers(rows, metric)
    known = ~np.isnan(values)
    if not known.any():
        also = f" ({'; '.join(conditions)})" if conditions else ""
        raise UsageError(f"column {metric!r} has no value in any of {len(rows)} rows{also}")
    notes: tuple[str, ...] = ()
    if not known.all():
        notes = (f"{int((~known).sum())} of {len(rows)} rows have no {metric} and are left out",)
    rows, values = rows[known].reset_index(drop=True), values[known]
    mixed = mixed_payoffs(rows, factors) if metric == "mean_payoff" else None
    notes += (mixed,) if mixed else ()
    way = _tested(request, rows, factors, design_units(rows, factors, cluster), metric, values=values)
    return replace(way, notes=notes)


def _tested(
    request: CompareRequest,
    rows: pd.DataFrame,
    factors: Sequence[str],
    units: DesignUnits,
    name: str,
    *,
    counted: Outcomes | None = None,
    values: NDArray[np.float64] | None = None,
) -> Way:
    """Groups and tests on the unit of the design, and the deciding test of each factor on the narrower one.

    Of labels counted as `name` says, or of the values of the metric of that name.
    """
    wide, narrow = units.unit, units.narrow
    level, seed, rng = request.level, request.seed, np.random.default_rng(request.seed)
    settings = Settings(request.bootstrap, request.permutations, level, request.pairwise, wide.noun)
    blocks, within = blocks_of(rows, factors, request.within, wide.codes)
    sample = Sample(rows, factors, wide.codes, blocks, wide.also, seed)
    if counted is not None:
        comparison = compare_shares(sample, counted, count=name, settings=settings, rng=rng)
    else:
        comparison = compare_means(sample, np.asarray(values), metric=name, settings=settings, rng=rng)
    tests = [replace(test, unit=wide.noun, question=wide.question) for test in comparison.tests]
    if narrow is not None:
        how: dict[str, Any] = {
            "permutations": request.permutations,
            "rng": rng,
            "also": narrow.also,
            "seed": seed,
        }
        for chosen in [(f,) for f in factors] + ([tuple(factors)] if len(factors) > 1 else []):
            factor, codes = ",".join(chosen), grouping(rows, chosen).codes
            how["blocks"] = blocks_of(rows, chosen, request.within, narrow.codes)[0].get(factor)
            how["alpha"] = 1 - level
            if counted is not None:
                own = share_tests(factor, counted.weights, codes, narrow.codes, **how)
            else:
                own = mean_tests(factor, np.asarray(values), codes, narrow.codes, **how)
            if own:
                tests.append(replace(deciding(own), unit=narrow.noun, question=narrow.question))
    comparison = replace(comparison, tests=with_holm(tests), within=within)
    return Way(comparison, rows, units, blocks, counted, values)


_MOST = 1e140
"""Largest absolute value of a metric."""


def numbers(table: pd.DataFrame, metric: str) -> NDArray[np.float64]:
    """(n,) values of a numeric or boolean column, NaN where null."""
    if metric not in table.columns:
        raise UnknownNameError("column", metric, map(str, table.columns))
    column = table[metric]
    if (
        column.dtype == object
        and column.dropna().map(lambda cell: isinstance(cell, bool | int | float)).all()
    ):
        column = column.astype("Float64")
    if not pd.api.types.is_numeric_dtype(column.dtype):
        shown = column.dropna().iloc[0] if column.notna().any() else "nothing"
        raise DataError(
            f"column {metric!r} holds {str(shown)!r}, expected numbers or truth values for --metric"
        )
    values = column.to_numpy(dtype=float, na_value=np.nan)
    if np.isinf(values).any():
        raise DataError(f"column {metric!r} row {int(np.flatnonzero(np.isinf(values))[0]) + 1} is infinite")
    if (np.abs(values) > _MOST).any():
        raise DataError(f"column {metric!r} has numbers beyond {_MOST:g}, whose squares cannot be summed")
    return np.asarray(values)


def _coins(provenance: Mapping[str, Any] | None, n: int) -> list[str]:
    """What fair coins would get in the games of the labels, where these say so of so many rows."""
    shares = coin_column(coin_of_labels(provenance, n))
    if not shares:
        return []
    each = ", ".join(f"{share} {status}" for status, share in shares.items() if status != "confident")
    return [
        f"of players who toss fair coins in these games {shares['confident']} would be confident ({each})"
    ]


def untested(comparison: Comparison) -> list[str]:
    """Factors of which no test could be made, and why, in words."""
    tested = {test.factor for test in comparison.tests}
    lines = []
    for factor in comparison.by:
        if factor in tested:
            continue
        alone = [group for group in comparison.groups if group.n_clusters < 2]
        if len(comparison.groups) < 2:
            why = "the rows have one value of it alone"
        elif alone:
            why = f"{group_name(alone[0].values)} rests on one of the {comparison.unit}"
        else:
            why = "play does not vary within the groups"
        lines.append(f"no test by {factor}: {why}")
    return lines


def _labelling(provenance: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """How labels were made, as far as their table says."""
    names = ("recogniser", "classes", "eps", "prior", "threshold", "alpha", "others", "keep_defaulted")
    facts = provenance if isinstance(provenance, Mapping) else {}
    return {name: facts[name] for name in names if name in facts} or None


def _extras(
    request: CompareRequest, source: Compared, way: Way, comparison: Comparison
) -> tuple[Extras, list[str]]:
    """What was asked for beside the comparison (with the quality of its moves), and notes."""
    rows, blocks = way.rows, way.blocks
    notes: list[str] = []
    extras: dict[str, Any] = {}
    if "seat" in comparison.by and comparison.count != "estimate":
        from intent.comparison.differences import seats_of

        draws = request.permutations or request.bootstrap
        extras["seats"], more = seats_of(
            rows, comparison, way.weights, way.clusters, draws, request.level, request.seed
        )
        notes += more
    if request.model:
        extras["model"] = _model(request, way, comparison.by)
        notes += [f"model: {line}" for line in extras["model"].notes]
    if request.sensitivity:
        from intent.comparison.sensitivity import sensitivity_of

        sample = Sample(rows, comparison.by, way.clusters, blocks, seed=request.seed)
        extras["sensitivity"], more = sensitivity_of(request, source, comparison, sample)
        notes += more
    if request.explained:
        from intent.comparison.shares import explained_of

        extras["explained"] = explained_of(request, source, rows, comparison.by)
    if request.indices:
        extras["indices"], more = indices_of(source.behind.needed("--indices"), rows, comparison.by, request)
        notes += more
    names = [request.baseline] if isinstance(request.baseline, str) else list(request.baseline)
    if names:
        from intent.estimate.baselines import baselines

        if comparison.metric is not None:
            raise UsageError("--baseline has shares of strategies, expected no --metric")
        classes = [name for name in comparison.outcomes if name not in ABSTENTIONS]
        extras["baselines"] = baselines(names, classes)
        notes += [line for line in (one.differences(classes) for one in extras["baselines"]) if line]
        if comparison.count != "estimate":
            notes.append(
                "human shares are estimated by maximum likelihood: --count estimate compares like with like"
            )
    if len(comparison.by) == 1 and way.estimate is not None:
        extras["furthest"] = way.estimate.furthest()
    elif len(comparison.by) == 1 and len(comparison.groups) > 1:
        codes = grouping(rows, comparison.by).codes
        if comparison.by[0] in blocks:
            extras["within"] = difference_within(comparison, way.weights, codes, blocks[comparison.by[0]])
        extras["widest"] = widest_difference(
            comparison,
            way.weights,
            codes,
            way.clusters,
            samples=request.bootstrap,
            rng=np.random.default_rng(request.seed),
            also=way.units.unit.also,
        )
    frozen: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in extras.items()}
    return Extras(**frozen), notes


def _model(request: CompareRequest, way: Way, factors: Sequence[str]) -> ShareModel | MeanModel:
    from intent.comparison.regression import mean_model, membership_model, share_model

    if not factors:
        raise UsageError("--model explains by factors, expected --by COLUMN")
    crossed = []
    for text in request.interactions:
        parts = [part.strip() for part in text.split(":")]
        if len(parts) < 2 or not set(parts) <= set(factors):
            raise UsageError(
                f"--interactions {text!r}, expected factors of --by ({', '.join(factors)}) as a:b"
            )
        crossed.append(parts)
    if way.values is not None:
        return mean_model(way.rows, factors, way.values, way.clusters, crossed, level=request.level)
    if way.estimate is not None:
        return membership_model(way.estimate, crossed)
    assert way.counted is not None
    return share_model(way.rows, factors, way.counted, way.clusters, crossed, level=request.level)


def indices_of(
    log: GameLog, rows: pd.DataFrame, factors: Sequence[str], request: CompareRequest
) -> tuple[list[Index], list[str]]:
    """Internal variability, cross-language inconsistency, volatility over rounds, sensitivity to payoff.

    Parameters
    ----------
    rows : DataFrame
        What is compared: only games of it count.
    factors : columns that make the groups; one, whose values are compared

    Raises
    ------
    UsageError
        No factor or several.
    """
    from intent.behaviour.indices import AXES, behaviour_indices, outcome_of
    from intent.behaviour.payoffs import stakes_column
    from intent.behaviour.play_table import played

    if len(factors) != 1:
        raise UsageError("--indices are of one column, expected one --by COLUMN, such as --by model")
    if "game_id" not in rows.columns:
        raise UsageError("--indices are of games, but rows are players: labels of games have them")
    factor = factors[0]
    table = played(log)
    if factor not in table.columns:
        raise UsageError(f"--indices by {factor}: the log has no such column")
    table = table[table["game_id"].astype(str).isin(set(rows["game_id"].map(str)))]
    every, missing = [], []
    rng = np.random.default_rng(request.seed)
    for game in sorted(map(str, table["game"].unique())):
        part = table[(table["game"] == game).to_numpy()].reset_index(drop=True)
        part = part.assign(game_id=part["game_id"].cat.remove_unused_categories())
        column = stakes_column(part, None)
        own = behaviour_indices(
            part,
            game=game,
            model=factor,
            stakes=None if column == factor else column,
            outcome=outcome_of(part),
            bootstrap=request.bootstrap,
            level=request.level,
            rng=rng,
        )
        every += own
        lacking = [name for name in AXES if name not in {index.index for index in own}]
        missing += [f"indices of {game}: no cell gives {', '.join(lacking)}"] if lacking else []
    return every, missing


COUNTS = ("estimate", "status", "posterior", "split", "best")
"""What ``--count`` may say: estimated shares, or ways to count labels."""


def way_to_count(request: CompareRequest) -> str:
    """How shares are compared: estimated, unless a gate on labels asks to count these.

    Raises
    ------
    UnknownNameError
        No such way.
    UsageError
        Settings that contradict each other.
    """
    count, metric, gate = request.count, request.metric, request.gate
    if count == "sfem":
        count = "estimate"
    if count is not None and count not in COUNTS:
        raise UnknownNameError("count", count, COUNTS)
    if gate is not None and count == "estimate":
        raise UsageError(
            "--gate keeps rows by their labels, which would bias an estimate: not with --count estimate"
        )
    if metric is not None and count is not None:
        raise UsageError(f"--metric compares means, --count {count} shares: expected one of them")
    if request.explained and metric:
        raise UsageError("--explained is of strategies, expected no --metric")
    if request.sensitivity and metric:
        raise UsageError("--sensitivity is of labels, expected no --metric")
    if request.interactions and not request.model:
        raise UsageError("--interactions belong to a model: say --model too")
    return count or ("status" if gate is not None else "estimate")
