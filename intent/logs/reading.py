"""How a log is read: the settings of every job that reads one, and whether it is read piece by piece."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.files import file_head
from intent.base.job import Request, argument, here, option, parse_pairs
from intent.base.remote import path_of

if TYPE_CHECKING:
    from intent.logs.chunks import Source
    from intent.logs.compact import CompactLog

__all__ = [
    "COOPERATE",
    "ENDOWMENT",
    "GAME",
    "KEEP_DEFAULTED",
    "LOG",
    "MAPPING",
    "OTHERS",
    "PAYOFF_KIND",
    "REJECTS",
    "WHERE",
    "FileReading",
    "Reading",
    "open_source",
]


LOG = argument(
    "Game log: FAIRGAME results, tidy or wide CSV, Parquet, oTree, Inspect, ours; or a folder of runs.",
    words=Path,
)
OTHERS = option(None, "More than two players: others cooperated if any, majority or all did.")
KEEP_DEFAULTED = option(False, "Count defaults for unreadable replies as own moves.")
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
    from intent.logs.chunks import open_folder

    path = path_of(path)
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
