"""What one must know to read a figure of estimated shares, as lines of its caption."""

from __future__ import annotations

import math
from collections.abc import Sequence

from intent.analysis.counted import GroupShares
from intent.recognise.sfem.result import MixtureFit
from intent.strategies.catalogue import CATALOGUE

__all__ = ["explained"]

_MAX_RULES = 8


def explained(groups: Sequence[GroupShares], names: Sequence[str], level: float) -> list[str]:
    """How to read the figure."""
    rules = [f"{name}: {CATALOGUE[name].rule}" for name in names if name in CATALOGUE]
    shares = [share for group in groups for share in group.fit.shares]
    lines = [f"C cooperates, D defects. {'; '.join(rules[:_MAX_RULES])}."] if rules else []
    read = f"Points: shares estimated by maximum likelihood; lines: {level * 100:g} % intervals"
    resampled = any(share.source == "bootstrap" for share in shares)
    read += " by the bootstrap." if resampled else "."
    if any(share.source == "none" and math.isnan(share.low) for share in shares):
        read += " Open points: on the boundary, no interval."
    if any(group.fit.ridge for group in groups):
        read += " Dashed: not told apart from others by this play; any share on the line fits as well."
    lines.append(read)
    if any(group.counted is not None for group in groups):
        lines.append(
            "Counted: share of trajectories whose most probable strategy this is (ties go to the first), "
            "and share with a confident label of it."
        )
    if len(groups) > 1:
        lines.append("Tremble: probability per move of not doing what the strategy says. n: subjects.")
    else:
        lines.append(f"{_tremble(groups[0].fit)} {groups[0].fit.n_subjects:,} subjects.")
    left_out = [name for name in dict.fromkeys(n for g in groups for n in g.fit.names) if name not in names]
    if left_out:
        lines.append(f"Not drawn, since their share is 0: {', '.join(left_out)}.")
    return lines


def _tremble(fit: MixtureFit) -> str:
    meaning = "probability per move of not doing what the strategy says"
    if fit.tremble_kind == "strategy":
        return f"Tremble: {meaning}."
    found = fit.tremble[0]
    ends = "" if math.isnan(found.low) else f" ({found.low:.3f} to {found.high:.3f})"
    return f"Tremble ({meaning}): {found.estimate:.3f}{ends}."
