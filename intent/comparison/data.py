"""What is compared: a table, or labels or metrics of a log; how good its moves are, what its design allows.

Of the moves: shares that are defaulted, missing, refused at first. Of the design: blocks to compare within,
factors that do not vary apart, combinations that were never played, cautions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import IntentError, UnknownNameError, UsageError
from intent.base.files import path_of
from intent.base.job import source_of_table
from intent.base.statistics import NONE, cluster_codes, grouping
from intent.base.tables import are_labels, column_names, columns_of, read_table, strategy_classes
from intent.comparison.groups import Comparison, Quality, Within
from intent.estimate.design_units import block_codes, block_sets, design_columns, determines, informative_rows
from intent.logs.chunks import keeps_scripted, unread_rows
from intent.logs.gamelog import GameLog
from intent.logs.readers.reader import Settings, Source, recognised
from intent.logs.reading import Behind, log_behind, log_of
from intent.recognise.bayes import was_without_random
from intent.recognise.labels.label import label_log
from intent.version import __version__

if TYPE_CHECKING:
    from intent.comparison.requests import CompareRequest

__all__ = [
    "Compared",
    "blocks_of",
    "chi_square",
    "compared",
    "confounds",
    "confounds_of",
    "cramers_v",
    "identical_repeats",
    "missing_cells",
    "mixed_payoffs",
    "move_quality",
    "one_sided",
    "quality_of",
    "with_quality",
]


_METRIC_MARKS = {"game_id", "seat", "mean_payoff"}
"""Columns that only tables of metrics have together."""


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared, and where it comes from.

    Parameters
    ----------
    facts : mapping
        source, sha256 and version, for the config of the result.
    provenance : mapping or None
        What the table says of how it was made.
    behind : Behind
        The log behind the table.
    origin : path, optional
        The file that was read.
    where : mapping
        Conditions that are not met yet.
    skipped : mapping
        Reason -> number of games of the log that have no rows.
    notes : tuple of str
        What a reader should know of the table.
    """

    table: pd.DataFrame
    facts: dict[str, Any]
    provenance: Mapping[str, Any] | None
    behind: Behind
    origin: Path | None
    where: Mapping[str, Sequence[str]]
    skipped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def compared(request: CompareRequest, *, log_needed: bool = False, coin: bool = False) -> Compared:
    """Read what is compared.

    A log is labelled first; for a metric that is no column of it, its metrics are computed.

    Parameters
    ----------
    log_needed : bool
        Whether the log behind a table is read however large it is.
    coin : bool
        As `label_log`, for a log.

    Raises
    ------
    UsageError
        A recogniser for what is labelled already, or two logs.
    DataError
        Neither a table nor a log.
    """
    source, log, reading = request.table, request.log, request.file_reading()
    assert source is not None
    conditions = dict(request.where or {})
    if (
        isinstance(source, GameLog)
        or (isinstance(source, str | Path) and _is_log(path_of(source), request.metric))
        or (isinstance(source, pd.DataFrame) and _is_play(source, request.metric))
    ):
        if log is not None:
            raise UsageError("--log says where the log behind a table is, but a log is compared itself")
        return _of_log(request, log_of(source, reading), conditions, coin)
    if request.recogniser is not None:
        raise UsageError("-r chooses how to label a log, but these are no moves of games")
    if isinstance(source, str | Path):
        path = path_of(source)
        table, provenance = read_table(path)
        facts = {**source_of_table(path), "version": __version__}
        behind = log_behind(provenance, log, beside=path, needed=log_needed, **reading)
        skipped = _skipped(provenance)
        notes = _without_random(table, provenance)
        return Compared(table, facts, provenance, behind, path, conditions, skipped, notes)
    nothing: dict[str, Any] = {"source": None, "sha256": None, "version": __version__}
    own = source.attrs.get("provenance")
    behind = log_behind(own, log, needed=log_needed, **reading)
    notes = _without_random(source, own)
    return Compared(source, nothing, own, behind, None, conditions, notes=notes)


