"""What runs, and whoever plays in another way, need to be told, declared once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from intent.base.errors import UsageError, shorten
from intent.base.experiments import study_of
from intent.base.job import (
    JSON,
    OVERWRITE,
    SEED,
    UPDATE,
    NonNegative,
    Positive,
    Printing,
    Request,
    Within,
    argument,
    here,
    option,
)

if TYPE_CHECKING:
    from intent.agents.client import Client
    from intent.runner.experiment.file import Runtime

__all__ = [
    "ANNOUNCE",
    "BUDGET",
    "CACHE",
    "CONCURRENCY",
    "DRY_RUN",
    "JOURNAL",
    "LIMITS",
    "NO_TRACK",
    "PAPER",
    "PRICES",
    "RUN_FOLDER",
    "SET",
    "TRACKING",
    "AtLeastOne",
    "Calls",
    "PlayRequest",
    "ReplicateRequest",
    "ResumeRequest",
    "SamplingRequest",
    "StatusRequest",
    "parse_limits",
    "parse_prices",
]

AtLeastOne = Annotated[int | None, Within(1, None)]


def parse_prices(items: list[str] | None) -> dict[str, Any]:
    """``MODEL=IN,OUT`` options as model -> price.

    Raises
    ------
    UsageError
    """
    prices = {}
    for item in items or []:
        model, equals, numbers = item.rpartition("=")
        try:
            parts = [float(number) for number in numbers.replace("/", ",").split(",")]
        except ValueError:
            parts = []
        if not equals or not model or len(parts) not in (2, 3):
            raise UsageError(f"--price {shorten(item)!r}, expected MODEL=IN,OUT per million tokens")
        prices[model] = parts
    return prices


def parse_limits(items: list[str] | None) -> dict[str, Any]:
    """``ENDPOINT:LIMIT=N`` options as endpoint -> limit -> number.

    Raises
    ------
    UsageError
    """
    limits: dict[str, Any] = {}
    for item in items or []:
        name, equals, number = item.rpartition("=")
        endpoint, colon, limit = name.rpartition(":")
        if not (equals and colon and endpoint and limit and number.isdecimal()):
            raise UsageError(f"--limit {shorten(item)!r}, expected ENDPOINT:LIMIT=N")
        limits.setdefault(endpoint, {})[limit] = int(number)
    return limits


def _models_by_name(items: list[str]) -> dict[str, str]:
    """``NAME=MODEL`` options as name -> model."""
    names = {}
    for item in items:
        name, equals, model = item.partition("=")
        if not (name and equals and model):
            raise UsageError(f"--map-model {shorten(item)!r}, expected NAME=MODEL")
        names[name.strip()] = model.strip()
    return names


def _one_model(models: list[str]) -> str:
    if len(models) > 1:
        raise UsageError(f"-m {', '.join(models)}: expected one model, since each needs an -o of its own")
    return models[0]


BUDGET = option(None, "What the run may cost, in the currency of the prices.", metavar="AMOUNT")
CONCURRENCY = option(None, "Calls in flight per endpoint; default: what the endpoint takes.")
LIMITS = option(
    None,
    "requests_per_minute, tokens_per_day, … of an endpoint or model (repeatable).",
    "--limit",
    words=list[str] | None,
    parse=parse_limits,
    metavar="ENDPOINT:LIMIT=N",
)
PRICES = option(
    None,
    "Price per million tokens of prompt and reply (repeatable).",
    "--price",
    words=list[str] | None,
    parse=parse_prices,
    metavar="MODEL=IN,OUT",
)
CACHE = option(False, "Keep replies, and use those of the same draws again.", "--cache")
SET = option(
    (),
    "Any key of the file, dotted, with a YAML value (repeatable).",
    "--set",
    words=list[str] | None,
    metavar="KEY=VALUE",
)
RUN_FOLDER = option(None, "Run folder to make; default runs/NAME.", "-o", "--output")
DRY_RUN = option(
    False,
    "Only count games, calls, tokens and cost, and show what each role is shown, and prompts.",
    "--dry-run",
)
JOURNAL = option("wal", "wal, or delete for network file systems.")
NO_TRACK = option(False, "Do not record the run in MLflow.", "--no-track")
TRACKING = option(None, "MLflow tracking URI or SQLite file.")
LIVE = replace(UPDATE, default=lambda done, total, *words: None)
"""What is called while a run is played: also with words, what it costs and what is in the way."""

PAPER = "paper"
"""The variant of a study that is its paper's treatment."""

ANNOUNCE = option(lambda line: None, "Called with lines on what is about to be played.", only="python")


class Calls(Request, kw_only=True):
    """How many calls of language models are made at a time, and what they may cost."""

    budget: float | None = BUDGET
    prices: Mapping[str, Any] | None = PRICES
    concurrency: AtLeastOne = CONCURRENCY
    window: AtLeastOne = option(None, "Games in play at a time.")
    limits: Mapping[str, Any] | None = LIMITS
    cache: bool = CACHE


