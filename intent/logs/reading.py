"""How a log is read: the settings of every job that reads one, and the play that is looked at."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError
from intent.base.request import Request, argument, here, option, parse_pairs

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories

__all__ = [
    "ENDOWMENT",
    "KEEP_DEFAULTED",
    "LOG",
    "OTHERS",
    "REJECTS",
    "WHERE",
    "FileReading",
    "Reading",
    "focal_play",
    "narrowed",
    "places_of",
    "play_of_labels",
    "reading_of_play",
    "unread_rows",
]


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


def focal_play(
    log: "GameLog | str | Path",
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    **reading: Any,
) -> "tuple[GameLog, Trajectories]":
    """The rows of a log that meet conditions, and the trajectories of its focal seats.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows
    where : mapping of column -> accepted values
    others : {"any", "majority", "all"}, optional
        With more than two players: when the others count as having cooperated.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own move.
    **reading
        Passed to `read_log` where `log` is a path.

    Raises
    ------
    UsageError
        No game is left, or games of more than two players and no `others`.
    UnknownNameError
        A condition on a column that does not exist.
    """
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log

    played = log if isinstance(log, GameLog) else read_log(log, **reading)
    if where:
        played = narrowed(played, where)
    return played, _two_players(played.trajectories(keep_defaulted=keep_defaulted), others)


def narrowed(log: "GameLog", where: Mapping[str, Sequence[str]]) -> "GameLog":
    """The games and seats that meet conditions.

    Raises
    ------
    UsageError
        No game is left, or none had a focal seat.
    UnknownNameError
        A condition on a column that does not exist.
    """
    from intent.logs.gamelog import as_options

    chosen = log.where(where)
    if len(log) and not len(chosen) and not where:
        raise UsageError(f"no seat of {len(log):,} games is one to look at, expected a focal one")
    if len(log) and not len(chosen):
        conditions = as_options(where)
        column = next((c for c in where if not len(log.where({c: where[c]}))), next(iter(where)))
        table = log.games if column in log.games else log.seats
        present = sorted({str(v) for v in table[column].dropna().unique()})
        shown = ", ".join(present[:8]) + (", …" if len(present) > 8 else "")
        joined = any("," in value and "=" in value for value in where[column])
        hint = "; say --where once for each column" if joined else ""
        raise UsageError(
            f"no game left of {len(log):,} (--where {conditions}); {column} has {shown or 'no values'}{hint}"
        )
    return chosen


def unread_rows(log: "GameLog") -> list[str]:
    """A note where rows of the log could not be read."""
    n = len(log.rejects)
    return [f"{n:,} rows of the log could not be read (intent validate lists them)"] if n else []


def _two_players(X: "Trajectories", others: str | None) -> "Trajectories":
    if X.other_share is None:
        return X
    if others is None and len(X):
        raise UsageError(
            "the log has games of more than two players; "
            "say with --others any, majority or all when the others cooperated (or count, in intent sfem)"
        )
    return X.read_others(others or "any")


def reading_of_play(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """How play was read for a table, as arguments of `focal_play`, by the table's provenance.

    A file may say anything, and only what can be is taken.
    """
    where, others = provenance.get("where"), provenance.get("others")
    pairs = where.items() if isinstance(where, Mapping) else ()
    return {
        "where": {str(k): [str(x) for x in v] for k, v in pairs if isinstance(v, list | tuple)},
        "others": others if isinstance(others, str) else None,
        "keep_defaulted": provenance.get("keep_defaulted") is True,
    }


def play_of_labels(log: "GameLog", provenance: Mapping[str, Any]) -> "Trajectories":
    """The trajectories that labels were made of.

    Raises
    ------
    UsageError
        As `focal_play`.
    """
    return focal_play(log, **reading_of_play(provenance))[1]


def places_of(labels: "pd.DataFrame", X: "Trajectories") -> "NDArray[np.intp]":
    """(n,) row of the trajectory that each label is of; -1 where it is not there, as no player is."""
    import numpy as np
    import pandas as pd

    assert X.keys is not None
    if "game_id" not in labels.columns:
        return np.full(len(labels), -1, dtype=np.intp)
    own, there = (
        pd.MultiIndex.from_arrays([t["game_id"].astype(str), t["seat"].astype(int)]) for t in (labels, X.keys)
    )
    return np.asarray(there.get_indexer(own), dtype=np.intp)
