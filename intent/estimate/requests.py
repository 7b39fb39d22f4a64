"""What the jobs of this room need to be told, declared once."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.job import (
    BOOTSTRAP,
    BY,
    DASK,
    JSON,
    LEVEL,
    OUTPUTS,
    OVERWRITE,
    SEED,
    UPDATE,
    WORKERS,
    NonNegative,
    Positive,
    Printing,
    here,
    option,
)
from intent.logs.reading import ENDOWMENT, KEEP_DEFAULTED, KEEP_SCRIPTED, LOG, OTHERS, Reading

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.strategies.sets import Naming

__all__ = [
    "BASELINE",
    "CLUSTER",
    "COVARIATES",
    "EXPLAINED",
    "ContributorsRequest",
    "FitRequest",
    "PredictRequest",
    "SfemRequest",
]

_TREMBLES = ("common", "strategy", "pooled")
_MEMORIES = ("realised", "intended")
_CRITERIA = ("bic", "aic", "icl")

CLUSTER = option(
    (),
    "What is independent, cell for conditions; default: as the design says (sessions, subjects, "
    "conditions that repeat, else games).",
    words=list[str] | None,
    metavar="COLUMN",
)


BASELINE = option(
    (),
    "Shares of people beside the groups: study, study-treatment or study:set; list shows them.",
    words=list[str] | None,
    metavar="NAME",
)


COVARIATES = option(
    (),
    "Columns known before the first move, as model,persona; other_persona: the other player's (repeatable).",
    words=list[str] | None,
    parse=lambda items: tuple(c.strip() for item in items for c in item.split(",") if c.strip()),
    metavar="COLUMN,…",
)


EXPLAINED = option(
    False,
    "Also how much of what can be predicted of the next move these strategies explain.",
    detail="With games left out, beside boosted trees and a table of rates by setting; groups of 30 "
    "independent units or more have a share each.",
)
"""Of every job that estimates shares: `intent.estimate.choice.completeness`."""


class SfemRequest(Reading, Printing, job="sfem", function="intent.estimate.sfem.sfem", progress="bootstrap"):
    """Estimate shares of strategies in a population of subjects (SFEM), with standard errors.

    A finite mixture fitted by maximum likelihood: each subject plays one strategy,
    and trembles with some probability per move.
    """

    log: "GameLog | str | Path" = LOG
    strategies: "Naming | None" = option(
        None,
        "Set name (df2011, rr20, …), names separated by commas, or a file; default: canonical4 and RANDOM.",
        "--strategies",
        words=str | None,
        positional=True,
        detail="A set that is named is fitted as it is; RANDOM keeps play by chance from being a strategy's.",
    )
    by: str | Sequence[str] = BY
    subject: str | Sequence[str] = option(
        (),
        "What is one subject, all its games together: player, else one seat of one game.",
        words=list[str] | None,
        metavar="COLUMN",
        detail="A row without a player is a subject of its own.",
    )
    cluster: str | Sequence[str] = replace(
        CLUSTER, detail="Subjects alike in them are not independent, for errors, bootstrap and tests."
    )
    tremble: str = option(
        "common", "common: one per group; strategy: one per strategy too; pooled: one in all."
    )
    bootstrap: NonNegative = option(
        0,
        "Bootstrap samples for errors; 0: observed information.",
        detail="Also the number of permutations of the test between groups.",
    )
    level: float = LEVEL
    memory: str | None = option(
        None, "What automata remember of their own moves: realised, intended; default: as the set."
    )
    select: str | None = option(None, "Drop strategies from all groups while it improves: bic, aic, icl.")
    explained: bool = EXPLAINED
    baseline: str | Sequence[str] = BASELINE
    test: bool = option(True, "Whether groups are compared by likelihood-ratio tests.", only="python")
    labels: "pd.DataFrame | str | Path | None" = option(
        None,
        "Labels to count beside the estimates; default: made with the same strategies.",
        words=Path | None,
    )
    others: str | None = option(
        None,
        "More than two players: others cooperated if any, majority or all did; count: at least k, "
        "for every k (TFT>=2).",
    )
    contributes_from: float = option(
        0.0, "With --others count: share of the endowment that makes a contributor; 0: any contribution."
    )
    endowment: float | None = ENDOWMENT
    keep_defaulted: bool = KEEP_DEFAULTED
    keep_scripted: bool = KEEP_SCRIPTED
    reading = here(Reading)
    seed: NonNegative = SEED
    workers: NonNegative = WORKERS
    dask: str | None = DASK
    update: Callable[[int, int], None] = UPDATE
    output: Sequence[Path] = OUTPUTS
    posteriors: Path | None = option(
        None, "Where to write the posterior of each subject (.parquet .csv .jsonl).", only="command"
    )
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON

    @property
    def baselines(self) -> tuple[str, ...]:
        """Names of the baselines that are asked for."""
        return (self.baseline,) if isinstance(self.baseline, str) else tuple(self.baseline)

    def run(self) -> Any:
        """Estimate, or list the baselines."""
        if "list" in self.baselines:
            from intent.estimate.baselines import BaselineList

            return BaselineList()
        return super().run()

    def check(self) -> None:
        """Refuse settings that cannot be.

        Raises
        ------
        UnknownNameError
            A tremble, memory, criterion or baseline that does not exist.
        UsageError
            A bootstrap or level that cannot be, or baselines beside strategies against several others.
        """
        from intent.base.job import check_level

        for setting, value, known in (
            ("tremble", self.tremble, _TREMBLES),
            ("memory", self.memory, _MEMORIES),
            ("criterion", self.select, _CRITERIA),
        ):
            if value is not None and value not in known:
                raise UnknownNameError(setting, value, known)
        if self.bootstrap < 0 or self.bootstrap == 1:
            raise UsageError(f"--bootstrap {self.bootstrap}, expected 0 (none) or at least 2")
        check_level(self.level)
        if self.baselines:
            from intent.estimate.baselines import baselines

            baselines(self.baselines)
            if self.others == "count":
                raise UsageError(
                    "--baseline has strategies against one other player: not with --others count"
                )

    def claim_outputs(self) -> None:
        """Also the table of posteriors."""
        super().claim_outputs()
        path = self.posteriors
        if path is None:
            return
        from intent.base.job import TABLE_SUFFIXES, check_output

        check_output(path, overwrite=self.overwrite, origin=self.input_path())
        if path.suffix not in TABLE_SUFFIXES[:3]:
            known = ", ".join(TABLE_SUFFIXES[:3])
            raise OutputError(f"cannot write {path}: posteriors are a table, expected one of {known}")
        if path in self.output:
            raise OutputError(f"{path} is named for the shares and for the posteriors, expected two files")

    def write_outputs(self, result: Any) -> list[Path]:
        """Also the table of posteriors."""
        files = super().write_outputs(result)
        if self.posteriors is not None:
            files.append(result.write_posteriors(self.posteriors, overwrite=self.overwrite))
        return files


class PredictRequest(
    Reading, Printing, job="predict", function="intent.estimate.choice.prediction.predict", progress="fits"
):
    """Say which account of behaviour predicts the next move best, and how much each explains.

    Models of choice are fitted to a part of the log and predict the rest, from base rates
    over strategies and types with free responses to boosted trees, which say how much
    can be predicted at all. Types of the best readable model are described.
    """

    log: "GameLog | str | Path" = LOG
    models: str | Sequence[str] = option(
        (),
        "Models, as memory-two:8 or automata:df2011; @none after one keeps the covariates from it "
        "(repeatable).",
        words=list[str] | None,
        metavar="MODEL[,MODEL…]",
        detail="By default the base rate, rates by round, automata, memory-one, memory-two and a logit; with "
        "covariates also rates and a logit by setting, and automata and types that know none of them.",
    )
    covariates: str | Sequence[str] = COVARIATES
    held_out: str | Sequence[str] = option(
        ("game",),
        "What is predicted by models that never met it: game (default), player, condition, or columns.",
        words=list[str] | None,
        metavar="UNIT",
    )
    folds: Positive = option(5, "Parts of the log, each of them held out in turn.")
    ceiling: str | Sequence[str] = option(
        ("trees",),
        "Flexible models, the best of which says how much can be predicted; default: trees; none: without.",
        words=list[str] | None,
        metavar="MODEL[,MODEL…]",
    )
    by: str | Sequence[str] = replace(BY, detail="Each group's moves are scored apart; models are of all.")
    subject: str | Sequence[str] = option(
        (),
        "What is one subject, all its games together: player, else one seat of one game.",
        words=list[str] | None,
        metavar="COLUMN",
    )
    stack: bool = option(
        False, "Add a stack of all models, and the one that each training part chooses; twice the time."
    )
    checks: NonNegative = option(
        100, "Plays simulated from the best readable model, to set beside the log; 0: none."
    )
    level: float = LEVEL
    others: str | None = OTHERS
    keep_defaulted: bool = KEEP_DEFAULTED
    keep_scripted: bool = KEEP_SCRIPTED
    reading = here(Reading)
    seed: NonNegative = SEED
    workers: NonNegative = WORKERS
    dask: str | None = DASK
    keep: "str | Path | None" = option(
        None,
        "Folder that holds every fit that is done; with it a run that was stopped goes on.",
        words=Path | None,
        recorded=False,
        file=False,
    )
    update: Callable[[int, int], None] = UPDATE
    output: Sequence[Path] = OUTPUTS
    figures: Path | None = option(
        None, "Folder for all figures: losses, rounds, types, checks.", only="command"
    )
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON

    def interrupted(self) -> tuple[str, ...]:
        """Where it goes on."""
        if self.keep is None:
            return ("nothing of it is left; with --keep FOLDER a run that is stopped goes on",)
        return (f"the fits that are done stand in {self.keep}; the same command goes on with them",)

    def claim_outputs(self) -> None:
        """Also the folder of figures."""
        super().claim_outputs()
        if self.figures is not None:
            from intent.base.outputs import claim

            claim(self.figures, overwrite=True, into=True)

    def write_outputs(self, result: Any) -> list[Path]:
        """Also the figures."""
        files = super().write_outputs(result)
        if self.figures is not None:
            files += result.write_figures(self.figures, overwrite=self.overwrite)
        return files


class FitRequest(Reading, job="fit", function="intent.estimate.choice.fit.fit_model", progress="fitting"):
    """Fit one model of choice to a log, show its parameters and types, and save it.

    The folder labels logs (intent label -r FOLDER) and plays (scripted/FOLDER in intent play).
    """

    log: "GameLog | str | Path" = LOG
    model: str = option(
        "memory-two",
        "Its name, as memory-two:8 (8 types); intent predict compares them.",
        "-m",
        "--model",
        positional=True,
        metavar="NAME[:SIZE]",
    )
    covariates: Sequence[str] = COVARIATES
    subject: str | Sequence[str] = option(
        (),
        "What is one subject, all its games together: player, else one seat of one game.",
        words=list[str] | None,
        metavar="COLUMN",
    )
    others: str | None = OTHERS
    keep_defaulted: bool = KEEP_DEFAULTED
    keep_scripted: bool = KEEP_SCRIPTED
    reading = here(Reading)
    seed: NonNegative = SEED
    update: Callable[[int, int], None] = UPDATE
    output: "str | Path | None" = option(
        None, "Folder for the fitted model; None: it is only shown.", "-o", "--output", words=Path | None
    )
    overwrite: bool = replace(OVERWRITE, only="")
    json: bool = JSON

    def claim_outputs(self) -> None:
        """The folder."""
        from intent.base.outputs import claim

        if self.output is not None:
            claim(self.output, overwrite=self.overwrite)

    def write_outputs(self, result: Any) -> list[Path]:
        """Nothing: the job saves the folder."""
        return []


class ContributorsRequest(
    Reading,
    Printing,
    job="contributors",
    function="intent.estimate.contributors.contributors",
    progress="subjects",
):
    """Tell free riders, unconditional and conditional cooperators apart in public goods games.

    Each subject by the rules of Fischbacher and Gächter, with the statistics behind
    them and what else would fit; and all together as a mixture of types.
    """

    log: "GameLog | str | Path" = LOG
    by: str | Sequence[str] = replace(BY, positional=True, flags=("--by",))
    subject: str | Sequence[str] = option(
        (),
        "What is one subject, all its games together: player, else one seat.",
        words=list[str] | None,
        metavar="COLUMN",
    )
    same_round: bool = option(
        False,
        "Contributions answer the others' of the same round.",
        "--same-round",
        detail="For logs of the strategy method, where a subject answers a given mean.",
    )
    rules: Any = option(
        None,
        "Thresholds of the rules that differ from their defaults, by name, or `contributor_rules.Rules`.",
        only="python",
    )
    endowment: float | None = ENDOWMENT
    correlation: str = option("pearson", "pearson or spearman.", only="command")
    strength: float = option(0.5, "Correlation that makes a conditional cooperator.", only="command")
    alpha: float = option(0.05, "Level of the permutation tests.", only="command")
    tolerance: float = option(
        0.1, "Share of rounds in which who gives nothing, or always the same, may slip.", only="command"
    )
    span: float = option(0.1, "Least range of the others' mean, of the endowment.", only="command")
    gap: float = option(
        0.25, "Difference, of the endowment, that tells a flat player from a follower.", only="command"
    )
    contrast: int = option(2, "Rounds in which that must show.", only="command")
    min_rounds: int = option(6, "Rounds below which nothing is said.", only="command")
    permutations: int = option(1999, "Orders drawn for a p value.", only="command")
    bootstrap: Positive = replace(
        BOOTSTRAP, default=1000, detail="They resample games (or the subjects that play several)."
    )
    level: float = LEVEL
    keep_defaulted: bool = KEEP_DEFAULTED
    keep_scripted: bool = KEEP_SCRIPTED
    reading = here(Reading)
    seed: NonNegative = SEED
    update: Callable[[int, int], None] = UPDATE
    output: Sequence[Path] = OUTPUTS
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON
