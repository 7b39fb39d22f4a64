"""All factors of a game at once: a logit of which strategy is played, fitted to the play itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.errors import shorten
from intent.workflows.report.factors import in_words

if TYPE_CHECKING:
    from intent.report.document import Block, Section
    from intent.workflows.report.material import Material

__all__ = ["regression_section"]

_LEAST = 2

_LETTERS = 500
"""Of a caution: names in it may be of any length."""


def regression_section(part: Material, key: str, factors: Sequence[str], *, level: float) -> Section | None:
    """Whether each factor matters at equal others, and the adjusted shares; None for fewer than two.

    The seat is left out: where seats and another column of them never vary apart it would stand for that
    column of the opponent; seats are compared within their games instead.
    """
    from intent.analysis.membership import membership_model
    from intent.analysis.unit import design_units
    from intent.errors import IntentError
    from intent.report.compare_tables import margin_rows, term_rows
    from intent.report.document import Listing, Section, Words, grid
    from intent.workflows.compare_estimate import estimator
    from intent.workflows.compare_source import compared

    own = [name for name in factors if name != "seat"]
    if len(own) < _LEAST:
        return None
    title, address = "All factors at once", f"{key}-logit"
    labels = part.labels
    try:
        given = compared(labels, log=part.log, log_needed=part.log is not None)
        units = design_units(labels, own, classes=part.classes)
        model = membership_model(estimator(given, labels, own, units, level=level, draws=None)[0])
    except IntentError as error:
        return Section(address, title, (Words(f"No regression: {error}.", "quiet"),))
    header, rows = term_rows(model)
    blocks: list[Block] = [
        Words(
            f"A multinomial logit of which strategy is played on {in_words(own)}, fitted to the play itself "
            f"with errors clustered by {units.unit.noun}, asks another question than the comparisons above: "
            "whether each factor matters while the others are held equal. It knows a player's own columns "
            "and "
            "not those of the opponent, and its p-values are not part of the correction above."
        ),
        grid("Does each factor matter, the others held equal: score tests", header, _named(rows)),
    ]
    header, rows = margin_rows(model)
    blocks.append(
        grid("Adjusted shares by level, and difference to the first level", header, _named(rows), folded=True)
    )
    if model.notes:
        told = tuple(shorten(f"{line[0].upper()}{line[1:]}.", _LETTERS) for line in model.notes)
        blocks.append(Listing(told, "caution"))
    return Section(address, title, tuple(blocks))


def _named(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """Names of columns and outcomes as a sentence has them."""
    return [[in_words(str(row[0])), *("no fit" if c == "no_fit" else c for c in row[1:])] for row in rows]
