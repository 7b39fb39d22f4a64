"""From saved files, runs, logs and tables of scores to a leaderboard over models.

The tables of what a benchmark varies: who was scored at which level, in which setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, UsageError, located, one_line, shorten
from intent.base.experiments import published_values
from intent.base.files import shipped
from intent.base.job import Result, Table, job
from intent.gamma.bench.requests import LeaderboardRequest, ScoreRequest
from intent.gamma.bench.scores import (
    ScoreRow,
    is_whole,
    name_runs,
    numbers_of,
    spread,
    sweep_rows,
)
from intent.gamma.catalogue import GAMMA_GAMES, bench_game, families
from intent.logs.reading import Reading
from intent.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from intent.gamma.ranking import Cell, Standing, Sweep


__all__ = [
    "SWEEP_FILES",
    "LeaderboardResult",
    "leaderboard_of",
    "published_scores",
    "published_standings",
    "write_sweeps",
]


_NEEDED = frozenset(("game", "score"))
_TABLES = (".csv", ".parquet", ".jsonl")
_FIXED = frozenset(ScoreRow.__dataclass_fields__)

_ROUNDS = 20
"""Of the paper's games; sequential ones end when they end."""


def _table_rows(path: Path, scoring: str) -> list[dict[str, Any]] | None:
    """The rows of a file of scores, as ``bench gamma score`` writes them; None of any other file."""
    rows = _of_json(path) if path.suffix == ".json" else _of_table(path) if path.suffix in _TABLES else None
    if rows is None:
        return None
    other = {str(row["scoring"]) for row in rows if row.get("scoring") not in (None, scoring)}
    if other:
        why = f"scores of scoring {one_line(', '.join(sorted(other)), 40)}, expected {scoring}"
        raise DataError(located(path, why))
    conditions = dict.fromkeys(name for row in rows for name in row if name not in _FIXED)
    return [
        {
            **row,
            "game": one_line(row["game"]),
            "model": one_line(row["model"]) if row.get("model") is not None else None,
            "run": run if isinstance(run := row.get("run"), int | float | str) else None,
            "setting": row.get("setting") or "default",
            "conditions": own
            if isinstance(own := row.get("conditions"), dict)
            else {name: row[name] for name in conditions if row.get(name) is not None},
        }
        for row in rows
    ]


def _of_table(path: Path) -> list[dict[str, Any]] | None:
    """The rows of a table that has a score for a game; None of any other."""
    from intent.base.files import TextFile
    from intent.base.tables import read_table
    from intent.logs.delimited import header_of

    if not path.is_file():
        return None
    try:
        if path.suffix == ".csv" and not set(header_of(TextFile(path))[0]) >= _NEEDED:
            return None
        table, _ = read_table(path)
    except DataError:
        return None
    if not set(table.columns) >= _NEEDED:
        return None
    plain = table.astype(object).where(table.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]


def _of_json(path: Path) -> list[dict[str, Any]] | None:
    """The ``scores`` of a JSON object; None of any other."""
    from intent.base.files import read_object

    try:
        listed = read_object(path, "scores").get("scores")
    except DataError:
        return None
    if not isinstance(listed, list) or not all(isinstance(row, dict) for row in listed):
        return None
    return [dict(row) for row in listed] if all(row.keys() >= _NEEDED for row in listed) else None


def _cautions(rows: Sequence[Mapping[str, Any]], rename: Mapping[str, str]) -> list[str]:
    """What a reader should know of the runs: other lengths than the paper's, missing moves, stray names."""
    rounds: list[Any] = [
        row.get("rounds")
        for row in rows
        if row.get("game") not in GAMMA_GAMES or not bench_game(row["game"]).sequential
    ]
    lengths = [int(n) for n in rounds if is_whole(n) and n != _ROUNDS]
    notes = []
    if lengths:
        few = sorted(set(lengths))
        listed = ", ".join(map(str, few[:3])) + (", …" if len(few) > 3 else "")
        notes.append(f"{len(lengths):,} runs have other lengths ({listed} rounds) than the paper's {_ROUNDS}")
    if lacking := sum("moves are missing" in str(row.get("note")) for row in rows):
        notes.append(
            f"moves are missing in {lacking:,} runs; intent bench gamma score says what they count as"
        )
    models = dict.fromkeys(str(row.get("model")) for row in rows)
    for name in rename:
        if name not in models:
            notes.append(
                f"--rename {shorten(name)}: no model of that name; models: {shorten(', '.join(models), 200)}"
            )
    return notes