def _of_log(request: CompareRequest, log: GameLog, where: dict[str, Sequence[str]], coin: bool) -> Compared:
    """Labels or metrics of a log; conditions on games alone are met, others remain."""
    of_games = {c: v for c, v in where.items() if c in log.games.columns}
    read = {"where": of_games, **request.values(("others", "keep_defaulted", "seed"))}
    if request.metric is None:
        read |= {"coin": coin, **keeps_scripted(request)} | (
            {} if request.background is None else {"background": request.background}
        )
        labels = label_log(log, request.recogniser or DEFAULT_RECOGNISER, **read)
        table, skipped = labels.table(), labels.summary["skipped"]
        provenance = {**labels.provenance, "summary": labels.summary}
    else:
        from intent.behaviour.metrics import metrics

        table, skipped = metrics(log, bootstrap=1, **read).table, log.skipped()
        provenance = {"log": log.provenance}
    if not len(table):
        why = "; ".join(f"{n:,} games: {reason}" for reason, n in skipped.items())
        raise UsageError(f"nothing to compare in the log{f' ({why})' if why else ''}")
    origin = request.input_path()
    facts = {
        "source": origin.name if origin else None,
        "sha256": log.provenance.get("sha256"),
        "version": __version__,
    }
    left = {c: v for c, v in where.items() if c not in of_games}
    unread = tuple(unread_rows(log))
    return Compared(table, facts, provenance, Behind(log), origin, left, skipped, unread)


def _without_random(table: pd.DataFrame, provenance: Mapping[str, Any] | None) -> tuple[str, ...]:
    """A note where labels were made before RANDOM competed for play by default."""
    line = was_without_random(table.columns, provenance)
    return (line,) if line else ()


def _skipped(provenance: Mapping[str, Any] | None) -> dict[str, int]:
    """Reason -> games of the log without rows, where a table of labels says so."""
    summary = provenance.get("summary") if isinstance(provenance, Mapping) else None
    skipped = summary.get("skipped") if isinstance(summary, Mapping) else None
    reasons = skipped.items() if isinstance(skipped, Mapping) else ()
    return {str(reason): n for reason, n in reasons if isinstance(n, int) and n > 0}


def _is_log(path: Path, metric: str | None) -> bool:
    """Whether a path is a game log, not a table of labels, metrics or anything else."""
    columns = set(columns_of(path))
    if metric in columns or are_labels(columns) or columns >= _METRIC_MARKS:
        return False
    try:
        return recognised(Source(path), Settings()) is not None
    except IntentError:
        return path.is_dir() and (path / "run.json").is_file()


def _is_play(table: pd.DataFrame, metric: str | None) -> bool:
    """Whether a table in memory holds moves by round, not labels, metrics or anything else."""
    columns = set(map(str, table.columns))
    if "provenance" in table.attrs or metric in columns or are_labels(columns) or columns >= _METRIC_MARKS:
        return False
    try:
        return recognised(Source(table), Settings()) is not None
    except IntentError:
        return False


_KEYS = ["game_id", "seat"]


def with_quality(
    comparison: Comparison, rows: pd.DataFrame, factors: Sequence[str], behind: Behind, *, expected: bool
) -> tuple[Comparison, str | None]:
    """The comparison with the quality of the moves of each group, and a note where that is not known.

    Parameters
    ----------
    rows : DataFrame
        What was compared.
    factors : columns that make the groups
    expected : bool
        Whether a reader would expect it: a table of labels or metrics from a file.
    """
    if behind.log is None:
        why = f"{behind.why}: shares of defaulted, missing and refused moves are not known (see --log)"
        return comparison, why if expected else None
    if not set(_KEYS) <= set(rows.columns):
        return comparison, None
    quality = move_quality(behind.log)
    keys = rows[_KEYS].assign(game_id=rows["game_id"].map(str))
    joined = keys.merge(quality, on=_KEYS, how="left", validate="many_to_one")
    if joined["n_moves"].isna().all():
        return comparison, "no row is a seat of a game of the log: shares of defaulted moves are not known"
    codes = grouping(rows, factors).codes
    groups = [
        replace(group, quality=quality_of(joined[codes == code]))
        for code, group in enumerate(comparison.groups)
    ]
    lost = int(joined["n_moves"].isna().sum())
    note = f"{lost:,} of {len(joined):,} rows are no seat of a game of the log" if lost else None
    return replace(comparison, groups=tuple(groups)), note


