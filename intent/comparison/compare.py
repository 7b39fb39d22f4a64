"""From a table of labels, metrics or anything else to a comparison of groups.

What a comparison returns: values, text, tables, and files as their suffix says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError, one_line
from intent.base.result import (
    FIGURE_SUFFIXES,
    check_output,
    data_line,
    kept_in_words,
    write_result,
    write_text,
)
from intent.comparison.extras import Extras
from intent.estimate.intervals import check_bootstrap, check_level

if TYPE_CHECKING:
    import pandas as pd

    from intent.comparison.findings import Findings
    from intent.comparison.sentences import Headline
    from intent.comparison.share_tests import Comparison
    from intent.estimate.design_units import DesignUnits
    from intent.logs.gamelog import GameLog


__all__ = ["FIGURE_SUFFIXES", "CompareResult", "check_output", "compare"]


Rows = tuple[list[str], list[list[object]]]


@dataclass(frozen=True)
class CompareResult:
    """A comparison, with what is needed to say how it came about.

    Parameters
    ----------
    comparison : Comparison
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
    """

    comparison: Comparison
    config: Mapping[str, Any] = field(compare=False)
    notes: tuple[str, ...] = ()
    origin: Path | None = field(default=None, compare=False)
    confounds: tuple[str, ...] = ()
    extras: Extras = field(default=Extras(), compare=False)
    units: DesignUnits | None = field(default=None, compare=False)
    findings: Findings | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"<CompareResult: {self.comparison.summary()}>"

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent compare --json``."""
        from dataclasses import asdict

        return {
            **self.comparison.to_dict(),
            "unit": self.comparison.unit,
            "unit_line": self.unit_line(),
            "findings": [one.to_dict() for one in self.findings.shown] if self.findings else [],
            "headline": [one.to_dict() for one in self.headline()],
            "within": [asdict(one) for one in self.comparison.within],
            "confounds": list(self.confounds),
            "sentence": " ".join(self.paper_sentences()),
            **self.extras.to_dict(),
        }

    def table(self) -> pd.DataFrame:
        """One row per group and outcome, or per group for a metric."""
        return self.comparison.table()

    def rows(self) -> Rows:
        """Header and rows of the table for people; human baselines below the groups."""
        from intent.comparison.tables import comparison_rows, with_baselines

        humans = [(one.name, {name: share for name, share, _ in one.shares}) for one in self.extras.baselines]
        return with_baselines(comparison_rows(self.comparison), self.comparison.by, humans)

    def sentences(self) -> list[str]:
        """The tests of the factors in words."""
        from intent.comparison.tables import sentences

        return sentences(self.comparison)

    def unit_line(self) -> str:
        """What is independent, and why, in one line."""
        return "" if self.units is None else self.units.unit.line()

    def headline(self) -> list[Headline]:
        """What the sentence for a paper says, one for each factor."""
        from intent.comparison.sentences import headline

        counts = None if self.units is None else self._counts()
        return headline(
            self.comparison,
            widest=self.extras.widest,
            furthest=self.extras.furthest,
            within_blocks=self.extras.within,
            counted=counts,
        )

    def paper_sentences(self) -> list[str]:
        """What differs, how much and on how much evidence, as a paper says it."""
        from intent.comparison.sentences import overall_sentence

        if not self.comparison.by:
            return [overall_sentence(self.comparison, None if self.units is None else self._counts())]
        return [one.sentence for one in self.headline()]

    def finding_sentences(self, most: int = 5) -> list[str]:
        """The first findings on cooperation: what differs, in which direction, by how much."""
        from intent.comparison.sentences import finding_sentence

        return [finding_sentence(one) for one in self.findings.shown[:most]] if self.findings else []

    def _counts(self) -> str:
        """What was observed, counted by what the unit is: ``266 subjects in 2,604 games``."""
        assert self.units is not None
        unit, games = self.units.unit, self.config.get("n_games")
        if unit.kind == "game":
            n = sum(group.n for group in self.comparison.groups)
            return f"{n:,} trajectories in {unit.counted()}"
        return f"{unit.counted()} in {games:,} games" if games and unit.kind != "row" else unit.counted()

    def methods(self) -> str:
        """How the comparison was made, as a paragraph with citations."""
        from intent.comparison.methods_text import methods_text

        return methods_text(self.comparison, self.config, self._kinds())

    def bibliography(self) -> str:
        """The works that `methods` cites, and those of the baselines, as BibTeX."""
        from intent.comparison.methods_text import bibliography

        own = bibliography(self.comparison, self.config, self._kinds())
        more = [one.bibtex for one in self.extras.baselines]
        return "\n\n".join(dict.fromkeys([*own, *more])) + "\n"

    def pairs(self) -> Rows:
        """Header and rows of the tests between every two groups; no rows without ``pairwise``."""
        from intent.comparison.tables import pair_rows

        return pair_rows(self.comparison)

    def tables(self) -> list[tuple[str, Rows]]:
        """Title, header and rows of every further table that was asked for."""
        from intent.comparison import tables as made

        extras = self.extras
        found: list[tuple[str, Rows]] = []
        if extras.model is not None:
            found.append(
                (
                    "Regression on all factors: does each matter, the others held equal",
                    made.term_rows(extras.model),
                )
            )
            found.append(
                ("Adjusted by level, and difference to the first level", made.margin_rows(extras.model))
            )
        if extras.sensitivity:
            found.append(
                (
                    "How shares (%) and tests hang on the choices of labelling",
                    made.sensitivity_rows(extras.sensitivity),
                )
            )
        if extras.seats is not None:
            found.append(("First and second seat of the same games", made.seat_rows(extras.seats)))
        if extras.indices:
            found.append(("Indices of behaviour", made.index_rows(extras.indices)))
        return found

    def latex(self) -> str:
        """All tables in LaTeX."""
        from intent.comparison.tables import latex_table

        what = f"Mean of {self.comparison.metric}" if self.comparison.metric else "Shares of strategies (%)"
        by = f" by {' and '.join(self.comparison.by)}" if self.comparison.by else ""
        interval = f"with {self.comparison.level * 100:g} % intervals"
        header, rows = self.rows()
        label = "-".join(["tab:compare", *self.comparison.by])
        notes = [*self.paper_sentences(), self._provenance()]
        texts = [latex_table(header, rows, caption=f"{what}{by}, {interval}.", label=label, notes=notes)]
        further = [("Tests between pairs of groups", self.pairs()), *self.tables()]
        for i, (title, (names, cells)) in enumerate(further):
            if cells:
                texts.append(latex_table(names, cells, caption=f"{title}.", label=f"{label}-{i + 1}"))
        return "\n".join(texts)

    def figure(self, path: str | Path, kind: str = "auto", *, overwrite: bool = False) -> Path:
        """Draw a figure: kind is auto, bars, heatmap, points …; the suffix is .png, .svg or .pdf.

        Raises
        ------
        UsageError
            No such kind, or one that cannot show this comparison.
        OutputError
            The path cannot be written.
        """
        import json

        from intent.comparison.figures import write_figure

        return write_figure(
            self.comparison,
            check_output(path, origin=self.origin),
            kind=kind,
            remarks=tuple(filter(None, (self._quality(), self._provenance()))),
            description=json.dumps(dict(self.config), ensure_ascii=True),
            overwrite=overwrite,
        )

    def write(self, path: str | Path, *, figure: str = "auto", overwrite: bool = False) -> Path:
        """Write the result as its suffix says: a figure, a table, LaTeX, or the JSON object with its config.

        Raises
        ------
        UsageError, OutputError
            As `figure` and `check_output`.
        """
        if Path(path).suffix == ".tex":
            return write_text(self.latex(), path, overwrite=overwrite)
        return write_result(
            path,
            figure=lambda target: self.figure(target, figure, overwrite=overwrite),
            table=self.table,
            payload=lambda: {**self.to_dict(), "notes": self.notes, "config": dict(self.config)},
            facts=self.config,
            origin=self.origin,
            overwrite=overwrite,
        )

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
        kinds = {test.test for test in self.comparison.tests}
        kinds |= {"model"} if self.extras.model is not None else set()
        kinds |= {"sensitivity"} if self.extras.sensitivity else set()
        kinds |= {"indices"} if self.extras.indices else set()
        kinds |= {"seats"} if self.extras.seats is not None else set()
        kinds |= {"widest"} if self.extras.widest is not None else set()
        return frozenset(kinds)


