"""A job as a command: its outputs claimed, the work done under a progress bar, the result saved and shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from intent.base.request import Request
from intent.base.result import Result, Text
from intent.cli.console import note, print_blocks, print_json, print_table, progress, say, show_text
from intent.cli.options import command

__all__ = ["job_command", "run", "show"]


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
    in_json = getattr(request, "json", False)
    request.claim_outputs()
    if "ready" in request.settings:
        request = request.replace(ready=_ready)
    if "announce" in request.settings and not in_json:
        request = request.replace(announce=note)
    if request.progress:
        with progress(request.progress, quiet=in_json, detailed=request.detailed) as update:
            result = request.replace(update=update).run()
    else:
        result = request.run()
    files = request.write_outputs(result)
    for line in result.warnings():
        note(f"note: {line}")
    if in_json:
        print_json(result.to_dict())
    else:
        show(result)
    for line in result.remarks():
        note(line)
    for path in files:
        note(f"wrote {path}")
    if result.exit_code:
        raise typer.Exit(result.exit_code)
    return result


def _ready(address: str) -> None:
    """What is served until it is interrupted says where."""
    say(address)
    note("Ctrl+C ends it")


def show(result: Result) -> None:
    """Print what people read of a result."""
    for part in result.parts():
        if isinstance(part, Text):
            show_text(part)
        elif isinstance(part, str):
            say(part)
        elif part.fixed is None:
            print_table(part.header, part.rows, title=part.title)
        else:
            rows = [[str(cell) for cell in row] for row in part.rows]
            print_blocks(part.header, rows, title=part.title, fixed=part.fixed)
