"""Names of subjects replaced by keyed hashes, the same for the same name wherever it stands."""

from __future__ import annotations

import hashlib
import re
import secrets
from pathlib import Path
from typing import Any

import pandas as pd

from intent.errors import DataError, located
from intent.files.text import file_head
from intent.logs.gamelog import GameLog
from intent.logs.tables import TEXT

__all__ = ["Pseudonyms", "read_key"]

_SHORTEST, _LONGEST = 16, 64
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
        found = {name: self.name(kind, str(name)) for name in names.dropna().unique()}
        return pd.Series([found.get(name) for name in names.astype(object)], index=names.index, dtype=TEXT)

    def references(self, texts: pd.Series[Any], games: pd.Series[Any]) -> pd.Series[Any]:
        """References such as ``game/round/seat/attempt`` by the games' pseudonyms; other texts stay."""
        found = []
        for text, game in zip(texts.astype(object), games.astype(object), strict=True):
            before, own, place = text.partition(f"{game}/") if isinstance(text, str) else ("", "", "")
            if own and _BEFORE.fullmatch(before) and _PLACE.fullmatch(place):
                text = f"{before}{self.name('g', str(game))}/{place}"
            found.append(text if isinstance(text, str) else None)
        return pd.Series(found, index=texts.index, dtype=TEXT)


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
