"""What an estimate of strategy shares returns: values, tables, and files as their suffix says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.json_values import json_values
from intent.workflows.result_files import check_output, data_line, kept_in_words, source_of, write_result

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from intent.analysis.counted import Counted, GroupShares
    from intent.analysis.unit import Unit
    from intent.recognise.sfem.result import GroupTest, MixtureFit

__all__ = ["Rows", "ShareEstimates"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Who the subjects of an estimate are.

    Parameters
    ----------
    keys : table of n trajectories, and what describes them
    subjects : (n,) code of the subject of each trajectory
    fits : MixtureFit of each group, with codes and posteriors of its subjects
    """

    keys: pd.DataFrame
    subjects: NDArray[np.intp]
    fits: tuple[MixtureFit, ...]


@dataclass(frozen=True, eq=False)
class ShareEstimates:
    """Estimated shares of strategies by group, with what is needed to say how they came about.

    Parameters
    ----------
    by : columns that make the groups
    values : the groups, a value of each column
    fits : MixtureFit of each group
    tests : GroupTest between the groups
    config : the resolved settings, version and hash of the log, JSON-able; kept in every file written
    rows : gives the trajectories one by one; of a log that was read piece by piece it reads all at once
    count : gives the labels of each group, counted
    tables : gives the rows of `posteriors` piece by piece, where they can be made so
    origin : the log that was read, if it was a file; never written over
    notes : what a reader should be warned of
    independent : Unit, what errors and tests take as independent
    """

    by: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    fits: tuple[MixtureFit, ...]
    tests: tuple[GroupTest, ...]
    config: Mapping[str, Any]
    rows: Callable[[], Rows]
    count: Callable[[], list[Counted | None]]
    tables: Callable[[], Iterator[pa.Table]] | None = None
    origin: Path | None = None
    notes: list[str] = field(default_factory=list)
    independent: Unit | None = None

    def __repr__(self) -> str:
        n = sum(fit.n_subjects for fit in self.fits)
        by = f" by {', '.join(self.by)}" if self.by else ""
        return f"<ShareEstimates: {n:,} subjects, {len(self.fits)} groups{by}>"

    @cached_property
    def groups(self) -> tuple[GroupShares, ...]:
        """Each group with its labels counted (which can take longer than the estimate)."""
        from intent.analysis.counted import GroupShares

        parts = zip(self.values, self.fits, self.count(), strict=True)
        return tuple(GroupShares(values, fit, counted) for values, fit, counted in parts)

    @cached_property
    def known(self) -> Rows:
        """The trajectories one by one, read once."""
        return self.rows()

    @property
    def unit(self) -> str:
        """What one subject is, in words."""
        subject = self.config["subject"]
        if subject == ["game_id", "seat"]:
            return "one seat of one game"
        return f"all games of one {' × '.join(subject)}"

    def unit_line(self) -> str:
        """Which unit is independent, and why."""
        return "" if self.independent is None else self.independent.line()

    def named_fits(self) -> Iterator[tuple[str, MixtureFit]]:
        """Name of each group, and its fit."""
        from intent.analysis.comparison import group_name

        for values, fit in zip(self.values, self.fits, strict=True):
            yield group_name(values), fit

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent sfem --json``; what is not a number is None."""
        from intent.workflows.sfem_tables import fit_facts, group_test_facts

        found = zip(self.values, self.fits, strict=True)
        groups = [{"group": dict(zip(self.by, v, strict=True)), **fit_facts(f)} for v, f in found]
        tests = [group_test_facts(test, self.values) for test in self.tests]
        noun = None if self.independent is None else self.independent.noun
        units = {"unit": noun, "unit_line": self.unit_line()}
        finite: dict[str, Any] = json_values({"groups": groups} | ({"tests": tests} if tests else {}) | units)
        return finite

    def table(self) -> pd.DataFrame:
        """One row per group and strategy: share, error, interval, counted shares, tremble, criteria."""
        from intent.workflows.sfem_tables import share_table

        return share_table(self.groups, self.by)

    def posteriors(self) -> pd.DataFrame:
        """One row per subject: who it is, its group, its best strategy, the posterior of each."""
        from intent.workflows.sfem_tables import joined_tables, posterior_table

        return posterior_table(self) if self.tables is None else joined_tables(self.tables())

    def fit_rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of fits for people."""
        from intent.report.share_tables import fit_rows

        return fit_rows(list(zip(self.values, self.fits, strict=True)), self.by)

    def share_rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of shares for people, estimated beside counted."""
        from intent.report.share_tables import share_rows

        return share_rows(self.groups, self.by)

    def sentences(self) -> list[str]:
        """The tests between groups in words."""
        from intent.report.share_tables import group_test_sentences

        clustered = bool(self.config["cluster"])
        units = "units" if self.independent is None else self.independent.noun
        return group_test_sentences(
            self.tests, self.by, self.config["level"], clustered=clustered, units=units
        )

    def figure(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Draw estimated shares with intervals, and counted ones beside them.

        Raises
        ------
        UsageError
            Too many groups to be readable.
        OutputError
            The path cannot be written, or its suffix is not .png, .svg or .pdf.
        """
        from intent.report.shares_with_errors import write_shares

        return write_shares(
            self.groups,
            check_output(path, origin=self.origin),
            by=self.by,
            level=self.config["level"],
            remarks=self._remarks(),
            description=json.dumps({**self.config, "log": self._source()}, ensure_ascii=True),
            overwrite=overwrite,
        )

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the result as its suffix says: a figure, a table, or the JSON object with tests and config.

        Raises
        ------
        UsageError, OutputError
            As `figure` and `check_output`.
        """
        return write_result(
            path,
            figure=lambda target: self.figure(target, overwrite=overwrite),
            table=self.table,
            payload=self._payload,
            facts=self._facts(),
            origin=self.origin,
            overwrite=overwrite,
        )

    def write_posteriors(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the posterior of each subject to Parquet, CSV or JSON lines.

        Raises
        ------
        OutputError
            The path cannot be written.
        """
        from intent.logs.tablefile import write_table

        if self.tables is not None and Path(path).suffix == ".parquet":
            from intent.workflows.label_stream.label_writer import label_writer

            with label_writer(Path(path), overwrite) as (write, close):
                for table in self.tables():
                    write(table)
                close(self._facts())
            return Path(path)
        return write_table(self.posteriors(), Path(path), self._facts(), overwrite=overwrite)

    def _payload(self) -> dict[str, Any]:
        """The object of ``intent sfem --json`` with counted labels, tests, notes and settings."""
        from intent.workflows.sfem_tables import counted_facts

        payload = self.to_dict()
        for group, facts in zip(self.groups, payload["groups"], strict=True):
            facts["counted"] = counted_facts(group.counted)
        payload.setdefault("tests", [])
        return {**payload, "notes": self.notes, "config": dict(self.config)}

    def _facts(self) -> dict[str, Any]:
        return {"kind": "sfem", **self.config}

    def _remarks(self) -> list[str]:
        data = data_line(self._source()["source"], *kept_in_words(self.config["where"]))
        unit = f"One subject: {self.unit}"
        clustered = self.independent is not None and bool(self.config["cluster"])
        unit += f"; errors take {self.independent.noun} as independent." if clustered else "."  # type: ignore[union-attr]
        return [f"{data} {unit}", *(line[0].upper() + line[1:] + "." for line in self.notes)]

    def _source(self) -> dict[str, Any]:
        return source_of(self.config["log"])
