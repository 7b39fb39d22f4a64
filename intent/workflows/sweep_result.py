"""What a sweep returns: values, text, tables, and files as their suffix says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.json_values import json_values
from intent.workflows.result_files import data_line, kept_in_words, write_result

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.sweep import Point, Sweep

__all__ = ["SweepResult"]

WAYS = ("model", "hybrid")
"""Ways to label: by the recogniser alone, and with rules where it is unsure."""


@dataclass(frozen=True)
class SweepResult:
    """A sweep, with what is needed to say how it came about.

    Parameters
    ----------
    sweep : Sweep
    config : mapping
        The resolved settings, version and origin of the labels, JSON-able; kept in every file written.
    origin : Path, optional
        The file that was read; never written over.
    """

    sweep: Sweep
    config: Mapping[str, Any] = field(compare=False)
    origin: Path | None = field(default=None, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent sweep --json``, as `schema.JSON_OBJECTS` describes it."""
        sweep = self.sweep
        groups = [
            {
                "group": dict(zip(sweep.by, group.values, strict=True)),
                "n": group.n,
                "n_games": group.n_games,
                "points": [
                    {"tau": tau, **{way: self._point(p) for way, p in zip(WAYS, both, strict=True)}}
                    for tau, both in zip(sweep.taus, group.points, strict=True)
                ],
            }
            for group in sweep.groups
        ]
        found = {
            "by": list(sweep.by),
            "gate": sweep.gate,
            "rules": sweep.rules,
            "split": sweep.split,
            "classes": list(sweep.classes),
            "groups": groups,
        }
        finite: dict[str, Any] = json_values(found)
        return finite

    def table(self) -> pd.DataFrame:
        """One row per group, threshold and way to label, one column ``share_<STRATEGY>`` per class."""
        import pandas as pd

        rows = []
        for group in self.sweep.groups:
            factors = dict(zip(self.sweep.by, group.values, strict=True))
            for tau, both in zip(self.sweep.taus, group.points, strict=True):
                for way, point in zip(WAYS, both, strict=True):
                    facts = asdict(point)
                    shares = dict(zip(self.sweep.classes, facts.pop("shares"), strict=True))
                    rows.append(
                        {
                            **factors,
                            "tau": tau,
                            "labels": way,
                            "n": group.n,
                            **facts,
                            **{f"share_{name}": share for name, share in shares.items()},
                        }
                    )
        return pd.DataFrame(rows)

    def rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table for people: model-only and hybrid figures side by side."""
        header = [*self.sweep.by, "tau", "kept", "+rules", "confidence", "+rules", "diversity", "+rules"]
        header += ["tied", *self.sweep.classes]
        rows: list[list[object]] = []
        for group in self.sweep.groups:
            for tau, (model, hybrid) in zip(self.sweep.taus, group.points, strict=True):
                shares = [
                    f"{_percent(a)} / {_percent(b)}" for a, b in zip(model.shares, hybrid.shares, strict=True)
                ]
                cells: list[object] = [*map(str, group.values), f"{tau:g}"]
                cells += [_percent(model.retention), _percent(hybrid.retention)]
                cells += [model.mean_confidence, hybrid.mean_confidence, model.diversity, hybrid.diversity]
                rows.append([*cells, _percent(model.tied), *shares])
        return header, rows

    def title(self) -> str:
        """What stands above the table for people."""
        units = "games" if self.sweep.gate == "game" else "trajectories"
        n = sum(group.n for group in self.sweep.groups)
        return (
            f"{n:,} trajectories; % of {units} kept, shares of labels in %: recogniser alone / with rules "
            f"({self.sweep.rules}{'' if self.sweep.split else ', counted fully'}) below tau"
        )

    def words(self) -> list[str]:
        """What a reader should be warned of."""
        tied = max(both[0].tied for group in self.sweep.groups for both in group.points if both[0].kept)
        found = ["kept says that a label is probable, not that it fits: no test of fit is applied here"]
        if tied > 0:
            found.append(f"tied: up to {tied:.0%} of the kept labels are shared among strategies that tie")
        return found

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the result as its suffix says: a figure, a table, or the JSON object with its config.

        Raises
        ------
        UsageError
            Too many groups for a figure.
        OutputError
            Another suffix, or a path that cannot be written.
        """
        import json

        from intent.report.sweep_lines import write_sweep_figure

        facts = {"kind": "sweep", **self.config}
        return write_result(
            path,
            figure=lambda target: write_sweep_figure(
                self.sweep,
                target,
                remarks=(self._told(),),
                description=json.dumps(facts, ensure_ascii=True),
                overwrite=overwrite,
            ),
            table=self.table,
            payload=lambda: {**self.to_dict(), "config": facts},
            facts=facts,
            origin=self.origin,
            overwrite=overwrite,
        )

    def _point(self, point: Point) -> dict[str, Any]:
        facts = asdict(point)
        facts["shares"] = dict(zip(self.sweep.classes, facts["shares"], strict=True))
        return facts

    def _told(self) -> str:
        """Where the labels come from, in a line."""
        labels, config = self.config["labels"], self.config
        by = f"labelled by {labels['recogniser']}" if labels.get("recogniser") else ""
        return data_line(config["source"], by, *kept_in_words(config["where"]), nothing="table in memory")


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{share * 100:.1f}"
