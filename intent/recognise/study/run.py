"""A robustness study: train many recognisers, measure all of them at many points, keep what is done.

What a study leaves in its folder: tables, figures, a summary in words and numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError
from intent.base.workers import Workers, open_workers
from intent.recognise.study.plan import CellStore, Plan, cell_key, make_plan, restrict
from intent.recognise.study.spec import StudySpec, load_study

if TYPE_CHECKING:
    import pandas as pd

    from intent.recognise.study.plan import ModelPlan, Point


__all__ = ["study", "write_results"]


Update = Callable[[int, int], None]

_MARK = "study.json"
_CACHE = "cache"


def study(
    spec: StudySpec | str | Path,
    output: str | Path,
    *,
    only: Mapping[str, Sequence[str]] | None = None,
    workers: int = 1,
    dask: str | None = None,
    logs: str | Path | None = None,
    dry_run: bool = False,
    update: Update = lambda done, total: None,
) -> dict[str, Any]:
    """Run a study, or go on with it, and write its tables, figures and summary.

    What is done stays done: trained models and measured cells are kept below ``output/cache`` under a key of
    everything that determines them, so a run that was stopped goes on, and a changed study computes what
    changed. Tables show all cells of the study that are there, whichever run measured them.

    Parameters
    ----------
    spec : StudySpec, or the path of its YAML file
    output : folder; a new or empty one, or that of an earlier run
    only : column -> accepted values, as `restrict`
    workers, dask : as `intent.base.workers.open_workers`
        The result does not depend on it (networks may differ in the last digits between machines). Workers on
        other machines need the output folder, and `logs`, under the same path as here.
    logs : folder of public logs, for recorded opponents; None: they are left out
    dry_run : bool
        Only count what there is to do.
    update : called with (cells and models done, of how many)

    Returns
    -------
    dict as `json_objects.JSON_OBJECTS["study"]`

    Raises
    ------
    OutputError
        The folder holds something else.
    """
    start = time.perf_counter()
    beside = Path() if isinstance(spec, StudySpec) else Path(spec).parent
    spec = spec if isinstance(spec, StudySpec) else load_study(spec)
    whole = make_plan(spec, beside=beside.resolve(), logs=None if logs is None else Path(logs).resolve())
    part = restrict(whole, only or {})
    folder = _claim(Path(output))
    if dry_run and not (folder / _CACHE / "cells.sqlite").is_file():
        return _counts(whole, part, folder, set(), start)
    _prepare(folder)
    models = folder / _CACHE / "models"
    with CellStore(folder / _CACHE / "cells.sqlite") as store:
        done = set(store.get([cell_key(*cell) for cell in whole.cells()]))
        if not dry_run:
            with open_workers(workers, dask) as those:
                _fill(part, store, models.resolve(), done, those, update)
            _write(spec, whole, store, folder)
        return _counts(whole, part, folder, done, start)


def _fill(
    plan: Plan, store: CellStore, folder: Path, done: set[str], workers: Workers, update: Update
) -> None:
    """Train what is missing and needed, then measure point by point."""
    from intent.recognise.study.measure import is_fitted

    missing = [(m, p) for m, p in plan.cells() if cell_key(m, p) not in done]
    by_key = {m.key: m for m, _ in missing}
    untrained = [m for m in by_key.values() if not is_fitted(m, folder)]
    points: dict[str, tuple[Any, dict[str, Any]]] = {}
    for model, point in missing:
        points.setdefault(point.key, (point, {}))[1].setdefault(model.key, model)
    total, count = len(untrained) + len({cell_key(*cell) for cell in missing}), 0
    update(count, total)
    for key in workers.map(partial(_fitted, folder), untrained, ordered=False):
        if not is_fitted(by_key[key], folder):
            raise OutputError(
                f"{folder / key} was trained by a worker and is not here, expected a folder that all share"
            )
        count += 1
        update(count, total)
    jobs = [(point, list(models.values())) for point, models in points.values()]
    for cells in workers.map(partial(_measured, folder), jobs, ordered=False):
        store.put(cells)
        done.update(cells)
        count += len(cells)
        update(count, total)


def _fitted(folder: Path, plan: ModelPlan) -> str:
    """The key of a model, once it is trained."""
    from intent.recognise.study.measure import fit_model

    fit_model(plan, folder)
    return plan.key


def _measured(folder: Path, job: tuple[Point, Sequence[ModelPlan]]) -> dict[str, dict[str, Any]]:
    """As `measure`."""
    from intent.recognise.study.measure import measure

    return measure(*job, folder)


def _claim(folder: Path) -> Path:
    from intent.base.files import claim

    claim(folder, overwrite=True, into=True)
    if folder.is_dir() and not (folder / _MARK).is_file() and any(folder.iterdir()):
        raise OutputError(
            f"{folder} is not empty and holds no {_MARK}, so it is no study of ours; choose another"
        )
    return folder


def _prepare(folder: Path) -> None:
    """Make the folder, known as ours from the start; its cache is nothing to commit."""
    cache = folder / _CACHE
    (cache / "models").mkdir(parents=True, exist_ok=True)
    if not (folder / _MARK).is_file():
        (folder / _MARK).write_text("{}\n", encoding="utf8")
    (cache / ".gitignore").write_text("*\n", encoding="utf8")


def _write(spec: StudySpec, plan: Plan, store: CellStore, folder: Path) -> None:
    """Tables, figures and summary of everything that is measured by now."""
    import json

    from intent.base.files import writing
    from intent.version import __version__

    write_results(spec, plan, store, folder / _CACHE / "models", folder)
    facts = {"version": __version__, "study": spec.model_dump(mode="json")}
    with writing(folder / _MARK, overwrite=True) as draft:
        draft.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf8")


def _counts(whole: Plan, part: Plan, folder: Path, done: set[str], start: float) -> dict[str, Any]:
    from intent.recognise.study.measure import is_fitted

    models = {m.key: m for m in part.models}
    keys = {cell_key(*cell) for cell in part.cells()}
    return {
        "path": str(folder),
        "n_models": len(models),
        "n_untrained": sum(not is_fitted(m, folder / _CACHE / "models") for m in models.values()),
        "n_points": len({p.key for p in part.points}),
        "n_cells": len(keys),
        "n_pending": len(keys - done),
        "left_out": [{"what": item.what, "why": item.why} for item in whole.left_out],
        "seconds": time.perf_counter() - start,
    }


def write_results(spec: StudySpec, plan: Plan, store: CellStore, models: Path, folder: Path) -> None:
    """Write ``cells.csv.gz``, ``summary.csv``, ``training.csv``, ``summary.md`` and the figures.

    The cells alone determine them, save for ``training.csv``, which has seconds. The rule that knows eps
    has no regret and is not drawn.
    """
    from intent.base.files import writing
    from intent.recognise.study.figures import write_study_figures
    from intent.recognise.study.plan import cell_key
    from intent.recognise.study.summary import (
        best_settings,
        cell_table,
        summary_table,
        summary_text,
        training_table,
    )

    keys = [cell_key(*cell) for cell in plan.cells()]
    cells = store.get(keys)
    table = cell_table(plan, cells)
    if table.empty:
        return
    best, opponent = best_settings(table, plan), next(iter(spec.points.opponents))
    rule = {m.recogniser for m in plan.models if m.kind == "bayes" and m.parameters.get("eps") == "known"}
    shown = best[~best["recogniser"].isin(rule)]
    _results_write(table.drop(columns="bins"), folder / "cells.csv.gz")
    _results_write(summary_table(table), folder / "summary.csv")
    _results_write(training_table(plan, models), folder / "training.csv")
    sizes, noises = _orders(table)
    write_study_figures(
        folder,
        best=shown,
        opponent=opponent,
        learners=_learners(table, plan, opponent, best),
        sizes=sizes,
        noises=noises,
        reliability=_reliability(shown[shown["opponent"] == opponent]),
        trained=_trained(best),
        n=spec.n_test,
    )
    missing = len(set(keys)) - len(cells)
    with writing(folder / "summary.md", overwrite=True) as draft:
        draft.write_text(summary_text(spec, plan, table, best, missing), encoding="utf8")


def _results_write(table: pd.DataFrame, path: Path) -> None:
    """A CSV file of five decimals, the same bytes for the same table."""
    from intent.base.files import writing

    packed: Any = {"method": "gzip", "mtime": 0} if path.suffix == ".gz" else None
    with writing(path, overwrite=True) as draft:
        table = table.round(5).replace(0.0, 0.0)
        table.to_csv(draft, index=False, float_format="%.5f", compression=packed, lineterminator="\n")


def _orders(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Sizes and noises of training: sizes by number with endless last, noises by their upper end."""
    sizes = [str(size) for size in table["train_size"].unique() if size]
    noises = [str(noise) for noise in table["train_noise"].unique() if noise]
    return (
        sorted(sizes, key=lambda size: (not size.isdigit(), int(size) if size.isdigit() else 0)),
        sorted(noises, key=lambda noise: [float(end) for end in noise.split("-")][::-1]),
    )


