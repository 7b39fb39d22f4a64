"""What a comparison returns: values, text, tables, and files as their suffix says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.compare_extras import Extras
from intent.workflows.result_files import FIGURE_SUFFIXES, check_output, data_line, write_result, write_text

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.comparison import Comparison
    from intent.analysis.findings import Findings
    from intent.analysis.unit import DesignUnits
    from intent.report.paper_sentences import Headline

__all__ = ["FIGURE_SUFFIXES", "CompareResult", "check_output"]

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
        from intent.report.compare_tables import with_baselines
        from intent.report.tables import comparison_rows

        humans = [(one.name, {name: share for name, share, _ in one.shares}) for one in self.extras.baselines]
        return with_baselines(comparison_rows(self.comparison), self.comparison.by, humans)

    def sentences(self) -> list[str]:
        """The tests of the factors in words."""
        from intent.report.tables import sentences

        return sentences(self.comparison)

    def unit_line(self) -> str:
        """What is independent, and why, in one line."""
        return "" if self.units is None else self.units.unit.line()

    def headline(self) -> list[Headline]:
        """What the sentence for a paper says, one for each factor."""
        from intent.report.paper_sentences import headline

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
        from intent.report.paper_sentences import overall_sentence

        if not self.comparison.by:
            return [overall_sentence(self.comparison, None if self.units is None else self._counts())]
        return [one.sentence for one in self.headline()]

    def finding_sentences(self, most: int = 5) -> list[str]:
        """The first findings on cooperation: what differs, in which direction, by how much."""
        from intent.report.finding_words import finding_sentence

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
        from intent.report.methods_text import methods_text

        return methods_text(self.comparison, self.config, self._kinds())

    def bibliography(self) -> str:
        """The works that `methods` cites, and those of the baselines, as BibTeX."""
        from intent.report.methods_text import bibliography

        own = bibliography(self.comparison, self.config, self._kinds())
        more = [one.bibtex for one in self.extras.baselines]
        return "\n\n".join(dict.fromkeys([*own, *more])) + "\n"

    def pairs(self) -> Rows:
        """Header and rows of the tests between every two groups; no rows without ``pairwise``."""
        from intent.report.tables import pair_rows

        return pair_rows(self.comparison)

    def tables(self) -> list[tuple[str, Rows]]:
        """Title, header and rows of every further table that was asked for."""
        from intent.report import compare_tables as made

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
        from intent.report.latex_tables import latex_table

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

        from intent.report.figures import write_figure

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
