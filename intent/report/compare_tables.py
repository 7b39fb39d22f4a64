"""Further tables of a comparison: human baselines, regression, sensitivity, indices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from intent.analysis.behaviour_indices import Index
from intent.analysis.model_result import MeanModel, ShareModel
from intent.analysis.seat_effects import SeatEffects
from intent.analysis.sensitivity import SensitivityRow
from intent.report.wording import digits_of_p, in_percent

__all__ = ["index_rows", "margin_rows", "seat_rows", "sensitivity_rows", "term_rows", "with_baselines"]

Rows = tuple[list[str], list[list[object]]]

_FIRST_SHARE = ("n_eff", "defaulted %", "missing %", "refused %")


def with_baselines(table: Rows, by: Sequence[str], humans: Sequence[tuple[str, Mapping[str, float]]]) -> Rows:
    """The table of shares with a row for each published study below the groups.

    A strategy that did not compete there has a dash.

    Parameters
    ----------
    table : header and rows, as `comparison_rows` gives them
    by : columns that make the groups
    humans : name of a study, and the share of each strategy
    """
    header, rows = table
    shares = max((i for i, name in enumerate(header) if name in _FIRST_SHARE), default=1) + 1
    names = list(dict.fromkeys(name for _, own in humans for name, share in own.items() if share > 0))
    added = [name for name in names if name not in header[shares:]]
    below: list[list[object]] = []
    for name, own in humans:
        lead: list[object] = [f"humans: {name}", *["" for _ in by[1:]]] if by else []
        if not by:
            lead = []
        blank: list[object] = ["–"] * (shares - len(by))
        cells: list[object] = [in_percent(own.get(column)) for column in [*header[shares:], *added]]
        below.append([*lead, *blank, *cells])
    if humans and not by:
        header = ["group", *header]
        rows = [["all", *row] for row in rows]
        below = [[f"humans: {name}", *row] for (name, _), row in zip(humans, below, strict=True)]
    return [*header, *added], [*([*row, *["–"] * len(added)] for row in rows), *below]


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


def sensitivity_rows(found: Sequence[SensitivityRow]) -> Rows:
    """One row per choice: shares, largest change in a group, p of each factor, verdicts that turn."""
    outcomes = list(dict.fromkeys(name for row in found for name, share in row.shares.items() if share > 0))
    factors = list(found[0].p) if found else []
    header = ["setting", "value", *outcomes, "max change", "of", *(f"p {f}" for f in factors)]
    header += ["verdict turns"] if factors else []
    rows: list[list[object]] = []
    for row in found:
        cells: list[object] = [row.setting or "as chosen", row.value]
        cells += [in_percent(row.shares.get(name)) for name in outcomes]
        cells += [f"{row.max_change * 100:.1f}", row.change_of]
        cells += [digits_of_p(row.p[f]) for f in factors]
        rows.append([*cells, *([", ".join(row.changed) or "no"] if factors else [])])
    return header, rows


def seat_rows(found: SeatEffects) -> Rows:
    """One row per outcome: share or mean in each seat, difference with interval, p of sign flips."""
    rows: list[list[object]] = []
    parts = zip(found.names, found.first, found.second, found.differences, found.p_each, strict=True)
    for name, first, second, difference, p in parts:
        if first or second:
            ends = f"{difference.low:+.3f} to {difference.high:+.3f}"
            cells = [f"{first:.3f}", f"{second:.3f}", f"{difference.estimate:+.3f}"]
            rows.append([name, *cells, "–" if math.isnan(difference.low) else ends, digits_of_p(p)])
    rows.append(["all together", "", "", "", "", digits_of_p(found.p)])
    return ["outcome", "seat 1", "seat 2", "difference", "interval", "p"], rows


def index_rows(found: Sequence[Index]) -> Rows:
    """One row per game, model and index."""
    rows: list[list[object]] = []
    for one in found:
        ends = "–" if math.isnan(one.low) else f"{one.low:.3f} to {one.high:.3f}"
        chance = "–" if math.isnan(one.chance) else f"{one.chance:.3f}"
        rows.append(
            [one.game, one.model, one.index, one.name, f"{one.estimate:.3f}", ends, chance, one.n_cells]
        )
    return ["game", "group", "index", "name", "value", "interval", "chance", "cells"], rows


def _plain(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"
