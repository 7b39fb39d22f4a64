"""The options of an architecture: typed values from the mapping in the seat's plan."""

from __future__ import annotations

from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from intent.agents.client import Settings
from intent.agents.plan import GamePlan, SeatPlan
from intent.errors import UnknownNameError, UsageError, shorten

__all__ = ["EVERYWHERE", "Options", "Stages", "read_options", "staged"]

EVERYWHERE = ("transform",)
"""Options that any architecture may be given and none reads (`intent.agents.transforms`)."""

Stages = Literal["auto", "together", "apart"]


class Options(BaseModel):
    """Base of the options of every architecture: frozen, nothing unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")


_Made = TypeVar("_Made", bound=BaseModel)


def read_options(model: type[_Made], seat: SeatPlan, plan: GamePlan) -> _Made:
    """The seat's options as the values of its architecture.

    Parameters
    ----------
    model : pydantic model, such as a subclass of `Options`

    Raises
    ------
    UsageError
        An option that the architecture does not have, with the nearest ones, or a value that it cannot take.
    """
    where = f"{plan.game_id}: options of {seat.architecture} ({seat.name})"
    own = {name: value for name, value in seat.options.items() if name not in EVERYWHERE}
    for name in own:
        if name not in model.model_fields:
            if not model.model_fields:
                raise UsageError(f"{where}: {shorten(name)!r}, expected none")
            raise UsageError(f"{where}: {UnknownNameError('option', name, model.model_fields)}")
    try:
        return model.model_validate(own)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: {field} {shorten(first['input'])!r}: {first['msg']}") from None


def staged(stages: Stages, settings: Settings) -> Literal["together", "apart"]:
    """Whether thinking and deciding are one call or several: ``auto`` is apart where replies are constrained.

    A constrained reply is a label and nothing else, so the thinking needs calls of its own.
    """
    if stages != "auto":
        return stages
    return "apart" if settings.constrained else "together"
