"""Which written strategies run: counts, the JSON object and the table of a check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from intent.arena.entrant import Entrant
    from intent.arena.sources.reading import FileFacts, Refused
    from intent.arena.streams import Salt

__all__ = ["CheckResult"]


@dataclass(frozen=True, eq=False)
class CheckResult:
    """Which strategies run.

    Parameters
    ----------
    entrants : tuple of Entrant, those that run
    failed : tuple of Refused, the others, with their reasons
    files : tuple of FileFacts
    engine : str or None
        Who played them; None where nothing passed the gate.
    turns : int, rounds of each of the short matches
    salt : Salt, of all that was drawn in the matches
    page : str or None, the page for inspection
    notes : tuple of str, what a reader should be warned of
    """

    entrants: tuple[Entrant, ...]
    failed: tuple[Refused, ...]
    files: tuple[FileFacts, ...]
    engine: str | None
    turns: int
    salt: Salt
    page: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Strategies found."""
        return len(self.entrants) + len(self.failed)

    def groups(self) -> dict[str, dict[str, int]]:
        """Attitude (the file, for strategies without one) -> n, ok."""
        from intent.arena.entrant import split_origin

        found: dict[str, dict[str, int]] = {}
        ok = [(e.group or e.file, 1) for e in self.entrants]
        bad = [(f.group or split_origin(f.origin)[0], 0) for f in self.failed]
        for name, runs in (*ok, *bad):
            row = found.setdefault(name, {"n": 0, "ok": 0})
            row["n"] += 1
            row["ok"] += runs
        return dict(sorted(found.items()))

    def to_json(self) -> dict[str, Any]:
        """The object that ``intent strategies check --json`` prints."""
        files = [
            {
                "path": f.path,
                "n": f.n,
                "ok": f.ok,
                "ranks": {who: list(names) for who, names in f.ranks.items()},
            }
            for f in self.files
        ]
        return {
            "n": self.n,
            "ok": len(self.entrants),
            "failed": [{"name": f.name, "reason": f.reason} for f in self.failed],
            "groups": self.groups(),
            "engine": self.engine,
            "salt": self.salt.hex,
            "replay": self.salt.replay,
            "files": files,
            "page": self.page,
            "notes": list(self.notes),
        }

    def table(self) -> pd.DataFrame:
        """One row per strategy: name, group, file, line, ok, reason, draws, digest."""
        import pandas as pd

        rows = [
            {
                **_place(e.name, e.group, e.origin),
                "ok": True,
                "reason": None,
                "draws": e.draws,
                "digest": e.digest,
            }
            for e in self.entrants
        ]
        rows += [
            {
                **_place(f.name, f.group, f.origin),
                "ok": False,
                "reason": f.reason,
                "draws": None,
                "digest": None,
            }
            for f in self.failed
        ]
        table = pd.DataFrame(rows)
        return table.astype({"line": "Int64", "draws": "boolean"})


def _place(name: str, group: str | None, origin: str) -> dict[str, Any]:
    from intent.arena.entrant import split_origin

    file, line = split_origin(origin)
    return {"name": name, "group": group, "file": file or None, "line": line}