_LISTS = ("unread", "refused")
"""Keys of details that list the replies to a move that could not be read; the second in logs of tables of
models before the first was written for every architecture."""


def move_quality(log: GameLog) -> pd.DataFrame:
    """Moves of every seat, and how many of them are not as the player gave them at once.

    Returns
    -------
    DataFrame
        One row per game_id and seat: n_moves, defaulted, missing, refused (float, NaN where no move of the
        seat's record tells; a move counts once, however many replies were refused).
    """
    moves = log.moves
    status = moves["status"].astype(object)
    table = pd.DataFrame(
        {
            "game_id": moves["game_id"].astype(object).map(str),
            "seat": moves["seat"].to_numpy(dtype=np.int64),
            "n_moves": 1,
            "defaulted": (status == "defaulted").to_numpy(dtype=np.int64),
            "missing": (status == "missing").to_numpy(dtype=np.int64),
            "refused": _refused(moves),
        }
    )
    grouped = table.groupby(["game_id", "seat"], sort=False, observed=True)
    counts = grouped[["n_moves", "defaulted", "missing"]].sum()
    counts["refused"] = grouped["refused"].sum(min_count=1).astype(float)
    return counts.reset_index()


def quality_of(quality: pd.DataFrame) -> Quality | None:
    """Shares over some rows of `move_quality`; None without moves.

    A share of refused moves is over the seats whose record tells.
    """
    n = int(quality["n_moves"].sum())
    if not n:
        return None
    recorded = quality["refused"].notna()
    n_recorded = int(quality.loc[recorded, "n_moves"].sum())
    return Quality(
        float(quality["defaulted"].sum()) / n,
        float(quality["missing"].sum()) / n,
        float(quality.loc[recorded, "refused"].sum()) / n_recorded if n_recorded else None,
        n,
    )


def _refused(moves: pd.DataFrame) -> Any:
    """(n,) float: 1 where details list unread replies, 0 where they list none, NaN where they do not say.

    A log that lists refusals and never an empty list writes down those that were: there a move with a reply
    that lists none had none.
    """
    if "details" not in moves.columns:
        return np.full(len(moves), np.nan)
    codes, texts = pd.factorize(moves["details"].astype(object))
    by_text = np.array([*(_refusals(text) for text in texts), np.nan])
    refused = by_text[codes]
    if "reply" in moves.columns and (by_text == 1).any() and not (by_text == 0).any():
        refused[np.isnan(refused) & moves["reply"].notna().to_numpy()] = 0.0
    return refused


def _refusals(text: object) -> float:
    try:
        details = json.loads(str(text))
    except (ValueError, RecursionError):
        return float("nan")
    if not isinstance(details, dict):
        return float("nan")
    listed = [value for value in map(details.get, _LISTS) if isinstance(value, list)]
    return float(any(listed)) if listed else float("nan")


def blocks_of(
    table: pd.DataFrame,
    factors: Sequence[str],
    within: str | Sequence[str],
    clusters: NDArray[np.intp],
) -> tuple[dict[str, NDArray[np.intp]], tuple[Within, ...]]:
    """The blocks within which each factor, and all together, are compared.

    Parameters
    ----------
    factors : columns that make the groups
    within : "auto", "none", or columns
        ``auto``: all columns of the design that vary, apart from the factor and from columns that follow
        from it or that it follows from, at equal values of which it could not be compared.
    clusters : (n,) int
        Rows of one block also lie in clusters that are alike: the other seat of the game has the same
        persona, model, ... too.

    Returns
    -------
    blocks : mapping of factor -> (n,) int; without factors that no block holds two values of
    within : what they are

    Raises
    ------
    UnknownNameError
        No such column.
    UsageError
        Columns beside ``auto`` or ``none``.
    """
    names = column_names(within, table.columns)
    if names == ("none",) or not names or not factors:
        return {}, ()
    if {"auto", "none"} & set(names) and len(names) > 1:
        raise UsageError(f"--within {','.join(names)}, expected columns, or auto or none alone")
    for name in names:
        if name != "auto" and name not in table.columns:
            raise UnknownNameError("column", name, ["auto", "none", *map(str, table.columns)])
    columns = design_columns(table) if names == ("auto",) else list(names)
    blocks, within_blocks = {}, []
    for by in [*((f,) for f in factors), *([tuple(factors)] if len(factors) > 1 else [])]:
        own = [
            c
            for c in columns
            if not any(c == f or determines(table, c, f) or determines(table, f, c) for f in by)
        ]
        if not own:
            continue
        codes = block_codes(table, own)
        sets = block_sets(clusters, codes)
        codes = np.unique(codes * (int(sets.max()) + 1) + sets, return_inverse=True)[1]
        informative = int(informative_rows(block_codes(table, by), codes).sum())
        if informative:
            factor = ",".join(by)
            blocks[factor] = codes
            within_blocks.append(Within(factor, _needed(table, own), int(codes.max()) + 1, informative))
    return blocks, tuple(within_blocks)


