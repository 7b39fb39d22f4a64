"""What the design of an experiment lets a comparison say: blocks to compare within, confounds, cautions.

Confounds are factors that do not vary apart, and combinations that were never played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import UnknownNameError, UsageError
from intent.base.statistics import NONE, cluster_codes
from intent.base.tables import column_names, strategy_classes
from intent.estimate.design_units import block_codes, block_sets, design_columns, determines, informative_rows

__all__ = [
    "blocks_of",
    "chi_square",
    "confounds",
    "confounds_of",
    "cramers_v",
    "identical_repeats",
    "missing_cells",
    "mixed_payoffs",
    "one_sided",
]


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


@dataclass(frozen=True)
class Within:
    """What a factor is compared at equal values of.

    Parameters
    ----------
    columns : tuple of str
        Rows that are alike in them make a block.
    n_informative : int
        Rows of blocks in which the factor has two values or more.
    """

    factor: str
    columns: tuple[str, ...]
    n_blocks: int
    n_informative: int


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
