"""Rounds of a saved file, of games in which all choose a number or one of two words at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from intent.errors import DataError, one_line, shorten
from intent.suites.gamma.plays import BarPlays, DinerPlays, DollarPlays, GoodsPlays, GuessingPlays
from intent.suites.gamma.saved_values import LARGEST, SMALLEST, Saved, count, number, numbers, words

__all__ = ["bar", "diner", "dollar", "goods", "guessing"]

_NEAR = 1e-6
"""How far a figure of a round may be from what its single choices come to."""


def guessing(saved: Saved) -> GuessingPlays:
    """Guess the ratio of the average.

    Numbers may lie in 0 to 100 whatever ``min`` and ``max`` say: upstream checks no others.
    """
    meta = saved.meta
    low = number(meta.get("min", 0), "min", "meta", low=-1e6, high=1e6)
    high = number(meta.get("max", 100), "max", "meta", low=-1e6, high=1e6)
    if high - low < SMALLEST:
        raise DataError(f"meta: min is {low:g} and max {high:g}, expected min below max")
    bounds = {"low": min(low, 0), "high": max(high, 100)}
    ratio = number(meta.get("ratio", 2 / 3), "ratio", "meta", high=1000)
    means, rows = [], []
    for i, record in enumerate(saved.records):
        at, answers = f"round {i + 1}", saved.responses(i)
        chosen = None if answers is None else numbers(answers, "response", at, **bounds)
        told = number(record["mean"], "mean", at, **bounds) if "mean" in record else None
        means.append(_agreed(told, sum(chosen) / len(chosen) if chosen else None, "mean", at))
        rows.append(chosen)
    by_seat = _numbers_by_seat(saved, rows, bounds["low"], bounds["high"])
    return GuessingPlays(
        n_players=saved.n_players,
        models=saved.models,
        low=low,
        high=high,
        ratio=ratio,
        written=_written(meta, "ratio_str", "2/3", ratio),
        means=tuple(means),
        by_seat=by_seat,
    )


def bar(saved: Saved) -> BarPlays:
    """El Farol bar."""
    meta = saved.meta
    mode = words([meta.get("mode", "implicit")], ("implicit", "explicit"), "mode", "meta")[0]
    ratio = number(meta.get("ratio", 0.6), "ratio", "meta", high=1)
    low, high, home = (
        number(meta.get(key, usual), key, "meta", low=-1e6, high=1e6)
        for key, usual in (("min", 0), ("max", 10), ("home", 5))
    )
    goers, rows = _counts(saved, "go_num", ("go", "stay"))
    return BarPlays(
        n_players=saved.n_players,
        models=saved.models,
        low=low,
        high=high,
        home=home,
        ratio=ratio,
        written=_written(meta, "ratio_str", "60%", ratio),
        mode=mode,
        goers=goers,
        by_seat=rows,
    )


def dollar(saved: Saved) -> DollarPlays:
    """Divide the dollar."""
    gold = number(saved.meta.get("golds", 100), "golds", "meta", low=1e-9)
    totals, rows = _totals(saved, "total_proposal")
    return DollarPlays(
        n_players=saved.n_players,
        models=saved.models,
        gold=gold,
        totals=totals,
        by_seat=_numbers_by_seat(saved, rows, -LARGEST),
    )


def goods(saved: Saved) -> GoodsPlays:
    """Public goods; contributions above the endowment are taken as they are, as upstream does."""
    meta = saved.meta
    totals, rows = _totals(saved, "total_tokens")
    whole = [row for row in rows if row is not None]
    reset = meta.get("reset", True)
    if not isinstance(reset, bool):
        raise DataError(f"meta: reset is {shorten(repr(reset), 40)}, expected true or false")
    drawn = meta.get("token_initialization") == "random"
    return GoodsPlays(
        n_players=saved.n_players,
        models=saved.models,
        tokens=number(meta.get("tokens", 20), "tokens", "meta", low=1e-9),
        factor=number(meta.get("ratio", 2), "ratio", "meta", high=1e6),
        reset=reset,
        least=number(meta.get("rand_min", 11), "rand_min", "meta") if drawn else None,
        totals=totals,
        by_seat=tuple(whole) if len(whole) == len(rows) else None,
    )


def diner(saved: Saved) -> DinerPlays:
    """Diner's dilemma; any dish that is not ``cheap`` is a costly one, as upstream has it."""
    meta = saved.meta
    menu = tuple(
        number(meta.get(key, usual), key, "meta", low=-1e6, high=1e6)
        for key, usual in (("cheap_cost", 10), ("cheap_utility", 15), ("exp_cost", 20), ("exp_utility", 20))
    )
    cheap, rows = _counts(saved, "cheap_player", ("cheap", "costly"), other="costly")
    return DinerPlays(
        n_players=saved.n_players,
        models=saved.models,
        menu=(menu[0], menu[1], menu[2], menu[3]),
        cheap=cheap,
        diners=(saved.n_players,) * len(cheap),
        by_seat=rows,
    )


