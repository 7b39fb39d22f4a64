"""Options that several commands share, for those that are not made from a request."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from intent.base.request import (
    BY,
    DASK,
    JSON,
    OUTPUT,
    OVERWRITE,
    SEED,
    WORKERS,
    NonNegative,
    parse_pairs,
)
from intent.cli.jobs import declared, parameters, with_parameters
from intent.logs.reading import (
    LOG,
    Reading,
)
from intent.runner.requests import (
    BUDGET,
    CACHE,
    CONCURRENCY,
    LIMITS,
    PRICES,
    AtLeastOne,
)

__all__ = [
    "Budget",
    "By",
    "Cache",
    "Concurrency",
    "Dask",
    "JsonFlag",
    "Limit",
    "LogPath",
    "Output",
    "Overwrite",
    "Price",
    "Seed",
    "Workers",
    "parse_pairs",
    "reads_logs",
    "shared",
]


def shared(name: str, setting: Any, kind: Any = None) -> Any:
    """A setting of many commands, as typer takes it."""
    return declared(name, replace(setting, kind=kind))


LogPath = Annotated[Path, shared("log", LOG)]
JsonFlag = Annotated[bool, shared("json", JSON)]
Output = Annotated[Path | None, shared("output", OUTPUT)]
Overwrite = Annotated[bool, shared("overwrite", OVERWRITE)]
Seed = Annotated[int, shared("seed", SEED, NonNegative)]
By = Annotated[list[str] | None, shared("by", BY)]
Workers = Annotated[int, shared("workers", WORKERS, NonNegative)]
Dask = Annotated[str | None, shared("dask", DASK)]
Budget = Annotated[float | None, shared("budget", BUDGET)]
Concurrency = Annotated[int | None, shared("concurrency", CONCURRENCY, AtLeastOne)]
Limit = Annotated[list[str] | None, shared("limits", LIMITS)]
Price = Annotated[list[str] | None, shared("prices", PRICES)]
Cache = Annotated[bool, shared("cache", CACHE)]


def reads_logs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Reading`.

    The command has a parameter ``reading``, in whose place they stand in the help; it receives them as
    keywords of a workflow.
    """
    declarations: list[inspect.Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        declarations += parameters(Reading) if parameter.name == "reading" else [parameter]

    def run(**words: Any) -> None:
        reading = {name: s.of_words(words.pop(name)) for name, s in Reading.settings.items()}
        command(reading={**reading, "where": reading["where"] or {}}, **words)

    return with_parameters(run, command, declarations)