def confounds_of(table: pd.DataFrame, factors: Sequence[str]) -> list[str]:
    """What a reader must know of the design, in sentences: factors that go together, cells without play."""
    if not factors:
        return []
    columns = [c for c in design_columns(table) if c == "seat" or not _names_seats(table, c)]
    pairs_of_factors = confounds(table, factors, [c for c in columns if c not in factors])
    lines = [str(one) for one in pairs_of_factors]
    tied = {frozenset((one.factor, one.other)) for one in pairs_of_factors if one.kind != "associated"}
    if len(factors) > 1 and not any(frozenset(p) <= set(factors) for p in tied):
        cells = missing_cells(table, factors)
        lines += [str(cells)] if cells.missing or cells.unbalanced else []
    for column in [c for c in dict.fromkeys([*factors, *columns]) if c != "seat"]:
        pairs = one_sided(table, column)
        if pairs and {"seat", column} & set(factors):
            a, b = pairs[0]
            more = f" (nor {len(pairs) - 1} more such pairs)" if len(pairs) > 1 else ""
            lines.append(
                f"no game has {column} {a} in seat 1 against {b} in seat 2{more}: "
                f"there seat and {column} cannot be told apart"
            )
    return lines


def _names_seats(table: pd.DataFrame, column: str) -> bool:
    """Whether a column is another name of the seat."""
    both = {"seat", column} <= set(table.columns)
    return both and determines(table, "seat", column) and determines(table, column, "seat")


def _needed(table: pd.DataFrame, columns: Sequence[str]) -> tuple[str, ...]:
    """Columns that make the blocks, without those that follow from one of the others."""
    needed: list[str] = []
    for i, name in enumerate(columns):
        earlier = any(determines(table, other, name) for other in needed)
        later = any(
            determines(table, other, name) and not determines(table, name, other)
            for other in columns[i + 1 :]
        )
        if not (earlier or later):
            needed.append(name)
    return tuple(needed)


Kind = Literal["identical", "nested", "associated"]

_STRONG = 0.3
"""Cramér's V from which on two factors are said to go together."""

_NAMED = 4
"""Combinations that a sentence names."""

_UNBALANCED = 2.0
"""Ratio of the largest to the smallest cell from which on a design is called unbalanced."""


@dataclass(frozen=True)
class Confound:
    """Two columns that do not vary apart.

    Parameters
    ----------
    kind : {"identical", "nested", "associated"}
        ``identical``: each value of one tells that of the other. ``nested``: the value of `other` tells that
        of `factor`, which is thus never compared at equal `other`. ``associated``: V of .3 or more.
    v : float
        Cramér's V of the two over rows.
    """

    factor: str
    other: str
    kind: Kind
    v: float

    def __str__(self) -> str:
        a, b = self.factor, self.other
        if self.kind == "identical":
            return f"{a} and {b} never vary apart: a difference by {a} may as well be one by {b}"
        if self.kind == "nested":
            return f"{a} never varies at equal {b}: it is compared between values of {b} only"
        return f"{a} and {b} go together (Cramér's V = {self.v:.2f}): compare {a} at equal {b} (see --within)"


