"""What a search for a probe returns: values, tables, and files as their suffix says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.result_files import FIGURE_SUFFIXES, check_output

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Opponent", "ProbeResult"]


@dataclass(frozen=True)
class Opponent:
    """What one opponent reveals.

    Attributes
    ----------
    name : str, as `intent generate --opponent` takes it
    rounds : tuple of dict
        round, accuracy, information (bits), accuracy_error, information_error (0 where exact).
    rounds_needed : int or None
        Rounds until the target. For the probe they are those of the best sequence of that very length.
    unseparated : tuple of tuple of str
        Groups of strategies that play alike against it in all these rounds.
    """

    name: str
    rounds: tuple[Mapping[str, Any], ...]
    rounds_needed: int | None
    unseparated: tuple[tuple[str, ...], ...]

    @property
    def last(self) -> Mapping[str, Any]:
        """Accuracy and information after the last round."""
        return self.rounds[-1]


@dataclass(frozen=True)
class ProbeResult:
    """The proposed sequence beside the usual opponents.

    Attributes
    ----------
    strategies : tuple of str
    eps : (low, high)
    objective : "information" or "accuracy"
    search : "optimal" (all sequences compared) or "beam"
    sequence : str of C and D
    probe : Opponent, the proposed one
    target : float
    target_sequence : str or None, the shortest best sequence that reaches the target
    accuracy_limit : float, accuracy that no sequence exceeds, however long
    adaptive : accuracy and information of the best opponent that reacts; None where not computed
    baselines : tuple of Opponent
    tied : groups of strategies that no opponent separates
    config : mapping, the resolved settings
    """

    strategies: tuple[str, ...]
    eps: tuple[float, float]
    objective: str
    search: str
    sequence: str
    probe: Opponent
    target: float
    target_sequence: str | None
    accuracy_limit: float
    adaptive: Mapping[str, float] | None
    baselines: tuple[Opponent, ...]
    tied: tuple[tuple[str, ...], ...]
    config: Mapping[str, Any] = field(compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent probe --json``."""
        return {
            "strategies": list(self.strategies),
            "eps": list(self.eps),
            "objective": self.objective,
            "search": self.search,
            "sequence": self.sequence,
            "rounds": [dict(r) for r in self.probe.rounds],
            "unseparated": [list(group) for group in self.probe.unseparated],
            "target": self.target,
            "rounds_needed": self.probe.rounds_needed,
            "target_sequence": self.target_sequence,
            "accuracy_limit": self.accuracy_limit,
            "adaptive": None if self.adaptive is None else dict(self.adaptive),
            "baselines": {
                o.name: {
                    **{key: value for key, value in o.last.items() if key != "round"},
                    "rounds_needed": o.rounds_needed,
                    "unseparated": [list(group) for group in o.unseparated],
                }
                for o in self.baselines
            },
            "tied": [list(group) for group in self.tied],
        }

    def table(self) -> pd.DataFrame:
        """One row per opponent and round; ``move`` is what the proposed opponent plays."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"opponent": o.name, **r, "move": self.sequence[r["round"] - 1] if o is self.probe else None}
                for o in (self.probe, *self.baselines)
                for r in o.rounds
            ]
        )

    def tables(self) -> list[tuple[Sequence[str], list[Sequence[object]], str]]:
        """Header, rows and title of the tables for people."""
        from intent.report.probe_tables import probe_tables

        return probe_tables(self)

    def sentences(self) -> list[str]:
        """How many rounds are needed and what stays tied, in words."""
        from intent.report.probe_tables import probe_sentences

        return probe_sentences(self)

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the result as its suffix says: a figure, a table, or the JSON object with its config.

        Raises
        ------
        OutputError
            Another suffix, or a path that cannot be written.
        """
        import json

        target = check_output(path)
        config = dict(self.config)
        if target.suffix in FIGURE_SUFFIXES:
            from intent.report.probe_lines import write_probe

            return write_probe(self, target, description=json.dumps(config), overwrite=overwrite)
        if target.suffix != ".json":
            from intent.logs.tablefile import write_table

            return write_table(self.table(), target, config, overwrite=overwrite)
        from intent.logs.jsonfile import write_object
        from intent.workflows.json_values import json_values

        return write_object(target, json_values({**self.to_dict(), "config": config}), overwrite=overwrite)
