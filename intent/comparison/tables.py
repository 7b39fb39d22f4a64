"""Further tables of a comparison: regression, sensitivity, seats, indices; a saved one read back; LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from intent.base.errors import DataError, shorten
from intent.base.statistics import NONE, Interval
from intent.base.tables import keys_of_rows
from intent.base.wording import digits_of_p, in_percent
from intent.comparison.coefficients import MeanModel, ShareModel
from intent.comparison.differences import SeatEffects
from intent.comparison.groups import Comparison, Group, Rows
from intent.comparison.sensitivity import SensitivityRow

if TYPE_CHECKING:
    from intent.behaviour.indices import Index

__all__ = [
    "comparison_of_table",
    "escaped",
    "index_rows",
    "latex_table",
    "margin_rows",
    "seat_rows",
    "sensitivity_rows",
    "term_rows",
]


def term_rows(model: ShareModel | MeanModel) -> Rows:
    """Whether each factor and interaction matters, the others held equal."""
    rows: list[list[object]] = []
    for term in model.terms:
        df = "–" if term.df is None else f"{term.df[0]:g}, {round(term.df[1], 1):g}"
        rows.append([term.term, _plain(term.statistic, 2), df, digits_of_p(term.p)])
    return ["term", "F", "df", "p"], rows


def margin_rows(model: ShareModel | MeanModel) -> Rows:
    """Adjusted share (or mean) at each level, and its difference to the first level."""
    shares = isinstance(model, ShareModel)
    scale = 100 if shares else 1
    digits = 1 if shares else 3
    header = ["factor", "level", *(["outcome"] if shares else []), "adjusted", "±", "effect", "± ", "p"]
    rows: list[list[object]] = []
    for one in model.margins:
        cells: list[object] = [one.factor, str(one.level), *([one.outcome] if shares else [])]
        cells += [_plain(one.estimate * scale, digits), _plain(one.se * scale, digits)]
        first = math.isnan(one.p)
        cells += (
            ["–", "–", "–"]
            if first
            else [
                f"{one.effect * scale:+.{digits}f}",
                _plain(one.effect_se * scale, digits),
                digits_of_p(one.p),
            ]
        )
        rows.append(cells)
    return header, rows


def sensitivity_rows(table: Sequence[SensitivityRow]) -> Rows:
    """One row per choice: shares, largest change in a group, p of each factor, verdicts that turn."""
    outcomes = list(dict.fromkeys(name for row in table for name, share in row.shares.items() if share > 0))
    factors = list(table[0].p) if table else []
    header = ["setting", "value", *outcomes, "max change", "of", *(f"p {f}" for f in factors)]
    header += ["verdict turns"] if factors else []
    rows: list[list[object]] = []
    for row in table:
        cells: list[object] = [row.setting or "as chosen", row.value]
        cells += [in_percent(row.shares.get(name)) for name in outcomes]
        cells += [f"{row.max_change * 100:.1f}", row.change_of]
        cells += [digits_of_p(row.p[f]) for f in factors]
        rows.append([*cells, *([", ".join(row.changed) or "no"] if factors else [])])
    return header, rows


def seat_rows(seats: SeatEffects) -> Rows:
    """One row per outcome: share or mean in each seat, difference with interval, p of sign flips."""
    rows: list[list[object]] = []
    parts = zip(seats.names, seats.first, seats.second, seats.differences, seats.p_each, strict=True)
    for name, first, second, difference, p in parts:
        if first or second:
            ends = f"{difference.low:+.3f} to {difference.high:+.3f}"
            cells = [f"{first:.3f}", f"{second:.3f}", f"{difference.estimate:+.3f}"]
            rows.append([name, *cells, "–" if math.isnan(difference.low) else ends, digits_of_p(p)])
    rows.append(["all together", "", "", "", "", digits_of_p(seats.p)])
    return ["outcome", "seat 1", "seat 2", "difference", "interval", "p"], rows


def index_rows(indices: Sequence[Index]) -> Rows:
    """One row per game, model and index."""
    rows: list[list[object]] = []
    for one in indices:
        ends = "–" if math.isnan(one.low) else f"{one.low:.3f} to {one.high:.3f}"
        chance = "–" if math.isnan(one.chance) else f"{one.chance:.3f}"
        rows.append(
            [one.game, one.model, one.index, one.name, f"{one.estimate:.3f}", ends, chance, one.n_cells]
        )
    return ["game", "group", "index", "name", "value", "interval", "chance", "cells"], rows


def _plain(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "—": "---",
    "×": r"$\times$",
    "²": r"$^2$",
    "η": r"$\eta$",
    "χ": r"$\chi$",
    "≈": r"$\approx$",
    "−": "$-$",
}
_FITTED = (
    r"\resizebox*{!}{\ifdim\totalheight>0.8\textheight 0.8\textheight\else\totalheight\fi}{%",
    r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
)
"""Shrink what follows to the page's text where it is longer or wider."""

_PATTERN = re.compile("|".join(map(re.escape, _SPECIAL)))
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


def escaped(text: object) -> str:
    r"""Text as LaTeX shows it; control characters and marks of direction become spaces.

    Examples
    --------
    >>> escaped("p_ALLC & 5 %")
    'p\\_ALLC \\& 5 \\%'
    """
    plain = _HIDDEN.sub(" ", str(text))
    return _PATTERN.sub(lambda match: _SPECIAL[match.group()], plain)


