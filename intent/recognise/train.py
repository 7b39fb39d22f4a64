"""Train recognisers on generated or logged play, track them, save them.

MLflow opens a saved one by `_load_pyfunc`, a log in and its labels out, with the folder that was logged. The
folder is what `save_recogniser` writes, of JSON and arrays, each checked before it is used; no pickle, and
nothing of MLflow, is read.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError, one_line
from intent.base.job import Result, Table, job
from intent.base.outputs import claim
from intent.base.registry import require
from intent.base.remote import announce
from intent.logs.gamelog import GameLog
from intent.play.dataset import DatasetSpec
from intent.recognise.evaluate import gather, measured_play, open_data, reliability_table
from intent.recognise.labels.label import label
from intent.recognise.labels.request import LabelRequest
from intent.recognise.lstm import fit_endless
from intent.recognise.recogniser import load_recogniser, make_recogniser, recogniser_class, save_recogniser
from intent.recognise.requests import TrainRequest
from intent.strategies.catalogue import Strategy, named_set
from intent.strategies.sets import is_set_file, own_strategies, strategy_set
from intent.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from intent.base.tracking import TrackedData, TrackedRun, Tracker
    from intent.recognise.evaluate import Material, MeasuredPlay
    from intent.recognise.recogniser import Recogniser

__all__ = ["LOADER", "SETTINGS", "ServedRecogniser", "Training", "train", "training"]

LOADER = "intent.recognise.train"
"""Name of this module, as a logged model says it."""

SETTINGS: dict[str, str | float] = {
    **{name: LabelRequest.settings[name].default for name in ("threshold", "alpha")},
    **dict.fromkeys(("cooperate", "others", "format"), ""),
}
"""Settings of `intent label` that a call may set, and what they are if it does not; empty: as it is."""


class ServedRecogniser:
    """A recogniser that labels logs.

    Parameters
    ----------
    folder : path of a saved recogniser
    """

    def __init__(self, folder: str | Path) -> None:
        self.recogniser = load_recogniser(folder)

    def predict(self, model_input: Any, params: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Strategy labels, one row for each focal trajectory.

        Parameters
        ----------
        model_input : DataFrame, path or GameLog
            Whatever `intent label` reads: rows of moves, a file, a folder.
        params : mapping, optional
            Of `SETTINGS`.

        Raises
        ------
        UsageError
            A setting that there is not.
        DataError
            No log that can be read.
        """
        for name in params or {}:
            if name not in SETTINGS:
                raise UsageError(f"unknown setting {name!r}, expected {', '.join(SETTINGS)}")
        values = {name: value for name, value in (params or {}).items() if value not in ("", None)}
        return label(model_input, self.recogniser, **values)


def _load_pyfunc(data_path: str) -> ServedRecogniser:
    """What MLflow calls to open a logged model."""
    return ServedRecogniser(data_path)


_COLUMNS = {
    "name": "model",
    "accuracy": "accuracy",
    "standard_error": "±",
    "macro_f1": "macro F1",
    "ece": "ECE",
    "ceiling": "ceiling",
    "regret": "regret",
    "seconds": "seconds",
    "path": "saved to",
}


