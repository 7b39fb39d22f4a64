"""What a reader of types of contributors should be warned of, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.workflows.focal import unread_rows

if TYPE_CHECKING:
    from intent.analysis.contributor_shares import GroupTypes
    from intent.encode.contributions import Contributions
    from intent.recognise.contributors.rules import Verdict

__all__ = ["contributor_notes"]

_TREND = 0.5
"""Rank correlation with time beyond which a conditional cooperator may merely have drifted."""


def contributor_notes(
    found: Contributions, verdicts: Sequence[Verdict], groups: Sequence[GroupTypes], by: Sequence[str]
) -> list[str]:
    """Cautions on types.

    Parameters
    ----------
    found : Contributions
    verdicts : of all subjects
    groups : their shares
    by : columns that make the groups
    """
    from intent.analysis.comparison import group_name

    keys = found.play.keys
    assert keys is not None
    notes = unread_rows(found.log)
    missing = int((~found.log.has_cooperation()).sum())
    if missing:
        notes.append(f"{missing:,} games are left out: no contributions")
    games = sorted(map(str, keys["game"].dropna().unique())) if "game" in keys else []
    if len(games) > 1 and "game" not in by:
        notes.append(f"play of {len(games)} games is pooled ({', '.join(games)}); --by game keeps them apart")
    drifting = [v for v in verdicts if v.type == "conditional" and v.trend < -_TREND]
    conditional = sum(v.type == "conditional" for v in verdicts)
    if drifting:
        notes.append(
            f"{len(drifting):,} of {conditional:,} conditional cooperators give less and less, "
            "like the others: to follow them and to drift as they do look the same"
        )
    for status, why in (
        ("too_short", "too few rounds"),
        ("constant_others", "others who hardly varied"),
    ):
        n = sum(v.status == status for v in verdicts)
        if n:
            notes.append(f"{n:,} of {len(verdicts):,} subjects have no type: {why}")
    if found.drawn:
        notes.append("endowments that the game drew are not in the log: shares are of the largest one")
    ridges: dict[tuple[str, ...], list[str]] = {}
    for group in groups:
        for ridge in group.fit.ridge if group.fit is not None else ():
            ridges.setdefault(ridge, []).append(group_name(group.values))
    for ridge, names in ridges.items():
        where = "" if names == ["all"] else f": {', '.join(names[:3])}"
        notes.append(
            f"this play does not tell {' and '.join(ridge)} apart, only their sum is estimated{where}"
        )
    wild = [group_name(g.values) for g in groups if g.misfit]
    if wild:
        notes.append(
            f"errors as large as they may be, the types hardly describe the play: {', '.join(wild[:3])}"
        )
    return notes
