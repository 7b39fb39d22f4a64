"""From a log, a run or a table of labels to one self-contained page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import OutputError, UsageError
from intent.workflows.interval_settings import check_bootstrap, check_level

if TYPE_CHECKING:
    from intent.analysis.findings import Findings
    from intent.logs.gamelog import GameLog
    from intent.report.document import Section

__all__ = ["ReportResult", "report"]

_MOST_GAMES = 20
_SUFFIXES = (".html", ".htm")

_FORMS = {"default": "Report", "short": "Two pages", "full": "Full report"}
_LONGER = {
    "default": "; intent report --full adds every factor, a regression, sensitivity, play and example games",
    "short": "; intent report has the comparisons behind them, and --full all of them",
    "full": "",
}


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
    findings : Findings, optional
        Differences, ranked, and the questions without one.
    """

    path: Path
    sections: tuple[str, ...]
    n_games: int | None
    n: int
    size: int
    seconds: float
    notes: tuple[str, ...] = ()
    findings: Findings | None = None

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
            "findings": self._findings(),
        }

    def sentences(self) -> list[str]:
        """The findings in words, ranked."""
        from intent.report.finding_words import finding_sentence

        shown = () if self.findings is None else self.findings.shown
        several = len({one.game for one in shown}) > 1
        return [finding_sentence(one, game=several) for one in shown]

    def _findings(self) -> list[dict[str, Any]]:
        shown = () if self.findings is None else self.findings.shown
        return [
            {"sentence": sentence, **one.to_dict()}
            for sentence, one in zip(self.sentences(), shown, strict=True)
        ]


def report(
    source: GameLog | str | Path,
    path: str | Path = "report.html",
    *,
    full: bool = False,
    short: bool = False,
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
    story: Sequence[Section] = (),
    **reading: Any,
) -> ReportResult:
    """Write a report: one HTML file that needs nothing else.

    Parameters
    ----------
    source : GameLog, or the path of a log, of the folder of a run, or of a table of labels
    path : path, .html
    full : bool
        Shares compared by every factor that varies, a regression, sensitivity, figures of play and example
        games too; else findings, quality, identifiability, shares and the main comparison.
    short : bool
        Two printed pages: what was studied, the findings with figures, what limits them, how to read them.
    by : columns to compare by; default those that vary (the first of them where not `full`)
    title : str, optional
    recogniser, where, others, keep_defaulted, **reading
        As `label_log`, for a log.
    bootstrap, permutations, level : as `compare`
    seed : int
        Same source and seed, same page.
    overwrite : bool
    update : called with (steps done, in all)
    story : sections that stand before all others

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
    from intent.workflows.report.study import Form, Settings, study

    if full and short:
        raise UsageError("--full and --short, expected one of them")
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
    form: Form = "full" if full else "short" if short else "default"
    settings = Settings(form, by, bootstrap, permutations, level, seed, _MOST_GAMES)
    sections, notes, findings = study(material, settings, update, story)
    lines = [
        f"{_FORMS[form]} on {material.name}{_LONGER[form]}.",
        "This file is complete: it loads nothing, runs nothing and sends nothing.",
    ]
    page = report_page(
        title or f"Strategies in {material.name}",
        sections,
        lines=lines,
        foot=f"Made with intent {__version__}, seed {seed}.",
        contents=not short,
    )
    with writing(target, overwrite=overwrite) as draft:
        draft.write_text(page, encoding="utf8", errors="backslashreplace")
    return ReportResult(
        target,
        tuple(section.title for section in sections),
        material.n_games,
        len(material.labels),
        target.stat().st_size,
        time.perf_counter() - began,
        tuple(notes),
        findings,
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
