"""What a plan returns: values, text, tables, and files as their suffix says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import OutputError
from intent.workflows.json_values import json_values
from intent.workflows.result_files import write_result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PowerResult", "PowerRounds", "PowerRow"]


_DESIGN = ("opponent", "seats", "icc", "repeats", "spread", "games_per_subject", "eps", "count")
"""Settings of the studies that are played."""


@dataclass(frozen=True)
class PowerRounds:
    """What games of one length show.

    Parameters
    ----------
    rounds : int or None
        None for means.
    confident, recognised : float or None
        Where labels are counted: share of trajectories of the first group whose label is a strategy, and of
        those of the strategy in question that get its label.
    seen : float
        The difference as it is estimated or counted, in the mean of the studies of the last number.
    games_needed : mapping of power -> games per group; None where no number is enough
    checked : mapping, optional
        The number for the first power, played by new studies: target, games, power, se, studies.
    """

    rounds: int | None
    confident: float | None
    recognised: float | None
    seen: float
    games_needed: Mapping[str, int | None]
    checked: Mapping[str, float] | None = None


@dataclass(frozen=True)
class PowerRow:
    """Power of `games` per group, read off the curve; `simulated`: by studies of that number."""

    rounds: int | None
    games: int
    power: float
    simulated: float | None = None


@dataclass(frozen=True)
class PowerResult:
    """A plan, with what is needed to say how it came about.

    Parameters
    ----------
    kind : "shares" or "mean"
    difference, design_effect, alpha : float
    shares : mapping of strategy -> (first group, second group), true shares
    rounds : tuple of PowerRounds
    rows : tuple of PowerRow
    notes : tuple of str
    config : mapping, the resolved settings
    """

    kind: str
    difference: float
    design_effect: float
    alpha: float
    shares: Mapping[str, tuple[float, float]]
    rounds: tuple[PowerRounds, ...]
    rows: tuple[PowerRow, ...]
    notes: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent power --json``, as `schema.JSON_OBJECTS` describes it."""
        found: dict[str, Any] = json_values(
            {
                "kind": self.kind,
                "difference": self.difference,
                "design_effect": self.design_effect,
                "alpha": self.alpha,
                "shares": {name: list(both) for name, both in self.shares.items()},
                "rounds": [asdict(part) for part in self.rounds],
                "rows": [asdict(row) for row in self.rows],
                "design": {key: self.config.get(key) for key in _DESIGN} if self.kind == "shares" else None,
                "notes": list(self.notes),
            }
        )
        return found

    def table(self) -> pd.DataFrame:
        """One row per design."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows])

    def tables(self) -> list[tuple[list[str], list[list[object]], str]]:
        """Header, rows and title of the tables for people."""
        from intent.report.wording import in_percent

        targets = list(self.rounds[0].games_needed)
        labelled = any(part.confident is not None for part in self.rounds)
        needed: list[list[object]] = []
        for part in self.rounds:
            labels = [in_percent(part.confident), in_percent(part.recognised)] if labelled else []
            enough = (part.games_needed[t] for t in targets)
            cells = [*labels, f"{part.seen:+.3f}", *("more" if n is None else f"{n:,}" for n in enough)]
            needed.append([_or_dash(part.rounds), *cells, _played(part)])
        head = [
            "rounds",
            *(["labelled %", "recognised %"] if labelled else []),
            "difference seen",
            *(f"games for {t}" for t in targets),
            "power when played",
        ]
        simulated = any(row.simulated is not None for row in self.rows)
        powers: list[list[object]] = [
            [
                _or_dash(r.rounds),
                f"{r.games:,}",
                in_percent(r.power),
                *([in_percent(r.simulated)] if simulated else []),
            ]
            for r in self.rows
        ]
        what = "share" if self.kind == "shares" else "mean"
        title = f"Games per group to see a difference of {self.difference:g} in the {what}"
        title += f", at alpha {self.alpha:g}"
        columns = ["rounds", "games per group", "power %", *(["simulated %"] if simulated else [])]
        shown = slice(None) if self.kind == "shares" else slice(2, -1)
        return [
            (head[shown], [row[shown] for row in needed], title),
            (columns, powers, f"Power, with a design effect of {self.design_effect:.2f}"),
        ]

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the table of designs, or the JSON object with its config.

        Raises
        ------
        OutputError
            A figure, another suffix, or a path that cannot be written.
        """

        def figure(target: Path) -> Path:
            raise OutputError(
                f"cannot write {target}: a plan has no figure, expected .csv, .parquet, .jsonl or .json"
            )

        return write_result(
            path,
            figure=figure,
            table=self.table,
            payload=lambda: {**self.to_dict(), "config": dict(self.config)},
            facts=self.config,
            overwrite=overwrite,
        )


def _or_dash(value: int | None) -> object:
    return "–" if value is None else value


def _played(part: PowerRounds) -> str:
    """Power of the number for the first target, with its Monte Carlo standard error."""
    if part.checked is None:
        return "–"
    return f"{part.checked['power']:.2f} ± {part.checked['se']:.2f}"
