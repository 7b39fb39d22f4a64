"""How a log is read: the settings of every job that reads one, and whether it is read piece by piece.

Also the log behind a table of results: where the table says it lies, how it was read, what it held; checked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, IntentError, UsageError, shorten
from intent.base.files import file_head
from intent.base.job import Request, argument, here, option, parse_pairs
from intent.base.remote import is_remote, path_of

if TYPE_CHECKING:
    from intent.logs.chunks import Source
    from intent.logs.compact import CompactLog
    from intent.logs.gamelog import GameLog

__all__ = [
    "COOPERATE",
    "ENDOWMENT",
    "GAME",
    "KEEP_DEFAULTED",
    "KEEP_SCRIPTED",
    "LOG",
    "MAPPING",
    "OTHERS",
    "PAYOFF_KIND",
    "REJECTS",
    "WHERE",
    "Behind",
    "FileReading",
    "Reading",
    "log_behind",
    "log_of",
    "named_log",
    "open_source",
    "reading_of_named_log",
    "reading_without_defaults",
    "sha256_of_named_log",
]

LOG = argument(
    "Game log: FAIRGAME results, tidy or wide CSV, Parquet, oTree, Inspect, ours; or a folder of runs.",
    words=Path,
)
OTHERS = option(None, "More than two players: others cooperated if any, majority or all did.")
KEEP_DEFAULTED = option(False, "Count defaults for unreadable replies as own moves.")
KEEP_SCRIPTED = option(False, "Count seats that a strategy plays like those of models and people.")
ENDOWMENT = option(None, "Games of numbers that do not say it: what a player can give in a round.")
REJECTS = option(None, "Where to list rows that could not be read.", only="command")
WHERE = option(
    None,
    "Keep rows (repeat: same column OR, others AND).",
    words=list[str] | None,
    parse=lambda items: parse_pairs(items, "--where"),
    metavar="COLUMN=VALUE",
)
MAPPING = option(
    None,
    "Columns: ours=theirs, or a YAML that import kept.",
    "--map",
    "--mapping",
    words=str | None,
    metavar="OURS=THEIRS,…|FILE.yaml",
    recorded=False,
    file=False,
)
COOPERATE = option(
    None,
    "The action that is cooperation, or both actions: cooperating:defecting.",
    metavar="ACTION[:ACTION]",
    recorded=False,
    file=False,
)
PAYOFF_KIND = option(None, "reward or penalty, where the file is silent.", recorded=False, file=False)
GAME = option(None, "The game, where the file does not name it.", recorded=False, file=False)


class FileReading(Request, kw_only=True):
    """What a file does not say itself: the keywords of `read_log`, which a log in memory needs none of.

    A table in memory that stands for a log is read at once.
    """

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        for name, setting in self.settings.items():
            value = getattr(self, name)
            if hasattr(value, "__arrow_c_stream__") and "DataFrame" not in str(setting.kind):
                from intent.logs.readers.reader import read_log

                vars(self)[name] = read_log(value, **self.values(FileReading))

    format: str = option(
        "auto",
        "Reader: auto, fairgame, tidy, pairs, otree, inspect, gamelog, compact, runs.",
        recorded=False,
        file=False,
    )
    mapping: Mapping[str, str] | str | None = MAPPING
    cooperate: str | None = COOPERATE
    payoff_kind: str | None = PAYOFF_KIND
    game: str | None = GAME
    strict: bool = option(False, "Stop at the first row that cannot be read.", recorded=False, file=False)


class Reading(FileReading, kw_only=True):
    """Which rows of a log are read, and how."""

    where: Mapping[str, Sequence[str]] | None = WHERE
    rest = here(FileReading)

    def file_reading(self) -> dict[str, Any]:
        """The keywords of `read_log`."""
        return self.values(FileReading)

    def config(self) -> dict[str, Any]:
        """The resolved settings; how the file was read is in the provenance of its log."""
        return {**super().config(), "where": {k: list(v) for k, v in (self.where or {}).items()}}


def open_source(path: Path, **settings: Any) -> "Source | None":
    """The log as something to read in pieces; None where it has to be read at once.

    Parameters
    ----------
    path : Path
    **settings
        Those of `focal_play` and `read_log`: with a mapping of columns, or another way to tell what is
        cooperative, a log is read at once.

    Raises
    ------
    DataError, LimitError
        A compact log that is broken.
    UnknownNameError
        A condition (`where`) on a column that the log does not have.
    """
    from intent.logs.chunks import pieces_of_subjects

    source = _opened(path_of(path), settings)
    return source if source is None or settings.get("keep_scripted", True) else pieces_of_subjects(source)


def _opened(path: Path, settings: Mapping[str, Any]) -> "Source | None":
    """The log in pieces, with all focal seats."""
    from intent.logs.chunks import open_folder

    reads_otherwise = ("mapping", "cooperate", "payoff_kind", "game")
    if any(settings.get(name) for name in reads_otherwise):
        return None
    where, keep_defaulted = settings.get("where") or {}, bool(settings.get("keep_defaulted"))
    if settings.get("format", "auto") in ("auto", "compact") and _may_be_compact(path):
        from intent.logs.compact import is_compact, open_compact
        from intent.logs.compact_chunks import CompactSource

        if is_compact(path):
            log = open_compact(path)
            return CompactSource(log, where, keep_defaulted) if log.n and log.rounds and _alike(log) else None
    if settings.get("format", "auto") in ("auto", "gamelog"):
        folder = open_folder(path, settings.get("others"), keep_defaulted, where)
        if folder is not None:
            return folder
    if settings.get("format", "auto") in ("auto", "runs") and path.is_dir():
        from intent.logs.readers.runs import open_runs

        return open_runs(path, settings.get("others"), keep_defaulted, where)
    return None


def _may_be_compact(path: Path) -> bool:
    return path.is_dir() or (path.is_file() and file_head(path, 4) == b"PAR1")


def _alike(log: "CompactLog") -> bool:
    """Whether what describes the rows has one form in all parts, and one that labels keep.

    Raises
    ------
    DataError
        It has not, and there are more moves than can be read at once.
    """
    from intent.base.errors import DataError, located
    from intent.logs.readers.compact import LIMIT_MOVES

    forms = [_forms(facts.schema.to_arrow_schema()) for facts in log.files]
    for part, form in zip(log.parts, forms, strict=True):
        if form == forms[0] and "" not in form.values():
            continue
        if log.n * log.rounds <= LIMIT_MOVES:
            return False
        named = sorted(
            {c for c, _ in form.items() ^ forms[0].items()} or {c for c, f in form.items() if not f}
        )
        what = f"column {named[0]!r} is missing or of another type than in {log.parts[0].name}"
        if form == forms[0]:
            what = f"column {named[0]!r} holds durations, or whole numbers without a sign"
        raise DataError(located(part, f"{what}, which a log of {log.n:,} rows may not have"))
    return True


def _forms(schema: Any) -> dict[str, str]:
    """Column that is no list of moves -> its type, texts of any kind alike; empty where a file loses it."""
    import pyarrow as pa

    from intent.logs.chunks import said_text
    from intent.logs.compact import MOVES

    def form(kind: pa.DataType) -> str:
        lost = pa.types.is_duration(kind) or pa.types.is_uint64(kind)
        return "" if lost else "text" if said_text(kind) else str(kind)

    return {c.name: form(c.type) for c in schema if c.name not in (*MOVES, "seat", "decided")}


_LARGEST = 2_000_000_000
"""Bytes of a log that is read only to say how good its moves are."""


@dataclass(frozen=True, eq=False)
class Behind:
    """The log behind a table.

    Parameters
    ----------
    log : GameLog or None
    why : str
        Why there is none; empty where there is one.
    """

    log: "GameLog | None" = None
    why: str = ""

    def needed(self, what: str) -> "GameLog":
        """The log, for what cannot do without it.

        Raises
        ------
        UsageError
            There is none.
        """
        if self.log is None:
            raise UsageError(f"{what} needs the log behind the table: {self.why} (say where with --log PATH)")
        return self.log


def log_behind(
    provenance: Mapping[str, Any] | None,
    log: "GameLog | str | Path | None" = None,
    *,
    beside: Path | None = None,
    needed: bool = False,
    **reading: Any,
) -> Behind:
    """The log that a table was made from.

    Parameters
    ----------
    provenance : mapping, optional
        What the table says of its origin, as `intent.logs.reading` reads it.
    log : GameLog or path, optional
        Where the log is now.
    beside : path, optional
        The file of the table: a log that is not at its path may stand beside it.
    needed : bool
        Read it however large it is.
    **reading
        As `read_log`, where `log` is a path; what they do not say is as the table says that its log was read.

    Raises
    ------
    DataError
        A log that was named is not the one that the table was made from.
    """
    if log is not None:
        named = log_of(log, reading_of_named_log(provenance, reading))
        _check(named, provenance, log)
        return Behind(named)
    try:
        path = named_log(provenance, beside=beside)
        if not needed and path.is_file() and path.stat().st_size > _LARGEST:
            return Behind(None, f"its log {path.name} is larger than {_LARGEST / 1e9:g} GB")
        named = log_of(path, reading_of_named_log(provenance))
        _check(named, provenance, path)
    except IntentError as error:
        return Behind(None, str(error))
    return Behind(named)


def log_of(source: "GameLog | str | Path | object", reading: Mapping[str, Any]) -> "GameLog":
    """A log as it is, or read from its path (of a run: the log in its folder).

    Raises
    ------
    DataError
        As `read_log`.
    """
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log

    if isinstance(source, GameLog):
        return source
    return read_log(source, **reading)


def _check(log: "GameLog", provenance: Mapping[str, Any] | None, named: object) -> None:
    """Refuse a log whose content is not that which the table was made from."""
    for key in ("sha256", "listing_sha256"):
        before, now = _facts(provenance).get(key), log.provenance.get(key)
        if isinstance(before, str) and before and now and before != now:
            name = Path(named).name if isinstance(named, str | Path) else "the log"
            raise DataError(
                f"{name} is not the log that the table was made from: "
                f"{key} {str(now)[:12]}…, expected {before[:12]}…"
            )


_SETTINGS: dict[str, type] = {
    "mapping": dict,
    "cooperate": str,
    "payoff_kind": str,
    "game": str,
    "strict": bool,
}
"""Settings of `read_log` that a table may give, and what they must be."""


def named_log(provenance: Mapping[str, Any] | None, *, beside: Path | None = None) -> Path:
    """The path of the log.

    Parameters
    ----------
    provenance : mapping
        What the table says of its origin: path, hash and reading of its log under ``log``.
    beside : path, optional
        The file of the table: a log that is not at its path may stand beside it.

    Raises
    ------
    DataError
        The table names none, or it is not there.
    """
    source = _facts(provenance).get("source")
    if not isinstance(source, str) or not source or "\0" in source:
        raise DataError("the table does not say which log it was made from")
    if is_remote(source):
        return _named_there(source, beside)
    named = Path(source)
    near = [] if beside is None else [beside.parent / named, beside.parent / named.name]
    for place in (named, *near):
        try:
            if place.exists():
                return place
        except OSError:  # such as a name that is too long
            continue
    raise DataError(f"its log {shorten(named.name)} is not where it was")


def _named_there(source: str, beside: Path | None) -> Path:
    """A log on object storage, followed only from a table in its bucket: a stranger's file may name any.

    Raises
    ------
    DataError
    """
    if is_remote(beside) and beside is not None:
        here, there = path_of(beside), path_of(source)
        if here.parts[:2] == there.parts[:2] and there.exists():
            return there
    raise DataError("its log is on object storage and is not looked for there; say which with --log s3://…")


def reading_of_named_log(
    provenance: Mapping[str, Any] | None, reading: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """How the log was read, as arguments of `read_log`; what is given by hand counts instead."""
    facts = _facts(provenance)
    settings = facts.get("settings")
    named = settings if isinstance(settings, Mapping) else {}
    reading_settings = {
        name: named[name] for name, kind in _SETTINGS.items() if isinstance(named.get(name), kind)
    }
    if isinstance(facts.get("format"), str):
        reading_settings["format"] = facts["format"]
    return {**reading_settings, **reading_without_defaults(reading or {})}


def reading_without_defaults(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `read_log` that say something: a command hands over its defaults, too."""
    return {name: value for name, value in reading.items() if value not in (None, False, "auto")}


def sha256_of_named_log(provenance: Mapping[str, Any] | None) -> str | None:
    """The hash of the log when the table was made from it, where the table says it."""
    digest = _facts(provenance).get("sha256")
    return digest if isinstance(digest, str) and digest else None


def _facts(provenance: Mapping[str, Any] | None) -> Mapping[str, Any]:
    facts = provenance.get("log") if isinstance(provenance, Mapping) else None
    return facts if isinstance(facts, Mapping) else {}
