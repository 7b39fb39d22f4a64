"""What a report is on: labels, and the log and the run that they come from, as far as these are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import IntentError, UsageError

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories

__all__ = ["Material", "material_of"]


class _Facts(dict[str, Any]):
    """Facts that nobody changes: pandas copies what a table carries with every step."""

    def __deepcopy__(self, memo: object) -> _Facts:
        return self


@dataclass(frozen=True, eq=False)
class Material:
    """What a report is on.

    Parameters
    ----------
    name : str
        Of the file or folder; none of its path.
    kind : {"log", "run", "labels"}
    labels : DataFrame as `schema.LABELS`
        The rows that are reported on.
    provenance : mapping
        Of the labels.
    log : GameLog, or None where only labels are there
    run : mapping, or None
        Facts of a run, with what it used under ``use``.
    notes : tuple of str
        What a reader should be warned of.
    game : str, or None
        The one game that this is about, where it is a part.
    """

    name: str
    kind: str
    labels: pd.DataFrame
    provenance: Mapping[str, Any]
    log: GameLog | None = None
    run: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    game: str | None = None
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def classes(self) -> tuple[str, ...]:
        """Strategies that the recogniser knows."""
        from intent.analysis.shares import strategy_classes

        return strategy_classes(self.labels, self.provenance)

    @cached_property
    def play(self) -> Trajectories | None:
        """The moves behind the labels, row by row; None where they are not there, or are others."""
        if self.log is None:
            return None
        X = self.log.trajectories(keep_defaulted=bool(self.provenance.get("keep_defaulted")))
        others = self.provenance.get("others")
        if X.other_share is not None:
            X = X.read_others(str(others or "any"))
        assert X.keys is not None
        keys = ["game_id", "seat"]
        mine, theirs = (t[keys].astype(str).agg("|".join, axis=1).tolist() for t in (self.labels, X.keys))
        place = {key: row for row, key in enumerate(theirs)}
        if not all(key in place for key in mine):
            return None
        return X[[place[key] for key in mine]]

    def by_game(self) -> Iterator[Material]:
        """The part of each game that has labels, the one with most of them first."""
        if "game" not in self.labels:
            yield replace(self, game=None)
            return
        names = self.labels["game"].astype(object).fillna("")
        for name in names.value_counts().index:
            rows = self.labels[(names == name).to_numpy()].reset_index(drop=True)
            rows.attrs = dict(self.labels.attrs)
            log = None
            if self.log is not None and name:
                log = self.log.where({"game": [str(name)]})
            yield replace(self, labels=rows, log=log, game=str(name))


def material_of(
    source: GameLog | str | Path,
    recogniser: str | None = None,
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    seed: int = 0,
    **reading: Any,
) -> Material:
    """Read a log, the folder of a run, or a table of labels with the log that it names.

    The log of a table of labels is read where it still lies there with the same hash; else the report is on
    the labels alone, and says so.

    Parameters
    ----------
    source : GameLog or path
    recogniser, where, others, keep_defaulted, seed, **reading
        As `label_log`; a table of labels has its own recogniser.

    Raises
    ------
    UsageError
        Nothing is left that could be reported on.
    DataError
        The source cannot be read.
    """
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.runner.folder import is_run
    from intent.workflows.focal import narrowed
    from intent.workflows.label import DEFAULT_RECOGNISER, label_log
    from intent.workflows.label_source import holds_labels

    conditions = dict(where or {})
    if not isinstance(source, GameLog) and holds_labels(Path(source)):
        if recogniser is not None:
            raise UsageError("-r chooses how to label a log, but these are labels already")
        return _of_labels(Path(source), conditions)
    run = None
    if isinstance(source, GameLog):
        log, name, kind = source, Path(str(source.provenance.get("source") or "log in memory")).name, "log"
    elif is_run(source):
        log, run = _of_run(Path(source))
        name, kind = Path(source).absolute().name, "run"
    else:
        log, name, kind = read_log(source, **reading), Path(source).absolute().name, "log"
    if conditions:
        log = narrowed(log, conditions)
    labels = label_log(
        log, recogniser or DEFAULT_RECOGNISER, others=others, keep_defaulted=keep_defaulted, seed=seed
    )
    if not len(labels.table):
        said = "; ".join(f"{n:,} games: {why}" for why, n in log.skipped().items())
        raise UsageError(f"nothing to report on in {len(log):,} games{f' ({said})' if said else ''}")
    labels.table.attrs = {"provenance": _Facts(labels.provenance)}
    return Material(name, kind, labels.table, labels.provenance, log, run, where=conditions)


def _of_labels(path: Path, where: Mapping[str, Sequence[str]]) -> Material:
    from intent.logs.conditions import accepted_rows
    from intent.logs.tablefile import read_table

    table, provenance = read_table(path)
    keep = accepted_rows(table, where)
    if not keep.any():
        raise UsageError(f"no labels left of {len(table):,} in {path.name}")
    rows = table[keep].reset_index(drop=True)
    rows.attrs = {"provenance": _Facts(provenance)}
    log, why = _log_behind(provenance, path.parent)
    notes = (
        ()
        if log is not None
        else (f"The log behind these labels {why}: parts that need moves are left out.",)
    )
    if log is not None and where:
        log = log.where({"game_id": rows["game_id"].astype(str).unique().tolist()})
    return Material(path.name, "labels", rows, provenance, log, notes=notes, where=where)


def _log_behind(provenance: Mapping[str, Any], folder: Path) -> tuple[GameLog | None, str]:
    """The log that labels name, if it is the same still; else why not."""
    from intent.logs.readers import read_log

    facts = provenance.get("log")
    named = facts.get("source") if isinstance(facts, Mapping) else None
    if not isinstance(named, str) or not named or "\0" in named:
        return None, "is not named"
    path = next((p for p in (Path(named), folder / named, folder / Path(named).name) if p.exists()), None)
    if path is None:
        return None, "is not where it was"
    try:
        log = read_log(path)
    except (IntentError, OSError):
        return None, "can no longer be read"
    digest = facts.get("sha256") if isinstance(facts, Mapping) else None
    if not digest or log.provenance.get("sha256") != digest:
        return None, "has changed since"
    return log, ""


def _of_run(folder: Path) -> tuple[GameLog, dict[str, Any]]:
    from intent.runner.run import Run
    from intent.workflows.run_summary import use_summary

    run = Run.open(folder)
    status = run.status()
    facts = {
        **run.facts,
        "use": use_summary(status),
        "n_games": status.games,
        "n_finished": status.finished,
        "n_interrupted": status.interrupted,
        "errors": list(status.errors),
        "prompts": list(run.prompts()),
    }
    return run.log(unfinished=status.finished < status.games), facts
