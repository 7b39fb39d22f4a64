"""What the jobs of the benchmark need to be told, declared once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from intent.base.errors import UsageError
from intent.base.job import (
    BY,
    JSON,
    OUTPUTS,
    OVERWRITE,
    SEED,
    UPDATE,
    NonNegative,
    Printing,
    Request,
    Within,
    argument,
    here,
    option,
    parse_pairs,
)
from intent.behaviour.requests import claim_outputs
from intent.logs.reading import Reading
from intent.runner.requests import (
    ANNOUNCE,
    DRY_RUN,
    JOURNAL,
    NO_TRACK,
    RUN_FOLDER,
    SET,
    TRACKING,
    AtLeastOne,
    Calls,
)

if TYPE_CHECKING:
    from intent.agents.client import Client

__all__ = ["AnalyseRequest", "BenchRunRequest", "LeaderboardRequest", "QuestionnaireRequest", "ScoreRequest"]


SCORING = option("code", "code (what published numbers use) or paper (its equation 1).")
POOL = option(
    False, "Put conditions of saved files together (temperature, role, …), partial saves too.", "--pool"
)
FOLDER = option(None, "Folder to write into.", "-o", "--output", only="command")


class ScoreRequest(Reading, Printing, job="bench_score", function="intent.gamma.bench.scores.score_files"):
    """Score runs of the eight games: one row per run, in the order given.

    With the score under the other scoring, and why they differ. Files
    that cannot be scored are listed with the reason.
    """

    files: Sequence[str | Path] = argument(
        "GAMA-Bench's saved JSON, or folders of it, run folders, game logs.",
        words=list[Path],
        metavar="FILE…",
    )
    scoring: str = SCORING
    reading = here(Reading)
    output: Sequence[Path] = replace(OUTPUTS, help="Scores (.csv .parquet .jsonl .json); repeatable.")
    figures: Path | None = option(
        None, "Draw the play of each game into a folder.", metavar="DIR", only="command"
    )
    plays: bool = option(False, "Keep what was played in the result, as for figures.", only="python")
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON

    def claim_outputs(self) -> None:
        """Refuse what is no table of scores, and a folder of figures that may not be replaced."""
        from intent.base.outputs import claim

        claim_outputs(self.output, overwrite=self.overwrite)
        if self.figures is not None:
            claim(self.figures, overwrite=self.overwrite, into=True)

    def write_outputs(self, result: Any) -> list[Path]:
        """Write the tables, then the figures."""
        drawn = [] if self.figures is None else result.draw_play(self.figures)
        return [*super().write_outputs(result), *drawn]


class LeaderboardRequest(
    Reading, Printing, job="bench_leaderboard", function="intent.gamma.bench.leaderboard.leaderboard_of"
):
    """Rank models: mean and sample deviation over runs, per game, per family, overall.

    Runs of other settings than the paper's are left out. The overall
    score of a run is the mean over its eight games.
    """

    sources: Sequence[str | Path] = option(
        (),
        "As of score, or tables that score wrote.",
        words=list[Path] | None,
        metavar="FILE|RUN|TABLE…",
        positional=True,
        recorded=False,
    )
    scoring: str = SCORING
    published: bool = option(False, "Put the paper's thirteen models beside yours.", "--published")
    grouped: bool = option(False, "Closed and open models in tables of their own, as in the paper.")
    partial: bool = option(False, "Let runs that lack games count with those they have.", "--partial")
    pool: bool = replace(
        POOL, help="One row for all conditions of a model (temperature, role, …), partial saves too."
    )
    rename: Mapping[str, str] | None = option(
        None,
        "Call a model NEW (repeatable); joins two names.",
        words=list[str] | None,
        parse=lambda items: {old: new[-1] for old, new in parse_pairs(items, "--rename", "OLD=NEW").items()},
        metavar="OLD=NEW",
    )
    reading = here(Reading)
    output: Path | None = FOLDER
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    markdown: bool = option(False, "Print a Markdown table.", "--markdown", only="command")
    json: bool = JSON

    def claim_outputs(self) -> None:
        """Refuse two kinds of output at once; files of the folder are claimed one by one."""
        if self.json and self.markdown:
            raise UsageError("--json and --markdown, expected one of them")

    def write_outputs(self, result: Any) -> list[Path]:
        """Write all files into the folder."""
        return result.write(self.output, overwrite=self.overwrite) if self.output is not None else []


class AnalyseRequest(Reading, job="bench_analyse", function="intent.gamma.bench.analysis.analyse"):
    """Analyse runs of the eight games beyond their scores.

    Differences between models (or other --by columns) with exact paired
    tests, the regret of every move against a best reply, levels of
    reasoning in the guessing game, and what changes when a game is told
    as another story.
    """

    sources: Sequence[str | Path] = argument(
        "Run folders, game logs, GAMA-Bench's saved JSON.", words=list[Path], metavar="RUN|LOG…"
    )
    by: str | Sequence[str] = replace(BY, default=("model",))
    scoring: str = SCORING
    pool: bool = POOL
    samples: Annotated[int, Within(100, 1_000_000)] = option(2000, "Of bootstrap and tests.")
    level: Annotated[float, Within(0.5, 0.999)] = option(0.95, "Of intervals.")
    reading = here(Reading)
    seed: NonNegative = SEED
    output: Path | None = FOLDER
    overwrite: bool = OVERWRITE
    json: bool = JSON

    def claim_outputs(self) -> None:
        """Nothing: files of the folder are claimed one by one."""

    def write_outputs(self, result: Any) -> list[Path]:
        """Write all files into the folder."""
        return result.write(self.output, overwrite=self.overwrite) if self.output is not None else []


class QuestionnaireRequest(
    Request,
    job="bench_questionnaire",
    function="intent.gamma.bench.questionnaire.put_questionnaire",
    progress="asking",
):
    """Put your own items to a model and average its answers by subscale.

    Every item is asked in a conversation of its own. No items come with
    the package but a small example of everyday choices.
    """

    items: str | Path = argument(
        "YAML or CSV: name, text, low, high, reversed, subscale.", words=Path, metavar="ITEMS"
    )
    model: "str | Client" = option(
        Parameter.empty,
        "The language model, such as openai/gpt-4o.",
        *("-m", "--model"),
        words=str,
        positional=True,
    )
    folder: str | Path = option(
        Parameter.empty,
        "Folder for replies and results; an earlier one goes on.",
        *("-o", "--output"),
        words=Path,
        positional=True,
    )
    repetitions: Annotated[int, Within(1, 1000)] = option(5, "How often each item is asked.")
    persona: str | None = option(None, "Text that the model is given first, as it stands.")
    temperature: Annotated[float | None, Within(0, None)] = option(None, "Default: the endpoint's own.")
    retries: Annotated[int, Within(0, 100)] = option(2, "Asked again where no number is read.")
    constrained: bool = option(False, "Replies can only be numbers of the scale.", "--constrained")
    seed: NonNegative = SEED
    update: Callable[[int, int], None] = UPDATE
    json: bool = JSON

    def claim_outputs(self) -> None:
        """Nothing: the folder may be that of an earlier call."""

    def write_outputs(self, result: Any) -> list[Path]:
        """Nothing: replies are written as they come, and the result with them."""
        return []


class BenchRunRequest(
    Printing,
    Calls,
    job="bench_run",
    function="intent.gamma.bench.run.run_file",
    progress="play",
    detailed=True,
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
    calls = here(Calls)
    journal: str = JOURNAL
    no_track: bool = NO_TRACK
    tracking: str | None = TRACKING
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON
    announce: Callable[[str], None] = ANNOUNCE
    update: Callable[..., None] = UPDATE
