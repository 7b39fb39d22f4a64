"""From a log, a run or a table of labels to one self-contained page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import OutputError
from intent.workflows.interval_settings import check_bootstrap, check_level

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.report.document import Section

__all__ = ["ReportResult", "report"]

_MOST_GAMES = 20
_SUFFIXES = (".html", ".htm")


@dataclass(frozen=True)
class ReportResult:
    """What was written.

    Parameters
    ----------
    path : Path
    sections : tuple of str
        Titles, in order.
    n_games, n : int
        Games and trajectories that it is on.
    size : int, bytes
    seconds : float
    notes : tuple of str
        What a reader should be warned of.
    """

    path: Path
    sections: tuple[str, ...]
    n_games: int
    n: int
    size: int
    seconds: float
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent report --json``, as `schema.JSON_OBJECTS` describes it."""
        return {
            "path": str(self.path),
            "sections": list(self.sections),
            "n_games": self.n_games,
            "n": self.n,
            "bytes": self.size,
            "seconds": self.seconds,
            "notes": list(self.notes),
        }


def report(
    source: GameLog | str | Path,
    path: str | Path = "report.html",
    *,
    full: bool = False,
    by: str | Sequence[str] = (),
    title: str | None = None,
    recogniser: str | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    bootstrap: int = 1000,
    permutations: int = 5000,
    level: float = 0.95,
    seed: int = 0,
    overwrite: bool = False,
    update: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> ReportResult:
    """Write a report: one HTML file that needs nothing else.

    Parameters
    ----------
    source : GameLog, or the path of a log, of the folder of a run, or of a table of labels
    path : path, .html
    full : bool
        Every factor that varies, estimated shares, sensitivity, figures of play and example games too; else
        quality, identifiability, shares and the main comparison.
    by : columns to compare by; default those that vary (the first of them where not `full`)
    title : str, optional
    recogniser, where, others, keep_defaulted, **reading
        As `label_log`, for a log.
    bootstrap, permutations, level : as `compare`
    seed : int
        Same source and seed, same page.
    overwrite : bool
    update : called with (steps done, in all)

    Raises
    ------
    OutputError
        The path has another suffix, exists, is what is read, or cannot be written.
    UsageError
        A setting that cannot be, or nothing to report on.
    UnknownNameError
        A column or recogniser that does not exist.
    DataError
        The source cannot be read.
    """
    import time

    from intent.logs.output import writing
    from intent.report.report_page import report_page
    from intent.version import __version__
    from intent.workflows.report.material import material_of
    from intent.workflows.report.study import Settings, study

    began = time.perf_counter()
    target = _checked(path, source, overwrite=overwrite)
    check_level(level)
    check_bootstrap(bootstrap)
    material = material_of(
        source,
        recogniser,
        where=where,
        others=others,
        keep_defaulted=keep_defaulted,
        seed=seed,
        **reading,
    )
    settings = Settings(full, by, bootstrap, permutations, level, seed, _MOST_GAMES)
    sections: list[Section]
    sections, notes = study(material, settings, update)
    lines = [
        f"{'Full report' if full else 'Short report'} on {material.name}"
        + (
            ""
            if full
            else "; intent report --full adds every factor, estimated shares, play and example games"
        )
        + ".",
        "This file is complete: it loads nothing, runs nothing and sends nothing.",
    ]
    page = report_page(
        title or f"Strategies in {material.name}",
        sections,
        lines=lines,
        foot=f"Made with intent {__version__}, seed {seed}.",
    )
    with writing(target, overwrite=overwrite) as draft:
        draft.write_text(page, encoding="utf8", errors="backslashreplace")
    return ReportResult(
        target,
        tuple(section.title for section in sections),
        int(material.labels["game_id"].nunique()),
        len(material.labels),
        target.stat().st_size,
        time.perf_counter() - began,
        tuple(notes),
    )


def _checked(path: str | Path, source: object, *, overwrite: bool) -> Path:
    from intent.logs.output import claim

    target = Path(path)
    if target.suffix.lower() not in _SUFFIXES:
        raise OutputError(f"cannot write {target}: suffix {target.suffix!r}, expected .html")
    if (
        isinstance(source, str | Path)
        and target.exists()
        and Path(source).exists()
        and target.samefile(source)
    ):
        raise OutputError(f"cannot write {target}: it is what is read")
    return claim(target, overwrite=overwrite)