@dataclass(frozen=True)
class MissingCells:
    """The crossing of some factors: which combinations were never played, how unequal the others are.

    Parameters
    ----------
    n_cells : int
        Combinations of the values that occur.
    missing : tuple of tuples
        Those without a row, in order.
    least, most : int
        Rows of the smallest and the largest of the others.
    """

    factors: tuple[str, ...]
    n_cells: int
    missing: tuple[tuple[str, ...], ...]
    least: int
    most: int

    def __str__(self) -> str:
        crossed = " × ".join(self.factors)
        if not self.missing:
            return f"cells of {crossed} are of unequal size ({self.least:,} to {self.most:,} rows)"
        named = "; ".join(" × ".join(cell) for cell in self.missing[:_NAMED])
        more = f" and {len(self.missing) - _NAMED} more" if len(self.missing) > _NAMED else ""
        return f"{len(self.missing)} of {self.n_cells} combinations of {crossed} never occur: {named}{more}"

    @property
    def unbalanced(self) -> bool:
        """Whether the largest cell has at least twice the rows of the smallest."""
        return self.most >= _UNBALANCED * self.least


def confounds(table: pd.DataFrame, factors: Sequence[str], others: Sequence[str] = ()) -> list[Confound]:
    """How each factor goes together with the other factors and columns of the design.

    A column that follows from a factor (the payoffs from the game) describes it and is not listed.

    Parameters
    ----------
    others : sequence of str
        Further columns of the design; constant ones are passed over.
    """
    associations: list[Confound] = []
    columns = list(dict.fromkeys([*factors, *others]))
    codes = {name: block_codes(table, [name]) for name in columns}
    for i, factor in enumerate(dict.fromkeys(factors)):
        for other in [name for name in columns if name != factor and name not in factors[:i]]:
            counts = _counts(codes[factor], codes[other])
            if min(counts.shape) < 2:
                continue
            v = cramers_v(float(chi_square(counts)), counts)
            of_factor, of_other = (counts > 0).sum(axis=1).max(), (counts > 0).sum(axis=0).max()
            if of_factor == 1 and of_other == 1:
                associations.append(Confound(factor, other, "identical", v))
            elif of_other == 1:
                associations.append(Confound(factor, other, "nested", v))
            elif of_factor > 1 and v >= _STRONG - 1e-12:
                associations.append(Confound(factor, other, "associated", v))
            elif of_factor == 1 and other in factors:
                associations.append(Confound(other, factor, "nested", v))
    return associations


def missing_cells(table: pd.DataFrame, factors: Sequence[str]) -> MissingCells:
    """Combinations of the values of factors that have no row."""
    levels = [_names(table[name]) for name in factors]
    codes = [block_codes(table, [name]) for name in factors]
    shape = tuple(len(own) for own in levels)
    counts = np.bincount(np.ravel_multi_index(tuple(codes), shape), minlength=int(np.prod(shape)))
    order = [sorted(range(len(own)), key=own.__getitem__) for own in levels]
    grid = counts.reshape(shape)[np.ix_(*order)]
    ordered = [[own[k] for k in places] for own, places in zip(levels, order, strict=True)]
    missing = tuple(
        tuple(own[k] for own, k in zip(ordered, cell, strict=True)) for cell in np.argwhere(grid == 0)
    )
    present = counts[counts > 0] if counts.any() else np.zeros(1, dtype=np.intp)
    return MissingCells(tuple(factors), int(grid.size), missing, int(present.min()), int(present.max()))


def one_sided(table: pd.DataFrame, column: str) -> list[tuple[str, str]]:
    """Ordered pairs of values of a seat's column that two-seat games have only the other way round.

    ``("selfish", "cooperative")`` says that no game has selfish in seat 1 against cooperative in seat 2,
    though some have them in the other seats: there the column and the seat cannot be told apart.

    Parameters
    ----------
    table : DataFrame
        One row per game_id and seat.
    """
    if not {"game_id", "seat", column} <= set(table.columns):
        return []
    columns = list(dict.fromkeys(["game_id", "seat", column]))
    ordered = table[columns].sort_values(["game_id", "seat"], kind="stable")
    games = pd.factorize(ordered["game_id"])[0]
    sizes = np.bincount(games)
    pairs = ordered[column].map(str).to_numpy(dtype=object)[sizes[games] == 2].reshape(-1, 2)
    met_in_order = set(map(tuple, pairs.tolist()))
    return sorted((b, a) for a, b in met_in_order if a != b and (b, a) not in met_in_order)


