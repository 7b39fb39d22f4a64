"""What the jobs of this room need to be told, declared once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.experiments import study_of
from intent.base.job import (
    BOOTSTRAP,
    BY,
    JSON,
    LEVEL,
    OUTPUT,
    OVERWRITE,
    SEED,
    UPDATE,
    NonNegative,
    Positive,
    Printing,
    Request,
    Setting,
    argument,
    here,
    option,
    parse_pairs,
)
from intent.estimate.requests import EXPLAINED
from intent.logs.reading import KEEP_DEFAULTED, OTHERS, Reading
from intent.recognise.labels.request import LOG_RECOGNISER

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.report.page import Section

__all__ = ["FiguresRequest", "ReportRequest", "ResultsRequest"]

_OVERWRITE = replace(OVERWRITE, only="", file=False)
_IMAGE = option("png", "png, svg or pdf.")
_WRITTEN = replace(OUTPUT, words=Path, positional=True, file=False, only="")
"""Where a job writes that returns what it wrote: an argument of its function too."""


class ReportRequest(Reading, job="report", function="intent.report.report.report", progress="report"):
    """Write a report: two pages, an appendix behind them, tables beside it.

    One file that loads nothing, for a screen, a phone or paper; the folder
    NAME_tables holds its numbers as CSV. --full compares by every factor
    that varies; --short leaves the appendix out.
    """

    source: "GameLog | str | Path" = argument(
        "A game log, a run folder, or a table of labels.", words=Path, metavar="LOG|RUN|LABELS"
    )
    path: "str | Path" = replace(_WRITTEN, default="report.html", help="The page.")
    full: bool = option(False, "Every factor, a regression, sensitivity, play, example games too.")
    short: bool = option(False, "The two pages alone: findings with figures, and their limits.")
    by: str | Sequence[str] = BY
    title: str | None = option(None, "Title of the page.")
    recogniser: str | None = replace(LOG_RECOGNISER, positional=False)
    explained: bool = replace(EXPLAINED, default=True, flags=("--explained/--no-explained",))
    others: str | None = OTHERS
    keep_defaulted: bool = KEEP_DEFAULTED
    reading = here(Reading)
    bootstrap: Positive = replace(BOOTSTRAP, default=1000)
    permutations: Positive = option(5000, "Draws or permutations per test.")
    level: float = LEVEL
    seed: NonNegative = SEED
    overwrite: bool = _OVERWRITE
    json: bool = JSON
    update: Callable[[int, int], None] = UPDATE
    bundle: "str | Path | None" = option(
        None,
        "Folder of intent view --bundle: games that are named lead to their pages.",
        words=Path | None,
        metavar="FOLDER",
        recorded=False,
        file=False,
    )
    story: "Sequence[Section]" = option((), "Sections that stand before all others.", only="python")


class _ListRequest(Request, function="intent.report.figures.every_figure"):
    """List all figures."""


class FiguresRequest(Reading, Printing, job="figures", function="intent.report.figures.figures"):
    """Draw figures of a log, or of a table that another command wrote.

    Of a log: penalties, choices, cooperation, biases; panels or lines are
    models, or the columns of --by, and games are drawn apart. Of a table
    of labels, metrics, shares, …: what --list says. Beside each image stands
    its table as CSV.
    """

    source: "GameLog | str | Path | None" = replace(
        argument(
            "A game log of any known format, a run folder, or a table that a command wrote.",
            words=Path | None,
            metavar="LOG|RUN|TABLE",
        ),
        default=None,
    )
    names: Sequence[str] = Setting(
        "Figures, as --list names them; default all that can be made.",
        default=(),
        words=list[str] | None,
        metavar="[NAME]...",
        positional=True,
    )  # type: ignore[assignment]
    folder: "str | Path" = replace(_WRITTEN, default="figures", help="Folder to write into.")
    by: str | Sequence[str] = BY
    stakes: str | None = option(
        None, "Payoff settings, where the usual columns do not say them.", metavar="COLUMN"
    )
    personas: Mapping[str, str] | None = option(
        None,
        "Kind of a persona: cooperative, selfish, neutral … (repeatable).",
        "--persona",
        words=list[str] | None,
        parse=lambda items: {name: kinds[-1] for name, kinds in parse_pairs(items, "--persona").items()},
        metavar="PERSONA=KIND",
    )
    outcome: str | None = option(
        None, "What the radar measures: payoff or cooperation (default: as payoffs allow)."
    )
    keep_defaulted: bool = KEEP_DEFAULTED
    reading = here(Reading)
    image: str = _IMAGE
    level: float = LEVEL
    bootstrap: int = replace(BOOTSTRAP, help="Samples of the bootstrap over games.")
    seed: NonNegative = SEED
    printing = here(Printing)
    overwrite: bool = _OVERWRITE
    listed: bool = option(
        False, "List all figures: what each shows, needs, and is drawn by.", "--list", only="command"
    )
    json: bool = JSON

    def run(self) -> Any:
        """Draw, or list what can be drawn."""
        return _ListRequest().run() if self.listed else super().run()


class ResultsRequest(Reading, Printing, job="results", function="intent.report.results.results"):
    """Make every table and figure of a published study from a log.

    Verdicts on its hypotheses stand beside the published ones. What
    the log cannot give is listed with the reason.
    """

    source: "GameLog | str | Path" = argument(
        "A game log of any known format, or a run folder.", words=Path, metavar="LOG|RUN"
    )
    paper: "str | Path" = replace(
        argument("Whose results: agent_architectures or private_deliberation.", words=str),
        flags=("--paper",),
        parse=study_of,
        detail="Here also the Path of a folder of an experiment with a module ``results``, whose code is "
        "run; a text, which may come from somebody else's file, is a name only.",
    )
    folder: "str | Path" = replace(_WRITTEN, default="results", help="Folder to write into.")
    reading = here(Reading)
    image: str = _IMAGE
    bootstrap: int = replace(BOOTSTRAP, help="Samples of intervals and tests.")
    seed: NonNegative = SEED
    printing = here(Printing)
    overwrite: bool = _OVERWRITE
    json: bool = JSON
