"""The one door to logs of any format: `read_log`; and what a reader of a format is.

A reader has a name and two functions, of a source and the settings of the user. Which column of a foreign
table is which of ours comes from a mapping, a text, or a YAML file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from intent.base.binary import check_names, parquet_schema
from intent.base.errors import DataError, UnknownNameError, UsageError, located, shorten
from intent.base.files import TextFile, file_head, path_of, refuse_remote, require_file
from intent.base.registry import load, point, points
from intent.base.remote import RemotePath, listing_sha256
from intent.logs.delimited import Delimited, Frame, header_of, is_frame, read_delimited
from intent.logs.run_folder import DATABASE, OURS, LogsBelow, is_run, logs_below, stored_log

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog, Rejects
    from intent.logs.importer.mapping import LogMapping


__all__ = [
    "CARDS",
    "ENTRY_POINTS",
    "KEYS",
    "READERS",
    "Reader",
    "Settings",
    "Source",
    "add_contents",
    "parquet_columns",
    "parse_mapping",
    "read_log",
    "reader",
    "recognised",
    "resolve",
    "told_provenance",
]


READERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "runs": ("intent.logs.readers.runs:READER", ("runs",)),
    "compact": ("intent.logs.readers.compact:READER", ("folder", "parquet")),
    "inspect": ("intent.logs.readers.inspect_eval:READER", ("zip", "json")),
    "gamelog": ("intent.logs.stores:READER", ("folder", "zip", "ours")),
    "otree": ("intent.logs.readers.otree:READER", ("text", "parquet", "frame")),
    "fairgame": ("intent.logs.readers.fairgame:READER", ("text", "parquet", "frame")),
    "pairs": ("intent.logs.importer.reader:PAIRS", ("text", "parquet", "frame")),
    "tidy": ("intent.logs.readers.tidy:READER", ("text", "parquet", "frame")),
    "import": ("intent.logs.importer.reader:READER", ("text", "parquet", "frame", "json", "folder")),
}
"""Name -> where the `Reader` is, and the forms of a `Source` it is asked about; in the order of asking."""

ENTRY_POINTS = "intent.readers"
"""Group of entry points by which other packages add readers; each one loads a `Reader`."""

_GENERAL = ("pairs", "tidy", "import")
"""Readers of tables that may be read in several ways: the importer weighs them."""

CARDS = ("README.md", "croissant.json")
"""Files beside the tables of a log that describe it; who mends a card does not change the log."""

_STEM = 24
_HEAD = 2**20


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
    plan : LogMapping, optional
        A mapping that the importer wrote; it says what the others leave open.
    practice : str, optional
        Column that marks rows of practice, which are left out; the rounds after them begin with 1.
    header : tuple of str
        Names of the columns, of a file that has none.
    """

    mapping: Mapping[str, str] = field(default_factory=dict)
    cooperate: str | None = None
    payoff_kind: str | None = None
    game: str | None = None
    strict: bool = False
    defect: str | None = None
    plan: LogMapping | None = None
    practice: str | None = None
    header: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The settings that were given."""
        further = {"practice": self.practice, "header": "+".join(self.header)}
        pairs = {**self.mapping, **{key: value for key, value in further.items() if value}}
        settings = {
            "mapping": self.plan.to_json() if self.plan else pairs,
            "cooperate": self.cooperate,
            "payoff_kind": self.payoff_kind,
            "game": self.game,
            "strict": self.strict,
        }
        return {key: value for key, value in settings.items() if value}


class Source:
    """A file or folder, opened as far as needed, or a table in memory.

    Parameters
    ----------
    path : str or Path, or a table of pandas, Polars or Arrow
        Of the folder of a run, the log in it.
    header : tuple of str
        Names of the columns, of a text that has none.

    Attributes
    ----------
    path : Path
        ``DataFrame`` for a table in memory.
    kind : {"folder", "zip", "parquet", "text", "frame"}
    kind : {"folder", "zip", "parquet", "text"}
    memo : dict
        What a reader found out about it, so that asking and reading need not do it twice.
    notes : list of str
        What was left out when it was opened.

    Raises
    ------
    DataError
        Nothing is there, an empty file, a run that has not written its log, or a header for what has one.
    """

    def __init__(self, path: str | Path | object, header: tuple[str, ...] = ()) -> None:
        self.memo: dict[str, Any] = {}
        self.notes: list[str] = []
        self.header = header
        if not isinstance(path, str | Path):
            if not is_frame(path):
                raise UsageError(f"{shorten(path)}, expected the path of a log, or a DataFrame")
            self.frame = Frame(path)
            self.path, self.kind = self.frame.path, "frame"
            if header:
                raise DataError(located(self.path, "its columns have names, expected no --map header"))
            return
        self.path = path_of(path)
        if isinstance(self.path, RemotePath):
            self.kind = self._remote_kind(self.path)
            return
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
        if header and (self.kind != "text" or self.is_json):
            raise DataError(located(self.path, "its columns have names, expected no --map header"))

    def _remote_kind(self, path: RemotePath) -> str:
        """Whether it is a folder or a Parquet file; nothing else is read from object storage."""
        if path.is_dir():
            names = {one.name for one in path.iterdir()}
            if "log.json" not in names and not any(name.endswith(".parquet") for name in names):
                refuse_remote(path, "a folder that is no log of ours")
            return "folder"
        if not file_head(require_file(path), 4).startswith(b"PAR1"):
            refuse_remote(path, "a log that is no Parquet")
        return "parquet"

    @cached_property
    def legible(self) -> TextFile:
        """The text of the file, of a packed one that is cut or damaged what can be read of it.

        Who reads it lists what is missing: `Rejects.add_gap`.
        """
        return TextFile(self.path, partial=True)

    @property
    def text(self) -> TextFile:
        """The text of the file.

        Raises
        ------
        DataError
            A packed one is cut or damaged.
        """
        return self.legible if self.legible.gap is None else TextFile(self.path)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a table; empty where the source is none."""
        if self.kind == "text":
            return () if self.is_json else tuple(header_of(self.legible, self.header)[0])
        if self.kind == "frame":
            return tuple(self.frame.columns)
        if self.kind == "parquet":
            return parquet_columns(self.path)
        return ()

    def delimited(self, rejects: Rejects, *, coded: bool = False) -> Delimited:
        """The columns of a text, or of a table in memory; rows that cannot be read go to the rejects.

        Those of a text may be coded (`read_delimited`).
        """
        if self.kind == "frame":
            return self.frame.delimited(rejects)
        return read_delimited(self.legible, rejects, coded=coded, header=self.header)

    @cached_property
    def below(self) -> LogsBelow:
        """Runs and logs below a folder that is none itself."""
        if self.kind != "folder" or isinstance(self.path, RemotePath):
            return LogsBelow()
        return logs_below(self.path)

    @cached_property
    def sha256(self) -> str:
        """Of the file; of a folder, over names and contents of its files; of a table, over its cells.

        Of a folder of runs it is over all of them. What lies beside the tables of a log to describe them
        (`CARDS`) does not count.
        """
        if self.kind == "frame":
            return self.frame.sha256
        if self.kind == "text":
            return self.legible.sha256
        digest = hashlib.sha256()
        for name, path in self.below.logs:
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0")
            log = stored_log(path)[0] if is_run(path) else path
            if log is not None:
                digest.update(Source(log).sha256.encode())
            else:
                add_contents(digest, [path / name for name in (DATABASE, f"{DATABASE}-wal")])
        if self.below.logs:
            return digest.hexdigest()
        if self.kind == "folder":
            add_contents(digest, [self.path / name for name in sorted(_below(self.path))], self.path)
        else:
            add_contents(digest, [self.path])
        return digest.hexdigest()

    @property
    def is_json(self) -> bool:
        """Whether the text begins as JSON does, with an object or a list."""
        return self.kind == "text" and self.legible.data[:4096].lstrip()[:1] in (b"{", b"[")

    @property
    def form(self) -> str:
        """Its kind; of a text that begins as JSON does, ``ours`` or ``json``; ``runs`` of a folder."""
        if self.kind == "folder" and self.below.logs:
            return "runs"
        if not self.is_json:
            return self.kind
        return "ours" if OURS in self.legible.data[:_HEAD].split(b"\n", 1)[0] else "json"

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


