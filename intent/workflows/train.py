"""Train recognisers on generated or logged play, track them, save them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.tracking.base import Tracker
    from intent.workflows.ceilings import Ceiling
    from intent.workflows.dataset import DatasetSpec

__all__ = ["train"]

TEST_ROWS = 100_000
"""Fresh trajectories on which recognisers of generated play are measured."""


def train(
    data: DatasetSpec | GameLog | str | Path,
    models: Sequence[str] = ("logistic",),
    *,
    output: str | Path | None = None,
    parameters: Mapping[str, Any] | None = None,
    test_share: float = 0.2,
    seed: int = 0,
    tracker: Tracker | None = None,
    overwrite: bool = False,
    update: Callable[[int, int], None] = lambda done, total: None,
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
        Parameters of the recognisers; each takes those that it has.
    test_share : float in (0, 1)
        Share of the settings of a log that is held out.
    seed : int
        Of the split and of the recognisers' own randomness.
    tracker : Tracker, optional
        Default: none.
    overwrite : bool
    update : called with (models done, models in all)

    Returns
    -------
    dict as `schema.JSON_OBJECTS["train"]`; the fitted recognisers are under ``"fitted"`` by kind

    Raises
    ------
    UsageError
        A parameter that none of the models has, or no model.
    """
    from intent.logs.output import claim
    from intent.recognise.registry import recogniser_class
    from intent.recognise.storage import save_recogniser
    from intent.tracking.base import NullTracker, TrackedRun
    from intent.workflows.evaluate import scores_of

    if not models:
        raise UsageError("no model to train, expected at least one kind")
    classes = {kind: recogniser_class(kind) for kind in models}
    own = {kind: _parameters(cls, parameters or {}, seed) for kind, cls in classes.items()}
    _check_parameters(parameters or {}, own)
    name, splits, ceiling, config = _material(data, test_share, seed)
    (X, y), (X_test, y_test) = splits
    folders = {kind: Path(output) / f"{kind}-{name}" for kind in models} if output is not None else {}
    for folder in folders.values():
        claim(folder, overwrite=overwrite)
    tracker = tracker or NullTracker()
    rows, fitted = [], {}
    for done, kind in enumerate(models):
        update(done, len(models))
        start = time.perf_counter()
        model = classes[kind](**own[kind]).fit(X, y)
        seconds = time.perf_counter() - start
        scores = scores_of(model, X_test, y_test)
        regret = None if ceiling.value is None else ceiling.value - scores["accuracy"]
        figures = {k: scores[k] for k in ("accuracy", "macro_f1", "ece", "brier")}
        about = {
            "name": f"{kind}-{name}",
            "data": config,
            "n_train": len(X),
            "n_test": len(X_test),
            "seed": seed,
            "measured": {**figures, "ceiling": ceiling.value, "ceiling_kind": ceiling.kind, "regret": regret},
        }
        artifacts = []
        if kind in folders:
            artifacts = [save_recogniser(model, folders[kind], about=about, overwrite=overwrite)]
        metrics = {**figures, "seconds": seconds}
        metrics |= {f"f1_{c}": v["f1"] for c, v in scores["per_class"].items()}
        if ceiling.value is not None and regret is not None:
            metrics |= {"ceiling": ceiling.value, "regret": regret}
        run_id = tracker.record(
            TrackedRun(
                f"{kind}-{name}",
                {"model": kind, **own[kind], "data": config, "seed": seed},
                metrics,
                {},
                artifacts,
            )
        )
        fitted[kind] = model
        rows.append(
            {
                "name": f"{kind}-{name}",
                "path": str(folders[kind]) if kind in folders else None,
                "run_id": run_id,
                "accuracy": scores["accuracy"],
                "regret": regret,
                "seconds": seconds,
                "macro_f1": scores["macro_f1"],
                "ece": scores["ece"],
                "ceiling": ceiling.value,
                "ceiling_kind": ceiling.kind,
            }
        )
    update(len(models), len(models))
    return {"models": rows, "tracking": tracker.where, "fitted": fitted}


def _material(data: Any, test_share: float, seed: int) -> tuple[str, Any, Ceiling, Any]:
    """Name, ((X, y), (X_test, y_test)), ceiling and config of what is trained on."""
    import numpy as np

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories
    from intent.workflows.ceilings import ceiling_of_log, ceiling_of_spec
    from intent.workflows.dataset import DatasetSpec, load_spec, shipped_specs

    if not isinstance(data, DatasetSpec | GameLog):
        is_spec = str(data) in shipped_specs() or Path(data).suffix in (".yaml", ".yml")
        if is_spec or not Path(data).exists():
            data = load_spec(data)
    if isinstance(data, DatasetSpec):
        from intent.play.corpora import generate_arrays, stream

        corpus = data.corpus()
        names = np.array([s.name for s in corpus.strategies])
        rng, test_rng = np.random.default_rng(data.seed).spawn(2)
        X, y = generate_arrays(corpus, rng)
        chunks = list(stream(data.model_copy(update={"n": TEST_ROWS}).corpus(), test_rng))
        X_test = Trajectories(
            np.concatenate([c.X.own for c in chunks]), np.concatenate([c.X.other for c in chunks])
        )
        truth = names[np.concatenate([c.y for c in chunks])].tolist()
        met = np.array(corpus.opponent_names)[np.concatenate([c.opponent for c in chunks])]
        noise = np.concatenate([c.eps for c in chunks])
        ceiling = ceiling_of_spec(data, X_test, truth, noise, met)
        return data.name, ((X, names[y]), (X_test, truth)), ceiling, data.model_dump(mode="json")
    from intent.encode.splits import grouped_split, setting_groups
    from intent.logs.readers import read_log
    from intent.workflows.evaluate import labelled_play

    played = data if isinstance(data, GameLog) else read_log(data)
    X, truth = labelled_play(played)
    assert X.keys is not None
    train_rows, test_rows = grouped_split(setting_groups(X.keys), test_share, np.random.default_rng(seed))
    labels = np.array(truth)
    tested = [truth[row] for row in test_rows]
    ceiling = ceiling_of_log(played, X[test_rows], tested)
    name = "log" if isinstance(data, GameLog) else Path(data).name.split(".")[0]
    parts = ((X[train_rows], labels[train_rows]), (X[test_rows], tested))
    return name, parts, ceiling, {"log": played.provenance, "test_share": test_share}


def _parameters(cls: Any, given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    accepted = cls().get_params()
    chosen = {k: v for k, v in given.items() if k in accepted}
    if "random_state" in accepted:
        chosen.setdefault("random_state", seed)
    return chosen


def _check_parameters(given: Mapping[str, Any], taken: Mapping[str, Mapping[str, Any]]) -> None:
    unused = [k for k in given if not any(k in own for own in taken.values())]
    if unused:
        raise UsageError(f"parameter {unused[0]!r} is one that none of {', '.join(taken)} has")