def _pooled(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is put together."""
    levels: dict[str, set[str]] = {}
    for row in rows:
        for name, level in (row.get("conditions") or {}).items():
            levels.setdefault(name, set()).add(str(level))
    names = [
        name
        for name, values in levels.items()
        if len(values) > 1 or any(name not in (row.get("conditions") or {}) for row in rows)
    ]
    return [f"runs of different conditions are one row: {shorten(', '.join(names), 200)}"] if names else []


def _apart(named: Sequence[Mapping[str, Any]]) -> list[str]:
    """That models have several rows, and of what."""
    names = dict.fromkeys(name for row in named for name in row["levels"])
    rows = len({row["model"] for row in named if row["levels"]})
    if not names:
        return []
    listed = shorten(", ".join(names), 200)
    return [f"{rows:,} rows are of models under conditions ({listed}); --pool makes one row of each model"]


def _runs_of(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Columns model, game, run, score; repeats keep their numbers where a model's game has each once.

    Else they are numbered from 1 in the order given: files without a number, or several sources.
    """
    import pandas as pd

    groups: dict[tuple[object, object], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["model"], row["game"]), []).append(row)
    table = []
    for (model, game), members in groups.items():
        table += [
            (model, game, n, member["score"]) for n, member in zip(numbers_of(members), members, strict=True)
        ]
    return pd.DataFrame(table, columns=["model", "game", "run", "score"])


SWEEP_FILES = ("sweeps.md", "sweeps.csv")


def write_sweeps(sweeps: Sequence[Sweep], folder: Path, facts: Mapping[str, Any], *, overwrite: bool) -> None:
    """Write ``sweeps.md``, laid out as the paper's tables, and ``sweeps.csv``, a row per cell.

    Raises
    ------
    OutputError
        A file is there and may not be replaced, or cannot be written.
    """
    from intent.base.outputs import writing
    from intent.base.tables import write_table
    from intent.gamma.ranking import sweep_frame, sweep_markdown

    pages, table = (folder / name for name in SWEEP_FILES)
    with writing(pages, overwrite=overwrite) as draft:
        draft.write_text(sweep_markdown(sweeps), encoding="utf-8", errors="backslashreplace")
    write_table(sweep_frame(sweeps), table, facts, overwrite=overwrite)


def _parts_of(one: Standing) -> Mapping[str, Cell | None]:
    """The cells of a row by game, family and ``overall``."""
    return {"overall": one.overall, **one.games, **one.families}


