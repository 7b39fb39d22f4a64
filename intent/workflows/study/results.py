"""What a study leaves in its folder: tables, figures, a summary in words and numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from intent.workflows.study.plan import Plan
    from intent.workflows.study.spec import StudySpec
    from intent.workflows.study.store import CellStore

__all__ = ["write_results"]


def write_results(spec: StudySpec, plan: Plan, store: CellStore, models: Path, folder: Path) -> None:
    """Write ``cells.csv.gz``, ``summary.csv``, ``training.csv``, ``summary.md`` and the figures.

    The cells alone determine them, save for ``training.csv``, which has seconds. The rule that knows eps
    has no regret and is not drawn.
    """
    from intent.logs.output import writing
    from intent.report.study_figures import write_study_figures
    from intent.workflows.study.plan import cell_key
    from intent.workflows.study.summary import summary_text
    from intent.workflows.study.tables import best_settings, cell_table, summary_table, training_table

    keys = [cell_key(*cell) for cell in plan.cells()]
    cells = store.get(keys)
    table = cell_table(plan, cells)
    if table.empty:
        return
    best, opponent = best_settings(table, plan), next(iter(spec.points.opponents))
    rule = {m.recogniser for m in plan.models if m.kind == "bayes" and m.parameters.get("eps") == "known"}
    shown = best[~best["recogniser"].isin(rule)]
    _write(table.drop(columns="bins"), folder / "cells.csv.gz")
    _write(summary_table(table), folder / "summary.csv")
    _write(training_table(plan, models), folder / "training.csv")
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


def _write(table: pd.DataFrame, path: Path) -> None:
    """A CSV file of five decimals, the same bytes for the same table."""
    from intent.logs.output import writing

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
    kept = table.merge(names, on=["group", "recogniser"])
    kept = kept[kept["opponent"] == opponent]
    rows = [pair in trained for pair in zip(kept["group"], kept["recogniser"], strict=True)]
    return kept.loc[rows]


def _reliability(best: pd.DataFrame) -> pd.DataFrame:
    """Bins of confidence per recogniser and set, with their calibration error."""
    import pandas as pd

    from intent.workflows.study.tables import calibration_error, pooled_bins

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
