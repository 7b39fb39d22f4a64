"""Saved models that play in a run: its files know each by a short name, and its folder holds a copy of it.

In memory such a player is ``scripted/FOLDER``, a folder that is there. In the files of a run it is
``scripted/fitted:NAME``, the copy ``models/NAME``: so it can be moved, and resumed without that folder.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from intent.agents.plan import SCRIPTED, GamePlan, name_and_noise, saved_folder
from intent.play.players import FITTED
from intent.runner.experiment.plans import fitted_names

__all__ = ["copy_models", "kept_models", "kept_plan", "placed", "placed_plan", "with_names"]

_COPIES = "models"
_KEPT = SCRIPTED + FITTED

T = TypeVar("T")


def kept_models(plans: Iterable[GamePlan]) -> dict[str, str]:
    """Player that a saved model plays -> its name in the files of a run."""
    players = dict.fromkeys(seat.player for plan in plans for seat in plan.seats)
    named = fitted_names(player for player in players if player.startswith(SCRIPTED))
    return {player: _KEPT + name.removeprefix(SCRIPTED) for player, name in named.items()}


def with_names(values: T, names: Mapping[str, str]) -> T:
    """JSON values with other names of players."""
    if isinstance(values, dict):
        return {key: with_names(one, names) for key, one in values.items()}  # type: ignore[return-value]
    if isinstance(values, list):
        return [with_names(one, names) for one in values]  # type: ignore[return-value]
    return names.get(values, values) if isinstance(values, str) else values  # type: ignore[return-value]


def kept_plan(plan: GamePlan, names: Mapping[str, str]) -> GamePlan:
    """A plan as the files of a run have it."""
    if not any(seat.player in names for seat in plan.seats):
        return plan
    return GamePlan.model_validate(with_names(plan.model_dump(mode="json"), names))


def copy_models(names: Mapping[str, str], folder: Path) -> None:
    """Copy the saved models that play into the folder of a run.

    Parameters
    ----------
    names : of `kept_models`
    """
    for player, name in names.items():
        source, target = saved_folder(player), folder / _COPIES / _name(name)
        if source is not None and not target.exists():
            shutil.copytree(source, target)


def placed(values: Any, folder: Path) -> Any:
    """JSON values of a run, its saved models where their copies lie now."""
    if isinstance(values, dict):
        return {key: placed(one, folder) for key, one in values.items()}
    if isinstance(values, list):
        return [placed(one, folder) for one in values]
    if not isinstance(values, str) or not values.startswith(_KEPT):
        return values
    name = _name(values)
    copy = folder / _COPIES / name
    if Path(name).name != name or copy.is_symlink() or not copy.is_dir():
        return values
    return f"{SCRIPTED}{copy.resolve()}{values.removeprefix(_KEPT + name)}"


def placed_plan(plan: GamePlan, folder: Path) -> GamePlan:
    """A plan of a run whose saved models can be read."""
    if not any(seat.player.startswith(_KEPT) for seat in plan.seats):
        return plan
    return GamePlan.model_validate(placed(plan.model_dump(mode="json"), folder))


def _name(player: str) -> str:
    """The name of the copy, without the noise of the player."""
    return name_and_noise(player)[0].removeprefix(FITTED)
