"""What a reader is: a source, the settings of the user, and two functions."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, located
from intent.files.text import TextFile, file_head, require_file
from intent.logs.delimited import header_of

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["Reader", "Settings", "Source"]

_STEM = 24


@dataclass(frozen=True)
class Settings:
    """How a user wants a foreign log to be read.

    Parameters
    ----------
    mapping : mapping of our column -> theirs
        For tidy files; the key ``by`` lists condition columns joined by ``+``.
    cooperate : str, optional
        The action that is cooperation, whatever the payoffs say; as users give it, perhaps with the other
        action behind a colon.
    payoff_kind : {"reward", "penalty"}, optional
        What the payoffs are, where the file is silent.
    game : str, optional
        The game, where the file does not name it.
    strict : bool
        Whether a row that cannot be read is an error.
    defect : str, optional
        The action that is defection, where the user names both; a row with a third one is rejected.
    """

    mapping: Mapping[str, str] = field(default_factory=dict)
    cooperate: str | None = None
    payoff_kind: str | None = None
    game: str | None = None
    strict: bool = False
    defect: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The settings that were given."""
        given = {
            "mapping": dict(self.mapping),
            "cooperate": self.cooperate,
            "payoff_kind": self.payoff_kind,
            "game": self.game,
            "strict": self.strict,
        }
        return {key: value for key, value in given.items() if value}


class Source:
    """A file or folder, opened as far as needed.

    Parameters
    ----------
    path : str or Path
        Of the folder of a run, the log in it.

    Attributes
    ----------
    kind : {"folder", "zip", "parquet", "text"}

    Raises
    ------
    DataError
        Nothing is there, an empty file, or a run that has not written its log.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if (self.path / "run.json").is_file():
            if (self.path / "log").is_dir():
                self.path = self.path / "log"
            elif (self.path / "run.sqlite").is_file():
                raise DataError(
                    located(self.path, "a run that has written no log, being killed, at play, or without a ")
                    + "finished game; intent resume goes on with it, intent export has the finished games"
                )
        if self.path.is_dir():
            self.kind = "folder"
            return
        head = file_head(require_file(self.path))
        if not head:
            raise DataError(f"{self.path.name}: empty file")
        self.kind = "parquet" if head.startswith(b"PAR1") else "zip" if head.startswith(b"PK") else "text"

    @cached_property
    def text(self) -> TextFile:
        """The text of the file."""
        return TextFile(self.path)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a table; empty where the source is none."""
        if self.kind == "text":
            return () if self.is_json else tuple(header_of(self.text)[0])
        if self.kind == "parquet":
            from intent.logs.readers.tidy_table import parquet_columns

            return parquet_columns(self.path)
        return ()

    @cached_property
    def sha256(self) -> str:
        """Of the file; of a folder, over names and contents of its files."""
        if self.kind == "text":
            return self.text.sha256
        digest = hashlib.sha256()
        files = (
            sorted(p for p in self.path.iterdir() if p.is_file()) if self.kind == "folder" else [self.path]
        )
        for file in files:
            if self.kind == "folder":
                digest.update(file.name.encode("utf-8", "surrogateescape") + b"\0")
            with file.open("rb") as stream:
                while chunk := stream.read(1024**2):
                    digest.update(chunk)
        return digest.hexdigest()

    @property
    def is_json(self) -> bool:
        """Whether the text begins like a JSON object."""
        return self.kind == "text" and self.text.data[:1] == b"{"

    @property
    def stem(self) -> str:
        """Name of the file without its suffixes, a long one cut and told apart by a hash of the name."""
        name = self.path.name
        for suffix in (".gz", ".csv", ".tsv", ".txt", ".jsonl", ".parquet", ".zip"):
            name = name.removesuffix(suffix)
        name = name or self.path.name
        if len(name) <= _STEM:
            return name
        return f"{name[:_STEM]}-{hashlib.sha256(os.fsencode(self.path.name)).hexdigest()[:8]}"


@dataclass(frozen=True)
class Reader:
    """One format of game logs.

    Parameters
    ----------
    name : str
    expects : str
        What a file of this format has, for people.
    recognises : callable of (Source, Settings) -> bool
    read : callable of (Source, Settings) -> GameLog
    """

    name: str
    expects: str
    recognises: Callable[[Source, Settings], bool]
    read: Callable[[Source, Settings], GameLog]
