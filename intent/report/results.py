"""All tables and figures of a published study from one log: a registry, and the door to it.

What a study's results gather: tables, figures, verdicts, what was left out and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, GameError, RecogniserError, UnknownNameError, UsageError
from intent.base.experiments import experiment_code, experiments
from intent.base.job import Result, Table, check_bootstrap, data_line, job
from intent.base.registry import load, points
from intent.report.requests import ResultsRequest

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["CODE", "ENTRY_POINTS", "IMAGES", "Collected", "Drawn", "papers", "results"]


ENTRY_POINTS = "intent.results"
"""Entry points of studies: from (log, folder, *, seed, bootstrap, image, overwrite) to `Collected`."""

CODE = "results"
"""Module of an experiment that has such a function, `write_results`."""

IMAGES = ("png", "svg", "pdf")


def papers() -> list[str]:
    """Names of the studies: ours, those in the user's folders of experiments, those of other packages."""
    return list(dict.fromkeys((*experiments(CODE), *points(ENTRY_POINTS))))


@job(ResultsRequest)
def results(request: ResultsRequest) -> Collected:
    """Write every table and figure of a study, made from a log.

    What the log cannot give is listed with the reason, and keeps nothing else from being made.

    Raises
    ------
    UnknownNameError
        No such study or kind of image.
    UsageError
        No game left; no such folder of an experiment, or one that came with the log.
    OutputError
        The folder cannot be written into, or holds a file of that name and `overwrite` is false.
    """
    from intent.base.outputs import claim
    from intent.logs.chunks import narrowed
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.logs.run_folder import is_run

    source = request.source
    write = _writer(request.paper, source)
    if request.image not in IMAGES:
        raise UnknownNameError("kind of image", request.image, IMAGES)
    check_bootstrap(request.bootstrap)
    target = claim(request.folder, overwrite=True, into=True)
    if isinstance(source, GameLog):
        log = source
    else:
        log = read_log(Path(source) / "log" if is_run(source) else source, **request.file_reading())
    how = request.values(("seed", "bootstrap", "image", "overwrite"))
    return write(narrowed(log, request.where or {}), target, **how)


def _writer(paper: str | Path, source: Any) -> Callable[..., Collected]:
    """What writes the results of a study that is named, or whose folder is.

    Raises
    ------
    UnknownNameError, UsageError
    """
    if isinstance(paper, Path):
        folder = paper.resolve()
        if isinstance(source, str | Path) and folder.is_relative_to(Path(source).resolve()):
            raise UsageError(f"{paper}: code that came with the log is not run, expected your own")
        code = experiment_code(folder, CODE)
    elif paper in experiments(CODE):
        code = experiment_code(paper, CODE)
    elif paper in points(ENTRY_POINTS):
        write: Callable[..., Collected] = load(points(ENTRY_POINTS)[paper])
        return write
    else:
        raise UnknownNameError("paper", paper, papers())
    if not callable(getattr(code, "write_results", None)):
        raise UsageError(f"{code.__file__}: has no function write_results")
    own: Callable[..., Collected] = code.write_results
    return own


_LONGEST = 100
"""Characters of a file's stem."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure that was drawn, and can be drawn again for a page.

    Parameters
    ----------
    title : str
    draw : callable
        Returns a matplotlib Figure.
    published : str
        The figure of the study that it repeats; empty for none.
    lines : tuple of str, its caption
    """

    title: str
    draw: Callable[[], Any]
    published: str = ""
    lines: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[tuple[int, str, int], ...]:
        """Where it stands among the figures of its paper: 3.2 before 3.10, those of the appendix last."""
        parts = re.findall(r"\d+|[A-Z](?=\.?\d)", self.published)
        return tuple((0, "", int(p)) if p.isdigit() else (1, p, 0) for p in parts) or ((2, "", 0),)


