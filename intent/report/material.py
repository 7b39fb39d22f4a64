"""What a report is on: labels, and the log and the run that they come from, as far as these are there.

Which columns make groups worth comparing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import UsageError
from intent.base.wording import as_sentence
from intent.report.page import phrase

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.comparison.findings import Moves
    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories
    from intent.report.requests import ReportRequest


__all__ = ["Material", "material_of", "varying"]


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
    labels : DataFrame as `codebook.LABELS`
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
    where : mapping of column -> accepted values
    coin : mapping, or None
        What fair coins would get in these games, as `intent label` counts it; of the whole alone.
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
    coin: Mapping[str, Any] | None = None

    @property
    def per_player(self) -> bool:
        """Whether a row is a player with all games."""
        return "game_id" not in self.labels.columns

    @property
    def rows_in_words(self) -> str:
        """What a row is, in the plural."""
        return phrase("material.players" if self.per_player else "material.trajectories")

    @property
    def n_games(self) -> int | None:
        """Games behind the rows; None where nothing says how many."""
        if not self.per_player:
            return int(self.labels["game_id"].nunique())
        if self.log is not None:
            return len(self.log)
        summary = self.provenance.get("summary")
        known = summary.get("n_games") if isinstance(summary, Mapping) else None
        return known if isinstance(known, int) else None

    @property
    def counted(self) -> str:
        """Rows and games in words: ``5,400 trajectories of 2,700 games``."""
        games = "" if self.n_games is None else phrase("material.of_games", n=self.n_games)
        return phrase("material.counted", n=len(self.labels), rows=self.rows_in_words) + games

    @property
    def classes(self) -> tuple[str, ...]:
        """Strategies that the recogniser knows."""
        from intent.base.codebook import strategy_classes

        return strategy_classes(self.labels, self.provenance)

    @cached_property
    def play(self) -> Trajectories | None:
        """The moves behind the labels, row by row; None where they are not there, or are others."""
        from intent.recognise.labels.sources import places_of

        if self.log is None or self.per_player:
            return None
        X = self._trajectories(self.log)
        places = places_of(self.labels, X)
        return None if (places < 0).any() else X[places]

    @cached_property
    def moves(self) -> Moves | None:
        """Own moves of each row that are known, and those that cooperated; None where they are not there."""
        import numpy as np
        import pandas as pd

        from intent.comparison.findings import Moves

        if self.log is None:
            return None
        places = np.arange(len(self.labels))
        X = self._trajectories(self.log) if self.per_player else self.play
        if X is None:
            return None
        if self.per_player:
            if X.keys is None or "player" not in X.keys.columns or "player" not in self.labels.columns:
                return None
            known = pd.Index(self.labels["player"].astype(str))
            if not known.is_unique:
                return None
            places = known.get_indexer(pd.Index(X.keys["player"].astype(str)))
        counts = X.evidence
        here, n = places >= 0, len(self.labels)
        known_moves, cooperated = (
            np.bincount(places[here], weights=each.sum(axis=1)[here], minlength=n).astype(np.intp)
            for each in (counts, counts & (X.own == 1))
        )
        return Moves(self.labels, known_moves, cooperated)

    def _trajectories(self, log: GameLog) -> Trajectories:
        from intent.recognise.labels.sources import reading_of_play

        read = reading_of_play(self.provenance)
        X = log.trajectories(keep_defaulted=read["keep_defaulted"])
        return X if X.other_share is None else X.read_others(read["others"] or "any")

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
            yield replace(self, labels=rows, log=log, game=str(name), coin=None)


def material_of(request: ReportRequest) -> Material:
    """Read a log, the folder of a run, or a table of labels with the log that it names.

    The log of a table of labels is read where it still lies there with the same hash; else the report is on
    the labels alone, and says so.

    Raises
    ------
    UsageError
        Nothing is left that could be reported on.
    DataError
        The source cannot be read.
    """
    from intent.base.tables import holds_labels
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.logs.reading import narrowed
    from intent.logs.run_folder import is_run
    from intent.recognise.labels.label import label_log

    source, where = request.source, dict(request.where or {})
    if not isinstance(source, GameLog) and holds_labels(source):
        if request.recogniser is not None:
            raise UsageError("-r chooses how to label a log, but these are labels already")
        return _of_labels(Path(source), where)
    run, kind = None, "log"
    if isinstance(source, GameLog):
        log, name = source, Path(str(source.provenance.get("source") or "log in memory")).name
    else:
        name = Path(source).absolute().name
        if is_run(source):
            (log, run), kind = _of_run(Path(source)), "run"
        else:
            log = read_log(source, **request.file_reading())
    if where:
        log = narrowed(log, where)
    log, scripted = _of_models(log)
    labels = label_log(
        log,
        request.recogniser or DEFAULT_RECOGNISER,
        others=request.others,
        keep_defaulted=request.keep_defaulted,
        seed=request.seed,
    )
    table = labels.table()
    if not len(table):
        why = "; ".join(f"{n:,} games: {why}" for why, n in log.skipped().items())
        raise UsageError(f"nothing to report on in {len(log):,} games{f' ({why})' if why else ''}")
    table.attrs = {"provenance": _Facts(labels.provenance)}
    coin = labels.summary.get("coin")
    return Material(name, kind, table, labels.provenance, log, run, scripted, where=where, coin=coin)


def _of_labels(path: Path, where: Mapping[str, Sequence[str]]) -> Material:
    from intent.base.tables import read_table
    from intent.logs.gamelog import accepted_rows
    from intent.logs.origin import log_behind
    from intent.recognise.bayes import was_without_random

    table, provenance = read_table(path)
    keep = accepted_rows(table, where)
    if not keep.any():
        raise UsageError(f"no labels left of {len(table):,} in {path.name}")
    scripted = _scripted(table) & keep
    if (keep & ~scripted).any():
        keep &= ~scripted
    rows = table[keep].reset_index(drop=True)
    rows.attrs = {"provenance": _Facts(provenance)}
    before = was_without_random(table.columns, provenance)
    notes: tuple[str, ...] = (as_sentence(before),) if before else ()
    behind = log_behind(provenance, beside=path, needed=True)
    log = behind.log
    if log is None:
        notes += (phrase("material.no_log", why=behind.why),)
    notes += _left_out(int(scripted.sum()))
    if log is not None and where and "game_id" in rows.columns:
        log = log.where({"game_id": rows["game_id"].astype(str).unique().tolist()})
    summary = provenance.get("summary") if keep.all() else None
    coin = summary.get("coin") if isinstance(summary, Mapping) else None
    return Material(path.name, "labels", rows, provenance, log, notes=notes, where=where, coin=coin)


def _scripted(table: pd.DataFrame) -> NDArray[np.bool_]:
    """(n,) rows that a strategy played, where models played others; else none."""
    import numpy as np

    if not {"model", "strategy"} <= set(table.columns) or not table["model"].notna().any():
        return np.zeros(len(table), dtype=bool)
    return np.asarray((table["model"].isna() & table["strategy"].notna()).to_numpy(), dtype=bool)


def _of_models(log: GameLog) -> tuple[GameLog, tuple[str, ...]]:
    """The log with models as those to look at, where they play against strategies, and a note on it."""
    scripted = _scripted(log.seats)
    if not scripted.any():
        return log, ()
    of_models = log.where({"model": log.seats["model"].dropna().astype(str).unique().tolist()})
    return of_models, _left_out(int(scripted.sum()))


def _left_out(n: int) -> tuple[str, ...]:
    """What is said of seats that strategies played."""
    return (phrase("material.scripted", n=n),) if n else ()


def _of_run(folder: Path) -> tuple[GameLog, dict[str, Any]]:
    from intent.logs.run_folder import played_run

    run = played_run(folder)
    facts = run.account()
    return run.log(unfinished=facts["n_finished"] < facts["n_games"]), facts


_FIRST = ("model", "language", "persona", "horizon_known")
_LAST = ("seat",)
_NEVER = frozenset(
    {
        "game_id",
        "game",
        "player",
        "repetition",
        "run",
        "source",
        "agent_name",
        "payoff_kind",
        "eps",
        "strategy",
    }
)
_MOST = 12
"""Values up to which a column is a factor, and not a description."""


def varying(labels: pd.DataFrame, *, most: int = 8, seats: bool = True) -> tuple[str, ...]:
    """Columns that describe a trajectory and take two to twelve values, the usual ones first.

    A column that says the same as one before it (each value goes with one value of the other) is left out.

    Parameters
    ----------
    labels : DataFrame as `codebook.LABELS`
    most : int, columns at the most
    seats : bool, whether the seat counts as one, last
    """
    from intent.base import codebook

    results = {c.name for c in codebook.LABELS} - {"seat"}
    names = [c for c in labels.columns if c not in results | _NEVER and not c.startswith("p_")]
    order = [c for c in _FIRST if c in names]
    order += [c for c in names if c not in (*order, *_LAST) and not c.endswith("_id")]
    order += [c for c in _LAST if seats and c in names]
    factors: list[str] = []
    for name in order:
        try:
            n = labels[name].nunique(dropna=False)
        except TypeError:
            continue
        if not 2 <= n <= _MOST or any(_same(labels, name, other) for other in factors):
            continue
        factors.append(name)
    return tuple(factors[:most])


def _same(labels: pd.DataFrame, name: str, other: str) -> bool:
    pairs = labels[[name, other]].astype(str).drop_duplicates()
    return bool(len(pairs) == pairs[name].nunique() == pairs[other].nunique())
