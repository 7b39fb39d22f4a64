"""What a study's results gather: tables, figures, verdicts, what was left out and why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, GameError, RecogniserError, UsageError
from intent.workflows.json_values import json_values

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Collected"]

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
        from intent.logs.tablefile import write_table

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
        from intent.report.play_figures import write_play_figure
        from intent.workflows.result_files import data_line

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
        from intent.logs.output import writing

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
        """The object of ``intent results --json``, as `schema.JSON_OBJECTS` describes it."""
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
