"""A robustness study: train many recognisers, measure all of them at many points, keep what is done.

What a study leaves in its folder: tables, figures, a summary in words and numbers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from intent.base.errors import OutputError, one_line
from intent.base.files import claim, writing
from intent.base.job import Result, Table, job
from intent.base.remote import announce
from intent.base.tracking import NullTracker, TrackedRun, tracking_contacts
from intent.base.workers import Workers, open_workers
from intent.recognise.requests import StudyRequest
from intent.recognise.storage import describe_recogniser
from intent.recognise.study.measure import fit_model, is_fitted, measure
from intent.recognise.study.plan import (
    MODEL,
    CellStore,
    LeftOut,
    ModelPlan,
    Plan,
    Point,
    StudySpec,
    cell_key,
    load_study,
    make_plan,
    restrict,
)
from intent.version import __version__

__all__ = ["StudyResult", "study", "write_results"]

_MARK = "study.json"
_CACHE = "cache"
_CELLS = f"{_CACHE}/cells.sqlite"
_MODELS = f"{_CACHE}/models"


@dataclass(frozen=True)
class StudyResult(Result):
    """What there is to do in a study, and what is done.

    Attributes
    ----------
    request : StudyRequest
    path : folder of the results
    n_models, n_untrained : int, of the part that was asked for
    n_points : int, at which they are measured
    n_cells, n_pending : int, models times points, and how many of these are not measured
    left_out : parts that cannot be run, and why
    seconds : float, of this run
    """

    request: StudyRequest
    path: Path
    n_models: int
    n_untrained: int
    n_points: int
    n_cells: int
    n_pending: int
    left_out: tuple[LeftOut, ...]
    seconds: float

    kind = "study"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent study --json``."""
        counts = ("n_models", "n_untrained", "n_points", "n_cells", "n_pending")
        return {
            "path": str(self.path),
            **{name: getattr(self, name) for name in counts},
            "left_out": [asdict(item) for item in self.left_out],
            "seconds": self.seconds,
        }

    def parts(self) -> Iterator[Table | str]:
        """The counts."""
        done = self.n_cells - self.n_pending
        counts = (self.n_models, self.n_untrained, self.n_points, self.n_cells, done)
        yield Table(("models", "to train", "points", "cells", "done"), [counts])

    def remarks(self) -> Iterator[str]:
        """What was left out, and where to read on."""
        for item in self.left_out:
            yield f"left out: {item.what}: {item.why}"
        if not self.request.dry_run:
            yield f"{self.path}/summary.md after {self.seconds:.0f} s"


@job(StudyRequest)
def study(request: StudyRequest) -> StudyResult:
    """Run a study, or go on with it, and write its tables, figures and summary.

    What is done stays done: trained models and measured cells are kept below ``output/cache`` under a key of
    everything that determines them, so a run that was stopped goes on, and a changed study computes what
    changed. Tables show all cells of the study that are there, whichever run measured them.

    Raises
    ------
    OutputError
        The folder holds something else.
    """
    start, began = time.perf_counter(), time.time()
    tracker = request.tracker or NullTracker()
    named, logs = request.spec, request.logs
    beside = Path() if isinstance(named, StudySpec) else Path(named).parent
    spec = named if isinstance(named, StudySpec) else load_study(named)
    whole = make_plan(spec, beside=beside.resolve(), logs=None if logs is None else Path(logs).resolve())
    part = restrict(whole, request.only or {})
    announce(list(dict.fromkeys(tracking_contacts(tracker.where))), whole=True)
    folder = _claim(Path(request.output))
    done: set[str] = set()
    if not request.dry_run:
        _prepare(folder)
    if (folder / _CELLS).is_file() or not request.dry_run:
        with CellStore(folder / _CELLS) as store:
            done |= set(store.get([cell_key(*cell) for cell in whole.cells()]))
            if not request.dry_run:
                with open_workers(request.workers, request.dask) as workers:
                    _fill(part, store, (folder / _MODELS).resolve(), done, workers, request.update)
                _write(spec, whole, store, folder)
                if tracker.where is not None:
                    tracker.record(_tracked(spec, whole, store, folder, began))
    models = {m.key: m for m in part.models}
    keys = {cell_key(*cell) for cell in part.cells()}
    return StudyResult(
        request,
        folder,
        n_models=len(models),
        n_untrained=sum(not is_fitted(m, folder / _MODELS) for m in models.values()),
        n_points=len({p.key for p in part.points}),
        n_cells=len(keys),
        n_pending=len(keys - done),
        left_out=whole.left_out,
        seconds=time.perf_counter() - start,
    )


