"""People in the laboratory: published shares of strategies beside the estimated ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intent.workflows.report.factors import in_words

if TYPE_CHECKING:
    from intent.report.document import Block
    from intent.workflows.report.material import Material
    from intent.workflows.sfem_result import ShareEstimates

__all__ = ["humans_blocks"]

_GAME = "prisoner"
"""Part of the name of the game that every published study here has in common."""


def humans_blocks(part: Material, found: ShareEstimates) -> list[Block]:
    """The table and what must be known to read it; nothing for games that no study here is on."""
    from intent.report.document import Words, grid
    from intent.workflows.baselines import every_baseline

    if _GAME not in (part.game or ""):
        return []
    classes = part.classes
    humans = [one for one in every_baseline() if one.beside(classes)]
    if not humans:
        return []
    rows: list[tuple[object, ...]] = []
    for name, fit in found.named_fits():
        own = dict(zip(fit.names, (share.estimate for share in fit.shares), strict=True))
        rows.append((name if found.by else "this log", *(_percent(own.get(c)) for c in classes), "–"))
    for one in humans:
        beside = one.beside(classes)
        rest = sum(share for _, share, _ in one.shares) - sum(beside.values())
        told = ", ".join(f"{name} = {value:g}" for name, value in one.treatment)
        label = f"people: {one.name}{f' ({told})' if told else ''}"
        rows.append((label, *(_percent(beside.get(c)) for c in classes), _percent(abs(rest))))
    by = f" by {in_words(list(found.by))}" if found.by else ""
    sources = " ".join(dict.fromkeys(f"{one.citation} doi:{one.doi}." for one in humans))
    ranges = "; ".join(
        f"{c} {100 * min(shares):.0f} to {100 * max(shares):.0f}%"
        for c in classes
        if (shares := [one.beside(classes)[c] for one in humans if c in one.beside(classes)])
    )
    return [
        Words(
            f"People, in {len(humans)} published treatments of the repeated Prisoner's Dilemma, estimated in "
            f"the same way: {ranges}. Other payoffs, games that end by chance (delta: the probability of one "
            "more round) and other strategies that compete: this is for orientation, and nothing is tested."
        ),
        grid(
            f"Estimated shares in per cent{by}, and of people in the laboratory",
            ("group", *classes, "others that competed"),
            rows,
            folded=True,
        ),
        Words(f"Sources: {sources}", "quiet"),
    ]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"
