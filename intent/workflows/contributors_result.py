"""What the types of contributors return: a table, shares by group, and files as their suffix says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.json_values import json_values
from intent.workflows.result_files import check_output, data_line, kept_in_words, source_of, write_result

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.contributor_shares import GroupTypes
    from intent.encode.answers_to_others import Answers

__all__ = ["ContributorTypes"]


@dataclass(frozen=True, eq=False)
class ContributorTypes:
    """Types of contributors in a log.

    Parameters
    ----------
    table : one row per subject, as `schema.CONTRIBUTORS`
    by : columns that make the groups
    groups : GroupTypes of each group
    pairs : Answers, the contributions behind the table, row by row
    config : the resolved settings, version and hash of the log, JSON-able; kept in every file written
    n_games : games the subjects come from
    skipped : reason -> number of games without contributions
    notes : what a reader should be warned of
    origin : the log that was read, if it was a file; never written over
    """

    table: pd.DataFrame
    by: tuple[str, ...]
    groups: tuple[GroupTypes, ...]
    pairs: Answers
    config: Mapping[str, Any]
    n_games: int
    skipped: Mapping[str, int]
    notes: tuple[str, ...] = ()
    origin: Path | None = None

    def __repr__(self) -> str:
        return f"<ContributorTypes: {len(self.table):,} subjects, {len(self.groups)} groups>"

    @property
    def unit(self) -> str:
        """What one subject is, in words."""
        subject = self.config["subject"]
        if subject == ["game_id", "seat"]:
            return "one seat of one game"
        return f"all games of one {' × '.join(subject)}"

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent contributors --json``; what is not a number is None."""
        from intent.recognise.contributors.rules import STATUSES

        counts = self.table["status"].value_counts()
        found: dict[str, Any] = json_values(
            {
                "n": len(self.table),
                "n_games": self.n_games,
                "by": list(self.by),
                "statuses": {status: int(counts.get(status, 0)) for status in STATUSES},
                "groups": [group.to_dict(self.by) for group in self.groups],
                "skipped": dict(self.skipped),
            }
        )
        return found

    def rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows for people: types and statuses, counted by the rules and estimated as a mixture."""
        from intent.report.share_tables import percent, percent_ends

        header = [*self.by, "type", "subjects", "counted", "interval", "estimated", "interval "]
        rows: list[list[object]] = []
        for group in self.groups:
            for name, counted in group.counted.items():
                estimated = group.estimated.get(name)
                cells = [*map(str, group.values), name, f"{round(counted.estimate * group.n):,}"]
                for share in (counted, estimated):
                    cells += (
                        ["–", "–"]
                        if share is None
                        else [percent(share.estimate), percent_ends(share.low, share.high)]
                    )
                rows.append([*cells])
        return header, rows

    def sentences(self) -> list[str]:
        """What fits the subjects whose type is ambiguous, most frequent first."""
        unclear = self.table.loc[self.table["status"] == "ambiguous", "candidates"]
        if not len(unclear):
            return []
        counts = unclear.map(" or ".join).value_counts()
        return [f"ambiguous: {', '.join(f'{names} {n:,}' for names, n in counts.items())}"]

    def figure(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Draw own contributions against those of the others, by type, and the shares of the types.

        Raises
        ------
        UsageError
            Too many groups to be readable.
        OutputError
            The path cannot be written, or its suffix is not .png, .svg or .pdf.
        """
        from intent.report.contributor_types import write_contributor_types

        return write_contributor_types(
            self.table,
            self.pairs,
            self.groups,
            check_output(path, origin=self.origin),
            by=self.by,
            same_round=self.config["same_round"],
            remarks=self._remarks(),
            description=json.dumps({**self.config, "log": self._source()}, ensure_ascii=True),
            overwrite=overwrite,
        )

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the table, a figure, or the JSON object with notes and settings, as the suffix says.

        Raises
        ------
        UsageError, OutputError
            As `figure` and `check_output`.
        """
        return write_result(
            path,
            figure=lambda target: self.figure(target, overwrite=overwrite),
            table=lambda: self.table,
            payload=lambda: {**self.to_dict(), "notes": list(self.notes), "config": dict(self.config)},
            facts={**self.config, "skipped": dict(self.skipped)},
            origin=self.origin,
            overwrite=overwrite,
        )

    def _remarks(self) -> Sequence[str]:
        data = data_line(self._source()["source"], *kept_in_words(self.config["where"]))
        return [f"{data} One subject: {self.unit}.", *(f"{n[0].upper()}{n[1:]}." for n in self.notes)]

    def _source(self) -> dict[str, Any]:
        return source_of(self.config["log"])
