"""Every figure there is: what it shows, what it is made of, and what draws it.

Figures of play, figures of the tables that commands write, and those that other commands draw themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.registry import load, points
from intent.base.statistics import BOOTSTRAP, PERCENTILES, WILSON, interval_words

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.behaviour.indices import Outcome
    from intent.behaviour.means import Intervals
    from intent.comparison.groups import Comparison
    from intent.figures.style import Drawing


__all__ = [
    "ENTRY_POINTS",
    "FIGURES",
    "TABLES",
    "Figure",
    "Made",
    "Subject",
    "TableKind",
    "TableSubject",
    "makers",
    "of_tables",
    "table_kind",
]


@dataclass(frozen=True)
class TableKind:
    """A result table that figures are made of.

    Parameters
    ----------
    name : str
    columns : tuple of str
        By which it is known.
    command : str
        What writes it.
    """

    name: str
    columns: tuple[str, ...]
    command: str


TABLES: tuple[TableKind, ...] = (
    TableKind(
        "labels", ("label", "best", "confidence", "status", "fit_p"), "intent label LOG -o labels.parquet"
    ),
    TableKind(
        "metrics",
        ("first_move", "p_cc", "p_cc_n", "p_dd", "p_dd_n"),
        "intent metrics LOG -o metrics.parquet",
    ),
    TableKind(
        "estimates",
        ("strategy", "n_subjects", "estimate", "low", "high", "tremble"),
        "intent sfem LOG --by COLUMN -o estimates.csv",
    ),
    TableKind(
        "shares",
        ("outcome", "n", "n_effective", "estimate", "low", "high"),
        "intent compare LABELS --by COLUMN -o shares.csv",
    ),
    TableKind(
        "means",
        ("metric", "n", "n_effective", "estimate", "low", "high"),
        "intent compare METRICS --by COLUMN --metric NAME -o means.csv",
    ),
    TableKind(
        "bins",
        ("class", "bin", "low", "high", "n", "confidence", "accuracy"),
        "intent evaluate LOG -o bins.csv",
    ),
    TableKind(
        "cells",
        ("recogniser", "set", "opponent", "rounds", "noise", "regret_known"),
        "intent study STUDY.yaml -o FOLDER: cells.csv.gz",
    ),
    TableKind(
        "importance",
        ("target", "feature", "mean_abs_shap", "share", "r2_in", "r2_out"),
        "intent explain METRICS --target NAME --features A,B -o FOLDER: importance.csv",
    ),
    TableKind("paths", ("start", "run", "step"), "intent evolve … -o FOLDER: paths.parquet"),
    TableKind(
        "equilibria",
        ("start", "name", "initial", "runs", "share", "low", "high", "fixation"),
        "intent evolve … -o FOLDER: equilibria.csv",
    ),
    TableKind("matrix", ("against",), "intent tournament … -o FOLDER: head_to_head_payoff.csv"),
)
"""Kinds in the order in which a file is compared with them."""


def table_kind(path: str | Path) -> str | None:
    """The kind of result table in a file; None where it is none, such as a log.

    Only its first line is looked at.
    """
    from intent.base.tables import columns_of

    columns = set(columns_of(path))
    return next((kind.name for kind in TABLES if set(kind.columns) <= columns), None)


_SCALES = {"scale": "λ", "lambda": "λ", "payoff_scale": "λ", "meta_payoff_scale": "λ", "factor": "r"}
"""Column of the stakes -> the letter that the literature gives it."""


@dataclass(frozen=True, eq=False)
class Subject:
    """The play of one game that figures are made of.

    Parameters
    ----------
    name : str
        The game.
    table : DataFrame
        As `played` returns, with a column `by` where several columns were joined.
    by : str
        The column that makes panels or lines: models, unless something else is asked for.
    stakes : str or None
        The column of payoff settings.
    intervals : Intervals
    rng : Generator
    outcome : {"payoff", "cooperation"}, optional
        Of the radar.
    """

    name: str
    table: pd.DataFrame
    by: str
    stakes: str | None
    intervals: Intervals
    rng: np.random.Generator
    outcome: Outcome | None = None

    @property
    def how(self) -> dict[str, Any]:
        """Keywords of everything that has intervals."""
        return {"rng": self.rng, "intervals": self.intervals}

    @property
    def stakes_title(self) -> str | None:
        """What a legend calls the stakes."""
        return None if self.stakes is None else _SCALES.get(self.stakes, self.stakes.replace("_", " "))

    @cached_property
    def cooperation(self) -> bool:
        """Whether some choice is known to be cooperation or its opposite."""
        return bool(self.table["cooperated"].notna().any())

    def column(self, name: str) -> str | None:
        """A column that tells games apart; None where all have the same value, or `by` says it."""
        if name not in self.table.columns or name in self.by.split(" · "):
            return None
        return name if self.table[name].nunique(dropna=False) > 1 else None


@dataclass(frozen=True, eq=False)
class Made:
    """A figure that can be drawn.

    Parameters
    ----------
    title : str
    table : DataFrame
        What it shows.
    draw : callable
    lines : tuple of str
        How to read it, for the caption.
    shows : tuple of str, or None
        Columns that it tells apart, being a mean over all others; None where cells are kept apart.
    facts : mapping
        Further results, for the JSON object.
    method : str
        How intervals are made where the table has `low` and `high`.
    """

    title: str
    table: pd.DataFrame
    draw: Callable[[], Any]
    lines: Sequence[str]
    shows: tuple[str, ...] | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    method: str = WILSON

    def intervals(self, subject: Subject) -> str:
        """What the intervals of a figure of play are; empty where it has none."""
        from intent.estimate.design_units import design_units

        if "low" not in self.table.columns:
            return ""
        unit = "games"
        if self.method != PERCENTILES:
            unit = design_units(subject.table, conditions=False).unit.noun
        return f"Lines and bands: {interval_words(subject.intervals.level, self.method, unit)}."


_NO_COOPERATION = "no action of the game is cooperation"


def payoffs(subject: Subject) -> Made | str:
    """Normalised payoff (penalty) by stakes, language and pairing."""
    from intent.behaviour.payoffs import payoffs_by_condition
    from intent.figures.panels import draw_grouped_bars

    outer, inner = subject.column("language"), subject.column("pairing")
    shows = _names(subject.by, outer, inner, subject.stakes)
    table = payoffs_by_condition(subject.table, shows, **subject.how)
    if not len(table):
        return "no payoffs are known"
    kind = "penalty" if (subject.table["payoff_kind"] == "penalty").all() else "payoff"
    low = float(min(0.0, table["low"].min(), table["estimate"].min()))
    draw = partial(
        draw_grouped_bars,
        table,
        rows=subject.by,
        outer=outer,
        inner=inner,
        bars=subject.stakes,
        label=f"normalised {kind}",
        limits=(low, 1.0),
        title=subject.stakes_title,
    )
    better = "lower is better" if kind == "penalty" else "higher is better"
    least = subject.table["normalised"].isna() & subject.table["focal"]
    missing = f" Rounds without a payoff are left out: {least.mean():.1%}." if least.any() else ""
    line = (
        f"Normalised {kind}: a player's total, divided by the number of rounds and by the largest absolute "
        f"payoff of a round at these stakes; {better}.{missing}"
    )
    return Made(f"Normalised {kind}", table, draw, (line,), shows, method=BOOTSTRAP)


def choices(subject: Subject) -> Made | str:
    """Mean choice by round."""
    from intent.behaviour.play_table import choice_trajectories
    from intent.figures.panels import draw_lines

    shows = _names(subject.by, subject.stakes)
    table = choice_trajectories(subject.table, shows, **subject.how)
    if not len(table):
        return "no choice is known"
    ends = ("cooperation", "defection") if subject.cooperation else ("second action", "first action")
    draw = partial(
        draw_lines,
        table,
        columns=subject.by,
        lines=subject.stakes,
        label=f"-1 {ends[0]}, +1 {ends[1]}",
        limits=(-1.0, 1.0),
        title=subject.stakes_title,
    )
    line = f"Mean over games and players of +1 ({ends[1]}) and -1 ({ends[0]})."
    return Made("Choices by round", table, draw, (line,), shows)


def cooperation(subject: Subject) -> Made | str:
    """Cooperation rate by round, language and stakes."""
    from intent.behaviour.play_table import cooperation_rates
    from intent.figures.panels import draw_lines

    if not subject.cooperation:
        return _NO_COOPERATION
    language = subject.column("language")
    shows = _names(subject.by, language, subject.stakes)
    table = cooperation_rates(subject.table, [*shows, "round"], **subject.how)
    if not len(table):
        return "no choice is known"
    draw = partial(
        draw_lines,
        table,
        rows=subject.by,
        columns=language,
        lines=subject.stakes,
        label="cooperation (%)",
        limits=(0.0, 1.0),
        title=subject.stakes_title,
        percent=True,
    )
    line = "Share of cooperation among the choices of all games and players."
    return Made("Cooperation by round", table, draw, (line,), shows)


def contributors(subject: Subject) -> Made | str:
    """How many players cooperate, by round."""
    from intent.behaviour.figures import draw_contributors
    from intent.behaviour.play_table import contributor_counts, of_games

    if not subject.cooperation:
        return _NO_COOPERATION
    if not (subject.table["n_players"] > 2).any():
        return "the game has two players"
    shows = _names(subject.by, subject.stakes)
    table = contributor_counts(of_games(subject.table), shows)
    if not len(table):
        return "no round has all choices known"
    draw = partial(
        draw_contributors, table, rows=subject.by, columns=subject.stakes, title=subject.stakes_title
    )
    line = "Share of games in which so many players cooperated in the round; the numbers are games."
    return Made("Contributors by round", table, draw, (line,), shows)


def mismatch(subject: Subject) -> Made | str:
    """Mismatch by round, of all games and by composition of personas."""
    import pandas as pd

    from intent.behaviour.play_table import mismatch_by_round, round_mismatch
    from intent.figures.panels import draw_lines

    if (subject.table.groupby("game_id", observed=True)["action"].nunique() > 2).any():
        return "players choose among more than two actions"
    rounds = round_mismatch(subject.table)
    if not len(rounds):
        return "no round has the choices of two players known"
    every = mismatch_by_round(rounds, [subject.by], **subject.how).assign(composition="all games")
    parts = [every]
    if subject.column("composition"):
        parts.append(mismatch_by_round(rounds, ["composition", subject.by], **subject.how))
    names = ["composition", subject.by, "round"]
    table = pd.concat(parts, ignore_index=True)
    table = table[[*names, *(c for c in table.columns if c not in names)]]
    largest = float(rounds["largest"].max())
    draw = partial(
        draw_lines,
        table,
        columns="composition",
        order=_compositions(table),
        lines=subject.by,
        label="mismatch",
        limits=(0.0, largest),
        title=subject.by,
    )
    n = sorted({int(n) for n in subject.table["n_players"].unique()})
    line = (
        "Mismatch: 1 minus the share of the players of a game that chose its most frequent action, mean over "
        f"games; 0 where all agree, at most {largest:.3g} with {' or '.join(map(str, n))} players."
    )
    return Made("Mismatch by round", table, draw, (line,), (subject.by, "composition"))


def personas(subject: Subject) -> Made | str:
    """Cooperation by persona and language."""
    from intent.base.statistics import NONE
    from intent.behaviour.play_table import cooperation_rates
    from intent.figures.panels import draw_grouped_bars

    if not subject.cooperation:
        return _NO_COOPERATION
    if set(subject.table["persona"].unique()) <= {NONE}:
        return "no player has a persona"
    language = subject.column("language")
    shows = _names("persona", subject.by, language)
    table = cooperation_rates(subject.table, shows, **subject.how)
    if not len(table):
        return "no choice is known"
    draw = partial(
        draw_grouped_bars,
        table,
        rows="persona",
        inner=subject.by,
        outer=None,
        bars=language,
        label="cooperation (%)",
        limits=(0.0, 1.0),
        title="language",
        percent=True,
    )
    line = "Share of cooperation among all choices of players with the persona, whoever the others were."
    return Made("Cooperation by persona", table, draw, (line,), shows)


def radar(subject: Subject) -> Made | str:
    """Internal variability, inconsistency across languages, volatility, sensitivity to payoff."""
    from intent.behaviour.figures import LEAST_AXES, draw_radar
    from intent.behaviour.indices import AXES, behaviour_radar
    from intent.figures.style import narrow

    measures = behaviour_radar(
        subject.table, model=subject.by, stakes=subject.stakes, outcome=subject.outcome
    )
    table = measures.table.assign(name=measures.table["axis"].map(AXES))
    table = table.rename(columns={"model": subject.by, "stakes": subject.stakes or "stakes"})
    if measures.table["value"].isna().all():
        return "; ".join(f"{axis}: {why}" for axis, why in measures.missing.items())
    what = "normalised payoff" if measures.outcome == "payoff" else "share of cooperation"
    lines = [
        f"Outcome: a player's {what}. IV: variance over repetitions. CI: standard deviation of means over "
        "languages. VR: standard deviation over rounds. SP: standard deviation of means over payoff "
        "settings. All are means over cells of the design.",
        "Radar: over the largest of the models at the same setting.",
    ]
    if not narrow():
        lines[-1] += " Table: values, in brackets what repetitions alone would give."
    if measures.missing and len(measures.axes) >= LEAST_AXES:
        lines.append(
            "Not drawn: " + "; ".join(f"{axis}, {why}" for axis, why in measures.missing.items()) + "."
        )
    facts = {"outcome": measures.outcome, "missing": dict(measures.missing)}
    draw = partial(draw_radar, measures, stakes_title=subject.stakes_title)
    return Made("Behavioural measures", table, draw, tuple(lines), None, facts)


def portraits(subject: Subject) -> Made | str:
    """P(C) in round 1 and after each outcome, beside strategies of the catalogue."""
    from intent.behaviour.measures import portraits as estimated
    from intent.behaviour.measures import situation_counts
    from intent.comparison.portraits import PORTRAIT_LINES, draw_portraits

    if not subject.cooperation:
        return _NO_COOPERATION
    rows = situation_counts(subject.table)
    if rows.empty:
        return "the game has more than two players"
    table = estimated(rows, (subject.by,), **subject.how)
    draw = partial(draw_portraits, table, (subject.by,))
    return Made("Memory-one portraits", table, draw, PORTRAIT_LINES, (subject.by,), method=PERCENTILES)


def _names(*columns: str | None) -> tuple[str, ...]:
    """The columns that there are, each once."""
    return tuple(dict.fromkeys(column for column in columns if column is not None))


def _compositions(table: pd.DataFrame) -> list[str]:
    """All games first, then games of one persona, mixed ones last."""
    from intent.behaviour.personas import MIXED

    names = list(dict.fromkeys(table["composition"]))
    return sorted(names, key=lambda name: (name != "all games", name == MIXED, str(name)))


@dataclass(frozen=True, eq=False)
class TableSubject:
    """A result table that figures are made of.

    Parameters
    ----------
    kind : str
        One of `TABLES`.
    table : DataFrame
    facts : mapping
        Metadata of its file.
    by : tuple of str
        Columns that make the groups, where the table is not grouped already.
    intervals : Intervals
    rng : Generator
    """

    kind: str
    table: pd.DataFrame
    facts: Mapping[str, Any]
    by: tuple[str, ...]
    intervals: Intervals
    rng: np.random.Generator

    @cached_property
    def comparison(self) -> Comparison:
        """The groups: of labels counted, else read from the table."""
        from intent.base.tables import strategy_classes
        from intent.comparison.groups import outcomes
        from intent.comparison.tables import comparison_of_table
        from intent.comparison.tests import Sample, Settings, compare_shares
        from intent.estimate.design_units import design_units

        if self.kind != "labels":
            return comparison_of_table(self.table, self.facts)
        classes = strategy_classes(self.table, self.facts)
        counted = outcomes(self.table, "status", classes=classes)
        unit = design_units(self.table, self.by, classes=classes).unit
        rows = Sample(self.table, self.by, unit.codes, also=unit.also)
        settings = Settings(self.intervals.samples, 0, self.intervals.level, unit=unit.noun)
        comparison = compare_shares(rows, counted, count="status", settings=settings, rng=self.rng)
        return replace(comparison, tests=())  # without permutations they would take rows as independent


def _made(drawing: Drawing, table: pd.DataFrame) -> Made:
    return Made(drawing.title, table, drawing.draw, drawing.lines, None)


def simplex(subject: TableSubject) -> Made | str:
    """Posteriors in a triangle, or on a tetrahedron laid flat."""
    from intent.base.tables import strategy_classes
    from intent.comparison.portraits import draw_simplex, posterior_points, simplex_lines

    classes = strategy_classes(subject.table, subject.facts)
    points = posterior_points(subject.table, classes, subject.by)
    if points.table.empty:
        return "no row has a posterior"
    lines = tuple(simplex_lines(points))
    return Made("Where labels lie", points.table, partial(draw_simplex, points), lines, None)


def table_portraits(subject: TableSubject) -> Made | str:
    """P(C) in round 1 and after each outcome, beside the catalogue."""
    from intent.behaviour.measures import portraits as estimated
    from intent.comparison.portraits import PORTRAIT_LINES, draw_portraits

    table = estimated(subject.table, subject.by, rng=subject.rng, intervals=subject.intervals)
    draw = partial(draw_portraits, table, subject.by)
    intervals = interval_words(subject.intervals.level, PERCENTILES, "games")
    line = f"Below the shares: {intervals}. n: {len(subject.table):,} trajectories."
    return Made("Memory-one portraits", table, draw, (*PORTRAIT_LINES, line), None)


def shares(kind: str, subject: TableSubject) -> Made | str:
    from intent.comparison.figures import comparison_figure

    return _made(comparison_figure(subject.comparison, kind), subject.comparison.table())


def reliability(subject: TableSubject) -> Made | str:
    """How often a recogniser is right when it says p."""
    from intent.recognise.figures import reliability_figure

    return _made(reliability_figure(subject.table, "Reliability of probabilities"), subject.table)


def regret(subject: TableSubject) -> Made | str:
    """Regret by noise and rounds, a panel per model."""
    import pandas as pd

    from intent.figures.panels import named
    from intent.recognise.study.figures import REGRET, draw_regret_maps

    names = ("recogniser", "set", "train_size", "train_noise", "opponent")
    table = subject.table[subject.table["regret_known"].notna()]
    if table.empty:
        return "no regret to a rule that knows the noise"
    varied = [name for name in names if name in table.columns and table[name].nunique(dropna=False) > 1]
    settings = table[varied or ["recogniser"]].itertuples(index=False)
    shown = table.assign(
        label=[" · ".join(named(cell) for cell in row if not pd.isna(cell)) for row in settings]
    )
    lines = [REGRET, _precision(table)]
    if varied:
        lines.append(f"Panels: {' · '.join(varied).replace('_', ' ')}.")
    columns = ["label", "rounds", "noise", "regret_known"]
    return Made(
        "Regret by noise and rounds", shown[columns], partial(draw_regret_maps, shown), tuple(lines), None
    )


def _precision(table: pd.DataFrame) -> str:
    """How many trajectories a cell rests on, and how uncertain it is at most."""
    text = ""
    if "n" in table.columns:
        low, high = int(table["n"].min()), int(table["n"].max())
        text = f"{low:,} trajectories a cell." if low == high else f"{low:,} to {high:,} trajectories a cell."
    if "regret_known_se" in table.columns and table["regret_known_se"].notna().any():
        text += f" Standard error: at most {table['regret_known_se'].max() * 100:.2f} percentage points."
    return text.strip()


def shap(subject: TableSubject) -> Made | str:
    """Importance of features for a metric."""
    from intent.behaviour.explain import caption_lines, draw_shap_bars
    from intent.behaviour.importance import explanation_grid

    grid, targets, groups = explanation_grid(subject.table)
    known = {"seeds", "trees"} <= set(subject.facts)
    lines = caption_lines(subject.facts, "shap_bars") if known else []
    draw = partial(draw_shap_bars, grid, targets, groups)
    return Made("SHAP importance", subject.table, draw, tuple(lines), None)


def path(subject: TableSubject) -> Made | str:
    """One Moran process, birth by birth."""
    from intent.figures.populations import draw_path

    table = subject.table
    names = [name for name in table.columns if name.startswith("n_")]
    if not names or table.empty:
        return "no individuals in the table (columns n_NAME)"
    runs = table[table["start"] == table["start"].iloc[-1]]
    steps = runs.groupby("run", observed=True)["step"].max()
    run = (steps - steps.median()).abs().idxmin()
    one = runs[runs["run"] == run].sort_values("step")
    draw = partial(
        draw_path, [name.removeprefix("n_") for name in names], one[["step", *names]].to_numpy(dtype="int64")
    )
    lines = (
        f"One of {len(steps):,} Moran processes: run {run}, of the length nearest to the median.",
        "No interval: it is a single course of chance.",
        f"Start: {one['start'].iloc[0]}.",
    )
    return Made("A population on its way", one, draw, lines, None)


def equilibria(subject: TableSubject) -> Made | str:
    """Who is left alone, by start."""
    from intent.figures.populations import equilibria_figure

    table, level = subject.table, float(subject.facts.get("level", 0.95))
    ended = bool(table["verdict"].notna().any()) if "verdict" in table.columns else True
    n = (
        int(table.groupby("start", observed=True)["individuals"].sum().max())
        if "individuals" in table.columns
        else None
    )
    return _made(equilibria_figure(table, int(table["runs"].max()), n, level=level, ended=ended), table)


def matrix(subject: TableSubject) -> Made | str:
    """Everyone against everyone."""
    from intent.figures.populations import draw_head_to_head

    table = subject.table.set_index("against")
    names = [str(name) for name in table.index]
    if sorted(names) != sorted(map(str, table.columns)):
        return "rows and columns of the matrix differ"
    share = "cooperation" in str(subject.facts.get("kind", ""))
    values = {
        str(row): {str(c): None if x != x else float(x) for c, x in cells.items()}
        for row, cells in table.iterrows()
    }
    draw = partial(draw_head_to_head, {"cooperation" if share else "payoff": values})
    what = "How often the row cooperates with" if share else "What the row earns per round against"
    lines = (f"{what} the column (columns in the order of the rows); means over matches.",)
    return Made("Head to head", subject.table, draw, lines, None)


ENTRY_POINTS = "intent.figures"
"""Group of entry points of figures of other packages: functions of a `Subject`, as those of play here."""


def _by_its_command(subject: Any) -> str:
    return "another command draws it"


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure that there is.

    Parameters
    ----------
    name : str
    shows : str
    needs : tuple of str
        ``log``, kinds of tables, or what else the command reads.
    command : str
        What draws it.
    make : callable
        Of a `Subject` (where it needs a log) or a `TableSubject`: makes it, or says why there is none.
    """

    name: str
    shows: str
    needs: tuple[str, ...]
    command: str
    make: Callable[[Any], Made | str] = _by_its_command

    def fields(self) -> dict[str, str]:
        """As `codebook.JSON_OBJECTS` describes it."""
        tables = {kind.name: kind.command for kind in TABLES} if self.make is not _by_its_command else {}
        made_by = "; ".join(tables[name] for name in self.needs if name in tables)
        needs = {"needs": " or ".join(self.needs), "made_by": made_by}
        return {"name": self.name, "shows": self.shows, **needs, "command": self.command}


