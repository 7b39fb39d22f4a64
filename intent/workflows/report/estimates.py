"""Shares estimated by maximum likelihood, beside the counted ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from intent.errors import shorten
from intent.workflows.report.factors import in_words

if TYPE_CHECKING:
    from intent.report.document import Block, Grid, Section
    from intent.workflows.report.material import Material
    from intent.workflows.sfem_result import ShareEstimates

__all__ = ["estimates_section"]

_HINT = re.compile(r"; --bootstrap .*")
"""What a note of `intent sfem` says on its own options."""

_NAMED = 6
"""Groups that a sentence names."""

_NAME, _LETTERS = 60, 500
"""Letters of a name in a sentence, and of a caution."""


def estimates_section(
    part: Material, key: str, by: Sequence[str], *, bootstrap: int, level: float, seed: int
) -> tuple[Section | None, list[str]]:
    """SFEM shares of one game by the first factor, and what they say in a clause; None without the moves."""
    from intent.errors import IntentError
    from intent.report.document import Listing, Section, Words, grid
    from intent.workflows.report.humans import humans_blocks
    from intent.workflows.sfem import sfem

    if part.log is None:
        return None, []
    others = part.provenance.get("others")
    title, address = "Estimated shares (SFEM)", f"{key}-sfem"
    try:
        found = sfem(
            part.log,
            list(part.classes),
            by=by,
            bootstrap=bootstrap,
            level=level,
            labels=part.labels,
            others=others if isinstance(others, str) else None,
            keep_defaulted=bool(part.provenance.get("keep_defaulted")),
            seed=seed,
        )
    except IntentError as error:
        return Section(address, title, (Words(f"Shares could not be estimated: {error}.", "caution"),)), []
    header, rows = found.share_rows()
    words = (
        "Counting labels decides each trajectory alone. Strategy frequency estimation fits the shares of "
        "the whole group at once, with one tremble per group, and divides ambiguous play as the rest "
        f"suggests. It knows {len(part.classes)} strategies: play that follows none of them goes to the "
        "nearest, or into the tremble."
    )
    blocks: list[Block] = [Words(words)]
    by_words = f" by {in_words(list(by))}" if by else ""
    table = grid(
        f"Estimated shares in per cent{by_words}, and labels counted", header, rows, heads=len(by) + 1
    )
    blocks.append(_picture(found, part, table, level))
    header, rows = found.fit_rows()
    blocks.append(grid(f"The fits{by_words}", header, rows, heads=max(1, len(by)), folded=True))
    tested = [line[0].upper() + line[1:] + "." * (not line.endswith(".")) for line in found.sentences()]
    if tested:
        sentences = " ".join(tested)
        blocks.append(
            Words(f"Between groups, not part of the correction for all comparisons: {sentences}", "quiet")
        )
    blocks += humans_blocks(part, found)
    if found.notes:
        told = (shorten(_HINT.sub("", note), _LETTERS) for note in found.notes)
        blocks.append(Listing(tuple(f"{line[0].upper()}{line[1:]}." for line in told), "caution"))
    return Section(address, title, tuple(blocks)), [_largest(found)]


def _largest(found: ShareEstimates) -> str:
    """The strategy with the largest estimated share of each group, as a clause."""
    told = []
    for name, fit in found.named_fits():
        share, strategy = max((s.estimate, n) for s, n in zip(fit.shares, fit.names, strict=True))
        told.append(f"{strategy} {share:.0%}{f' for {shorten(name, _NAME)}' if found.by else ''}")
    more = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    return f"the largest estimated share (SFEM) is {', '.join(told[:_NAMED])}{more}"


def _picture(found: ShareEstimates, part: Material, table: Grid, level: float) -> Block:
    from intent.analysis.bootstrap import Interval
    from intent.analysis.comparison import Comparison, Group
    from intent.report.document import Picture
    from intent.report.inline_svg import inline_svg
    from intent.report.points import draw_points
    from intent.report.style import look

    groups = tuple(
        Group(
            values,
            fit.n_subjects,
            fit.n_subjects,
            float(fit.n_subjects),
            tuple(Interval(s.estimate, s.low, s.high) for s in fit.shares),
        )
        for values, fit in zip(found.values, found.fits, strict=True)
    )
    names = found.fits[0].names
    by = found.by
    shown = Comparison(by or ("group",), "posterior", None, level, names, groups, ())
    if not by:
        shown = replace(shown, groups=(replace(groups[0], values=("all",)),))
    with look():
        figure = draw_points(shown)
    title = f"Estimated shares of strategies: {part.game or part.name}"
    samples = found.config["bootstrap"]
    drawn = f" from {samples:,} bootstrap samples of whole games" if samples else ""
    text = (
        f"Points: estimated shares; lines: {level:.0%} intervals{drawn}. The numbers are in the table below."
    )
    return Picture(inline_svg(figure, title, text), text, replace(table, folded=True), title)
