"""Pictures of the play of games, from any files that can be scored."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from intent.workflows.bench.leaderboard_runs import labelled
from intent.workflows.bench.swept import sweep_rows

if TYPE_CHECKING:
    from intent.suites.gamma.plays import Plays
    from intent.workflows.bench.score_result import ScoreRow

__all__ = ["Pictures"]


@dataclass(eq=False)
class Pictures:
    """Collects what was scored, and draws it.

    Parameters
    ----------
    folder : Path
    """

    folder: Path
    _kept: list[tuple[ScoreRow, Plays]] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def into(cls, folder: str | Path, *, overwrite: bool = False) -> Pictures:
        """Pictures for a folder that can be written into.

        Raises
        ------
        OutputError
            It cannot, or has files that may not be replaced.
        """
        from intent.logs.output import claim

        return cls(claim(folder, overwrite=overwrite, into=True))

    def take(self, row: ScoreRow, plays: Plays) -> None:
        """Keep a row of scores and its record of play, as `score_files` gives them."""
        self._kept.append((row, plays))

    def draw(self) -> list[Path]:
        """Write ``play_<game>.png`` and what else `intent.report.gamma_figures.gamma_figures` draws.

        Raises
        ------
        OutputError
            A file cannot be written.
        """
        from intent.report.gamma_figures import gamma_figures

        named = labelled([{**row.to_json(), "at": i} for i, (row, _) in enumerate(self._kept)], {})
        rows = [{**row, "model": named[row["at"]]["model"]} for row in sweep_rows(named)]
        return gamma_figures([(row, self._kept[row["at"]][1]) for row in rows], self.folder)
