"""The shapes in which people lay out logs: how each is seen, and how a long table is made of it."""

from __future__ import annotations

from intent.logs.importer import both, implied, long, sequences, wide
from intent.logs.importer.proposals import Shape

__all__ = ["SHAPES"]

SHAPES: dict[str, Shape] = {
    shape.name: shape
    for shape in (*long.SHAPES, *both.SHAPES, *implied.SHAPES, *wide.SHAPES, *sequences.SHAPES)
}
"""Name -> shape; a kept mapping names one."""
