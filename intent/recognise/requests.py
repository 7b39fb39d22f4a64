"""What the jobs of this room need to be told, declared once; that of labels is with them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from intent.base.request import (
    BY,
    JSON,
    OUTPUTS,
    OVERWRITE,
    SEED,
    UPDATE,
    NonNegative,
    Positive,
    Request,
    Within,
    here,
    option,
)
from intent.logs.reading import KEEP_DEFAULTED, LOG, OTHERS, Reading

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["DiscoverRequest", "ProbeRequest"]


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


def _noise(text: str) -> tuple[float, float]:
    from intent.base.errors import UsageError
    from intent.play.dataset import parse_range

    noise = parse_range(text, "--eps")
    if noise is None:
        raise UsageError(f"--eps {text!r}, expected a number or a range such as 0-0.2")
    return noise


class ProbeRequest(Request, job="probe", function="intent.recognise.probe.probe.probe", progress="searching"):
    """Propose the opponent moves that separate a set of strategies best.

    Says how sure the best observer can be after each round, and how many
    rounds it needs; beside a fair coin and other usual opponents.
    """

    strategies: str | Sequence[Any] = option(
        "canonical4", "Set name, or names separated by commas.", "--strategies", words=str, positional=True
    )
    rounds: Positive = option(10, "Length of the sequence.", "--rounds", positional=True)
    eps: float | tuple[float, float] = option(
        0.05,
        "Noise of the player per move, or a range such as 0-0.2: unknown, within it.",
        "--eps",
        words=str,
        parse=_noise,
        positional=True,
    )
    target: float = option(0.99, "Expected accuracy whose rounds are asked for.")
    max_rounds: Positive = option(100, "Rounds after which that is given up.")
    objective: str = option("information", "What is maximised after the last round: information or accuracy.")
    width: Annotated[int, Within(2, None)] = option(
        512, "Sequences compared in each round; 512 are all of ten rounds."
    )
    seed: NonNegative = SEED
    update: Callable[[int, int], None] = UPDATE
    output: Sequence[Path] = OUTPUTS
    json: bool = JSON
    overwrite: bool = OVERWRITE
