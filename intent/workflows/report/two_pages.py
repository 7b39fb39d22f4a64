"""The report on two pages: what was studied, findings with figures, what limits them, how to read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from intent.errors import shorten
from intent.workflows.report.factors import in_words, varying

if TYPE_CHECKING:
    from intent.analysis.findings import Findings
    from intent.report.document import Section
    from intent.workflows.report.findings import Played
    from intent.workflows.report.material import Material

__all__ = ["two_pages"]

_MOST = 6
"""Findings that fit."""

_GAMES = 6
"""Games whose play is told."""

_VALUES, _NAME = 6, 30
_CAUTIONS = 6

_HOW = (
    "Points are percentage points; brackets hold the interval that the data allow, wide enough for the "
    "choice of what is shown. What is not shown may still be there: few games show only large differences.",
    "p says how often chance alone would give such a difference, corrected for all questions asked.",
    "ALLC always cooperates, ALLD never does, TFT repeats the other's last move, WSLS keeps its move after a "
    "good outcome and changes it after a bad one; RANDOM is play that no strategy of the set explains.",
    "A difference between groups is no proof that what names them is its cause: groups are compared as they "
    "are.",
)


def two_pages(
    material: Material,
    parts: Mapping[str, Material],
    findings: Findings,
    what: Sequence[Played],
    *,
    cautions: Sequence[str],
    level: float,
) -> list[Section]:
    """The four sections.

    Parameters
    ----------
    material : Material
    parts : name of a game -> its part
    findings : Findings
    what : what is played, by game
    cautions : what limits all of it
    level : float in (0, 1)
    """
    from intent.report.document import Listing, Section, Words
    from intent.workflows.report.findings import findings_claims
    from intent.workflows.report.identified import identified_section
    from intent.workflows.report.quality import quality_section

    _, of_labels = identified_section(material, list(parts.values()))
    _, of_quality = quality_section(material, [])
    several = len(parts) > 1
    more = len(what) - _GAMES
    is_played = tuple(
        f"In {name.replace('_', ' ')}: {one.sentence[0].lower()}{one.sentence[1:]}"
        if several
        else one.sentence
        for name, one in list(zip(parts, what, strict=True))[:_GAMES]
    )
    if more > 0:
        is_played += (f"{more} more games are in the longer report.",)
    limits = [*cautions, *of_labels, *of_quality]
    return [
        Section("studied", "What was studied", (Words(_studied(material, parts)), Listing(is_played))),
        Section("findings", "Findings", tuple(findings_claims(findings, parts, level=level, most=_MOST))),
        Section("limits", "What limits them", (Listing(tuple(limits[:_CAUTIONS])),)),
        Section("reading", "How to read this", (Listing(_HOW),)),
    ]


def _studied(material: Material, parts: Mapping[str, Material]) -> str:
    """Games, rows, factors and rounds in one paragraph."""
    rounds = material.labels["n_rounds"]
    length = f"{rounds.min()}" if rounds.nunique() == 1 else f"{rounds.min()} to {rounds.max()}"
    games = ", ".join(name.replace("_", " ") for name in parts if name) or "one game"
    text = f"{material.counted} with {length} known moves each: {games}."
    told = []
    for factor in varying(material.labels, seats=False):
        if factor in ("game", "cooperative_action"):
            continue
        values = [shorten(str(v), _NAME) for v in material.labels[factor].dropna().unique()]
        more = f" and {len(values) - _VALUES} more" if len(values) > _VALUES else ""
        told.append(f"{in_words(factor)} ({', '.join(values[:_VALUES])}{more})")
    return f"{text} What varied: {'; '.join(told)}." if told else f"{text} Nothing varied between them."
