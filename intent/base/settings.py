"""Files of settings: YAML or JSON from untrusted hands, with the line on which each key stands.

What all files of settings share: frozen values that know no other keys, errors in one line.
"""

from __future__ import annotations

import math
import re
import time
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, Union, cast

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from intent.base.errors import DataError, IntentError, LimitError, located, nearest, one_line, shorten
from intent.base.files import beyond, bounds, decoded, encodable_parts, file_bytes, json_value, raising

__all__ = ["Document", "Keys", "Values", "checked", "read_document", "read_value", "unknown_key"]


Keys = tuple[str, ...]
"""Path of a key, from the top of a file."""

_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("bool", "float", "int", "map", "null", "seq", "str")
)
_MERGE = "tag:yaml.org,2002:merge"


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
        lines = (self.lines.get(keys[:end]) for end in range(len(keys), 0, -1))
        return next(filter(None, lines), None)


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with the words and numbers of YAML 1.2, in which ``no`` and dates are texts.

    Nesting, values and time are bounded while the nodes are made, before aliases unfold.
    """

    def __init__(self, text: str, name: str) -> None:
        self.file_name, self._nodes, self._depth = name, 0, 0
        self._end = time.monotonic() + bounds().settings_seconds
        super().__init__(text)

    def compose_node(self, parent: Any, index: Any) -> yaml.Node | None:
        """The next node, within the bounds."""
        line = cast(Any, self).peek_event().start_mark.line + 1
        self._nodes += 1
        self._depth += 1
        if self._depth > bounds().depth:
            raise beyond(self.file_name, "nested deeper", "depth", line)
        if self._nodes > bounds().settings_values:
            raise beyond(self.file_name, "more values", "settings_values", line)
        if time.monotonic() > self._end:
            raise beyond(self.file_name, "takes more seconds", "settings_seconds", line)
        try:
            node: yaml.Node | None = super().compose_node(parent, index)
        finally:
            self._depth -= 1
        if node is not None and node.tag not in _TAGS and node.tag != _MERGE:
            raise DataError(
                located(self.file_name, f"not readable as YAML (tag {one_line(node.tag, 80)})", line)
            )
        return node


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if tag.rpartition(":")[2] in ("null", "merge")]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))


class _TextLoader(_Loader):
    """The same, in which every word and number is its text."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as PyYAML declares it


def _int(loader: _Loader, node: yaml.ScalarNode) -> int:
    if len(node.value) > bounds().digits:
        line = node.start_mark.line + 1
        raise beyond(loader.file_name, f"a number of {len(node.value):,} digits", "digits", line)
    return int(node.value)


def _float(loader: _Loader, node: yaml.ScalarNode) -> float:
    value = float(node.value)
    if not math.isfinite(value):
        what = f"number {shorten(node.value, 40)} is beyond all that can be computed with"
        raise DataError(located(loader.file_name, what, node.start_mark.line + 1))
    return value


_Loader.add_constructor("tag:yaml.org,2002:int", _int)
_Loader.add_constructor("tag:yaml.org,2002:float", _float)


