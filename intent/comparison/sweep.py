"""Sweep the threshold of labels: retention, mean confidence and diversity, with and without the rules.

What thresholds keep are sums that add up over pieces of a table of labels to those of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError, UnknownNameError, UsageError, shorten
from intent.base.job import Result, Table, data_line, job, kept_in_words
from intent.base.statistics import cluster_codes, group_name, grouping
from intent.base.tables import LIST_SEPARATOR, column_names, is_list, strategy_classes
from intent.base.wording import counted
from intent.comparison.groups import outcomes
from intent.comparison.requests import SweepRequest
from intent.figures.style import (
    Drawing,
    canvas,
    columns_of,
    legend_of,
    palette,
    percent_axis,
    ruled,
    wrapped,
)
from intent.logs.chunks import LEFT_OUT, WHO, keeps_scripted
from intent.logs.gamelog import accepted_rows, is_scripted
from intent.logs.reading import Reading
from intent.recognise.labels.sources import open_labels
from intent.recognise.rules import RuleMode, chosen_rules, label_weights, listed_rules, reaches
from intent.recognise.verdict import RULE_CLASSES
from intent.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "LISTS",
    "Evidence",
    "Gate",
    "Point",
    "Sweep",
    "SweepGroup",
    "SweepResult",
    "diversity",
    "sweep",
    "sweep_sums",
    "thresholds",
]

Gate = Literal["game", "trajectory"]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a sweep needs to know of n labelled trajectories, whose labels are of u kinds.

    Attributes
    ----------
    confidence : (n,) probability of the most probable strategy
    kinds : (n,) int, kind of the label
    best : (u, K) float
        What a kind counts for by the recogniser: 1 for the most probable strategy, shared where several tie.
    rules : (u, K) float
        What it counts for by the rules that are satisfied; zero rows where none is.
    tied : (n,) bool, whether another strategy explains the play equally well
    games : (n,) int, number of the game
    """

    confidence: Floats
    kinds: NDArray[np.intp]
    best: Floats
    rules: Floats
    tied: NDArray[np.bool_]
    games: NDArray[np.intp]


@dataclass(frozen=True)
class Point:
    """One threshold, one group, one way to label.

    Parameters
    ----------
    kept : int
        Trajectories that get a label.
    retention : float
        Share of units kept: of trajectories, or of games under the gate on games.
    mean_confidence : float
        Mean over the kept trajectories of the recogniser's highest probability (NaN where none is kept).
    diversity : float
        As `diversity`, of `shares`.
    n_strategies : int
        Strategies with a share above zero.
    tied : float
        Share of the kept trajectories whose label is not the only one that explains them equally well.
    shares : tuple of K float
        Of the labels of the kept trajectories.
    """

    kept: int
    retention: float
    mean_confidence: float
    diversity: float
    n_strategies: int
    tied: float
    shares: tuple[float, ...]


@dataclass(frozen=True)
class SweepGroup:
    """The curves of one group.

    Parameters
    ----------
    values : tuple
        Value of every factor.
    n, n_games : int
        Trajectories, and games they come from, before any threshold.
    points : tuple of (Point, Point), one per threshold
        By the recogniser alone, and with rules where it is unsure.
    """

    values: tuple[Any, ...]
    n: int
    n_games: int
    points: tuple[tuple[Point, Point], ...]


@dataclass(frozen=True)
class Sweep:
    """What every threshold keeps of every group.

    Parameters
    ----------
    by : tuple of str
        Columns that make the groups.
    taus : tuple of float
    gate : "game" or "trajectory"
    rules : "expand" or "priority"
    split : bool
        Whether several rule labels share one trajectory.
    classes : tuple of K str
        What `Point.shares` are of.
    groups : tuple of SweepGroup
    """

    by: tuple[str, ...]
    taus: tuple[float, ...]
    gate: Gate
    rules: str
    split: bool
    classes: tuple[str, ...]
    groups: tuple[SweepGroup, ...]


