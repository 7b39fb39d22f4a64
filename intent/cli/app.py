"""The commands of `intent`, each made from a request; errors become one line and exit code 2.

Settings are options, outputs are claimed, the work stands under a progress bar, and the result is shown.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import io
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import TracebackType
from typing import Annotated, Any, TypeVar, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from intent.base.codebook import CODEBOOK_VERSION
from intent.base.errors import INTERRUPTED, IntentError, shorten
from intent.base.job import Request, Result, Setting, Text, Within
from intent.base.masking import redact
from intent.cli.console import (
    contacts_shown,
    filtered,
    harmless,
    messages,
    note,
    print_json,
    print_table,
    progress,
    say,
    show_text,
    silence,
)

__all__ = ["COMMANDS", "app", "command", "job_command", "run", "run_request", "show"]

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
        def of_words(**words: Any) -> None:
            function(request(**{name: settings[name].of_words(value) for name, value in words.items()}))

        functools.update_wrapper(of_words, function)
        of_words.__signature__ = inspect.Signature(declarations)  # type: ignore[attr-defined]
        of_words.__annotations__ = {p.name: p.annotation for p in declarations} | {"return": None}
        del of_words.__wrapped__  # type: ignore[attr-defined]
        return of_words

    return of_request


def job_command(request: type[Request]) -> Callable[..., None]:
    """The command of a job: its help is the docstring of the request."""

    def run_job(words: Request) -> None:
        run_request(words)

    run_job.__doc__ = request.__doc__
    return command(request)(run_job)


def run_request(request: Request) -> Any:
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
                with progress(request.progress, plain=in_json, detailed=request.detailed) as update:
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
        "showing": functools.partial(progress, "play", plain=quiet, detailed=True),
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


COMMANDS = {
    "play": "intent.runner.requests.PlayRequest",
    "resume": "intent.runner.requests.ResumeRequest",
    "status": "runs",
    "export": "intent.runner.export.ExportRequest",
    "generate": "intent.play.generate.GenerateRequest",
    "train": "intent.recognise.requests.TrainRequest",
    "study": "intent.recognise.requests.StudyRequest",
    "evaluate": "intent.recognise.requests.EvaluateRequest",
    "label": "intent.recognise.labels.request.LabelRequest",
    "sfem": "intent.estimate.requests.SfemRequest",
    "predict": "intent.estimate.requests.PredictRequest",
    "fit": "intent.estimate.requests.FitRequest",
    "contributors": "intent.estimate.requests.ContributorsRequest",
    "sweep": "intent.comparison.requests.SweepRequest",
    "compare": "intent.comparison.requests.CompareRequest",
    "power": "intent.comparison.requests.PowerRequest",
    "report": "intent.report.requests.ReportRequest",
    "view": "intent.view.request.ViewRequest",
    "metrics": "intent.behaviour.requests.MetricsRequest",
    "figures": "intent.report.requests.FiguresRequest",
    "explain": "intent.behaviour.requests.ExplainRequest",
    "results": "intent.report.requests.ResultsRequest",
    "replicate": "intent.runner.requests.ReplicateRequest",
    "discover": "intent.recognise.requests.DiscoverRequest",
    "import": "intent.logs.importer.importing.ImportRequest",
    "validate": "intent.logs.validate.ValidateRequest",
    "probe": "intent.recognise.requests.ProbeRequest",
    "tournament": "intent.arena.requests.TournamentRequest",
    "evolve": "intent.arena.requests.EvolveRequest",
    "sampling": "intent.runner.requests.SamplingRequest",
    "games": "intent.games.listing.GamesRequest",
    "demo": "intent.demo.DemoRequest",
    "bench gamma run": "intent.gamma.bench.requests.BenchRunRequest",
    "bench gamma score": "intent.gamma.bench.requests.ScoreRequest",
    "bench gamma leaderboard": "intent.gamma.bench.requests.LeaderboardRequest",
    "bench gamma analyse": "intent.gamma.bench.requests.AnalyseRequest",
    "bench gamma questionnaire": "intent.gamma.bench.requests.QuestionnaireRequest",
    "strategies check": "intent.arena.requests.CheckRequest",
    "strategies run": "intent.arena.requests.ChainRequest",
    "strategies write": "intent.arena.requests.WriteRequest",
    "strategies list": "intent.strategies.listing.ListRequest",
    "strategies show": "intent.strategies.listing.ShowRequest",
    "models list": "intent.recognise.models.ModelsRequest",
    "models show": "intent.recognise.models.ModelRequest",
}
"""Command -> the request that it is made from, or the module of `intent.cli` with a function or group of that
name; in the order of the help, groups last. Two words are a command of a group."""

GROUPS = {
    "bench": "Benchmarks: gamma, eight games of many players.",
    "bench gamma": "GAMA-Bench: eight games of many players, played (run), scored, compared.",
    "strategies": "The catalogue (list, show), and written strategies (check, run, write).",
    "models": "Shipped recognisers: list, show.",
}
"""Group of commands -> its help."""

_USAGE: Any = typer.BadParameter.__mro__[2]
"""The exception of all wrong uses, from the copy of click that typer uses or carries inside."""

_ASKS_FOR_HELP: Any = getattr(sys.modules[_USAGE.__module__], "NoArgsIsHelpError", ())
"""Raised where a command that needs a subcommand got none."""


class _Command(TyperCommand):
    """A command whose every output is fit for a terminal, whoever in it writes."""

    def invoke(self, ctx: Any) -> Any:
        with filtered(), contacts_shown():
            return super().invoke(ctx)


class _Commands(Mapping[str, Any]):
    """Command or group -> what typer makes of it, once it is needed: to follow one, no other is imported."""

    def __getitem__(self, name: str) -> Any:
        return _built(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(words.split()[0] for words in COMMANDS))

    def __len__(self) -> int:
        return len(list(iter(self)))


@cache
def _built(name: str) -> Any:
    home = typer.Typer(add_completion=False)
    home.callback()(lambda: None)
    _add(home, name)
    root: Any = typer.main.get_command(home)
    return root.commands[name]


def _add(home: typer.Typer, words: str) -> None:
    """Make the command of a row, or a group with the commands below it."""
    name = words.rpartition(" ")[2]
    if words in GROUPS:
        group = typer.Typer(help=GROUPS[words], no_args_is_help=True)
        n = len(words.split()) + 1
        for row in dict.fromkeys(
            " ".join(row.split()[:n]) for row in COMMANDS if row.startswith(f"{words} ")
        ):
            _add(group, row)
        home.add_typer(group, name=name)
        return
    place, _, kind = COMMANDS[words].rpartition(".")
    command = getattr(
        importlib.import_module(place or f"intent.cli.{COMMANDS[words]}"), kind if place else name
    )
    if place:
        home.command(name, cls=_Command, context_settings=command.context)(job_command(command))
    else:
        home.command(name, cls=_Command)(command)


class _Group(TyperGroup):
    """The commands of `COMMANDS`, each loaded when it is named or listed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = _Commands()


