"""What an analysis of gamma-bench runs found: values, tables for people, a folder of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.json_values import json_values

if TYPE_CHECKING:
    import pandas as pd

    from intent.suites.gamma.differences import ScoreDifference

__all__ = ["Analysis"]


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """Differences of scores, regret of decisions, levels of reasoning, and a check for memory.

    Parameters
    ----------
    by : tuple of str
    scoring : str
    level : float, of intervals
    scores : DataFrame, a row per run
    differences, contamination : tuple of ScoreDifference
    moves : DataFrame, a row per move of logs
    regret, levels : list of mappings, as `schema.JSON_OBJECTS["bench_analyse"]`
    notes : tuple of str
    config : mapping
    """

    by: tuple[str, ...]
    scoring: str
    level: float
    scores: pd.DataFrame
    differences: tuple[ScoreDifference, ...]
    contamination: tuple[ScoreDifference, ...]
    moves: pd.DataFrame
    regret: Sequence[Mapping[str, Any]]
    levels: Sequence[Mapping[str, Any]]
    notes: tuple[str, ...]
    config: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Analysis by {', '.join(self.by)}: {len(self.scores):,} scores, {len(self.moves):,} moves>"

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent bench gamma analyse --json``."""
        found = {
            "by": list(self.by),
            "scoring": self.scoring,
            "n": len(self.scores),
            "differences": [_plain(one) for one in self.differences],
            "contamination": [_plain(one) for one in self.contamination],
            "regret": [dict(row) for row in self.regret],
            "levels": [dict(row) for row in self.levels],
            "notes": list(self.notes),
        }
        finite: dict[str, Any] = json_values(found)
        return finite

    def difference_rows(self, memory: bool = False) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of differences for people, or of the check for memory."""
        header = ["game", "first - second", f"difference [{self.level:.0%}]", "p", "p (Holm)", "n", ""]
        rows: list[list[object]] = []
        for one in self.contamination if memory else self.differences:
            d = one.difference
            where = "".join(f", {value}" for _, value in one.within)
            n = str(d.n[0]) if d.paired else f"{d.n[0]} and {d.n[1]}"
            rows.append(
                [
                    *(one.game, f"{one.first} - {one.second}{where}", _interval(d.estimate, d.low, d.high)),
                    *(_p(d.p), _p(one.p_adjusted), n, "pairs" if d.paired else "unpaired"),
                ]
            )
        return header, rows

    def regret_rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows of mean regret for people."""
        groups = list(dict.fromkeys(name for row in self.regret for name in row["group"]))
        header = [*groups, "game", "regret", "of what was at stake", "best replies", "moves", "games"]
        rows: list[list[object]] = []
        for row in self.regret:
            cells = [str(row["group"].get(name, "")) for name in groups]
            shares = [row.get(name) for name in ("relative", "best")]
            told = ["–" if share is None else _percent(share) for share in shares]
            mean = row["regret"]
            regret = _interval(mean["estimate"], mean["low"], mean["high"], ".3g")
            rows.append([*cells, row["game"], regret, *told, mean["n"], row["n_games"]])
        return header, rows

    def level_rows(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows of levels of reasoning for people."""
        groups = list(dict.fromkeys(name for row in self.levels for name in row["group"]))
        header = [*groups, "ratio", "players", "first mean", "people", "tau", "± se"]
        types = list(dict.fromkeys(t for row in self.levels for t in (row["shares"] or ())))
        rows: list[list[object]] = []
        for row in self.levels:
            shares = row["shares"] or {}
            cells: list[object] = [str(row["group"].get(name, "")) for name in groups]
            means = [_number(row[name], ".1f") for name in ("first_mean", "human_mean")]
            cells += [row["ratio"], row["n_subjects"], *means]
            cells += [_number(row[name], ".2f") for name in ("tau", "tau_se")]
            rows.append([*cells, *(f"{shares[t]:.0%}" if t in shares else "–" for t in types)])
        return [*header, *(f"level {t}" if t.isdigit() else t for t in types)], rows

    def write(self, folder: str | Path, *, overwrite: bool = False) -> list[Path]:
        """Write ``analysis.json``, ``differences.csv``, ``regret.csv``, ``moves.csv`` and ``levels.csv``.

        Tables without rows are left out.

        Raises
        ------
        OutputError
            A file is there and may not be replaced, or cannot be written.
        """
        import pandas as pd

        from intent.logs.jsonfile import write_object
        from intent.logs.output import claim, made
        from intent.logs.tablefile import claim_table, write_table

        target = claim(folder, overwrite=True, into=True)
        both = [*self.differences, *self.contamination]
        tables = {
            "differences.csv": pd.DataFrame([_flat(_plain(one)) for one in both]),
            "regret.csv": pd.DataFrame([_flat(row) for row in self.regret]),
            "moves.csv": self.moves.drop(columns="cluster", errors="ignore"),
            "levels.csv": pd.DataFrame([_flat(row) for row in self.levels]),
        }
        tables = {name: table for name, table in tables.items() if len(table)}
        if target.is_dir():
            claim(target / "analysis.json", overwrite=overwrite)
            for name in tables:
                claim_table(target / name, overwrite=overwrite)
        made(target)
        payload = {**self.to_dict(), "config": json_values(dict(self.config))}
        write_object(target / "analysis.json", payload, overwrite=overwrite)
        for name, table in tables.items():
            facts = {"table": f"bench_{name.removesuffix('.csv')}", **self.config}
            write_table(table, target / name, facts, overwrite=overwrite)
        return [target / name for name in ("analysis.json", *tables)]


def _plain(one: ScoreDifference) -> dict[str, Any]:
    d = one.difference
    return {
        "factor": one.factor,
        "first": one.first,
        "second": one.second,
        "within": dict(one.within),
        "game": one.game,
        "estimate": d.estimate,
        "low": d.low,
        "high": d.high,
        "p": d.p,
        "p_adjusted": one.p_adjusted,
        "least_p": d.least_p,
        "n": list(d.n),
        "paired": d.paired,
        "exact": d.exact,
    }


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested values as columns: ``regret_low``; of a group by their own names; lists with blanks."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, "" if name in ("group", "within") else f"{prefix}{name}_")
        else:
            flat[f"{prefix}{name}"] = " ".join(map(str, value)) if isinstance(value, list) else value
    return flat


def _interval(estimate: float, low: float, high: float, how: str = ".1f") -> str:
    ends = f" [{low:{how}}, {high:{how}}]" if low == low else ""
    return f"{estimate:{how}}{ends}"


def _number(value: float | None, how: str) -> str:
    return "–" if value is None or value != value else f"{value:{how}}"


def _percent(share: Mapping[str, float]) -> str:
    low, high = share["low"], share["high"]
    ends = f" [{low:.0%}, {high:.0%}]" if low == low else ""
    return f"{share['estimate']:.0%}{ends}"


def _p(p: float) -> str:
    return "–" if p != p else f"{p:.3g}"
