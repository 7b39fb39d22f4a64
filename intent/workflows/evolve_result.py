"""What evolution says: values, tables, sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.json_values import json_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intent.arena.evolution.dominance import Dominance
    from intent.arena.evolution.mix import Mix
    from intent.arena.evolution.pool import Pool
    from intent.arena.evolution.stability import Stability
    from intent.workflows.evolve_source import Source

__all__ = ["Evolution"]


@dataclass(frozen=True, eq=False)
class Evolution:
    """Populations that evolved.

    Parameters
    ----------
    source : Source
    pool : Pool, of the names that take part
    mixes : tuple of Mix, one per start
    payoffs : (m, m) float, mean payoff per turn
    draws : (B, m, m) float or None, payoffs over strategies drawn anew
    invasion : (m, m) float
    dominance, best_replies, stable : of the payoffs
    config : mapping, the resolved settings
    seconds : float
    path : Path or None
    """

    source: Source
    pool: Pool
    mixes: tuple[Mix, ...]
    payoffs: NDArray[np.float64]
    draws: NDArray[np.float64] | None
    invasion: NDArray[np.float64]
    dominance: tuple[Dominance, ...]
    best_replies: dict[str, tuple[str, ...]]
    stable: tuple[Stability, ...]
    config: Mapping[str, Any]
    seconds: float = 0.0
    path: Path | None = None

    def finished(self, seconds: float, path: Path | None) -> Evolution:
        """The same, with the time that it took and the folder that it is written to."""
        return replace(self, seconds=seconds, path=path)

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent evolve --json``."""
        names = self.pool.names
        each = [self._of(mix) for mix in self.mixes]
        begin = each[0] if len(each) == 1 else {}
        shared = {
            "runs": self.config["runs"],
            "mutation": self.config["mutation"],
            "intensity": self.config["intensity"],
            "invasion": self._square(self.invasion),
            "payoff": self._square(self.payoffs),
            "dominance": [
                {"dominated": d.dominated, "by": str(d), "strictly": d.strictly} for d in self.dominance
            ],
            "best_replies": {name: list(found) for name, found in self.best_replies.items()},
            "stable": {
                name: {
                    "strict_nash": s.strict_nash,
                    "nash": s.nash,
                    "ess": s.ess,
                    "margin": s.margin,
                    "low": s.low,
                    "high": s.high,
                }
                for name, s in zip(names, self.stable, strict=True)
            },
            **self.source.facts,
            "left_out": [{"name": n, "reason": why} for n, why in self.source.left_out.items()],
            "path": None if self.path is None else str(self.path),
            "seconds": self.seconds,
            "notes": self.notes(),
        }
        more = {} if len(each) == 1 else {"mixes": each}
        return dict(json_values({**begin, **shared, **more}))

    def notes(self) -> list[str]:
        """What a reader should be warned of."""
        from intent.workflows.evolve_notes import notes_on

        return notes_on(self)

    def by_name(self, values: Any) -> dict[str, float]:
        """Values in the order of the names, by name."""
        return {name: float(value) for name, value in zip(self.pool.names, values, strict=True)}

    def _of(self, mix: Mix) -> dict[str, Any]:
        long_run = None
        if mix.long_run is not None:
            exact = {} if mix.stationary is None else self.by_name(mix.stationary)
            long_run = {
                name: {"share": i.estimate, "low": i.low, "high": i.high, "exact": exact.get(name)}
                for name, i in mix.long_run.items()
            }
        return {
            "equilibria": {
                e.name: {
                    "share": e.share.estimate,
                    "low": e.share.low,
                    "high": e.share.high,
                    "initial": e.initial,
                    "verdict": e.verdict,
                }
                for e in mix.equilibria
                if mix.long_run is None
            },
            "mean_steps": mix.mean_steps,
            "unfinished": mix.unfinished,
            "initial": {name: int(k) for name, k in zip(self.pool.names, mix.initial, strict=True)},
            "fixation": None if mix.fixation is None else self.by_name(mix.fixation),
            "expected_steps": mix.expected_steps,
            "replicator": self.by_name(mix.course.end),
            "long_run": long_run,
        }

    def _square(self, matrix: NDArray[np.float64]) -> dict[str, dict[str, float]]:
        return {name: self.by_name(row) for name, row in zip(self.pool.names, matrix, strict=True)}
