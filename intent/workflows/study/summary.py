"""A study in words and numbers: findings and tables, all computed from its cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from intent.workflows.study.plan import Plan
    from intent.workflows.study.spec import StudySpec

__all__ = ["summary_text"]


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
    from intent.workflows.study.findings import findings

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
    from intent.workflows.study.tables import calibration_error, pooled_bins

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
    from intent.workflows.study.tables import MODEL, learned_cells

    trained = learned_cells(table, plan)
    counts = trained.groupby(["group", "recogniser", "set", "train_size"])["train_noise"].transform("nunique")
    several = trained[counts > 1]
    if several.empty:
        return []
    noises = sorted(several["noise"].unique())
    means = several.pivot_table(index=MODEL, columns="noise", values="regret_known", sort=False)
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
    from intent.workflows.study.tables import learned_cells

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
