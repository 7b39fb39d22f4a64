"""What the jobs of this room need to be told, declared once."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from intent.base.request import (
    BY,
    DASK,
    JSON,
    OUTPUTS,
    OVERWRITE,
    SEED,
    WORKERS,
    NonNegative,
    argument,
    here,
    option,
)
from intent.logs.reading import KEEP_DEFAULTED, OTHERS, Reading
from intent.recognise.labels.request import LOG_RECOGNISER, ROWS

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.recognise.recogniser import Recogniser

__all__ = ["SweepRequest"]


class SweepRequest(Reading, job="sweep", function="intent.comparison.sweep.sweep"):
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
    gate: str = option("trajectory", "trajectory, or game: keep a game where all labelled seats get a label.")
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
    reading = here(Reading)
    seed: NonNegative = SEED
    workers: NonNegative = WORKERS
    dask: str | None = DASK
    piece: int = option(ROWS, "Rows of labels that are read at a time.", only="python")
    output: Sequence[Path] = OUTPUTS
    overwrite: bool = OVERWRITE
    json: bool = JSON
