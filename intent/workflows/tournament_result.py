"""What a tournament returns: the table of counts, and standings and matrices read off it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.arena.match import Fault
    from intent.arena.round_robin import RoundRobin
    from intent.arena.streams import Salt
    from intent.games.matrix import MatrixGame

__all__ = ["TournamentResult"]


@dataclass(frozen=True, eq=False)
class TournamentResult:
    """A tournament that was played.

    Attributes
    ----------
    table : RoundRobin
        Of those that stand in the standings: strategies, or agents and strategies.
    matches : RoundRobin
        Of the strategies that played; the same without agents.
    game : MatrixGame
    engine : str
    salt : Salt, of all that was drawn in the matches
    left_out : tuple of (name, reason), strategies that could not be read or passed no gate
    notes : tuple of str
    seconds : float
    path : Path or None, the folder of results
    config : mapping, the resolved settings
    """

    table: RoundRobin
    matches: RoundRobin
    game: MatrixGame
    engine: str
    salt: Salt
    left_out: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    seconds: float
    path: Path | None
    config: Mapping[str, Any] = field(repr=False)

    @cached_property
    def standings(self) -> list[dict[str, Any]]:
        """Rows as `schema.STANDINGS`."""
        import numpy as np

        from intent.arena.tournament.standings import standings

        return standings(self.table, np.random.default_rng([int(self.config["seed"]), 1]))

    @cached_property
    def groups(self) -> tuple[str, ...] | None:
        """The group of each row of the table; None where results are by strategy."""
        from intent.arena.tournament.head_to_head import groups_of

        return None if self.config["agents"] else groups_of(self.table.field)

    @cached_property
    def head_to_head(self) -> dict[str, dict[str, dict[str, Any]]]:
        """``payoff`` and ``cooperation``: row -> column -> mean per turn."""
        from intent.arena.tournament.head_to_head import head_to_head

        return head_to_head(self.table, self.groups)

    @cached_property
    def intervals(self) -> dict[str, dict[str, dict[str, Any]]] | None:
        """The ends of the intervals of the cells; None by strategy."""
        if self.groups is None:
            return None
        import numpy as np

        from intent.arena.tournament.head_to_head import head_to_head_intervals

        return head_to_head_intervals(
            self.table, self.groups, np.random.default_rng([int(self.config["seed"]), 2])
        )

    @property
    def n_matches(self) -> int:
        """Matches that count: one for each pair and repetition."""
        import numpy as np

        return int(self.table.matches[np.triu_indices(len(self.table.field))].sum())

    def faults(self) -> list[dict[str, Any]]:
        """Who was at fault, in which way, against whom."""
        return [
            {
                "name": self.matches.field[fault.player].name,
                "kind": fault.kind,
                "reason": fault.reason,
                "against": self.matches.field[_rival(fault)].name,
            }
            for fault in self.matches.faults
        ]

    def all_left_out(self) -> list[dict[str, str]]:
        """Strategies that took no part: not readable, or disqualified."""
        from intent.arena.smoke import told

        out = [{"name": name, "reason": reason} for name, reason in self.left_out]
        if self.config["faults"] != "disqualify":
            return out
        first: dict[int, Fault] = {}
        for fault in self.matches.faults:
            first.setdefault(fault.player, fault)
        return out + [
            {
                "name": self.matches.field[player].name,
                "reason": told(fault, self._against(fault)),
            }
            for player, fault in sorted(first.items())
        ]

    def _against(self, fault: Fault) -> str:
        rival = _rival(fault)
        return "itself" if rival == fault.player else self.matches.field[rival].name

    def label_rows(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]] | None:
        """Header and rows of what each strategy was taken for; None where nothing was labelled."""
        if self.path is None or self.config["label"] is None or not self.n_matches:
            return None
        from intent.logs.tablefile import read_table
        from intent.workflows.tournament_files import LABEL_SHARES

        table, _ = read_table(self.path / LABEL_SHARES)
        return tuple(map(str, table.columns)), list(table.itertuples(index=False, name=None))

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent tournament --json``, as `schema.JSON_OBJECTS["tournament"]`."""
        return {
            "standings": self.standings,
            "head_to_head": self.head_to_head,
            "intervals": self.intervals,
            "n": int(self.table.played.any(axis=(1, 2)).sum()),
            "matches": self.n_matches,
            "turns": self.table.rules.turns,
            "noise": self.table.rules.noise,
            "repetitions": self.config["repetitions"],
            "game": self.game.name,
            "engine": self.engine,
            "salt": self.salt.hex,
            "replay": self.salt.replay,
            "faults": self.faults(),
            "left_out": self.all_left_out(),
            "path": None if self.path is None else str(self.path),
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }


def _rival(fault: Fault) -> int:
    return fault.job.second if fault.player == fault.job.first else fault.job.first
