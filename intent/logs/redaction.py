"""What an export leaves out: texts, and the names of subjects, with one key for both.

Taking the texts out of a log or a table of calls, so that the play can be passed on without them.

Names of subjects replaced by keyed hashes, the same for the same name wherever it stands.

Paths of this machine taken out of where a log says that it comes from.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pandas as pd

from intent.base import codebook
from intent.base.errors import DataError, UnknownNameError, UsageError, located
from intent.base.files import file_head
from intent.base.masking import mask_values
from intent.base.tables import TEXT
from intent.base.wording import listed
from intent.logs.gamelog import GameLog

__all__ = [
    "KINDS",
    "MARKS",
    "Pseudonyms",
    "Redaction",
    "Without",
    "leaving_out",
    "read_key",
    "redact_calls",
    "redact_log",
    "renamed_references",
    "without_places",
]


@dataclass(frozen=True)
class Without:
    """Leaves out of logs and tables of calls what an export is not to have.

    Parameters
    ----------
    redaction : Redaction, optional
    pseudonyms : Pseudonyms, optional
    own_key : bool
        Whether their key was drawn for this export, and is kept nowhere.
    """

    redaction: Redaction | None
    pseudonyms: Pseudonyms | None
    own_key: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What follows for names and hashes where the key ends with the export."""
        hashed = self.redaction is not None and self.redaction.mark == "hash"
        names = [*(["pseudonyms"] if self.pseudonyms else []), *(["hashes"] if hashed else [])]
        if not names or not self.own_key:
            return ()
        return (
            f"{listed(names)} are by a key that was drawn for this export and is kept nowhere: the next "
            "export has others, and nobody can match the two; --key FILE makes them alike",
        )

    def log(self, log: GameLog) -> GameLog:
        """The log without it."""
        log = log if self.redaction is None else redact_log(log, self.redaction)
        return log if self.pseudonyms is None else self.pseudonyms.log(log)

    def calls(self, calls: pd.DataFrame) -> pd.DataFrame:
        """The table of calls without it."""
        calls = calls if self.redaction is None else redact_calls(calls, self.redaction)
        return calls if self.pseudonyms is None else self.pseudonyms.calls(calls)


def leaving_out(
    redact: Sequence[str], redact_as: str = "length", pseudonyms: bool = False, key: str | Path | None = None
) -> Without:
    """What the options of an export say.

    Parameters
    ----------
    redact : sequence of str
        Kinds of text or names of columns, also several in one by commas.
    redact_as : {"length", "hash", "null"}
    pseudonyms : bool
    key : path, optional

    Raises
    ------
    UsageError
        An empty name.
    UnknownNameError
        A mark that is none.
    DataError
        The key cannot be read.
    """
    kinds = tuple(dict.fromkeys(name.strip() for item in redact for name in item.split(",")))
    if "" in kinds:
        raise UsageError(f"--redact {','.join(redact)!r}, expected kinds of text cut by commas")
    secret = read_key(key)
    return Without(
        Redaction(kinds, redact_as, secret) if kinds else None,
        Pseudonyms(secret) if pseudonyms else None,
        own_key=key is None,
    )


def without_places(log: GameLog) -> GameLog:
    """The log as it may leave: no path of this machine and no key that is known here in where it is from.

    Of a path its last name stays, of the log of a run the run's too.
    """
    games = log.games
    if (sources := games["source"]).notna().any():
        names = {text: _without_folders(text) for text in sources.dropna().unique()}
        games = games.assign(source=sources.map(names).where(sources.notna(), None))
    provenance = mask_values(_shared(log.provenance, ""))
    return GameLog(games, log.seats, log.moves, log.questions, provenance=provenance, rejects=log.rejects)


