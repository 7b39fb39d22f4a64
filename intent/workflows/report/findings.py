"""Key findings: plain sentences that say no more than the numbers of the report do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.workflows.report.factors import in_words

if TYPE_CHECKING:
    from intent.report.document import Block, Section
    from intent.workflows.report.comparisons import Compared

__all__ = ["findings_section"]


def findings_section(
    general: Sequence[str],
    of_games: Sequence[tuple[str, str, Sequence[str], Sequence[str]]],
    found: Sequence[Compared],
    cautions: Sequence[str],
) -> Section:
    """The first section of a report.

    Parameters
    ----------
    general : sentences on the whole
    of_games : (key, name, clauses before its comparisons, and after) of each game
    found : all comparisons, corrected
    cautions : what limits all of it
    """
    from intent.report.document import Listing, Section, Words

    items = list(general)
    for one in found:
        if one.key == "games" and one.test is not None:
            what = "differ" if one.differs else "are not shown to differ"
            items.append(
                f"Between games shares {what} (Cramér's V = {one.test.effect:.2f}); the same strategy means "
                "something else in another game."
            )
    blocks: list[Block] = [Listing(tuple(items))]
    for key, name, clauses, after in of_games:
        own = [c for c in found if c.key == key]
        said = (f"{text[0].upper()}{text[1:]}." for text in [*clauses, *_compared(own), *after])
        blocks.append(Section(f"findings-{key}", f"In {name}", (Listing(tuple(said)),)))
    blocks.append(
        Words(
            "A label says which known strategy the moves are most like. It does not say why they were made, "
            "and a difference between groups is no proof that what names them is its cause.",
            "quiet",
        )
    )
    if cautions:
        blocks.append(Listing(tuple(cautions), "caution"))
    return Section("findings", "Key findings", tuple(blocks))


def _compared(own: Sequence[Compared]) -> list[str]:
    """Which factors make a difference, the largest first."""
    differ = sorted((c for c in own if c.differs and c.test), key=lambda c: -c.test.effect)  # type: ignore[union-attr]
    same = [c for c in own if c.test is not None and not c.differs]
    told = []
    if differ:
        each = ", ".join(
            f"{in_words(c.factor)} (V = {c.test.effect:.2f}, {c.size})" for c in differ if c.test
        )
        told.append(f"shares differ by {each}")
    if same:
        told.append(f"no evidence of a difference by {in_words([c.factor for c in same])}")
    return told
