"""Train recognisers on generated or logged play, track them, save them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.recognise.base import Recogniser
    from intent.tracking.base import Tracker
    from intent.workflows.dataset import DatasetSpec
    from intent.workflows.material import Material

__all__ = ["train"]


def train(
    data: DatasetSpec | GameLog | str | Path,
    models: Sequence[str] = ("logistic",),
    *,
    output: str | Path | None = None,
    parameters: Mapping[str, Any] | None = None,
    test_share: float = 0.2,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    tracker: Tracker | None = None,
    overwrite: bool = False,
    update: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> dict[str, Any]:
    """Train, measure, track and save one or several recognisers.

    Generated play is measured on fresh play of the same kind, logged play on held-out settings.

    Parameters
    ----------
    data : dataset spec (or its name or file), or labelled GameLog (or its path)
    models : kinds, such as ``["logistic", "forest"]``
    output : folder, optional
        Each recogniser is saved to ``output/<kind>-<data name>``. None: nothing is saved.
    parameters : mapping, optional
        Parameters of the recognisers; each takes those that it has. A recogniser that needs to be told its
        ``strategies`` gets those of the data.
    test_share : float in (0, 1)
        Share of the settings of a log that is held out.
    where : mapping of column -> accepted values of a log
    seed : int
        Of the split and of the recognisers' own randomness.
    tracker : Tracker, optional
        Default: none.
    overwrite : bool
    update : called with (models done, models in all)
    **reading
        Passed to `read_log` where `data` is the path of a log.

    Returns
    -------
    dict as `schema.JSON_OBJECTS["train"]`, with further figures; the fitted recognisers are under
    ``"fitted"`` by kind

    Raises
    ------
    UsageError
        A parameter that none of the models has, or no model.
    UnknownNameError
        A kind or data that does not exist.
    """
    from intent.logs.output import claim
    from intent.recognise.registry import recogniser_class
    from intent.tracking.base import NullTracker
    from intent.workflows.material import gather, open_data

    if not models:
        raise UsageError("no model to train, expected at least one kind")
    accepted = {kind: recogniser_class(kind)().get_params() for kind in models}
    _check_parameters(parameters or {}, accepted)
    name, opened = open_data(data, where, **reading)
    folders = {kind: Path(output) / f"{kind}-{name}" for kind in models} if output is not None else {}
    for folder in folders.values():
        claim(folder, overwrite=overwrite)
    material = gather(opened, test_share, seed)
    tracker = tracker or NullTracker()
    rows, fitted = [], {}
    for done, kind in enumerate(models):
        update(done, len(models))
        own = {k: v for k, v in (parameters or {}).items() if k in accepted[kind]}
        for parameter, value in (("random_state", seed), ("strategies", material.strategies)):
            if parameter in accepted[kind]:
                own.setdefault(parameter, value)
        start = time.perf_counter()
        fitted[kind] = recogniser_class(kind)(**own).fit(material.X, material.y)
        seconds = time.perf_counter() - start
        rows.append(
            _finish(
                fitted[kind],
                f"{kind}-{name}",
                own,
                material,
                seconds,
                seed,
                folders.get(kind),
                tracker,
                overwrite,
            )
        )
    update(len(models), len(models))
    return {"models": rows, "tracking": tracker.where, "fitted": fitted}


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
    from intent.recognise.storage import save_recogniser
    from intent.tracking.base import TrackedRun
    from intent.workflows.evaluate import scores_of

    scores = scores_of(model, material.X_test, material.y_test)
    ceiling = material.ceiling
    regret = None if ceiling.value is None else ceiling.value - scores["accuracy"]
    figures = {k: scores[k] for k in ("accuracy", "standard_error", "macro_f1", "ece", "brier")}
    measured = {**figures, "ceiling": ceiling.value, "ceiling_kind": ceiling.kind, "regret": regret}
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
    metrics = {**figures, "seconds": seconds}
    metrics |= {f"f1_{c}": v["f1"] for c, v in scores["per_class"].items()}
    if ceiling.value is not None and regret is not None:
        metrics |= {"ceiling": ceiling.value, "regret": regret}
    settings = {"model": model.kind, **own, "data": material.config, "seed": seed}
    run_id = tracker.record(TrackedRun(name, settings, metrics, {}, artifacts))
    return {
        "name": name,
        "path": None if folder is None else str(folder),
        "run_id": run_id,
        "seconds": seconds,
        **measured,
    }


def _check_parameters(given: Mapping[str, Any], accepted: Mapping[str, Mapping[str, Any]]) -> None:
    for name in given:
        if not any(name in own for own in accepted.values()):
            has = "; ".join(f"{kind} has {', '.join(own) or 'none'}" for kind, own in accepted.items())
            raise UsageError(f"unknown parameter {name!r}: {has}")
