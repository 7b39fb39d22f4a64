"""What the jobs of this room need to be told, declared once; that of labels is with them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import UsageError
from intent.base.job import (
    BY,
    DASK,
    JSON,
    OUTPUT,
    OUTPUTS,
    OVERWRITE,
    SEED,
    UPDATE,
    WORKERS,
    NonNegative,
    Positive,
    Printing,
    Setting,
    Within,
    argument,
    here,
    option,
    parse_pairs,
)
from intent.logs.reading import KEEP_DEFAULTED, KEEP_SCRIPTED, LOG, OTHERS, Reading

if TYPE_CHECKING:
    from intent.base.tracking import Tracker
    from intent.logs.gamelog import GameLog
    from intent.play.dataset import DatasetSpec
    from intent.recognise.recogniser import Recogniser
    from intent.recognise.study.plan import StudySpec
    from intent.strategies.sets import Naming

__all__ = ["DiscoverRequest", "EvaluateRequest", "ProbeRequest", "StudyRequest", "TrainRequest"]


def _kinds(items: list[str]) -> list[str]:
    return [kind.strip() for item in items for kind in item.split(",") if kind.strip()]


def _parameters(items: list[str]) -> dict[str, Any]:
    """``NAME=VALUE`` options as name -> value: JSON where it is, else text."""
    from intent.base.files import json_value

    values: dict[str, Any] = {}
    for name, texts in parse_pairs(items, "--param", "NAME=VALUE").items():
        try:
            values[name] = json_value(texts[-1])
        except (ValueError, RecursionError):
            values[name] = texts[-1]
    return values


class TrainRequest(Reading, job="train", function="intent.recognise.train.training", progress="training"):
    """Train recognisers and save them; logistic and forest by default.

    Kinds: bayes, logistic, forest, mlp, hmm, lstm, sfem, rules, hybrid, calibrated.
    The lstm learns from fresh play without end where the data are a spec.
    """

    data: "DatasetSpec | GameLog | str | Path" = replace(
        argument("Dataset spec (shipped name or YAML) or labelled log.", words=str),
        detail="A log without labels will do for kinds that need none (sfem), without accuracy and regret.",
    )
    models: Sequence[str] = option(
        ("logistic",),
        "Kinds, repeated or separated by commas.",
        "-m",
        "--model",
        words=list[str] | None,
        parse=_kinds,
        positional=True,
        shown=[],
    )
    parameters: Mapping[str, Any] | None = option(
        None,
        "Parameter of the models; a wrong name lists them.",
        "-p",
        "--param",
        words=list[str] | None,
        parse=_parameters,
        metavar="NAME=VALUE",
        detail="Each takes those that it has. One that needs to be told its ``strategies`` gets those of the "
        "data.",
    )
    strategies: "Naming | None" = option(
        None,
        "Set of classes, or its file: plays the spec in place of its own, or says what a log's names mean.",
        words=str | None,
    )
    calibrate: str | None = option(
        None, "Calibrate on a quarter of the play: temperature or isotonic.", metavar="METHOD"
    )
    test_share: Annotated[float, Within(0.01, 0.9)] = option(0.2, "Held-out share of a log's settings.")
    output: "str | Path | None" = option(
        None,
        "Folder for the recognisers.",
        "-o",
        "--output",
        words=Path,
        shown=Path("recognisers"),
        detail="Each is saved to ``output/<kind>-<data name>``, a calibrated one to "
        "``output/<kind>-<method>-<data name>``. None: nothing is saved.",
    )
    no_track: bool = option(False, "Do not record the runs in MLflow.", only="command")
    tracking: str | None = option(None, "MLflow tracking URI or SQLite file.", only="command")
    experiment: str = option("intent", "MLflow experiment.", only="command")
    tracker: "Tracker | None" = option(None, "Records the runs; default: none.", only="python")
    resume: bool = option(
        False,
        "Go on from the checkpoint of a training that was cut off.",
        detail="It is ``output/<name>.ckpt``, which recognisers that learn step by step write.",
    )
    reading = here(Reading)
    seed: NonNegative = replace(SEED, detail="Of the split and of the recognisers' own.")
    overwrite: bool = replace(OVERWRITE, only="")
    json: bool = JSON
    update: Callable[[int, int], None] = UPDATE

    def of_command(self) -> "TrainRequest":
        """The runs are tracked; a forest is trained, too, where no kind is named."""
        from intent.base.tracking import NullTracker, default_tracker

        models = self.models if self.changed(("models",)) else ("logistic", "forest")
        tracker = (
            NullTracker()
            if self.no_track
            else default_tracker(self.tracking or None, experiment=self.experiment)
        )
        return self.replace(models=models, tracker=tracker)

    def claim_outputs(self) -> None:
        """Nothing: the job claims the folders once it knows their names."""

    def write_outputs(self, result: Any) -> list[Path]:
        """Nothing: each recogniser is saved as soon as it is fitted, and the table says where."""
        return []

    def interrupted(self) -> Iterator[str]:
        """Whether there is a checkpoint to go on from."""
        if self.output is not None and any(Path(self.output).glob("*.ckpt")):
            where = f"the training so far is kept in {self.output}"
            yield f"{where}; the same command with --resume goes on from it"


class EvaluateRequest(Reading, Printing, job="evaluate", function="intent.recognise.evaluate.evaluation"):
    """Measure a recogniser on a log whose strategies are known, against the exact ceiling.

    With -o FILE, how reliable its probabilities are: a diagram (.png, .svg, .pdf) or a table (.csv, .json).
    """

    recogniser: "Recogniser | str | Path | None" = Setting(
        "Shipped name or saved folder.",
        flags=("-r", "--recogniser"),
        words=str,
        positional=True,
        shown=DEFAULT_RECOGNISER,
        recorded=False,
        detail="Here also a fitted recogniser, or None with `strategies`.",
    )  # type: ignore[assignment]
    log: "GameLog | str | Path" = LOG
    strategies: "Naming | None" = option(
        None, "Measure the exact Bayes rule of this set, or file of one, instead.", words=str | None
    )
    ceiling: Literal["auto", "known", "integrated"] = option(
        "auto",
        "The rule to compare with: auto (knows the play's own noise), known (the eps of each "
        "trajectory), integrated (only that eps is in 0-0.2).",
        words=str,
    )
    reading = here(Reading)
    output: "str | Path | None" = replace(OUTPUT, words=Path | None, only="")
    per_class: bool = option(False, "Reliability of every class, beside the most probable one.")
    printing = here(Printing)
    overwrite: bool = replace(OVERWRITE, only="")
    json: bool = JSON


class StudyRequest(Printing, job="study", function="intent.recognise.study.run.study", progress="study"):
    """Measure how recognisers hold up under noise, length, opponents and mismatched training.

    Trained models and measured cells are kept in the folder: a run that was stopped goes on, and a changed
    study computes only what changed.
    """

    spec: "StudySpec | str | Path" = argument(
        "Study: a YAML file of recognisers, training and points.", words=Path, metavar="file"
    )
    output: "str | Path" = Setting(
        "Folder for results; that of an earlier run goes on.",
        flags=("-o", "--output"),
        words=Path,
        positional=True,
    )  # type: ignore[assignment]
    only: Mapping[str, Sequence[str]] | None = option(
        None,
        "Run a part: group, recogniser, kind, set, train_size, train_noise, opponent, rounds, noise "
        "(repeat: same column OR, others AND).",
        words=list[str] | None,
        parse=lambda items: parse_pairs(items, "--only"),
        metavar="COLUMN=VALUE",
    )
    workers: NonNegative = replace(
        WORKERS,
        detail="The result does not depend on it (networks may differ in the last digits between machines).",
    )
    dask: str | None = replace(
        DASK, detail="Its workers need the output folder, and `logs`, under the same path as here."
    )
    logs: "str | Path | None" = option(
        None,
        "Folder of public logs, for opponents recorded there.",
        "--data",
        words=Path | None,
        envvar="INTENT_DATA",
        detail="Without it they are left out.",
    )
    dry_run: bool = option(False, "Only count what there is to do.")
    tracking: str | None = option(
        None,
        "MLflow URI or SQLite file to record the study in, with a run for each recogniser within its own.",
        only="command",
    )
    experiment: str = option("intent", "MLflow experiment.", only="command")
    tracker: "Tracker | None" = option(None, "Records the study; default: none.", only="python")
    printing = here(Printing)
    json: bool = JSON
    update: Callable[[int, int], None] = UPDATE

    def of_command(self) -> "StudyRequest":
        """The study is tracked where a store is named."""
        from intent.base.tracking import make_tracker

        return self.replace(tracker=make_tracker(self.tracking, self.experiment))

    def claim_outputs(self) -> None:
        """Nothing: the job goes on with a folder of its own."""

    def write_outputs(self, result: Any) -> list[Path]:
        """Nothing: the job fills the folder as it goes."""
        return []


class DiscoverRequest(
    Reading, Printing, job="discover", function="intent.recognise.discovery.discover", progress="discovering"
):
    """Find ways of playing in a log without naming any strategy.

    States of a hidden Markov model, as many as BIC asks for: how each
    answers every outcome, the nearest strategies of the catalogue, who plays it.
    """

    log: "GameLog | str | Path" = LOG
    states: str = option("1-6", "Numbers of states to try.", metavar="K|LOW-HIGH")
    by: str | Sequence[str] = BY
    strategies: "Naming" = option(
        "all", "With which states are compared: a set, names, or a file.", words=str, recorded=False
    )
    symbols: int = option(10, "10: moves after R, S, T, P; 14: by an earlier defection of the other too.")
    starts: int = option(12, "Random starts for each number of states.")
    others: str | None = OTHERS
    keep_defaulted: bool = KEEP_DEFAULTED
    keep_scripted: bool = KEEP_SCRIPTED
    reading = here(Reading)
    seed: NonNegative = SEED
    update: Callable[[int, int], None] = UPDATE
    output: Sequence[Path] = replace(
        OUTPUTS,
        help="Figure (.png .svg .pdf), shares by trajectory (.parquet .csv .jsonl), or .json; repeatable.",
    )
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON


def _noise(text: str) -> tuple[float, float]:
    from intent.play.dataset import parse_range

    noise = parse_range(text, "--eps")
    if noise is None:
        raise UsageError(f"--eps {text!r}, expected a number or a range such as 0-0.2")
    return noise


class ProbeRequest(
    Printing, job="probe", function="intent.recognise.probe.probe.probe", progress="searching"
):
    """Propose the opponent moves that separate a set of strategies best.

    Says how sure the best observer can be after each round, and how many
    rounds it needs; beside a fair coin and other usual opponents.
    """

    strategies: "Naming" = option(
        "canonical4",
        "Set name, names separated by commas, or a file (.yaml, .py).",
        "--strategies",
        words=str,
        positional=True,
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
    beam: Annotated[int, Within(2, None)] = option(
        512, "Sequences compared in each round; 512 are all of ten rounds."
    )
    seed: NonNegative = SEED
    update: Callable[[int, int], None] = UPDATE
    output: Sequence[Path] = OUTPUTS
    printing = here(Printing)
    json: bool = JSON
    overwrite: bool = OVERWRITE
