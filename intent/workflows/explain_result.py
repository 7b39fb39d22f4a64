"""What `explain` returns: values, text, tables, figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.json_values import json_values

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.explaining.explanation import Explanation, Importance

__all__ = ["ExplainResult", "Explained"]


@dataclass(frozen=True, eq=False)
class Explained:
    """A metric explained in a group."""

    group: Mapping[str, Any]
    explanation: Explanation


@dataclass(frozen=True, eq=False)
class ExplainResult:
    """Explanations, with what is needed to say how they came about.

    Parameters
    ----------
    parts : Explained of every group and metric
    skipped : mappings of target, group, why
    config : the resolved settings and version, JSON-able; kept in every file written
    single : whether it is one metric of all rows
    origin : the table that was read, if it was a file
    files : names within the folder, once written
    """

    parts: tuple[Explained, ...]
    skipped: tuple[Mapping[str, Any], ...]
    config: Mapping[str, Any]
    single: bool
    origin: Path | None = None
    files: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent explain --json``, as `schema.JSON_OBJECTS` and its extras describe it."""
        figures = [name for name in self.files if not name.endswith((".csv", ".json"))]
        found = [_facts(one.explanation, figures) for one in self.parts]
        if self.single:
            alone: dict[str, Any] = json_values(found[0])
            return alone
        listed = [{"group": dict(o.group), **facts} for o, facts in zip(self.parts, found, strict=True)]
        several: dict[str, Any] = json_values(
            {"explanations": listed, "skipped": [dict(one) for one in self.skipped]}
        )
        return several

    def table(self) -> pd.DataFrame:
        """One row per group, metric and feature."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    **one.group,
                    "target": one.explanation.target,
                    "n": one.explanation.n,
                    "feature": found.feature,
                    "mean_abs_shap": found.mean_abs_shap,
                    "share": found.share,
                    "rank_low": found.rank_low,
                    "rank_high": found.rank_high,
                    "r2_in": one.explanation.r2_in,
                    "r2_out": one.explanation.r2_out,
                }
                for one in self.parts
                for found in one.explanation.ranking
            ]
        )

    def levels(self) -> pd.DataFrame:
        """One row per group, metric, feature and level."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    **one.group,
                    "target": one.explanation.target,
                    "feature": found.feature,
                    "level": level.name,
                    "mean_shap": level.mean_shap,
                    "mean_target": level.mean_target,
                    "n_rows": level.n,
                }
                for one in self.parts
                for found in one.explanation.ranking
                for level in found.levels
            ]
        )

    def texts(self) -> Iterator[tuple[str, list[str], list[list[object]], list[str]]]:
        """For people: title, header, rows and remarks of each explanation."""
        for one in self.parts:
            found = one.explanation
            within = ", ".join(f"{k} = {v}" for k, v in one.group.items())
            title = f"{found.target}{f' ({within})' if within else ''}: {found.n:,} rows, {found.trees} trees"
            header = ["feature", "mean |SHAP|", "share", "rank", "levels: mean SHAP (mean of the metric)"]
            yield title, header, [_row(feature) for feature in found.ranking], _words(found)
        for lost in self.skipped:
            within = ", ".join(f"{k} = {v}" for k, v in lost["group"].items())
            yield f"{lost['target']} ({within}): {lost['why']}", [], [], []

    def write(self, folder: str | Path, *, image: str = "png", overwrite: bool = False) -> Path:
        """Write ``explain.json``, ``importance.csv``, ``levels.csv`` and the figures into a folder.

        Raises
        ------
        UnknownNameError
            Another kind of image.
        OutputError
            A file is there and may not be replaced, or cannot be written.
        """
        from intent.errors import UnknownNameError
        from intent.logs.jsonfile import write_object
        from intent.logs.output import claim
        from intent.logs.tablefile import write_table
        from intent.workflows.explain_figures import draw_explained

        if image not in ("png", "svg", "pdf"):
            raise UnknownNameError("kind of image", image, ("png", "svg", "pdf"))
        target = claim(folder, overwrite=True, into=True)
        facts = {"kind": "explain", **self.config}
        self.files.clear()
        for name, rows in (("importance.csv", self.table()), ("levels.csv", self.levels())):
            write_table(rows, target / name, facts, overwrite=overwrite)
            self.files.append(name)
        self.files.extend(draw_explained(self.parts, target, self.config, image=image, overwrite=overwrite))
        told = {**self.to_dict(), "config": json_values(dict(self.config))}
        write_object(target / "explain.json", told, overwrite=overwrite)
        self.files.append("explain.json")
        return target


def _facts(found: Explanation, figures: list[str]) -> dict[str, Any]:
    stable = found.stability
    return {
        "target": found.target,
        "n": found.n,
        "trees": found.trees,
        "ranking": [
            {
                "feature": one.feature,
                "mean_abs_shap": one.mean_abs_shap,
                "share": one.share,
                "rank_low": one.rank_low,
                "rank_high": one.rank_high,
                "levels": {
                    level.name: {"mean_shap": level.mean_shap, "mean_target": level.mean_target, "n": level.n}
                    for level in one.levels
                },
            }
            for one in found.ranking
        ],
        "r2_in": found.r2_in,
        "r2_out": found.r2_out,
        "stability": {
            "seeds": stable.seeds,
            "rank_correlation": stable.rank_correlation,
            "r2_in": dict(zip(("mean", "low", "high"), stable.r2_in, strict=True)),
            "r2_out": dict(zip(("mean", "low", "high"), stable.r2_out, strict=True)),
        },
        "figures": figures,
        "notes": list(found.notes),
    }


def _row(one: Importance) -> list[object]:
    levels = ", ".join(f"{lv.name} {lv.mean_shap:+.3f} ({lv.mean_target:.3f})" for lv in one.levels)
    rank = "–" if one.rank_low is None else f"{one.rank_low}–{one.rank_high}"
    share = "–" if one.share != one.share else f"{one.share:.0%}"
    return [one.feature, f"{one.mean_abs_shap:.4f}", share, rank, levels]


def _words(found: Explanation) -> list[str]:
    lines = list(found.notes)
    if found.r2_in == found.r2_in:
        out = "" if found.r2_out != found.r2_out else f", {found.r2_out:.3f} on games left out"
        lines.insert(0, f"R² {found.r2_in:.3f} on the rows fitted{out}")
        if found.r2_out == found.r2_out and found.r2_out < 0.1:
            lines.append(
                "the features say next to nothing about games left out: importances are fitted noise"
            )
        tau = found.stability.rank_correlation
        if tau == tau:
            lines.append(f"Kendall's tau between the rankings of {found.stability.seeds} seeds: {tau:.2f}")
    return lines
