"""Colours of the names of a population: attitudes and strategies their own, others one each."""

from __future__ import annotations

from collections.abc import Sequence

from intent.report.style import colour, has_colour, palette

__all__ = ["name_colours"]


def name_colours(names: Sequence[str]) -> list[str]:
    """A colour for each name, no two alike up to nine names."""
    used = [colour(name) for name in names if has_colour(name)]
    spare = iter([tone for tone in palette(9) if tone not in used] * (1 + len(names) // 6) or palette(9))
    return [colour(name) if has_colour(name) else next(spare) for name in names]