def _learners(table: pd.DataFrame, plan: Plan, opponent: str, best: pd.DataFrame) -> pd.DataFrame:
    """Cells against one opponent of the recognisers that were trained, under the names of `best`."""
    names = best[["group", "recogniser", "label"]].drop_duplicates()
    trained = {(m.group, m.recogniser) for m in plan.models if m.trained}
    learners = table.merge(names, on=["group", "recogniser"])
    learners = learners[learners["opponent"] == opponent]
    rows = [pair in trained for pair in zip(learners["group"], learners["recogniser"], strict=True)]
    return learners.loc[rows]


def _reliability(best: pd.DataFrame) -> pd.DataFrame:
    """Bins of confidence per recogniser and set, with their calibration error."""
    import pandas as pd

    from intent.recognise.study.summary import calibration_error, pooled_bins

    parts = []
    for (label, set_name), part in best.groupby(["label", "set"], sort=False):
        bins = pooled_bins(part)
        parts.append(bins.assign(label=str(label), set=str(set_name), ece=calibration_error(bins)))
    return pd.concat(parts) if parts else pd.DataFrame(columns=["label", "set", "ece"])


def _trained(best: pd.DataFrame) -> str:
    """How the recognisers of the maps were trained."""
    learned = best[best["train_size"] != ""]
    texts = []
    for (size, noise), part in learned.groupby(["train_size", "train_noise"], sort=False):
        rows = f"{int(str(size)):,} trajectories" if str(size).isdigit() else f"{size} play"
        texts.append(
            f"{', '.join(dict.fromkeys(part['label']))} on {rows}, noise {str(noise).replace('-', ' to ')}"
        )
    return f"Trained: {'; '.join(texts)}." if texts else ""
