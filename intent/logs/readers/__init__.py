"""Readers of foreign logs, by name, and the one door to them: `read_log`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.base.errors import DataError, UnknownNameError, located, shorten
from intent.base.registry import load, point, points
from intent.logs.gamelog import GameLog
from intent.logs.readers import fairgame, gamelog, inspect_eval, otree, pairs, tidy
from intent.logs.readers import gamelog as compact
from intent.logs.readers.reader import Reader, Settings, Source, parse_mapping
from intent.logs.readers.stages import named_kind

__all__ = ["ENTRY_POINTS", "READERS", "read_log", "reader", "told_provenance"]

READERS: dict[str, Reader] = {
    r.name: r
    for r in (
        compact.COMPACT_READER,
        inspect_eval.READER,
        gamelog.READER,
        otree.READER,
        fairgame.READER,
        pairs.READER,
        tidy.READER,
    )
}
"""The readers in the order in which they are asked whether a file is theirs."""

ENTRY_POINTS = "intent.readers"
"""Group of entry points by which other packages add readers; each one loads a `Reader`."""


VERSION_KEY = b'"intent_log"'
"""What every line of a log of our own has."""

_HEAD = 4096


def reader(name: str) -> Reader:
    """The reader of a format.

    Raises
    ------
    UnknownNameError
    """
    if name in READERS:
        return READERS[name]
    there = point(ENTRY_POINTS, name)
    if there is None:
        raise UnknownNameError("format", name, ["auto", *READERS, *points(ENTRY_POINTS)])
    loaded = load(there)
    if not isinstance(loaded, Reader):
        raise DataError(
            f"entry point {name!r} of group {ENTRY_POINTS} is {shorten(loaded)}, expected a Reader"
        )
    return loaded


def read_log(
    path: str | Path,
    *,
    format: str = "auto",
    mapping: Mapping[str, str] | str | None = None,
    cooperate: str | None = None,
    payoff_kind: str | None = None,
    game: str | None = None,
    strict: bool = False,
) -> GameLog:
    """Read a game log of any known format.

    Parameters
    ----------
    path : str or Path
        A file (plain or gzip) or the folder of one of our own logs.
    format : str
        Name of a reader, or ``auto`` to recognise it; the log's provenance says which it was.
    mapping : mapping, str or None
        Columns of a tidy file, our name -> theirs: a mapping, ``"ours=theirs,…"``, or the path of a
        YAML file. The key ``by`` lists condition columns joined by ``+``.
    cooperate : str, optional
        The action that is cooperation, whatever the payoffs say: ``ACTION``, or both actions as
        ``COOPERATING:DEFECTING``, which rejects rows with any other.
    payoff_kind : {"reward", "penalty"}, optional
        What the payoffs are, where the file does not say.
    game : str, optional
        The game, where the file does not name it.
    strict : bool
        Stop at the first row that cannot be read, instead of listing it in ``rejects``.

    Returns
    -------
    GameLog

    Raises
    ------
    DataError
        The file cannot be read, is of no known format, or does not tell what an option has to.
    UnknownNameError
        A format, game or action that is not there.
    """
    if game is not None:
        named_kind(game)
    source = Source(path)
    settings = Settings(parse_mapping(mapping), cooperate, payoff_kind, game, strict)
    chosen = _recognised(source, settings) if format == "auto" else reader(format)
    log = chosen.read(source, settings)
    log.provenance = told_provenance(log.provenance, source, chosen.name, settings)
    return log


def told_provenance(
    stored: Mapping[str, Any], source: Source, format: str, settings: Settings
) -> dict[str, Any]:
    """What a log says of its origin once it is read: the facts stored with it, and where it was read from."""
    facts = {
        "source": str(source.path),
        "format": format,
        "sha256": source.sha256,
        "settings": settings.to_json(),
    }
    older = {key: stored[key] for key in facts if key in stored}
    return {**stored, **facts, **({"origin": older} if older else {})}


def _recognised(source: Source, settings: Settings) -> Reader:
    unread: DataError | None = None
    joined = [name for name in points(ENTRY_POINTS) if name not in READERS]
    if (
        source.is_json and VERSION_KEY not in source.text.data[:_HEAD]
    ):  # ours would take any object for a game
        for name in joined:
            if reader(name).recognises(source, settings):
                return reader(name)
    try:
        for candidate in READERS.values():
            if candidate.recognises(source, settings):
                return candidate
    except DataError as error:  # no table of ours, but an outsider may know the file
        unread = error
    for name in joined:
        if reader(name).recognises(source, settings):
            return reader(name)
    if unread is not None:
        raise unread
    known = "; ".join(f"{r.name}: {r.expects}" for r in READERS.values())
    got = f"columns {shorten(', '.join(source.columns))}" if source.columns else source.kind
    raise DataError(located(source.path, f"no known format ({got}); expected {known}"))
