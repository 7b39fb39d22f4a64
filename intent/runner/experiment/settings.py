"""Settings as files say them: short keys, ``key=value``, patterns of seats, files laid over others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from intent.base.errors import DataError, IntentError, UnknownNameError, UsageError, nearest, shorten
from intent.base.registry import points
from intent.base.settings import Document, read_document, read_value

__all__ = [
    "ALIASES",
    "BLOCKS",
    "PATTERNS",
    "is_pattern",
    "lay_over",
    "misspelt_pattern",
    "parse_setting",
    "patterned",
    "put",
    "read_with_includes",
    "spelled_out",
]


def parse_setting(item: str) -> tuple[str, Any]:
    """Key and YAML value of a ``key=value`` of ``--set``; no value is None.

    Raises
    ------
    UsageError
        No key or equals sign, or a value that is no YAML.
    """
    key, equals, text = item.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set {shorten(item)!r}, expected KEY=VALUE")
    try:
        return key.strip(), None if not text.strip() else read_value(text, f"--set {shorten(key.strip())}")
    except DataError as error:
        raise UsageError(str(error)) from None


def put(values: Mapping[str, Any], key: str | Sequence[str], value: Any) -> dict[str, Any]:
    """The mapping with the value at a dotted key; the name of a game on the way becomes ``{name: …}``.

    Raises
    ------
    UsageError
        A key below something that holds none.

    Examples
    --------
    >>> put({"game": "public-goods", "rounds": 10}, "game.factor", 1.1)
    {'game': {'name': 'public-goods', 'factor': 1.1}, 'rounds': 10}
    """
    path = key.split(".") if isinstance(key, str) else list(key)
    if not all(path):
        raise UsageError(f"key {shorten(key)!r}, expected words joined by dots")
    head, *rest = path
    if not rest:
        return {**values, head: value}
    inner = values.get(head)
    if inner is None:
        inner = {}
    elif head == "game" and isinstance(inner, str):
        inner = {"name": inner}
    if not isinstance(inner, Mapping):
        raise UsageError(f"key {'.'.join(path)!r}: {head} is {shorten(inner)!r} and has no parts")
    return {**values, head: put(inner, rest, value)}


BLOCKS = ("grid", "sweep")
"""Keys that hold factors: varied in all combinations, or (in benchmarks) one at a time."""

ALIASES = {
    "lambda": "scale",
    "persona": "personas",
    "temperature": "settings.temperature",
    "top_p": "settings.top_p",
    "max_tokens": "settings.max_tokens",
    "n_players": "game.n_players",
    "factor": "game.factor",
    "cost": "game.cost",
    "payoffs": "game.payoffs",
    "parser": "reply.parser",
}
"""Short key -> the key it stands for, at the top of a file, in its grid and after ``--set``."""


def spelled_out(values: Mapping[str, Any], aliases: Mapping[str, str] = ALIASES) -> dict[str, Any]:
    """The values without short keys.

    Parameters
    ----------
    aliases : short key -> the key it stands for

    Raises
    ------
    DataError
        A key that stands there short and in full.
    """
    result = {key: value for key, value in values.items() if key not in aliases}
    for key, value in values.items():
        if key in aliases:
            if _has(result, aliases[key]):
                raise DataError(f"{key} and {aliases[key]} are the same, expected one of them")
            result = put(result, aliases[key], value)
    for block in BLOCKS:
        if isinstance(values.get(block), Mapping):
            result[block] = _factors(values[block], aliases, block)
    return result


def _factors(factors: Mapping[str, Any], aliases: Mapping[str, str], block: str) -> dict[str, Any]:
    full: dict[str, Any] = {}
    for key, levels in factors.items():
        name = aliases.get(key, key)
        if name in full:
            raise DataError(f"{block}: {key} and {name} are the same factor, expected one of them")
        full[name] = levels
    return full


def _has(values: Mapping[str, Any], key: str) -> bool:
    inner: Any = values
    for part in key.split("."):
        if not isinstance(inner, Mapping) or part not in inner:
            return False
        inner = inner[part]
    return True


LIMIT_DEPTH = 20


def named_prompts() -> tuple[str, ...]:
    """Prompts that are no folder."""
    return ("intent", "fairgame", *points("intent.prompts"))


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
        if isinstance(source, str) and source not in named_prompts() and not Path(source).is_absolute():
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
    inner: Any = values
    for part in path:
        if not isinstance(inner, Mapping):
            return True
        if inner.get(part) is None:
            return False
        inner = inner[part]
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


PATTERNS: dict[str, Callable[[Sequence[Any], int], Iterable[tuple[Any, ...]]]] = {
    "ordered": lambda values, n: itertools.product(values, repeat=n),
    "unordered": itertools.combinations_with_replacement,
    "different": itertools.combinations,
}
"""Word -> the seatings of some values on n seats: AA AB BA BB, AA AB BB, or AB."""

PATTERNED = ("personas", "players", "opponent_persona_probability")
"""Keys whose levels may be written so: ``personas: {unordered: [cooperative, selfish]}``."""


def is_pattern(key: str, levels: Any) -> bool:
    """Whether the levels of a factor are such a pattern."""
    return (
        key in PATTERNED and isinstance(levels, dict) and len(levels) == 1 and next(iter(levels)) in PATTERNS
    )


def misspelt_pattern(key: str, levels: Any) -> str | None:
    """The pattern that a factor's one named level, a list as in a pattern, seems to mean."""
    if key not in PATTERNED or not isinstance(levels, dict) or len(levels) != 1:
        return None
    word, values = next(iter(levels.items()))
    near = nearest(str(word), PATTERNS, cutoff=0.75)
    return near[0] if isinstance(values, list | tuple) and word not in PATTERNS and near else None


def patterned(levels: dict[str, Any], n_players: int, key: str) -> Iterator[list[Any]]:
    """The levels, one list by seat each.

    Raises
    ------
    DataError
        What is to be seated is no list of different values.
    """
    word, values = next(iter(levels.items()))
    if not isinstance(values, list | tuple) or not values:
        raise DataError(f"grid: {key}: {word} {shorten(values)!r}, expected a list")
    if len({repr(value) for value in values}) < len(values):
        raise DataError(f"grid: {key}: {word} {shorten(values)!r} lists a value twice")
    yield from map(list, PATTERNS[word](values, n_players))
