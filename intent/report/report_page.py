"""The report as one self-contained page, without a script: sections in, HTML out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent.report.document import Block, Section
from intent.report.html_page import html_page, rendered

__all__ = ["report_page"]


def report_page(
    title: str,
    sections: Sequence[Section],
    *,
    lines: Sequence[str] = (),
    foot: str = "",
    contents: bool = True,
) -> str:
    """A whole page: title, contents, sections in order, foot.

    Everything that is text is escaped, and letters that do not print, or that turn the direction of writing,
    are shown by their number. The page runs nothing and asks for nothing.

    Parameters
    ----------
    title : str
    sections : sequence of Section
        Their keys, and those within them, are unique.
    lines : sequence of str
        What a reader should know before the first section.
    foot : str
    contents : bool
        Whether a list of the sections stands beside them; without it the page prints small, to be two sheets.
    """
    keys = list(_keys(sections))
    assert len(set(keys)) == len(keys), "two sections have one address"
    body = rendered(
        "report_body.html",
        title=title,
        lines=list(lines),
        sections=list(sections),
        foot=foot,
        contents=contents,
    )
    return html_page(title, body, frame="report.html", style="report.css", script=None)


def _keys(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Section):
            yield block.key
            yield from _keys(block.blocks)