def read_document(path: str | Path, *, listed: str | None = None, texts: bool = False) -> Document:
    """The mapping in a YAML file, or in a JSON file.

    Parameters
    ----------
    path : path
    listed : str, optional
        Key under which a file that holds a bare list has it.
    texts : bool
        Whether every word, number and date of YAML is its text, as where names of columns are expected.

    Raises
    ------
    DataError
        No such file, one that is not readable as YAML, one that names a key twice, or no mapping.
    LimitError
        It goes beyond `Bounds` (settings_bytes, settings_values, settings_seconds, depth, digits).
    """
    source = Path(path)
    limit = bounds().settings_bytes
    data = file_bytes(source, limit, "a file of settings, which is never that long")
    text = decoded(data, source.name, "settings")
    lines: dict[Keys, str] = {}
    if source.suffix.casefold() == ".json":
        values = _parse_json(text, source.name)
    else:
        values = _parse(text, source.name, lines, _TextLoader if texts else _Loader)
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
    LimitError
        As `read_document`.
    """
    if len(text) > bounds().settings_bytes:
        raise beyond(name, f"{len(text):,} characters", "settings_bytes")
    return _parse(text, name, {}, _Loader)


def _parse_json(text: str, name: str) -> Any:
    try:
        return json_value(text, unique=True, finite=True)
    except (ValueError, RecursionError) as error:
        what = str(error)
        if "stands there twice" in what:
            raise DataError(f"{name}: {what}") from None
        raise DataError(f"{name}: not readable as JSON ({shorten(error, 160)})") from None


def _parse(text: str, name: str, lines: dict[Keys, str], kind: type[_Loader]) -> Any:
    try:
        loader = kind(text, name)
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
        raise DataError(located(name, f"not readable as YAML ({one_line(problem, 80)})", line)) from None
    except IntentError:
        raise
    except Exception as error:  # noqa: BLE001 - PyYAML trips over its own words: !!bool x, !!int "", *a: b
        what = f"{type(error).__name__}: {error}" if not isinstance(error, ValueError) else error
        raise DataError(f"{name}: not readable as YAML ({one_line(what, 80)})") from None
    finally:
        loader.dispose()
    return encodable_parts(_with_text_keys(value))


def _check(node: yaml.Node, name: str, sizes: dict[int, int | None], depth: int) -> int:
    """The number of values below a node with all aliases unfolded; duplicate keys and bombs are refused."""
    line = node.start_mark.line + 1
    if id(node) in sizes:
        known = sizes[id(node)]
        if known is None:
            raise DataError(located(name, "an alias that holds itself", line))
        return known
    sizes[id(node)] = None
    if depth > bounds().depth:
        raise beyond(name, "nested deeper", "depth", line)
    size = 1
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, value in node.value:
            at = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise DataError(located(name, "a key that is no word or number", at))
            if key.value in keys:
                raise DataError(located(name, f"key {shorten(key.value)!r} stands there twice", at))
            keys.add(key.value)
            size += 1 + _check(value, name, sizes, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        size += sum(_check(value, name, sizes, depth + 1) for value in node.value)
    most = bounds().settings_values
    if size > most:
        raise LimitError(located(name, f"more than {most:,} values; {raising('settings_values')}", line))
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


M = TypeVar("M", bound=BaseModel)


class Values(BaseModel):
    """Frozen values; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def checked(model: type[M], document: Document, *, called: str) -> M:
    """The values of a document as the model has them.

    Parameters
    ----------
    model : class of the values
    document : Document
    called : str
        What stands in an error where no line is known, such as the name of a file.

    Raises
    ------
    DataError
        The first value that cannot be, with its line; an unknown key with the nearest known ones.
    """
    try:
        values = model.model_validate(dict(document.values))
    except ValidationError as error:
        first = error.errors()[0]
        loc = tuple(part for part in first["loc"] if not _is_tag(part))
        where = document.where(loc) or called
        if first["type"] == "extra_forbidden":
            raise DataError(f"{where}: {unknown_key(model, loc)}") from None
        key = ".".join(map(str, loc))
        expected = _expected(first["type"], first["msg"])
        if not loc or isinstance(first.get("ctx", {}).get("error"), IntentError):
            raise DataError(f"{where}: {expected}") from None
        got = f" is {shorten(first['input'])!r}" if first["type"] != "missing" else ""
        raise DataError(f"{where}: {key}{got}: {expected}") from None
    for loc, truth, kind in _truths_as_numbers(document.values, values):
        key = ".".join(loc)
        raise DataError(f"{document.where(loc) or called}: {key} is {truth!r}: expected {_WORDS[kind]}")
    return values


def _truths_as_numbers(values: object, checked_values: object) -> Iterator[tuple[tuple[str, ...], bool, str]]:
    """Where pydantic took true or false for 1 or 0: the keys, the value, the kind of number."""
    if not isinstance(values, Mapping) or not isinstance(checked_values, BaseModel):
        return
    for name, value in values.items():
        own = getattr(checked_values, str(name), None)
        if isinstance(value, bool) and isinstance(own, int | float) and not isinstance(own, bool):
            yield (str(name),), value, type(own).__name__
        for loc, truth, kind in _truths_as_numbers(value, own):
            yield (str(name), *loc), truth, kind


_WORDS = {
    "bool": "true or false",
    "dict": "a mapping",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "model": "a mapping",
    "string": "a text",
    "tuple": "a list",
}
"""First word of pydantic's name of an error of type -> what was expected."""


def _expected(kind: str, message: str) -> str:
    """What pydantic says of a value, in words of the files that users write."""
    word, _, rest = kind.partition("_")
    if word in _WORDS and rest in ("type", "parsing", "from_float", "attributes_type"):
        return f"expected {_WORDS[word]}"
    return message.removeprefix("Value error, ").replace("Input should be", "expected", 1)


def unknown_key(model: type[BaseModel], loc: Sequence[object]) -> str:
    """``unknown key 'langauge'; did you mean language?`` for a path of keys."""
    known = _fields(model, loc[:-1])
    near = nearest(str(loc[-1]), known)
    hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(known)}"
    return f"unknown key {shorten('.'.join(map(str, loc)))!r}{hint}"


def _is_tag(part: object) -> bool:
    """Whether a part of pydantic's path names a branch of a union, not a key."""
    return isinstance(part, str) and ("[" in part or part in _BRANCHES)


_BRANCHES = frozenset({"str", "int", "float", "bool", "dict", "list", "tuple", "none"})


def _fields(model: type[BaseModel], path: Sequence[object]) -> list[str]:
    """Names of the keys that the value at a path may have."""
    place: Any = model
    for part in path:
        if isinstance(place, type) and issubclass(place, BaseModel) and str(part) in place.model_fields:
            place = _model_in(place.model_fields[str(part)].annotation)
    return list(place.model_fields) if isinstance(place, type) and issubclass(place, BaseModel) else []


def _model_in(annotation: Any) -> Any:
    """The model among the types of an annotation."""
    if isinstance(annotation, type) and not typing.get_origin(annotation):
        return annotation if issubclass(annotation, BaseModel) else None
    if typing.get_origin(annotation) in (Union, types.UnionType, dict, Mapping, list, tuple):
        return next(filter(None, map(_model_in, typing.get_args(annotation))), None)
    return None
