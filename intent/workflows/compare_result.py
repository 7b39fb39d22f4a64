"""What a comparison returns: values, text, tables, and files as their suffix says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.result_files import FIGURE_SUFFIXES, check_output, data_line, write_result

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.comparison import Comparison

__all__ = ["FIGURE_SUFFIXES", "CompareResult", "check_output"]


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
    """

    comparison: Comparison
    config: Mapping[str, Any] = field(compare=False)
    notes: tuple[str, ...] = ()
    origin: Path | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"<CompareResult: {self.comparison.summary()}>"

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent compare --json``."""
        return self.comparison.to_dict()

    def table(self) -> pd.DataFrame:
        """One row per group and outcome, or per group for a metric."""
        return self.comparison.table()

    def rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table for people."""
        from intent.report.tables import comparison_rows

        return comparison_rows(self.comparison)

    def sentences(self) -> list[str]:
        """The tests of the factors in words."""
        from intent.report.tables import sentences

        return sentences(self.comparison)

    def pairs(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the tests between every two groups; no rows without ``pairwise``."""
        from intent.report.tables import pair_rows

        return pair_rows(self.comparison)

    def figure(self, path: str | Path, kind: str = "auto", *, overwrite: bool = False) -> Path:
        """Draw a figure: kind is auto, bars, heatmap or points; the suffix is .png, .svg or .pdf.

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
            remarks=(self._provenance(),),
            description=json.dumps(dict(self.config), ensure_ascii=True),
            overwrite=overwrite,
        )

    def write(self, path: str | Path, *, figure: str = "auto", overwrite: bool = False) -> Path:
        """Write the result as its suffix says: a figure, a table, or the JSON object with its config.

        Raises
        ------
        UsageError, OutputError
            As `figure` and `check_output`.
        """
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
