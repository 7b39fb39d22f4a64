"""What a report is on, and what is computed of it before anything is written.

Labels, and the log and the run that they come from, as far as these are there; which columns make groups
worth comparing; the comparisons, the questions on one game, what most of its play is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import DataError, IntentError, UsageError, located
from intent.base.registry import load, points
from intent.base.wording import as_sentence, counted
from intent.comparison.findings import Cell, Finding
from intent.report.page import phrase

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.comparison.compare import CompareResult
    from intent.comparison.findings import Findings, Moves
    from intent.comparison.sentences import Headline
    from intent.estimate.choice.completeness import Completeness
    from intent.logs.gamelog import GameLog, Trajectories
    from intent.report.requests import ReportRequest


__all__ = [
    "DRAWN",
    "Compared",
    "Material",
    "Played",
    "coin_gate",
    "compared",
    "copied_conditions",
    "corrected",
    "material_of",
    "pages_of_games",
    "played",
    "questions_of",
    "varying",
    "with_games",
]

DRAWN = 10
"""Findings that have a figure."""


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
    pages : mapping of game_id -> address
        Where games have a page of their own, seen from the report.
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
    pages: Mapping[str, str] = field(default_factory=dict)

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
        n_games = self.n_games
        games = "" if n_games is None else phrase("material.of_games", games=counted(n_games, "game"))
        return phrase("material.counted", n=len(self.labels), rows=self.rows_in_words) + games

    @property
    def classes(self) -> tuple[str, ...]:
        """Strategies that the recogniser knows."""
        from intent.base.tables import strategy_classes

        return strategy_classes(self.labels, self.provenance)

    @cached_property
    def play(self) -> Trajectories | None:
        """The moves behind the labels, row by row; None where they are not there, or are others."""
        from intent.logs.chunks import places_of

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
        from intent.logs.chunks import reading_of_play

        read = reading_of_play(self.provenance)
        X = log.trajectories(keep_defaulted=read["keep_defaulted"])
        return X if X.other_share is None else X.read_others(read["others"] or "any")

    def by_game(self) -> Iterator[Material]:
        """The part of each game that has labels, the one with most of them first."""
        if "game" not in self.labels:
            yield replace(self, game=None)
            return
        names = self.labels["game"].astype(object).where(self.labels["game"].notna(), "")
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
    from intent.logs.chunks import narrowed, of_subjects
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
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
        if Path(source).is_dir() and is_run(source):
            (log, run), kind = _of_run(Path(source)), "run"
        else:
            log = read_log(source, **request.file_reading())
    if where:
        log = narrowed(log, where)
    log = of_subjects(log)
    scripted = _left_out(log.n_scripted)
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
    from intent.logs.gamelog import accepted_rows, subjects
    from intent.logs.reading import log_behind
    from intent.recognise.bayes import was_without_random
    from intent.recognise.coin import coin_of_labels

    table, provenance = read_table(path)
    keep = accepted_rows(table, where)
    if not keep.any():
        raise UsageError(f"no labels left of {len(table):,} in {path.name}")
    rows = table[keep].reset_index(drop=True)
    of_subjects = subjects(rows)
    rows = rows[of_subjects].reset_index(drop=True)
    rows.attrs = {"provenance": _Facts(provenance)}
    before = was_without_random(table.columns, provenance)
    notes: tuple[str, ...] = (as_sentence(before),) if before else ()
    behind = log_behind(provenance, beside=path, needed=True)
    log = behind.log
    if log is None:
        notes += (phrase("material.no_log", why=behind.why),)
    notes += _left_out(int((~of_subjects).sum()))
    if log is not None and where and "game_id" in rows.columns:
        log = log.where({"game_id": rows["game_id"].astype(str).unique().tolist()})
    coin = coin_of_labels(provenance, len(rows))
    return Material(path.name, "labels", rows, provenance, log, notes=notes, where=where, coin=coin)


def _left_out(n: int) -> tuple[str, ...]:
    """What is said of seats that strategies played."""
    return (phrase("material.scripted", n=n),) if n else ()


MATRICES = "intent.run_matrices"
"""Group of entry points: from the folder of a run to the rows of its information matrix."""


def _matrix(folder: Path) -> list[dict[str, Any]]:
    """What each role was shown in a run; empty where that cannot be rehearsed here."""
    for there in points(MATRICES).values():
        try:
            rows: list[dict[str, Any]] = load(there)(folder)
            return rows
        except IntentError:
            continue
    return []


def _of_run(folder: Path) -> tuple[GameLog, dict[str, Any]]:
    from intent.logs.run_folder import played_run

    run = played_run(folder)
    facts = {**run.account(), "matrix": _matrix(folder)}
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


_FLAT = 1e-9
"""Width of an interval below which both shares are exactly 0 or 1."""

_CROSSED = 6
"""Factors whose interactions are looked at."""

_ALIKE = 0.98
"""Share of moves that are the same from which on play cannot tell strategies apart."""

_BACKGROUND = "RANDOM"
_NAMED = 0.05


@dataclass(frozen=True, eq=False)
class Compared:
    """Estimated shares compared by one factor.

    Parameters
    ----------
    key : str
        Of the part that it belongs to.
    factor : str
    result : CompareResult
    headline : Headline, or None
        What the comparison says, and by which test.
    p_adjusted : float, or None
        After Holm's correction over all questions of the report.
    family : int
        How many these are.
    """

    key: str
    factor: str
    result: CompareResult
    headline: Headline | None
    p_adjusted: float | None = None
    family: int = 1

    @property
    def differs(self) -> bool:
        """Whether the test says so, corrected for all questions of the report."""
        level = self.result.comparison.level
        return self.p_adjusted is not None and self.p_adjusted <= 1 - level + 1e-12

    @property
    def address(self) -> str:
        """Of its section on the page."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.factor.lower()).strip("-")[:40]
        return f"{self.key}-by-{slug or 'x'}"

    @property
    def finding(self) -> Finding | None:
        """The question that it asks, with the widest range of a share as its answer; None without a test."""
        if self.headline is None:
            return None
        comparison, furthest = self.result.comparison, self.result.extras.furthest
        effect = next((t.effect for t in comparison.tests if t.p == self.headline.p), 0.0)
        nan = float("nan")
        names: tuple[str, ...] = ()
        levels: tuple[Any, ...] = ()
        ends, cells, ranges = (effect, nan, nan), [], 1
        if furthest is not None:
            names, ranges = furthest.names, furthest.n_ranges
            (high, top), (low, bottom) = furthest.highest, furthest.lowest
            levels = (high[0], low[0])
            ends = (top - bottom, furthest.low, furthest.high)
            places = [comparison.outcomes.index(name) for name in names]
            for group in comparison.groups:
                own = [group.intervals[k] for k in places]
                bounds = (own[0].low, own[0].high) if len(own) == 1 else (nan, nan)
                cells.append(Cell(group.values, sum(one.estimate for one in own), *bounds, group.n))
            if furthest.high - furthest.low < _FLAT:
                ends = (ends[0], *_difference_of(cells, high, low))
        units = self.result.units
        return Finding(
            "share",
            (self.factor,),
            levels,
            *ends,
            p=self.headline.p,
            unit=self.headline.unit,
            question=self.headline.question,
            counted=self.headline.unit if units is None else units.unit.counted(),
            cells=tuple(cells),
            outcome=names,
            n_compared=ranges,
            key=self.address,
        )