def _of_play(make: Callable[[Subject], Made | str], name: str = "") -> Figure:
    name = name or make.__name__
    return Figure(name, _shows(make), ("log",), f"intent figures LOG {name}", make)


def _of_table(
    make: Callable[[TableSubject], Made | str], *needs: str, name: str = "", shows: str = ""
) -> Figure:
    name = name or make.__name__
    return Figure(name, shows or _shows(make), needs, f"intent figures TABLE {name}", make)


def _shows(make: Callable[..., Any]) -> str:
    """The first words of a function's docstring, as a clause."""
    text = (make.__doc__ or "").strip().rstrip(".")
    return text if text[1:2] == "(" else text[:1].lower() + text[1:]


_GROUPED = ("labels", "shares", "estimates")

FIGURES: tuple[Figure, ...] = (
    _of_play(payoffs),
    _of_play(choices),
    _of_play(cooperation),
    _of_play(contributors),
    _of_play(mismatch),
    _of_play(personas),
    _of_play(radar),
    _of_play(portraits),
    _of_table(simplex, "labels"),
    _of_table(table_portraits, "metrics", name="portraits"),
    _of_table(
        partial(shares, "bars"), *_GROUPED, name="bars", shows="stacked shares by group, with intervals"
    ),
    _of_table(
        partial(shares, "ribbons"), *_GROUPED, name="ribbons",
        shows="shares over an ordered column, stacked and with intervals",
    ),
    _of_table(
        partial(shares, "heatmap"), *_GROUPED, name="heatmap",
        shows="shares of groups, or of one factor by another",
    ),
    _of_table(
        partial(shares, "points"), *_GROUPED, "means", name="points",
        shows="shares or means as points with intervals",
    ),
    _of_table(reliability, "bins"),
    _of_table(regret, "cells"),
    _of_table(shap, "importance"),
    _of_table(path, "paths"),
    _of_table(equilibria, "equilibria"),
    _of_table(matrix, "matrix"),
    Figure("automaton", "states of a strategy, and what leads from each to the next", ("a name",),
           "intent strategies show NAME -o FILE.svg"),
    Figure("estimated-shares", "SFEM shares with intervals beside counted labels, trembles", ("log",),
           "intent sfem LOG --by COLUMN -o FILE.png"),
    Figure("agreement", "how often recognisers agree, by pair", ("log",),
           "intent label LOG -r A,B -o FILE.png"),
    Figure("sweep", "labels kept over thresholds", ("labels",), "intent sweep LABELS -o FILE.png"),
    Figure("states", "hidden Markov states, beside the catalogue", ("log",),
           "intent discover LOG -o FILE.png"),
    Figure("choice-models", "models of choice: loss, loss by round, types, simulated play", ("log",),
           "intent predict LOG --figures FOLDER"),
    Figure("contributor-types", "contributions by what others gave, by type", ("log",),
           "intent contributors LOG -o FILE.png"),
    Figure("probe", "how fast a sequence of moves tells strategies apart", ("a set of strategies",),
           "intent probe --strategies SET -o FILE.png"),
    Figure("shap-violins", "Shapley values of every game, by feature and level", ("metrics",),
           "intent explain METRICS --target NAME --features A,B -o FOLDER"),
    Figure("replicator", "replicator dynamics of three names", ("strategies", "matrix"),
           "intent evolve … -o FOLDER"),
    Figure("standings", "scores of a tournament over repetitions", ("strategies",),
           "intent tournament … -o FOLDER"),
    Figure("samples", "numbers that a model was to draw, beside the distribution", ("a model",),
           "intent sampling -m MODEL -o FOLDER"),
    Figure("scores", "scores of the eight games by model", ("bench scores",),
           "intent bench gamma leaderboard SCORES -o FILE.png"),
)  # fmt: skip
"""A row for each: those of play, of result tables, and of other commands."""


def makers() -> dict[str, Figure]:
    """Name -> figure of play: ours, and after them those of other packages."""
    ours = {one.name: one for one in FIGURES if one.make is not _by_its_command and one.needs == ("log",)}
    theirs = {name: there for name, there in points(ENTRY_POINTS).items() if name not in ours}
    return ours | {name: _of_play(load(there), name) for name, there in theirs.items()}


def of_tables() -> dict[str, Figure]:
    """Name -> figure that is made of a result table."""
    return {one.name: one for one in FIGURES if one.make is not _by_its_command and one.needs != ("log",)}
