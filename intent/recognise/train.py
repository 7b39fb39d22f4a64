"""Train recognisers on generated or logged play, track them, save them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError

if TYPE_CHECKING:
    from intent.base.tracking import Tracker
    from intent.logs.gamelog import GameLog
    from intent.play.dataset import DatasetSpec
    from intent.recognise.material import Material
    from intent.recognise.recogniser import Recogniser

__all__ = ["train"]


def train(
    data: DatasetSpec | GameLog | str | Path,
    models: Sequence[str] = ("logistic",),
    *,
    output: str | Path | None = None,
    parameters: Mapping[str, Any] | None = None,
    calibrate: str | None = None,
    test_share: float = 0.2,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    tracker: Tracker | None = None,
    overwrite: bool = False,
    resume: bool = False,
    update: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> dict[str, Any]:
    """Train, measure, track and save one or several recognisers.

    Generated play is measured on fresh play of the same kind, logged play on held-out settings. What a
    recogniser says of its fit is tracked too: numbers (``metrics_``), series (``curves_``) and its figure.

    Parameters
    ----------
    data : dataset spec (or its name or file), or labelled GameLog (or its path)
        A log without labels will do for kinds that need none (sfem); accuracy and regret are then None.
    models : kinds, such as ``["logistic", "forest"]``
    output : folder, optional
        Each recogniser is saved to ``output/<kind>-<data name>``, a calibrated one to
        ``output/<kind>-<method>-<data name>``. None: nothing is saved.
    parameters : mapping, optional
        Parameters of the recognisers; each takes those that it has. A recogniser that needs to be told its
        ``strategies`` gets those of the data.
    calibrate : "temperature" or "isotonic", optional
        Keep a quarter of the training play apart and calibrate each recogniser on it.
    test_share : float in (0, 1)
        Share of the settings of a log that is held out.
    where : mapping of column -> accepted values of a log
    seed : int
        Of the split and of the recognisers' own randomness.
    tracker : Tracker, optional
        Default: none.
    overwrite : bool
    resume : bool
        Whether a training that was cut off goes on from its last checkpoint, ``output/<name>.ckpt``, which
        recognisers that learn step by step write.
    update : called with (models or steps done, in all)
    **reading
        Passed to `read_log` where `data` is the path of a log.

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
    from intent.base.files import claim
    from intent.base.offline import announce
    from intent.base.tracking import NullTracker, tracking_contacts
    from intent.recognise.material import gather, open_data
    from intent.recognise.recogniser import make_recogniser, recogniser_class

    if not models:
        raise UsageError("no model to train, expected at least one kind")
    accepted = {kind: recogniser_class(kind)().get_params() for kind in models}
    _check_parameters(parameters or {}, accepted)
    name, opened = open_data(data, where, **reading)
    names = {kind: "-".join(filter(None, (kind, calibrate, name))) for kind in models}
    folders = {kind: Path(output) / names[kind] for kind in models} if output is not None else {}
    for folder in folders.values():
        claim(folder, overwrite=overwrite)
    labelled = calibrate is not None or any(
        getattr(recogniser_class(kind), "needs_labels", True) for kind in models
    )
    material = gather(opened, test_share, seed, labelled=labelled)
    tracker = tracker or NullTracker()
    announce(list(dict.fromkeys(tracking_contacts(tracker.where))), whole=True)
    rows, fitted = [], {}
    for done, kind in enumerate(models):
        update(done, len(models))
        own = {k: v for k, v in (parameters or {}).items() if k in accepted[kind]}
        for parameter, value in (("random_state", seed), ("strategies", material.strategies)):
            if parameter in accepted[kind] and value is not None:
                own.setdefault(parameter, value)
        start = time.perf_counter()
        model = recogniser_class(kind)(**own)
        if calibrate is not None:
            model = make_recogniser("calibrated", recogniser=model, method=calibrate, random_state=seed)
            own["calibrate"] = calibrate
        file = Path(output) / f"{names[kind]}.ckpt" if output is not None else None
        fitted[kind] = _fitted(model, opened, material, seed, file, resume=resume, update=update)
        seconds = time.perf_counter() - start
        rows.append(
            _finish(
                fitted[kind],
                names[kind],
                own,
                material,
                seconds,
                seed,
                folders.get(kind),
                tracker,
                overwrite,
            )
        )
        if file is not None:
            file.unlink(missing_ok=True)
    update(len(models), len(models))
    return {"models": rows, "tracking": tracker.where, "fitted": fitted}