def _difference_of(cells: Sequence[Cell], high: tuple[Any, ...], low: tuple[Any, ...]) -> tuple[float, float]:
    """Ends of the difference of two groups from their own intervals, where neither varies.

    d - ((p1 - l1)^2 + (u2 - p2)^2)^1/2 and d + ((u1 - p1)^2 + (p2 - l2)^2)^1/2 (Newcombe 1998, Statistics in
    Medicine 17:873): shares of exactly 0 and 1 have no standard error, but intervals.
    """
    one, two = (next(c for c in cells if c.values == values) for values in (high, low))
    d = one.estimate - two.estimate
    below = ((one.estimate - one.low) ** 2 + (two.high - two.estimate) ** 2) ** 0.5
    above = ((one.high - one.estimate) ** 2 + (two.estimate - two.low) ** 2) ** 0.5
    return max(d - below, -1.0), min(d + above, 1.0)


def compared(
    part: Material, key: str, factors: Sequence[str], *, sensitivity: bool = False, **settings: Any
) -> list[Compared]:
    """Estimated shares compared by each factor, on the unit of the design.

    Parameters
    ----------
    part : Material
    key : str
    factors : columns to compare by
    sensitivity : bool
        Whether the first comparison shows how it depends on settings; needs the log.
    **settings
        bootstrap, permutations, level, seed of `compare`.
    """
    from intent.comparison.compare import compare

    comparisons = []
    for k, factor in enumerate(factors):
        more: dict[str, Any] = {} if part.log is None else {"log": part.log}
        if sensitivity and k == 0 and part.play is not None:
            more["sensitivity"] = True
        try:
            result = compare(part.labels, [factor], **settings, **more)
        except IntentError:
            continue
        headline = next((one for one in result.headline() if one.factor == factor), None)
        comparisons.append(Compared(key, factor, result, headline))
    return comparisons