@dataclass(eq=False)
class Collected(Result):
    """The files of a study as they are made, and what came of it.

    Parameters
    ----------
    paper : str
    folder : Path
    config : mapping
        Where the log comes from, seed, version: kept with every file.
    image : {"png", "svg", "pdf"}
    overwrite : bool
    drawings : list of Drawn
        The figures, for a page that shows them.
    """

    kind = "results"

    paper: str
    folder: Path
    config: Mapping[str, Any]
    image: str = "png"
    overwrite: bool = False
    tables: list[dict[str, Any]] = field(default_factory=list)
    figures: list[dict[str, Any]] = field(default_factory=list)
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    drawings: list[Drawn] = field(default_factory=list)

    def add_table(self, name: str, rows: pd.DataFrame, title: str, published: str | None = None) -> None:
        """Write ``name.csv`` with its companion, and list it.

        Raises
        ------
        OutputError
            The file exists and may not be replaced, or cannot be written.
        """
        from intent.base.tables import write_table

        facts = {"kind": "results", "paper": self.paper, "title": title, **self.config}
        target = self.folder / f"{self._stem(name, self.tables)}.csv"
        path = write_table(rows, target, facts, overwrite=self.overwrite)
        self.tables.append({"name": name, "file": path.name, "title": title, "published": published})

    def add_figure(
        self,
        name: str,
        draw: Callable[[], Any],
        title: str,
        published: str | None = None,
        *,
        lines: Sequence[str] = (),
    ) -> None:
        """Draw ``name.png`` (or as `image` says) in the common look, and list it.

        Parameters
        ----------
        name : str
        draw : callable
            Returns a matplotlib Figure.
        title : str
        published : str, optional
            The figure of the study.
        lines : sequence of str
            The caption, before the line on the data.

        Raises
        ------
        OutputError
            As `add_table`.
        """
        from intent.figures.style import Drawing

        path = Drawing(title, draw, [*lines, data_line(self.config.get("source"))]).write(
            self.folder / f"{self._stem(name, self.figures)}.{self.image}",
            description=json.dumps({"paper": self.paper, **self.config}, ensure_ascii=True, default=str),
            overwrite=self.overwrite,
        )
        self.figures.append({"name": name, "file": path.name, "title": title, "published": published})
        self.drawings.append(Drawn(title, draw, published or "", tuple(lines)))

    def _stem(self, name: str, entries: list[dict[str, Any]]) -> str:
        """A file name of its own, whatever the log calls the architectures that are part of it."""
        stem = re.sub(r"[^\w-]+", "_", name)[:_LONGEST]
        stems = {Path(one["file"]).stem for one in entries}
        return stem if stem not in stems else f"{stem}-{len(entries) + 1}"

    def add_text(self, name: str, title: str, lines: Iterable[str], published: str | None = None) -> None:
        """Write ``name.md``, and list it among the tables."""
        from intent.base.outputs import writing

        target = self.folder / f"{name}.md"
        with writing(target, overwrite=self.overwrite) as draft:
            draft.write_text("\n".join(lines) + "\n", encoding="utf8")
        self.tables.append({"name": name, "file": target.name, "title": title, "published": published})

    def attempt(self, name: str, make: Callable[[], None]) -> None:
        """Make a part; where the log cannot give it, list it with the reason."""
        try:
            make()
        except (UsageError, DataError, GameError, RecogniserError) as error:
            self.skip(name, str(error))

    def skip(self, name: str, why: str) -> None:
        """List a part that the log cannot give."""
        self.skipped.append({"name": name, "why": why})

    def note(self, text: str | None) -> None:
        """Warn the reader, once; None is nothing to warn of."""
        if text is not None and text not in self.notes:
            self.notes.append(text)

    def fields(self) -> dict[str, Any]:
        """As `codebook.JSON_OBJECTS` describes it."""
        return {
            "paper": self.paper,
            "path": str(self.folder),
            "tables": self.tables,
            "figures": self.figures,
            "verdicts": self.verdicts,
            "skipped": self.skipped,
            "notes": self.notes,
        }

    def parts(self) -> Iterator[Table | str]:
        """The files, and the verdicts."""
        listed = [("table", one) for one in self.tables] + [("figure", one) for one in self.figures]
        rows = [(kind, one["file"], one["title"], one["published"] or "") for kind, one in listed]
        yield Table(("kind", "file", "what", "published as"), rows)
        if self.verdicts:
            yield ""
            verdicts = [(v["hypothesis"], v["verdict"], v["published"], v["claim"]) for v in self.verdicts]
            yield Table(("hypothesis", "verdict", "published", "claim"), verdicts)

    def remarks(self) -> Iterator[str]:
        """What is missing, and where the files are."""
        for one in self.skipped:
            yield f"no {one['name']}: {one['why']}"
        yield f"wrote {len(self.tables) + len(self.figures)} files into {self.folder}"
