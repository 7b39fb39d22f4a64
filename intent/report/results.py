"""All tables and figures of a published study from one log: a registry, and the door to it.

What a study's results gather: tables, figures, verdicts, what was left out and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, GameError, RecogniserError, UnknownNameError, UsageError
from intent.base.experiments import experiment_code, experiments
from intent.base.json_text import json_values
from intent.base.registry import load, points
from intent.estimate.intervals import check_bootstrap

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog


__all__ = ["CODE", "ENTRY_POINTS", "IMAGES", "Collected", "papers", "results"]


ENTRY_POINTS = "intent.results"
"""Group of entry points of studies: a function of (log, folder, *, seed, bootstrap, image, overwrite)."""

CODE = "results"
"""Module of an experiment that has such a function, `write_results`."""

IMAGES = ("png", "svg", "pdf")


def papers() -> list[str]:
    """Names of the studies: ours, those in the user's folders of experiments, those of other packages."""
    return list(dict.fromkeys((*experiments(CODE), *points(ENTRY_POINTS))))


def results(
    source: GameLog | str | Path,
    paper: str | Path,
    folder: str | Path,
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    bootstrap: int = 2000,
    image: str = "png",
    overwrite: bool = False,
    **reading: Any,
) -> dict[str, Any]:
    """Write every table and figure of a study, made from a log.

    What the log cannot give is listed with the reason, and keeps nothing else from being made.

    Parameters
    ----------
    source : GameLog, the path of a log in any format that `read_log` knows, or the folder of a run
    paper : one of `papers`, or the Path of a folder of an experiment with a module ``results``
        The code in it is run; so a text, which may come from a file of somebody else's, is a name only.
    folder : path
        Files of the study are written into it.
    where : mapping of column -> accepted values, optional
    seed : int
    bootstrap : int
        Samples of intervals and tests.
    image : {"png", "svg", "pdf"}
    overwrite : bool
    **reading
        Passed to `read_log` where `source` is the path of a log.

    Returns
    -------
    dict, as `codebook.JSON_OBJECTS` describes ``results``

    Raises
    ------
    UnknownNameError
        No such study or kind of image.
    UsageError
        No game left; no such folder of an experiment, or one that came with the log.
    OutputError
        The folder cannot be written into, or holds a file of that name and `overwrite` is false.
    """
    from intent.base.output import claim
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.logs.run_folder import is_run
    from intent.logs.selection import narrowed

    write = _writer(paper, source)
    if image not in IMAGES:
        raise UnknownNameError("kind of image", image, IMAGES)
    check_bootstrap(bootstrap)
    target = claim(folder, overwrite=True, into=True)
    if isinstance(source, GameLog):
        log = source
    else:
        log = read_log(Path(source) / "log" if is_run(source) else source, **reading)
    made: dict[str, Any] = write(
        narrowed(log, where or {}),
        target,
        seed=seed,
        bootstrap=bootstrap,
        image=image,
        overwrite=overwrite,
    )
    return made


def _writer(paper: str | Path, source: GameLog | str | Path) -> Callable[..., dict[str, Any]]:
    """What writes the results of a study that is named, or whose folder is.

    Raises
    ------
    UnknownNameError, UsageError
    """
    if isinstance(paper, Path):
        folder = paper.resolve()
        if isinstance(source, str | Path) and folder.is_relative_to(Path(source).resolve()):
            raise UsageError(f"{paper}: code that came with the log is not run, expected your own")
        made = experiment_code(folder, CODE)
    elif paper in experiments(CODE):
        made = experiment_code(paper, CODE)
    elif paper in points(ENTRY_POINTS):
        write: Callable[..., dict[str, Any]] = load(points(ENTRY_POINTS)[paper])
        return write
    else:
        raise UnknownNameError("paper", paper, papers())
    if not callable(getattr(made, "write_results", None)):
        raise UsageError(f"{made.__file__}: has no function write_results")
    own: Callable[..., dict[str, Any]] = made.write_results
    return own


_LONGEST = 100
"""Characters of a file's stem."""


@dataclass
class Collected:
    """The files of a study as they are made.

    Parameters
    ----------
    paper : str
    folder : Path
    facts : mapping
        Where the log comes from, seed, version: kept with every file.
    image : {"png", "svg", "pdf"}
    overwrite : bool
    """

    paper: str
    folder: Path
    facts: Mapping[str, Any]
    image: str = "png"
    overwrite: bool = False
    tables: list[dict[str, Any]] = field(default_factory=list)
    figures: list[dict[str, Any]] = field(default_factory=list)
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def table(self, name: str, rows: pd.DataFrame, title: str, published: str | None = None) -> None:
        """Write ``name.csv`` with its companion, and list it.

        Raises
        ------
        OutputError
            The file exists and may not be replaced, or cannot be written.
        """
        from intent.base.tables import write_table

        facts = {"kind": "results", "paper": self.paper, "title": title, **self.facts}
        target = self.folder / f"{self._stem(name, self.tables)}.csv"
        made = write_table(rows, target, facts, overwrite=self.overwrite)
        self.tables.append({"name": name, "file": made.name, "title": title, "published": published})

    def figure(
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
            As `table`.
        """
        from intent.base.result import data_line
        from intent.figures.style import write_play_figure

        made = write_play_figure(
            draw,
            self.folder / f"{self._stem(name, self.figures)}.{self.image}",
            title=title,
            lines=[*lines, data_line(self.facts.get("source"))],
            description=json.dumps({"paper": self.paper, **self.facts}, ensure_ascii=True, default=str),
            overwrite=self.overwrite,
        )
        self.figures.append({"name": name, "file": made.name, "title": title, "published": published})

    def _stem(self, name: str, made: list[dict[str, Any]]) -> str:
        """A file name of its own, whatever the log calls the architectures that are part of it."""
        stem = re.sub(r"[^\w-]+", "_", name)[:_LONGEST]
        taken = {Path(one["file"]).stem for one in made}
        return stem if stem not in taken else f"{stem}-{len(made) + 1}"

    def text(self, name: str, title: str, lines: Iterable[str], published: str | None = None) -> None:
        """Write ``name.md``, and list it among the tables."""
        from intent.base.output import writing

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

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent results --json``, as `codebook.JSON_OBJECTS` describes it."""
        made: dict[str, Any] = json_values(
            {
                "paper": self.paper,
                "path": str(self.folder),
                "tables": self.tables,
                "figures": self.figures,
                "verdicts": self.verdicts,
                "skipped": self.skipped,
                "notes": self.notes,
            }
        )
        return made