def corrected(comparisons: Sequence[Compared], findings: Findings) -> list[Compared]:
    """The comparisons with their p after the correction for all questions of the report."""
    every = [*findings.shown, *findings.open, *findings.silent]
    adjusted = {one.key: one.p_adjusted for one in every if one.kind == "share"}
    return [replace(c, p_adjusted=adjusted.get(c.address), family=findings.n) for c in comparisons]


def copied_conditions(material: Material) -> list[str]:
    """Conditions all of whose games are the same, move by move."""
    from intent.estimate.design_units import identical_cells

    if material.log is None or not len(material.log):
        return []
    cells = identical_cells(material.log)
    several = cells[(cells["n_games"] > 1).to_numpy()]
    n = int(several["identical"].sum())
    return [phrase("data.copies", n=n, several=len(several))] if n else []


@dataclass(frozen=True)
class Played:
    """What most of the play is.

    Parameters
    ----------
    sentence : str
    named : bool
        Whether the play tells a strategy from the others, so that one is named.
    shares : tuple of (names, share, low, high)
        Estimated, strategies that the play does not tell apart together.
    explained : Completeness, optional
        How much of what can be predicted the strategies explain.
    """

    sentence: str
    named: bool
    shares: tuple[tuple[tuple[str, ...], float, float, float], ...] = ()
    explained: Completeness | None = None


def questions_of(
    part: Material,
    factors: Sequence[str],
    comparisons: Sequence[Compared],
    key: str,
    *,
    level: float,
    seed: int,
) -> list[Finding]:
    """Every question on one game: cooperation by each factor and pair of factors, shares by those compared.

    Parameters
    ----------
    part : Material
    factors : columns that vary
    comparisons : of shares of this game
    key : section of the game
    level : float in (0, 1)
    seed : int
    """
    from intent.comparison.findings import interaction_of_rates, range_of_rates
    from intent.estimate.design_units import design_units

    game, moves = part.game or "", part.moves
    questions = [replace(c.finding, game=game) for c in comparisons if c.finding is not None]
    if moves is None:
        return questions

    def add(finding: Finding | None) -> None:
        if finding is not None:
            questions.append(replace(finding, game=game, key=f"{key}-cooperation"))

    grouped = []
    for factor in factors:
        try:
            unit = design_units(part.labels, [factor], classes=part.classes).unit
            one = range_of_rates(moves, factor, unit, level=level, seed=seed)
        except UsageError:
            continue
        grouped.append(factor)
        add(one)
    for pair in combinations([factor for factor in grouped if factor != "seat"][:_CROSSED], 2):
        unit = design_units(part.labels, pair, classes=part.classes).unit
        add(interaction_of_rates(moves, pair, unit, level=level, seed=seed))
    return questions


