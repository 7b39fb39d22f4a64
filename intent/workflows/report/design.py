"""What the design of an experiment does not tell apart, and repeats that are copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.errors import shorten
from intent.workflows.report.comparisons import Compared, caveats_of
from intent.workflows.report.factors import in_words

if TYPE_CHECKING:
    from intent.report.document import Block
    from intent.workflows.report.material import Material

__all__ = ["copied_conditions", "design_blocks", "going_together", "shared_caveats"]

_LETTERS = 500
"""Of a sentence on the design, which names values of any length."""

_PAIRS = 3
"""Pairs of factors that a sentence names."""


def design_blocks(part: Material, varied: Sequence[str], shared: Sequence[str]) -> list[Block]:
    """Which factors cannot be told apart, and which combinations were never played."""
    from intent.report.document import Listing
    from intent.workflows.compare_design import confounds_of

    found = [
        shorten(line.replace(" (see --within)", ""), _LETTERS) for line in confounds_of(part.labels, varied)
    ]
    told = tuple(f"{line[0].upper()}{line[1:]}." for line in found if "agent_name" not in line)
    told += tuple(shared)
    return [Listing(told, "caution")] if told else []


def going_together(part: Material, found: Sequence[Compared]) -> list[str]:
    """Which factors that make a difference do not vary apart, in a clause."""
    from intent.analysis.confounds import confounds

    factors = [one.factor for one in found if one.differs]
    pairs = [in_words([one.factor, one.other]) for one in confounds(part.labels, factors)]
    if not pairs:
        return []
    more = f" and {len(pairs) - _PAIRS} more pairs" if len(pairs) > _PAIRS else ""
    return [
        f"some factors that make a difference go together in this design, so that one may stand for the "
        f"other: {'; '.join(pairs[:_PAIRS])}{more}"
    ]


def shared_caveats(found: Sequence[Compared]) -> list[str]:
    """Caveats of all comparisons of a game."""
    each = [caveats_of(one) for one in found]
    return [line for line in each[0] if all(line in other for other in each[1:])]


def copied_conditions(material: Material) -> list[str]:
    """Conditions all of whose games are the same, move by move."""
    from intent.analysis.repeats import identical_cells

    if material.log is None or not len(material.log):
        return []
    cells = identical_cells(material.log)
    several = cells[(cells["n_games"] > 1).to_numpy()]
    n = int(several["identical"].sum())
    if not n:
        return []
    return [
        f"In {n:,} of {len(several):,} conditions with several games all games are the same, move by move: "
        "such repeats are hardly independent, and what takes games as independent says too much of them. "
        "Where conditions are the unit, this is allowed for."
    ]