def _fitted(
    model: Recogniser,
    data: DatasetSpec | GameLog,
    material: Material,
    seed: int,
    checkpoint: Path | None,
    *,
    resume: bool,
    update: Callable[[int, int], None],
) -> Recogniser:
    """Fit on endless play of a spec where the recogniser takes it, else on the material."""
    from intent.logs.gamelog import GameLog
    from intent.recognise.endless import fit_endless

    if isinstance(data, GameLog) or not getattr(model, "endless", False):
        return model.fit(material.X, material.y)
    if checkpoint is not None and not resume:
        checkpoint.unlink(missing_ok=True)
    return fit_endless(model, data, seed=seed, checkpoint=checkpoint, update=update)


def _finish(
    model: Recogniser,
    name: str,
    own: Mapping[str, Any],
    material: Material,
    seconds: float,
    seed: int,
    folder: Path | None,
    tracker: Tracker,
    overwrite: bool,
) -> dict[str, Any]:
    """Measure, save and track one fitted recogniser; returns its row of the result."""
    from tempfile import TemporaryDirectory

    from intent.base.tracking import TrackedRun
    from intent.recognise.storage import save_recogniser

    measured, per_class = _measured(model, material)
    about = {
        "name": name,
        "data": material.config,
        "n_train": len(material.X),
        "n_test": len(material.X_test),
        "seed": seed,
        "measured": measured,
    }
    artifacts = []
    if folder is not None:
        artifacts = [save_recogniser(model, folder, about=about, overwrite=overwrite)]
    metrics = {k: v for k, v in measured.items() if isinstance(v, float)} | {"seconds": seconds}
    metrics |= {f"f1_{c}": v["f1"] for c, v in per_class.items()}
    metrics |= getattr(model, "metrics_", {})
    curves = getattr(model, "curves_", {})
    settings = {"model": model.kind, **own, "data": material.config, "seed": seed}
    with TemporaryDirectory() as drafts:
        if tracker.where is not None:
            artifacts += model.draw(Path(drafts))
        run_id = tracker.record(TrackedRun(name, settings, metrics, curves, artifacts))
    return {
        "name": name,
        "path": None if folder is None else str(folder),
        "run_id": run_id,
        "seconds": seconds,
        **measured,
    }


def _measured(model: Recogniser, material: Material) -> tuple[dict[str, Any], dict[str, Any]]:
    """Figures of a fitted recogniser (None where nothing is known to measure on), and scores by class."""
    from intent.recognise.evaluate import scores_of

    ceiling, figures = material.ceiling, ("accuracy", "standard_error", "macro_f1", "ece", "brier")
    scores: dict[str, Any] = dict.fromkeys(figures)
    if material.y_test is not None:
        scores = scores_of(model, material.X_test, material.y_test)
    regret = None if ceiling.value is None else ceiling.value - scores["accuracy"]
    known = {"ceiling": ceiling.value, "ceiling_kind": ceiling.kind, "regret": regret}
    return {k: scores[k] for k in figures} | known, scores.get("per_class", {})


def _check_parameters(parameters: Mapping[str, Any], accepted: Mapping[str, Mapping[str, Any]]) -> None:
    for name in parameters:
        if not any(name in own for own in accepted.values()):
            has = "; ".join(f"{kind} has {', '.join(own) or 'none'}" for kind, own in accepted.items())
            raise UsageError(f"unknown parameter {name!r}: {has}")
