"""The fits behind estimated shares: their noise, and people in the laboratory beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.errors import shorten
from intent.workflows.report.factors import in_words

if TYPE_CHECKING:
    from intent.report.document import Block, Section
    from intent.workflows.report.material import Material

__all__ = ["estimates_section"]

_HINT = re.compile(r"; --bootstrap .*")
"""What a note of `intent sfem` says on its own options."""

_LETTERS = 500
"""Of a caution."""


def estimates_section(
    part: Material, key: str, by: Sequence[str], *, level: float, seed: int
) -> Section | None:
    """The fits of one game by the first factor; None without the moves.

    Shares, intervals and tests of the groups stand with the comparison by that factor, and nowhere twice.
    """
    from intent.errors import IntentError
    from intent.report.document import Listing, Section, Words, grid
    from intent.workflows.report.humans import humans_blocks
    from intent.workflows.sfem import sfem

    if part.log is None:
        return None
    others = part.provenance.get("others")
    title, address = "Noise of the estimates", f"{key}-sfem"
    try:
        found = sfem(
            part.log,
            list(part.classes),
            by=by,
            bootstrap=0,
            level=level,
            test=False,
            labels=part.labels,
            others=others if isinstance(others, str) else None,
            keep_defaulted=bool(part.provenance.get("keep_defaulted")),
            seed=seed,
        )
    except IntentError as error:
        return Section(address, title, (Words(f"Shares could not be estimated: {error}.", "caution"),))
    by_words = f" by {in_words(list(by))}" if by else ""
    words = (
        "Strategy frequency estimation fits the shares of a whole group at once, with one tremble per group "
        "(the probability that a move is another than the strategy says), and divides ambiguous play as the "
        f"rest suggests. It knows {len(part.classes)} strategies: play that follows none of them goes to "
        "RANDOM where that competes, else to the nearest, or into the tremble. The shares stand with the "
        "comparisons."
    )
    header, rows = found.fit_rows()
    blocks: list[Block] = [Words(words), grid(f"The fits{by_words}", header, rows, heads=max(1, len(by)))]
    blocks += humans_blocks(part, found)
    if found.notes:
        told = (shorten(_HINT.sub("", note), _LETTERS) for note in found.notes)
        blocks.append(Listing(tuple(f"{line[0].upper()}{line[1:]}." for line in told), "caution"))
    return Section(address, title, tuple(blocks))
