"""A log to be passed on: its Parquet tables with a data card and Croissant metadata.

Three parts lie in the folder: the tables as `ParquetLogWriter` writes them, ``README.md`` for people (and for
hubs, which read its first lines), and ``croissant.json`` for machines: files with their hashes, columns with
type and meaning. Both are made of the log and of the `Card`.

References
----------
MLCommons 2024, Croissant Format Specification 1.0, http://mlcommons.org/croissant/1.0.

Gebru et al. 2021, Datasheets for datasets, Communications of the ACM 64(12), 86-92.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
import pyarrow as pa

from intent.base import codebook
from intent.base.binary import parquet_schema
from intent.base.errors import UsageError, one_line, shorten
from intent.base.outputs import writing
from intent.logs.gamelog import GameLog
from intent.logs.readers.reader import add_contents
from intent.logs.stores import FACTS, write_parquet
from intent.version import __version__

__all__ = ["CONTEXT", "Card", "card_text", "croissant", "licence_address", "missing", "write_dataset"]

CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The JSON-LD context of Croissant 1.0."""

_LICENCES = (
    "Apache-2.0", "BSD-3-Clause", "CC-BY-4.0", "CC-BY-NC-4.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-4.0",
    "CC-BY-ND-4.0", "CC-BY-SA-4.0", "CC0-1.0", "CDLA-Permissive-2.0", "MIT", "ODbL-1.0", "ODC-By-1.0",
    "PDDL-1.0",
)  # fmt: skip
"""Licences by their SPDX identifier, whose text has an address."""

_KEYS = {
    "games": ("game_id",),
    "seats": ("game_id", "seat"),
    "moves": ("game_id", "round", "step", "seat"),
}
"""Table -> columns that tell its rows apart."""


@dataclass(frozen=True)
class Card:
    """What only the person knows who passes a log on.

    Parameters
    ----------
    licence : str
        An SPDX identifier such as ``CC-BY-4.0``, an address, or words.
    title, description : str
        Where empty, they are made of the log.
    creators : tuple of str
    url : str
        Where the data set is to be found.
    citation : str
        How it is to be cited.
    published : str
        Date, as ``2026-01-31``.
    """

    licence: str
    title: str = ""
    description: str = ""
    creators: tuple[str, ...] = ()
    url: str = ""
    citation: str = ""
    published: str = ""

    def __post_init__(self) -> None:
        if not self.licence.strip():
            raise UsageError(
                "a data card says who may use the data how: expected --licence, such as CC-BY-4.0, an "
                "address, or 'all rights reserved'"
            )
        if self.published and not re.fullmatch(r"\d{4}-\d\d-\d\d", self.published, re.ASCII):
            raise UsageError(f"--published {shorten(self.published)!r}, expected a date such as 2026-01-31")
        if self.url and not re.match(r"https?://\S+$", self.url):
            raise UsageError(
                f"--url {shorten(self.url)!r}, expected an address such as https://example.org/games"
            )


def missing(card: Card) -> tuple[str, ...]:
    """What Croissant asks of every data set and the card does not say, as options."""
    options = {"--creator": card.creators, "--url": card.url}
    return tuple(option for option, value in options.items() if not value)


def write_dataset(log: GameLog, path: str | Path, card: Card, *, overwrite: bool = False) -> int:
    """Write a log as a folder of Parquet files with ``README.md`` and ``croissant.json``.

    `intent.read_log` reads the folder as the log that it was.

    Parameters
    ----------
    log : GameLog
    path : path of the folder
    card : Card
    overwrite : bool

    Returns
    -------
    int
        Games written.

    Raises
    ------
    OutputError
        The path cannot be written, or a column is of a type that no store keeps.
    """
    title = card.title.strip() or one_line(Path(path).name) or "games"
    with writing(path, overwrite=overwrite) as draft:
        write_parquet(log, draft)
        files = [draft / FACTS, *(draft / f"{name}.parquet" for name in log.tables())]
        described = croissant(log, card, title, files)
        text = json.dumps(described, ensure_ascii=False, indent=1) + "\n"
        (draft / "croissant.json").write_text(text, encoding="utf-8")
        (draft / "README.md").write_text(card_text(log, card, title, files), encoding="utf-8")
    return len(log)


