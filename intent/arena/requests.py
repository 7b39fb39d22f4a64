"""What tournaments, evolution, and the check and writing of strategies need to be told, declared once."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from intent.base.errors import UsageError, shorten
from intent.base.job import (
    DASK,
    JSON,
    LEVEL,
    OVERWRITE,
    SEED,
    NonNegative,
    Positive,
    Printing,
    Request,
    Within,
    argument,
    here,
    option,
)
from intent.runner.requests import BUDGET, CACHE, CONCURRENCY, LIMITS, PRICES

if TYPE_CHECKING:
    from intent.agents.client import Client
    from intent.arena.match import Engine

__all__ = [
    "ENGINE",
    "MATCH_WORKERS",
    "SALT",
    "ChainRequest",
    "CheckRequest",
    "EvolveRequest",
    "Initial",
    "Processes",
    "TournamentRequest",
    "WriteRequest",
]


class FidelityName(StrEnum):
    """Whose rules of play."""

    axelrod = "axelrod"
    clean = "clean"


class FaultPolicyName(StrEnum):
    """What becomes of a strategy that fails."""

    disqualify = "disqualify"
    void = "void"


class LogName(StrEnum):
    """Which moves are written."""

    first = "first"
    all = "all"
    none = "none"


class ByName(StrEnum):
    """What an individual of a population is."""

    group = "group"
    strategy = "strategy"


def _quiet(done: int, total: int) -> None:
    """Tell nobody."""


def _document(path: Path) -> Mapping[str, Any]:
    from intent.base.settings import read_document

    return read_document(path).values


AGAINST = option(
    None,
    "Further strategies: humans, catalogue, a set, names or files, with commas.",
    words=str | None,
    metavar="NAMES",
    detail="As `intent.arena.field.opponents` takes them.",
)
GAME = option(None, "Name of a game; default: as the files say, else classic (5, 3, 1, 0).")
TURNS = option(None, "Rounds per match; default: as the files say, else 1000.")
NOISE = option(None, "Probability that a move is flipped; default: as the files say, else 0.")
REPETITIONS = option(None, "Matches of each pair; default: 20, or 1 if nothing is random.")
FIDELITY = option(
    "axelrod", "axelrod: as that library plays; clean: both scores current.", words=FidelityName, parse=str
)
ENGINE = option(
    "auto",
    "Sandbox of written code: auto, seccomp, strict, monty.",
    words=str,
    detail="`auto` plays automata, where there is nothing else, without a sandbox.",
)
MATCH_WORKERS = option(
    None,
    "Processes that play; default, and 0: all processors.",
    "--workers",
    parse=lambda workers: workers or None,
    recorded=False,
)
SALT = option(
    None,
    "Of a result: play its matches again, on any machine. Who knows it beforehand can cheat.",
    words=str | None,
    metavar="HEX",
    detail="Default: `intent.arena.streams.Salt.of_field`.",
)
IMAGE = option("png", "png, svg or pdf.")
UPDATE = option(_quiet, "Called with matches played and their number.", only="python", recorded=False)

Rounds = Annotated[int | None, Within(1, None)]
Processes = Annotated[int | None, Within(0, None)]


class _OwnFiles(Request):
    """A job that claims its files by itself, and writes them as it goes."""

    def claim_outputs(self) -> None:
        """Nothing: the job does, also where it is a function."""

    def write_outputs(self, result: Any) -> list[Path]:
        """The folder, which the job has filled."""
        return [] if result.path is None else [result.path]


class TournamentRequest(
    _OwnFiles,
    Printing,
    job="tournament",
    function="intent.arena.tournament.tournament.tournament",
    progress="matches",
):
    """Play strategies against each other: standings and head-to-head matrices.

    Every strategy meets every other one and itself. Code that somebody wrote runs
    in a sandbox; the moves are kept, so that a run that was ended goes on.
    """

    paths: "str | Path | Sequence[str | Path]" = option(
        (),
        "Files (.py, .yaml) or folders of strategies.",
        words=list[Path] | None,
        metavar="[PATH]...",
        positional=True,
    )
    against: str | None = AGAINST
    turns: Rounds = TURNS
    noise: float | None = NOISE
    repetitions: Rounds = REPETITIONS
    game: str | None = GAME
    self_play: bool = option(True, "Whether strategies meet themselves.", "--self-play/--no-self-play")
    agents: bool = option(False, "One agent per attitude, which draws a strategy for each match.")
    singles: bool = option(False, "With --agents: the strategies play by themselves, too.")
    faults: str = option(
        "disqualify",
        "Who fails is disqualified, or only the spoiled pairs do not count (void).",
        words=FaultPolicyName,
        parse=str,
    )
    engine: str = ENGINE
    fidelity: str = FIDELITY
    reuse_instances: bool = option(False, "Attributes live on across repetitions: to replicate only.")
    workers: Processes = MATCH_WORKERS
    dask: str | None = DASK
    seed: NonNegative = SEED
    salt: str | None = SALT
    log: str = option(
        "first",
        "Repetitions whose moves are written as a game log.",
        words=LogName,
        parse=str,
        detail="Needs `output`.",
    )
    label: str | None = option(
        None, "Label the log: which strategy is each of them?", words=str | None, metavar="RECOGNISER"
    )
    figures: bool = option(True, "Whether figures are drawn.", "--figures/--no-figures")
    image: str = IMAGE
    output: "str | Path | None" = option(
        None,
        "Where results go; an earlier run is gone on with.",
        "-o",
        "--output",
        words=Path | None,
        metavar="FOLDER",
    )
    models: Sequence[str] = option(
        (),
        "A language model that joins (repeatable): 10 rounds, once, unless given.",
        "-m",
        "--model",
        words=list[str] | None,
        detail="Replies are kept in ``output/models``.",
    )
    model_settings: "Mapping[str, Any] | None" = option(
        None,
        "For them: settings, prices, budget, … of an experiment file.",
        words=Path | None,
        parse=_document,
        metavar="FILE.yaml",
    )
    dry_run: bool = option(False, "Count what the models would be asked, and stop.", only="command")
    printing = here(Printing)
    json: bool = JSON
    single_matches: bool = option(
        False,
        "Whether the table of the result holds every match by itself, in memory for all of them.",
        only="python",
        detail="Else repetitions are added up, except among agents and with language models.",
    )
    callables: "Mapping[str, Callable[..., Any]] | None" = option(
        None, "Name -> async function, for models ``python/NAME``.", only="python"
    )
    update: "Callable[[int, int], None]" = UPDATE

    def run(self) -> Any:
        """Play it, or only count what language models would be asked."""
        if not self.dry_run:
            return super().run()
        return self.call("intent.arena.tournament.models.count_calls")


class EvolveRequest(
    _OwnFiles, Printing, job="evolve", function="intent.arena.evolution.evolve.evolve", progress="matches"
):
    """Let strategies compete, copy those that earn more, see who is left.

    Moran processes over matches played once, beside fixation
    probabilities, invasion, replicator dynamics and stability.
    """

    paths: "str | Path | Sequence[str | Path]" = argument(
        "Files or folders of strategies; the folder of a tournament; or a CSV payoff matrix.",
        words=list[Path],
        metavar="PATH...",
    )
    initial: "Initial | Sequence[Initial] | None" = option(
        None,
        "Individuals at the start: Aggressive, Cooperative, Neutral, or by name (repeatable).",
        "--initial",
        words=list[str] | None,
        metavar="4,4,4|NAME=N,…",
        positional=True,
        detail="As `intent.arena.evolution.evolve.starts`.",
    )
    runs: Positive = option(100, "Moran processes of each start.")
    against: str | None = AGAINST
    by: str | None = option(
        None, "What an individual is: a group, which draws, or one strategy.", words=ByName | None, parse=str
    )
    game: str | None = GAME
    turns: Rounds = TURNS
    noise: float | None = NOISE
    repetitions: Rounds = REPETITIONS
    mutation: float = option(0.0, "Probability that a clone is of another name.")
    intensity: float = option(1.0, "Of selection: fitness 1 - w + w payoff.")
    steps: Rounds = option(None, "Most births of a run; default 100000, with mutation 20000.")
    fidelity: str = FIDELITY
    engine: "str | Engine" = ENGINE
    workers: Processes = MATCH_WORKERS
    dask: str | None = DASK
    level: float = LEVEL
    seed: NonNegative = SEED
    salt: str | None = SALT
    output: "str | Path | None" = option(
        None,
        "Folder for tables, figures and matches; a cut one goes on.",
        "-o",
        "--output",
        words=Path | None,
    )
    image: str = IMAGE
    printing = here(Printing)
    json: bool = JSON
    overwrite: bool = replace(OVERWRITE, only="", detail="Matches in the folder are used again.")
    bootstrap: int = option(1000, "Draws of strategies for intervals of payoffs.", only="python")
    update: "Callable[[int, int], None] | None" = replace(UPDATE, default=None)


class CheckRequest(
    _OwnFiles, job="check", function="intent.arena.check.check_strategies", progress="matches"
):
    """Read written strategies, gate them and let them play a little in the sandbox: what runs?"""

    paths: "str | Path | Sequence[str | Path]" = argument(
        "Files of strategies (.py, .yaml), or folders of .py files.", words=list[Path], metavar="PATH..."
    )
    engine: str = ENGINE
    turns: Annotated[int, Within(1, 100_000)] = option(
        50, "Rounds of each short match.", detail="Against ALLC, ALLD, RANDOM, TFT and itself."
    )
    workers: Processes = MATCH_WORKERS
    output: "str | Path | None" = option(
        None,
        "Table of strategies (.csv .parquet .jsonl) or result (.json).",
        "-o",
        "--output",
        words=Path | None,
    )
    page: "str | Path | None" = option(
        None, "Page for inspection: code, words, play.", words=Path | None, metavar="FILE.html"
    )
    strict: bool = option(False, "A strategy that does not run is an error (exit code 2).")
    seed: NonNegative = SEED
    salt: str | None = SALT
    overwrite: bool = replace(OVERWRITE, only="")
    json: bool = JSON
    update: "Callable[[int, int], None] | None" = replace(UPDATE, default=None)

    def write_outputs(self, result: Any) -> list[Path]:
        """The table and the page, which the job has written."""
        return [Path(path) for path in (self.output, self.page) if path is not None]


def _temperature(text: str) -> float | None:
    if text.strip().casefold() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--temperature {shorten(text)!r}, expected a number or none") from None


class WriteRequest(
    _OwnFiles, job="write", function="intent.arena.writing.strategies.write_strategies", progress="attempts"
):
    """Have a language model write strategies: words, code, the gate, a trial, a file.

    What fails is kept with its reason and replaced, up to --attempts. The
    same command goes on where an earlier one was cut short.
    """

    model: "str | Client" = argument("Who writes the words, such as openai/gpt-4o.", words=str)
    folder: "str | Path | None" = option(
        None,
        "Folder for sets and exchanges; an earlier one goes on.",
        "-o",
        "--output",
        words=Path | None,
        positional=True,
    )
    code_model: "str | Client | None" = option(
        None, "Who turns words into code; default: the same.", words=str | None
    )
    style: str = option("default", "default, refine, prose, prose+refine; several with commas.")
    attitudes: str = option(
        "Aggressive,Cooperative,Neutral",
        "What the strategies are to be like.",
        detail="Those of `prompts` count too.",
    )
    n: Positive = option(25, "Strategies for each attitude and style.", "-n", "--n")
    game: str = option("classic", "classic (5,3,1,0), prisoner, chicken-t4, stag, or another symmetric one.")
    noise: float = option(0.0, "Probability that a move is flipped.")
    turns: Positive = option(1000, "Rounds of a match.")
    temperature: "float | None" = option(
        0.7,
        "Of words and plans; none sends none in any request.",
        words=str,
        parse=_temperature,
        detail="The conversion of plans has it too, a critique half of it, all else 0.",
    )
    max_tokens: Rounds = option(
        None,
        "Length of a reply.",
        detail="Default: 4,000 where a model needs a limit, else the endpoint's.",
    )
    prompts: "str | Path | None" = option(
        None,
        "Folder of texts in place of ours (words_en.txt, …).",
        words=Path | None,
        metavar="DIR",
        detail="As `intent.arena.writing.task.load_texts` reads it.",
    )
    scenarios: str | None = option(None, "Everyday settings that prose draws from; default: all.")
    attempts: Rounds = option(None, "For each attitude and style, at most; default 3 n + 5.")
    engine: "str | Engine" = ENGINE
    budget: float | None = BUDGET
    prices: "Mapping[str, Any] | None" = PRICES
    concurrency: Rounds = CONCURRENCY
    limits: "Mapping[str, Any] | None" = LIMITS
    cache: "bool | str | Path" = replace(CACHE, words=bool)
    seed: NonNegative = replace(SEED, detail="Of the settings drawn, and of models that take seeds.")
    seeded: bool = option(False, "Send seeds to remote models too, for endpoints that take them.")
    dry_run: bool = option(False, "Count calls, tokens and cost, and ask nobody.", only="command")
    show_prompts: bool = option(False, "Print every prompt, and ask nobody.", only="command")
    json: bool = JSON
    update: "Callable[[int, int], None]" = replace(UPDATE, help="Called with attempts done and issued.")

    def run(self) -> Any:
        """Have them written, or only count what that takes."""
        if not (self.dry_run or self.show_prompts):
            return super().run()
        return self.call("intent.arena.writing.order.dry_run_writing")


class ChainRequest(
    _OwnFiles, Printing, job="chain", function="intent.arena.chain.run_chain", progress="chain"
):
    """Write strategies (or read published ones), validate them, play their tournaments, let them evolve.

    Prints and leaves tables 3 to 6 of the paper, verdicts on its claims, a page for inspection and a
    summary. Replies of models and matches are kept in the folder: a run that was stopped goes on.
    """

    file: "str | Path" = argument("Chain: a YAML file of models, styles, matches, evolution.", words=Path)
    output: "str | Path" = option(
        inspect.Parameter.empty,
        "Folder for results; that of an earlier run goes on.",
        "-o",
        "--output",
        words=Path,
        positional=True,
    )
    published: "str | Path | None" = option(
        None,
        "Start from published sets (anthropic_default.py, …), not from writing; the paper's numbers then "
        "stand beside ours.",
        "--from",
        words=Path | None,
        metavar="FOLDER",
    )
    keys: Sequence[str] = option(
        (),
        "In place of the file's, as evolution.runs=10.",
        "--set",
        words=list[str] | None,
        metavar="KEY=VALUE",
    )
    salt: str | None = SALT
    engine: str = ENGINE
    workers: Processes = MATCH_WORKERS
    printing = here(Printing)
    json: bool = JSON
    update: "Callable[[int, int], None]" = replace(
        UPDATE, help="Called with steps of a stage done and in all."
    )

    def write_outputs(self, result: Any) -> list[Path]:
        """The summary, in the folder that the job has filled."""
        return [result.path / "summary.md"]


Initial = str | Sequence[int] | Mapping[str, int]
"""Individuals by name, or in the order of the names."""
