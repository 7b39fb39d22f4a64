"""From saved files and logs to the scores of gamma-bench, from 0 to 100: a row per run of a game.

The formulas are in the games' files. ``code`` is what GAMA-Bench's published tables hold; ``paper`` is
equation 1 of its appendix E with the raw scores of section 3. Where the two differ, and why, is each game's
`discrepancy`.

Neither scoring is bounded by definition: bids above the valuation make ``paper`` negative in the auction,
contributions above the endowment both in public goods; ``code`` is above 100 in the guessing game where the
least number is above 0.

References
----------
Huang, Li, Lam, Liang, Wang, Yuan, Jiao, Wang, Tu and Lyu (2024), Competing large language models in
multi-agent gaming environments, arXiv:2403.11807, section 3 and appendix E.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from intent.base.errors import DataError, IntentError, UnknownNameError, located, shorten
from intent.base.job import Result, Table, job
from intent.base.outputs import json_values
from intent.gamma.bench.requests import ScoreRequest
from intent.gamma.catalogue import bench_game
from intent.gamma.plays import Plays, Scoring
from intent.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog


__all__ = [
    "SCORINGS",
    "ScoreResult",
    "ScoreRow",
    "check_scoring",
    "is_whole",
    "name_runs",
    "numbers_of",
    "score",
    "score_files",
    "score_log",
    "scored_games",
    "seat_scores",
    "spread",
    "sweep_rows",
    "why_different",
]


SCORINGS: tuple[Scoring, ...] = get_args(Scoring)


def check_scoring(scoring: str) -> Scoring:
    """The scoring of this name.

    Raises
    ------
    UnknownNameError
        Another name.
    """
    known = next((one for one in SCORINGS if one == scoring), None)
    if known is None:
        raise UnknownNameError("scoring", scoring, SCORINGS)
    return known


def score(plays: Plays, scoring: Scoring = "code") -> float:
    """The score of a run.

    Parameters
    ----------
    plays : Plays
    scoring : {"code", "paper"}

    Returns
    -------
    float
        In points; see the module for its bounds.

    Raises
    ------
    UnknownNameError
        Another scoring.
    DataError
        Nothing was played that the score could be computed from.
    """
    check_scoring(scoring)
    if not plays.rounds:
        raise DataError(f"{plays.game}: no round was played, and no round makes no score")
    return plays.score(scoring)


def seat_scores(plays: Plays, scoring: Scoring = "code") -> tuple[float | None, ...] | None:
    """The share of every seat, where the score of a run is the mean over its seats.

    That is so in the guessing game (unless the ratio is 1), public goods, the diner's dilemma and the
    auction, where no move is missing. In the bar and when dividing the dollar the score is of the crowd; in
    the sequential games seats move unequally often.

    Returns
    -------
    tuple of float, by seat, or None
        None where seats have no shares. Of the auction as the paper writes it the mean is over bids, and a
        seat without a valuation above 0 has None.
    """
    return plays.seat_scores(scoring) if plays.rounds else None


_SAME = 1e-9


def why_different(plays: Plays) -> str | None:
    """Why the scores of a run differ between the scorings; None where they are the same.

    Raises
    ------
    DataError
        As `score`.
    """
    if abs(score(plays, "code") - score(plays, "paper")) <= _SAME:
        return None
    return bench_game(plays.game).discrepancy


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
        values: dict[str, Any] = json_values(
            {name: getattr(self, name) for name in self.__dataclass_fields__}
        )
        return values


@dataclass(frozen=True, repr=False)
class ScoreResult(Result):
    """Scores in the order of the files, and what could not be scored.

    Parameters
    ----------
    rows : tuple of ScoreRow
    scoring : str
    rejects : tuple of mappings with file, reason
    plays : tuple of Plays
        The record that each row was computed from, where play is to be drawn.
    """

    kind = "bench_scores"

    rows: tuple[ScoreRow, ...]
    scoring: str
    rejects: tuple[Mapping[str, str], ...] = ()
    plays: tuple[Plays, ...] = ()

    def __repr__(self) -> str:
        left = f", {len(self.rejects):,} left out" if self.rejects else ""
        return f"<ScoreResult by {self.scoring}: {len(self.rows):,} runs{left}>"

    @property
    def notes(self) -> list[str]:  # type: ignore[override]
        """What a reader should be warned of, each once, with the number of rows it is about."""
        counts = Counter((row.game, row.note) for row in self.rows if row.note)
        return [f"{game} ({n:,} runs): {note}" for (game, note), n in counts.items()]

    def remarks(self) -> Iterator[str]:
        """What could not be scored."""
        for reject in self.rejects:
            yield f"cannot score {reject['reason']}"

    def fields(self) -> dict[str, Any]:
        return {
            "scores": [row.to_json() for row in self.rows],
            "scoring": self.scoring,
            "rejects": [dict(reject) for reject in self.rejects],
            "notes": self.notes,
        }

    def facts(self) -> dict[str, Any]:
        return {"table": self.kind, "scoring": self.scoring, "version": __version__}

    def payload(self) -> dict[str, Any]:
        """The object alone, which a leaderboard reads."""
        return self.to_dict()

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

    def parts(self) -> Iterator[Table | str]:
        columns = ("file", "game", "setting", "model", "run", "rounds")
        yield Table(
            (*columns, self.scoring, _other(self.scoring)),
            [
                (*(getattr(row, name) for name in columns), f"{row.score:.1f}", f"{row.other:.1f}")
                for row in self.rows
            ],
        )

    def draw_play(self, folder: Path) -> list[Path]:
        """Write ``play_<game>.png`` and what else `intent.gamma.figures.gamma_figures` draws.

        Raises
        ------
        OutputError
            A file cannot be written.
        """
        from intent.gamma.figures import gamma_figures

        files = list(dict.fromkeys(Path(row.file).name for row in self.rows))
        source = files[0] if len(files) == 1 else f"{len(files):,} files, {files[0]} to {files[-1]}"
        return gamma_figures(self.named_plays(), folder, source=source)

    def named_plays(self) -> list[tuple[dict[str, Any], Plays]]:
        """Each row with what was played, ``model`` naming the conditions that tell its runs apart.

        ``at`` is its place among the rows.
        """
        named = name_runs([{**row.to_json(), "at": i} for i, row in enumerate(self.rows)], {})
        rows = [{**row, "model": named[row["at"]]["model"]} for row in sweep_rows(named)]
        return [(row, self.plays[row["at"]]) for row in rows]


def _other(scoring: str) -> Scoring:
    return "paper" if scoring == "code" else "code"


_UNKNOWN = "unknown model"

STATED = "stated_model"
"""Condition column of saved files: the model that the name says, where the players' is another."""


