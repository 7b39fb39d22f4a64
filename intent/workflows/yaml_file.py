"""Files of settings: YAML or JSON from untrusted hands, with the line on which each key stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from intent.errors import DataError, LimitError, located, shorten

__all__ = ["Document", "read_document", "read_value"]

LIMIT_BYTES = 1024**2
LIMIT_NODES = 100_000
LIMIT_DEPTH = 40

Keys = tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """A mapping, and where its keys stand.

    Attributes
    ----------
    values : mapping, keys are texts
    lines : path of keys -> ``file.yaml line 3``
    """

    values: Mapping[str, Any]
    lines: Mapping[Keys, str] = field(default_factory=dict)

    def where(self, path: Iterable[object]) -> str | None:
        """The line of the longest known beginning of a path of keys."""
        keys = tuple(map(str, path))
        found = (self.lines.get(keys[:end]) for end in range(len(keys), 0, -1))
        return next(filter(None, found), None)


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with the words and numbers of YAML 1.2, in which ``no`` is a text."""


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern) for tag, pattern in rules if tag.rpartition(":")[2] not in ("bool", "float", "int")
    ]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))


def _int(loader: _Loader, node: yaml.ScalarNode) -> int:
    return int(node.value)


def _float(loader: _Loader, node: yaml.ScalarNode) -> float:
    return float(node.value)


_Loader.add_constructor("tag:yaml.org,2002:int", _int)
_Loader.add_constructor("tag:yaml.org,2002:float", _float)


def read_document(path: str | Path, *, listed: str | None = None) -> Document:
    """The mapping in a YAML file, or in a JSON file.

    Parameters
    ----------
    path : path
    listed : str, optional
        Key under which a file that holds a bare list has it.

    Raises
    ------
    DataError
        No such file, one that is not readable as YAML, one that names a key twice, or no mapping.
    LimitError
        More than a MiB, or aliases that unfold to more than 100,000 values.
    """
    source = Path(path)
    try:
        with source.open("rb") as stream:
            data = stream.read(LIMIT_BYTES + 1)
    except OSError as error:
        raise DataError(f"cannot read {source}: {error.strerror or error}") from None
    if len(data) > LIMIT_BYTES:
        raise LimitError(f"{source.name}: more than {LIMIT_BYTES:,} bytes, no file of settings is that long")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{source.name}: not UTF-8") from None
    lines: dict[Keys, str] = {}
    values = _parse_json(text, source.name) if source.suffix == ".json" else _parse(text, source.name, lines)
    if listed is not None and isinstance(values, list):
        values = {listed: values}
    if not isinstance(values, dict):
        raise DataError(f"{source.name}: holds a {type(values).__name__}, expected a mapping of settings")
    return Document(values, lines)


def read_value(text: str, name: str) -> Any:
    """A YAML value given on the command line: ``0.7``, ``[en, vn]``, ``{parser: json}``.

    Raises
    ------
    DataError
        It is no YAML.
    """
    return _parse(text, name, {})


def _parse_json(text: str, name: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise DataError(f"{name}: key {shorten(twice)!r} stands there twice")
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name}: not readable as JSON ({shorten(error)})") from None


def _parse(text: str, name: str, lines: dict[Keys, str]) -> Any:
    try:
        loader = _Loader(text)
    except yaml.YAMLError as error:
        raise DataError(f"{name}: not readable as YAML ({shorten(error)})") from None
    try:
        node = loader.get_single_node()
        if node is None:
            return {}
        _check(node, name, {}, 0)
        value = loader.construct_document(node)
        _note_lines(node, name, (), lines)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        problem = getattr(error, "problem", None) or error
        raise DataError(located(name, f"not readable as YAML ({shorten(problem)})", line)) from None
    except (RecursionError, ValueError) as error:
        raise DataError(f"{name}: not readable as YAML ({shorten(error)})") from None
    finally:
        loader.dispose()
    return _with_text_keys(value)


def _check(node: yaml.Node, name: str, sizes: dict[int, int | None], depth: int) -> int:
    """The number of values below a node with all aliases unfolded; duplicate keys and bombs are refused."""
    line = node.start_mark.line + 1
    if id(node) in sizes:
        known = sizes[id(node)]
        if known is None:
            raise DataError(located(name, "an alias that holds itself", line))
        return known
    sizes[id(node)] = None
    if depth > LIMIT_DEPTH:
        raise LimitError(located(name, f"nested deeper than {LIMIT_DEPTH}", line))
    size = 1
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            at = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise DataError(located(name, "a key that is no word or number", at))
            if key.value in seen:
                raise DataError(located(name, f"key {shorten(key.value)!r} stands there twice", at))
            seen.add(key.value)
            size += 1 + _check(value, name, sizes, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        size += sum(_check(value, name, sizes, depth + 1) for value in node.value)
    if size > LIMIT_NODES:
        raise LimitError(located(name, f"more than {LIMIT_NODES:,} values", line))
    sizes[id(node)] = size
    return size


def _note_lines(node: yaml.Node, name: str, path: Keys, lines: dict[Keys, str]) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = (*path, str(key.value))
            lines[below] = f"{name} line {key.start_mark.line + 1}"
            _note_lines(value, name, below, lines)
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            lines[*path, str(i)] = f"{name} line {value.start_mark.line + 1}"
            _note_lines(value, name, (*path, str(i)), lines)


def _with_text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _with_text_keys(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_with_text_keys(v) for v in value]
    return value
