"""What the jobs of this room need to be told, declared once; that of labels is with them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from intent.base.request import BY, JSON, OUTPUTS, OVERWRITE, SEED, UPDATE, NonNegative, here, option
from intent.logs.reading import KEEP_DEFAULTED, LOG, OTHERS, Reading

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["DiscoverRequest"]


class DiscoverRequest(
    Reading, job="discover", function="intent.recognise.discovery.discover", progress="discovering"
):
    """Find ways of playing in a log without naming any strategy.

    States of a hidden Markov model, as many as BIC asks for: how each
    answers every outcome, the nearest strategies of the catalogue, who plays it.
    """

    log: "GameLog | str | Path" = LOG
    states: str = option("1-6", "Numbers of states to try.", metavar="K|LOW-HIGH")
    by: str | Sequence[str] = BY
    symbols: int = option(10, "10: moves after R, S, T, P; 14: by an earlier defection of the other too.")
    starts: int = option(12, "Random starts for each number of states.")
    others: str | None = OTHERS
    keep_defaulted: bool = KEEP_DEFAULTED
    reading = here(Reading)
    seed: NonNegative = SEED
    update: Callable[[int, int], None] = UPDATE
    output: Sequence[Path] = replace(
        OUTPUTS,
        help="Figure (.png .svg .pdf), shares by trajectory (.parquet .csv .jsonl), or .json; repeatable.",
    )
    overwrite: bool = OVERWRITE
    json: bool = JSON