def played(part: Material, *, level: float, seed: int, explained: bool = False) -> Played:
    """What most of the play is, with how much no strategy of the set explains.

    A strategy is named only where the play tells it from the others: not where their shares can be moved from
    one to another, nor where nearly all moves are the same.

    Parameters
    ----------
    part : Material
    level : float in (0, 1)
    seed : int
    explained : bool
        Whether the strategies are also held against what can be predicted, where the moves are at hand.
    """
    from intent.comparison.data import compared
    from intent.comparison.requests import CompareRequest
    from intent.comparison.shares import estimator, explained_of, joined_strategies
    from intent.estimate.design_units import design_units

    rows = f"{len(part.labels):,} {part.rows_in_words}"
    same = _all_alike(part)
    if same is not None and not _one_fits(part):
        return Played(phrase("played.alike", same=same, rows=rows), False)
    try:
        request = CompareRequest(table=part.labels, log=part.log, level=level, seed=seed)
        source = compared(request, log_needed=part.log is not None)
        units = design_units(part.labels, (), classes=part.classes)
        estimate, _, _ = estimator(request, source, part.labels, (), units)
        (group,) = estimate.comparison().groups
    except IntentError as error:
        return Played(phrase("played.no_estimate", error=error), False)
    (fit,) = estimate.joint.fits
    names = estimate.subjects.names
    shares = []
    for places in joined_strategies(names, [fit.ridge]):
        share = float(fit.shares[list(places)].sum())
        alone = group.intervals[places[0]] if len(places) == 1 else None
        ends = (float("nan"), float("nan")) if alone is None else (alone.low, alone.high)
        shares.append((tuple(names[k] for k in places), share, *ends))
    shares.sort(key=lambda one: -one[1])
    sentence, named = _played_words(shares, rows, known=_BACKGROUND in names)
    complete = None
    if explained and part.log is not None:
        try:
            complete = explained_of(request, source, part.labels)
        except IntentError:
            complete = None
    return Played(sentence, named, tuple(shares), complete)


def _played_words(
    shares: Sequence[tuple[tuple[str, ...], float, float, float]], rows: str, *, known: bool
) -> tuple[str, bool]:
    first = shares[0]
    if len(first[0]) > 1:
        return phrase("played.not_apart", share=first[1], rows=rows, n=len(first[0])), False
    single = [one for one in shares if one[0] != (_BACKGROUND,) and len(one[0]) == 1]
    largest = [f"{one[0][0]} {_estimate(one)}" for one in single[:2] if one[1] >= _NAMED]
    by_chance = next((one for one in shares if one[0] == (_BACKGROUND,)), None)
    if first[0] == (_BACKGROUND,):
        most = phrase("played.largest_beside_chance", share=largest[0]) if largest else ""
        return phrase("played.by_chance", share=_estimate(first), rows=rows, most=most), bool(largest)
    rest = "" if by_chance is None else phrase("played.rest", share=_estimate(by_chance))
    if not largest:
        return phrase("played.none_large", least=_NAMED, rows=rows, rest=rest), False
    unknown = "" if known else phrase("played.without_random")
    key = "played.largest_two" if len(largest) > 1 else "played.largest"
    return phrase(key, rows=rows, shares=" and ".join(largest), rest=rest, unknown=unknown), True


def _estimate(one: tuple[tuple[str, ...], float, float, float]) -> str:
    ends = "" if one[2] != one[2] else f" [{100 * one[2]:.0f}, {100 * one[3]:.0f}]"
    return f"{100 * one[1]:.0f} %{ends}"


def _all_alike(part: Material) -> str | None:
    """That nearly all known moves are the same, in words."""
    moves = part.moves
    if moves is None or not moves.known.sum():
        return None
    rate = float(moves.cooperated.sum() / moves.known.sum())
    if max(rate, 1 - rate) < _ALIKE:
        return None
    share, what = (rate, "cooperation") if rate > 0.5 else (1 - rate, "defection")
    return phrase("played.all_moves" if share == 1 else "played.most_moves", share=share, what=what)