def _names(column: pd.Series[Any]) -> list[str]:
    """Value of each code of `block_codes`, as text."""
    cells = column.astype(object)
    return [str(name) for name in pd.factorize(cells.where(cells.notna(), NONE).map(str))[1]]


def _counts(a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.float64]:
    """(levels of a, levels of b) rows."""
    shape = (int(a.max(initial=0)) + 1, int(b.max(initial=0)) + 1)
    return np.bincount(a * shape[1] + b, minlength=shape[0] * shape[1]).reshape(shape).astype(float)


_NOT_SETTINGS = {"repetition", "run", "player", *(c.name for c in codebook.LABELS)} - {"seat"}


_OUTCOME_OF_LABELLING = ("best", "confidence", "n_deviations", "fit_p")


def mixed_payoffs(table: pd.DataFrame, by: Sequence[str]) -> str | None:
    """A caution where some group has payoffs that are rewards and payoffs that are penalties.

    Parameters
    ----------
    table : DataFrame
        With a column ``payoff_kind`` where that is known.
    by : columns that make the groups
    """
    if "payoff_kind" not in table.columns:
        return None
    if table.groupby(list(by) or (lambda row: 0), observed=True)["payoff_kind"].nunique().max() < 2:
        return None
    return "payoffs are rewards and penalties together: --where payoff_kind=reward or --by payoff_kind"


def identical_repeats(labels: pd.DataFrame, *, classes: Sequence[str] | None = None) -> str | None:
    """A caution where most repeated settings were played alike, so that repeats add little evidence.

    A setting is a seat in a game with the same model, persona, language and all other conditions; its
    repeats count as alike where best strategy, posterior, deviations and fit all agree. Columns whose name
    ends with ``_id`` name games and are no conditions.

    Parameters
    ----------
    labels : DataFrame
        Columns as `codebook.LABELS`.
    classes : sequence of str, optional
        Strategies that the recogniser knows; default `strategy_classes`.
    """
    known = strategy_classes(labels) if classes is None else classes
    results = _NOT_SETTINGS | {codebook.PROBABILITY_PREFIX + name for name in known}
    settings = [c for c in map(str, labels.columns) if c not in results and not c.endswith("_id")]
    result = [c for c in _OUTCOME_OF_LABELLING if c in labels.columns]
    if "game_id" not in labels.columns or "seat" not in settings or len(result) < len(_OUTCOME_OF_LABELLING):
        return None
    setting = cluster_codes(labels[settings].astype(str), settings)
    alike = cluster_codes(labels[result].round(9).astype(str).assign(setting=setting), ["setting", *result])
    rows = np.bincount(setting)
    distinct = np.bincount(setting[np.unique(alike, return_index=True)[1]], minlength=len(rows))
    repeated = rows > 1
    n_repeated, n_alike = int(repeated.sum()), int((repeated & (distinct == 1)).sum())
    if not n_repeated or n_alike <= n_repeated / 2:
        return None
    return (
        f"in {n_alike} of {n_repeated} repeated settings all repeats were played alike: "
        "they are hardly independent games, and intervals may be too narrow (see --cluster)"
    )


def chi_square(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's statistic N (sum T_gk^2 / (R_g C_k) - 1), without continuity correction.

    Parameters
    ----------
    table : (..., groups, outcomes) float
        Counts; every group and outcome occurs.

    Returns
    -------
    (...) float
    """
    rows, columns = table.sum(axis=-1, keepdims=True), table.sum(axis=-2, keepdims=True)
    total = rows.sum(axis=(-2, -1))
    return np.asarray(np.maximum(total * ((table**2 / (rows * columns)).sum(axis=(-2, -1)) - 1), 0.0))


def cramers_v(statistic: float, table: NDArray[np.float64]) -> float:
    """Cramér's V = sqrt(chi-square / (N (min(groups, outcomes) - 1))).

    References
    ----------
    Cramér (1946), Mathematical Methods of Statistics, §21.9.
    """
    return float(np.sqrt(statistic / (table.sum() * (min(table.shape) - 1))))