def name_runs(
    rows: Sequence[Mapping[str, Any]], rename: Mapping[str, str], *, pool: bool = False
) -> list[dict[str, Any]]:
    """The rows with a name in ``model``: the model's, and the conditions that tell its repeats apart.

    A condition is part of the name where games of one model, game and repeat differ in it: two wordings of
    the prompts make two rows of a leaderboard, not ten runs of one. Those of saved files
    (`intent.gamma.saved.is_condition`) are wherever runs of one model differ in them, as such
    files have no common numbers. The name alone is ``plain``, and those conditions are ``levels``. Of two
    that say the same of every row, one does.

    Parameters
    ----------
    rows : sequence of mappings
    rename : mapping of model -> its name
    pool : bool
        Whether the name alone counts, whatever the conditions.
    """
    from intent.gamma.saved import is_condition

    named = [
        {**row, "model": rename.get(str(row.get("model")), row.get("model")) or _UNKNOWN} for row in rows
    ]
    if pool:
        return [{**row, "plain": row["model"], "levels": {}} for row in named]
    for row in named:  # a model that is called by the name that its files state needs no second one
        conditions = row.get("conditions") or {}
        if conditions.get(STATED) == row["model"]:
            row["conditions"] = {name: value for name, value in conditions.items() if name != STATED}
    by_model: dict[object, dict[str, set[str]]] = {}
    columns = dict.fromkeys(name for row in named for name in row.get("conditions") or {})
    for row in named:
        own = by_model.setdefault(row["model"], {})
        for name in filter(is_condition, columns):
            own.setdefault(name, set()).add(str((row.get("conditions") or {}).get(name)))
    by_game: dict[tuple[object, ...], dict[str, set[str]]] = {}
    for row in named:
        values = by_game.setdefault((row["model"], row["game"], row.get("run")), {})
        for name, value in (row.get("conditions") or {}).items():
            values.setdefault(name, set()).add(str(value))
    telling = [
        name
        for name in dict.fromkeys(name for row in named for name in row.get("conditions") or {})
        if any(len(values.get(name, ())) > 1 for values in (*by_game.values(), *by_model.values()))
    ]
    told_by = {name: [str((row.get("conditions") or {}).get(name)) for row in named] for name in telling}
    telling = [
        name for i, name in enumerate(telling) if told_by[name] not in map(told_by.get, telling[i + 1 :])
    ]
    for row in named:
        conditions = row.get("conditions") or {}
        row["plain"], row["levels"] = (
            row["model"],
            {name: conditions[name] for name in telling if name in conditions},
        )
        if parts := [f"{name}={value}" for name, value in row["levels"].items()]:
            row["model"] = f"{row['model']} ({', '.join(parts)})"
    return named