def add_contents(digest: Any, files: Sequence[Path], below: Path | None = None) -> None:
    """Add the contents of files to a hash, and their names below a folder; folders do not count."""
    for file in files:
        if not file.is_file():
            continue
        if below is not None:
            name = file.relative_to(below).as_posix()
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0")
        with file.open("rb") as stream:
            while chunk := stream.read(1024**2):
                digest.update(chunk)


def _below(folder: Path) -> list[str]:
    """Names of the files of a folder and of those in it, but cards; links to folders are not followed."""
    files: list[str] = []
    for place, _, names in os.walk(folder):
        within = "" if Path(place) == folder else Path(place).relative_to(folder).as_posix() + "/"
        files += [within + n for n in names if n not in CARDS and os.path.isfile(os.path.join(place, n))]
    return files


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
    weigh : callable of (Source, Settings, Reader) -> (str, GameLog), optional
        Reads a table that another reader takes, unless what that one makes of it is absurd; and says as what.
    """

    name: str
    expects: str
    recognises: Callable[[Source, Settings], bool]
    read: Callable[[Source, Settings], GameLog]
    weigh: Callable[[Source, Settings, Reader], tuple[str, GameLog]] | None = None


KEYS: dict[str, tuple[str, ...]] = {
    "game_id": (),
    "game": (),
    "player": ("player_id", "subject"),
    "round": ("period", "turn"),
    "seat": (),
    "action": ("choice", "move", "decision"),
    "decided": (),
    "other": ("other_action", "opponent_action", "other.choice", "opponent_choice"),
    "other_player": ("opponent", "opponent_id", "partner"),
    "payoff": ("score", "points"),
    "other_payoff": ("other_score", "opponent_payoff"),
    "model": (),
    "other_model": ("opponent_model",),
    "persona": (),
    "architecture": (),
    "attitude": (),
    "strategy": (),
    "language": (),
    "message": (),
    "repetition": (),
    "run": (),
    "horizon_known": (),
    "rounds_planned": (),
    "payoff_kind": (),
    "cooperative_action": (),
    "implementation_error": (),
    "step": (),
    "value": (),
    "status": (),
    "private_thought": (),
    "reasoning": (),
    "reply": (),
    "prompt": (),
    "advice": (),
}
"""Our name -> names by which a column is taken for it where no mapping says otherwise; our own name
always counts. ``game`` is what tells games apart, as is ``game_id``; where a file has both, ``game`` is
the name of the game. ``decided`` is what the player chose, in the words of the action, where the game may
have played something else."""


_FURTHER = ("by", "session", "option", "order", "total", "agreement", "practice", "header")
"""Keys of a mapping beside `KEYS`: columns that tell games apart, columns within which the
numbers of players are their own, those that the importer alone reads, one that marks rows of practice,
which are left out, and the names of all columns of a file that has none."""

_LISTS = ("by", "header")
"""Keys whose value is several names, joined by ``+``."""


def parse_mapping(mapping: Mapping[str, str] | str | None) -> dict[str, str]:
    """The mapping as ours -> theirs.

    Parameters
    ----------
    mapping : mapping, str or None
        A mapping, ``"ours=theirs,ours=theirs"``, or the path of a YAML file with one.

    Raises
    ------
    UsageError
        A pair without equals sign, or one of our names twice.
    UnknownNameError
        A name that is not ours.
    DataError
        The YAML file cannot be read as a mapping of texts.
    """
    if not mapping:
        return {}
    if isinstance(mapping, str):
        pairs = _from_yaml(Path(mapping)) if mapping.endswith((".yaml", ".yml")) else _from_text(mapping)
    else:
        pairs = dict(mapping)
    for key in pairs:
        if key not in KEYS and key not in _FURTHER:
            raise UnknownNameError("column in --map", key, [*KEYS, *_FURTHER])
    return pairs


def _from_text(text: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for item in text.split(","):
        ours, equals, theirs = (part.strip() for part in item.partition("="))
        if not (equals and ours and theirs):
            raise UsageError(f"--map {shorten(item)!r}, expected OURS=THEIRS, pairs cut by commas")
        if ours in pairs:
            raise UsageError(f"--map names {ours!r} twice")
        pairs[ours] = theirs
    return pairs


def _from_yaml(path: Path) -> dict[str, str]:
    from intent.base.settings import read_document

    if not path.is_file():
        raise DataError(f"no such mapping file: {path}")
    document = read_document(path, texts=True)
    pairs = {}
    for key, value in document.values.items():
        if key in _LISTS and isinstance(value, list) and all(isinstance(name, str) for name in value):
            value = "+".join(value)
        if not isinstance(value, str) or not value:
            where = document.where([key]) or path.name
            raise DataError(f"{where}: {shorten(key)} is {shorten(value)}, expected the name of a column")
        pairs[str(key)] = value
    return pairs


def resolve(mapping: Mapping[str, str], columns: tuple[str, ...], file: Path) -> dict[str, str]:
    """Ours -> theirs for a table: what the mapping says, then columns that bear one of our names.

    Raises
    ------
    DataError
        The mapping names a column that the table does not have, or one column for two of ours.
    """
    resolved: dict[str, str] = {}
    for ours, theirs in mapping.items():
        for name in theirs.split("+") if ours == "by" else [theirs]:
            if name.strip() not in columns:
                error = UnknownNameError("column", name.strip(), columns)
                raise DataError(located(file, f"--map {ours}={theirs}: {error}"))
        if ours != "by":
            if theirs in resolved.values():
                raise DataError(located(file, f"--map gives column {theirs!r} two meanings"))
            resolved[ours] = theirs
    used_columns = {*resolved.values(), *(name.strip() for name in mapping.get("by", "").split("+"))}
    folded = {column.casefold(): column for column in reversed(columns)}
    for ours, synonyms in KEYS.items():
        for name in (ours, *synonyms):
            theirs = folded.get(name, "")
            if ours not in resolved and theirs and theirs not in used_columns:
                resolved[ours] = theirs
                used_columns.add(theirs)
    return resolved


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Names of the columns of a Parquet file.

    Raises
    ------
    DataError
        It is none, or two columns have one name.
    """
    names = tuple(parquet_schema(path).names)
    check_names(names, path.name)
    return names