def diversity(shares: Floats) -> float:
    """Shannon's entropy of shares over its maximum: H = -sum_k s_k ln s_k / ln K.

    0 where one strategy is all, 1 where all K are equally frequent; NaN where nothing was counted or K < 2.

    Parameters
    ----------
    shares : (K,) float that sum to one

    References
    ----------
    Shannon 1948, Bell System Technical Journal 27:379; normalised (evenness): Pielou 1966.
    """
    if len(shares) < 2 or not shares.sum() > 0:
        return math.nan
    some = shares[shares > 0]
    return float(max(0.0, -(some * np.log(some)).sum()) / math.log(len(shares)))


_UNIT = 2**40
"""Probabilities and weights are summed as whole multiples of 2^-40: the sum is then the same in any order."""
_TOGETHER = 1 << 20
"""Rows whose multiples a 64-bit integer can sum."""
_KEPT, _GAMES, _TIED, _CONFIDENCE, _COUNTS = range(5)


@dataclass(frozen=True, eq=False)
class SweepSums:
    """Sums over the trajectories of g groups that T thresholds keep.

    Attributes
    ----------
    n, n_games : (g,) int, trajectories and games before any threshold
    sums : (g, 2, T, 4 + K) int of any size
        By the recogniser alone, and with rules where it is unsure: trajectories kept, games kept (under the
        gate on games), tied ones among the trajectories, then in multiples of 2^-40 their confidence and
        what they count for.
    """

    n: NDArray[np.int64]
    n_games: NDArray[np.int64]
    sums: NDArray[np.object_]

    def __add__(self, other: SweepSums) -> SweepSums:
        """Of both, which have no game in common."""
        return SweepSums(self.n + other.n, self.n_games + other.n_games, self.sums + other.sums)

    def at(self, places: Sequence[int], n_groups: int) -> SweepSums:
        """The same groups at places among `n_groups`, the others empty."""
        rows = list(places)
        n, n_games = (np.zeros(n_groups, dtype=np.int64) for _ in range(2))
        sums = np.zeros((n_groups, *self.sums.shape[1:]), dtype=object)
        n[rows], n_games[rows], sums[rows] = self.n, self.n_games, self.sums
        return SweepSums(n, n_games, sums)

    def points(self, group: int, gate: Gate) -> tuple[tuple[Point, Point], ...]:
        """The curves of a group, a pair of points per threshold."""
        return tuple(
            (self._point(group, 0, t, gate), self._point(group, 1, t, gate))
            for t in range(self.sums.shape[2])
        )

    def _point(self, group: int, way: int, t: int, gate: Gate) -> Point:
        n_kept, games, tied, confidence, *counts = self.sums[group, way, t].tolist()
        units, of = (games, self.n_games) if gate == "game" else (n_kept, self.n)
        total = max(sum(counts), 1)
        shares = np.array([count / total for count in counts])
        return Point(
            n_kept,
            units / max(int(of[group]), 1),
            confidence / (_UNIT * n_kept) if n_kept else math.nan,
            diversity(shares),
            sum(count > 0 for count in counts),
            tied / n_kept if n_kept else math.nan,
            tuple(shares.tolist()),
        )


