"""A request as a command: settings as options, outputs claimed, work under a progress bar, a result shown."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_args

import typer

from intent.base.codebook import CODEBOOK_VERSION
from intent.base.job import Request, Result, Setting, Text, Within
from intent.cli.console import messages, note, print_json, print_table, progress, say, show_text

__all__ = ["command", "job_command", "run", "show"]

Q = TypeVar("Q", bound=Request)

_READINGS = "intent.readings"
"""Logger that is told what foreign logs were read as (`intent.logs.importer.reader`)."""

_DRAWING = "intent.figures"
"""Logger that is told what to know of figures (`intent.figures.style.NOTES`)."""

_SHOW_READING = ("import",)
"""Kinds of results that show by themselves what a file was read as."""


def _declared(name: str, setting: Setting) -> Any:
    """A setting as typer takes it."""
    if not setting.flags and setting.positional:
        return typer.Argument(help=setting.help, metavar=setting.metavar)
    bounds = setting.within or Within(None, None)
    flags = setting.flags or (f"--{name.replace('_', '-')}",)
    return typer.Option(
        *flags,
        help=setting.help,
        metavar=setting.metavar,
        envvar=setting.envvar,
        min=bounds.low,
        max=bounds.high,
    )


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


def _parameters(request: type[Request]) -> list[inspect.Parameter]:
    """The settings of a request as parameters of a command."""
    declarations = []
    for name, setting in sorted(request.settings.items(), key=lambda item: bool(item[1].flags)):
        if setting.only == "python":
            continue
        words: Any = setting.words or (get_args(setting.kind)[0] if setting.within else setting.kind)
        annotation: Any = Annotated[words, _declared(name, setting)]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        declarations.append(
            inspect.Parameter(name, kind, default=_default(setting, words), annotation=annotation)
        )
    return declarations


def command(request: type[Q]) -> Callable[[Callable[[Q], None]], Callable[..., None]]:
    """A function of a request as a command, whose arguments and options are the settings of the request.

    Parameters
    ----------
    request : type of Request
    """
    settings, declarations = request.settings, _parameters(request)

    def of_request(function: Callable[[Q], None]) -> Callable[..., None]:
        def run(**words: Any) -> None:
            function(request(**{name: settings[name].of_words(value) for name, value in words.items()}))

        functools.update_wrapper(run, function)
        run.__signature__ = inspect.Signature(declarations)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in declarations} | {"return": None}
        del run.__wrapped__  # type: ignore[attr-defined]
        return run

    return of_request


def job_command(request: type[Request]) -> Callable[..., None]:
    """The command of a job: its help is the docstring of the request."""

    def run_job(words: Request) -> None:
        run(words)

    run_job.__doc__ = request.__doc__
    return command(request)(run_job)


def run(request: Request) -> Any:
    """Do what a command was asked for, and return the result.

    Raises
    ------
    IntentError
        As the job; of an output that cannot be written before it begins.
    typer.Exit
        Something is left to be done (`Result.exit_code`).
    """
    with request.scope():
        return _run(request.of_command())


def _run(request: Request) -> Any:
    in_json = getattr(request, "json", False)
    request.claim_outputs()
    request = request.replace(**_on_terminal(request, quiet=in_json))
    with messages(_READINGS) as readings, messages(_DRAWING) as drawn:
        try:
            if request.progress:
                with progress(request.progress, quiet=in_json, detailed=request.detailed) as update:
                    result = request.replace(update=update).run()
            else:
                result = request.run()
        except KeyboardInterrupt:
            for line in request.interrupted():
                note(line)
            raise
        files = request.write_outputs(result)
    for line in dict.fromkeys(readings) if result.kind not in _SHOW_READING else ():
        note(line)
    for line in (*result.warnings(), *dict.fromkeys(drawn)):
        note(f"note: {line}")
    if in_json:
        print_json({"codebook_version": CODEBOOK_VERSION, **result.to_dict()})
    else:
        show(result)
    for line in result.remarks():
        note(line)
    for path in files:
        note(f"wrote {path}")
    if result.exit_code:
        raise typer.Exit(result.exit_code)
    return result


def _on_terminal(request: Request, *, quiet: bool) -> dict[str, Callable[..., Any]]:
    """What a job calls while it works, if it takes it: with its address, lines for people, games played."""
    means: dict[str, Callable[..., Any]] = {
        "ready": _ready,
        "showing": functools.partial(progress, "play", quiet=quiet, detailed=True),
    }
    if not quiet:
        means |= {"say": say, "announce": note}
        if sys.stdin.isatty() and sys.stderr.isatty():
            means["ask"] = _ask
    return {name: call for name, call in means.items() if name in request.settings}


def _ready(address: str) -> None:
    """What is served until it is interrupted says where."""
    say(address)
    note("Ctrl+C ends it")


def _ask(question: str, answers: tuple[str, ...]) -> int | None:
    """The number of the answer that somebody at the terminal chose; None for none of them."""
    note(f"{question}:")
    for i, answer in enumerate(answers, start=1):
        note(f"  {i}  {answer}")
    while True:
        words = typer.prompt("which (0: none of them)", default="0", err=True).strip()
        if words.isdecimal() and int(words) <= len(answers):
            return int(words) - 1 if int(words) else None
        note(f"expected a number from 0 to {len(answers)}")


def show(result: Result) -> None:
    """Print what people read of a result."""
    for part in result.parts():
        if isinstance(part, Text):
            show_text(part)
        elif isinstance(part, str):
            say(part)
        else:
            print_table(part.header, part.rows, title=part.title, fixed=part.fixed)