@dataclass(frozen=True, eq=False)
class Training(Result):
    """Recognisers that were trained, and how good they are.

    Attributes
    ----------
    models : tuple of mappings with name, path, run_id, seconds, and what was measured
    tracking : where the runs are recorded, or None
    page : address at which they are shown, or None
    fitted : kind -> Recogniser
    """

    models: tuple[dict[str, Any], ...]
    tracking: str | None
    fitted: Mapping[str, Recogniser]
    page: str | None = None

    kind = "training"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent train --json``."""
        keys = ("name", "path", "run_id", "accuracy", "regret", "seconds")
        return {"models": [{key: model[key] for key in keys} for model in self.models]}

    def parts(self) -> Iterator[Table | str]:
        """A line for each recogniser."""
        rows = [[_shown(column, model[column]) for column in _COLUMNS] for model in self.models]
        yield Table(tuple(_COLUMNS.values()), rows)

    def remarks(self) -> Iterator[str]:
        """How to read the figures, and where the runs are."""
        from intent.base.tracking import show_runs

        if all(model["accuracy"] is None for model in self.models):
            yield "the play is not labelled, so there is nothing to be measured on"
        else:
            yield "±: standard error of accuracy and regret"
        if kind := self.models[0]["ceiling_kind"]:
            yield f"ceiling: exact Bayes rule, by {kind.replace('_', ' ')}"
        if self.tracking:
            yield f"runs: {show_runs(self.tracking)}"
        if self.page:
            yield f"they are at {self.page}"


def _shown(column: str, value: Any) -> Any:
    """Four decimals for what is measured, so that errors and differences can be compared down a column."""
    if not isinstance(value, float):
        return value
    return f"{value:.1f}" if column == "seconds" else f"{value:.4f}"


@job(TrainRequest)
def train(request: TrainRequest) -> dict[str, Any]:
    """Train, measure, track and save one or several recognisers.

    Generated play is measured on fresh play of the same kind, logged play on held-out settings. What a
    recogniser says of its fit is tracked too: numbers (``metrics_``), series (``curves_``) and its figure.

    Returns
    -------
    dict as `json_objects.JSON_OBJECTS["train"]`, with further figures; the fitted recognisers are under
    ``"fitted"`` by kind

    Raises
    ------
    UsageError
        A parameter that none of the models has, or no model.
    UnknownNameError
        A kind or data that does not exist.
    """
    outcome: Training = request.run()
    return {"models": list(outcome.models), "tracking": outcome.tracking, "fitted": dict(outcome.fitted)}


@job(TrainRequest)
def training(request: TrainRequest) -> Training:
    """Train, measure, track and save one or several recognisers.

    Raises
    ------
    UsageError, UnknownNameError
        As `train`.
    """
    from intent.base.tracking import NullTracker, TrackedRun, tracking_contacts

    models, seed, method = request.models, request.seed, request.calibrate
    if not models:
        raise UsageError("no model to train, expected at least one kind")
    require(*(package for kind in models for package in recogniser_class(kind).learns_with))
    if request.calibrate == "isotonic":
        require("sklearn")
    accepted = {kind: recogniser_class(kind)().get_params() for kind in models}
    parameters = request.parameters or {}
    _check_parameters(parameters, accepted)
    data_name, data = open_data(request.data, request.where, **request.file_reading())
    output = None if request.output is None else Path(request.output)
    names = {kind: "-".join(filter(None, (kind, method, data_name))) for kind in models}
    if output is not None:
        for name in names.values():
            claim(output / name, overwrite=request.overwrite)
    labelled = method is not None or any(
        getattr(recogniser_class(kind), "needs_labels", True) for kind in models
    )
    if request.strategies is not None and isinstance(data, DatasetSpec):
        data = data.played_by(request.strategies)
    named = () if request.strategies is None else strategy_set(request.strategies)
    material = gather(data, request.test_share, seed, labelled=labelled, own=own_strategies(named))
    tracker = request.tracker or NullTracker()
    announce(list(dict.fromkeys(tracking_contacts(tracker.where))), whole=True)
    rows, fitted = [], {}
    for done, kind in enumerate(models):
        request.update(done, len(models))
        own = {k: v for k, v in parameters.items() if k in accepted[kind]}
        classes = _classes(material, named)
        for parameter, value in (("random_state", seed), ("strategies", classes)):
            if parameter in accepted[kind] and value is not None:
                own.setdefault(parameter, value)
        start, began = time.perf_counter(), time.time()
        model = recogniser_class(kind)(**own)
        if method is not None:
            model = make_recogniser("calibrated", recogniser=model, method=method, random_state=seed)
            own["calibrate"] = method
        checkpoint = None if output is None else output / f"{names[kind]}.ckpt"
        fitted[kind] = _knowing(_fitted(model, data, material, checkpoint, request), material.own)
        if not isinstance(own.get("strategies", ""), str):
            own["strategies"] = ",".join(s.name for s in strategy_set(own["strategies"]))
        run = TrackedRun(names[kind], own, {"seconds": time.perf_counter() - start}, began=began)
        rows.append(_finish(fitted[kind], run, material, tracker, request))
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
    request.update(len(models), len(models))
    return Training(tuple(rows), tracker.where, fitted, tracker.page)


def _classes(material: Material, named: Sequence[Strategy]) -> Any:
    """What a recogniser that needs to be told its strategies gets: text, or strategies of one's own."""
    if material.strategies is None:
        return tuple(named) or None
    # names come from a log, which anyone may have written: none of them opens a file
    if material.own or any(map(is_set_file, material.strategies.split(","))):
        return named_set(material.strategies, material.own)
    return material.strategies


