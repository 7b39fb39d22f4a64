"""A request as a command: `command`.

Options that several commands share, for those that are not made from a request yet.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import typer

from intent.base.request import (
    BOOTSTRAP,
    BY,
    DASK,
    JSON,
    LEVEL,
    OUTPUT,
    OUTPUTS,
    OVERWRITE,
    SEED,
    WORKERS,
    NonNegative,
    Positive,
    Request,
    Setting,
    Within,
    parse_pairs,
)
from intent.logs.reading import (
    ENDOWMENT,
    KEEP_DEFAULTED,
    LOG,
    OTHERS,
    REJECTS,
    WHERE,
    FileReading,
    Reading,
)
from intent.recognise.labels.request import LOG_RECOGNISER
from intent.runner.requests import (
    BUDGET,
    CACHE,
    CONCURRENCY,
    LIMITS,
    PRICES,
    AtLeastOne,
)

__all__ = [
    "Bootstrap",
    "Budget",
    "By",
    "Cache",
    "Concurrency",
    "Cooperate",
    "Dask",
    "Endowment",
    "GameName",
    "JsonFlag",
    "KeepDefaulted",
    "Level",
    "Limit",
    "LogPath",
    "LogRecogniser",
    "Mapping",
    "Others",
    "Output",
    "Outputs",
    "Overwrite",
    "PayoffKind",
    "Price",
    "Rejects",
    "Seed",
    "Where",
    "Workers",
    "command",
    "parse_pairs",
    "reads_logs",
    "shared",
]

Q = TypeVar("Q", bound=Request)


def _declared(name: str, setting: Setting) -> Any:
    """A setting as typer takes it."""
    if not setting.flags and setting.positional:
        return typer.Argument(help=setting.help, metavar=setting.metavar)
    bounds = setting.within or Within(None, None)
    flags = setting.flags or (f"--{name.replace('_', '-')}",)
    return typer.Option(*flags, help=setting.help, metavar=setting.metavar, min=bounds.low, max=bounds.high)


def shared(name: str, setting: Any, kind: Any = None) -> Any:
    """A setting of many commands, as typer takes it."""
    return _declared(name, replace(setting, kind=kind))


LogPath = Annotated[Path, shared("log", LOG)]
JsonFlag = Annotated[bool, shared("json", JSON)]
Output = Annotated[Path | None, shared("output", OUTPUT)]
Outputs = Annotated[list[Path] | None, shared("output", OUTPUTS)]
Overwrite = Annotated[bool, shared("overwrite", OVERWRITE)]
Seed = Annotated[int, shared("seed", SEED, NonNegative)]
Where = Annotated[list[str] | None, shared("where", WHERE)]
By = Annotated[list[str] | None, shared("by", BY)]
Bootstrap = Annotated[int, shared("bootstrap", BOOTSTRAP, Positive)]
Level = Annotated[float, shared("level", LEVEL)]
LogRecogniser = Annotated[str | None, shared("recogniser", LOG_RECOGNISER)]
Others = Annotated[str | None, shared("others", OTHERS)]
KeepDefaulted = Annotated[bool, shared("keep_defaulted", KEEP_DEFAULTED)]
Endowment = Annotated[float | None, shared("endowment", ENDOWMENT)]
Mapping = Annotated[str | None, _declared("mapping", FileReading.settings["mapping"])]
Cooperate = Annotated[str | None, _declared("cooperate", FileReading.settings["cooperate"])]
PayoffKind = Annotated[str | None, _declared("payoff_kind", FileReading.settings["payoff_kind"])]
GameName = Annotated[str | None, _declared("game", FileReading.settings["game"])]
Rejects = Annotated[Path | None, shared("rejects", REJECTS)]
Workers = Annotated[int, shared("workers", WORKERS, NonNegative)]
Dask = Annotated[str | None, shared("dask", DASK)]
Budget = Annotated[float | None, shared("budget", BUDGET)]
Concurrency = Annotated[int | None, shared("concurrency", CONCURRENCY, AtLeastOne)]
Limit = Annotated[list[str] | None, shared("limits", LIMITS)]
Price = Annotated[list[str] | None, shared("prices", PRICES)]
Cache = Annotated[bool, shared("cache", CACHE)]


def _default(setting: Setting, words: Any) -> Any:
    """What the command line takes for a setting that is not said, as it would be written there."""
    value = setting.default
    if setting.shown is not None or value is inspect.Parameter.empty:
        return value if setting.shown is None else setting.shown
    if isinstance(value, tuple):
        return ",".join(map(str, value)) if value and setting.parse is not None else None
    if words is bool and setting.parse is not None:
        return False
    if words is str and value is not None:
        return str(value)
    return value if setting.parse is None or isinstance(value, str) else None


def _parameters(request: type[Request], kinds: dict[str, Any] | None = None) -> list[inspect.Parameter]:
    """The settings of a request as parameters of a command; `kinds` are those that others declare for it."""
    parameters = []
    for name, setting in request.settings.items():
        if setting.only == "python":
            continue
        words: Any = setting.words or (get_args(setting.kind)[0] if setting.within else setting.kind)
        declared: Any = Annotated[words, _declared(name, setting)]
        declared = (kinds or {}).get(name, declared)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(
            inspect.Parameter(name, kind, default=_default(setting, words), annotation=declared)
        )
    return parameters


def _with_parameters(
    run: Callable[..., None], command: Callable[..., None], parameters: list[inspect.Parameter]
) -> Callable[..., None]:
    """The function under the name and docstring of a command, with these parameters."""
    functools.update_wrapper(run, command)
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    del run.__wrapped__  # type: ignore[attr-defined]
    return run


def command(request: type[Q], **kinds: Any) -> Callable[[Callable[[Q], None]], Callable[..., None]]:
    """A function of a request as a command, whose arguments and options are the settings of the request.

    Parameters
    ----------
    request : type of Request
    **kinds : setting -> type with its option, where another family of commands declares it
    """
    settings, parameters = request.settings, _parameters(request, kinds)

    def of_request(function: Callable[[Q], None]) -> Callable[..., None]:
        def run(**words: Any) -> None:
            function(request(**{name: settings[name].of_words(value) for name, value in words.items()}))

        return _with_parameters(run, function, parameters)

    return of_request


def reads_logs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Reading`.

    The command has a parameter ``reading``, in whose place they stand in the help; it receives them as
    keywords of a workflow.
    """
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        parameters += _parameters(Reading) if parameter.name == "reading" else [parameter]

    def run(**words: Any) -> None:
        reading = {name: s.of_words(words.pop(name)) for name, s in Reading.settings.items()}
        command(reading={**reading, "where": reading["where"] or {}}, **words)

    return _with_parameters(run, command, parameters)