def licence_address(licence: str) -> str | None:
    """Where the text of a licence is, None where its name does not tell."""
    if re.match(r"https?://\S+$", licence.strip()):
        return licence.strip()
    known = next((name for name in _LICENCES if name.casefold() == licence.strip().casefold()), None)
    return None if known is None else f"https://spdx.org/licenses/{known}"


def croissant(log: GameLog, card: Card, title: str, files: Sequence[Path]) -> dict[str, Any]:
    """The Croissant description of a written log.

    Parameters
    ----------
    log : GameLog
    card : Card
    title : str
    files : paths of its members, as they are written
    """
    described: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": title,
        "description": card.description.strip() or _described(log),
        "license": licence_address(card.licence) or one_line(card.licence),
        "datePublished": card.published,
        "version": "1.0.0",
        "keywords": ["repeated games", "strategic behaviour", *_names(log.games["game"])],
        "distribution": [_file(path) for path in files],
        "recordSet": [
            _record_set(name, table, next(path for path in files if path.stem == name))
            for name, table in log.tables().items()
        ],
    }
    if card.creators:
        described["creator"] = [{"@type": "sc:Person", "name": one_line(name)} for name in card.creators]
    described |= {
        key: value for key, value in (("url", card.url), ("citeAs", card.citation.strip())) if value
    }
    languages = _names(log.games["language"])
    return described | ({"inLanguage": languages} if languages else {})


def _file(path: Path) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "description": "types of all columns, and how the log came about"
        if path.name == FACTS
        else f"table {path.stem}",
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": "application/json" if path.suffix == ".json" else "application/x-parquet",
        "sha256": _sha256(path),
    }


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    add_contents(digest, [path])
    return digest.hexdigest()


def _record_set(name: str, table: pd.DataFrame, path: Path) -> dict[str, Any]:
    schema = parquet_schema(path)
    fields = []
    for column, kind, meaning in _columns(name, table, schema):
        own = {
            "@type": "cr:Field",
            "@id": _id(name, column),
            "name": column,
            "description": meaning,
            "dataType": kind,
            "source": {"fileObject": {"@id": path.name}, "extract": {"column": column}},
        }
        if column == "game_id" and name != "games":
            own["references"] = {"field": {"@id": _id("games", "game_id")}}
        fields.append(own)
    described: dict[str, Any] = {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": _ROWS[name],
    }
    if name in _KEYS:
        described["key"] = [{"@id": _id(name, column)} for column in _KEYS[name]]
    return described | {"field": fields}


_ROWS = {
    "games": "one row per game",
    "seats": "one row per game and seat: who played",
    "moves": "one row per game, round, step and seat: what was played",
    "questions": "one row per question put to a player, with the answer",
}


def _id(table: str, column: str) -> str:
    return f"{table}/{quote(column, safe='')}"


def _columns(name: str, table: pd.DataFrame, schema: pa.Schema) -> Iterator[tuple[str, str, str]]:
    """Name, Croissant's type and meaning of each column."""
    meanings = {column.name: column.meaning for column in codebook.TABLES[name]}
    what = {"games": "game", "seats": "seat"}.get(name, "move")
    for column in map(str, table.columns):
        kind = schema.field(column).type
        if pa.types.is_boolean(kind):
            of_type = "sc:Boolean"
        elif pa.types.is_integer(kind):
            of_type = "sc:Integer"
        else:
            of_type = "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
        yield (
            column,
            of_type,
            meanings.get(column, f"condition of the {what}, under the name that its source has"),
        )


def _names(column: pd.Series[Any], most: int = 12) -> list[str]:
    """The values of a column, most frequent first."""
    return [one_line(str(value), 60) for value in column.dropna().astype(str).value_counts().index[:most]]