def compare(
    table: pd.DataFrame | GameLog | str | Path,
    by: str | Sequence[str] = (),
    *,
    count: str | None = None,
    metric: str | None = None,
    gate: str | None = None,
    cluster: str | Sequence[str] | None = None,
    within: str | Sequence[str] = "auto",
    bootstrap: int = 2000,
    permutations: int | None = None,
    level: float = 0.95,
    pairwise: bool = False,
    model: bool = False,
    interactions: Sequence[str] = (),
    sensitivity: bool = False,
    baseline: str | Sequence[str] = (),
    indices: bool = False,
    recogniser: Any = None,
    background: bool | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    log: GameLog | str | Path | None = None,
    seed: int = 0,
    where: Mapping[str, Sequence[str]] | None = None,
    **reading: Any,
) -> CompareResult:
    """Strategy shares, or the mean of a number, by group: intervals and tests.

    Parameters
    ----------
    table : DataFrame, GameLog or path
        Labels, metrics, or any table (.parquet, .csv, .jsonl, .csv.gz, .jsonl.gz); or a game log or the
        folder of a run, which is labelled first.
    by : str or sequence of str
        Columns whose joint values make the groups; a comma in text separates columns.
    count : str, optional
        ``estimate`` (default): shares by maximum likelihood from the play behind the labels, each group with
        its own noise; or how labels are counted, which describes labels: ``status``, ``posterior``, ``split``
        or ``best``. With a gate the default is ``status``.
    metric : str, optional
        A numeric or boolean column: compare its mean instead of shares. Of a log, one of its metrics.
    gate : str, optional
        ``game``: only games whose labelled seats all are confident; ``trajectory``: only confident labels.
    cluster : str or sequence of str, optional
        Rows with the same values here are no independent observations; empty for independent rows. Default:
        as the design says (`design_units`): sessions or subjects, conditions that repeat, else games.
    within : str or sequence of str
        Columns at equal values of which each factor is compared too; ``auto``: those of the design that
        vary; ``none``.
    bootstrap : int
        Samples for intervals of means.
    permutations : int, optional
        Per test, or draws of an estimate's test (0: no permutation tests). Default: added until the interval
        of p leaves 1 - level.
    level : float in (0, 1)
        Coverage of the intervals; tests speak at 1 - level.
    pairwise : bool
        Test every two groups against each other too.
    model : bool
        Fit a regression on all factors together: multinomial logit, or least squares for a metric.
    interactions : sequence of str
        Pairs of factors whose interaction the model has, as ``"model:language"``.
    sensitivity : bool
        Show how shares and tests change with threshold, noise, prior, and the counting of ties.
    baseline : str or sequence of str
        Published shares of human subjects to set beside the groups (`baselines`).
    indices : bool
        Add the four indices of how steady behaviour is, by the one factor in `by`; needs the log.
    recogniser, others, keep_defaulted
        As `label_log`, for a log.
    background : bool, optional
        Whether RANDOM competes; default: yes, unless the labels were made without it on purpose.
    log : GameLog or path, optional
        Where the log behind a table is, if not where the table says.
    seed : int
        Same seed, same result.
    where : mapping of column -> accepted values, optional
        Rows to keep. The gate is applied before.
    **reading
        As `read_log`, for a log.

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
    from dataclasses import replace

    import numpy as np

    from intent.base.codebook import column_names
    from intent.comparison.counting import counted_shares, estimated_shares, means
    from intent.comparison.design import confounds_of
    from intent.comparison.extras import extras_of
    from intent.comparison.findings import cooperation_findings
    from intent.comparison.share_tests import Settings
    from intent.comparison.source import compared, way_to_count, with_quality
    from intent.estimate.cautions import pooled_games
    from intent.estimate.design_units import design_units
    from intent.estimate.label_weights import gate_rows, strategy_classes
    from intent.logs.gamelog import accepted_rows

    check_level(level)
    check_bootstrap(bootstrap)
    if permutations is not None and permutations < 0:
        raise UsageError(f"--permutations {permutations}, expected 0 or more")
    count = way_to_count(count, metric, gate, sensitivity, interactions, model)
    estimating = metric is None and count == "estimate"
    conditions = {column: [v] if isinstance(v, str) else list(v) for column, v in (where or {}).items()}
    given = compared(
        table,
        metric=metric,
        where=conditions,
        recogniser=recogniser,
        background=background,
        others=others,
        keep_defaulted=keep_defaulted,
        log=log,
        log_needed=estimating or sensitivity or indices,
        coin=metric is None and not estimating,
        seed=seed,
        **reading,
    )
    rows = given.table
    factors = column_names(by, rows.columns)
    clusters = None if cluster is None else column_names(cluster, rows.columns)
    keep = gate_rows(rows, gate) & accepted_rows(rows, given.where)  # type: ignore[arg-type]
    rows = rows[keep].reset_index(drop=True)
    kept = _kept(conditions, gate)
    if rows.empty:
        raise UsageError(
            f"no rows left of {len(keep)} ({'; '.join(kept) or 'the table is empty'}), expected at least one"
        )
    settings = Settings(bootstrap, permutations, level, pairwise)
    rng = np.random.default_rng(seed)
    if metric is not None:
        way = means(rows, factors, clusters, within, metric, kept, settings, rng, seed)
    else:
        classes = strategy_classes(rows, given.provenance)
        units = design_units(rows, factors, clusters, classes=classes)
        settings = replace(settings, unit=units.unit.noun)
        if estimating:
            way = estimated_shares(
                given,
                rows,
                factors,
                units,
                settings,
                draws=permutations or None,
                background=background,
                others=others,
                keep_defaulted=keep_defaulted,
                seed=seed,
            )
        else:
            way = counted_shares(rows, factors, units, within, count, classes, settings, rng, seed)
    rows, units = way.rows, way.units
    notes = [*way.notes, *units.notes]
    games = sorted(map(str, rows["game"].dropna().unique())) if "game" in rows.columns else []
    pooled = pooled_games(games, factors) if metric is None else None
    notes += [pooled] if pooled else []
    of_seats = given.origin is not None and {"game_id", "seat"} <= set(rows.columns)
    found, unknown = with_quality(way.comparison, rows, factors, given.behind, told=of_seats)
    left_out = given.skipped.items()
    notes += [f"{n:,} games of the log have no rows: {one_line(why)}" for why, n in left_out]
    notes += [unknown] if unknown else []
    notes += [*given.notes, *untested(found)]
    if count == "status" and metric is None:
        notes += _coins(given.provenance)
    confounded = confounds_of(rows, factors)
    config = {
        **given.facts,
        "games": games,
        "kept": kept,
        "by": list(factors),
        **({"count": count} if metric is None else {"metric": metric}),
        "gate": gate,
        "where": conditions,
        "cluster": list(units.unit.columns),
        "unit": units.unit.line(),
        "n_games": int(rows["game_id"].nunique()) if "game_id" in rows.columns else None,
        **({"strategies": list(found.outcomes)} if estimating else {}),
        "within": {one.factor: list(one.columns) for one in found.within},
        "bootstrap": bootstrap,
        "permutations": permutations,
        "level": level,
        "pairwise": pairwise,
        "seed": seed,
        "labels": _labelling(given.provenance),
    }
    findings = None
    if estimating:
        named = clusters is not None
        findings = cooperation_findings(given, way, factors, named=named, level=level, seed=seed)
    extras, more = extras_of(
        given,
        way,
        found,
        wanted={"model": model, "sensitivity": sensitivity, "indices": indices, "baseline": baseline},
        interactions=interactions,
        settings=settings,
        gate=gate,
        seed=seed,
    )
    return CompareResult(
        found,
        config,
        (*notes, *found.notes, *more),
        given.origin,
        confounds=tuple(confounded),
        extras=extras,
        units=units,
        findings=findings,
    )


def _coins(provenance: Mapping[str, Any] | None) -> list[str]:
    """What fair coins would get in the games of the labels, where these say so."""
    from intent.base.wording import coin_column

    facts = provenance if isinstance(provenance, Mapping) else {}
    summary = facts.get("summary")
    coin = summary.get("coin") if isinstance(summary, Mapping) else None
    shares = coin_column(coin)
    if not shares:
        return []
    each = ", ".join(f"{share} {status}" for status, share in shares.items() if status != "confident")
    return [
        f"of players who toss fair coins in these games {shares['confident']} would be confident ({each})"
    ]


def untested(found: Comparison) -> list[str]:
    """Factors of which no test could be made, and why, in words."""
    from intent.base.statistics.groups import group_name

    tested = {test.factor for test in found.tests}
    lines = []
    for factor in found.by:
        if factor in tested:
            continue
        groups = [group for group in found.groups if group.n_clusters < 2]
        if len(found.groups) < 2:
            why = "the rows have one value of it alone"
        elif groups:
            why = f"{group_name(groups[0].values)} rests on one of the {found.unit}"
        else:
            why = "play does not vary within the groups"
        lines.append(f"no test by {factor}: {why}")
    return lines


def _labelling(provenance: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """How labels were made, as far as their table says."""
    names = ("recogniser", "classes", "eps", "prior", "threshold", "alpha", "others", "keep_defaulted")
    facts = provenance if isinstance(provenance, Mapping) else {}
    return {name: facts[name] for name in names if name in facts} or None


def _kept(where: Mapping[str, Sequence[str]], gate: str | None) -> list[str]:
    """Which rows were kept, for messages and captions."""
    return kept_in_words(where) + ([f"gate: {gate}"] if gate else [])