app = typer.Typer(
    name="intent",
    cls=_Group,
    help="Recognise which strategy an agent is playing in repeated games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress on standard error.")] = False,
) -> None:
    if version:
        from intent.version import __version__

        say(__version__)
        raise typer.Exit


def run(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0, or 2 after a one-line error (1 where the error is ours).

    ``--debug``, anywhere on the line, lets the traceback through; ``--quiet`` shows no progress.

    Parameters
    ----------
    arguments : list of str, optional
        Default: those of the process.
    """
    _speak_plainly()
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    try:
        with silence("--quiet" in words):
            words = [w for w in words if w not in ("--debug", "--quiet")]
            code = app(words, prog_name="intent", standalone_mode=False) or 0
        if code == INTERRUPTED:  # which is how typer passes a KeyboardInterrupt on
            raise KeyboardInterrupt
        sys.exit(code)
    except _ASKS_FOR_HELP as error:
        error.show()
        sys.exit(2)
    except _USAGE as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "intent"
        _fail(f"{command}: {error.format_message().rstrip('.')} ({command} --help lists the options)", 2)
    except IntentError as error:
        if debug:
            sys.excepthook = _trace  # here, as typer sets its own
            raise
        for line in error.details:
            note(" ".join(redact(line).split()))
        _fail(f"intent: {error}", 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail("intent: interrupted", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if debug:
            sys.excepthook = _trace  # here, as typer sets its own
            raise
        kind = type(error).__name__
        _fail(f"intent: unexpected {kind}: {shorten(error, 300)}; --debug shows where, please report it", 1)


def _speak_plainly() -> None:
    """Where standard output cannot show a letter (``PYTHONIOENCODING=ascii``), print its number instead."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def _fail(line: str, code: int) -> None:
    note(" ".join(redact(line).split()))
    sys.exit(code)


def _trace(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The traceback, without keys and without what a terminal would obey."""
    sys.stderr.write(harmless(redact("".join(traceback.format_exception(kind, error, trace)))))