def _fill(
    plan: Plan,
    store: CellStore,
    folder: Path,
    done: set[str],
    workers: Workers,
    update: Callable[[int, int], None],
) -> None:
    """Train what is missing and needed, then measure point by point."""
    missing = [(m, p) for m, p in plan.cells() if cell_key(m, p) not in done]
    by_key = {m.key: m for m, _ in missing}
    untrained = [m for m in by_key.values() if not is_fitted(m, folder)]
    points: dict[str, tuple[Point, dict[str, ModelPlan]]] = {}
    for model, point in missing:
        points.setdefault(point.key, (point, {}))[1].setdefault(model.key, model)
    total, count = len(untrained) + len({cell_key(*cell) for cell in missing}), 0
    update(count, total)
    for key in workers.map(partial(fit_model, folder), untrained, ordered=False):
        if not is_fitted(by_key[key], folder):
            raise OutputError(
                f"{folder / key} was trained by a worker and is not here, expected a folder that all share"
            )
        count += 1
        update(count, total)
    jobs = [(point, list(models.values())) for point, models in points.values()]
    for cells in workers.map(partial(measure, folder), jobs, ordered=False):
        store.put(cells)
        done.update(cells)
        count += len(cells)
        update(count, total)


def _tracked(spec: StudySpec, plan: Plan, store: CellStore, folder: Path, began: float) -> TrackedRun:
    """The study as a run: its tables and figures, and within it a run for each recogniser."""
    from intent.recognise.study.summary import cell_table

    table = cell_table(plan, store.get([cell_key(*cell) for cell in plan.cells()]))
    ended = time.time()
    tags = {"version": __version__, "log": spec.name}
    parts = [] if table.empty else list(_tracked_parts(plan, table, folder / _MODELS, (began, ended), tags))
    files = [folder / name for name in ("summary.md", "summary.csv", "training.csv", "cells.csv.gz")]
    return TrackedRun(
        spec.name,
        spec.model_dump(mode="json"),
        {"models": float(len(parts)), "cells": float(len(table)), "seconds": ended - began},
        artifacts=[path for path in files if path.is_file()],
        pictures=sorted(folder.glob("*.png")),
        tags={"kind": "study", **tags},
        began=began,
        ended=ended,
        parts=parts,
        note=f"Study {one_line(spec.name)}: {len(parts):,} recognisers, {len(table):,} cells.",
    )


def _tracked_parts(
    plan: Plan, table: pd.DataFrame, folder: Path, whole: tuple[float, float], tags: Mapping[str, str]
) -> Iterator[TrackedRun]:
    """A run for each recogniser that is measured."""
    from intent.recognise.study.summary import summary_table

    plans = {tuple(model.columns().values()): model for model in plan.models}
    for key, rows in summary_table(table).groupby([*MODEL], sort=False, dropna=False):
        model = plans[tuple(map(str, key))]
        began, ended = _trained_from(model, folder, whole)
        means = {name: float(rows[name].mean()) for name in _SUMMARISED}
        by_opponent = {
            f"{name}_against_{row['opponent']}": float(row[name])
            for row in rows.to_dict("records")
            for name in _BY_OPPONENT
        }
        yield TrackedRun(
            model.title,
            {**model.columns(), **dict(model.parameters)},
            means | by_opponent,
            tags={"kind": "study, recogniser", "recogniser": model.kind, **tags},
            began=began,
            ended=ended,
        )


_SUMMARISED = ("accuracy", "ceiling_known", "regret_known", "regret_integrate", "macro_f1", "ece", "brier")
_BY_OPPONENT = ("accuracy", "regret_known")


def _trained_from(model: ModelPlan, folder: Path, whole: tuple[float, float]) -> tuple[float, float]:
    """When a recogniser was trained, by what is saved of it; the time of the study where it was not."""
    if not model.trained or not is_fitted(model, folder):
        return whole
    seconds = float(describe_recogniser(folder / model.key)["about"].get("seconds") or 0)
    ended = (folder / model.key).stat().st_mtime
    return ended - seconds, ended


def _claim(folder: Path) -> Path:
    claim(folder, overwrite=True, into=True)
    if folder.is_dir() and not (folder / _MARK).is_file() and any(folder.iterdir()):
        raise OutputError(
            f"{folder} is not empty and holds no {_MARK}, so it is no study of ours; choose another"
        )
    return folder


def _prepare(folder: Path) -> None:
    """Make the folder, known as ours from the start; its cache is nothing to commit."""
    (folder / _MODELS).mkdir(parents=True, exist_ok=True)
    if not (folder / _MARK).is_file():
        (folder / _MARK).write_text("{}\n", encoding="utf8")
    (folder / _CACHE / ".gitignore").write_text("*\n", encoding="utf8")


def _write(spec: StudySpec, plan: Plan, store: CellStore, folder: Path) -> None:
    """Tables, figures and summary of everything that is measured by now."""
    write_results(spec, plan, store, folder / _MODELS, folder)
    facts = {"version": __version__, "study": spec.model_dump(mode="json")}
    with writing(folder / _MARK, overwrite=True) as draft:
        draft.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf8")


def write_results(spec: StudySpec, plan: Plan, store: CellStore, models: Path, folder: Path) -> None:
    """Write ``cells.csv.gz``, ``summary.csv``, ``training.csv``, ``summary.md`` and the figures.

    The cells alone determine them, save for ``training.csv``, which has seconds. The rule that knows eps
    has no regret and is not drawn.
    """
    from intent.recognise.study.figures import write_study_figures
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
