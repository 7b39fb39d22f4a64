"""What a discovery returns: values, text, tables, and files as their suffix says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.compare_result import FIGURE_SUFFIXES, check_output

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
        finite: dict[str, Any] = _finite(payload)
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

        target = check_output(path, origin=self.origin)
        facts = {"kind": "discovery", **self.config}
        if target.suffix in FIGURE_SUFFIXES:
            from intent.report.states import write_states_figure

            return write_states_figure(
                self.discovery,
                target,
                groups=[(" · ".join(map(str, g.values)), g.n, g.shares) for g in self.groups],
                by=" · ".join(self.by),
                remarks=(self._told(),),
                description=json.dumps(facts, ensure_ascii=True),
                overwrite=overwrite,
            )
        if target.suffix != ".json":
            from intent.logs.tablefile import write_table

            return write_table(self.table(), target, facts, overwrite=overwrite)
        from intent.logs.output import writing

        text = json.dumps({**self.to_dict(), "config": facts}, ensure_ascii=False, indent=2, allow_nan=False)
        with writing(target, overwrite=overwrite) as draft:
            draft.write_text(text + "\n", "utf8")
        return target

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
        kept = "; ".join(f"{k} = {', '.join(v)}" for k, v in self.config["where"].items())
        source = f"Data: {self.origin.name}" if self.origin else "Data: a log in memory"
        return f"{source}{'; ' + kept if kept else ''}; {len(self.keys):,} trajectories."


def _finite(value: Any) -> Any:
    """Numbers that are not finite as null, numpy's as Python's."""
    if isinstance(value, dict):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
