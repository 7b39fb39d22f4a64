"""How a log is read, as settings of every job that reads one."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intent.base.request import Request, argument, here, option, parse_pairs

__all__ = ["ENDOWMENT", "KEEP_DEFAULTED", "LOG", "OTHERS", "REJECTS", "WHERE", "FileReading", "Reading"]

LOG = argument("Game log: FAIRGAME results, tidy or wide CSV, Parquet, oTree, Inspect, ours.", words=Path)
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


class FileReading(Request, kw_only=True):
    """What a file does not say itself: the keywords of `read_log`, which a log in memory needs none of."""

    format: str = option(
        "auto",
        "Reader: auto, fairgame, tidy, pairs, otree, inspect, gamelog, compact.",
        recorded=False,
        file=False,
    )
    mapping: Mapping[str, str] | str | None = option(
        None,
        "Columns of a tidy file: ours=theirs, or a YAML.",
        "--map",
        words=str | None,
        metavar="OURS=THEIRS,…|FILE.yaml",
        recorded=False,
        file=False,
    )
    cooperate: str | None = option(
        None,
        "The action that is cooperation, or both actions: cooperating:defecting.",
        metavar="ACTION[:ACTION]",
        recorded=False,
        file=False,
    )
    payoff_kind: str | None = option(
        None, "reward or penalty, where the file is silent.", recorded=False, file=False
    )
    game: str | None = option(None, "The game, where the file does not name it.", recorded=False, file=False)
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
