"""What labels say to a sweep, and the groups that its pieces have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, shorten

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.analysis.sweep import Evidence, Gate
    from intent.analysis.sweep_sums import SweepSums

__all__ = ["LISTS", "NEEDED", "GroupSums", "evidence_of", "sweep_classes"]

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
    import pandas as pd

    from intent.analysis.shares import strategy_classes
    from intent.recognise.rules import RULE_CLASSES

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
    import numpy as np
    import pandas as pd

    from intent.analysis.groups import cluster_codes
    from intent.analysis.shares import outcomes
    from intent.analysis.sweep import Evidence
    from intent.recognise.hybrid_labels import listed_rules
    from intent.recognise.rules import RULE_CLASSES, chosen_rules, label_weights

    kinds = np.zeros(len(table), dtype=np.intp)
    for column in ("best", "tied_with", "rule_labels"):
        codes, found = pd.factorize(_texts(table[column]), use_na_sentinel=False)
        kinds = np.unique(kinds * (len(found) + 1) + codes, return_inverse=True)[1]
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
    n : int, rows that count
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
    ) -> None:
        """Count a piece of whole games, of which the rows in `keep` stand in groups.

        Raises
        ------
        UnknownNameError, UsageError
            As `intent.analysis.groups.grouping`.
        """
        import numpy as np

        from intent.analysis.groups import grouping
        from intent.analysis.sweep_sums import sweep_sums

        chosen = table.loc[keep, list(self.factors)].reset_index(drop=True)
        if not len(chosen):
            return
        own = grouping(chosen, self.factors)
        codes = np.full(len(table), -1, dtype=np.intp)
        codes[keep] = own.codes
        found = sweep_sums(evidence, taus, gate, codes, len(own))
        self.n += len(chosen)
        self._join(chosen.iloc[np.unique(own.codes, return_index=True)[1]], found)

    def groups(self) -> tuple[tuple[tuple[Any, ...], ...], SweepSums]:
        """Values of each group, sorted, and the sums in that order."""
        from intent.analysis.groups import grouping

        assert self._heads is not None
        assert self._sums is not None
        return grouping(self._heads, self.factors).values, self._sums

    def _join(self, heads: pd.DataFrame, found: SweepSums) -> None:
        """Add sums of groups of which `heads` has a row each, in the order of the groups."""
        import numpy as np
        import pandas as pd

        from intent.analysis.groups import grouping

        if self._heads is None or self._sums is None:
            self._heads, self._sums = heads.reset_index(drop=True), found
            return
        both = pd.concat([self._heads, heads], ignore_index=True)
        joint = grouping(both, self.factors)
        n, old = len(joint), len(self._heads)
        self._sums = self._sums.at(joint.codes[:old].tolist(), n) + found.at(joint.codes[old:].tolist(), n)
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
            told = str(error)
            at = f"row {rows[k] + 1}{told.removeprefix('row 1')}" if told.startswith("row 1:") else told
            raise DataError(at) from None


def _texts(cells: pd.Series[Any]) -> pd.Series[Any]:
    """A column whose lists are texts joined by ``|``."""
    from intent.logs.column_kinds import LIST_SEPARATOR, is_list

    if cells.dtype != object:
        return cells
    return cells.map(lambda cell: LIST_SEPARATOR.join(map(str, cell)) if is_list(cell) else cell)


def _probabilities(column: pd.Series[Any]) -> NDArray[np.float64]:
    import numpy as np

    try:
        found = column.to_numpy(dtype=float, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise DataError(f"column 'confidence' holds no probabilities: {shorten(error)}") from None
    if np.isnan(found).any():
        raise DataError("column 'confidence' has nulls, expected a probability in every row")
    outside = (found < 0) | (found > 1 + 1e-6)
    if outside.any():
        got = shorten(float(found[outside][0]))
        raise DataError(f"column 'confidence' holds {got}, expected a probability in every row")
    return np.asarray(found)