def sweep_sums(
    evidence: Evidence,
    taus: Sequence[float],
    gate: Gate,
    groups: NDArray[np.intp],
    n_groups: int,
    judged: NDArray[np.bool_] | None = None,
) -> SweepSums:
    """What every threshold keeps of each group: by the recogniser alone, and with rules where it is unsure.

    With b the number of thresholds that a confidence reaches, a trajectory has a label at the first b of
    them by the recogniser, and at all of them where rules are satisfied. So rows are counted by the last
    threshold that keeps them, and sums over later ones are what an earlier one keeps.

    Parameters
    ----------
    evidence : Evidence, of whole games
    taus : (T,) float in [0, 1], ascending
        Least probability of a label of the recogniser.
    gate : "game" or "trajectory"
        Whether a game is kept only where all of its judged seats get a label; judged before rows are
        divided into groups.
    groups : (n,) int, number of the group of each row, -1 where it counts in none
    judged : (n,) bool, optional
        The rows by which a game is judged; by default all.
    """
    n, last = len(evidence.confidence), len(taus)
    own = np.zeros(n, dtype=np.intp)
    for tau in taus:
        own += reaches(evidence.confidence, tau)
    ruled = np.asarray((evidence.rules > 0).any(axis=1))
    ends = [own, np.where(ruled[evidence.kinds], last, own)]
    if gate == "game" and n:
        aside = np.zeros(n, dtype=bool) if judged is None else ~judged
        ends = [_least(np.where(aside, last, end), evidence.games) for end in ends]
    width = _COUNTS + evidence.best.shape[1]
    sums = np.zeros((n_groups, 2, last, width), dtype=object)
    first = _first_of_games(evidence.games, groups)
    if gate == "game":
        for way, end in enumerate(ends):
            ones = np.ones((len(first), 1), dtype=np.int64)
            sums[:, way, :, _GAMES] = _sums_by_threshold(groups[first], end[first], ones, n_groups, last)[
                ..., 0
            ]
    counted = np.flatnonzero(groups >= 0)
    for start in range(0, len(counted), _TOGETHER):
        rows = counted[start : start + _TOGETHER]
        for way, end in enumerate(ends):
            sums[:, way] += _sums_of(evidence, rows, groups[rows], own[rows], end[rows], n_groups, last)
    return SweepSums(
        np.bincount(groups[counted], minlength=n_groups), np.bincount(groups[first], minlength=n_groups), sums
    )


def _sums_of(
    evidence: Evidence,
    rows: NDArray[np.intp],
    groups: NDArray[np.intp],
    own: NDArray[np.intp],
    end: NDArray[np.intp],
    n_groups: int,
    last: int,
) -> NDArray[np.object_]:
    """(g, T, 4 + K) of some rows that are kept up to `end`, by the recogniser's label up to `own`."""
    facts = np.zeros((len(rows), _COUNTS), dtype=np.int64)
    facts[:, _KEPT], facts[:, _TIED] = 1, evidence.tied[rows]
    facts[:, _CONFIDENCE] = np.rint(evidence.confidence[rows] * _UNIT)
    best, rules = (np.rint(weights * _UNIT).astype(np.int64) for weights in (evidence.best, evidence.rules))
    kinds, sure = evidence.kinds[rows], np.minimum(own, end)
    counts = _kinds_by_threshold(groups, sure, kinds, best, n_groups, last)
    if (sure < end).any():
        counts += _kinds_by_threshold(groups, end, kinds, rules, n_groups, last)
        counts -= _kinds_by_threshold(groups, sure, kinds, rules, n_groups, last)
    sums = _sums_by_threshold(groups, end, facts, n_groups, last)
    return np.concatenate([sums, counts], axis=2).astype(object)


def _least(values: NDArray[np.intp], games: NDArray[np.intp]) -> NDArray[np.intp]:
    """(n,), the lowest value of each row's game."""
    least = np.full(int(games.max()) + 1, np.iinfo(np.intp).max)
    np.minimum.at(least, games, values)
    return np.asarray(least[games])


