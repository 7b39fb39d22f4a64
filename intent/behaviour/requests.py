"""What the jobs of this room need to be told, declared once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError
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
    argument,
    here,
    option,
)
from intent.estimate.requests import CLUSTER
from intent.logs.reading import KEEP_DEFAULTED, LOG, OTHERS, WHERE, Reading

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog

__all__ = ["ExplainRequest", "MetricsRequest", "claim_outputs"]


class MetricsRequest(
    Reading, job="metrics", function="intent.behaviour.metrics.metrics", progress="measuring"
):
    """Measure behaviour: cooperation, niceness, forgiveness, retaliation, emulation, and more.

    One row per agent and game, each metric with its denominator, so that "never" can be told from
    "no occasion"; answers to comprehension questions too.
    """

    log: "GameLog | str | Path" = LOG
    by: str | Sequence[str] = replace(BY, positional=True, flags=("--by",))
    cluster: str | Sequence[str] = CLUSTER
    bootstrap: Positive = BOOTSTRAP
    level: float = LEVEL
    rescore: bool = option(False, "Read and score the answers to questions again.", "--rescore")
    others: str | None = OTHERS
    keep_defaulted: bool = KEEP_DEFAULTED
    reading = here(Reading)
    seed: NonNegative = SEED
    workers: NonNegative = WORKERS
    dask: str | None = DASK
    rows: bool = option(
        True,
        "Whether the rows stay in memory; else, of a large log, only their means do.",
        only="python",
        recorded=False,
        file=False,
    )
    update: Callable[[int, int], None] = replace(UPDATE, file=False)
    output: Sequence[Path] = replace(
        OUTPUTS, help="Metrics (.parquet .csv .jsonl) or means by group (.json); repeatable."
    )
    overwrite: bool = OVERWRITE
    json: bool = JSON

    @property
    def tables(self) -> list[Path]:
        """Those of the outputs that hold rows."""
        return [path for path in self.output if path.suffix != ".json"]

    def run(self) -> Any:
        """Do the job; rows go to the output."""
        return super(MetricsRequest, self.replace(rows=False)).run()

    def claim_outputs(self) -> None:
        """Refuse figures, which metrics have not, and what cannot be written."""
        claim_outputs(self.output, overwrite=self.overwrite, source=self.input_path())

    def write_outputs(self, result: Any) -> list[Path]:
        """Write all but what was written as it was measured."""
        for path in self.output:
            if path != result.streamed:
                result.write(path, overwrite=self.overwrite)
        return list(self.output)


def claim_outputs(outputs: Sequence[Path], *, overwrite: bool, source: Path | None = None) -> None:
    """Make sure, before any work, that results may be written; the log itself is never written over.

    Raises
    ------
    OutputError
        A suffix other than that of a table, or a path that cannot be written.
    """
    from intent.base.job import TABLE_SUFFIXES, check_output

    for path in outputs:
        if path.suffix not in TABLE_SUFFIXES:
            known = ", ".join(TABLE_SUFFIXES)
            raise OutputError(f"cannot write {path}: suffix {path.suffix!r}, expected one of {known}")
        check_output(path, overwrite=overwrite, origin=source)


class ExplainRequest(Printing, job="explain", function="intent.behaviour.explain.explain"):
    """Explain a metric: a random forest, and SHAP importances by feature.

    With them stand the fit on rows left out and how far the ranking
    changes with the forest's seed.
    """

    table: "pd.DataFrame | str | Path" = argument(
        "Metrics by intent metrics, or any table (.parquet .csv .jsonl).", words=Path, metavar="TABLE"
    )
    target: str | Sequence[str] = option(
        ("cooperation_rate",),
        "Metric to explain (repeatable); all: the six of behaviour.",
        "-t",
        "--target",
        words=list[str] | None,
        positional=True,
    )
    features: str | Sequence[str] = option(
        ("attitude", "opponent", "rounds", "game"),
        "What it may depend on.",
        "-f",
        "--features",
        words=list[str] | None,
        metavar="COLUMN[,COLUMN…]",
        positional=True,
        detail="Text and numbers of at most 12 values enter as levels.",
    )
    by: str | Sequence[str] = BY
    where: Mapping[str, Sequence[str]] | None = WHERE
    trees: int = option(10, "Trees of the forest.")
    seeds: int = option(20, "Forests by which stability is judged.")
    with_occasion: bool = option(False, "Leave out rows whose <target>_n is 0.", "--with-occasion")
    seed: NonNegative = SEED
    output: Path | None = option(
        None, "Folder for figures, tables and explain.json.", "-o", "--output", only="command"
    )
    image: str = option("png", "png, svg or pdf.", only="command")
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON

    def claim_outputs(self) -> None:
        """Nothing: files of a folder are claimed one by one."""

    def write_outputs(self, result: Any) -> list[Path]:
        """Write all files into the folder; the result says so."""
        if self.output is not None:
            result.write(self.output, image=self.image, overwrite=self.overwrite)
        return []