@dataclass(frozen=True, eq=False, repr=False)
class LeaderboardResult(Result):
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
    as_markdown : bool
        Whether it is shown as Markdown.
    grouped : bool
        Whether closed and open models are shown apart.
    """

    kind = "bench_leaderboard"

    standings: tuple[Standing, ...]
    runs: pd.DataFrame
    scoring: str
    rejects: tuple[Mapping[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    as_markdown: bool = False
    grouped: bool = False

    def __repr__(self) -> str:
        best = ", ".join(one.model for one in self.standings[:3]) + ", …" * (len(self.standings) > 3)
        return f"<LeaderboardResult of {len(self.runs):,} runs: {best}>"

    def fields(self) -> dict[str, Any]:
        return {
            "leaderboard": [
                {
                    "rank": rank,
                    "model": one.model,
                    "games": {game: vars(cell) for game, cell in one.games.items()},
                    "families": {family: vars(cell) for family, cell in one.families.items()},
                    "overall": None if one.overall is None else vars(one.overall),
                    "missing": one.missing,
                }
                for rank, one in enumerate(self.standings, start=1)
            ],
            "scoring": self.scoring,
            "rejects": [dict(reject) for reject in self.rejects],
            "notes": self.notes,
        }

    def remarks(self) -> Iterator[str]:
        """What could not be scored."""
        for reject in self.rejects:
            yield f"cannot score {reject['reason']}"

    def parts(self) -> Iterator[Table | str]:
        """Models by overall, families and games with scores."""
        if self.as_markdown:
            yield from self.markdown().splitlines()
            return
        columns = [
            part
            for part in ("overall", *families(), *GAMMA_GAMES)
            if any(_parts_of(one).get(part) is not None for one in self.standings)
        ]
        for number, (title, standings) in enumerate(self._tables().items()):
            rows = [
                [
                    one.model,
                    *("–" if (cell := _parts_of(one).get(part)) is None else str(cell) for part in columns),
                ]
                for one in standings
            ]
            if number:
                yield ""
            yield Table(["model", *columns], rows, title, fixed=1)

    def _tables(self) -> Mapping[str, Sequence[Standing]]:
        """Title -> the standings of a table: one of all, or one for each kind of model."""
        from intent.gamma.ranking import grouped

        if not self.grouped:
            return {"": self.standings}
        return {f"{kind.capitalize()} models": rows for kind, rows in grouped(self.standings).items()}

    def markdown(self) -> str:
        """The leaderboard as a Markdown table."""
        from intent.gamma.ranking import markdown

        parts = [
            (f"## {title}\n\n" if title else "") + markdown(rows) for title, rows in self._tables().items()
        ]
        return "\n".join(parts)

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

    def write(self, folder: str | Path, *, overwrite: bool = False) -> list[Path]:  # type: ignore[override]
        """Write ``leaderboard.md``, ``.csv``, ``.json``, ``.png``, and runs as ``scores.csv``, into a folder.

        And ``sweeps.md`` and ``sweeps.csv`` where models have several levels or games several settings.

        Raises
        ------
        OutputError
            A file is there and may not be replaced, or cannot be written.
        """
        from intent.base.outputs import claim, make_folder
        from intent.base.tables import claim_table, write_table
        from intent.gamma.figures import draw_board

        target = claim(folder, overwrite=True, into=True)
        board = ("leaderboard.md", "leaderboard.csv", "leaderboard.json", "scores.csv", "leaderboard.png")
        names = (*board, *(SWEEP_FILES if self.sweeps else ()))
        for name in names if target.is_dir() else ():
            (claim_table if name.endswith(".csv") else claim)(target / name, overwrite=overwrite)
        make_folder(target)
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
        from intent.base.outputs import write_object, writing

        with writing(folder / "leaderboard.md", overwrite=overwrite) as draft:
            draft.write_text(self.markdown(), encoding="utf8", errors="backslashreplace")
        write_object(folder / "leaderboard.json", self.to_dict(), overwrite=overwrite)


@job(LeaderboardRequest)
def leaderboard_of(request: LeaderboardRequest) -> LeaderboardResult:
    """Models ranked by the mean of their scores over the eight games.

    Raises
    ------
    DataError
        Nothing can be ranked.
    """
    from intent.gamma.ranking import leaderboard, ranked_standings, sweeps_of

    scoring, rename = request.scoring, request.rename or {}
    rows: list[dict[str, Any]] = []
    rejects: list[Mapping[str, str]] = []
    for source in spread(request.sources):
        listed = _table_rows(Path(source), scoring)
        if listed is not None:
            rows += listed
            continue
        try:
            result = ScoreRequest(files=[source], scoring=scoring, **request.values(Reading)).run()
        except DataError as error:
            if request.strict:
                raise
            rejects.append({"file": str(source), "reason": str(error)})
            continue
        rows += [row.to_json() for row in result.rows]
        rejects += result.rejects
    if rejects and not rows:
        raise DataError(rejects[0]["reason"])
    ranked = [row for row in rows if row["setting"] == "default"]
    notes = []
    if left := len(rows) - len(ranked):
        notes.append(f"{left:,} runs of other settings than the paper's defaults are left out")
    if rows and not ranked:
        why = (
            f"none of {len(rows):,} runs has the paper's default setting; intent bench gamma score lists them"
        )
        raise DataError(located(request.sources[0], why))
    notes += _cautions(ranked, rename)
    named = name_runs(ranked, rename, pool=request.pool)
    notes += _pooled(ranked) if request.pool else _apart(named)
    runs = _runs_of(named)
    if runs.empty and not request.published:
        raise DataError("nothing to rank: give files, runs or tables, or ask for the published scores")
    standings = leaderboard(runs, partial=request.partial)
    if request.published:
        if scoring != "code":
            notes.append("published scores are those of the code")
        printed = published_standings()
        standings = ranked_standings([*standings, *printed])
        notes.append(
            f"rows of the paper (table 1, five runs each): {', '.join(one.model for one in printed)}"
        )
    notes += [note for one in standings for note in one.notes]
    sweeps = sweeps_of(sweep_rows(name_runs(rows, rename)))
    return LeaderboardResult(
        tuple(standings),
        runs,
        scoring,
        tuple(rejects),
        tuple(notes),
        tuple(sweeps),
        request.markdown,
        request.grouped,
    )


STUDY = "gamma_bench"
"""Folder of the study among the experiments; its ``published.csv`` has the numbers of the paper."""

_SINGLE_RUNS = ("Table 4", "Table 10", "Table 14", "Table 18")
"""Tables with a score per run, each of another model."""

_MEANS = "Table 1"
"""Mean and deviation over five runs, of all models."""


def _published(tables: Sequence[str]) -> pd.DataFrame:
    """Rows of the paper's numbers in these tables, with the conditions of `row` as columns."""
    experiments = shipped("experiments")
    if experiments is None or not (experiments / STUDY).is_dir():
        raise UsageError(f"no experiments/{STUDY} in this installation, expected its published.csv")
    values = published_values(experiments / STUDY)
    mine = values[values["table"].isin(tables)].copy()
    for name in ("model", "run"):
        mine[name] = mine["row"].str.extract(rf"(?:^|, ){name}=([^,]+)", expand=False)
    return mine


