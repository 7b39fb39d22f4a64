"""From a log or a run to the figures of play, each with the table that it shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import OutputError, UnknownNameError, UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.analysis.means import Intervals
    from intent.logs.gamelog import GameLog
    from intent.workflows.figure_subject import Subject

__all__ = ["IMAGES", "FiguresResult", "check_image", "check_settings", "figures", "figures_folder"]

IMAGES = ("png", "svg", "pdf")
_MOST_GAMES = 20


@dataclass(frozen=True)
class FiguresResult:
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
    """

    folder: Path
    by: tuple[str, ...]
    figures: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent figures --json``, as `schema.JSON_OBJECTS` describes it."""
        return {
            "folder": str(self.folder),
            "by": list(self.by),
            "figures": self.figures,
            "skipped": self.skipped,
            "notes": list(self.notes),
        }


def figures(
    source: GameLog | str | Path,
    names: Sequence[str] = (),
    folder: str | Path = "figures",
    *,
    by: str | Sequence[str] = ("model",),
    where: Mapping[str, Sequence[str]] | None = None,
    stakes: str | None = None,
    personas: Mapping[str, str] | None = None,
    outcome: str | None = None,
    keep_defaulted: bool = False,
    image: str = "png",
    level: float = 0.95,
    bootstrap: int = 2000,
    seed: int = 0,
    overwrite: bool = False,
    **reading: Any,
) -> FiguresResult:
    """Draw figures of play: one image and one table (CSV) per figure and game.

    Parameters
    ----------
    source : GameLog, the path of a log in any format that `read_log` knows, or the folder of a run
    names : sequence of str
        Of `figure_makers.MAKERS`; none means all that can be made of the play.
    folder : path
        Files are called after the figure, and after the game where the log has several.
    by : str or sequence of str
        Columns whose joint values make panels or lines; a comma in text separates columns.
    where : mapping of column -> accepted values, optional
    stakes : str, optional
        Column of payoff settings; default the first known one that varies (`stakes_column`).
    personas : mapping of persona -> kind, optional
        Kinds of personas that `persona_kind` does not know.
    outcome : {"payoff", "cooperation"}, optional
        What the radar measures; default `outcome_of`.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as a choice.
    image : {"png", "svg", "pdf"}
    level : float in (0, 1)
        Coverage of the intervals, which resample whole games.
    bootstrap : int
    seed : int
    overwrite : bool
    **reading
        Passed to `read_log` where `source` is the path of a log.

    Raises
    ------
    UnknownNameError
        A figure or column that is not there.
    UsageError
        A figure of something else, a setting that cannot be, no game left, too many games, or play of which
        no figure can be made.
    DataError
        Nothing is at `source`, or it cannot be read.
    OutputError
        The folder cannot be written into, or holds a file of that name and `overwrite` is false.
    """
    import numpy as np

    from intent.analysis.means import Intervals
    from intent.analysis.played import played
    from intent.files.text import require_file
    from intent.workflows.figure_files import log_facts, write_figure_files
    from intent.workflows.figure_makers import MAKERS
    from intent.workflows.focal import narrowed

    if isinstance(source, str | Path) and not Path(source).is_dir():
        require_file(source)
    check_settings(names, MAKERS, image=image, level=level, bootstrap=bootstrap)
    if outcome not in (None, "payoff", "cooperation"):
        raise UnknownNameError("outcome", outcome, ("payoff", "cooperation"))
    log = narrowed(_log(source, reading), where or {})
    table = played(log, kinds=personas, keep_defaulted=keep_defaulted)
    factors, table = _joined(table, by)
    target = figures_folder(folder)
    games = sorted(map(str, table["game"].unique()))
    if len(games) > _MOST_GAMES:
        raise UsageError(
            f"{len(games)} games are too many for figures, expected at most {_MOST_GAMES} (--where)"
        )
    settings = {
        **log_facts(log, source),
        "by": list(factors),
        "where": {column: list(values) for column, values in (where or {}).items()},
        "keep_defaulted": keep_defaulted,
        "level": level,
        "bootstrap": bootstrap,
        "seed": seed,
    }
    found = FiguresResult(target, factors, notes=_notes(table))
    for game in games:
        subject = _subject(game, table, factors, stakes, Intervals(bootstrap, level), outcome)
        for name, rng in zip(MAKERS, np.random.default_rng(seed).spawn(len(MAKERS)), strict=True):
            if names and name not in names:
                continue
            made = MAKERS[name](subject(rng))
            if isinstance(made, str):
                found.skipped.append({"name": name, "game": game, "why": made})
                continue
            stem = name if len(games) == 1 else f"{name}-{_stem(game)}"
            facts = {"figure": name, "game": game, **settings}
            files = write_figure_files(
                made, subject(rng), target / f"{stem}.{image}", facts, overwrite=overwrite
            )
            found.figures.append({"name": name, "game": game, **files, **made.facts})
    if not found.figures:
        why = "; ".join(f"{s['name']}: {s['why']}" for s in found.skipped) or "it has no games"
        raise UsageError(f"no figure can be made of this play ({why})")
    return found


def check_settings(
    names: Sequence[str], known: Mapping[str, Any], *, image: str, level: float, bootstrap: int
) -> None:
    """Refuse settings that cannot be, before anything is read.

    Raises
    ------
    UnknownNameError
        A figure that is nowhere.
    UsageError
        A figure that is made of something else, or a number that cannot be.
    """
    from intent.workflows.figure_list import figure_list

    for name in (name for name in names if name not in known):
        other = next((one for one in figure_list() if one.name == name), None)
        if other is None:
            raise UnknownNameError("figure", name, known)
        raise UsageError(f"figure {name!r} needs {other.needs}, expected {other.command}")
    check_image(image)
    if not 0 < level < 1:
        raise UsageError(f"--level {level:g}, expected between 0 and 1, such as 0.95")
    if bootstrap < 1:
        raise UsageError(f"--bootstrap {bootstrap}, expected at least 1")


def check_image(image: str) -> None:
    """Refuse a kind of image that is not written.

    Raises
    ------
    UnknownNameError
    """
    if image not in IMAGES:
        raise UnknownNameError("image", image, IMAGES)


def figures_folder(folder: str | Path) -> Path:
    """The folder that figures are written into.

    Raises
    ------
    OutputError
        It cannot be written to, or has the name of an image.
    """
    from intent.logs.output import claim

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
    from intent.runner.folder import is_run

    if isinstance(source, GameLog):
        return source
    if is_run(source):
        from intent.runner.run import Run

        return Run.open(Path(source)).log()
    return read_log(source, **reading)


def _joined(table: pd.DataFrame, by: str | Sequence[str]) -> tuple[tuple[str, ...], pd.DataFrame]:
    """The columns asked for, and the table with their joint values as one column."""
    from intent.analysis.groups import NONE
    from intent.workflows.columns import column_names

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
    from intent.analysis.stakes import stakes_column
    from intent.workflows.figure_subject import Subject

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
