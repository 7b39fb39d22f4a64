"""Wide tables: a row per player or pair with a column, or a letter, for each round."""

from __future__ import annotations

from intent.logs.importer.proposals import Shape

__all__ = ["SHAPES"]

SHAPES: tuple[Shape, ...] = ()
