"""What labelling a log needs to be told, declared once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from intent.base.defaults import BACKGROUND, DEFAULT_RECOGNISER
from intent.base.errors import OutputError, UsageError
from intent.base.job import (
    DASK,
    JSON,
    OUTPUT,
    OVERWRITE,
    SEED,
    UPDATE,
    WORKERS,
    NonNegative,
    Printing,
    Probability,
    Request,
    here,
    option,
    parse_pairs,
)
from intent.base.registry import load, point
from intent.logs.reading import KEEP_DEFAULTED, KEEP_SCRIPTED, LOG, OTHERS, REJECTS, Reading

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.recognise.recogniser import Recogniser
    from intent.strategies.sets import Naming

__all__ = ["LOG_RECOGNISER", "ROWS", "LabelRequest"]

ROWS = 1 << 17
"""Rows of labels that are read at a time."""

LOG_RECOGNISER = option(
    None,
    "For a log: shipped name or saved folder.",
    "-r",
    "--recogniser",
    words=str | None,
    positional=True,
)


def _eps(text: str) -> float | str:
    try:
        return text if text in ("integrate", "estimate") else float(text)
    except ValueError:
        raise UsageError(f"--eps {text!r}, expected a number in [0, .5), integrate or estimate") from None


def _eps_prior(text: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(part) for part in text.split("," if "," in text else "-"))
    except ValueError:
        numbers = ()
    if len(numbers) not in (2, 3):
        raise UsageError(f"--eps-prior {text!r}, expected LOW-HIGH or A,B,SCALE")
    return numbers


def _prior(text: str) -> dict[str, float] | str:
    if text == "sfem":
        return text
    pairs = parse_pairs(text.split(","), "--prior")
    try:
        return {name: float(values[-1]) for name, values in pairs.items()}
    except ValueError:
        expected = "expected STRATEGY=PROBABILITY, separated by commas, or sfem"
        raise UsageError(f"--prior {text!r}, {expected}") from None


def _conformal_eps(text: str) -> tuple[float, float]:
    from intent.play.dataset import number_range

    return number_range(text, "--conformal-eps")


class LabelRequest(
    Reading, Printing, job="label", function="intent.recognise.labels.label.label_log", progress="labelling"
):
    """Label every agent of a log with the strategy it played, and say how sure that is."""

    log: "GameLog | str | Path" = LOG
    recogniser: "Recogniser | str | Path" = option(
        DEFAULT_RECOGNISER,
        "Shipped name or saved folder; several: A,B,….",
        "-r",
        "--recogniser",
        words=str,
        positional=True,
        recorded=False,
        detail="Here also a fitted recogniser, and one only.",
    )
    strategies: "Naming | None" = option(
        None,
        "Label by the exact Bayes rule of this set (df2011), or of a file of your own, instead.",
        words=str | None,
        recorded=False,
    )
    eps: float | str | None = option(
        None,
        "Noise that a recogniser that can be told it assumes: a number, integrate, or estimate.",
        words=str | None,
        parse=_eps,
        recorded=False,
        detail="Default: what it was saved with (.05 for the shipped Bayes ones).",
    )
    eps_by: Sequence[str] = option(
        (),
        "With --eps estimate: one eps per group of these columns.",
        words=list[str] | None,
        recorded=False,
    )
    eps_prior: tuple[float, ...] | None = option(
        None,
        "With --eps integrate: LOW-HIGH (uniform) or A,B,SCALE (Beta on [0, SCALE]).",
        words=str | None,
        parse=_eps_prior,
        recorded=False,
        detail="Default: uniform on [0, .2].",
    )
    prior: Mapping[str, float] | Literal["sfem"] | None = option(
        None,
        "Prior of a bayes recogniser: ALLC=0.2,TFT=0.5,…, or sfem (shares estimated from the log).",
        words=str | None,
        parse=_prior,
        recorded=False,
        detail="Default: what it was saved with (uniform for the shipped). One that does not name RANDOM "
        "says how the strategies share what RANDOM leaves them.",
    )
    background: bool = option(
        BACKGROUND,
        "Whether RANDOM competes with the strategies; play that it explains best is no_fit.",
        "--background/--no-background",
    )
    per: str = option("game", "One row for each game of a player, or one for all of them: game, player.")
    conformal: float | None = option(
        None, "Add sets of strategies that hold the true one so often, such as 0.95.", metavar="COVERAGE"
    )
    conformal_eps: float | tuple[float, float] | None = option(
        None,
        "Noise for which that holds; default: what the recogniser assumes, else 0-0.2.",
        words=str | None,
        parse=_conformal_eps,
        metavar="EPS|LOW-HIGH",
    )
    threshold: Probability = option(0.9, "Posterior that a confident label needs.")
    alpha: Probability = option(0.01, "Level of the test of fit.")
    others: str | None = OTHERS
    keep_defaulted: bool = KEEP_DEFAULTED
    keep_scripted: bool = KEEP_SCRIPTED
    hybrid: bool = option(False, "Add labels of the rules where the recogniser is not sure.", only="command")
    rules: str = option(
        "expand",
        "With --hybrid: expand (all rules that apply) or priority (the first).",
        only="command",
    )
    reading = here(Reading)
    rejects: Path | None = REJECTS
    seed: NonNegative = SEED
    coin: bool = option(
        True,
        "Whether the summary says what fair coins would get in these games.",
        only="python",
        recorded=False,
    )
    rows: bool = option(
        True,
        "Whether the labels are kept as a table in memory, or their counts alone.",
        only="python",
        recorded=False,
        file=False,
    )
    update: Callable[[int, int], None] = replace(UPDATE, file=False)
    workers: NonNegative = replace(WORKERS, only="command")
    dask: str | None = replace(DASK, only="command")
    output: Path | None = OUTPUT
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON

    def of_command(self) -> Request:
        """Labels by several recognisers where it names several (group ``intent.jobs``); else its counts."""
        if self.strategies is not None and self.changed(("recogniser",)):
            raise UsageError("--strategies labels by the set itself; leave out --recogniser")
        names = str(self.recogniser)
        if "," not in names or Path(names).is_dir():
            return self.replace(rows=False)
        several = point("intent.jobs", "agreement")
        assert several is not None
        request: Request = load(several).of_labels(self)
        return request

    def claim_outputs(self) -> None:
        """Refuse outputs that cannot be written, or that are part of the log; and what has no meaning alone.

        Raises
        ------
        OutputError, UsageError
        """
        if self.conformal_eps is not None and self.conformal is None:
            raise UsageError("--conformal-eps needs --conformal, such as --conformal 0.95")
        self.claim_tables()

    def claim_tables(self) -> None:
        """Refuse tables that cannot be written, or that are part of the log.

        Raises
        ------
        OutputError
        """
        from intent.base.tables import claim_table
        from intent.logs.stores import is_part

        source = self.input_path()
        for path in (self.output, self.rejects_path()):
            if path is None:
                continue
            claim_table(path, overwrite=self.overwrite)
            if source is not None and is_part(path, source):
                what = "part of the log" if source.is_dir() else "the log"
                raise OutputError(f"cannot write {path}: it is {what} that is read")

    def rejects_path(self) -> Path | None:
        """Where rejected rows go: beside the labels (``labels.rejects.csv``) unless a path is set."""
        beside = self.output and self.output.with_name(f"{self.output.stem}.rejects.csv")
        return self.rejects or beside

    def write_outputs(self, result: Any) -> list[Path]:
        """The labels, unless they were written as they were made, and the rejected rows."""
        files = []
        if self.output is not None:
            files.append(getattr(result, "path", None) or result.write(self.output, overwrite=self.overwrite))
        rejects = result.write_rejects(self.rejects_path(), overwrite=self.overwrite)
        return files if rejects is None else [*files, rejects]
