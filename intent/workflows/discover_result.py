"""What a discovery returns: values, text, tables, and files as their suffix says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.json_values import json_values
from intent.workflows.result_files import data_line, kept_in_words, write_result

if TYPE_CHECKING:
    import pandas as pd

    from intent.recognise.hmm_discovery import Discovery, State

__all__ = ["DiscoverResult", "GroupShare"]


@dataclass(frozen=True)
class GroupShare:
    """The share of a group's moves that was made in each state.

    Attributes
    ----------
    values : values of the columns that make the groups
    n : int, trajectories
    shares : tuple of float, by state
    """

    values: tuple[Any, ...]
    n: int
    shares: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class DiscoverResult:
    """A discovery, with what is needed to say how it came about.

    Parameters
    ----------
    discovery : Discovery
    by : columns that make the groups
    groups : tuple of GroupShare
    keys : DataFrame
        What describes each trajectory, and ``n_rounds``.
    skipped : mapping of reason -> games without trajectories
    config : mapping
        The resolved settings, version and origin of the log, JSON-able; kept in every file written.
    origin : Path, optional
        The log that was read; never written over.
    """

    discovery: Discovery
    by: tuple[str, ...]
    groups: tuple[GroupShare, ...]
    keys: pd.DataFrame
    skipped: Mapping[str, int]
    config: Mapping[str, Any]
    origin: Path | None = field(default=None)

    def __repr__(self) -> str:
        found = self.discovery
        return f"<DiscoverResult: {len(found.states)} states in {found.n_moves:,} moves>"

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent discover --json``, as `schema.JSON_OBJECTS` describes it."""
        found = self.discovery
        names = [state.name for state in found.states]
        payload = {
            "n": len(self.keys),
            "n_games": int(self.keys["game_id"].nunique()),
            "n_moves": found.n_moves,
            "n_states": len(found.states),
            "candidates": [
                {**asdict(c), "agreement": dict(zip(("found", "followed"), c.agreement, strict=True))}
                for c in found.candidates
            ],
            "states": [self._state(state, names) for state in found.states],
            "groups": [
                {
                    "group": dict(zip(self.by, group.values, strict=True)),
                    "n": group.n,
                    "shares": dict(zip(names, group.shares, strict=True)),
                }
                for group in self.groups
            ],
            "skipped": dict(self.skipped),
        }
        finite: dict[str, Any] = json_values(payload)
        return finite

    def table(self) -> pd.DataFrame:
        """One row per trajectory: what describes it, and the share of its moves in each state."""
        shares = self.discovery.shares
        columns = {f"share_{s.name}": shares[:, k] for k, s in enumerate(self.discovery.states)}
        return self.keys.assign(**columns)

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the result as its suffix says: a figure, the table of trajectories, or JSON with config.

        Raises
        ------
        OutputError
            Another suffix, or a path that cannot be written.
        """
        import json

        from intent.analysis.comparison import group_name
        from intent.report.states import write_states_figure

        facts = {"kind": "discovery", **self.config}
        return write_result(
            path,
            figure=lambda target: write_states_figure(
                self.discovery,
                target,
                groups=[(group_name(g.values), g.n, g.shares) for g in self.groups],
                by=" · ".join(self.by),
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

    def _state(self, state: State, names: list[str]) -> dict[str, Any]:
        where = self.discovery.situations
        return {
            "name": state.name,
            "share": state.share,
            "start": state.start,
            "p_cooperate": dict(zip(where, state.p_cooperate, strict=True)),
            "moves": dict(zip(where, state.moves, strict=True)),
            "next": dict(zip(names, state.next, strict=True)),
            "nearest": [asdict(neighbour) for neighbour in state.nearest],
            "outside": state.outside,
        }

    def _told(self) -> str:
        source = self.origin.name if self.origin else None
        return data_line(source, *kept_in_words(self.config["where"]), f"{len(self.keys):,} trajectories")
