"""Folders of experiments, and the code in them that serves one published study only.

Such code is not part of the package: it stands beside the experiment's configuration, uses the package as
anybody's code would, and is loaded from its file when somebody asks for it by name. Folders are those that
come with `intent`, then those that the user's own variable ``INTENT_EXPERIMENTS`` lists. Where a log or an
experiment file lies is never looked at, since these may be somebody else's.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import sys
from hashlib import sha256
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from intent.base.codebook import PUBLISHED
from intent.base.errors import DataError, IntentError, UnknownNameError, UsageError, one_line, shorten
from intent.base.files import file_text, shipped

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "PUBLISHED_FILE",
    "VARIABLE",
    "experiment_code",
    "experiment_folder",
    "experiments",
    "published_values",
    "study_of",
]

VARIABLE = "INTENT_EXPERIMENTS"
"""Environment variable: folders of experiments, separated as in ``PATH``."""

PUBLISHED_FILE = "published.csv"
"""In the folder of an experiment: the numbers that its paper prints."""

_LONGEST = 16 * 2**20


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
    folder = experiment_folder(experiment, module).resolve()
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


def experiment_folder(experiment: str | Path, module: str) -> Path:
    """The folder of an experiment that has a module of that name; a Path is the folder itself.

    Raises
    ------
    UnknownNameError
        No experiment of that name has such a module.
    """
    if isinstance(experiment, Path):
        return experiment
    known = experiments(module)
    if experiment not in known:
        raise UnknownNameError("experiment", experiment, known)
    return known[experiment]


def study_of(text: str) -> str | Path:
    """A name, or a path; a bare name is never a folder that happens to stand here."""
    return Path(text) if "/" in text or os.sep in text else text


def published_values(folder: str | Path) -> pd.DataFrame:
    """The numbers that a paper prints, from ``published.csv`` in the folder of its experiment.

    Parameters
    ----------
    folder : path

    Returns
    -------
    DataFrame
        Columns as `codebook.PUBLISHED`, one row per printed cell; texts that are not there are empty.

    Raises
    ------
    DataError
        Another heading, a number that is none, a cell that stands twice, or one without table, row, column
        or page: file, line, what was got and what was expected.
    """
    import pandas as pd

    path = Path(folder) / PUBLISHED_FILE
    names = [column.name for column in PUBLISHED]
    kinds = {column.name: column.kind for column in PUBLISHED}
    try:
        lines = list(csv.reader(io.StringIO(file_text(path, _LONGEST), newline="")))
    except csv.Error as error:
        raise DataError(f"{path}: cannot be read: {one_line(error)}") from error
    if not lines or lines[0] != names:
        got = ",".join(lines[0]) if lines else "an empty file"
        raise DataError(f"{path} line 1: {got}, expected {','.join(names)}")
    rows: list[list[object]] = []
    line_of: dict[tuple[str, ...], int] = {}
    for number, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(names):
            raise DataError(f"{path} line {number}: {len(cells)} cells, expected {len(names)}")
        for column, cell in zip(PUBLISHED, cells, strict=True):
            if column.required and not cell.strip():
                raise DataError(f"{path} line {number}: {column.name} is empty, expected a text")
        key = tuple(cells[:3])
        if key in line_of:
            raise DataError(f"{path} line {number}: {', '.join(key)} stands on line {line_of[key]} already")
        line_of[key] = number
        rows.append([_printed(path, number, n, kinds[n], c) for n, c in zip(names, cells, strict=True)])
    return pd.DataFrame(rows, columns=names).astype(
        {name: {"float": "float64", "int": "Int64"}.get(kind, "object") for name, kind in kinds.items()}
    )


def _printed(path: Path, line: int, name: str, kind: str, cell: str) -> object:
    """One cell of published numbers as its kind."""
    if kind not in ("float", "int"):
        return cell
    if not cell.strip():
        return None
    try:
        number = float(cell)
        if not math.isfinite(number) or (kind == "int" and number != int(number)):
            raise ValueError
    except ValueError:
        expected = "a whole number" if kind == "int" else "a number"
        raise DataError(f"{path} line {line}: {name} is {shorten(cell)!r}, expected {expected}") from None
    return int(number) if kind == "int" else number


def _package(folder: Path) -> str:
    """Name of the package that a folder is while this process runs; its modules find each other by it."""
    stem = re.sub(r"\W", "_", folder.name)
    name = f"experiment_{stem}_{sha256(bytes(folder)).hexdigest()[:8]}"
    if name not in sys.modules:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        sys.modules[name] = module_from_spec(spec)
    return name
