"""What labelling by several recognisers returns: a table, measures of agreement, text and files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.json_values import json_values
from intent.workflows.result_files import data_line, kept_in_words, write_result

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.agreement import Agreement

__all__ = ["AgreementResult"]


@dataclass(frozen=True, eq=False)
class AgreementResult:
    """Labels by several recognisers, and how they agree.

    Attributes
    ----------
    agreement : Agreement
    table : DataFrame
        The columns that describe the trajectory; for every recogniser ``best_<NAME>``, ``confidence_<NAME>``
        and ``status_<NAME>``; then n_distinct (different names), unanimous, majority (the name that more
        than half give, or null), exact_status and exact_tied (by the exact posterior).
    config : mapping
        The resolved settings, version and origin of the log, JSON-able; kept in every file written.
    notes : tuple of str
        What a reader should be warned of.
    rejects : DataFrame as `schema.REJECTS`
    """

    agreement: Agreement
    table: pd.DataFrame
    config: Mapping[str, Any]
    notes: tuple[str, ...]
    rejects: pd.DataFrame

    def __repr__(self) -> str:
        found = self.agreement
        return f"<AgreementResult: {', '.join(found.names)}; n = {found.n:,}>"

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent label -r A,B --json``, as `schema.JSON_OBJECTS["agreement"]`."""
        found = self.agreement
        pairs = [
            {
                "a": found.names[pair.a],
                "b": found.names[pair.b],
                "agreement": pair.agreement,
                "kappa": pair.kappa,
                "differ": [
                    {"a": found.classes[i], "b": found.classes[j], "n": count} for i, j, count in pair.differ
                ],
            }
            for pair in found.pairs
        ]
        by_status = {
            part.status: {
                "n": part.n,
                "disagree": part.disagree,
                "share_of_disagreement": part.share,
                "fleiss_kappa": part.kappa,
            }
            for part in found.by_status
        }
        facts = {
            "n": found.n,
            "n_games": found.n_games,
            "recognisers": list(found.names),
            "classes": list(found.classes),
            "unanimous": asdict(found.unanimous),
            "untied": {
                "n": found.n_untied,
                "unanimous": asdict(found.untied),
                "share_of_disagreement_on_ties": found.tied_share,
            },
            "majority": found.majority,
            "distinct": {str(i): count for i, count in enumerate(found.distinct, 1)},
            "fleiss_kappa": asdict(found.kappa),
            "pairs": pairs,
            "by_status": by_status,
            "notes": list(self.notes),
        }
        finite: dict[str, Any] = json_values(facts)
        return finite

    def tables(self) -> list[tuple[str, list[str], list[list[object]]]]:
        """Title, header and rows of the tables for people."""
        from intent.report.agreement_tables import agreement_tables

        return agreement_tables(self.agreement)

    def sentences(self) -> list[str]:
        """The result in words."""
        from intent.report.agreement_tables import agreement_sentences

        return agreement_sentences(self.agreement, float(self.config["level"]))

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write as the suffix says: a figure of pairwise agreement, the table, or the JSON object.

        Raises
        ------
        UsageError
            Too many recognisers for a figure.
        OutputError
            Another suffix, or a path that cannot be written.
        """
        import json

        from intent.report.agreement_map import write_agreement_figure

        return write_result(
            path,
            figure=lambda target: write_agreement_figure(
                self.agreement,
                target,
                level=float(self.config["level"]),
                remarks=(*self.notes, self._told()),
                description=json.dumps(dict(self.config), ensure_ascii=True),
                overwrite=overwrite,
            ),
            table=lambda: self.table,
            payload=lambda: {**self.to_dict(), "config": dict(self.config)},
            facts=self.config,
            overwrite=overwrite,
        )

    def write_rejects(self, path: Path, *, overwrite: bool = False) -> Path:
        """List the rows of the log that could not be read."""
        from intent.logs.tablefile import write_table

        return write_table(self.rejects, path, {"kind": "rejects"}, overwrite=overwrite)

    def _told(self) -> str:
        log = self.config["log"] or {}
        source = Path(str(log["source"])).name if log.get("source") else None
        return data_line(source, *kept_in_words(self.config["where"]))