def numbers_of(members: Sequence[Mapping[str, Any]]) -> list[int]:
    """Numbers of the repeats of one thing: their own where each has one, else from 1."""
    numbers: list[Any] = [member.get("run") for member in members]
    unique = all(map(is_whole, numbers)) and len(set(numbers)) == len(numbers)
    return [int(number) for number in numbers] if unique else list(range(1, len(numbers) + 1))


def is_whole(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def sweep_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows that are `labelled`, as `intent.gamma.ranking.sweeps_of` takes them."""
    groups: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["model"], row["game"], str(row["setting"])), []).append(row)
    return [
        {
            **member,
            "model": member["plain"],
            "setting": str(member["setting"]),
            "levels": {name: _written(level) for name, level in member["levels"].items()},
            "run": number,
            "base": member["setting"] == "default",
        }
        for members in groups.values()
        for number, member in zip(numbers_of(members), members, strict=True)
    ]


def _written(level: object) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)


_RUN = ("run.json", "log", "games.parquet", "games.csv")
"""One of these is in every run folder and log."""


def spread(sources: Iterable[str | Path]) -> list[str | Path]:
    """The sources; for a folder that is no run, no log and holds no saved games the JSON files below it.

    Files are in the order in which people count: run 2 before run 10. A folder that a leaderboard was written
    into stands for its scores.
    """
    paths: list[str | Path] = []
    from intent.gamma.reader import holds_saved

    for source in sources:
        folder = Path(source)
        files: list[Path] = []
        if folder.is_dir() and holds_saved(folder):
            paths.append(source)
            continue
        if folder.is_dir() and not any((folder / name).exists() for name in _RUN):
            board = folder / "leaderboard.json"
            files = (
                [folder / "scores.csv"]
                if board.is_file()
                else sorted((path for path in folder.rglob("*.json") if path.is_file()), key=_counted)
            )
        paths += files or [source]
    return paths


def _counted(path: Path) -> list[tuple[int, str]]:
    """Parts of a path, numbers by their size."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]{1,9})", str(path))
    ]


@job(ScoreRequest)
def score_files(request: ScoreRequest) -> ScoreResult:
    """The scores of files, in the order given.

    Raises
    ------
    UnknownNameError
        Another scoring.
    DataError
        Nothing can be scored, or `strict` and something cannot.
    """
    scoring = check_scoring(request.scoring)
    rows: list[ScoreRow] = []
    records: list[Plays] = []
    rejects: list[dict[str, str]] = []
    for file in spread(request.files):
        try:
            for outcome, plays in _scored(file, scoring, request):
                if isinstance(outcome, ScoreRow):
                    rows.append(outcome)
                    keep = request.plays or request.figures is not None
                    records += [plays] if keep and plays is not None else []
                elif request.strict:
                    raise outcome
                else:
                    rejects.append({"file": str(file), "reason": str(outcome)})
        except IntentError as error:
            if request.strict or not isinstance(error, DataError):
                raise
            rejects.append({"file": str(file), "reason": str(error)})
    if rejects and not rows:
        raise DataError(rejects[0]["reason"])
    return ScoreResult(tuple(rows), scoring, tuple(rejects), tuple(records))


def score_log(log: GameLog, file: str = "", *, scoring: Scoring = "code") -> list[ScoreRow | DataError]:
    """The gamma-bench games of a log, in its order; errors in the place of games that cannot be scored."""
    return [row for row, _ in scored_games(log, file, scoring=scoring)]