def _one_fits(part: Material) -> bool:
    """Whether one strategy of the set makes all the moves, and no other does, as ALLD where all defect."""
    fitting = {name for names in part.labels["consistent"] for name in names}
    return len(fitting) == 1


def coin_gate(material: Material, *, level: float) -> str | None:
    """Why no strategy may be named: labels without RANDOM that fair coins would get as often; else None."""
    from intent.base.statistics import share_intervals
    from intent.comparison.groups import outcomes
    from intent.estimate.design_units import design_units

    coin = material.coin
    if material.provenance.get("background") is not False or not isinstance(coin, Mapping):
        return None
    tossed = coin.get("confident")
    if not isinstance(tossed, int | float):
        return None
    counted = outcomes(material.labels, "status", classes=material.classes)
    sure = counted.weights[:, [k for k, n in enumerate(counted.names) if n in material.classes]].sum(axis=1)
    units = design_units(material.labels, (), classes=material.classes).unit
    interval = share_intervals(sure[:, None], units.codes, level=level)[0]
    if interval.low > tossed:
        return None
    return phrase("played.coin_gate", share=interval.estimate, tossed=tossed)


def with_games(findings: Findings, parts: Mapping[str, Material]) -> Findings:
    """The findings with identifiers of games that show them."""
    shown = tuple(
        replace(one, games=_typical(parts[one.game], one)) if one.game in parts else one
        for one in findings.shown
    )
    return replace(findings, shown=shown)


def _typical(part: Material, one: Finding) -> tuple[str, ...]:
    """One game of each named group, whose player cooperates as often as the group does."""
    import numpy as np

    moves = part.moves
    if moves is None or part.per_player:
        return ()
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = moves.cooperated / moves.known
    labels = part.labels

    def rows(column: str, value: Any) -> NDArray[np.bool_]:
        own = labels[column]
        here = own.isna() if value == "(none)" else own.astype(str) == str(value)
        return np.asarray(here.to_numpy(), dtype=bool)

    if one.kind == "interaction":
        moderator, factor = one.factors
        ends = [one.effects[-1].level, one.effects[0].level]
        groups = [rows(moderator, level) & rows(factor, one.levels[0]) for level in ends]
    else:
        groups = [rows(one.factors[0], level) for level in one.levels]
    if one.kind == "share" and set(one.outcome) <= set(part.classes):
        clear = labels["best"].isin(one.outcome).to_numpy() & (labels["status"] == "confident").to_numpy()
        groups[0] = groups[0] & clear if (groups[0] & clear).any() else groups[0]
    games: list[str] = []
    for group in groups:
        places = np.flatnonzero(group & (moves.known > 0))
        if not len(places):
            continue
        mean = float(moves.cooperated[places].sum() / moves.known[places].sum())
        names = labels["game_id"].to_numpy()[places].astype(str)
        order = np.lexsort((names, np.abs(rate[places] - mean).round(9)))
        games.append(str(names[order[0]]))
    return tuple(dict.fromkeys(games))


_LONGEST_MANIFEST = 64 * 1024**2


def pages_of_games(folder: str | Path, report: Path) -> dict[str, str]:
    """The pages of games in a folder that ``intent view --bundle`` wrote, as addresses from the report.

    Parameters
    ----------
    folder : path
    report : path of the report

    Raises
    ------
    DataError
        It is no such folder.
    """
    import os
    from urllib.parse import quote

    from intent.base.files import read_object
    from intent.report.page import GAME_PAGE

    expected = "a folder that intent view --bundle wrote"
    facts = read_object(Path(folder) / "bundle.json", expected, longest=_LONGEST_MANIFEST)
    pages = facts.get("pages")
    if not isinstance(pages, dict):
        raise DataError(located(folder, f"no pages, expected {expected}"))
    way = quote(Path(os.path.relpath(Path(folder).absolute(), report.absolute().parent)).as_posix())
    addresses = {game: f"{way}/{page}" for game, page in pages.items() if isinstance(page, str)}
    return {game: address for game, address in addresses.items() if GAME_PAGE.fullmatch(address)}