def _counts(
    saved: Saved, key: str, options: tuple[str, str], *, other: str | None = None
) -> tuple[tuple[int, ...], tuple[tuple[str, ...], ...] | None]:
    """How many chose the first option, by round; and who, where every round says so.

    `other` stands for texts that are no option.
    """
    figures: list[int] = []
    rows: list[tuple[str, ...] | None] = []
    for i, record in enumerate(saved.records):
        at, answers = f"round {i + 1}", saved.responses(i)
        if answers is not None and other is not None:
            answers = [other if isinstance(a, str) and a.lower() not in options else a for a in answers]
        row = None if answers is None else words(answers, options, "response", at)
        told = count(record[key], key, at, high=saved.n_players) if key in record else None
        figures.append(int(_agreed(told, None if row is None else row.count(options[0]), key, at)))
        rows.append(row)
    whole = [row for row in rows if row is not None]
    return tuple(figures), tuple(whole) if len(whole) == len(rows) else None


def _totals(saved: Saved, key: str) -> tuple[tuple[float, ...], list[tuple[float, ...] | None]]:
    """Sum of the numbers of every round, and the numbers in the order of the file.

    Upstream checks no range here, so numbers below 0 are taken as they are.
    """
    totals: list[float] = []
    rows: list[tuple[float, ...] | None] = []
    for i, record in enumerate(saved.records):
        at, answers = f"round {i + 1}", saved.responses(i)
        row = None if answers is None else numbers(answers, "response", at, low=-LARGEST)
        told = number(record[key], key, at, low=-LARGEST) if key in record else None
        totals.append(_agreed(told, None if row is None else sum(row), key, at))
        rows.append(row)
    return tuple(totals), rows


def _agreed(told: float | None, computed: float | None, key: str, at: str) -> float:
    """A figure of a round, as the file says and as its choices come to."""
    if told is None and computed is None:
        raise DataError(f"{at}: neither {key} nor responses, expected one of them")
    if told is None or computed is None:
        return told if told is not None else computed  # type: ignore[return-value]
    if not math.isclose(told, computed, rel_tol=_NEAR, abs_tol=_NEAR):
        raise DataError(f"{at}: {key} is {told:g}, and the responses come to {computed:g}")
    return told


def _numbers_by_seat(
    saved: Saved, rows: Sequence[tuple[float, ...] | None], low: float, high: float = 1e9
) -> tuple[tuple[float, ...], ...] | None:
    """Numbers whose players are known, from the players' own records, which must agree with the rounds."""
    n = len(rows)
    if saved.own is None or any(len(one) != n for one in saved.own):
        return None
    columns = [numbers(one, "record", f"player {i}", low=low, high=high) for i, one in enumerate(saved.own)]
    by_seat = tuple(zip(*columns, strict=True))
    for i, (row, of_seats) in enumerate(zip(rows, by_seat, strict=True), start=1):
        if row is not None and Counter(row) != Counter(of_seats):
            raise DataError(f"round {i}: the responses are not what the players' records hold")
    return by_seat


def _written(meta: Mapping[str, Any], key: str, usual: str, value: float) -> str:
    """How the rules say a ratio; the number itself where the file does not say."""
    text = meta.get(key)
    if isinstance(text, str) and one_line(text):
        return one_line(text, 20)
    return usual if "ratio" not in meta else f"{value:g}"
