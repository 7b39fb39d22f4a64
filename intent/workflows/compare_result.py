"""What a comparison returns: values, text, tables, and files as their suffix says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import OutputError

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.comparison import Comparison

__all__ = ["CompareResult", "check_output"]

FIGURE_SUFFIXES = (".png", ".svg", ".pdf")
TABLE_SUFFIXES = (".csv", ".parquet", ".jsonl", ".json")


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

        _spare(Path(path), self.origin)

        return write_figure(
            self.comparison,
            path,
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
        target = check_output(path, origin=self.origin)
        if target.suffix in FIGURE_SUFFIXES:
            return self.figure(target, figure, overwrite=overwrite)
        if target.suffix != ".json":
            from intent.logs.tablefile import write_table

            return write_table(self.table(), target, self.config, overwrite=overwrite)
        import json

        from intent.logs.output import writing

        payload = {**self.to_dict(), "notes": list(self.notes), "config": dict(self.config)}
        with writing(target, overwrite=overwrite) as draft:
            draft.write_text(
                json.dumps(payload, ensure_ascii=False, indent=2, allow_nan=False) + "\n", "utf8"
            )
        return target

    def _provenance(self) -> str:
        source, games = self.config["source"] or "table in memory", ", ".join(self.config["games"])
        kept = "; ".join(self.config["kept"])
        return f"Data: {source}{'; game: ' + games if games else ''}{'; ' + kept if kept else ''}."


def check_output(
    path: str | Path, *, overwrite: bool | None = None, origin: str | Path | None = None
) -> Path:
    """The path, if its suffix is one that a comparison can be written as.

    Parameters
    ----------
    path : path
    overwrite : bool, optional
        Where given, also whether the path may be written to (for a table with a companion file: both).
    origin : path, optional
        The table that is read: neither it nor its companion file may be written over.

    Raises
    ------
    OutputError
        Another suffix, a path that cannot be written, or the table that is read.
    """
    target = Path(path)
    if target.suffix not in (*FIGURE_SUFFIXES, *TABLE_SUFFIXES):
        kinds = f"a figure ({', '.join(FIGURE_SUFFIXES)}) or a table ({', '.join(TABLE_SUFFIXES)})"
        raise OutputError(f"cannot write {target}: suffix {target.suffix!r}, expected {kinds}")
    _spare(target, origin)
    if overwrite is not None and target.suffix in (".csv", ".jsonl"):
        from intent.logs.tablefile import claim_table

        claim_table(target, overwrite=overwrite)
    elif overwrite is not None:
        from intent.logs.output import claim

        claim(target, overwrite=overwrite)
    return target


def _spare(target: Path, origin: str | Path | None) -> None:
    """Refuse to write over the table that is read, or the companion file that says what its columns are."""
    if origin is None or not target.exists():
        return
    for read in (Path(origin), Path(f"{origin}.meta.json")):
        if read.exists() and target.samefile(read):
            raise OutputError(f"cannot write {target}: it is the table that is read")
