"""What all files of settings share: frozen values that know no other keys, errors in one line."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, Union

from pydantic import BaseModel, ConfigDict, ValidationError

from intent.errors import DataError, IntentError, nearest, shorten
from intent.files.settings import Document

__all__ = ["Values", "checked", "unknown_key"]

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
        return model.model_validate(dict(document.values))
    except ValidationError as error:
        first = error.errors()[0]
        loc = tuple(part for part in first["loc"] if not _is_tag(part))
        where = document.where(loc) or called
        if first["type"] == "extra_forbidden":
            raise DataError(f"{where}: {unknown_key(model, loc)}") from None
        key = ".".join(map(str, loc))
        said = _expected(first["type"], first["msg"])
        if not loc or isinstance(first.get("ctx", {}).get("error"), IntentError):
            raise DataError(f"{where}: {said}") from None
        got = f" is {shorten(first['input'])!r}" if first["type"] != "missing" else ""
        raise DataError(f"{where}: {key}{got}: {said}") from None


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


def _expected(kind: str, said: str) -> str:
    """What pydantic says of a value, in words of the files that users write."""
    word, _, rest = kind.partition("_")
    if word in _WORDS and rest in ("type", "parsing", "from_float", "attributes_type"):
        return f"expected {_WORDS[word]}"
    return said.removeprefix("Value error, ").replace("Input should be", "expected", 1)


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
    found: Any = model
    for part in path:
        if isinstance(found, type) and issubclass(found, BaseModel) and str(part) in found.model_fields:
            found = _model_in(found.model_fields[str(part)].annotation)
    return list(found.model_fields) if isinstance(found, type) and issubclass(found, BaseModel) else []


def _model_in(annotation: Any) -> Any:
    """The model among the types of an annotation."""
    if isinstance(annotation, type) and not typing.get_origin(annotation):
        return annotation if issubclass(annotation, BaseModel) else None
    if typing.get_origin(annotation) in (Union, types.UnionType, dict, Mapping, list, tuple):
        return next(filter(None, map(_model_in, typing.get_args(annotation))), None)
    return None
