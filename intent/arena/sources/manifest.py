"""The manifest of a file of strategies: where each came from, for machines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intent.arena.entrant import Entrant
from intent.errors import DataError, located, shorten
from intent.logs.jsonfile import read_object

__all__ = ["FORMAT", "manifest_path", "manifest_text", "read_manifest"]

FORMAT = "intent-strategies"
_VERSION = 1
_PER_STRATEGY = "strategies"


def manifest_path(path: str | Path) -> Path:
    """``set.manifest.json`` beside ``set.py``."""
    return Path(path).with_suffix(".manifest.json")


def manifest_text(file: str, text: str, entrants: Sequence[Entrant], facts: Mapping[str, Any]) -> str:
    """The manifest as JSON.

    Parameters
    ----------
    file : str, name of the file of strategies
    text : str, what it holds
    entrants : sequence of Entrant
    facts : mapping
        What is known of the set: model, code_model, style, noise, game, attitudes, … Under ``strategies``
        what is known of single ones: name -> mapping (attempt, words and code as references of calls, …).

    Returns
    -------
    str
        Keys format, version, file, sha256, the facts, and strategies: a list of name, attitude, digest
        (SHA-256 of the source), and what is known of it.
    """
    known = dict(facts)
    single = dict(known.pop(_PER_STRATEGY, {}))
    rows = [
        {"name": e.name, "attitude": e.group, "digest": e.digest, **dict(single.get(e.name, {}))}
        for e in entrants
    ]
    found = {
        "format": FORMAT,
        "version": _VERSION,
        "file": file,
        "sha256": hashlib.sha256(text.encode("utf8")).hexdigest(),
        **known,
        _PER_STRATEGY: rows,
    }
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def read_manifest(path: str | Path) -> dict[str, Any]:
    """The manifest beside a file of strategies, or a manifest itself.

    Raises
    ------
    DataError
        It is not there, too large, or no manifest.
    """
    given = Path(path)
    target = given if given.suffix == ".json" else manifest_path(given)
    found = read_object(target, "a manifest")
    if found.get("format") != FORMAT:
        raise DataError(located(target, f"no manifest of strategies: expected format {FORMAT!r}"))
    if found.get("version") != _VERSION:
        got = shorten(found.get("version"))
        raise DataError(located(target, f"version {got} of a manifest, expected {_VERSION}"))
    return found