def _shared(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return {name: _shared(inside, str(name)) for name, inside in value.items()}
    if isinstance(value, list | tuple):
        return [_shared(inside, key) for inside in value]
    if isinstance(value, str):
        return _last_names(value) if key == "source" else _without_folders(value)
    return value


def _without_folders(text: str) -> str:
    """The text, of a path from the root or from home its last name."""
    if len(text) > _LONGEST_PATH or "\n" in text:
        return text
    whole = text.startswith("~") or PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute()
    return _last_names(text) if whole and len(PureWindowsPath(text).parts) > 1 else text


def _last_names(text: str) -> str:
    parts = PureWindowsPath(text).parts
    return "/".join(parts[-2:] if parts[-1:] == ("log",) else parts[-1:]) or text


KINDS: dict[str, tuple[str, ...]] = {
    "messages": ("messages", "replies", "prompts"),
    "reasoning": ("reasoning", "replies", "prompts"),
    "private": ("private", "replies", "prompts"),
    "prompts": ("prompts",),
    "replies": ("messages", "reasoning", "private", "replies", "prompts"),
    "all": ("messages", "reasoning", "private", "replies", "prompts"),
}
"""What a user asks for -> kinds of text that go.

A reply holds the message, the private passage and often the reasoning; a prompt holds earlier replies and
messages. So what is asked for takes along the columns that repeat it."""

MARKS = ("length", "hash", "null")
"""What stands where a text was: its length, a keyed hash that is the same for the same text, or nothing."""

_COLUMNS: dict[str, dict[str, tuple[str, ...]]] = {
    "moves": {
        "messages": ("message",),
        "reasoning": ("reasoning",),
        "private": ("private_thought",),
        "replies": ("reply",),
        "prompts": ("prompt",),
    },
    "questions": {"replies": ("answer", "parsed", "reply")},
    "calls": {
        "reasoning": ("reasoning",),
        "replies": ("text", "tool_calls", "failures"),
        "prompts": ("body",),
    },
}
"""Table -> kind of text -> its columns. The moves' details, which may hold transcripts, go with any."""

_FACTS = {
    *("generator", "intent_run", "run", "version", "created", "name", "journal"),
    *("source", "format", "sha256", "settings", "origin", "notes", "columns", "redaction"),
}
"""What stays of a log's provenance beside numbers; an experiment has personas and wording."""

_OWN = {c.name for c in codebook.MOVES}


@dataclass(frozen=True)
class Redaction:
    """What is taken out, and what stands in its place.

    Parameters
    ----------
    kinds : tuple of str
        Keys of `KINDS`; other names are columns of any table.
    mark : str
        One of `MARKS`.
    key : bytes
        Of the hashes; who has it can tell whether a given text was there.
    """

    kinds: tuple[str, ...]
    mark: str = "length"
    key: bytes = b""

    def __post_init__(self) -> None:
        if self.mark not in MARKS:
            raise UnknownNameError("mark", self.mark, MARKS)

    @property
    def texts(self) -> tuple[str, ...]:
        """Kinds of text that go."""
        return tuple(dict.fromkeys(text for kind in self.kinds for text in KINDS.get(kind, ())))

    @property
    def columns(self) -> tuple[str, ...]:
        """Further columns that the user named."""
        return tuple(kind for kind in self.kinds if kind not in KINDS)

    def marked(self, texts: pd.Series[Any]) -> pd.Series[Any]:
        """The column with marks in place of its texts; null and the empty text stay."""
        words = texts.astype(object).where(texts.notna(), None)
        return pd.Series([self._mark(word) for word in words], index=texts.index, dtype=TEXT)

    def _mark(self, text: object) -> str | None:
        if text is None or text == "" or (self.mark == "null"):
            return "" if text == "" else None
        if self.mark == "length":
            return f"⟨redacted {len(str(text)):,} characters⟩"
        data = str(text).encode("utf-8", "surrogatepass")
        return f"⟨redacted {hashlib.blake2b(data, key=self.key[:64], digest_size=8).hexdigest()}⟩"


def redact_log(log: GameLog, redaction: Redaction) -> GameLog:
    """The log without the texts; what was taken out stands in its provenance.

    References to calls of a run (``game/round/seat/attempt``) are no texts and stay. ``all`` also takes
    columns of texts that the moves have beyond the codebook. With the prompts the experiment
    leaves the provenance.

    Parameters
    ----------
    log : GameLog
    redaction : Redaction

    Raises
    ------
    UnknownNameError
        A column that no table has, or one that the log is made of.
    """
    tables = log.tables()
    removed: dict[str, list[str]] = {}
    cells = 0
    for name in redaction.columns:
        _check_column(name, tables)
    for name, table in tables.items():
        chosen = _chosen(name, table, redaction)
        new = {}
        for column in chosen:
            texts = table[column]
            if column in ("reply", "prompt"):
                texts = texts.mask(_references(table, column))
            marked = redaction.marked(texts)
            if column == "details":
                marked = marked.where(marked.isna(), None)
            cells += int(texts.notna().sum())
            redacted = table[column].astype(TEXT).where(texts.isna(), marked)
            new[column] = redacted
        if new:
            tables[name] = table.assign(**new)
            removed[name] = list(new)
    provenance = dict(log.provenance)
    if "prompts" in redaction.texts:
        provenance = {k: v for k, v in provenance.items() if k in _FACTS or isinstance(v, int | float)}
    provenance["redaction"] = {
        **provenance.get("redaction", {}),
        "kinds": list(redaction.kinds),
        "mark": redaction.mark,
        "columns": removed,
        "cells": cells,
    }
    return GameLog(
        tables["games"], tables["seats"], tables["moves"], tables.get("questions"), provenance=provenance
    )


def redact_calls(calls: pd.DataFrame, redaction: Redaction) -> pd.DataFrame:
    """The table of calls without the texts; columns that must have a value get an empty text for none."""
    required = {c.name for c in codebook.CALLS if c.required}
    new = {}
    for column in _chosen("calls", calls, redaction):
        marked = redaction.marked(calls[column])
        new[column] = marked.fillna("") if column in required else marked
    return calls.assign(**new)


def _chosen(name: str, table: pd.DataFrame, redaction: Redaction) -> list[str]:
    """Columns of a table that go."""
    chosen = [c for kind in redaction.texts for c in _COLUMNS.get(name, {}).get(kind, ())]
    if name == "moves" and redaction.texts:
        chosen.append("details")
    if name == "moves" and "all" in redaction.kinds:
        chosen += [str(c) for c in table if c not in _OWN and _is_text(table[c])]
    chosen += redaction.columns
    return [c for c in dict.fromkeys(chosen) if c in table]


def _is_text(column: pd.Series[Any]) -> bool:
    return bool(
        column.dtype == TEXT
        or isinstance(column.dtype, pd.CategoricalDtype)
        or pd.api.types.is_object_dtype(column.dtype)
    )


def _references(table: pd.DataFrame, column: str) -> pd.Series[bool]:
    """Whether each cell refers to a stored call of its own game."""
    texts, games = table[column], table["game_id"]
    return pd.Series(
        [
            isinstance(text, str) and text.startswith(f"{game}/") and _is_place(text[len(str(game)) + 1 :])
            for text, game in zip(texts.tolist(), games.tolist(), strict=True)
        ],
        index=table.index,
    )


def _is_place(text: str) -> bool:
    parts = text.split("/")
    return len(parts) == 3 and all(part.isascii() and part.isdecimal() and len(part) < 8 for part in parts)


def _check_column(name: str, tables: Mapping[str, pd.DataFrame]) -> None:
    """Refuse columns that are not there, and those without which it would be no log."""
    free: Collection[str] = {
        str(c) for table in tables.values() for c in table if _is_text(table[c])
    } - _needed()
    if name not in free:
        raise UnknownNameError("text to redact", name, [*KINDS, *sorted(free)])


def _needed() -> set[str]:
    columns: Sequence[codebook.Column] = [c for table in codebook.TABLES.values() for c in table]
    return {c.name for c in columns if c.required} | {
        "action", "payoffs", "payoff_kind", "cooperative_action", "game"
    }  # fmt: skip


_SHORTEST, _LONGEST = 16, 64
_LONGEST_PATH = 4_096
_BEFORE = re.compile(r"(?:\d+/)?", re.ASCII)
_PLACE = re.compile(r"\d{1,7}/\d{1,7}/\d{1,7}", re.ASCII)


def read_key(path: str | Path | None) -> bytes:
    """The key of the hashes: the contents of a file, or new random bytes that are kept nowhere.

    Raises
    ------
    DataError
        The file is not there, or holds fewer than 16 or more than 1,000,000 bytes.
    """
    if path is None:
        return secrets.token_bytes(32)
    data = file_head(path, 1_000_001).strip()
    if not _SHORTEST <= len(data) <= 1_000_000:
        raise DataError(located(path, f"a key of {len(data):,} bytes, expected {_SHORTEST} to 1,000,000"))
    return data if len(data) <= _LONGEST else hashlib.blake2b(data).digest()


class Pseudonyms:
    """Replaces subjects and what is called after them; models keep their names.

    1. A player gets ``s-`` and sixteen hexadecimal digits, unless its name is that of a model of the log.
    2. A column of texts of which every value is a subject's name gets the same pseudonyms.
    3. Games get ``g-…``, for a game's name may hold its players'; so do the references to its calls. Sessions
       of an experiment (column session) get ``r-…``.

    Parameters
    ----------
    key : bytes
        As `read_key`; with another key the pseudonyms are others.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def name(self, kind: str, text: str) -> str:
        """The pseudonym of one text: ``s`` for subjects, ``g`` for games, ``r`` for sessions."""
        data = f"{kind}\0{text}".encode("utf-8", "surrogatepass")
        return f"{kind}-{hashlib.blake2b(data, key=self._key[:_LONGEST], digest_size=8).hexdigest()}"

    def log(self, log: GameLog) -> GameLog:
        """The log under pseudonyms; its provenance says so, and no longer where the file lay."""
        tables = log.tables()
        models = set(tables["seats"]["model"].dropna().unique())
        players = set(tables["seats"]["player"].dropna().unique()) - models
        for name, table in tables.items():
            new: dict[str, Any] = {"game_id": self._renamed("g", table["game_id"])}
            for column in ("reply", "prompt"):
                if column in table:
                    new[column] = self.references(table[column], table["game_id"])
            for column in map(str, table.columns):
                if column not in new and (column == "player" or _holds_only(table[column], players)):
                    of_model = table[column].isin(models)
                    new[column] = self._renamed("s", table[column]).mask(of_model, table[column])
            if name == "games" and "session" in table:
                new["session"] = self._renamed("r", table["session"])
            tables[name] = table.assign(**new)
        provenance = {**log.provenance}
        for key in ("source", "origin", "sha256"):
            provenance.pop(key, None)
        provenance["redaction"] = {**provenance.get("redaction", {}), "pseudonyms": True}
        return GameLog(
            tables["games"], tables["seats"], tables["moves"], tables.get("questions"), provenance=provenance
        )

    def calls(self, calls: pd.DataFrame) -> pd.DataFrame:
        """A table of calls whose games have the pseudonyms that they have in the log."""
        new: dict[str, Any] = {
            column: self.references(calls[column], calls["game_id"])
            for column in ("reference", "draw")
            if column in calls
        }
        return calls.assign(**new, game_id=self._renamed("g", calls["game_id"]))

    def _renamed(self, kind: str, names: pd.Series[Any]) -> pd.Series[Any]:
        names_of = {name: self.name(kind, str(name)) for name in names.dropna().unique()}
        return pd.Series([names_of.get(name) for name in names.astype(object)], index=names.index, dtype=TEXT)

    def references(self, texts: pd.Series[Any], games: pd.Series[Any]) -> pd.Series[Any]:
        """References such as ``game/round/seat/attempt`` by the games' pseudonyms; other texts stay."""
        return renamed_references(texts, games, lambda game: self.name("g", game))


def renamed_references(
    texts: pd.Series[Any], games: pd.Series[Any], name: Callable[[str], str]
) -> pd.Series[Any]:
    """References such as ``game/round/seat/attempt`` under another name of the game; other texts stay.

    Parameters
    ----------
    texts : column of texts
    games : the game that each is of
    name : from the name of a game to its new one
    """
    new = []
    for text, game in zip(texts.astype(object), games.astype(object), strict=True):
        before, own, place = text.partition(f"{game}/") if isinstance(text, str) else ("", "", "")
        if own and _BEFORE.fullmatch(before) and _PLACE.fullmatch(place):
            text = f"{before}{name(str(game))}/{place}"
        new.append(text if isinstance(text, str) else None)
    return pd.Series(new, index=texts.index, dtype=TEXT)


def _holds_only(column: pd.Series[Any], names: set[str]) -> bool:
    """Whether a column of texts holds names of subjects and nothing else."""
    if (
        column.name in ("game_id", "action", "status")
        or not names
        or pd.api.types.is_numeric_dtype(column.dtype)
    ):
        return False
    values = set(column.dropna().unique())
    return bool(values) and values <= names