def _knowing(model: Recogniser, own: Sequence[Strategy]) -> Recogniser:
    """The recogniser with the strategies of one's own that its classes are; as it is without any."""
    classes = {str(name) for name in model.classes_}
    return model.knowing(own) if own and classes & {s.name for s in own} else model


def _fitted(
    model: Recogniser,
    data: DatasetSpec | GameLog,
    material: Material,
    checkpoint: Path | None,
    request: TrainRequest,
) -> Recogniser:
    """Fit on endless play of a spec where the recogniser takes it, else on the material."""
    if isinstance(data, GameLog) or not getattr(model, "endless", False):
        return model.fit(material.X, material.y)
    if checkpoint is not None and not request.resume:
        checkpoint.unlink(missing_ok=True)
    return fit_endless(model, data, seed=request.seed, checkpoint=checkpoint, update=request.update)


def _finish(
    model: Recogniser, run: TrackedRun, material: Material, tracker: Tracker, request: TrainRequest
) -> dict[str, Any]:
    """Measure, save and track one fitted recogniser; returns its row of the result.

    The run has its name, its own parameters, and the seconds that it took.
    """
    from tempfile import TemporaryDirectory

    play = None if material.y_test is None else measured_play(model, material.X_test, material.y_test)
    measured = _measured(play, material)
    shared = {"data": material.config, "seed": request.seed}
    sizes = {"n_train": len(material.X), "n_test": len(material.X_test)}
    about = {"name": run.name, "data": shared["data"], **sizes, "seed": request.seed, "measured": measured}
    path = None
    if request.output is not None:
        folder = Path(request.output) / run.name
        path = save_recogniser(model, folder, about=about, overwrite=request.overwrite)
    per_class = {} if play is None else play.scores["per_class"]
    whole = replace(
        run,
        parameters={"model": model.kind, **run.parameters, **shared, **sizes},
        metrics={k: v for k, v in measured.items() if isinstance(v, float)}
        | dict(run.metrics)
        | {f"f1_{name}": scores["f1"] for name, scores in per_class.items()}
        | getattr(model, "metrics_", {}),
        curves=getattr(model, "curves_", {}),
        data=_tracked_data(material),
        ended=time.time(),
    )
    with TemporaryDirectory() as drafts:
        if tracker.where is not None:
            whole = _with_files(whole, model, play, material, about, path, Path(drafts))
        run_id = tracker.record(whole)
    return {
        "name": run.name,
        "path": None if path is None else str(path),
        "run_id": run_id,
        **run.metrics,
        **measured,
    }


def _with_files(
    run: TrackedRun,
    model: Recogniser,
    play: MeasuredPlay | None,
    material: Material,
    about: Mapping[str, Any],
    path: Path | None,
    drafts: Path,
) -> TrackedRun:
    """The run with its pictures, tags, card, and the model that MLflow opens."""
    from intent.base.tracking import TrackedModel

    pictures = model.draw(drafts)
    if play is not None and len(play.truth):
        pictures += _pictures(run.name, play, material, drafts)
    saved = save_recogniser(model, drafts / "recogniser", about=about) if path is None else path
    card = _card(run, model, about, material)
    served = TrackedModel(saved, LOADER, SETTINGS, card, __version__)
    log = run.data[0]
    tags = {
        "kind": "train",
        "recogniser": model.kind,
        "version": __version__,
        "log": f"{log.name} {log.digest}",
    }
    return replace(run, pictures=pictures, model=served, tags=tags, note=card)


