"""The command `intent`: registers the commands and turns errors into one line and exit code 2."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Annotated

import typer

from intent.errors import IntentError

__all__ = ["app", "main"]

COMMANDS = (
    "generate",
    "train",
    "evaluate",
    "label",
    "compare",
    "validate",
    "strategies",
    "games",
    "models",
    "demo",
)
"""Commands in the order of the help: module `intent.cli.<name>` with a function or app of that name."""

app = typer.Typer(
    name="intent",
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
) -> None:
    if version:
        from intent import __version__

        print(__version__)
        raise typer.Exit
    if debug:
        os.environ["INTENT_DEBUG"] = "1"


for _name in COMMANDS:
    _module = importlib.import_module(f"intent.cli.{_name}")
    _command = getattr(_module, _name)
    if isinstance(_command, typer.Typer):
        app.add_typer(_command, name=_name)
    else:
        app.command(_name)(_command)


def main() -> None:
    """Run the command line; the process exits with 0, or 2 after a one-line error."""
    try:
        app()
    except IntentError as error:
        if os.environ.get("INTENT_DEBUG"):
            raise
        sys.stderr.write(f"intent: {' '.join(str(error).split())}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("intent: interrupted\n")
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
