"""The tables of a study: every cell, and one row per model and opponent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from intent.workflows.study.models import ModelPlan
    from intent.workflows.study.plan import Plan

__all__ = [
    "MODEL",
    "best_settings",
    "calibration_error",
    "cell_table",
    "learned_cells",
    "pooled_bins",
    "summary_table",
    "training_table",
]

MODEL = ["group", "recogniser", "kind", "set", "train_size", "train_noise"]
"""Columns that name a model."""

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
    bins (as `intent.workflows.study.scores.reliability`).
    """
    import pandas as pd

    from intent.workflows.study.plan import cell_key

    place = {id(model): i for i, model in enumerate(plan.models)}
    rows = []
    for model, point in sorted(plan.cells(), key=lambda cell: place[id(cell[0])]):
        cell = cells.get(cell_key(model, point))
        if cell is None:
            continue
        where = {"opponent": point.opponent, "rounds": point.rounds, "noise": point.noise}
        scores = {name: cell[name] for name in ("n", *_MEASURES)}
        f1 = {f"f1_{name}": value for name, value in cell["f1"].items()}
        rows.append({**_names(model), **where, **scores, **f1, "bins": cell["bins"]})
    if rows:
        return pd.DataFrame(rows)
    return pd.DataFrame(columns=[*MODEL, "opponent", "rounds", "noise", "n", *_MEASURES, "bins"])


def training_table(plan: Plan, folder: Path) -> pd.DataFrame:
    """Seconds and bytes of every model that was trained here and is kept in the folder."""
    import pandas as pd

    from intent.recognise.storage import describe_recogniser
    from intent.workflows.study.measure import is_fitted

    rows = []
    for model in plan.models:
        if model.trained and is_fitted(model, folder):
            facts = describe_recogniser(folder / model.key)
            rows.append({**_names(model), "seconds": facts["about"]["seconds"], "bytes": facts["bytes"]})
    return pd.DataFrame(rows, columns=[*MODEL, "seconds", "bytes"])


def summary_table(table: pd.DataFrame) -> pd.DataFrame:
    """One row per model and opponent: means over noise and rounds, the worst regret, ECE pooled over noise.

    ``ece_pooled`` takes the play of all noise levels together, for each number of rounds, and is their mean.
    """
    import pandas as pd

    rows = []
    for key, part in table.groupby([*MODEL, "opponent"], sort=False, dropna=False):
        pooled = [calibration_error(pooled_bins(rounds)) for _, rounds in part.groupby("rounds")]
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
    kept = table[~table["group"].isin(partial)]
    if kept.empty:
        return kept.assign(label=[])
    settings = kept.drop_duplicates(MODEL).drop_duplicates(["group", "recogniser", "set"], keep="last")
    best = kept.merge(settings[MODEL], on=MODEL)
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
    import pandas as pd

    rows = [row for bins in part["bins"] for row in bins]
    sums = pd.DataFrame(rows, columns=["bin", "mass", "confidence", "accuracy"]).groupby("bin").sum()
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


def _names(model: ModelPlan) -> dict[str, Any]:
    from intent.workflows.study.models import noise_text

    return {
        "group": model.group,
        "recogniser": model.recogniser,
        "kind": model.kind,
        "set": model.set,
        "train_size": "" if model.size is None else str(model.size),
        "train_noise": noise_text(model.noise),
    }
