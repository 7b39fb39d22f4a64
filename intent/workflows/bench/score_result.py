"""Scores of gamma-bench as values, as a table, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.version import __version__
from intent.workflows.json_values import json_values

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ScoreResult", "ScoreRow"]


@dataclass(frozen=True)
class ScoreRow:
    """The score of one run of a game.

    Parameters
    ----------
    file : str
        As it was given.
    game : str
    score, other : float
        Under the scoring that was asked for, and under the other one.
    scoring : {"code", "paper"}
    model : str or None
        Of all seats; several joined by " + ".
    setting : str
        ``default``, or the parameters that are not the paper's.
    seats : tuple of float or None, by seat, or None
        Shares of the seats, where the score is a mean over them.
    rounds, n_players : int
    run : int or None
        Number of the repeat: of the log, or at the end of the file's name.
    game_id : str or None
        Within its log.
    conditions : mapping
        Condition columns of the log, or the version of the saved file.
    note : str or None
        Why the scorings differ here, and what else a reader should know.
    """

    file: str
    game: str
    score: float
    other: float
    scoring: str
    model: str | None
    setting: str
    seats: tuple[float | None, ...] | None
    rounds: int
    n_players: int
    run: int | None = None
    game_id: str | None = None
    conditions: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The row as plain values, in the order of the fields."""
        found: dict[str, Any] = json_values({name: getattr(self, name) for name in self.__dataclass_fields__})
        return found


@dataclass(frozen=True, repr=False)
class ScoreResult:
    """Scores in the order of the files, and what could not be scored.

    Parameters
    ----------
    rows : tuple of ScoreRow
    scoring : str
    rejects : tuple of mappings with file, reason
    """

    rows: tuple[ScoreRow, ...]
    scoring: str
    rejects: tuple[Mapping[str, str], ...] = ()

    def __repr__(self) -> str:
        left = f", {len(self.rejects):,} left out" if self.rejects else ""
        return f"<ScoreResult by {self.scoring}: {len(self.rows):,} runs{left}>"

    @property
    def notes(self) -> list[str]:
        """What a reader should be warned of, each once, with the number of rows it is about."""
        counts: dict[tuple[str, str], int] = {}
        for row in self.rows:
            if row.note:
                counts[row.game, row.note] = counts.get((row.game, row.note), 0) + 1
        return [f"{game} ({n:,} runs): {note}" for (game, note), n in counts.items()]

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent bench gamma score --json``."""
        return {
            "scores": [row.to_json() for row in self.rows],
            "scoring": self.scoring,
            "rejects": [dict(reject) for reject in self.rejects],
            "notes": self.notes,
        }

    def table(self) -> pd.DataFrame:
        """One row per run; shares of seats as a JSON list, conditions as columns of their own."""
        import pandas as pd

        rows = []
        for row in self.rows:
            plain = row.to_json()
            conditions = plain.pop("conditions")
            plain["seats"] = None if row.seats is None else json.dumps(plain["seats"])
            rows.append({**{name: value for name, value in conditions.items() if name not in plain}, **plain})
        columns = [name for name in ScoreRow.__dataclass_fields__ if name != "conditions"]
        extra = dict.fromkeys(name for row in rows for name in row if name not in columns)
        return pd.DataFrame(rows, columns=[*columns, *extra])

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the rows (.csv, .parquet, .jsonl) or the object (.json).

        Raises
        ------
        OutputError
            Another suffix, or a path that cannot be written.
        """
        from intent.workflows.metrics import claim_outputs
        from intent.workflows.result_files import write_result

        claim_outputs([Path(path)], overwrite=overwrite)
        return write_result(
            path,
            figure=Path,
            table=self.table,
            payload=self.to_dict,
            facts={"table": "bench_scores", "scoring": self.scoring, "version": __version__},
            overwrite=overwrite,
        )
