"""What a folder of written strategies holds: names of its files, and a record of what was ordered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, RunError, located, shorten

if TYPE_CHECKING:
    from intent.arena.writing.task import Style
    from intent.workflows.writing_order import Order

__all__ = ["check_folder", "file_name", "file_of", "keep_sets", "plain_name", "read_sets"]

STATE = "writing.json"
_MOST_STATE = 256 * 1024**2


def file_name(model: str, style: str, noise: float) -> str:
    """Name of the file of a set: ``openai-gpt-4o_prose_refine_noise.py``."""
    return "_".join([plain_name(model), *style.split("+"), *["noise"] * (noise > 0)]) + ".py"


def plain_name(model: str) -> str:
    """A model as part of the name of a file, without its address or the folders of its weights.

    Examples
    --------
    >>> plain_name("openai/gpt-4o@https://a.example/v1")
    'openai-gpt-4o'
    """
    if model.startswith("gguf:"):
        model = Path(model.removeprefix("gguf:")).stem
    return re.sub(r"[^A-Za-z0-9.-]+", "-", model.partition("@")[0]).strip("-.")[:80] or "model"


def check_folder(folder: Path, order: Order, *, claim: bool = False) -> None:
    """Refuse to mix strategies of different orders in one file.

    Parameters
    ----------
    folder : Path
    order : Order
    claim : bool
        Whether the folder takes note of the order.

    Raises
    ------
    RunError
        A set of the same name was ordered differently.
    DataError, OutputError
    """
    state = read_sets(folder)
    for style in order.styles:
        name, facts = file_of(order, style), order.facts(style)
        known = state.get(name, {}).get("facts", facts)
        for key, value in facts.items():
            if known.get(key) != value:
                had, now = shorten(known.get(key), 40), shorten(value, 40)
                raise RunError(f"{folder} holds {name} with {key} {had}, not {now}; choose another folder")
        if name not in state and (folder / name).exists():
            raise RunError(f"{folder} holds a file {name} that was not written here; choose another folder")
        state.setdefault(name, {"facts": facts, "n": {}, "failures": []})
    if claim:
        keep_sets(folder, state)


def read_sets(folder: Path) -> dict[str, Any]:
    """What the folder holds: file of a set -> facts, n, failures.

    Raises
    ------
    DataError
        Its record is damaged.
    """
    from intent.logs.jsonfile import read_object

    path = folder / STATE
    if not path.is_file():
        return {}
    sets = read_object(path, "the sets of a folder", longest=_MOST_STATE).get("sets")
    if isinstance(sets, dict) and all(map(_is_told, sets.values())):
        return sets
    raise DataError(located(path, "a set without its facts, expected facts, n and failures of each"))


def _is_told(of_set: object) -> bool:
    return isinstance(of_set, dict) and {"facts", "n", "failures"} <= set(of_set)


def keep_sets(folder: Path, state: Mapping[str, Any]) -> None:
    """Write what the folder holds, in place of what was written before."""
    from intent.logs.jsonfile import write_object

    write_object(folder / STATE, {"sets": dict(state)}, overwrite=True)


def file_of(order: Order, style: Style) -> str:
    """Name of the file of one of an order's sets."""
    return file_name(order.model, style.name, order.task.noise)
