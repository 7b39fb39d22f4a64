"""Memory-one portraits as a table: how often groups cooperate first, and after each joint outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intent.workflows.report.factors import in_words

if TYPE_CHECKING:
    from intent.report.document import Block
    from intent.workflows.figure_subject import Subject
    from intent.workflows.report.material import Material

__all__ = ["portrait_blocks"]


def portrait_blocks(subject: Subject, part: Material) -> list[Block]:
    """A row per group, and per strategy that the recogniser knows; nothing without two-player games."""
    from intent.analysis.bootstrap import Interval
    from intent.analysis.portraits import SITUATIONS, portraits, situation_counts
    from intent.report.document import Words, grid
    from intent.report.tables import percent
    from intent.strategies.catalogue import CATALOGUE

    counts = situation_counts(subject.table)
    if not len(counts):
        return []
    found = portraits(counts, (subject.by,), **subject.how)
    rows: list[tuple[object, ...]] = []
    for group, cells in found.groupby(subject.by, sort=False, dropna=False):
        values = zip(cells["estimate"], cells["low"], cells["high"], strict=True)
        shown = ("–" if p != p else percent(Interval(p, low, high)) for p, low, high in values)
        rows.append((str(group), *shown))
    for name in part.classes:
        vector = CATALOGUE[name].memory_one_vector() if name in CATALOGUE else None
        if vector is not None:
            rows.append((f"{name}, by its rule", *(f"{100 * p:.0f}" for p in vector)))
    header = (in_words(subject.by), "first move", *(f"after {name}" for name in SITUATIONS[1:]))
    caption = f"Cooperation in per cent by {in_words(subject.by)}, at first and after each joint outcome"
    return [
        grid(caption, header, rows),
        Words(
            f"Own move first: after CD the player had cooperated and the other defected. In brackets: "
            f"{subject.intervals.level:.0%} intervals that resample whole games. All moves of a group are "
            "taken together, so that a mixture of players may look like none of them.",
            "quiet",
        ),
    ]
