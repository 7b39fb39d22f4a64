"""Settings laid over settings: included files, and the rule that the later one wins."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.errors import DataError, IntentError, UnknownNameError, shorten
from intent.files.settings import Document, read_document
from intent.workflows.experiment.aliases import ALIASES, BLOCKS, spelled_out

__all__ = ["lay_over", "read_with_includes"]

LIMIT_DEPTH = 20

NAMED_PROMPTS = ("intent", "fairgame", "gamma")
"""Prompts that are no folder."""


def read_with_includes(
    path: str | Path, *, aliases: Mapping[str, str] = ALIASES, seen: tuple[Path, ...] = ()
) -> Document:
    """A file with the files that its key ``include`` lists, relative to it, laid below it in order.

    Parameters
    ----------
    path : path
    aliases : short key -> the key it stands for
    seen : the files that include it

    Raises
    ------
    DataError
        A file that cannot be read, or that includes itself.
    """
    source = Path(path)
    place = source.resolve()
    if place in seen:
        chain = " -> ".join(p.name for p in (*seen[seen.index(place) :], place))
        raise DataError(f"{source.name}: files that include one another ({chain})")
    if len(seen) >= LIMIT_DEPTH:
        raise DataError(f"{source.name}: included more than {LIMIT_DEPTH} deep")
    top = read_document(source)
    listed = top.values.get("include", [])
    names = [listed] if isinstance(listed, str) else listed
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DataError(f"{top.where(['include']) or source.name}: include, expected a list of files")
    whole = Document({})
    for name in names:
        if Path(name).suffix not in (".yaml", ".yml"):
            at = top.where(["include"]) or source.name
            raise DataError(f"{at}: include {shorten(name)!r}, expected a .yaml file")
        below = read_with_includes(source.parent / name, aliases=aliases, seen=(*seen, place))
        whole = _joined(whole, below)
    own = {key: value for key, value in top.values.items() if key != "include"}
    _place_prompts(own, source.parent)
    try:
        own = spelled_out(own, aliases)
    except IntentError as error:
        raise DataError(f"{source.name}: {error}") from None
    lines = {_spelled_out_path(path, aliases): line for path, line in top.lines.items()}
    return _joined(whole, Document(own, lines))


def _spelled_out_path(path: tuple[str, ...], aliases: Mapping[str, str]) -> tuple[str, ...]:
    """Where a value stands once short keys are spelled out."""
    if path[0] in BLOCKS and len(path) > 1:
        return (path[0], aliases.get(path[1], path[1]), *path[2:])
    return (*aliases.get(path[0], path[0]).split("."), *path[1:])


def _joined(below: Document, above: Document) -> Document:
    return Document(lay_over(below.values, above.values), {**below.lines, **above.lines})


def _place_prompts(values: dict[str, Any], folder: Path) -> None:
    """Make folders of prompts relative to the file that names them."""

    def placed(source: Any) -> Any:
        if isinstance(source, str) and source not in NAMED_PROMPTS and not Path(source).is_absolute():
            return str(folder / source)
        return source

    if "prompts" in values:
        values["prompts"] = placed(values["prompts"])
    for block in BLOCKS:
        factors = values.get(block)
        if isinstance(factors, dict) and isinstance(factors.get("prompts"), list):
            values[block] = {**factors, "prompts": [placed(source) for source in factors["prompts"]]}


def lay_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`below` with `above` laid over it: mappings are merged, all else is replaced.

    Factors (of the grid) are replaced as a whole, and so is a game that is named above. A value that is fixed
    above ends a factor of the grid below; a factor set to null is dropped, and so is ``FACTOR.LEVEL``, a
    level with a name.

    Raises
    ------
    DataError
        A factor with named levels has no level of the name that is to be dropped.
    """
    result = _merged(below, above)
    for block in BLOCKS:
        if isinstance(result.get(block), dict):
            factors = _without_levels(result[block], block)
            upper = above.get(block)
            new = set(upper) if isinstance(upper, Mapping) else set()
            result[block] = {
                key: levels
                for key, levels in factors.items()
                if levels is not None and (key in new or not _is_fixed(above, key.split(".")))
            }
    return result


def _without_levels(factors: Mapping[str, Any], block: str) -> dict[str, Any]:
    """The factors without the named levels that are set to null as ``FACTOR.LEVEL``."""
    result = dict(factors)
    for key, value in factors.items():
        factor, _, level = key.partition(".")
        levels = result.get(factor)
        if value is not None or not level or not isinstance(levels, Mapping):
            continue
        if level not in levels:
            raise DataError(f"{block}.{factor}: {UnknownNameError('level', level, levels)}")
        result[factor] = {name: changes for name, changes in levels.items() if name != level}
    return result


def _is_fixed(values: Mapping[str, Any], path: list[str]) -> bool:
    """Whether the values say what stands at a path, or what it is a part of."""
    found: Any = values
    for part in path:
        if not isinstance(found, Mapping):
            return True
        if found.get(part) is None:
            return False
        found = found[part]
    return True


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        if not (isinstance(old, Mapping) and isinstance(value, Mapping)) or (
            key == "table" or (key == "game" and "name" in value)
        ):
            result[key] = value
        elif key in BLOCKS:
            result[key] = {**old, **value}
        else:
            result[key] = _merged(old, value)
    return result
