"""What the page of games needs to be told, declared once."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import UsageError
from intent.base.job import OVERWRITE, UPDATE, Positive, Within, argument, here, option
from intent.logs.leaving import Leaving
from intent.logs.reading import OTHERS, Reading

__all__ = ["ViewRequest"]


class ViewRequest(
    Reading, Leaving, job="view", function="intent.view.serve.view", progress="pages", detailed=True
):
    """Browse runs and games in a local page: filter, search, see why one has its label.

    The page reads only, and only this machine can reach it. Its address
    stands on standard output; the token in it keeps other users of the
    machine out. Ctrl+C ends it. With --bundle the same pages go to a
    folder instead, for a co-author or a web site.
    """

    source: "str | Path | Sequence[str | Path]" = argument(
        "Run (also while played), log, labels; several, or a folder of them: a list to start from.",
        words=list[Path],
        metavar="PATH...",
    )
    labels: "str | Path | None" = option(
        None, "Table of labels (default: they are made while the page is open).", words=Path | None
    )
    recogniser: str = option(
        DEFAULT_RECOGNISER, "What makes labels, where there is no table.", "-r", "--recogniser"
    )
    others: str | None = OTHERS
    port: Annotated[int, Within(0, 65535)] = option(0, "Port; 0 takes any that is free.")
    browser: bool = option(
        True, "Open no browser.", "--no-browser", words=bool, parse=lambda without: not without
    )
    token: bool = option(
        True,
        "Let every user of this machine read, at an address without token.",
        "--no-token",
        words=bool,
        parse=lambda without: not without,
    )
    bundle: "str | Path | None" = option(
        None, "Write the pages to a folder that opens without a server.", words=Path | None, metavar="FOLDER"
    )
    most: Positive = option(500, "Most games in the folder: the first ones.")
    leaving = here(Leaving)
    overwrite: bool = replace(OVERWRITE, only="")
    reading = here(Reading)
    update: Callable[..., None] = UPDATE
    ready: Callable[[str], None] = option(
        lambda address: None, "Called with the address once the page answers.", only="python"
    )

    def claim_outputs(self) -> None:
        """Refuse a folder that cannot be written, or settings of one where none is written.

        Raises
        ------
        OutputError, UsageError
        """
        if self.bundle is not None:
            from intent.base.outputs import claim

            claim(self.bundle, overwrite=self.overwrite)
            return
        for name in self.changed(("most", "overwrite", *Leaving.settings)):
            raise UsageError(f"--{name.replace('_', '-')} is of pages in a folder, expected --bundle FOLDER")

    def write_outputs(self, result: Any) -> list[Path]:
        """Nothing: the job writes the folder."""
        return []