def published_scores() -> pd.DataFrame:
    """The single runs that are printed, as a table that `leaderboard` takes: model, game, run, score.

    Default settings and ``code`` scoring, of the four models whose runs are printed. Three of the runs of
    GPT-3.5 in the pirate game carry role prompts in its saved files (`published.csv` notes which).

    References
    ----------
    Huang et al. 2024, arXiv:2403.11807, tables 4, 10, 14 and 18.
    """
    mine = _published(_SINGLE_RUNS)
    mine = mine[mine["column"].isin(GAMMA_GAMES) & (mine["run"] != "mean")]
    runs = mine.assign(run=mine["run"].astype(int)).rename(columns={"column": "game", "value": "score"})
    return runs[["model", "game", "run", "score"]].reset_index(drop=True)


def published_standings() -> list[Standing]:
    """The thirteen models of the paper's leaderboard, means and deviations as they are printed.

    The paper prints no scores of families. Where single runs are printed, those of families are made from
    them, with a deviation; else they are means of the printed means, without one.

    References
    ----------
    Huang et al. 2024, arXiv:2403.11807, table 1.
    """
    from intent.gamma.ranking import OVERALL, Cell, Standing, leaderboard

    by_runs = {one.model: one.families for one in leaderboard(published_scores())}
    standings = []
    for model, rows in _published([_MEANS]).groupby("model", sort=False, observed=True):
        cells = {
            str(part): Cell(float(mean), float(sd), int(n))
            for part, mean, sd, n in zip(
                rows["column"], rows["value"], rows["spread"], rows["n"], strict=True
            )
        }
        of_means = {
            family: Cell(fmean(cells[game].mean for game in games), None, cells[games[0]].n)
            for family, games in families().items()
        }
        games = {game: cells[game] for game in GAMMA_GAMES}
        standings.append(
            Standing(str(model), games, by_runs.get(str(model), of_means), cells[OVERALL], missing=())
        )
    return standings
