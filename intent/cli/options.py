"""A request as a command: `command`.

Options that several commands share, for those that are not made from a request yet.

Options of the commands in which strategies play each other, each defined once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
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

__all__ = [
    "Against",
    "Bootstrap",
    "By",
    "Cooperate",
    "Dask",
    "Endowment",
    "Engine",
    "Fidelity",
    "FidelityName",
    "Game",
    "GameName",
    "JsonFlag",
    "KeepDefaulted",
    "Level",
    "LogPath",
    "LogRecogniser",
    "Mapping",
    "MatchWorkers",
    "Noise",
    "Others",
    "Output",
    "Outputs",
    "Overwrite",
    "PayoffKind",
    "Rejects",
    "Repetitions",
    "Salt",
    "Seed",
    "Turns",
    "Where",
    "Workers",
    "command",
    "parse_pairs",
    "reads_logs",
]

Q = TypeVar("Q", bound=Request)


def _declared(name: str, setting: Setting) -> Any:
    """A setting as typer takes it."""
    if not setting.flags and setting.positional:
        return typer.Argument(help=setting.help, metavar=setting.metavar)
    bounds = setting.within or Within(None, None)
    flags = setting.flags or (f"--{name.replace('_', '-')}",)
    return typer.Option(*flags, help=setting.help, metavar=setting.metavar, min=bounds.low, max=bounds.high)


def _shared(name: str, setting: Any, kind: Any = None) -> Any:
    """A setting of many commands, as typer takes it."""
    return _declared(name, replace(setting, kind=kind))


LogPath = Annotated[Path, _shared("log", LOG)]
JsonFlag = Annotated[bool, _shared("json", JSON)]
Output = Annotated[Path | None, _shared("output", OUTPUT)]
Outputs = Annotated[list[Path] | None, _shared("output", OUTPUTS)]
Overwrite = Annotated[bool, _shared("overwrite", OVERWRITE)]
Seed = Annotated[int, _shared("seed", SEED, NonNegative)]
Where = Annotated[list[str] | None, _shared("where", WHERE)]
By = Annotated[list[str] | None, _shared("by", BY)]
Bootstrap = Annotated[int, _shared("bootstrap", BOOTSTRAP, Positive)]
Level = Annotated[float, _shared("level", LEVEL)]
LogRecogniser = Annotated[str | None, _shared("recogniser", LOG_RECOGNISER)]
Others = Annotated[str | None, _shared("others", OTHERS)]
KeepDefaulted = Annotated[bool, _shared("keep_defaulted", KEEP_DEFAULTED)]
Endowment = Annotated[float | None, _shared("endowment", ENDOWMENT)]
Mapping = Annotated[str | None, _declared("mapping", FileReading.settings["mapping"])]
Cooperate = Annotated[str | None, _declared("cooperate", FileReading.settings["cooperate"])]
PayoffKind = Annotated[str | None, _declared("payoff_kind", FileReading.settings["payoff_kind"])]
GameName = Annotated[str | None, _declared("game", FileReading.settings["game"])]
Rejects = Annotated[Path | None, _shared("rejects", REJECTS)]
Workers = Annotated[int, _shared("workers", WORKERS, NonNegative)]
Dask = Annotated[str | None, _shared("dask", DASK)]


def _parameters(request: type[Request]) -> list[inspect.Parameter]:
    """The settings of a request as parameters of a command."""
    parameters = []
    for name, setting in request.settings.items():
        if setting.only == "python":
            continue
        words: Any = setting.words or (get_args(setting.kind)[0] if setting.within else setting.kind)
        declared: Any = Annotated[words, _declared(name, setting)]
        read_as_said = setting.parse is None or isinstance(setting.default, str)
        default = setting.default if read_as_said and setting.default != () else None
        if words is bool and setting.parse is not None:
            default = False
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=declared))
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


def command(request: type[Q]) -> Callable[[Callable[[Q], None]], Callable[..., None]]:
    """A function of a request as a command, whose arguments and options are the settings of the request."""
    settings, parameters = request.settings, _parameters(request)

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


class FidelityName(StrEnum):
    """Whose rules of play."""

    axelrod = "axelrod"
    clean = "clean"


Against = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Further strategies: humans, catalogue, a set or names, with commas."),
]
Engine = Annotated[
    str, typer.Option("--engine", help="Sandbox of written code: auto, seccomp, strict, monty.")
]
Fidelity = Annotated[
    FidelityName,
    typer.Option("--fidelity", help="axelrod: as that library plays; clean: both scores current."),
]
Game = Annotated[
    str | None,
    typer.Option("--game", help="Name of a game; default: as the files say, else classic (5, 3, 1, 0)."),
]
Noise = Annotated[
    float | None,
    typer.Option("--noise", help="Probability that a move is flipped; default: as the files say, else 0."),
]
Repetitions = Annotated[
    int | None,
    typer.Option(
        "--repetitions", min=1, help="Matches of each pair; default: 20, or 1 if nothing is random."
    ),
]
Salt = Annotated[
    str | None,
    typer.Option(
        "--salt",
        metavar="HEX",
        help="Of a result: play its matches again, on any machine. Who knows it beforehand can cheat.",
    ),
]
Turns = Annotated[
    int | None,
    typer.Option("--turns", min=1, help="Rounds per match; default: as the files say, else 1000."),
]
MatchWorkers = Annotated[
    int | None, typer.Option("--workers", min=0, help="Processes that play; default, and 0: all processors.")
]
