"""The options of every command that reads a game log, given to it as one mapping."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from intent.cli.options import Cooperate, Format, GameName, Mapping, PayoffKind, Strict, Where, parse_pairs

__all__ = ["reads_logs"]

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "where": (Where, None),
    "format": (Format, "auto"),
    "map": (Mapping, None),
    "cooperate": (Cooperate, None),
    "payoff_kind": (PayoffKind, None),
    "game": (GameName, None),
    "strict": (Strict, False),
}
"""Option -> its declaration and default."""


def reads_logs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--where`` and the options of `read_log`.

    The command has a parameter ``reading``, in whose place they stand in the help; it receives them as
    keywords of a workflow: ``where`` parsed, ``map`` as ``mapping``.
    """
    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name != "reading":
            parameters.append(parameter)
            continue
        for name, (declared, default) in _OPTIONS.items():
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(inspect.Parameter(name, kind, default=default, annotation=declared))

    @functools.wraps(command)
    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in _OPTIONS}
        chosen["where"] = parse_pairs(chosen["where"], "--where")
        chosen["mapping"] = chosen.pop("map")
        command(reading=chosen, **given)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    del run.__wrapped__
    return run
