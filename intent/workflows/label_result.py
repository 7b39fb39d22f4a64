"""What labelling a log returns: the table, its counts, and how it came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.report.coin_words import coin_column, coin_sentence
from intent.schema.defaults import BACKGROUND
from intent.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.recognise.base import Recogniser

__all__ = ["Labels", "coin_column", "coin_sentence", "label_provenance", "label_summary"]


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of a log, and how they came about.

    Attributes
    ----------
    table : DataFrame as `schema.LABELS`
    summary : what ``intent label --json`` prints, as `schema.JSON_OBJECTS["label"]` (and `schema.JSON_EXTRAS`
        where asked for)
    provenance : path and hash of the log, recogniser, settings, version
    rejects : DataFrame as `schema.REJECTS`, rows of the log that could not be read
    changed : number of labels or statuses that differ with eps integrated out; None where it already is,
        or where a strategy randomises
    notes : what a reader should know of the table, one line each
    """

    table: pd.DataFrame
    summary: dict[str, Any]
    provenance: dict[str, Any]
    rejects: pd.DataFrame
    changed: int | None
    notes: tuple[str, ...] = ()

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the table to Parquet, CSV or JSON lines, with summary and provenance."""
        from intent.logs.tablefile import write_table

        bare = self.table.copy(deep=False)
        bare.attrs = {}
        return write_table(bare, path, {**self.provenance, "summary": self.summary}, overwrite=overwrite)

    def write_rejects(self, path: Path | None, *, overwrite: bool = False) -> Path | None:
        """List the rejected rows; None where there are none or no path."""
        from intent.logs.tablefile import write_table

        if path is None or not len(self.rejects):
            return None
        return write_table(self.rejects, path, {"kind": "rejects"}, overwrite=overwrite)


def label_summary(
    table: pd.DataFrame, log: GameLog, classes: list[str], *, n_games: int | None = None
) -> dict[str, Any]:
    """What ``intent label --json`` prints of labels in memory, without coins.

    Parameters
    ----------
    table : DataFrame as `schema.LABELS`
    log : GameLog
    classes : names of the strategies
    n_games : int, optional
        Games behind the rows, where the table does not name them.
    """
    from intent import schema

    n_consistent = table["consistent"].map(len)
    counts = table["status"].value_counts()
    return {
        "n": len(table),
        "n_games": int(table["game_id"].nunique()) if n_games is None else n_games,
        "statuses": {s: int(counts.get(s, 0)) for s in schema.STATUSES},
        "consistent": {
            "none": int((n_consistent == 0).sum()),
            "one": int((n_consistent == 1).sum()),
            "several": int((n_consistent > 1).sum()),
        },
        "tied": int(table["tied"].sum()),
        "mean_posterior": {
            c: float(table[schema.PROBABILITY_PREFIX + c].mean()) if len(table) else None for c in classes
        },
        "skipped": log.skipped(),
        "rejects": len(log.rejects),
    }


def label_provenance(
    log: Mapping[str, Any],
    recogniser: Recogniser | str,
    used: Recogniser,
    *,
    changed: int | None,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """What a label file stores on its origin.

    Parameters
    ----------
    log : provenance of the log
    recogniser : its name or folder, or itself
    used : the recogniser as it was told options
    changed : labels or statuses that integrating the noise changes, None where not counted
    settings : those of `label_log`; what is absent has its default
    """
    return {
        "kind": "labels",
        "log": dict(log),
        "recogniser": recogniser if isinstance(recogniser, str) else recogniser.kind,
        "parameters": {k: _told(v) for k, v in used.get_params(deep=False).items()},
        "classes": [str(c) for c in used.classes_],
        "eps": getattr(used, "eps_", None),
        "prior": None,
        "conformal": settings.get("conformal"),
        "conformal_eps": settings.get("conformal_eps"),
        "threshold": settings.get("threshold", 0.9),
        "alpha": settings.get("alpha", 0.01),
        "others": settings.get("others"),
        "keep_defaulted": bool(settings.get("keep_defaulted")),
        "where": {k: list(v) for k, v in (settings.get("where") or {}).items()},
        "seed": settings.get("seed", 0),
        "background": settings.get("background", BACKGROUND),
        "per": settings.get("per", "game"),
        "changed_by_integrating_eps": changed,
        "version": __version__,
    }


def _told(value: Any) -> Any:
    """A parameter as JSON."""
    if isinstance(value, list | tuple):
        return [_told(v) for v in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    return getattr(value, "name", value)
