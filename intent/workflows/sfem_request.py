"""What is asked of an estimate of strategy shares: settings, checked, and as they are kept with results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError, UsageError
from intent.version import __version__
from intent.workflows.interval_settings import check_level

if TYPE_CHECKING:
    import pandas as pd

    from intent.recognise.sfem.thresholds import Player
    from intent.strategies.automaton import Strategy
    from intent.workflows.sfem_unit import SubjectUnit

__all__ = ["Request"]

_TREMBLES = ("common", "strategy", "pooled")
_MEMORIES = ("realised", "intended")
_CRITERIA = ("bic", "aic", "icl")


@dataclass(frozen=True, eq=False)
class Request:
    """Settings of `intent.workflows.sfem.sfem`, under their names.

    Raises
    ------
    UnknownNameError
        A tremble, memory or criterion that does not exist.
    UsageError
        A bootstrap or level that cannot be.
    """

    strategies: str | Sequence[str | Strategy] | None
    by: str | Sequence[str]
    subject: str | Sequence[str]
    cluster: str | Sequence[str]
    tremble: str
    bootstrap: int
    level: float
    memory: str | None
    select: str | None
    test: bool
    labels: pd.DataFrame | str | Path | None
    others: str | None
    contributes_from: float
    endowment: float | None
    keep_defaulted: bool
    where: Mapping[str, Sequence[str]] | None
    seed: int

    def __post_init__(self) -> None:
        for option, value, known in (
            ("tremble", self.tremble, _TREMBLES),
            ("memory", self.memory, _MEMORIES),
            ("criterion", self.select, _CRITERIA),
        ):
            if value is not None and value not in known:
                raise UnknownNameError(option, value, known)
        if self.bootstrap < 0 or self.bootstrap == 1:
            raise UsageError(f"--bootstrap {self.bootstrap}, expected 0 (none) or at least 2")
        check_level(self.level)

    def config(
        self,
        provenance: Mapping[str, Any],
        chosen: Sequence[Player],
        by: Sequence[str],
        subject: Sequence[str],
        independent: SubjectUnit,
        dropped: Sequence[str],
    ) -> dict[str, Any]:
        """The settings as JSON, with the log's provenance and the columns that they came to."""
        counted = {"contributes_from": self.contributes_from, "endowment": self.endowment}
        return {
            "log": dict(provenance),
            "strategies": [s.name for s in chosen],
            "memory": sorted({s.memory for s in chosen}),
            "by": list(by),
            "subject": list(subject),
            "cluster": list(independent.columns),
            "unit": independent.unit.line(),
            "tremble": self.tremble,
            "bootstrap": self.bootstrap,
            "level": self.level,
            "select": self.select,
            "dropped": list(dropped),
            "labels": str(self.labels) if isinstance(self.labels, str | Path) else None,
            "others": self.others,
            **(counted if self.others == "count" else {}),
            "keep_defaulted": self.keep_defaulted,
            "where": {column: list(values) for column, values in (self.where or {}).items()},
            "seed": self.seed,
            "version": __version__,
        }