def latex_table(
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    label: str = "",
    notes: Sequence[str] = (),
) -> str:
    """A floating table, columns of text to the left and of numbers to the right, no larger than the page.

    Parameters
    ----------
    header : names of columns
    rows : cells
    label : str
        For references: letters, digits, colons and hyphens are kept.
    notes : sequence of str
        Small print below the table.
    """
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    kinds = "".join("r" if _numeric(row[i] for row in cells) else "l" for i in range(len(header)))
    lines = [r"\begin{table}", r"\centering"]
    lines += [rf"\caption{{{escaped(caption)}}}"] if caption else []
    lines += [rf"\label{{{re.sub(r'[^A-Za-z0-9:-]+', '-', label)}}}"] if label else []
    lines += [*_FITTED, rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines += [" & ".join(map(escaped, header)) + r" \\", r"\midrule"]
    lines += [" & ".join(map(escaped, row)) + r" \\" for row in cells]
    lines += [r"\bottomrule", r"\end{tabular}}}"]
    if notes:
        small = " ".join(map(escaped, notes))
        lines.append(rf"\par\smallskip\begin{{minipage}}{{\linewidth}}\footnotesize {small}\end{{minipage}}")
    return "\n".join(["% \\usepackage{booktabs,graphicx}", *lines, r"\end{table}", ""])


def _numeric(cells: Iterable[str]) -> bool:
    """Whether the cells begin with numbers, as ``31.2 (28–34)``."""
    known = [cell for cell in cells if cell not in ("", "–")]
    return bool(known) and all(re.match(r"^[-−<]?\s*[\d.,]+", cell) for cell in known)


_NAMES = {"strategy": "outcome", "n_subjects": "n"}
"""Columns of a table of estimated shares -> those of a comparison."""


def comparison_of_table(table: pd.DataFrame, facts: Mapping[str, Any]) -> Comparison:
    """The groups of a table of shares or means, with their intervals; tests are in no table.

    Parameters
    ----------
    table : DataFrame
        As `Comparison.table` gives it, or a table of estimated shares (strategy, n_subjects, estimate, …).
    facts : mapping
        Metadata of the file: by, count, level. Without ``by``, all columns before ``n`` make the groups.

    Raises
    ------
    DataError
        Two rows for one outcome of a group, or an estimate that can be none.
    """
    estimated = "outcome" not in table.columns and "strategy" in table.columns
    rows = table.rename(columns=_NAMES) if estimated else table
    of = "metric" if "outcome" not in rows.columns else "outcome"
    by = _comparison_table_factors(rows, facts.get("by"))
    outcomes = tuple(dict.fromkeys(map(str, rows[of])))
    _check(rows, [*by, of], shares=of == "outcome")
    groups = []
    keys = [tuple(_value(cell) for cell in row) for row in keys_of_rows(rows, by)]
    codes, values = pd.factorize(pd.Series(keys, dtype=object))
    for code, value in enumerate(values):
        part = rows[codes == code].set_index(of)
        n = int(part["n"].iloc[0])
        effective = float(part["n_effective"].iloc[0]) if "n_effective" in part.columns else float(n)
        intervals = tuple(_interval(part, name) for name in outcomes)
        sd = float(part["sd"].iloc[0]) if "sd" in part.columns else None
        groups.append(Group(value, n, n, effective, intervals, sd))
    count = "estimate" if estimated else str(facts.get("count") or "status")
    metric = outcomes[0] if of == "metric" and outcomes else None
    clusters = facts.get("cluster", ["game_id"])
    unit = "games" if clusters == ["game_id"] else "clusters" if clusters else "rows"
    level = facts.get("level", 0.95)
    level = float(level) if isinstance(level, int | float) and 0 < level < 1 else 0.95
    return Comparison(by, None if metric else count, metric, level, outcomes, tuple(groups), (), unit)


def _comparison_table_factors(rows: pd.DataFrame, declared: object) -> tuple[str, ...]:
    columns = [str(name) for name in rows.columns]
    if isinstance(declared, list | tuple) and set(map(str, declared)) <= set(columns):
        return tuple(map(str, declared))
    return tuple(columns[: columns.index("n")])


def _check(rows: pd.DataFrame, keys: Sequence[str], *, shares: bool) -> None:
    twice = rows.duplicated(list(keys))
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        values = ", ".join(f"{name} {shorten(rows[name].iloc[row])!r}" for name in keys)
        raise DataError(f"row {row + 1} is the second of {values}, expected one")
    estimates = pd.to_numeric(rows["estimate"], errors="coerce").to_numpy(dtype=float)
    wrong = ~np.isfinite(estimates) | (shares & ((estimates < -1e-9) | (estimates > 1 + 1e-9)))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        expected = "a share from 0 to 1" if shares else "a number"
        raise DataError(
            f"row {row + 1}: estimate {shorten(rows['estimate'].iloc[row])!r}, expected {expected}"
        )


def _interval(part: pd.DataFrame, name: str) -> Interval:
    if name not in part.index:
        return Interval(0.0, np.nan, np.nan)
    row = part.loc[name]
    return Interval(
        *(float("nan") if pd.isna(row[c]) else float(row[c]) for c in ("estimate", "low", "high"))
    )


def _value(cell: Any) -> Any:
    if isinstance(cell, np.generic):
        cell = cell.item()
    return NONE if cell is None or cell is pd.NA or cell != cell else cell