class PlayRequest(Calls, job="play", function="intent.runner.play.play_file", progress="play", detailed=True):
    """Let language models, strategies or you play an experiment.

    Ctrl-C stops cleanly; `intent resume` goes on. Keys come from the environment.
    """

    file: "str | Path | Mapping[str, Any] | Runtime" = argument(
        "Our YAML, or a FAIRGAME configuration (.json).", words=Path, metavar="EXPERIMENT"
    )
    model: Sequence[str] = option(
        (),
        "In place of the file's models: openai/NAME, openai/NAME@URL, anthropic/NAME, local/NAME, "
        "gguf:PATH, scripted/STRATEGY, human (repeatable).",
        "-m",
        "--model",
        words=list[str] | None,
    )
    folder: Path | None = RUN_FOLDER
    dry_run: bool = DRY_RUN
    prompts_shown: Annotated[int | None, Within(0, None)] = option(
        None, "With --dry-run: most prompts to show; by default all, one of each role."
    )
    set: Sequence[str] = SET
    language: Sequence[str] = option(
        (), "In place of the file's languages (repeatable).", words=list[str] | None
    )
    repetitions: AtLeastOne = option(None, "Games per condition.")
    rounds: AtLeastOne = option(None, "Rounds per game.")
    seed: Annotated[int | None, Within(0, None)] = option(None, SEED.help)
    prompts: str | None = option(None, "Folder of templates, FAIRGAME's or yours; or intent.", metavar="DIR")
    map_models: Mapping[str, str] = option(
        {},
        "Which model a name in the file stands for (repeatable).",
        "--map-model",
        words=list[str] | None,
        parse=_models_by_name,
        metavar="NAME=MODEL",
    )
    payoff_kind: str | None = option(None, "reward or penalty, where a FAIRGAME file has a game of its own.")
    calls = here(Calls)
    journal: str = JOURNAL
    no_track: bool = NO_TRACK
    tracking: str | None = TRACKING
    overwrite: bool = OVERWRITE
    json: bool = JSON
    announce: Callable[[str], None] = ANNOUNCE
    update: Callable[..., None] = LIVE


class ReplicateRequest(
    Calls, job="replicate", function="intent.runner.replicate.replicate", progress="play", detailed=True
):
    """Play what a paper played, and set its numbers beside yours, cell by cell.

    Ends in one page and one table with a verdict for every printed number.
    The same command again goes on where it stopped.
    """

    study: "str | Path" = argument(
        "The study, such as agent_architectures, or the folder of your own.",
        words=str,
        parse=study_of,
        metavar="STUDY",
    )
    model: Sequence[str] = option(
        (),
        "Who plays, such as openai/gpt-4o; needed where the study names nobody (repeatable).",
        "-m",
        "--model",
        words=list[str] | None,
    )
    folder: Path | None = option(None, "Folder to make; default replications/STUDY.", "-o", "--output")
    source: Path | None = option(
        None, "Measure this log or folder; nothing is played.", "--from", metavar="LOG|FOLDER"
    )
    variant: str = option(PAPER, "paper, or a treatment that differs on purpose.")
    small: bool = option(False, "A short play of the variant, to try it out.", "--small")
    prompts: str | None = option(None, "Folder with the authors' wording in place of ours.", metavar="DIR")
    dry_run: bool = option(False, "Only count games, calls, tokens and cost.", "--dry-run")
    seen: Path | None = option(
        None,
        "With --dry-run: a run, such as that of --small, whose replies tell how long those of each role are.",
        metavar="RUN",
    )
    set: Sequence[str] = SET
    bootstrap: Positive = option(2000, "Bootstrap samples of intervals.")
    seed: Annotated[int | None, Within(0, None)] = option(None, SEED.help)
    calls = here(Calls)
    journal: str = JOURNAL
    no_track: bool = NO_TRACK
    tracking: str | None = TRACKING
    overwrite: bool = OVERWRITE
    json: bool = JSON
    announce: Callable[[str], None] = ANNOUNCE
    update: Callable[..., None] = LIVE


class ResumeRequest(
    Calls, job="resume", function="intent.runner.play.resume_folder", progress="play", detailed=True
):
    """Go on with a run: no stored call is made again, games set aside are tried again.

    A finished run gets its log, labels or scores, and figures anew.
    """

    run_folder: "str | Path" = argument("The run folder.", words=Path, metavar="run")
    file: "str | Path | None" = option(
        None,
        "Take limits, prices and `after` from this file; same games only.",
        words=Path | None,
        metavar="[EXPERIMENT]",
        positional=True,
    )
    set: Sequence[str] = SET
    calls = here(Calls)
    no_track: bool = NO_TRACK
    tracking: str | None = TRACKING
    json: bool = JSON
    update: Callable[..., None] = LIVE


class StatusRequest(Request, job="status", function="intent.runner.finish.status_of_folder"):
    """Show how a run is going: games, calls, rates, cost, errors; also while it is played."""

    run_folder: "str | Path" = argument("The run folder.", words=Path, metavar="run")
    watch: bool = option(False, "Again every two seconds, until it is over.", "--watch", only="command")
    json: bool = JSON


class SamplingRequest(
    Printing, job="sampling", function="intent.runner.sampling.sample_numbers", progress="asking"
):
    """Ask a model for random numbers and test whether they are.

    Numbers that cannot be read are counted, never guessed; an honest
    sampler of as many numbers stands beside every test.
    """

    model: "str | Client" = argument(
        "The language model, such as openai/gpt-4o.", "-m", "--model", words=list[str], parse=_one_model
    )
    folder: "str | Path" = argument(
        "Folder for replies and results; an earlier one goes on.", "-o", "--output", words=Path
    )
    n: Positive = option(100, "Numbers asked for in one request.", "--n")
    repetitions: Positive = option(1, "Requests for each distribution.")
    distributions: str = option(
        "gaussian,poisson,uniform", "Names, with parameters: gaussian(0,1),poisson(4),uniform(0,1)."
    )
    prompt: "str | Path | None" = option(
        None, "Text file in place of our request, with {n} and {law}.", words=Path | None
    )
    temperature: Annotated[float | None, Within(0, None)] = option(None, "Default: the endpoint's own.")
    max_tokens: AtLeastOne = option(None, "Length of a reply.")
    seed: NonNegative = SEED
    image: str = option("png", "png, svg or pdf.")
    printing = here(Printing)
    json: bool = JSON
    update: Callable[[int, int], None] = UPDATE
