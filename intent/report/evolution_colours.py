"""Colours of the names of a population: attitudes their own, others one each."""

from __future__ import annotations

from collections.abc import Sequence

from intent.arena.entrant import ATTITUDES
from intent.report.style import colour, palette

__all__ = ["name_colours"]


def name_colours(names: Sequence[str]) -> list[str]:
    """A colour for each name, no two alike up to nine names."""
    used = [colour(name) for name in names if name in ATTITUDES]
    spare = iter([tone for tone in palette(9) if tone not in used] * (1 + len(names) // 6))
    return [colour(name) if name in ATTITUDES else next(spare) for name in names]
