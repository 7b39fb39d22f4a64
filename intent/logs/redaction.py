"""Taking the texts out of a log or a table of calls, so that the play can be passed on without them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from intent import schema
from intent.errors import UnknownNameError
from intent.logs.gamelog import GameLog
from intent.logs.tables import TEXT

__all__ = ["KINDS", "MARKS", "Redaction", "redact_calls", "redact_log"]

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

_OWN = {c.name for c in schema.MOVES}


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
    taken: dict[str, list[str]] = {}
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
            kept = table[column].astype(TEXT).where(texts.isna(), marked)
            new[column] = kept
        if new:
            tables[name] = table.assign(**new)
            taken[name] = list(new)
    provenance = dict(log.provenance)
    if "prompts" in redaction.texts:
        provenance = {k: v for k, v in provenance.items() if k in _FACTS or isinstance(v, int | float)}
    provenance["redaction"] = {
        **provenance.get("redaction", {}),
        "kinds": list(redaction.kinds),
        "mark": redaction.mark,
        "columns": taken,
        "cells": cells,
    }
    return GameLog(
        tables["games"], tables["seats"], tables["moves"], tables.get("questions"), provenance=provenance
    )


def redact_calls(calls: pd.DataFrame, redaction: Redaction) -> pd.DataFrame:
    """The table of calls without the texts; columns that must have a value get an empty text for none."""
    required = {c.name for c in schema.CALLS if c.required}
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
    columns: Sequence[schema.Column] = [c for table in schema.TABLES.values() for c in table]
    return {c.name for c in columns if c.required} | {
        "action", "payoffs", "payoff_kind", "cooperative_action", "game"
    }  # fmt: skip
