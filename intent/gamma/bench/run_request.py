"""What a run of the benchmark needs to be told, declared once."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from intent.base.request import JSON, OVERWRITE, SEED, UPDATE, Request, Within, option
from intent.runner.requests import (
    ANNOUNCE,
    BUDGET,
    CACHE,
    CONCURRENCY,
    DRY_RUN,
    JOURNAL,
    LIMITS,
    NO_TRACK,
    PRICES,
    RUN_FOLDER,
    SET,
    TRACKING,
    WINDOW,
    AtLeastOne,
)

__all__ = ["BenchRunRequest"]


class BenchRunRequest(
    Request, job="bench_run", function="intent.gamma.bench.run.run_file", progress="play", detailed=True
):
    """Play the eight games of GAMA-Bench, and score them.

    What it takes is shown first. Ctrl-C stops cleanly; `intent resume` goes on and scores anew.
    """

    file: "str | Path | Mapping[str, Any] | None" = option(
        None,
        "A YAML file; without one, the eight games as published.",
        words=Path | None,
        metavar="[BENCHMARK]",
        positional=True,
    )
    model: Sequence[str] = option(
        (),
        "In place of the file's models: openai/NAME, openai/NAME@URL, anthropic/NAME, local/NAME, "
        "gguf:PATH, scripted/equilibrium, … (repeatable).",
        "-m",
        "--model",
        words=list[str] | None,
    )
    folder: Path | None = RUN_FOLDER
    dry_run: bool = DRY_RUN
    prompts_shown: Annotated[int | None, Within(0, None)] = option(
        None, "With --dry-run: most prompts to show; by default all."
    )
    game: Sequence[str] = option(
        (), "Only this game, such as guessing or pirate (repeatable).", words=list[str] | None
    )
    repetitions: AtLeastOne = option(None, "Tables per condition.")
    players: Annotated[int | None, Within(2, None)] = option(None, "Players per table.")
    rounds: AtLeastOne = option(None, "Sequential games may end before.")
    version: Sequence[str] = option((), "Wording, v1 to v5 (repeatable).", words=list[str] | None)
    language: Sequence[str] = option((), "Of the prompts (repeatable).", words=list[str] | None)
    temperature: Annotated[Sequence[float], Within(0, None)] = option(
        (), "Of sampling (repeatable).", words=list[float] | None
    )
    persona: Sequence[str] = option(
        (), "cooperative, selfish, mathematician, or your words (repeatable).", words=list[str] | None
    )
    chain_of_thought: Annotated[Sequence[int], Within(1, 5)] = option(
        (), "Phrase for a chain of thought (repeatable).", "--cot", words=list[int] | None
    )
    told: Sequence[str] = option(
        (),
        "What is told of the others: equilibrium, smart, random, or your words (repeatable).",
        words=list[str] | None,
    )
    prompts: str | None = option(None, "Folder of your wording, or of GAMA-Bench's templates.", metavar="DIR")
    seed: Annotated[int | None, Within(0, None)] = option(None, SEED.help)
    set: Sequence[str] = SET
    figures: bool | None = option(None, "Whether figures are drawn.", "--figures/--no-figures")
    budget: float | None = BUDGET
    prices: Mapping[str, Any] | None = PRICES
    concurrency: AtLeastOne = CONCURRENCY
    window: AtLeastOne = WINDOW
    limits: Mapping[str, Any] | None = LIMITS
    cache: bool = CACHE
    journal: str = JOURNAL
    no_track: bool = NO_TRACK
    tracking: str | None = TRACKING
    overwrite: bool = OVERWRITE
    json: bool = JSON
    announce: Callable[[str], None] = ANNOUNCE
    update: Callable[..., None] = UPDATE
