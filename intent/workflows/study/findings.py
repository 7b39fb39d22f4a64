"""What a study found, in sentences whose numbers come from its cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from intent.workflows.study.plan import Plan
    from intent.workflows.study.spec import StudySpec

__all__ = ["findings"]


def findings(spec: StudySpec, table: pd.DataFrame, best: pd.DataFrame, plan: Plan) -> list[str]:
    """The heading and the list of findings as Markdown blocks; nothing where too little is measured.

    Parameters
    ----------
    spec : StudySpec
    table, best : as `cell_table` and `best_settings`
    plan : Plan
    """
    opponent = next(iter(spec.points.opponents))
    from intent.workflows.study.tables import learned_cells

    learned = learned_cells(best, plan)
    lines = [
        *_nearest(spec, learned[learned["opponent"] == opponent], opponent),
        *_opponents(spec, best),
        *_mismatch(learned_cells(table[table["opponent"] == opponent], plan)),
    ]
    return ["## Findings", "\n".join(f"- {line}" for line in lines)] if lines else []


def _nearest(spec: StudySpec, learned: pd.DataFrame, opponent: str) -> list[str]:
    """The recogniser that learned and comes nearest to the rule that integrates eps, per set."""
    lines = []
    for name in spec.sets:
        part = learned[learned["set"] == name]
        if part.empty:
            continue
        means = part.groupby("label", sort=False)["regret_integrate"].mean()
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


def _opponents(spec: StudySpec, best: pd.DataFrame) -> list[str]:
    """How far the ceiling itself depends on the opponent."""
    common = best.groupby("opponent")["rounds"].max().min()
    short = best[best["rounds"] <= common]
    lines = []
    for name in spec.sets:
        ceilings = short[short["set"] == name].groupby("opponent")["ceiling_known"].mean()
        if len(ceilings) > 1:
            lines.append(
                f"**{name}**: what can be recognised at all depends on the opponent: up to {common} rounds, "
                f"the exact rule itself is right in {ceilings.max():.1%} against {ceilings.idxmax()}, in "
                f"{ceilings.min():.1%} against {ceilings.idxmin()}."
            )
    return lines


def _mismatch(learned: pd.DataFrame) -> list[str]:
    """What training without noise costs where there is much, beside training across noises."""
    ranges = [noise for noise in learned["train_noise"].unique() if "-" in noise]
    if not ranges or "0" not in set(learned["train_noise"]):
        return []
    loud = learned[learned["noise"] == learned["noise"].max()]
    models = ["recogniser", "set", "train_size", "train_noise"]
    means = loud.groupby(models, sort=False)["regret_known"].mean().reset_index()
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