def _described(log: GameLog) -> str:
    """A sentence on what was played."""
    games = ", ".join(_names(log.games["game"], 5)) or "games without a name"
    rounds = log.games["rounds_played"]
    span = f"{rounds.min()}" if rounds.min() == rounds.max() else f"{rounds.min()} to {rounds.max()}"
    players = log.games["n_players"]
    size = f"{players.min()}" if players.min() == players.max() else f"{players.min()} to {players.max()}"
    by = _names(log.seats["model"], 5)
    who = f", played by {', '.join(by)}" if by else ""
    return f"{len(log):,} repeated games of {size} players and {span} rounds ({games}){who}, move by move."


_REFERENCE = r"(?s).*/\d+/\d+/\d+"
"""References to calls of a run, which are no texts of theirs."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#!])")


def _plain(text: object, longest: int = 200) -> str:
    """Text of others as one line in which nothing is markup."""
    return _SPECIAL.sub(r"\\\1", one_line(str(text), longest))


def _head(card: Card, title: str, log: GameLog) -> Iterator[str]:
    """The first lines, which hubs of data sets read; JSON texts are YAML texts, whatever is in them."""
    known = next((name for name in _LICENCES if name.casefold() == card.licence.strip().casefold()), None)
    yield "---"
    yield f"pretty_name: {json.dumps(title)}"
    yield f"license: {known.lower() if known else 'other'}"
    if known is None:
        yield f"license_name: {json.dumps(one_line(card.licence))}"
    yield "tags: [repeated-games, game-theory]"
    yield "configs:"
    for name in log.tables():
        yield f"- config_name: {name}"
        yield f"  data_files: {name}.parquet"
    yield "---"


def card_text(log: GameLog, card: Card, title: str, files: Sequence[Path]) -> str:
    """The data card, in Markdown."""
    licence, address = _plain(card.licence), licence_address(card.licence)
    lines = [
        *_head(card, title, log),
        "",
        f"# {_plain(title)}",
        "",
        _plain(card.description, 4_000) if card.description.strip() else _plain(_described(log)),
        "",
        "| | |",
        "|---|---|",
        f"| licence | {f'[{licence}]({address})' if address else licence} |",
        f"| made by | {_plain(', '.join(card.creators)) if card.creators else 'not stated'} |",
        f"| published | {card.published or 'not stated'}{f', <{card.url}>' if card.url else ''} |",
        f"| cite as | {_plain(card.citation, 1_000) if card.citation.strip() else 'not stated'} |",
        *(f"| {name} | {_plain(value)} |" for name, value in _counts(log)),
        "",
        "## What is in it",
        "",
        *_schema(log, files),
        "## How it was made",
        "",
        *(f"- {line}" for line in _made(log.provenance)),
        "",
        "## What is known to limit it",
        "",
        *(f"- {line}" for line in _limits(log)),
        "",
        "## How to read it",
        "",
        "```python",
        "import intent, pandas",
        'log = intent.read_log(".")                    # or: intent validate .',
        'moves = pandas.read_parquet("moves.parquet")  # rows of one game share game_id',
        "```",
        "",
        "`croissant.json` describes the same tables for machines "
        "([Croissant 1.0](http://mlcommons.org/croissant/1.0)), with the SHA-256 of each file.",
        "",
    ]
    return "\n".join(lines)


def _counts(log: GameLog) -> Iterator[tuple[str, str]]:
    moves, seats = log.moves, log.seats
    statuses = moves["status"].value_counts()
    yield "games", f"{len(log):,} ({', '.join(_names(log.games['game'])) or 'without a name'})"
    yield "seats", f"{len(seats):,}, {int(seats['focal'].sum()):,} of them recorded for themselves"
    plurals = {
        "model": "models",
        "persona": "personas",
        "architecture": "architectures",
        "strategy": "strategies",
    }
    for column, words in plurals.items():
        if n := seats[column].nunique():
            yield words, f"{n:,}: {', '.join(_names(seats[column]))}{', …' if n > 12 else ''}"
    if n := seats["player"].nunique():
        yield "players with a name", f"{n:,}"
    unmade, defaults = (int(statuses.get(name, 0)) for name in ("missing", "defaulted"))
    yield "moves", f"{len(moves):,}; {unmade:,} missing, {defaults:,} defaults"
    if log.questions is not None:
        yield "questions", f"{len(log.questions):,}"


def _schema(log: GameLog, files: Sequence[Path]) -> Iterator[str]:
    for name, table in log.tables().items():
        schema = parquet_schema(next(path for path in files if path.stem == name))
        yield f"`{name}.parquet`, {_ROWS[name]}; {len(table):,} rows:"
        yield ""
        yield "| column | type | meaning | empty |"
        yield "|---|---|---|---|"
        for column, kind, meaning in _columns(name, table, schema):
            share = float(table[column].isna().mean()) if len(table) else 0.0
            empty = "no" if not share else "yes" if share == 1 else f"{share:.0%}"
            yield f"| {_plain(column)} | {kind.removeprefix('sc:').lower()} | {_plain(meaning)} | {empty} |"
        yield ""


def _made(provenance: Mapping[str, Any]) -> Iterator[str]:
    """How the log came about, as far as it says."""
    words = {
        "generator": "generated by",
        "name": "experiment",
        "run": "run",
        "created": "begun",
        "seed": "seed",
        "source": "read from",
        "format": "by the reader",
        "sha256": "SHA-256 of what was read",
        "listing_sha256": "SHA-256 of names, sizes and ETags of what was read",
    }
    for key, word in words.items():
        value = provenance.get(key)
        if isinstance(value, str | int) and value != "":
            yield f"{word} {_plain(value)}"
    settings = provenance.get("settings")
    if isinstance(settings, Mapping) and settings:
        yield f"read with {_plain(json.dumps(dict(settings), ensure_ascii=False, default=str), 500)}"
    runs = provenance.get("runs")
    if isinstance(runs, list):
        yield f"{len(runs):,} runs, each with its own provenance in `{FACTS}`"
    notes = provenance.get("notes")
    for note in notes[:20] if isinstance(notes, list) else ():
        yield f"on reading: {_plain(note, 300)}"
    redaction = provenance.get("redaction")
    if isinstance(redaction, Mapping):
        kinds = ", ".join(map(str, redaction.get("kinds", ()))) or "no texts"
        names = (
            "names of subjects are pseudonyms" if redaction.get("pseudonyms") else "names stand as they were"
        )
        yield f"left out before it was passed on: {_plain(kinds)}; {names}"
    yield f"written by strategy-intent {__version__}; `{FACTS}` holds all that the log knows of its origin"


def _limits(log: GameLog) -> Iterator[str]:
    """What who uses the data should beware of."""
    moves, n = log.moves, len(log.moves)
    skipped = log.skipped()
    for reason, games in skipped.items():
        yield f"{games:,} games have {reason}: their moves are there, but not whether they are cooperation"
    if missing_moves := int((moves["status"] == "missing").sum()):
        yield f"{missing_moves:,} of {n:,} moves are missing: they were not made or could not be read"
    if defaults := int((moves["status"] == "defaulted").sum()):
        yield f"{defaults:,} of {n:,} moves are defaults for an unreadable reply: nobody's decisions"
    if silent := int((~log.seats["focal"]).sum()):
        yield f"{silent:,} seats are known only from what others recorded of them"
    if log.games["payoffs"].isna().any():
        yield f"{int(log.games['payoffs'].isna().sum()):,} games do not say their payoffs"
    if "decided" in moves and moves["decided"].notna().any():
        yield "games could play another move than the player decided: `decided` beside `cooperated`"
    texts = [
        c for c in ("message", "private_thought", "reasoning", "reply", "prompt", "details") if c in moves
    ]
    texts = [c for c in texts if (moves[c].notna() & ~moves[c].astype("str").str.fullmatch(_REFERENCE)).any()]
    if texts or log.questions is not None:
        names = ", ".join(texts) or "answers"
        yield f"texts stand as they were said ({names}): they may be wrong, offensive, or name people"
    if log.seats["player"].notna().any() and not (log.provenance.get("redaction") or {}).get("pseudonyms"):
        yield "names of players are those of the source: see that they are no names of people"
    repeated = int(log.games["repetition"].max()) if len(log) else 1
    if repeated > 1:
        yield f"games repeat conditions (up to {repeated:,} times) and are no independent draws of them"
    yield "which action is cooperation follows from the payoffs and their kind, never from the action's name"
