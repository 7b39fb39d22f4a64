"""A study in words and numbers: findings and tables, all computed from its cells.

What a study found, in sentences whose numbers come from its cells.

The tables of a study: every cell, and one row per model and opponent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from intent.recognise.storage import describe_recogniser
from intent.recognise.study.measure import is_fitted
from intent.recognise.study.plan import MODEL, cell_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intent.recognise.study.plan import Plan, StudySpec


__all__ = [
    "best_settings",
    "calibration_error",
    "cell_table",
    "findings",
    "learned_cells",
    "pooled_bins",
    "summary_table",
    "summary_text",
    "training_table",
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
        pooled = [calibration_error(pooled_bins(same)) for _, same in part.groupby("rounds")]
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
    common = int(best.groupby("opponent")["rounds"].max().min())
    short = best[best["rounds"] <= common]
    means = short.groupby(["set", "label", "opponent"], sort=False)["regret_known"].mean()
    ceilings = short.groupby(["set", "opponent"], sort=False)["ceiling_known"].mean()
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
    counts = trained.groupby(["group", "recogniser", "set", "train_size"])["train_noise"].transform("nunique")
    several = trained[counts > 1]
    if several.empty:
        return []
    noises = sorted(several["noise"].unique())
    means = several.pivot_table(index=[*MODEL], columns="noise", values="regret_known", sort=False)
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
    means = same.groupby(["set", "recogniser", "train_size"], sort=False)["regret_known"].mean()
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
        for (set_name, noise, label), cell in same.groupby(["set", "noise", "recogniser"], sort=False):
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


def _findings_opponents(spec: StudySpec, best: pd.DataFrame) -> list[str]:
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


def _findings_mismatch(learned: pd.DataFrame) -> list[str]:
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
