"""The options of a language model at a table: what it is told of the others, how it is asked to think."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from intent.agents.architectures.options import Options, read_options
from intent.agents.build import ARCHITECTURES
from intent.agents.plan import GamePlan, SeatPlan
from intent.errors import UsageError, shorten

__all__ = [
    "LONGEST_TOLD",
    "TABLE_ARCHITECTURES",
    "TREATMENTS",
    "PlainTable",
    "ThinkingTable",
    "table_options",
]

TREATMENTS = ("equilibrium", "smart", "random")
"""What a seat may be told of the others: that they play the equilibrium, are smart, choose at random."""

LONGEST_TOLD = 2_000
"""Characters of a treatment in the user's own words."""


class PlainTable(Options):
    """Options of ``plain``.

    Attributes
    ----------
    told : str, optional
        One of `TREATMENTS`, or a text that is told as it stands.
    """

    thinks: ClassVar[bool] = False
    told: Annotated[str, Field(min_length=1, max_length=LONGEST_TOLD)] | None = None


class ThinkingTable(PlainTable):
    """Options of ``chain_of_thought``.

    Attributes
    ----------
    phrase : int, 1 to 5
        Which of the prompt set's phrases asks for the thinking.
    """

    thinks: ClassVar[bool] = True
    phrase: int = Field(default=1, ge=1, le=5)


TABLE_ARCHITECTURES: dict[str, type[PlainTable]] = {"plain": PlainTable, "chain_of_thought": ThinkingTable}
"""The architectures that play here."""


def table_options(plan: GamePlan, seat: SeatPlan) -> PlainTable:
    """The seat's options, checked.

    Raises
    ------
    UsageError
        An architecture of matrix games, an option that it does not have (with the nearest), or a value that
        it cannot take.
    """
    if seat.architecture not in TABLE_ARCHITECTURES:
        known = ", ".join(TABLE_ARCHITECTURES)
        what = "plays matrix games only" if seat.architecture in ARCHITECTURES else "is unknown"
        raise UsageError(
            f"{plan.game_id}: architecture {shorten(seat.architecture)!r} {what}, expected one of {known} in "
            f"{plan.game}"
        )
    return read_options(TABLE_ARCHITECTURES[seat.architecture], seat, plan)
