"""From a log, a run or a result table to its figures: each an image with a caption, and its table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.job import Request, Result, Table, data_line, job, kept_in_words, source_of_table
from intent.report.figure_makers import (
    FIGURES,
    TABLES,
    Figure,
    Made,
    Subject,
    TableSubject,
    makers,
    of_tables,
    table_kind,
)
from intent.report.requests import FiguresRequest

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.behaviour.means import Intervals
    from intent.logs.gamelog import GameLog


__all__ = [
    "IMAGES",
    "FigureList",
    "FiguresResult",
    "check_image",
    "every_figure",
    "figure_list",
    "figures",
    "log_facts",
]


IMAGES = ("png", "svg", "pdf")
_MOST_GAMES = 20
_OF_STRATEGIES = "left out: {seats} that a strategy plays; --by strategy shows them"


@dataclass(frozen=True, eq=False)
class FiguresResult(Result):
    """What was drawn.

    Parameters
    ----------
    folder : Path
    by : tuple of str
    figures : list of mappings
        name, game, file, table (names within the folder), n_games, and further results of some figures.
    skipped : list of mappings with name, game, why
    notes : tuple of str
        What a reader should be warned of.
    of_log : bool
        Whether of play, game by game, and not of a table.
    """

    kind = "figures"

    folder: Path
    by: tuple[str, ...]
    figures: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    of_log: bool = True

    def fields(self) -> dict[str, Any]:
        """As `codebook.JSON_OBJECTS` describes it."""
        return {
            "folder": str(self.folder),
            "by": list(self.by),
            "figures": self.figures,
            "skipped": self.skipped,
            "notes": list(self.notes),
        }

    def parts(self) -> Iterator[Table | str]:
        """The figures with their files."""
        names = ("name", "game", "n_games", "file", "table") if self.of_log else _FILES
        rows = [[_in_cell(one[name]) for name in names] for one in self.figures]
        yield Table([_HEADINGS[name] for name in names], rows)

    def remarks(self) -> Iterator[str]:
        """What could not be drawn, and where the figures are."""
        for one in self.skipped:
            of = f" of {one['game']}" if self.of_log else ""
            yield f"no {one['name']}{of}: {one['why']}"
        n = len(self.figures)
        yield f"wrote {n} figure{'s' * (n > 1)} into {self.folder}"


_FILES = ("name", "n_games", "file", "table")
_HEADINGS = {"name": "figure", "game": "game", "n_games": "games", "file": "image", "table": "table"}


def _in_cell(value: Any) -> Any:
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else value


@job(FiguresRequest)
def figures(request: FiguresRequest) -> FiguresResult:
    """Draw figures of play or of a result table: one image and one table (CSV) per figure, and game.

    A table is one that `figure_makers.TABLES` lists; none of the settings of play applies to it. A setting
    that says how a file is read makes it a log.

    Raises
    ------
    UnknownNameError
        A figure or column that is not there.
    UsageError
        A figure of something else, a setting that cannot be, no game or row left, too many games, or play or
        a table of which no figure can be made.
    DataError
        Nothing is at `source`, or it cannot be read.
    OutputError
        The folder cannot be written into, or holds a file of that name and `overwrite` is false.
    """
    source = request.source
    if source is None:
        raise UsageError("no log or table is given, expected intent figures LOG|RUN|TABLE, or --list")
    unread = request.format == "auto" and not request.mapping
    kind = table_kind(source) if unread and isinstance(source, str | Path) else None
    drawn = _of_play(request) if kind is None else _of_table(request, Path(str(source)), kind)
    if not drawn.figures:
        what = "this play" if kind is None else source
        why = "; ".join(f"{s['name']}: {s['why']}" for s in drawn.skipped) or "it has no games"
        raise UsageError(f"no figure can be made of {what} ({why})")
    return drawn


def _of_play(request: FiguresRequest) -> FiguresResult:
    import numpy as np

    from intent.base.files import require_file
    from intent.base.statistics import NONE
    from intent.behaviour.means import Intervals
    from intent.behaviour.play_table import played
    from intent.logs.chunks import narrowed, unread_rows

    source, where = request.source, dict(request.where or {})
    assert source is not None
    if isinstance(source, str | Path) and not Path(source).is_dir():
        require_file(source)
    known = makers()
    _check_settings(request, known)
    if request.outcome not in (None, "payoff", "cooperation"):
        raise UnknownNameError("outcome", request.outcome, ("payoff", "cooperation"))
    log = narrowed(_log(source, request.file_reading()), where)
    table = played(log, kinds=request.personas, keep_defaulted=request.keep_defaulted)
    factors, table = _joined(table, request.by)
    target = _claimed(request.folder)
    games = sorted(map(str, table["game"].unique()))
    if len(games) > _MOST_GAMES:
        raise UsageError(
            f"{len(games)} games are too many for figures, expected at most {_MOST_GAMES} (--where)"
        )
    settings = {
        **log_facts(log, source),
        "by": list(factors),
        "where": {column: list(values) for column, values in where.items()},
        **request.values(("keep_defaulted", "level", "bootstrap", "seed")),
    }
    drawn = FiguresResult(target, factors, notes=(*unread_rows(log), *_notes(table)))
    intervals = Intervals(request.bootstrap, request.level)
    for game in games:
        subject = _subject(game, table, factors, request.stakes, intervals, request.outcome)
        rngs = np.random.default_rng(request.seed).spawn(len(known))
        for name, rng in zip(known, rngs, strict=True):
            if request.names and name not in request.names:
                continue
            play = subject(rng)
            figure = known[name].make(play)
            if isinstance(figure, str):
                drawn.skipped.append({"name": name, "game": game, "why": figure})
                continue
            stem = name if len(games) == 1 else f"{name}-{_stem(game)}"
            files = _write(
                figure,
                target / f"{stem}.{request.image}",
                figure.title if game == NONE else f"{figure.title}: {game}",
                [_averaged(figure, play), _intervals(figure, play), _data(settings, _number(play.table))],
                {"kind": "figure of play", "figure": name, "game": game, **settings},
                overwrite=request.overwrite,
            )
            n_games = int(play.table["game_id"].nunique())
            drawn.figures.append({"name": name, "game": game, **files, "n_games": n_games, **figure.facts})
    return drawn


def _of_table(request: FiguresRequest, path: Path, kind: str) -> FiguresResult:
    import numpy as np

    from intent.base.tables import read_table
    from intent.behaviour.means import Intervals
    from intent.logs.chunks import only_subjects
    from intent.logs.gamelog import accepted_rows
    from intent.recognise.bayes import was_without_random

    for name in request.changed(("stakes", "personas", "outcome", "keep_defaulted")):
        (flag,) = FiguresRequest.settings[name].flags
        raise UsageError(f"{flag} is about play, and {path} is a table of {kind}, expected a log")
    names = request.names
    known = of_tables()
    _check_settings(request, known)
    fitting = [name for name, figure in known.items() if kind in figure.needs]
    for name in names:
        if name not in fitting:
            needs = " or ".join(known[name].needs)
            raise UsageError(f"figure {name!r} needs a table of {needs}, got one of {kind}: {path}")
    table, facts = read_table(path)
    where = dict(request.where or {})
    rows = table[accepted_rows(table, where)].reset_index(drop=True)
    if rows.empty:
        raise UsageError(f"no rows left of {len(table)}, expected at least one (--where)")
    factors = _factors(request.by, rows, kind)
    left_out: list[str] = []
    if "strategy" not in factors:
        of_subjects, left_out = only_subjects(rows, _OF_STRATEGIES)
        rows = rows[of_subjects].reset_index(drop=True)
    target = _claimed(request.folder)
    settings = {**source_of_table(path), "table": kind, "by": list(factors), "where": where}
    settings |= request.values(("level", "bootstrap", "seed"))
    n_games = int(rows["game_id"].nunique()) if "game_id" in rows.columns else None
    before = was_without_random(table.columns, facts)
    notes = (*left_out, before) if before else tuple(left_out)
    drawn = FiguresResult(target, factors, notes=notes, of_log=False)
    intervals = Intervals(request.bootstrap, request.level)
    rngs = np.random.default_rng(request.seed).spawn(len(known))
    for (name, figure), rng in zip(known.items(), rngs, strict=True):
        if name not in (names or fitting):
            continue
        try:
            drawing = figure.make(TableSubject(kind, rows, facts, factors, intervals, rng))
            if isinstance(drawing, str):
                drawn.skipped.append({"name": name, "game": None, "why": drawing})
                continue
            files = _write(
                drawing,
                target / f"{name}.{request.image}",
                drawing.title,
                [_data(settings, f"{len(rows):,} rows of the table")],
                {"kind": "figure of a table", "figure": name, **settings},
                overwrite=request.overwrite,
            )
        except UsageError as error:
            if names:
                raise
            drawn.skipped.append({"name": name, "game": None, "why": str(error)})
            continue
        drawn.figures.append({"name": name, "game": None, **files, "n_games": n_games})
    return drawn


def _check_settings(request: FiguresRequest, known: Mapping[str, Any]) -> None:
    """Refuse settings that cannot be, before anything is read."""
    for name in (name for name in request.names if name not in known):
        other = next((one for one in figure_list() if one.name == name), None)
        if other is None:
            raise UnknownNameError("figure", name, known)
        raise UsageError(f"figure {name!r} needs {' or '.join(other.needs)}, expected {other.command}")
    check_image(request.image)
    if not 0 < request.level < 1:
        raise UsageError(f"--level {request.level:g}, expected between 0 and 1, such as 0.95")
    if request.bootstrap < 1:
        raise UsageError(f"--bootstrap {request.bootstrap}, expected at least 1")


def check_image(image: str) -> None:
    """Refuse a kind of image that is not written.

    Raises
    ------
    UnknownNameError
    """
    if image not in IMAGES:
        raise UnknownNameError("image", image, IMAGES)


def _claimed(folder: str | Path) -> Path:
    """The folder that figures are written into.

    Raises
    ------
    OutputError
        It cannot be written to, or has the name of an image.
    """
    from intent.base.outputs import claim

    path = Path(folder)
    kind = path.suffix[1:].lower()
    if kind in IMAGES and not path.is_dir():
        raise OutputError(
            f"cannot write figures into {path}: it has the name of an image, expected a folder "
            f"(--image {kind})"
        )
    return claim(path, overwrite=True, into=True)


def _log(source: GameLog | str | Path, reading: Mapping[str, Any]) -> GameLog:
    """The log, that of a run where `source` is its folder."""
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.logs.run_folder import is_run, played_run

    if isinstance(source, GameLog):
        return source
    if is_run(source):
        return played_run(source).log()
    return read_log(source, **reading)


def _joined(table: pd.DataFrame, by: str | Sequence[str]) -> tuple[tuple[str, ...], pd.DataFrame]:
    """The columns asked for, and the table with their joint values as one column."""
    from intent.base.statistics import NONE
    from intent.base.tables import column_names

    factors = column_names(by, table.columns) or ("model",)
    for name in factors:
        if name not in table.columns or name == "payoffs":
            raise UnknownNameError("column", name, [c for c in table.columns if c != "payoffs"])
    if len(factors) == 1:
        nothing = set(table[factors[0]]) == {NONE}
        return factors, table.assign(**{factors[0]: "all"}) if nothing else table
    texts = table[factors[0]].astype(str)
    for name in factors[1:]:
        texts = texts + " · " + table[name].astype(str)
    return factors, table.assign(**{" · ".join(factors): texts})


def _subject(
    game: str,
    table: pd.DataFrame,
    factors: Sequence[str],
    stakes: str | None,
    intervals: Intervals,
    outcome: Any,
) -> Callable[[np.random.Generator], Subject]:
    from intent.behaviour.payoffs import stakes_column

    part = table[(table["game"] == game).to_numpy()].reset_index(drop=True)
    part = part.assign(game_id=part["game_id"].cat.remove_unused_categories())
    column = stakes_column(part, stakes)
    column = None if column in factors else column
    return lambda rng: Subject(game, part, " · ".join(factors), column, intervals, rng, outcome)


def _stem(game: str) -> str:
    """A game's name as part of a file's name."""
    return re.sub(r"[^\w-]+", "-", game).strip("-")[:60] or "game"


def _notes(table: pd.DataFrame) -> tuple[str, ...]:
    """What is left out, in words."""
    moves = table[table["focal"]]
    notes = []
    for status, what in (("missing", "no move"), ("defaulted", "a default in place of an unreadable reply")):
        n = int((moves["status"] == status).sum())
        if n:
            notes.append(f"{n:,} of {len(moves):,} moves are {what}")
    unknown = table["normalised"].isna() & table["payoff"].notna()
    if unknown.any():
        notes.append(f"the payoffs of {table.loc[unknown, 'game_id'].nunique():,} games are not known")
    return tuple(notes)


def _factors(by: str | Sequence[str], table: pd.DataFrame, kind: str) -> tuple[str, ...]:
    """Columns that make the groups, of tables that are not grouped already."""
    from intent.base.tables import column_names

    if kind not in ("labels", "metrics"):
        if by:
            raise UsageError(f"--by does not apply to a table of {kind}, whose rows are groups already")
        return ()
    factors = column_names(by, table.columns)
    for name in factors:
        if name not in table.columns:
            raise UnknownNameError("column", name, map(str, table.columns))
    if factors or by:
        return factors
    return ("model",) if "model" in table.columns and table["model"].nunique() > 1 else ()


_FEW = 5
"""Games below which an interval is not to be relied on."""


def log_facts(log: GameLog, source: object) -> dict[str, Any]:
    """Where a log comes from: name of its file (of the run, where it is a run's), hash.

    Parameters
    ----------
    log : GameLog
    source : the path that was read, or the log itself
    """
    path = source if isinstance(source, str | Path) else log.provenance.get("source")
    place = Path(path) if isinstance(path, str | Path) else None
    parts = () if place is None else place.parts[-2:] if place.name == "log" else place.parts[-1:]
    return {"source": "/".join(parts) or None, "sha256": log.provenance.get("sha256")}


def _write(
    figure: Made,
    path: Path,
    title: str,
    remarks: Sequence[str],
    facts: Mapping[str, Any],
    *,
    overwrite: bool,
) -> dict[str, str]:
    """Draw a figure into `path`, and write its table beside it as CSV; both hold the facts.

    The names of both within the folder.
    """
    from intent.base.tables import claim_table, write_table
    from intent.figures.style import Drawing
    from intent.version import __version__

    facts = {**facts, "version": __version__}
    numbers = claim_table(path.with_suffix(".csv"), overwrite=overwrite)
    description = json.dumps(facts, ensure_ascii=True, default=str)
    drawing = Drawing(title, figure.draw, [*figure.lines, *remarks])
    picture = drawing.write(path, description=description, overwrite=overwrite)
    write_table(figure.table.reset_index(drop=True), numbers, facts, overwrite=overwrite)
    return {"file": picture.name, "table": numbers.name}


def _averaged(figure: Made, subject: Subject) -> str:
    """What a figure is a mean over, without showing it."""
    from intent.behaviour.play_table import conditions, determined

    if figure.shows is None:
        return ""
    shown = {part for name in figure.shows for part in name.split(" · ")} | {subject.by}
    by = [name for name in shown if name in subject.table.columns]
    implied = {"persona"} if {"pairing", "composition"} & shown else set()
    names = [name for name in conditions(subject.table) if name not in shown | implied | {"agent_name"}]
    others = [name for name in names if not determined(subject.table, name, by)]
    return f"Not told apart: {', '.join(others)}." if others else ""


def _number(table: pd.DataFrame) -> str:
    """Of how many games and choices a figure of play is."""
    n, known = int(table["game_id"].nunique()), int((table["focal"] & table["action"].notna()).sum())
    return f"{n:,} game{'s' * (n != 1)}, {known:,} choices"


def _intervals(figure: Made, subject: Subject) -> str:
    """What the intervals are, and where they say little."""
    table, text = figure.table, figure.intervals(subject)
    if not text:
        return ""
    several = table[table["n_games"] > 1]
    few, alike = int((table["n_games"] < _FEW).sum()), int((several["low"] == several["high"]).sum())
    if few:
        text += f" {few} of {len(table)} means are of fewer than {_FEW} games, their intervals unreliable."
    if alike:
        text += f" In {alike} of {len(table)} all games are alike, so that their interval has no width."
    return text


def _data(settings: Mapping[str, Any], number: str) -> str:
    return data_line(settings.get("source"), *kept_in_words(settings.get("where", {})), number)


def figure_list() -> list[Figure]:
    """All figures: of logs, of result tables, of other commands."""
    play = makers()
    return [*play.values(), *(one for one in FIGURES if one.name not in play or one.needs != ("log",))]


class FigureList(Result):
    """All figures, for ``intent figures --list``."""

    kind = "figures"

    def fields(self) -> dict[str, Any]:
        """As `codebook.JSON_OBJECTS` describes it."""
        return {"figures": [one.fields() for one in figure_list()]}

    def parts(self) -> Iterator[Table | str]:
        """The figures, and the tables that some of them need."""
        rows = [(f["name"], f["shows"], f["needs"], f["command"]) for f in self.fields()["figures"]]
        yield Table(("figure", "shows", "needs", "drawn by"), rows)
        yield ""
        yield Table(("table", "written by"), [(kind.name, kind.command) for kind in TABLES])


def every_figure(request: Request) -> FigureList:
    """What ``--list`` shows."""
    return FigureList()
