"""The options of the commands that play games, and how they become changes of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.errors import UsageError, one_line, shorten

__all__ = [
    "Budget",
    "Cache",
    "Concurrency",
    "DryRun",
    "Journal",
    "Limit",
    "NoTrack",
    "Price",
    "RunFolder",
    "Set",
    "Tracking",
    "Window",
    "check_journal",
    "one_or_all",
    "parse_limits",
    "parse_names",
    "parse_prices",
    "run_changes",
    "run_folder",
    "tracker_of",
]

Budget = Annotated[
    float | None, typer.Option(metavar="AMOUNT", help="What the run may cost, in the currency of the prices.")
]
Concurrency = Annotated[
    int | None, typer.Option(min=1, help="Calls in flight per endpoint; default: what the endpoint takes.")
]
Window = Annotated[int | None, typer.Option(min=1, help="Games in play at a time.")]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ENDPOINT:LIMIT=N",
        help="requests_per_minute, tokens_per_day, … of an endpoint or model (repeatable).",
    ),
]
Price = Annotated[
    list[str] | None,
    typer.Option(metavar="MODEL=IN,OUT", help="Price per million tokens of prompt and reply (repeatable)."),
]
Cache = Annotated[bool, typer.Option("--cache", help="Keep replies, and use those of the same draws again.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Any key of the file, dotted, with a YAML value (repeatable).",
    ),
]
RunFolder = Annotated[
    Path | None, typer.Option("-o", "--output", help="Run folder to make; default runs/NAME.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only count games, calls, tokens and cost, and show prompts.")
]
Journal = Annotated[str, typer.Option(help="wal, or delete for network file systems.")]
NoTrack = Annotated[bool, typer.Option("--no-track", help="Do not record the run in MLflow.")]
Tracking = Annotated[str | None, typer.Option(help="MLflow tracking URI or SQLite file.")]


def run_changes(
    budget: float | None,
    concurrency: int | None,
    window: int | None,
    price: list[str] | None,
    limit: list[str] | None,
    cache: bool,
    **further: Any,
) -> dict[str, Any]:
    """The options that were given, as keys of an experiment by their values; `further` are such keys too.

    Raises
    ------
    UsageError
        A price or limit that is none.
    """
    given = {
        **further,
        "budget": budget,
        "concurrency": concurrency,
        "window": window,
        "prices": parse_prices(price) or None,
        "limits": parse_limits(limit) or None,
        "cache": cache or None,
    }
    return {key: value for key, value in given.items() if value is not None}


def check_journal(journal: str) -> None:
    """Refuse a journal that the run store does not have.

    Raises
    ------
    UsageError
    """
    if journal not in ("wal", "delete"):
        raise UsageError(f"--journal {shorten(journal)!r}, expected wal or delete")


def one_or_all(values: list[Any] | None) -> Any:
    """The values of a repeatable option: one as itself, several as a factor, none as None."""
    return None if not values else values[0] if len(values) == 1 else values


def run_folder(output: Path | None, name: str) -> Path:
    """The folder of a run: as given, or the one below ``runs`` that its name says.

    Raises
    ------
    UsageError
        None is given, and the name is none of a folder.
    """
    if output is not None:
        return output
    if not name.isprintable() or set("/\\") & set(name) or not name.strip(". ") or len(name.encode()) > 200:
        raise UsageError(f"no folder can be called {one_line(name, 40)!r}, expected -o FOLDER")
    return Path("runs") / name


def parse_prices(items: list[str] | None) -> dict[str, Any]:
    """``MODEL=IN,OUT`` options as model -> price.

    Raises
    ------
    UsageError
    """
    found = {}
    for item in items or []:
        model, equals, numbers = item.rpartition("=")
        try:
            parts = [float(number) for number in numbers.replace("/", ",").split(",")]
        except ValueError:
            parts = []
        if not equals or not model or len(parts) not in (2, 3):
            raise UsageError(f"--price {shorten(item)!r}, expected MODEL=IN,OUT per million tokens")
        found[model] = parts
    return found


def parse_limits(items: list[str] | None) -> dict[str, Any]:
    """``ENDPOINT:LIMIT=N`` options as endpoint -> limit -> number.

    Raises
    ------
    UsageError
    """
    found: dict[str, Any] = {}
    for item in items or []:
        name, equals, number = item.rpartition("=")
        endpoint, colon, limit = name.rpartition(":")
        if not (equals and colon and endpoint and limit and number.isdecimal()):
            raise UsageError(f"--limit {shorten(item)!r}, expected ENDPOINT:LIMIT=N")
        found.setdefault(endpoint, {})[limit] = int(number)
    return found


def parse_names(items: list[str] | None) -> dict[str, str]:
    """``NAME=MODEL`` options as name -> model.

    Raises
    ------
    UsageError
    """
    found = {}
    for item in items or []:
        name, equals, model = item.partition("=")
        if not (name and equals and model):
            raise UsageError(f"--map-model {shorten(item)!r}, expected NAME=MODEL")
        found[name.strip()] = model.strip()
    return found


def tracker_of(no_track: bool, tracking: str | None) -> Any:
    """The tracker that the options ask for; ``mlflow.db`` in the working folder by default."""
    from intent.workflows.tracker import make_tracker

    return make_tracker(None if no_track else (tracking or str(Path("mlflow.db"))))