def reader(name: str) -> Reader:
    """The reader of a format.

    Raises
    ------
    UnknownNameError
    """
    if name in READERS:
        return _ours(name)
    there = point(ENTRY_POINTS, name)
    if there is None:
        raise UnknownNameError("format", name, ["auto", *READERS, *points(ENTRY_POINTS)])
    theirs = load(there)
    if not isinstance(theirs, Reader):
        raise DataError(
            f"entry point {name!r} of group {ENTRY_POINTS} is {shorten(theirs)}, expected a Reader"
        )
    return theirs


def _ours(name: str) -> Reader:
    there: Reader = resolve_name(READERS[name][0])
    return there


def read_log(
    path: str | Path | object,
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
    path : str or Path, or a table of pandas, Polars or Arrow
        A file (plain or gzip) or the folder of one of our own logs; a table in memory is read as the file
        that it would write.
    format : str
        Name of a reader, or ``auto`` to recognise it; the log's provenance says which it was.
    mapping : mapping, str or None
        Columns of a tidy file, our name -> theirs: a mapping, ``"ours=theirs,…"``, or the path of a
        YAML file. The key ``by`` lists condition columns joined by ``+``, the key ``header`` the names of all
        columns of a file without a line of names.
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
        from intent.games.catalogue import named_kind

        named_kind(game)
    settings = read_settings(mapping, cooperate, payoff_kind, game, strict=strict)
    source = Source(path, settings.header)
    auto = format == "auto"
    planned = auto and settings.plan is not None
    chosen = _ours("import") if planned else _reader_of(source, settings) if auto else reader(format)
    weighed = _ours("import").weigh if auto and chosen.name in _GENERAL else None
    forms = set(READERS[chosen.name][1]) if chosen.name in READERS else {"folder"}
    of_files = source.kind == "folder" and not forms & {"folder", "runs"}
    if of_files and not auto:  # as the labels of such a folder name its format
        files = _ours("import")
        assert files.weigh is not None
        name, log = files.weigh(source, settings, files)
        if name != chosen.name:
            raise DataError(located(source.path, f"a folder of logs read as {name}, not {chosen.name}"))
    elif weighed:
        name, log = weighed(source, settings, chosen)
    else:
        name, log = chosen.name, chosen.read(source, settings)
    log.provenance = told_provenance(log.provenance, source, name, settings)
    if source.notes:
        log.provenance["notes"] = [*source.notes, *log.provenance.get("notes", ())]
    return log


def read_settings(
    mapping: Mapping[str, str] | str | LogMapping | None,
    cooperate: str | None = None,
    payoff_kind: str | None = None,
    game: str | None = None,
    *,
    strict: bool = False,
) -> Settings:
    """The settings of `read_log`, with a mapping that the importer wrote where the user names one.

    Raises
    ------
    UsageError, UnknownNameError, DataError
        As `parse_mapping`, or a kept mapping that cannot be read.
    """
    plan = plan_of(mapping)
    pairs = parse_mapping(mapping) if plan is None else {}  # type: ignore[arg-type]
    practice = pairs.pop("practice", None) if plan is None else plan.practice
    names = tuple(name.strip() for name in pairs.pop("header", "").split("+") if name.strip())
    header = names if plan is None else plan.header
    return Settings(pairs, cooperate, payoff_kind, game, strict, plan=plan, practice=practice, header=header)


def plan_of(mapping: Any) -> LogMapping | None:
    """The mapping, where it is one that the importer wrote, or the file of one."""
    if isinstance(mapping, str) and mapping.endswith((".yaml", ".yml")) and os.path.isfile(mapping):
        from intent.logs.importer.mapping import read_mapping

        return read_mapping(mapping)
    if isinstance(mapping, Mapping) and "intent_mapping" in mapping:  # as a log's provenance has it
        from intent.logs.importer.mapping import LogMapping

        return LogMapping.model_validate(mapping)
    return mapping if hasattr(mapping, "intent_mapping") else None


def told_provenance(
    stored: Mapping[str, Any], source: Source, format: str, settings: Settings
) -> dict[str, Any]:
    """What a log says of its origin once it is read: the facts stored with it, and where it was read from."""
    there = source.path
    facts = {
        "source": str(there),
        "format": format,
        "sha256": None if isinstance(there, RemotePath) else source.sha256,
        "settings": settings.to_json(),
    }
    if isinstance(there, RemotePath):  # what was read is not read again for its hash
        facts["listing_sha256"] = listing_sha256(there)
    older = {key: stored[key] for key in facts if key in stored}
    return {**stored, **facts, **({"origin": older} if older else {})}


def recognised(source: Source, settings: Settings) -> Reader | None:
    """The first of our readers whose format the source has.

    Raises
    ------
    DataError
        A table that cannot be read.
    """
    for name, (_, forms) in READERS.items():
        if source.form in forms and _ours(name).recognises(source, settings):
            return _ours(name)
    return None


_WEIGHED = ("import", "pairs")
"""Readers of tables of any columns."""


def _reader_of(source: Source, settings: Settings) -> Reader:
    unread: DataError | None = None
    if source.form in ("json", "folder") and (
        theirs := _outside(source, settings)
    ):  # ours would take any object for a game, and any folder for a log
        return theirs
    ours: Reader | None = None
    try:
        ours = recognised(source, settings)
    except DataError as error:  # no table of ours, but an outsider may know the file
        unread = error
    if ours is not None and ours.name not in _WEIGHED:
        return ours
    if theirs := _outside(source, settings):  # who knows the file wins over what weighs readings
        return theirs
    if ours is not None:
        return ours
    if unread is not None:
        raise unread
    if source.columns or source.form in ("json", "folder"):
        return _ours("import")
    known = "; ".join(f"{name}: {_ours(name).expects}" for name in READERS)
    got = f"columns {shorten(', '.join(source.columns))}" if source.columns else source.kind
    raise DataError(located(source.path, f"no known format ({got}); expected {known}"))


def _outside(source: Source, settings: Settings) -> Reader | None:
    """The reader of another package that knows the source."""
    names = [name for name in points(ENTRY_POINTS) if name not in READERS]
    return next((reader(name) for name in names if reader(name).recognises(source, settings)), None)
