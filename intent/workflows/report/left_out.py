"""What a report leaves out, so that no reader takes it for all there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from intent.workflows.report.factors import in_words

if TYPE_CHECKING:
    from intent.report.document import Section
    from intent.workflows.report.material import Material

__all__ = ["left_out_section"]

_QUICK = (
    "Shares of strategies are compared by one factor of each game only. intent report --full adds the "
    "others, the noise of the estimates, shares of people in the laboratory, a regression on all factors, "
    "sensitivity, figures of play and example games."
)
_FULL = (
    "Interactions of factors on strategies, tests between pairs of groups, the indices of steady "
    "behaviour, means of "
    "payoffs and other numbers (intent compare), and other recognisers and sets of strategies (intent label "
    "-r, intent sfem) are not on this page. Sensitivity is shown for the first factor of each game."
)


def left_out_section(
    games: Iterable[tuple[str, Material, Sequence[str], Sequence[str]]], *, full: bool
) -> Section:
    """The last words of a report before its settings.

    Parameters
    ----------
    games : (name, part, factors wanted, factors compared) of each game
    full : bool
    """
    from intent.report.document import Listing, Section

    told: dict[str, list[str]] = {}
    for name, part, wanted, made in games:
        for text in _of_game(part, wanted, made, full=full):
            told.setdefault(text, []).append(name)
    lines = [f"{', '.join(names)}: {text}." for text, names in told.items()]
    return Section("left-out", "What is left out", (Listing((_FULL if full else _QUICK, *lines)),))


def _of_game(part: Material, wanted: Sequence[str], made: Sequence[str], *, full: bool) -> list[str]:
    told = []
    if lost := [factor for factor in wanted if factor not in made]:
        told.append(f"there is no comparison by {in_words(lost)}, whose values make no groups")
    if full and (others := _not_factors(part, wanted)):
        told.append(
            f"not compared by {in_words(others)} (more than twelve values, or one to one with a factor that "
            "is compared, or beyond the eighth factor); --by compares by any column"
        )
    if part.log is None:
        told.append("what needs the moves is missing, since only labels are here")
    return told


def _not_factors(part: Material, wanted: Sequence[str]) -> list[str]:
    """Columns of the design that vary and are no factor of the report."""
    from intent.analysis.design_columns import design_columns

    return [name for name in design_columns(part.labels) if name not in wanted]
