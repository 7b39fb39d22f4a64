"""From saved files, runs, logs and tables of scores to a leaderboard over models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, located
from intent.version import __version__
from intent.workflows.bench.leaderboard_runs import cautions, labelled, runs_of, table_rows
from intent.workflows.bench.score import score_files
from intent.workflows.bench.sources import spread
from intent.workflows.bench.swept import SWEEP_FILES, sweep_rows, write_sweeps
from intent.workflows.json_values import json_values

if TYPE_CHECKING:
    import pandas as pd

    from intent.suites.gamma.leaderboard import Cell, Standing
    from intent.suites.gamma.sweeps import Sweep

__all__ = ["LeaderboardResult", "leaderboard_of"]


@dataclass(frozen=True, eq=False, repr=False)
class LeaderboardResult:
    """A leaderboard, and the runs that it is made of.

    Parameters
    ----------
    standings : tuple of Standing, best first
    runs : DataFrame
        Columns model, game, run, score.
    scoring : str
    rejects : tuple of mappings with file, reason
    notes : tuple of str
    sweeps : tuple of Sweep
        Of all runs, those of other settings too.
    """

    standings: tuple[Standing, ...]
    runs: pd.DataFrame
    scoring: str
    rejects: tuple[Mapping[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    sweeps: tuple[Sweep, ...] = ()

    def __repr__(self) -> str:
        best = ", ".join(one.model for one in self.standings[:3]) + ", …" * (len(self.standings) > 3)
        return f"<LeaderboardResult of {len(self.runs):,} runs: {best}>"

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent bench gamma leaderboard --json``."""
        found: dict[str, Any] = json_values(
            {
                "leaderboard": [
                    {
                        "rank": rank,
                        "model": one.model,
                        "games": {game: _cell(cell) for game, cell in one.games.items()},
                        "families": {family: _cell(cell) for family, cell in one.families.items()},
                        "overall": None if one.overall is None else _cell(one.overall),
                        "missing": one.missing,
                    }
                    for rank, one in enumerate(self.standings, start=1)
                ],
                "scoring": self.scoring,
                "rejects": [dict(reject) for reject in self.rejects],
                "notes": self.notes,
            }
        )
        return found

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows of the table for people: models by overall, families and games with scores."""
        from intent.games.gamma.catalogue import FAMILIES, GAMMA_GAMES

        cells = [{"overall": one.overall, **one.games, **one.families} for one in self.standings]
        parts = [
            part
            for part in ("overall", *FAMILIES, *GAMMA_GAMES)
            if any(row.get(part) is not None for row in cells)
        ]
        rows = [
            [one.model, *("–" if (cell := row.get(part)) is None else str(cell) for part in parts)]
            for one, row in zip(self.standings, cells, strict=True)
        ]
        return ["model", *parts], rows

    def markdown(self) -> str:
        """The leaderboard as a Markdown table."""
        from intent.suites.gamma.leaderboard import markdown

        return markdown(self.standings)

    def cells(self) -> pd.DataFrame:
        """One row per model and game, family or ``overall``: mean, sd, n."""
        import pandas as pd

        rows = [
            (one.model, part, cell.mean, cell.sd, cell.n)
            for one in self.standings
            for part, cell in {**one.games, **one.families, "overall": one.overall}.items()
            if cell is not None
        ]
        return pd.DataFrame(rows, columns=["model", "part", "mean", "sd", "n"])

    def write(self, folder: str | Path, *, overwrite: bool = False) -> list[Path]:
        """Write ``leaderboard.md``, ``.csv``, ``.json``, ``.png``, and runs as ``scores.csv``, into a folder.

        And ``sweeps.md`` and ``sweeps.csv`` where models have several levels or games several settings.

        Raises
        ------
        OutputError
            A file is there and may not be replaced, or cannot be written.
        """
        from intent.logs.output import claim, made
        from intent.logs.tablefile import claim_table, write_table
        from intent.report.gamma_figures import draw_board

        target = claim(folder, overwrite=True, into=True)
        board = ("leaderboard.md", "leaderboard.csv", "leaderboard.json", "scores.csv", "leaderboard.png")
        names = (*board, *(SWEEP_FILES if self.sweeps else ()))
        for name in names if target.is_dir() else ():
            (claim_table if name.endswith(".csv") else claim)(target / name, overwrite=overwrite)
        made(target)
        paths = [target / name for name in names]
        facts = {"scoring": self.scoring, "version": __version__}
        self.write_pages(target, overwrite=overwrite)
        write_table(self.cells(), paths[1], {"table": "bench_leaderboard", **facts}, overwrite=overwrite)
        write_table(self.runs, paths[3], {"table": "bench_runs", **facts}, overwrite=overwrite)
        draw_board(self.standings, paths[4], about=facts, overwrite=overwrite)
        if self.sweeps:
            write_sweeps(self.sweeps, target, {"table": "bench_sweeps", **facts}, overwrite=overwrite)
        return paths

    def write_pages(self, folder: Path, *, overwrite: bool = False) -> None:
        """Write ``leaderboard.md`` and ``leaderboard.json`` into a folder.

        Raises
        ------
        OutputError
            A file is there and may not be replaced, or cannot be written.
        """
        from intent.logs.jsonfile import write_object
        from intent.logs.output import writing

        with writing(folder / "leaderboard.md", overwrite=overwrite) as draft:
            draft.write_text(self.markdown(), encoding="utf8", errors="backslashreplace")
        write_object(folder / "leaderboard.json", self.to_dict(), overwrite=overwrite)


def leaderboard_of(
    sources: Sequence[str | Path],
    *,
    scoring: str = "code",
    published: bool = False,
    partial: bool = False,
    rename: Mapping[str, str] | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    strict: bool = False,
    **reading: Any,
) -> LeaderboardResult:
    """Models ranked by the mean of their scores over the eight games.

    Parameters
    ----------
    sources : sequence of path
        As `score_files` takes, or tables and JSON objects that ``bench gamma score`` wrote.
    scoring : {"code", "paper"}
    published : bool
        Whether the paper's single runs of four models stand beside them.
    partial : bool
        As `intent.suites.gamma.leaderboard.leaderboard`.
    rename : mapping of model -> name
        For a model that goes by several names.
    where, strict, **reading
        As `score_files`.

    Raises
    ------
    DataError
        Nothing can be ranked.
    """
    import pandas as pd

    from intent.suites.gamma.leaderboard import leaderboard
    from intent.suites.gamma.published import published_scores
    from intent.suites.gamma.sweeps import sweeps_of

    rows: list[dict[str, Any]] = []
    rejects: list[Mapping[str, str]] = []
    for source in spread(sources):
        listed = table_rows(Path(source), scoring)
        if listed is not None:
            rows += listed
            continue
        try:
            result = score_files([source], scoring=scoring, where=where, strict=strict, **reading)
        except DataError as error:
            if strict:
                raise
            rejects.append({"file": str(source), "reason": str(error)})
            continue
        rows += [row.to_json() for row in result.rows]
        rejects += result.rejects
    if rejects and not rows:
        raise DataError(rejects[0]["reason"])
    kept = [row for row in rows if row["setting"] == "default"]
    notes = []
    if left := len(rows) - len(kept):
        notes.append(f"{left:,} runs of other settings than the paper's defaults are left out")
    if rows and not kept:
        told = (
            f"none of {len(rows):,} runs has the paper's default setting; intent bench gamma score lists them"
        )
        raise DataError(located(sources[0], told))
    notes += cautions(kept, rename or {})
    runs = runs_of(labelled(kept, rename or {}))
    if published:
        if scoring != "code":
            notes.append("published scores are those of the code")
        runs = pd.concat([runs, published_scores()], ignore_index=True)
    if runs.empty:
        raise DataError("nothing to rank: give files, runs or tables, or ask for the published scores")
    standings = leaderboard(runs, partial=partial)
    notes += [note for one in standings for note in one.notes]
    sweeps = sweeps_of(sweep_rows(labelled(rows, rename or {})))
    return LeaderboardResult(tuple(standings), runs, scoring, tuple(rejects), tuple(notes), tuple(sweeps))


def _cell(cell: Cell) -> dict[str, float | int | None]:
    return {"mean": cell.mean, "sd": cell.sd, "n": cell.n}