def scored_games(
    log: GameLog, file: str = "", *, scoring: Scoring = "code"
) -> Iterator[tuple[ScoreRow, Plays] | tuple[DataError, None]]:
    """As `score_log`, each row with the record of play that it was computed from."""
    from intent.gamma.reader import FILE, GAMA_BENCH, READER, REPEATS, SAVED, saved_part
    from intent.gamma.records import STORY, each_plays

    names = dict.fromkeys(("language", *log.conditions, STORY))
    conditions = [name for name in names if name not in ("setting", SAVED, FILE, REPEATS)]
    gone = set(log.moves["game_id"][log.moves["status"].astype(object) == "missing"])
    of_folder = log.provenance.get("format") == READER.name and bool(file) and Path(file).is_dir()
    for row, plays in each_plays(log):
        try:
            if isinstance(plays, DataError):
                raise plays
            known = {name: row[name] for name in conditions if _is_there(row.get(name))}
            if known.get("partial") is not None and not known["partial"]:
                del known["partial"]
            where: dict[str, Any] = {"run": int(row["repetition"]), "game_id": str(row["game_id"])}
            saved = saved_part(row) if SAVED in row else None
            if row["source"] == GAMA_BENCH or saved is not None:
                where = {"run": _saved_run(row, saved)}
            where |= {"planned": row["rounds_planned"], "missing": row["game_id"] in gone}
            scored = _row(
                str(Path(file, row[FILE])) if of_folder else file, plays, scoring, conditions=known, **where
            )
        except DataError as error:
            alone = error is plays or ("run" in where and "game_id" not in where)
            why = str(error) if alone else f"game {shorten(row['game_id'])!r}: {error}"
            yield DataError(located(file, why) if file else why), None
        else:
            yield scored, plays


def _saved_run(row: Mapping[str, Any], saved: Mapping[str, Any] | None) -> int | None:
    """The number at the end of a saved file's name; None where it has none."""
    run = row["run"] if _is_there(row["run"]) else (saved or {}).get("run")
    if isinstance(run, str):
        return int(run) if _WHOLE.fullmatch(run) else None
    return int(run) if isinstance(run, int | float) and is_whole(run) else None


_WHOLE = re.compile(r"[0-9]{1,9}")


def _scored(
    file: str | Path, scoring: Scoring, request: ScoreRequest
) -> Iterable[tuple[ScoreRow, Plays] | tuple[DataError, None]]:
    """The rows of one file, with what they were computed from."""
    from intent.gamma.reader import begins_as_saved
    from intent.logs.readers import read_log

    try:
        log = read_log(file, **request.file_reading())
    except DataError as error:
        if Path(file).suffix.lower() != ".json" or begins_as_saved(Path(file)):
            raise
        raise DataError(f"{error}; a game saved by GAMA-Bench has meta and round_records") from None
    rows = list(scored_games(log.where(request.where) if request.where else log, str(file), scoring=scoring))
    if not rows:
        raise DataError(located(file, f"none of {len(log):,} games is one of gamma-bench"))
    rejected = [] if Path(file).is_file() else [(DataError(reason), None) for reason in log.rejects["reason"]]
    return [*rows, *rejected]


def _row(
    file: str,
    plays: Plays,
    scoring: Scoring,
    *,
    run: int | None,
    conditions: Mapping[str, Any],
    game_id: str | None = None,
    planned: Any = None,
    missing: bool = False,
) -> ScoreRow:
    from intent.gamma.records import STORY, setting_of_story

    row, notes = bench_game(plays.game), []
    if (why := why_different(plays)) is not None:
        notes.append(why)
    if not row.sequential and _is_there(planned) and plays.rounds < int(planned):
        notes.append(f"{plays.rounds} of {int(planned)} rounds count")
    if missing:
        notes.append(f"moves are missing: {row.missing}")
    table = conditions.get("table")
    return ScoreRow(
        file=file.encode(errors="backslashreplace").decode(),  # names of files need be no text
        game=plays.game,
        score=score(plays, scoring),
        other=score(plays, _other(scoring)),
        scoring=scoring,
        model=table if isinstance(table, str) else plays.model,
        setting=setting_of_story(plays.setting, conditions.get(STORY)),
        seats=seat_scores(plays, scoring),
        rounds=plays.rounds,
        n_players=plays.n_players,
        run=run,
        game_id=game_id,
        conditions=dict(conditions),
        note="; ".join(notes) or None,
    )


def _is_there(value: object) -> bool:
    """Whether a cell has a value: no None, NaN or NA."""
    if value is None:
        return False
    try:
        return bool(value == value)
    except TypeError:  # pandas' NA is neither
        return False