def _first_of_games(games: NDArray[np.intp], groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """The first row of each game in each group."""
    counted = np.flatnonzero(groups >= 0)
    if not len(counted):
        return counted
    pairs = groups[counted] * (int(games.max()) + 1) + games[counted]
    return np.asarray(counted[np.unique(pairs, return_index=True)[1]])


def _sums_by_threshold(
    groups: NDArray[np.intp], end: NDArray[np.intp], values: NDArray[np.int64], n_groups: int, last: int
) -> NDArray[np.int64]:
    """(g, T, k): sums of (n, k) values over the rows that each threshold keeps, those before their end."""
    sums = np.zeros((n_groups * (last + 1), values.shape[1]), dtype=np.int64)
    np.add.at(sums, groups * (last + 1) + end, values)
    return _summed(sums, n_groups, last)


def _kinds_by_threshold(
    groups: NDArray[np.intp],
    end: NDArray[np.intp],
    kinds: NDArray[np.intp],
    weights: NDArray[np.int64],
    n_groups: int,
    last: int,
) -> NDArray[np.int64]:
    """(g, T, K): as `_sums_by_threshold`, of what each row's kind counts for."""
    sums = np.zeros((n_groups * (last + 1), weights.shape[1]), dtype=np.int64)
    codes = (groups * (last + 1) + end) * len(weights) + kinds
    there, times = np.unique(codes, return_counts=True)
    np.add.at(sums, there // len(weights), weights[there % len(weights)] * times[:, None])
    return _summed(sums, n_groups, last)


def _summed(sums: NDArray[np.int64], n_groups: int, last: int) -> NDArray[np.int64]:
    """Sums by the number of thresholds that are met -> sums by threshold."""
    by_end = sums.reshape(n_groups, last + 1, -1)
    return np.asarray(by_end[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:])


NEEDED = ("game_id", "best", "tied", "tied_with", "confidence", "rule_labels")
"""Columns of labels that a sweep reads."""
_NEVER = -1.0
"""A confidence that no threshold lets through."""
LISTS = frozenset({"tied_with", "rule_labels"})
"""Those of them that hold lists."""


def sweep_classes(columns: Sequence[str], origin: Mapping[str, Any]) -> tuple[tuple[str, ...], int]:
    """The classes of the recogniser and then of the rules, and how many of them the recogniser has.

    Raises
    ------
    DataError
        Columns that labels have are missing.
    """
    for column in NEEDED:
        if column not in columns:
            raise DataError(f"no column {column!r}, expected a table of labels made by `intent label`")
    known = strategy_classes(pd.DataFrame(columns=pd.Index(columns)), origin)
    return (*known, *(name for name in RULE_CLASSES if name not in known)), len(known)


def evidence_of(
    table: pd.DataFrame, classes: tuple[str, ...], n_known: int, rules: str, split: bool, before: int = 0
) -> Evidence:
    """What rows of labels say, over the classes of `sweep_classes`; `before` them stand others.

    Raises
    ------
    DataError
        Values that labels cannot have.
    """
    kinds = np.zeros(len(table), dtype=np.intp)
    for column in ("best", "tied_with", "rule_labels"):
        codes, values = pd.factorize(_texts(table[column]), use_na_sentinel=False)
        kinds = np.unique(kinds * (len(values) + 1) + codes, return_inverse=True)[1]
    _, first = np.unique(kinds, return_index=True)
    some = table.iloc[first].reset_index(drop=True)
    best, by_rule = (np.zeros((len(some), len(classes))) for _ in range(2))
    places = [classes.index(name) for name in RULE_CLASSES]

    def weigh(part: slice) -> None:
        rows = some.iloc[part]
        best[part, :n_known] = outcomes(rows, "split", classes=classes[:n_known]).weights
        chosen = chosen_rules(listed_rules(rows["rule_labels"].tolist()), rules)  # type: ignore[arg-type]
        by_rule[part, places] = label_weights(chosen, split=split)

    try:
        weigh(slice(None))
    except DataError:
        _find_row(weigh, first + before)
        raise
    # RANDOM is no label that a threshold could let through, however sure.
    named = (table["best"] != "RANDOM").to_numpy(dtype=bool)
    return Evidence(
        np.where(named, _probabilities(table["confidence"]), _NEVER),
        kinds,
        best,
        by_rule,
        table["tied"].to_numpy(dtype=bool, na_value=False),
        cluster_codes(table, ("game_id",)),
    )


@dataclass
class GroupSums:
    """Sums of groups, filled piece by piece.

    Attributes
    ----------
    factors : tuple of str, columns that make the groups
    """

    factors: tuple[str, ...]
    n: int = 0
    _heads: pd.DataFrame | None = None
    _sums: SweepSums | None = None

    def add(
        self,
        evidence: Evidence,
        table: pd.DataFrame,
        keep: NDArray[np.bool_],
        taus: Sequence[float],
        gate: Gate,
        judged: NDArray[np.bool_] | None = None,
    ) -> None:
        """Count a piece of whole games, of which the rows in `keep` stand in groups.

        Parameters
        ----------
        judged : as of `sweep_sums`

        Raises
        ------
        UnknownNameError, UsageError
            As `intent.base.statistics.grouping`.
        """
        chosen = table.loc[keep, list(self.factors)].reset_index(drop=True)
        if not len(chosen):
            return
        own = grouping(chosen, self.factors)
        codes = np.full(len(table), -1, dtype=np.intp)
        codes[keep] = own.codes
        own_sums = sweep_sums(evidence, taus, gate, codes, len(own), judged)
        self.n += len(chosen)
        self._join(chosen.iloc[np.unique(own.codes, return_index=True)[1]], own_sums)

    def groups(self) -> tuple[tuple[tuple[Any, ...], ...], SweepSums]:
        """Values of each group, sorted, and the sums in that order."""
        assert self._heads is not None
        assert self._sums is not None
        return grouping(self._heads, self.factors).values, self._sums

    def _join(self, heads: pd.DataFrame, more: SweepSums) -> None:
        """Add sums of groups of which `heads` has a row each, in the order of the groups."""
        if self._heads is None or self._sums is None:
            self._heads, self._sums = heads.reset_index(drop=True), more
            return
        both = pd.concat([self._heads, heads], ignore_index=True)
        joint = grouping(both, self.factors)
        n, old = len(joint), len(self._heads)
        self._sums = self._sums.at(joint.codes[:old].tolist(), n) + more.at(joint.codes[old:].tolist(), n)
        self._heads = both.iloc[np.unique(joint.codes, return_index=True)[1]].reset_index(drop=True)


def _find_row(weigh: Callable[[slice], None], rows: NDArray[np.intp]) -> None:
    """Raise what is wrong with the first row that is, with its number in the whole table.

    Raises
    ------
    DataError
    """
    for k in rows.argsort().tolist():
        try:
            weigh(slice(k, k + 1))
        except DataError as error:
            text = str(error)
            at = f"row {rows[k] + 1}{text.removeprefix('row 1')}" if text.startswith("row 1:") else text
            raise DataError(at) from None


def _texts(cells: pd.Series[Any]) -> pd.Series[Any]:
    """A column whose lists are texts joined by ``|``."""
    if cells.dtype != object:
        return cells
    return cells.map(lambda cell: LIST_SEPARATOR.join(map(str, cell)) if is_list(cell) else cell)


def _probabilities(column: pd.Series[Any]) -> NDArray[np.float64]:
    try:
        probabilities = column.to_numpy(dtype=float, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise DataError(f"column 'confidence' holds no probabilities: {shorten(error)}") from None
    if np.isnan(probabilities).any():
        raise DataError("column 'confidence' has nulls, expected a probability in every row")
    outside = (probabilities < 0) | (probabilities > 1 + 1e-6)
    if outside.any():
        got = shorten(float(probabilities[outside][0]))
        raise DataError(f"column 'confidence' holds {got}, expected a probability in every row")
    return np.asarray(probabilities)


WAYS = ("model", "hybrid")
"""Ways to label: by the recogniser alone, and with rules where it is unsure."""


@dataclass(frozen=True)
class SweepResult(Result):
    """A sweep, with what is needed to say how it came about.

    Parameters
    ----------
    config : mapping
        The resolved settings, version and origin of the labels, JSON-able; kept in every file written.
    origin : Path, optional
        The file that was read; never written over.
    notes : tuple of str
        What a reader should know of the rows that count.
    """

    sweep: Sweep
    config: Mapping[str, Any] = field(compare=False)
    origin: Path | None = field(default=None, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    kind = "sweep"

    def fields(self) -> Mapping[str, Any]:
        """The keys of ``intent sweep --json``."""
        sweep = self.sweep
        groups = [
            {
                "group": dict(zip(sweep.by, group.values, strict=True)),
                "n": group.n,
                "n_games": group.n_games,
                "points": [
                    {"tau": tau, **{way: self._point(p) for way, p in zip(WAYS, both, strict=True)}}
                    for tau, both in zip(sweep.taus, group.points, strict=True)
                ],
            }
            for group in sweep.groups
        ]
        return {
            "by": list(sweep.by),
            "gate": sweep.gate,
            "rules": sweep.rules,
            "split": sweep.split,
            "classes": list(sweep.classes),
            "groups": groups,
            **({"notes": list(self.notes)} if self.notes else {}),
        }

    def table(self) -> pd.DataFrame:
        """One row per group, threshold and way to label, one column ``share_<STRATEGY>`` per class."""
        rows = []
        for group in self.sweep.groups:
            factors = dict(zip(self.sweep.by, group.values, strict=True))
            for tau, both in zip(self.sweep.taus, group.points, strict=True):
                for way, point in zip(WAYS, both, strict=True):
                    facts = asdict(point)
                    shares = dict(zip(self.sweep.classes, facts.pop("shares"), strict=True))
                    rows.append(
                        {
                            **factors,
                            "tau": tau,
                            "labels": way,
                            "n": group.n,
                            **facts,
                            **{f"share_{name}": share for name, share in shares.items()},
                        }
                    )
        return pd.DataFrame(rows)

    def parts(self) -> Iterator[Table | str]:
        """Model-only and hybrid figures side by side, and what to beware of."""
        sweep = self.sweep
        header = [*sweep.by, "tau", "kept", "+rules", "confidence", "+rules", "diversity", "+rules"]
        header += ["tied", *sweep.classes]
        rows: list[list[object]] = []
        for group in sweep.groups:
            for tau, (model, hybrid) in zip(sweep.taus, group.points, strict=True):
                shares = [
                    f"{_percent(a)} / {_percent(b)}" for a, b in zip(model.shares, hybrid.shares, strict=True)
                ]
                cells: list[object] = [*map(str, group.values), f"{tau:g}"]
                cells += [_percent(model.retention), _percent(hybrid.retention)]
                cells += [model.mean_confidence, hybrid.mean_confidence, model.diversity, hybrid.diversity]
                rows.append([*cells, _percent(model.tied), *shares])
        units = "games" if sweep.gate == "game" else "trajectories"
        n = sum(group.n for group in sweep.groups)
        title = (
            f"{n:,} trajectories; % of {units} kept, shares of labels in %: recogniser alone / with rules "
            f"({sweep.rules}{'' if sweep.split else ', counted fully'}) below tau"
        )
        yield Table(header, rows, title)
        yield "kept says that a label is probable, not that it fits: no test of fit is applied here"
        tied = max(
            (both[0].tied for group in sweep.groups for both in group.points if both[0].kept), default=0
        )
        if tied > 0:
            yield f"tied: up to {tied:.0%} of the kept labels are shared among strategies that tie"

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """Draw what every threshold keeps.

        Raises
        ------
        UsageError
            Too many groups for a figure.
        """
        labels, config = self.config["labels"], self.config
        by = f"labelled by {labels['recogniser']}" if labels.get("recogniser") else ""
        data = data_line(config["source"], by, *kept_in_words(config["where"]), nothing="table in memory")
        drawing = sweep_figure(self.sweep)
        return drawing.write(
            target, remarks=(*self.notes, data), description=self.description(), overwrite=overwrite
        )

    def _point(self, point: Point) -> dict[str, Any]:
        facts = asdict(point)
        facts["shares"] = dict(zip(self.sweep.classes, facts["shares"], strict=True))
        return facts


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{share * 100:.1f}"


_MOST = 1000


def thresholds(text: str) -> tuple[float, ...]:
    """The thresholds that ``LOW-HIGH:STEP`` or numbers separated by commas mean.

    Raises
    ------
    UsageError
        Neither, or not 1 to 1,000 probabilities.
    """
    try:
        if ":" in text:
            ends, step = text.split(":")
            low, high = (float(part) for part in ends.split("-"))
            size = float(step)
            count = int((high - low) / size + 1e-9) + 1 if size > 0 and high >= low else 0
            taus = [round(low + i * size, 10) for i in range(min(count, _MOST + 1))]
        else:
            taus = sorted({float(part) for part in text.split(",")})
    except (ValueError, OverflowError):
        taus = []
    if not 1 <= len(taus) <= _MOST or not all(0 <= tau <= 1 for tau in taus):
        raise UsageError(f"--tau {text!r}, expected LOW-HIGH:STEP or probabilities separated by commas")
    return tuple(taus)


@job(SweepRequest)
def sweep(request: SweepRequest) -> SweepResult:
    """What every threshold keeps, by the recogniser alone and with rules where it is unsure.

    A trajectory is kept where its highest probability is at least tau; ties among the most probable count in
    equal shares. The hybrid labels add those of the rules where it is less. With gate ``game``, the published
    study's rule, retention is that of games. A condition on a seat is applied after the gate. Seats that a
    strategy plays beside models or people neither count nor judge a game without `keep_scripted`.

    A log that can be read piece by piece is, and so is a Parquet file of labels: memory holds some hundred
    thousand rows, whatever the length.

    Raises
    ------
    UnknownNameError
        A gate, mode or column that does not exist.
    UsageError
        Thresholds that are none, a recogniser for a table that is labelled already, or no rows.
    DataError
        Posteriors are missing from the table.
    """
    source, tau, gate, rules, split = request.source, request.tau, request.gate, request.rules, request.split
    taus = thresholds(tau if isinstance(tau, str) else ",".join(map(str, tau)))
    for what, got, known in (("gate", gate, get_args(Gate)), ("mode of rules", rules, get_args(RuleMode))):
        if got not in known:
            raise UnknownNameError(what, got, known)
    settings = request.values((*Reading.settings, "others", "keep_defaulted", "seed", "workers", "dask"))
    with open_labels(source, request.recogniser, **settings) as labels:
        origin = labels.origin
        classes, n_known = sweep_classes(labels.columns, origin)
        factors = column_names(request.by, labels.columns)
        keep_scripted = keeps_scripted(request)["keep_scripted"]
        who = [] if keep_scripted else [name for name in WHO if name in labels.columns]
        sums, of_strategies, before = GroupSums(factors), GroupSums(factors), 0
        for table in labels.read([*NEEDED, *factors, *who], joined=LISTS - {*factors}, rows=request.piece):
            evidence = evidence_of(table, classes, n_known, rules, split, before)
            rows = accepted_rows(table, labels.conditions)
            scripted = is_scripted(table) & (not keep_scripted)
            for side, of_side in ((sums, ~scripted), (of_strategies, scripted)):
                side.add(evidence, table, rows & of_side, taus, gate, of_side)  # type: ignore[arg-type]
            before += len(table)
        left_out = of_strategies.n
        if not sums.n:  # nobody but strategies plays
            sums, left_out = of_strategies, 0
        if not sums.n:
            raise labels.nothing()
    values, total = sums.groups()
    groups = tuple(
        SweepGroup(value, int(total.n[g]), int(total.n_games[g]), total.points(g, gate))  # type: ignore[arg-type]
        for g, value in enumerate(values)
    )
    config = {
        "source": _name(source),
        "labels": {k: origin.get(k) for k in ("log", "recogniser", "parameters", "eps", "version")},
        "tau": list(taus),
        "gate": gate,
        "by": list(factors),
        "rules": rules,
        "split": split,
        "where": request.config()["where"],
        "keep_scripted": keep_scripted,
        "seed": request.seed,
        "version": __version__,
    }
    done = Sweep(factors, taus, gate, rules, split, classes, groups)  # type: ignore[arg-type]
    notes = tuple(labels.notes)
    if left_out:
        notes += (LEFT_OUT.format(seats=counted(left_out, "seat")),)
    return SweepResult(done, config, Path(source) if isinstance(source, str | Path) else None, notes)


def _name(source: Any) -> str | None:
    return Path(source).name if isinstance(source, str | Path) else None


_MOST_GROUPS = 9
_USUAL = 0.9
"""The threshold of the literature, marked by a line."""


def sweep_figure(sweep: Sweep) -> Drawing:
    """What every threshold keeps.

    Raises
    ------
    UsageError
        More than nine groups.
    """
    if len(sweep.groups) > _MOST_GROUPS:
        raise UsageError(
            f"{len(sweep.groups)} groups are too many for a figure, expected at most {_MOST_GROUPS}"
        )
    title = f"Labels by threshold{' and ' + ' and '.join(sweep.by) if sweep.by else ''}"
    return Drawing(title, lambda: draw_sweep(sweep), _caption_lines(sweep))


def draw_sweep(sweep: Sweep) -> Figure:
    """Three panels over tau; groups in colours, full lines the recogniser alone, broken ones with rules."""
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    beside = columns_of(3, 2.3) == 3
    size = (12.5, 4.9, 1, 3) if beside else (4.8, 8.0, 3, 1)
    figure, panels = canvas(*size, sharex=True)
    unit = "games" if sweep.gate == "game" else "trajectories"
    names = (f"{unit} kept (%)", "mean confidence of the kept (%)", "diversity of their labels")
    fields = ("retention", "mean_confidence", "diversity")
    tones = palette(len(sweep.groups))
    for axes, name, value in zip(panels, names, fields, strict=True):
        if sweep.taus[0] <= _USUAL <= sweep.taus[-1]:
            axes.axvline(_USUAL, color="#767676", linewidth=0.9, linestyle=":", zorder=0)
        for tone, group in zip(tones, sweep.groups, strict=True):
            for way, dashes in enumerate(("-", "--")):
                values = [getattr(both[way], value) for both in group.points]
                axes.plot(
                    sweep.taus,
                    values,
                    dashes,
                    color=tone,
                    linewidth=1.8,
                    marker="o" if way == 0 else "s",
                    markersize=3.5,
                    markerfacecolor=tone if way == 0 else "white",
                )
        axes.set_title(name, loc="left")
        if beside or axes is panels[-1]:
            axes.set_xlabel("threshold of the label's probability")
        ruled(axes)
    for axes in panels[:2]:
        axes.yaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10]))
        percent_axis(axes.yaxis)
    panels[0].set_ylim(0, 1.02)
    panels[2].set_ylim(0, 1.02)
    handles = [
        Line2D([], [], color="#444444", marker="o", markersize=3.5, label="recogniser"),
        Line2D(
            [],
            [],
            color="#444444",
            linestyle="--",
            marker="s",
            markersize=3.5,
            markerfacecolor="white",
            label="hybrid",
        ),
    ]
    if len(sweep.groups) > 1:
        handles.append(Line2D([], [], color="none", label=wrapped(" · ".join(sweep.by), 18)))
        handles += [
            Line2D([], [], color=tone, linewidth=4, label=wrapped(group_name(group.values), 18))
            for tone, group in zip(tones, sweep.groups, strict=True)
        ]
    legend_of(figure, handles)
    return figure


def _caption_lines(sweep: Sweep) -> list[str]:
    n = sum(group.n for group in sweep.groups)
    rules = (
        "all labels of the rules that it satisfies"
        if sweep.rules == "expand"
        else "the first rule of ALLD, ALLC, TFT, WSLS that it satisfies"
    )
    counted = ""
    if sweep.rules == "expand":
        counted = " in equal shares" if sweep.split else ", each counted fully"
    rule = (
        "A game is kept where all of its seats that count get a label."
        if sweep.gate == "game"
        else "A trajectory is kept where it gets a label."
    )
    return [
        f"{n:,} trajectories. {rule} Recogniser: a label where its highest "
        "probability reaches the threshold (ties in equal shares). "
        f"Hybrid: below the threshold, a trajectory gets {rules}{counted}.",
        "Confidence: the recogniser's highest probability. Diversity: Shannon's entropy of the labels over "
        f"its maximum, ln {len(sweep.classes)}; 1 where all {len(sweep.classes)} strategies are as frequent. "
        "A label that is confident need not fit: no test of fit is applied here.",
    ]
