"""What a run keeps of what its experiment names by a path: so it is moved, and resumed without these paths.

| named | in the files of a run | in its folder |
|---|---|---|
| player ``scripted/FOLDER`` | ``scripted/fitted:NAME`` | ``models/NAME`` |
| ``prompts: FOLDER`` | ``prompts: NAME`` | ``prompts/NAME.json``, their texts |
| ``after: label: strategies: FILE`` | ``strategies/FILE`` | that file |
| ``after: label: recogniser: FOLDER`` | ``models/NAME`` | that folder |

In memory a player and a file stay paths that are there; NAME is the last part of the path, numbered where two
have it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from intent.agents.plan import SCRIPTED, GamePlan, name_and_noise, saved_folder
from intent.play.players import FITTED
from intent.recognise.recogniser import is_saved
from intent.runner.experiment.file import Runtime
from intent.runner.experiment.grid import BLOCKS
from intent.runner.experiment.plans import fitted_names, prompt_names, short_names
from intent.strategies.sets import is_set_file

__all__ = ["Copies", "copies_of", "placed", "placed_plan"]

_MODELS = "models"
_FILES = "strategies"
_KEPT = SCRIPTED + FITTED

T = TypeVar("T")


@dataclass(frozen=True)
class Copies:
    """The names that paths have in the files of a run.

    Parameters
    ----------
    players : player that a saved model plays -> its name
    prompts : folder of prompts -> its name
    files : file or folder that labels are made with -> its place in the folder of the run
    """

    players: Mapping[str, str]
    prompts: Mapping[str, str]
    files: Mapping[str, str]

    def plan(self, plan: GamePlan) -> GamePlan:
        """A plan as the files of a run have it."""
        if not any(seat.player in self.players for seat in plan.seats):
            return plan
        return GamePlan.model_validate(with_names(plan.model_dump(mode="json"), self.players))

    def values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of an experiment as the files of a run have them."""
        named = with_names(dict(values), self.players)
        for key in (_PROMPTS, *BLOCKS):
            if key in named:
                named[key] = _of_prompts(key, named[key], lambda source: self.prompts.get(source, source))
        return _of_labels(named, lambda path: self.files.get(path, path))

    def write(self, folder: Path) -> None:
        """Copy saved models and files into the folder of a run; prompts are written with its facts."""
        for player, name in self.players.items():
            source = saved_folder(player)
            if source is not None:
                _copy(Path(source), folder / _MODELS / _name(name))
        for path, place in self.files.items():
            _copy(Path(path), folder / place)


def _copy(source: Path, target: Path) -> None:
    if target.exists():
        return
    target.parent.mkdir(exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def copies_of(source: Runtime, plans: Iterable[GamePlan]) -> Copies:
    """What a run of these plans keeps.

    Parameters
    ----------
    source : Experiment, or a source of another `RunKind`
    plans : of its games
    """
    values = source.model_dump(mode="json")
    players = dict.fromkeys(seat.player for plan in plans for seat in plan.seats)
    of_players = fitted_names(player for player in players if player.startswith(SCRIPTED))
    named: list[str] = [*source.prompt_names()]
    for key in (_PROMPTS, *BLOCKS):
        _of_prompts(key, values.get(key), _into(named))
    paths: list[str] = []
    _of_labels(values, _into(paths))
    folders = [path for path in dict.fromkeys(paths) if is_saved(path)]
    of_models = [name_and_noise(name)[0] for name in of_players.values()]
    models = short_names(folders, "model", of_models)
    tables = _file_names(path for path in dict.fromkeys(paths) if is_set_file(path) and Path(path).is_file())
    return Copies(
        {player: _KEPT + name.removeprefix(SCRIPTED) for player, name in of_players.items()},
        prompt_names(named),
        {
            **{path: f"{_MODELS}/{name}" for path, name in models.items()},
            **{path: f"{_FILES}/{name}" for path, name in tables.items()},
        },
    )


def _into(paths: list[str]) -> Callable[[str], str]:
    """What leaves paths as they are, and adds each to a list."""

    def add(path: str) -> str:
        paths.append(path)
        return path

    return add


def _file_names(paths: Iterable[str]) -> dict[str, str]:
    """Path -> the name of its copy, with its suffix."""
    names: dict[str, str] = {}
    for path in paths:
        stem, suffix = Path(path).stem, Path(path).suffix
        name, number = f"{stem}{suffix}", 1
        while name in names.values():
            number += 1
            name = f"{stem}-{number}{suffix}"
        names[path] = name
    return names


_PROMPTS = "prompts"


def _of_prompts(key: str, value: Any, change: Callable[[str], str]) -> Any:
    """A value of an experiment, or of its grid, with the sources of prompts in it changed."""
    if isinstance(value, dict):
        return {name: _of_prompts(name, one, change) for name, one in value.items()}
    if isinstance(value, list):
        return [_of_prompts(key, one, change) for one in value]
    return change(value) if key == _PROMPTS and isinstance(value, str) else value


def _of_labels(values: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """The values of an experiment, with the paths changed that labels name strategies and a recogniser by."""
    after = values.get("after")
    label = after.get("label") if isinstance(after, dict) else None
    if not isinstance(after, dict) or not isinstance(label, dict):
        return values
    changed = dict(label)
    if isinstance(label.get("recogniser"), str):
        changed["recogniser"] = change(label["recogniser"])
    names = label.get("strategies")
    if isinstance(names, str):
        changed["strategies"] = ",".join(change(part.strip()) for part in names.split(","))
    elif isinstance(names, list):
        changed["strategies"] = [change(one) if isinstance(one, str) else one for one in names]
    return {**values, "after": {**after, "label": changed}}


def with_names(values: T, names: Mapping[str, str]) -> T:
    """JSON values with other names of players."""
    if isinstance(values, dict):
        return {key: with_names(one, names) for key, one in values.items()}  # type: ignore[return-value]
    if isinstance(values, list):
        return [with_names(one, names) for one in values]  # type: ignore[return-value]
    return names.get(values, values) if isinstance(values, str) else values  # type: ignore[return-value]


def placed(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The values of the experiment of a run, its saved models and files where their copies lie now."""

    def copy(path: str) -> str:
        within, _, name = path.partition("/")
        there = folder / path
        is_copy = within in (_MODELS, _FILES) and Path(name).name == name and not there.is_symlink()
        return str(there.resolve()) if is_copy and there.exists() else path

    return _of_labels(dict(_with_models(values, folder)), copy)


def _with_models(values: Any, folder: Path) -> Any:
    """JSON values of a run, its saved models where their copies lie now."""
    if isinstance(values, dict):
        return {key: _with_models(one, folder) for key, one in values.items()}
    if isinstance(values, list):
        return [_with_models(one, folder) for one in values]
    if not isinstance(values, str) or not values.startswith(_KEPT):
        return values
    name = _name(values)
    copy = folder / _MODELS / name
    if Path(name).name != name or copy.is_symlink() or not copy.is_dir():
        return values
    return f"{SCRIPTED}{copy.resolve()}{values.removeprefix(_KEPT + name)}"


def placed_plan(plan: GamePlan, folder: Path) -> GamePlan:
    """A plan of a run whose saved models can be read."""
    if not any(seat.player.startswith(_KEPT) for seat in plan.seats):
        return plan
    return GamePlan.model_validate(_with_models(plan.model_dump(mode="json"), folder))


def _name(player: str) -> str:
    """The name of the copy, without the noise of the player."""
    return name_and_noise(player)[0].removeprefix(FITTED)
