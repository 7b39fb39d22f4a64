"""Estimated shares, and labels counted in four ways, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intent.analysis.bootstrap import Interval
from intent.report.tables import percent

if TYPE_CHECKING:
    from intent.report.document import Block, Section
    from intent.workflows.report.findings import Played
    from intent.workflows.report.material import Material

__all__ = ["COUNTS", "shares_section"]

COUNTS = ("status", "posterior", "split", "best")


def shares_section(part: Material, key: str, what: Played, *, level: float) -> Section:
    """Estimated shares, and labels counted in four ways, with intervals on the unit of the design.

    Parameters
    ----------
    part : Material
    key : str
    what : Played
        The estimate.
    level : float in (0, 1)
    """
    from intent.analysis.score_interval import share_intervals
    from intent.analysis.shares import ABSTENTIONS, outcomes
    from intent.analysis.unit import design_units
    from intent.report.document import Section, Words, grid

    labels, classes = part.labels, part.classes
    unit = design_units(labels, (), classes=classes).unit
    codes = unit.codes
    found = {}
    for count in COUNTS:
        counted = outcomes(labels, count, classes=classes)  # type: ignore[arg-type]
        intervals = share_intervals(counted.weights, codes, level=level)
        found[count] = dict(zip(counted.names, intervals, strict=True))
    names = [
        *classes,
        *(a for a in ABSTENTIONS if found["status"].get(a) and found["status"][a].estimate > 0),
    ]
    estimated = _estimated(what)
    first = ("estimated %",) if estimated else ()
    rows = [
        (
            name.replace("_", " "),
            *((estimated.get(name, "–"),) if estimated else ()),
            *(_cell(found[count].get(name)) for count in COUNTS),
        )
        for name in names
    ]
    header = ("outcome", *first, "status %", "posterior %", "split %", "best %")
    blocks: list[Block] = [
        Words(what.sentence),
        Words(
            f"{part.counted}. The estimate fits the shares of all of them at once, with their noise; "
            "findings "
            "and comparisons follow it. Counted labels describe labels: by status a row counts for its "
            "strategy only where the label is confident; by posterior for each strategy with its "
            "probability; split shares ties equally; best takes the first of those that tie. How many are "
            "called a strategy moves with noise, rounds and opponents.",
            "quiet",
        ),
        grid(f"Shares in per cent, with {level:.0%} intervals ({unit.noun} are the unit)", header, rows),
    ]
    spread = {
        name: [found[count][name].estimate for count in COUNTS if name in found[count]]
        for name in classes
        if name != "RANDOM"
    }
    widest = max(spread, key=lambda name: max(spread[name]) - min(spread[name]))
    low, high = min(spread[widest]), max(spread[widest])
    if high - low > 0.05:
        text = f"The share of labels {widest} is {low:.0%} or {high:.0%} depending on how they are counted."
        blocks.append(Words(text, "caution"))
    return Section(f"{key}-shares", "Labels and shares", tuple(blocks))


def _estimated(what: Played) -> dict[str, str]:
    """Estimated shares by strategy, as cells; strategies that are not told apart have their sum."""
    cells: dict[str, str] = {}
    for names, share, low, high in what.shares:
        for name in names:
            others = [other for other in names if other != name]
            cells[name] = percent(Interval(share, low, high))
            if others:
                cells[name] = f"{100 * share:.1f} with {' and '.join(others)}"
    return cells


def _cell(interval: object) -> str:
    return "–" if interval is None else percent(interval)  # type: ignore[arg-type]