def _pictures(name: str, play: MeasuredPlay, material: Material, folder: Path) -> list[Path]:
    """Confusion, reliability, and the regret by strategy where the exact rule is known move by move."""
    from intent.recognise.figures import confusion_figure, regret_figure, reliability_figure

    guess, classes, rule = play.guess, play.classes, material.ceiling.hits
    bins = reliability_table(play.proba, play.truth, classes)
    drawings = {
        "confusion": confusion_figure(play.truth, guess, classes, f"What {name} takes play for"),
        "reliability": reliability_figure(bins, f"Reliability of {name}"),
    }
    if rule is not None:
        hit = guess == play.truth
        drawings["regret"] = regret_figure(play.truth, hit, rule, classes, f"Regret of {name}")
    remark = "Play that it did not learn from."
    return [drawing.write(folder / f"{what}.png", remarks=[remark]) for what, drawing in drawings.items()]


def _tracked_data(material: Material) -> tuple[TrackedData, ...]:
    """The play that was learned from and the play that was measured on."""
    from intent.base.tracking import TrackedData

    config = material.config
    log = config.get("log")
    text = json.dumps(config, sort_keys=True, default=str)
    digest = str((log or {}).get("sha256") or hashlib.sha256(text.encode()).hexdigest())[:16]
    if log is not None:
        source = str(log.get("source") or "a log in memory")
        name, tested = Path(source).name, "held out settings"
    else:
        source = name = str(config["name"])
        tested = "fresh play"
    parts = [TrackedData(name, digest, source, "training", len(material.X))]
    if len(material.X_test):
        parts.append(TrackedData(f"{name}, {tested}", digest, source, "evaluation", len(material.X_test)))
    return tuple(parts)


def _card(run: TrackedRun, model: Recogniser, about: Mapping[str, Any], material: Material) -> str:
    """What a user of a recogniser should know, in Markdown."""
    classes = ", ".join(one_line(name) for name in model.classes_)
    data = run.data[0]
    lines = [
        f"# {one_line(run.name)}",
        "",
        f"A recogniser of kind `{model.kind}` of intent {__version__}. It tells {classes}.",
        "",
        f"Learned from {len(material.X):,} trajectories of {one_line(data.name)} (`{data.digest}`), "
        f"seed {about['seed']}.",
    ]
    figures = {k: v for k, v in about["measured"].items() if isinstance(v, float)}
    if figures:
        lines += [
            "",
            f"Measured on {len(material.X_test):,} trajectories that it did not learn from:",
            "",
            "| figure | value |",
            "|---|---|",
            *(f"| {name.replace('_', ' ')} | {value:.4f} |" for name, value in figures.items()),
            "",
            f"Ceiling: {one_line(material.ceiling.rule)}.",
        ]
    lines += [
        "",
        "A label holds for play like that it learned from. `predict` takes a log, as rows or as a path, and "
        "gives a row of labels for each player of a game, with the posterior, all strategies that tie, and a "
        "status.",
    ]
    return "\n".join(lines) + "\n"


def _measured(play: MeasuredPlay | None, material: Material) -> dict[str, Any]:
    """Figures of a fitted recogniser, None where nothing is known to measure on."""
    ceiling, figures = material.ceiling, ("accuracy", "standard_error", "macro_f1", "ece", "brier")
    scores: Mapping[str, Any] = dict.fromkeys(figures) if play is None else play.scores
    regret = None if ceiling.value is None else ceiling.value - scores["accuracy"]
    known = {"ceiling": ceiling.value, "ceiling_kind": ceiling.kind, "regret": regret}
    return {k: scores[k] for k in figures} | known


def _check_parameters(parameters: Mapping[str, Any], accepted: Mapping[str, Mapping[str, Any]]) -> None:
    for name in parameters:
        if not any(name in own for own in accepted.values()):
            has = "; ".join(f"{kind} has {', '.join(own) or 'none'}" for kind, own in accepted.items())
            raise UsageError(f"unknown parameter {name!r}: {has}")
