"""A robustness study: train many recognisers, measure all of them at many points, keep what is done.

What a study leaves in its folder: tables, figures, a summary in words and numbers, all computed from its
cells. The tables are every cell, and one row per model and opponent.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from intent.base.errors import OutputError, one_line
from intent.base.job import Result, Table, job
from intent.base.outputs import claim, writing
from intent.base.remote import announce
from intent.base.tracking import NullTracker, TrackedRun, tracking_contacts
from intent.base.workers import Workers, open_workers
from intent.recognise.recogniser import describe_recogniser
from intent.recognise.requests import StudyRequest
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

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intent.recognise.study.plan import Plan, StudySpec

__all__ = [
    "StudyResult",
    "best_settings",
    "calibration_error",
    "cell_table",
    "findings",
    "learned_cells",
    "pooled_bins",
    "study",
    "summary_table",
    "summary_text",
    "training_table",
    "write_results",
]


def summary_text(spec: StudySpec, plan: Plan, table: pd.DataFrame, best: pd.DataFrame, missing: int) -> str:
    """The summary as Markdown.

    Parameters
    ----------
    spec : StudySpec
    plan : Plan, the whole
    table : as `cell_table`
    best : as `best_settings`
    missing : cells of the study that are not measured yet
    """
    opponent = next(iter(spec.points.opponents))
    points = len(table.drop_duplicates(["set", "opponent", "rounds", "noise"]))
    models = len(table.drop_duplicates(["group", "recogniser", "set", "train_size", "train_noise"]))
    state = f" {missing:,} cells of the study are not measured yet." if missing else ""
    blocks = [
        f"# {spec.name}: summary",
        f"{models:,} models, {points:,} points, {len(table):,} cells; {spec.n_test:,} fresh trajectories a "
        f"point, seed {spec.seed}.{state}",
        "Accuracy counts each history with the exact probability that the named strategy produced it, so it "
        "has less noise than counting hits. Regret is taken on the same play: *known* to the Bayes rule that "
        "knows eps, *integrate* to the one that integrates eps over U[0, .2] and so knows no more than a "
        "recogniser does. With canonical5 and canonical6 the second is the fair one.",
        *findings(spec, table, best, plan),
        *_overall(spec, best[best["opponent"] == opponent]),
        *_opponents(best),
        *_mismatch(spec, table[table["opponent"] == opponent], plan),
        *_sizes(spec, table[table["opponent"] == opponent], plan),
        *_recipes(spec, table),
        *_errors(table),
        *_left_out(plan),
    ]
    return "\n\n".join(blocks) + "\n"


def _overall(spec: StudySpec, best: pd.DataFrame) -> list[str]:
    if best.empty:
        return []

    rows = []
    pairs = best[["set", "label"]].drop_duplicates().itertuples(index=False, name=None)
    for set_name, label in sorted(pairs, key=lambda pair: spec.sets.index(pair[0])):
        part = best[(best["set"] == set_name) & (best["label"] == label)]
        pooled = [calibration_error(pooled_bins(same)) for _, same in part.groupby("rounds", observed=True)]
        first = part.iloc[0]
        rows.append(
            [
                set_name,
                label,
                _learned(first["train_size"], first["train_noise"]),
                _number(part["accuracy"].mean()),
                _number(part["regret_known"].mean()),
                _number(part["regret_known"].max()),
                _number(part["regret_integrate"].mean()),
                _number(part["regret_integrate"].max()),
                _number(part["macro_f1"].mean()),
                _number(part["brier"].mean()),
                _number(max(pooled)),
            ]
        )
    head = "set|recogniser|learned from|accuracy|regret, known|worst|regret, integrate|worst|F1|Brier|ECE"
    return [
        f"## Over noise and rounds, opponent {next(iter(spec.points.opponents))}",
        "Means over the noise levels and rounds, and the worst single point. ECE: all noise levels together "
        "(at a single one even exact Bayes that does not know eps is not calibrated), the worst over rounds.",
        _markdown(head.split("|"), rows),
    ]


def _opponents(best: pd.DataFrame) -> list[str]:
    names = list(dict.fromkeys(best["opponent"]))
    if len(names) < 2:
        return []
    common = int(best.groupby("opponent", observed=True)["rounds"].max().min())
    short = best[best["rounds"] <= common]
    means = short.groupby(["set", "label", "opponent"], sort=False, observed=True)["regret_known"].mean()
    ceilings = short.groupby(["set", "opponent"], sort=False, observed=True)["ceiling_known"].mean()
    rows = []
    for set_name in dict.fromkeys(short["set"]):
        rows.append([set_name, "*ceiling*", *(_number(ceilings.get((set_name, o))) for o in names)])
        labels = dict.fromkeys(short.loc[short["set"] == set_name, "label"])
        rows += [[set_name, a, *(_number(means.get((set_name, a, o))) for o in names)] for a in labels]
    return [
        "## By opponent",
        "Regret to the rule that knows eps (first row: its accuracy), mean over noise and up to "
        f"{common} rounds, which all opponents have. An automaton plays with the noise of the player that it "
        "meets; recorded moves are played as they are.",
        _markdown(["set", "recogniser", *names], rows),
    ]


def _mismatch(spec: StudySpec, table: pd.DataFrame, plan: Plan) -> list[str]:
    trained = learned_cells(table, plan)
    counts = trained.groupby(["group", "recogniser", "set", "train_size"], observed=True)[
        "train_noise"
    ].transform("nunique")
    several = trained[counts > 1]
    if several.empty:
        return []
    noises = sorted(several["noise"].unique())
    means = several.pivot_table(
        index=[*MODEL], columns="noise", values="regret_known", sort=False, observed=True
    )
    numeric = [int(size) for size in several["train_size"] if size.isdigit()]
    most = str(max(numeric, default=0))
    rows = [
        [key[3], key[1], _rows(key[4]), key[5], *(_number(values.get(eps)) for eps in noises)]
        for key, values in zip(means.index, means.to_dict("records"), strict=True)
        if key[4] == most or not key[4].isdigit()
    ]
    rows.sort(key=lambda row: spec.sets.index(row[0]))
    head = ["set", "recogniser", "rows", "trained with", *(f"eps {eps:g}" for eps in noises)]
    return [
        "## Trained with one noise, tested with another",
        "Regret to the rule that knows eps, by the noise of the play; mean over rounds, opponent "
        f"{next(iter(spec.points.opponents))}. Of several sizes of training, the largest.",
        _markdown(head, rows),
    ]


def _sizes(spec: StudySpec, table: pd.DataFrame, plan: Plan) -> list[str]:
    trained = learned_cells(table, plan)
    if trained["train_size"].nunique() < 2:
        return []
    noise = trained["train_noise"].iloc[-1]
    same = trained[trained["train_noise"] == noise]
    sizes = list(dict.fromkeys(same["train_size"]))
    means = same.groupby(["set", "recogniser", "train_size"], sort=False, observed=True)[
        "regret_known"
    ].mean()
    pairs = list(dict.fromkeys(zip(same["set"], same["recogniser"], strict=True)))
    pairs.sort(key=lambda pair: spec.sets.index(pair[0]))
    rows = [[*pair, *(_number(means.get((*pair, size))) for size in sizes)] for pair in pairs]
    return [
        "## By size of training",
        f"Regret to the rule that knows eps, mean over noise and rounds; trained with noise {noise}, "
        f"opponent {next(iter(spec.points.opponents))}.",
        _markdown(["set", "recogniser", *map(_rows, sizes)], rows),
    ]


def _recipes(spec: StudySpec, table: pd.DataFrame) -> list[str]:
    """Groups with published figures: ours and theirs, trained and tested with the same noise."""
    blocks: list[str] = []
    for name, group in spec.groups.items():
        part = table[(table["group"] == name) & (table["opponent"] == next(iter(spec.points.opponents)))]
        if not group.published or part.empty:
            continue
        same = part[part["train_noise"] == part["noise"].map("{:g}".format)]
        rows = []
        for (set_name, noise, label), cell in same.groupby(
            ["set", "noise", "recogniser"], sort=False, observed=True
        ):
            first = cell.iloc[0]
            theirs = [
                f"{p.called} {p.accuracy} ({p.source})"
                for p in group.published
                if (p.recogniser, p.set, p.noise) == (label, set_name, noise)
            ]
            rows.append(
                [
                    str(set_name),
                    f"{noise:g}",
                    str(label),
                    _number(first["accuracy"]),
                    _number(first["ceiling_known"]),
                    _number(first["regret_known"]),
                    "; ".join(theirs),
                ]
            )
        others = [
            [p.set, f"{p.noise:g}", p.called, "", "", "", f"{p.accuracy} ({p.source})"]
            for p in group.published
            if p.recogniser is None
        ]
        head = ["set", "eps", "recogniser", "accuracy", "ceiling", "regret", "published accuracy"]
        blocks += [f"## {name}", group.about, _markdown(head, [*rows, *others])]
    return [block for block in blocks if block]


def _errors(table: pd.DataFrame) -> list[str]:
    columns = ["accuracy_se", "regret_known_se", "regret_integrate_se"]
    rows = [
        [c.removesuffix("_se").replace("_", ", "), *map(_number, (table[c].median(), table[c].max()))]
        for c in columns
    ]
    return ["## Standard errors of a cell", _markdown(["measure", "median", "largest"], rows)]


def _left_out(plan: Plan) -> list[str]:
    if not plan.left_out:
        return []
    return ["## Left out", "\n".join(f"- {item.what}: {item.why}" for item in plan.left_out)]


def _learned(size: str, noise: str) -> str:
    return f"{_rows(size)}, eps {noise}" if size else "–"


def _rows(size: str) -> str:
    return f"{int(size):,}" if size.isdigit() else size


def _number(value: float | None) -> str:
    """Four decimals; a dash where there is none."""
    return "–" if value is None or value != value else f"{round(value, 4) + 0.0:.4f}"


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def findings(spec: StudySpec, table: pd.DataFrame, best: pd.DataFrame, plan: Plan) -> list[str]:
    """The heading and the list of findings as Markdown blocks; nothing where too little is measured.

    Parameters
    ----------
    spec : StudySpec
    table, best : as `cell_table` and `best_settings`
    plan : Plan
    """
    opponent = next(iter(spec.points.opponents))

    learned = learned_cells(best, plan)
    lines = [
        *_nearest(spec, learned[learned["opponent"] == opponent], opponent),
        *_findings_opponents(spec, best),
        *_findings_mismatch(learned_cells(table[table["opponent"] == opponent], plan)),
    ]
    return ["## Findings", "\n".join(f"- {line}" for line in lines)] if lines else []


def _nearest(spec: StudySpec, learned: pd.DataFrame, opponent: str) -> list[str]:
    """The recogniser that learned and comes nearest to the rule that integrates eps, per set."""
    lines = []
    for name in spec.sets:
        part = learned[learned["set"] == name]
        if part.empty:
            continue
        means = part.groupby("label", sort=False, observed=True)["regret_integrate"].mean()
        label = str(means.idxmin())
        cells = part[part["label"] == label]
        worst = cells.sort_values("regret_integrate").iloc[-1]
        farthest = (
            f" The farthest is {means.idxmax()} ({_points(means.max())} points)." if len(means) > 1 else ""
        )
        lines.append(
            f"**{name}**, opponent {opponent}: of those that learn, {label} comes nearest to the rule that "
            f"integrates eps: {_points(means.min())} points below it on average, "
            f"{_points(worst['regret_integrate'])} points at the worst ({worst['rounds']} rounds, eps "
            f"{worst['noise']:g}).{farthest}"
        )
    return lines


def _findings_opponents(spec: StudySpec, best: pd.DataFrame) -> list[str]:
    """How far the ceiling itself depends on the opponent."""
    common = best.groupby("opponent", observed=True)["rounds"].max().min()
    short = best[best["rounds"] <= common]
    lines = []
    for name in spec.sets:
        ceilings = short[short["set"] == name].groupby("opponent", observed=True)["ceiling_known"].mean()
        if len(ceilings) > 1:
            lines.append(
                f"**{name}**: what can be recognised at all depends on the opponent: up to {common} rounds, "
                f"the exact rule itself is right in {ceilings.max():.1%} against {ceilings.idxmax()}, in "
                f"{ceilings.min():.1%} against {ceilings.idxmin()}."
            )
    return lines


def _findings_mismatch(learned: pd.DataFrame) -> list[str]:
    """What training without noise costs where there is much, beside training across noises."""
    ranges = [noise for noise in learned["train_noise"].unique() if "-" in noise]
    if not ranges or "0" not in set(learned["train_noise"]):
        return []
    loud = learned[learned["noise"] == learned["noise"].max()]
    models = ["recogniser", "set", "train_size", "train_noise"]
    means = loud.groupby(models, sort=False, observed=True)["regret_known"].mean().reset_index()
    sizes = means[means["train_size"].str.isdigit()]
    means = sizes[sizes["train_size"].astype(int) == sizes["train_size"].astype(int).max()]
    without, across = (means.loc[means["train_noise"] == n, "regret_known"] for n in ("0", ranges[-1]))
    if without.empty or across.empty:
        return []
    return [
        f"Trained without noise and tested at eps {loud['noise'].iloc[0]:g}, recognisers lose "
        f"{_points(without.min())} to {_points(without.max())} points; trained with noise "
        f"{ranges[-1].replace('-', ' to ')} they lose {_points(across.min())} to {_points(across.max())}."
    ]


def _points(share: float) -> str:
    """A share in percentage points."""
    return f"{round(100 * share, 2) + 0.0:.2f}"


_MEASURES = [
    "accuracy",
    "accuracy_se",
    "ceiling_known",
    "ceiling_integrate",
    "regret_known",
    "regret_known_se",
    "regret_integrate",
    "regret_integrate_se",
    "macro_f1",
    "ece",
    "brier",
]


def cell_table(plan: Plan, cells: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """One row per model and point that is measured, in the order of the study.

    Columns: those of `MODEL`, opponent, rounds, noise, n, the measures, one ``f1_<STRATEGY>`` per class, and
    bins (as `intent.recognise.study.measure.reliability`).
    """
    place = {id(model): i for i, model in enumerate(plan.models)}
    rows = []
    for model, point in sorted(plan.cells(), key=lambda cell: place[id(cell[0])]):
        cell = cells.get(cell_key(model, point))
        if cell is None:
            continue
        where = {"opponent": point.opponent, "rounds": point.rounds, "noise": point.noise}
        scores = {name: cell[name] for name in ("n", *_MEASURES)}
        f1 = {f"f1_{name}": value for name, value in cell["f1"].items()}
        rows.append({**model.columns(), **where, **scores, **f1, "bins": cell["bins"]})
    if rows:
        return pd.DataFrame(rows)
    return pd.DataFrame(columns=[*MODEL, "opponent", "rounds", "noise", "n", *_MEASURES, "bins"])


def training_table(plan: Plan, folder: Path) -> pd.DataFrame:
    """Seconds and bytes of every model that was trained here and is kept in the folder."""
    rows = []
    for model in plan.models:
        if model.trained and is_fitted(model, folder):
            facts = describe_recogniser(folder / model.key)
            rows.append({**model.columns(), "seconds": facts["about"]["seconds"], "bytes": facts["bytes"]})
    return pd.DataFrame(rows, columns=[*MODEL, "seconds", "bytes"])


def summary_table(table: pd.DataFrame) -> pd.DataFrame:
    """One row per model and opponent: means over noise and rounds, the worst regret, ECE pooled over noise.

    ``ece_pooled`` takes the play of all noise levels together, for each number of rounds, and is their mean.
    """
    rows = []
    for key, part in table.groupby([*MODEL, "opponent"], sort=False, dropna=False, observed=True):
        pooled = [
            calibration_error(pooled_bins(rounds)) for _, rounds in part.groupby("rounds", observed=True)
        ]
        means = {
            name: part[name].mean()
            for name in ("accuracy", "ceiling_known", "ceiling_integrate", "regret_known", "regret_integrate")
        }
        rows.append(
            {
                **dict(zip([*MODEL, "opponent"], key, strict=True)),
                "n_points": len(part),
                "longest": int(part["rounds"].max()),
                **means,
                "regret_known_se": _error_of_mean(part["regret_known_se"]),
                "regret_integrate_se": _error_of_mean(part["regret_integrate_se"]),
                "regret_known_worst": part["regret_known"].max(),
                "regret_integrate_worst": part["regret_integrate"].max(),
                **{name: part[name].mean() for name in ("macro_f1", "ece", "brier")},
                "ece_pooled": sum(pooled) / len(pooled),
            }
        )
    return pd.DataFrame(rows)


def best_settings(table: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """Cells of each recogniser as trained most generally: its last size and noise in the study.

    Groups that are measured at some of the points only are left out. Column ``label`` names the recogniser.
    """
    partial = {m.group for m in plan.models if m.rounds is not None or m.opponents is not None}
    complete = table[~table["group"].isin(partial)]
    if complete.empty:
        return complete.assign(label=[])
    settings = complete.drop_duplicates([*MODEL]).drop_duplicates(["group", "recogniser", "set"], keep="last")
    best = complete.merge(settings[[*MODEL]], on=[*MODEL])
    names = best.drop_duplicates(["group", "recogniser"])["recogniser"]
    twice = set(names[names.duplicated()])
    label = best["recogniser"].where(
        ~best["recogniser"].isin(twice), best["recogniser"] + " (" + best["group"] + ")"
    )
    return best.assign(label=label)


def learned_cells(table: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """Cells of groups that learn here and are measured at all points."""
    learning = {m.group for m in plan.models if m.trained and m.rounds is None and m.opponents is None}
    return table[table["group"].isin(learning)]


def pooled_bins(part: pd.DataFrame) -> pd.DataFrame:
    """Bins of confidence of several cells together: mass, confidence and accuracy of each."""
    rows = [row for bins in part["bins"] for row in bins]
    sums = (
        pd.DataFrame(rows, columns=["bin", "mass", "confidence", "accuracy"])
        .groupby("bin", observed=True)
        .sum()
    )
    return sums.assign(
        confidence=sums["confidence"] / sums["mass"], accuracy=sums["accuracy"] / sums["mass"]
    ).reset_index()


def calibration_error(bins: pd.DataFrame) -> float:
    """ECE of pooled bins: the mean distance of accuracy and confidence, by mass."""
    gap = (bins["accuracy"] - bins["confidence"]).abs()
    return float((gap * bins["mass"]).sum() / bins["mass"].sum())


def _error_of_mean(errors: pd.Series) -> float:
    """Standard error of the mean of independent points."""
    return float((errors**2).sum() ** 0.5 / len(errors))


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
    plans = {tuple(model.columns().values()): model for model in plan.models}
    for key, rows in summary_table(table).groupby([*MODEL], sort=False, dropna=False, observed=True):
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
    parts = []
    for (label, set_name), part in best.groupby(["label", "set"], sort=False, observed=True):
        bins = pooled_bins(part)
        parts.append(bins.assign(label=str(label), set=str(set_name), ece=calibration_error(bins)))
    return pd.concat(parts) if parts else pd.DataFrame(columns=["label", "set", "ece"])


def _trained(best: pd.DataFrame) -> str:
    """How the recognisers of the maps were trained."""
    learned = best[best["train_size"] != ""]
    texts = []
    for (size, noise), part in learned.groupby(["train_size", "train_noise"], sort=False, observed=True):
        rows = f"{int(str(size)):,} trajectories" if str(size).isdigit() else f"{size} play"
        texts.append(
            f"{', '.join(dict.fromkeys(part['label']))} on {rows}, noise {str(noise).replace('-', ' to ')}"
        )
    return f"Trained: {'; '.join(texts)}." if texts else ""
