"""Lines of the posterior round by round, as the numbers that an SVG of the page is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intent.report.style import colour

__all__ = ["Chart", "Line", "posterior_chart"]

_LEFT, _TOP, _WIDTH, _HEIGHT, _RIGHT = 34, 10, 330, 150, 92
_APART = 14
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4", "1 4")
_MOST_NAMED = 7


@dataclass(frozen=True)
class Line:
    """A strategy: its points and where its name stands.

    Parameters
    ----------
    name, colour, dash, points : str
        As attributes of a polyline.
    end : float
        Height at which the line ends.
    text : float or None
        Height of its name; None where it has no room.
    """

    name: str
    colour: str
    dash: str
    points: str
    end: float
    text: float | None


@dataclass(frozen=True)
class Chart:
    """A drawing of `width` by `height`; ticks are (place, word)."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    lines: tuple[Line, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]


def posterior_chart(
    classes: Sequence[str], after: Sequence[int], posterior: Sequence[Sequence[float]]
) -> Chart | None:
    """The lines of K strategies over the rounds seen.

    Parameters
    ----------
    classes : K str
    after : ascending int
        Rounds seen.
    posterior : len(after) x K float

    Returns
    -------
    Chart, or None where there is nothing to draw
    """
    if len(after) < 2 or not classes:
        return None
    span = max(after[-1] - after[0], 1)
    bottom = _TOP + _HEIGHT
    xs = [_LEFT + _WIDTH * (n - after[0]) / span for n in after]
    order = sorted(range(len(classes)), key=lambda k: -max(row[k] for row in posterior))
    named = set(order[:_MOST_NAMED])
    ends = {k: bottom - _HEIGHT * posterior[-1][k] for k in range(len(classes))}
    texts = _apart({k: ends[k] for k in named}, bottom)
    lines = tuple(
        Line(
            name=name,
            colour=colour(name),
            dash=_DASHES[k % len(_DASHES)],
            points=" ".join(
                f"{x:.1f},{bottom - _HEIGHT * row[k]:.1f}" for x, row in zip(xs, posterior, strict=True)
            ),
            end=ends[k],
            text=texts.get(k),
        )
        for k, name in enumerate(classes)
    )
    step = next(s * 10**k for k in range(10) for s in (1, 2, 5) if span / (s * 10**k) <= 10)
    ticks = range(after[0], after[-1] + 1, step)
    return Chart(
        width=_LEFT + _WIDTH + _RIGHT,
        height=bottom + 34,
        left=_LEFT,
        right=_LEFT + _WIDTH,
        top=_TOP,
        bottom=bottom,
        lines=lines,
        across=tuple((_LEFT + _WIDTH * (n - after[0]) / span, str(n)) for n in ticks),
        up=tuple((bottom - _HEIGHT * p, f"{p:g}") for p in (0, 0.5, 1)),
    )


def _apart(heights: dict[int, float], bottom: float) -> dict[int, float]:
    """The heights moved so far that names do not overlap, in the same order."""
    order = sorted(heights, key=lambda k: heights[k])
    found: dict[int, float] = {}
    low = _TOP - 4.0
    for k in order:
        found[k] = low = max(heights[k], low + _APART)
    high = bottom + 4.0
    for k in reversed(order):
        found[k] = high = min(found[k], high)
        high -= _APART
    return {k: height + 4 for k, height in found.items()}
