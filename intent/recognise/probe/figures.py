"""The figure of a probe: what each opponent reveals, round by round.

A proposed probe in tables and sentences for people.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from intent.base.wording import listed
from intent.figures.style import (
    Drawing,
    canvas,
    columns_of,
    legend_of,
    palette,
    pt,
    ruled,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["noise_in_words", "probe_figure", "probe_sentences", "probe_tables", "what_was_sought"]


Table = tuple[Sequence[str], list[Sequence[object]], str]


def probe_tables(result: Any) -> list[Table]:
    """Header, rows and title of two tables: the probe round by round, and the opponents side by side.

    Parameters
    ----------
    result : ProbeResult
    """
    rounds = [
        (str(r["round"]), move, *_values(r))
        for r, move in zip(result.probe.rounds, result.sequence, strict=True)
    ]
    opponents: list[Sequence[object]] = [_row(result.probe)]
    if result.adaptive is not None:
        values = result.adaptive
        opponents.append(
            ("the best that reacts", f"{values['accuracy']:.4f}", f"{values['information']:.3f}", None, "")
        )
    opponents += [_row(opponent) for opponent in result.baselines]
    n = len(result.sequence)
    needed = f"rounds to {result.target * 100:g} %"
    return [
        (("round", "opponent plays", "accuracy", "bits"), list(rounds), what_was_sought(result)),
        (
            ("opponent", "accuracy", "bits", needed, "not separated"),
            opponents,
            f"After {n} round{'s' * (n > 1)}, beside other opponents",
        ),
    ]


def what_was_sought(result: Any) -> str:
    """What was looked for and how, in one line."""
    how = "all sequences compared" if result.search == "optimal" else "beam search, perhaps not the best"
    what = "most information" if result.objective == "information" else "highest accuracy"
    names = ", ".join(result.strategies)
    n = len(result.sequence)
    return f"{names} at {noise_in_words(result.eps)}: {what} in {n} round{'s' * (n > 1)} ({how})"


def noise_in_words(eps: tuple[float, float]) -> str:
    """The noise as a phrase."""
    low, high = eps
    return f"eps = {low:g}" if low == high else f"an eps unknown within {low:g} to {high:g}"


def probe_sentences(result: Any) -> list[str]:
    """The answer to how many rounds are needed, and what cannot be told apart at all."""
    goal, n = f"{result.target * 100:g} %", result.probe.rounds_needed
    lines = []
    if n is not None:
        same = result.target_sequence == result.sequence
        which = "this sequence" if same else f"the sequence {result.target_sequence}"
        lines.append(f"{goal} take {n} round{'s' * (n > 1)}, with {which}")
    elif result.accuracy_limit < result.target - 1e-9:
        why = "strategies are tied" if result.tied else "an early slip leaves some alike for ever"
        lines.append(f"no sequence reaches {goal}: the limit is {result.accuracy_limit:.4f}, since {why}")
    else:
        lines.append(f"{goal} are not reached within {result.config['max_rounds']} rounds")
    lines += [f"no opponent tells {listed(group)} apart" for group in result.tied]
    if any(r["accuracy_error"] for o in (result.probe, *result.baselines) for r in o.rounds):
        lines.append("too many histories were sampled: ± is a standard error, a band in the figure two")
    return lines


def _row(opponent: Any) -> Sequence[object]:
    groups = "; ".join(listed(group) for group in opponent.unseparated)
    return (opponent.name, *_values(opponent.last), opponent.rounds_needed, groups)


def _values(r: Any) -> tuple[str, str]:
    accuracy, bits = f"{r['accuracy']:.4f}", f"{r['information']:.3f}"
    if r["accuracy_error"] or r["information_error"]:
        return f"{accuracy} ± {r['accuracy_error']:.4f}", f"{bits} ± {r['information_error']:.3f}"
    return accuracy, bits


_MOST_LETTERS = 30
"""Rounds up to which the moves stand below the axis; longer sequences stand in the caption only."""

_TICKS = (0, 0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999)
_TOP = 0.9999
"""Accuracies above are drawn here."""

_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (4, 1.5, 1, 1.5)))
_NAMES = {
    "random": "a fair coin",
    "ALLC": "always C",
    "ALLD": "always D",
    "sequence:CD": "C and D in turn",
}


def probe_figure(result: Any) -> Drawing:
    """Accuracy and information by round, for the probe and the usual opponents.

    Parameters
    ----------
    result : ProbeResult
    """
    title = "How well an opponent's moves tell strategies apart"
    return Drawing(title, lambda: _draw(result), [*_explained(result), *probe_sentences(result)])


def _explained(result: Any) -> list[str]:
    lines = [
        f"{what_was_sought(result)}. Proposed sequence: {result.sequence}. Its last move comes too late to "
        "be answered.",
        "Accuracy: probability that the most probable strategy, given all own moves, is the true one. "
        "Information: mutual information of strategy and own moves; all strategies equally frequent.",
    ]
    if result.adaptive is not None:
        lines.append("Star: the best opponent that chooses each move by the moves it has seen.")
    return lines


def _draw(result: Any) -> Figure:
    figure, (left, right) = canvas(*((10.5, 4.9, 1, 2) if columns_of(2, 2.6) == 2 else (4.8, 6.6, 2, 1)))
    tones = palette(1 + len(result.baselines))
    tones = [tones[0], "#777777", *tones[1:]]
    for axes, key in ((left, "accuracy"), (right, "information")):
        for place, opponent in reversed(list(enumerate((result.probe, *result.baselines)))):
            _line(axes, opponent, key, place, tones[place])
        if result.adaptive is not None:
            n = len(result.sequence)
            value = result.adaptive[key]
            value = min(value, _TOP) if key == "accuracy" else value
            axes.plot(n, value, "*", color=tones[0], markersize=12, markeredgecolor="white", zorder=5)
        _rounds_below(axes, result.sequence)
        ruled(axes)
    k = len(result.strategies)
    left.set_ylabel("expected accuracy (%), stretched towards 100")
    _stretch(left, result)
    _mark(left, result.target, f"target {result.target * 100:g} %")
    if result.accuracy_limit < min(result.target, 1 - 1e-9):
        _mark(left, result.accuracy_limit, f"limit {result.accuracy_limit * 100:.1f} %", below=True)
    right.set_ylabel("information on the strategy (bits)")
    _mark(right, math.log2(k), f"all: {math.log2(k):.2f} bits")
    right.set_ylim(0, 1.03 * math.log2(k))
    legend_of(figure, _legend(result, tones))
    return figure


def _line(axes: Axes, opponent: Any, key: str, place: int, tone: str) -> None:
    x = [r["round"] for r in opponent.rounds]
    y = [min(r[key], _TOP) if key == "accuracy" else r[key] for r in opponent.rounds]
    marker = "o" if place == 0 and len(x) <= _MOST_LETTERS else ""
    style = _DASHES[max(0, place - 1)]
    axes.plot(
        x, y, linestyle=style, color=tone, linewidth=2.4 if place == 0 else 1.7, marker=marker, markersize=4.5
    )
    spread = [1.96 * r[f"{key}_error"] for r in opponent.rounds]
    if any(spread):
        low, high = ([a + sign * b for a, b in zip(y, spread, strict=True)] for sign in (-1, 1))
        axes.fill_between(x, low, high, color=tone, alpha=0.18, linewidth=0)


def _rounds_below(axes: Axes, sequence: str) -> None:
    n = len(sequence)
    axes.set_xlabel("round" + (", and the proposed opponent's move in it" if n <= _MOST_LETTERS else ""))
    if n <= _MOST_LETTERS:
        step = 1 if n <= 15 else 5
        numbers = [str(t) if t % step == 0 or t == 1 else "" for t in range(1, n + 1)]
        axes.set_xticks(range(1, n + 1), [f"{a}\n{b}" for a, b in zip(numbers, sequence, strict=True)])
    axes.set_xlim(0.5, n + 0.5)


def _stretch(axes: Axes, result: Any) -> None:
    """An axis on which each halving of the error is one step."""
    import numpy as np

    values = [r["accuracy"] for o in (result.probe, *result.baselines) for r in o.rounds]
    reached = max([*values, result.target, (result.adaptive or {}).get("accuracy", 0.0)])
    ticks = [t for t in _TICKS if t <= min(values)][-1:] + [t for t in _TICKS if min(values) < t < reached]
    ticks += [t for t in _TICKS if t >= reached][:1]
    axes.set_yscale(
        "function",
        functions=(lambda a: -np.log2(1 - np.minimum(a, _TOP)), lambda b: 1 - np.exp2(-b)),
    )
    axes.set_yticks(ticks, [f"{t * 100:g}" for t in ticks], minor=False)
    axes.set_ylim(ticks[0], max(ticks[-1], min(reached, _TOP)))


def _mark(axes: Axes, value: float, text: str, *, below: bool = False) -> None:
    axes.axhline(value, color="#444444", linewidth=0.9, linestyle=(0, (3, 3)), zorder=0)
    place = axes.get_yaxis_transform()
    axes.text(
        0.01,
        value,
        text,
        transform=place,
        ha="left",
        va="top" if below else "bottom",
        fontsize=pt(8),
        color="#444444",
    )


def _legend(result: Any, tones: list[str]) -> list[Any]:
    from matplotlib.lines import Line2D

    names = ["proposed", *(wrapped(_NAMES.get(o.name, o.name), 18) for o in result.baselines)]
    return [
        Line2D(
            [],
            [],
            color=tones[i],
            linestyle=_DASHES[max(0, i - 1)],
            linewidth=2.4 if i == 0 else 1.7,
            label=name,
        )
        for i, name in enumerate(names)
    ]
