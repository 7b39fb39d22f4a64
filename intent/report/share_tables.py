"""Estimated shares as text: the fits, the shares beside counted ones, the tests in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from intent.analysis.counted import GroupShares
from intent.recognise.sfem.result import GroupTest, MixtureFit
from intent.report.wording import p_is

__all__ = ["fit_rows", "group_test_sentences", "percent", "percent_ends", "share_rows"]


def fit_rows(
    fits: Sequence[tuple[tuple[Any, ...], MixtureFit]], by: Sequence[str]
) -> tuple[list[str], list[list[object]]]:
    """Header and rows: a group with its tremble, gamma, criteria, and its best single strategy."""
    header = [*by, "subjects", "choices", "tremble", "±", "gamma", "log L", "AIC", "BIC", "ICL"]
    rows: list[list[object]] = []
    for values, fit in fits:
        tremble = fit.tremble[0] if fit.tremble_kind != "strategy" else None
        cells: list[object] = [*map(str, values), f"{fit.n_subjects:,}", f"{fit.n_choices:,}"]
        cells += ["by strategy", "–"] if tremble is None else [_plain(tremble.estimate), _plain(tremble.se)]
        cells += ["–" if math.isnan(fit.gamma) else f"{fit.gamma:.3f}"]
        cells += [f"{value:.1f}" for value in (fit.log_likelihood, fit.aic, fit.bic, fit.icl)]
        rows.append([*cells, fit.best, f"{fit.match * 100:.1f}%"])
    return [*header, "best single", "match"], rows


def share_rows(groups: Sequence[GroupShares], by: Sequence[str]) -> tuple[list[str], list[list[object]]]:
    """Header and rows: the share of each strategy in per cent with error and interval, and the counted ones.

    The tremble of a strategy is added where each has its own.
    """
    each = any(group.fit.tremble_kind == "strategy" for group in groups)
    counted = any(group.counted is not None for group in groups)
    header = [*by, "strategy", "share", "±", "interval", *(["tremble", "± "] if each else [])]
    header += ["counted: best", "confident"] if counted else []
    rows: list[list[object]] = []
    for group in groups:
        fit = group.fit
        for k, (name, share) in enumerate(zip(fit.names, fit.shares, strict=True)):
            cells: list[object] = [*map(str, group.values), name]
            cells += [percent(share.estimate), percent(share.se), percent_ends(share.low, share.high)]
            if each:
                own = fit.tremble[k if fit.tremble_kind == "strategy" else 0]
                cells += [_plain(own.estimate), _plain(own.se)]
            if counted and group.counted is not None:
                cells += [percent(group.counted.best.get(name, 0.0))]
                cells += [percent(group.counted.confident.get(name, 0.0))]
            rows.append(cells)
    return header, rows


def group_test_sentences(
    tests: Sequence[GroupTest],
    by: Sequence[str],
    level: float,
    *,
    clustered: bool = False,
    units: str = "units",
) -> list[str]:
    """What the likelihood-ratio tests between groups say, one line each.

    The verdict is that of the permutation, where there is one, else that of the test that knows the units,
    else that of chi-square.

    Parameters
    ----------
    tests : sequence of GroupTest
    by : columns that make the groups
    level : float, tests speak at 1 - level
    clustered : bool
        Whether subjects come in clusters, which chi-square does not know of.
    units : what is independent, in the plural
    """
    return [_sentence(test, " × ".join(by), level, clustered, units) for test in tests]


def percent(value: float | None) -> str:
    """``31.2``, a dash where there is no number."""
    return "–" if value is None or math.isnan(value) else f"{value * 100:.1f}"


def _plain(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"


def percent_ends(low: float, high: float) -> str:
    """``28.0–34.4``, a dash where the data give no ends."""
    return "–" if math.isnan(low) or math.isnan(high) else f"{low * 100:.1f}–{high * 100:.1f}"


def _sentence(test: GroupTest, by: str, level: float, clustered: bool, units: str) -> str:
    p = next(p for p in (test.p_permutation, test.p_units, test.p) if p is not None)
    plural = test.tested != "tremble"
    verb = "differ" if plural else "differs"
    what = test.tested[0].upper() + test.tested[1:]
    head = f"{what} {verb}" if p <= 1 - level else f"No evidence that {test.tested} {verb}"
    if test.p_units is not None:
        text = f"{head} by {by}: likelihood ratio {test.statistic:.4g} ({test.df} df), {p_is(test.p_units)}"
        return f"{text} ({units} are independent; {test.draws:,} draws)"
    text = f"{head} by {by}: likelihood ratio chi-square({test.df}) = {test.statistic:.4g}, {p_is(test.p)}"
    doubts = ["an estimate lies on its boundary"] if test.boundary else []
    doubts += ["subjects of one cluster are taken as independent"] if clustered else []
    text += f" (rough: {', '.join(doubts)})" if doubts else ""
    if test.p_permutation is not None:
        text += f"; {test.permutations:,} permutations {p_is(test.p_permutation)}"
    return text
