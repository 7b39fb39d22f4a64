"""Folders of experiments, and the code in them that serves one published study only.

Such code is not part of the package: it stands beside the experiment's configuration, uses the package as
anybody's code would, and is loaded from its file when somebody asks for it by name. Folders are those that
come with `intent`, then those that the user's own variable ``INTENT_EXPERIMENTS`` lists. Where a log or an
experiment file lies is never looked at, since these may be somebody else's.
"""

from __future__ import annotations

import os
import re
import sys
from hashlib import sha256
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

from intent.base.errors import IntentError, UnknownNameError, UsageError, one_line
from intent.base.files import shipped

__all__ = ["VARIABLE", "experiment_code", "experiments"]

VARIABLE = "INTENT_EXPERIMENTS"
"""Environment variable: folders of experiments, separated as in ``PATH``."""


def experiments(module: str) -> dict[str, Path]:
    """Name -> folder of the experiments that have a module of that name; nobody's replaces one of ours."""
    ours = shipped("experiments")
    theirs = filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    named: dict[str, Path] = {}
    for place in [*([] if ours is None else [ours]), *map(Path, theirs)]:
        for file in sorted(place.glob(f"*/{module}.py")):
            named.setdefault(file.parent.name, file.parent)
    return named


def experiment_code(experiment: str | Path, module: str) -> ModuleType:
    """A module of an experiment, which may import those beside it (``from .tables import …``).

    Parameters
    ----------
    experiment : one of `experiments`, or the Path of a folder
        Code in a folder runs with the rights of the user, who therefore has to name it.
    module : str

    Raises
    ------
    UnknownNameError
        No experiment of that name has such a module.
    UsageError
        No such file in the folder, or it cannot be imported.
    """
    if isinstance(experiment, str):
        known = experiments(module)
        if experiment not in known:
            raise UnknownNameError("experiment", experiment, known)
        experiment = known[experiment]
    folder = experiment.resolve()
    if not (folder / f"{module}.py").is_file():
        raise UsageError(f"{experiment}: no {module}.py in it, expected the folder of an experiment")
    try:
        return import_module(f"{_package(folder)}.{module}")
    except IntentError:
        raise
    except Exception as error:
        raise UsageError(
            f"{folder / module}.py cannot be loaded: {type(error).__name__}: {one_line(error)}"
        ) from error


def _package(folder: Path) -> str:
    """Name of the package that a folder is while this process runs; its modules find each other by it."""
    stem = re.sub(r"\W", "_", folder.name)
    name = f"experiment_{stem}_{sha256(bytes(folder)).hexdigest()[:8]}"
    if name not in sys.modules:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        sys.modules[name] = module_from_spec(spec)
    return name
