"""What the jobs of this room need to be told, declared once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from intent.base.errors import UsageError
from intent.base.job import (
    BOOTSTRAP,
    BY,
    DASK,
    JSON,
    LEVEL,
    OUTPUT,
    OUTPUTS,
    OVERWRITE,
    SEED,
    UPDATE,
    WORKERS,
    NonNegative,
    Positive,
    Printing,
    Within,
    argument,
    here,
    option,
    parse_pairs,
)
from intent.estimate.requests import BASELINE, EXPLAINED
from intent.logs.reading import KEEP_DEFAULTED, KEEP_SCRIPTED, OTHERS, Reading
from intent.recognise.labels.request import LOG_RECOGNISER, ROWS

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.recognise.recogniser import Recogniser
    from intent.strategies.sets import Naming

__all__ = ["CompareRequest", "PowerRequest", "SweepRequest"]


class SweepRequest(Reading, Printing, job="sweep", function="intent.comparison.sweep.sweep"):
    """Sweep the threshold of labels: retention, mean confidence, diversity.

    Model-only labels and hybrid ones, which take the rules' where the
    recogniser is below the threshold, stand side by side.
    """

    source: "pd.DataFrame | GameLog | str | Path" = argument(
        "A game log, or labels made by intent label (.parquet …).", words=Path, metavar="FILE"
    )
    recogniser: "Recogniser | str | None" = LOG_RECOGNISER
    tau: str | Sequence[float] = option(
        ".3-.95:.05",
        "Thresholds of the label's probability.",
        words=str,
        metavar="LOW-HIGH:STEP|X,Y,…",
    )
    gate: str = option(
        "trajectory", "trajectory, or game: keep a game where all seats that count get a label."
    )
    by: str | Sequence[str] = BY
    rules: str = option("expand", "Rule labels below the threshold: expand (all) or priority (the first).")
    split: bool = option(
        True,
        "Count each of several rule labels fully, not in shares.",
        "--full",
        words=bool,
        parse=lambda full: not full,
        detail="Here the other way round: whether they share one trajectory.",
    )
    others: str | None = OTHERS
    keep_defaulted: bool = KEEP_DEFAULTED
    keep_scripted: bool = KEEP_SCRIPTED
    reading = here(Reading)
    seed: NonNegative = SEED
    workers: NonNegative = WORKERS
    dask: str | None = DASK
    piece: int = option(ROWS, "Rows of labels that are read at a time.", only="python")
    output: Sequence[Path] = OUTPUTS
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON


class CompareRequest(
    Reading, Printing, job="compare", function="intent.comparison.compare.compare", progress="explained"
):
    """Compare strategy shares, or the mean of a metric, between groups.

    Shares are estimated from the play, not counted from labels: counted labels
    also change with noise and opponents. Intervals and tests take as
    independent what the design drew: subjects, conditions or games.
    """

    reading = here(Reading)
    table: "pd.DataFrame | GameLog | str | Path | None" = option(
        None,
        "Labels, metrics, any table (Parquet, CSV, JSONL, .gz), a game log, or the folder of a run.",
        words=Path | None,
        metavar="FILE",
        positional=True,
        recorded=False,
        file=False,
    )
    by: str | Sequence[str] = replace(BY, flags=("--by",), positional=True)
    count: str | None = option(
        None,
        "estimate (default): shares by maximum likelihood from the play, each group with its own noise; "
        "or labels counted: status (uncertain ones apart), posterior, split (ties shared), best.",
        detail="With a gate the default is status.",
    )
    metric: str | None = option(
        None,
        "Compare the mean of this numeric column instead of shares.",
        detail="Of a log, one of its metrics.",
    )
    gate: str | None = option(
        None,
        "game: only games in which all seats that count are confident; trajectory: only confident labels.",
    )
    cluster: str | Sequence[str] | None = option(
        None,
        "Rows alike in these columns are not independent; cell: conditions. By default as the design "
        "says: subjects who return, conditions that repeat, else games.",
        words=list[str] | None,
        metavar="COLUMN",
    )
    within: str | Sequence[str] = option(
        "auto",
        "Compare at equal values of these columns too; auto: all of the design that vary; none.",
        words=str,
        metavar="COLUMN[,COLUMN…]",
    )
    pairwise: bool = option(False, "Test every two groups too.", "--pairwise")
    model: bool = option(False, "All factors together: a logit of which strategy is played.", "--model")
    interactions: Sequence[str] = option(
        (), "Interactions that the model has (repeatable).", words=list[str] | None, metavar="A:B"
    )
    sensitivity: bool = option(
        False, "How results hang on threshold, noise, prior, ties.", "--sensitivity", detail="Of labels."
    )
    indices: bool = option(False, "The four indices of how steady behaviour is, by one column.", "--indices")
    explained: bool = EXPLAINED
    baseline: str | Sequence[str] = BASELINE
    background: bool | None = option(
        None,
        "Whether RANDOM competes for play (by default, as the labels were made).",
        "--background/--no-background",
    )
    log: "GameLog | str | Path | None" = option(
        None, "The log behind the labels, where it is not at its old place.", words=Path | None, file=False
    )
    recogniser: "Recogniser | str | None" = replace(LOG_RECOGNISER, positional=False, file=False)
    others: str | None = OTHERS
    keep_defaulted: bool = KEEP_DEFAULTED
    keep_scripted: bool = KEEP_SCRIPTED
    bootstrap: Positive = BOOTSTRAP
    permutations: Annotated[int | None, Within(0, None)] = option(
        None,
        "Permutations (or draws) per test, 0 for none; by default until p is clear of alpha.",
    )
    level: float = LEVEL
    seed: NonNegative = SEED
    update: Callable[[int, int], None] = UPDATE
    output: Sequence[Path] = replace(
        OUTPUTS,
        help="Figure (.png .svg .pdf), table (.csv .parquet .jsonl .json) or LaTeX (.tex); repeatable.",
    )
    figure: str = option(
        "auto", "Kind of figure: auto, bars, stacked, ribbons, heatmap, points.", only="command"
    )
    methods: str | None = option(
        None, "Write a methods text with citations; - prints it.", metavar="FILE|-", only="command"
    )
    bib: Path | None = option(None, "Write the works of the methods text as BibTeX.", only="command")
    printing = here(Printing)
    json: bool = JSON
    overwrite: bool = OVERWRITE

    @property
    def lists_baselines(self) -> bool:
        """Whether the command line asks what baselines there are."""
        return "list" in self.baseline

    def run(self) -> Any:
        """Compare, or list the baselines."""
        if self.lists_baselines:
            from intent.estimate.baselines import BaselineList

            return BaselineList()
        result = super().run()
        return result.with_methods() if self.methods == "-" else result

    def claim_outputs(self) -> None:
        """Also of texts: LaTeX, methods and works.

        Raises
        ------
        OutputError
            As `Request.claim_outputs`.
        UsageError
            A methods text on the standard output beside JSON.
        """
        from intent.base.job import check_output, check_text

        if self.lists_baselines:
            super().claim_outputs()
        if self.lists_baselines or self.table is None:
            return
        for path in self.output:
            check_output(path, overwrite=self.overwrite, origin=self.input_path(), texts=(".tex",))
        for text in self._texts():
            check_text(text, overwrite=self.overwrite)
        if self.json and self.methods == "-":
            raise UsageError("--json prints one object and nothing else, expected --methods FILE")

    def write_outputs(self, result: Any) -> list[Path]:
        """The files of the result, then the methods text and the works."""
        from intent.base.job import write_text

        if self.lists_baselines:
            return [result.write(path, overwrite=self.overwrite) for path in self.output]
        for path in self.output:
            result.write(path, figure=self.figure, overwrite=self.overwrite)
        if self.methods is not None and self.methods != "-":
            write_text(result.methods() + "\n", self.methods, overwrite=self.overwrite)
        if self.bib is not None:
            write_text(result.bibliography(), self.bib, overwrite=self.overwrite)
        return [*self.output, *self._texts()]

    def _texts(self) -> list[Path]:
        return [Path(text) for text in (self.methods, self.bib) if text is not None and str(text) != "-"]


def _numbers(flag: str, kind: type, text: str) -> list[Any]:
    """Numbers separated by commas."""
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{flag} {text!r}, expected numbers separated by commas") from None


def _shares(items: list[str]) -> dict[str, float]:
    shares = {}
    for name, values in parse_pairs(items, "--base", "STRATEGY=SHARE").items():
        try:
            (shares[name],) = map(float, values)
        except ValueError:
            raise UsageError(f"--base {name}={values[-1]}, expected one share per strategy") from None
    return shares


class PowerRequest(Reading, job="power", function="intent.comparison.power.power", progress="planning"):
    """Plan games and rounds: the power to see a difference between two groups.

    Whole studies of the design are played and compared as intent compare does;
    the number of games that is recommended is played once more.
    """

    context: ClassVar = {"ignore_unknown_options": True}  # a negative difference looks like an option

    difference: float = argument("Between two groups, in a share (or a mean).", words=float)
    strategy: str = option("TFT", "Whose share differs.")
    strategies: "Naming" = option(
        "canonical4", "Set name, names separated by commas, or a file (.yaml, .py).", words=str
    )
    base: Mapping[str, float] | None = option(
        None,
        "True shares of the first group (repeatable).",
        words=list[str] | None,
        parse=_shares,
        metavar="STRATEGY=SHARE",
        detail="Default: the pilot's, else equal shares of the set.",
    )
    rounds: Sequence[int] | None = option(
        None,
        "Rounds per game: 5,10,20, or the pilot's.",
        words=str | None,
        parse=partial(_numbers, "--rounds", int),
        metavar="N,N,…",
    )
    games: Sequence[int] = option(
        (50, 100, 200, 500),
        "Games per group.",
        words=str,
        parse=partial(_numbers, "--games", int),
        metavar="N,N,…",
    )
    targets: Sequence[float] = option(
        (0.8, 0.9),
        "Powers to reach.",
        "--power",
        words=str,
        parse=partial(_numbers, "--power", float),
        metavar="P,P,…",
    )
    alpha: float = option(0.05, "Level of the test.")
    eps: float | None = option(None, "Noise of the players per move: .05, or the pilot's.")
    opponent: str | None = option(
        None,
        "self (players meet each other), or whom they meet, as in intent generate.",
        detail="Default: as in the pilot, else self.",
    )
    count: str = option("estimate", "How groups are compared: estimate, status, posterior or best.")
    seats: int | None = option(None, "Labelled seats per game: 2 where players meet each other, else 1.")
    icc: float | None = option(None, "Correlation of the strategies of a game's seats: 0, or the pilot's.")
    repeats: int | None = option(None, "Games of each condition: 1, or the pilot's.")
    spread: float | None = option(None, "Correlation of games of one condition: .25, or the pilot's.")
    games_per_subject: int | None = option(None, "Games of each subject: 1, or the pilot's.")
    design_effect: float | None = option(None, "In place of --icc, or of --spread with --repeats; of means.")
    metric: str | None = option(None, "A mean differs: this number's.")
    sd: float | None = option(None, "Standard deviation of the metric over rows.")
    pilot: "pd.DataFrame | GameLog | str | Path | None" = option(
        None,
        "Log, labels or metrics of a pilot study, for all that is not said.",
        words=Path | None,
        recorded=False,
    )
    by: str | Sequence[str] = BY
    cluster: Sequence[str] | None = option(
        None,
        "What is independent in the pilot, in place of what its design says.",
        words=list[str] | None,
        metavar="COLUMN",
    )
    reading = here(Reading)
    simulate: int = option(0, "Studies played for each number of --games.")
    check: int = option(200, "Studies played of the number that is recommended.")
    most: int = option(20_000, "Games per group up to which numbers are looked for.")
    workers: NonNegative = replace(WORKERS, shown=0, detail="Results do not depend on it.")
    seed: NonNegative = SEED
    update: Callable[[int, int], None] = UPDATE
    output: Path | None = OUTPUT
    json: bool = JSON
    overwrite: bool = OVERWRITE

    def input_path(self) -> Path | None:
        """The file or folder of the pilot."""
        return Path(self.pilot) if isinstance(self.pilot, str | Path) else None
