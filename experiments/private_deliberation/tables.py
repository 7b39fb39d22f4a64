"""What agents choose, believe, write, announce, earn and reach: a table and a figure of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from intent.behaviour.means import STANDARD, Intervals, cell_means, means_of
from intent.logs.gamelog import GameLog
from intent.report.results import Collected

from .play import (
    BANDS,
    INFERRED,
    ITERATIONS,
    PUBLISHED,
    TABLE_2,
    Play,
    in_words,
    named_groups,
    over_x,
    paged,
    panel_of,
    without_x,
)

__all__ = [
    "QUESTION",
    "TEXTS",
    "TYPES",
    "choices_by_history",
    "choices_by_perception",
    "cooperation",
    "deceptions",
    "equilibria",
    "histories",
    "history",
    "lengths",
    "perceived_types",
    "perceptions",
    "published",
    "text_lengths",
    "thought_lengths",
    "type_recognition",
    "utilities",
]


_WORDS = {
    "accuracy": "right",
    "said_private": "says private",
    "true_private": "is private",
    "read": "readable",
    "announces": "announces an action",
    "deceptive": "takes another one",
    "intended_deceptive": "and means to",
}
"""Measure -> what a legend calls it."""

_PANELS = 8
"""Panels of a figure at most, one below the other."""


def histories(play: Play, out: Collected) -> None:
    """Figure 3: choices by the number of messages in the history."""
    from intent.figures.panels import draw_grouped_bars

    moves = play.models
    table = choices_by_history(moves, [*play.by, "agent"], **play.how)
    title = "Choices by the length of the history"
    out.add_table("choices_by_history", table, title, "figure 3")
    dilemmas = table[table["game"].str.startswith("prisoner-dilemma")]
    shown = (dilemmas if len(dilemmas) else table).assign(panel=lambda t: named_groups(t, play.by))
    line = "0: no iteration before, 1: one, 2+: a full memory. " + BANDS
    for page, panels in paged(shown["panel"].unique().tolist(), _PANELS):
        draw = partial(
            draw_grouped_bars,
            shown[shown["panel"].isin(panels)],
            rows="panel",
            inner="history",
            outer="agent",
            bars="action",
            label="share of choices (%)",
            limits=(0.0, 1.0),
            title="action",
            percent=True,
        )
        out.add_figure(f"choices_by_history{page}", draw, title, "figure 3", lines=[line])


def perceptions(play: Play, out: Collected) -> None:
    """Figure 4 and equation 4: what players take their opponents for."""
    from intent.figures.panels import draw_grouped_bars

    types = play.keyed(perceived_types(play.log))
    if not len(types):
        out.skip("opponent_types", "the question opponent_type was not asked (opponent_types.yaml)")
        return
    table = type_recognition(types, [*play.by, "agent"], **play.how)
    title = "Recognising the type of the opponent"
    out.add_table("opponent_types", table, title, "figure 4")
    moves = choices_by_perception(play.models, types, [*play.by, "agent"], **play.how)
    out.add_table("choices_by_perceived_type", moves, "Choices through the perceived type", "equation 4")
    draw = partial(
        draw_grouped_bars,
        _in_legend_words(table.assign(panel=named_groups(table, play.by))),
        rows="panel",
        inner="agent",
        outer=None,
        bars="measure",
        label="share of answers (%)",
        limits=(0.0, 1.0),
        percent=True,
    )
    line = (
        "Right: of all answers, unreadable ones wrong. Says private against is private: the bias towards "
        "an answer, whoever sits opposite. " + BANDS
    )
    out.add_figure("opponent_types", draw, title, "figure 4", lines=[line])


def lengths(play: Play, out: Collected) -> None:
    """Figure 6: characters of private and public text."""
    from intent.figures.panels import draw_grouped_bars

    written = play.keyed(thought_lengths(play.log))
    seats = play.models[["game_id", "seat"]].drop_duplicates()
    written = written.merge(seats, on=["game_id", "seat"], how="inner")
    if not len(written):
        out.skip("text_lengths", "the log has no texts of models")
        return
    table = text_lengths(written, [*play.by, "agent"], **play.how)
    title = "Length of private and public thoughts"
    out.add_table("text_lengths", table, title, "figure 6")
    shown = without_x(table).assign(group=lambda t: named_groups(t, play.by))
    top = float(shown[["estimate", "high"]].max().max()) or 1.0
    draw = partial(
        draw_grouped_bars,
        shown,
        rows="text",
        inner="agent",
        outer="group",
        bars=None,
        label="characters per game",
        limits=(0.0, top * 1.05),
    )
    out.add_figure("text_lengths", draw, title, "figure 6", lines=["Sum over a game. " + BANDS])


def deceptions(play: Play, out: Collected) -> None:
    """Announced against taken actions; the study reports deception without a measure."""
    from intent.behaviour.metric_table import deception
    from intent.figures.panels import draw_grouped_bars

    from .measures import deception_rates

    announced = deception(play.log)
    announced = play.keyed(announced.assign(game_id=announced["game_id"].astype(str)))
    announced = announced.merge(play.models[["game_id", "seat", "round"]], on=["game_id", "seat", "round"])
    if not announced["announced"].notna().any():
        out.skip("deception", "no public text announces an action")
        return
    by = [*play.by, "agent"]
    out.add_table("deception_by_move", announced, "Announced, intended and taken actions")
    table = deception_rates(announced, by, **play.how)
    title = "Announced actions that were not taken"
    out.add_table("deception", table, title)
    by_round = deception_rates(announced, [*by, "round"], **play.how)
    out.add_table("deception_by_iteration", by_round, f"{title}, by iteration")
    shown = without_x(table).assign(group=lambda t: named_groups(t, play.by))
    line = (
        "Announces: moves whose public text commits to one action. Takes another one: of these. And means "
        "to: of those with an intention in private text, it was that other action. " + BANDS
    )
    for page, groups in paged(shown["group"].unique().tolist(), _PANELS):
        draw = partial(
            draw_grouped_bars,
            _in_legend_words(shown[shown["group"].isin(groups)]),
            rows="group",
            inner="agent",
            outer=None,
            bars="measure",
            label="share (%)",
            limits=(0.0, 1.0),
            percent=True,
        )
        out.add_figure(f"deception{page}", draw, title, lines=[line])


def _in_legend_words(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its measures as people say them."""
    return table.assign(measure=table["measure"].map(_WORDS))


_PLANES = 12
"""Panels of a figure at most."""

_TITLES = {
    "equilibria": "Equilibria and play",
    "equilibria_over_x": "Equilibria and play over the temptation x",
}


def utilities(play: Play, out: Collected) -> None:
    """Figures 7 and 8: average utility of every iteration, a figure per group without the parameter x."""
    from intent.figures.panels import draw_lines

    from .measures import utility_by_round

    table = utility_by_round(play.table, [*play.by, "agent"], **play.how)
    if not len(table):
        out.skip("utilities", "no payoffs are known")
        return
    out.add_table("utility_by_iteration", table, "Average utility by iteration", "figures 7 and 8")
    for values, part in play.groups(table[~over_x(table)]):
        kind = play.table.loc[play.table["game"] == values["game"], "payoff_kind"].iloc[0]
        better = "lower is better" if kind == "penalty" else "higher is better"
        ends = part[["low", "high", "estimate"]]
        low, high = float(ends.min().min()), float(ends.max().max())
        draw = partial(
            draw_lines,
            part,
            columns=None,
            lines="agent",
            label=f"mean {kind} ({better})",
            limits=(min(low, 0.0), max(high, low + 0.1)),
            title="agent",
            turn="iteration",
        )
        length = values.get("iterations", ITERATIONS)
        panel = panel_of(str(values["game"]), str(values["agents"]), int(length)) or None
        name = "utility-" + _slug(values.values())
        title = f"Average utility: {_words(values)}"
        lines = [f"Mean over games of an agent's {kind} in an iteration. " + BANDS]
        out.add_figure(name, draw, title, panel, lines=[*lines, INFERRED.get(str(values["game"]), "")])


def published(play: Play, out: Collected) -> None:
    """Means and deviations as figures 7 and 8 print them, beside the published ones."""
    from .measures import pooled_utility

    table = pooled_utility(play.table, [*play.by, "agent"], **play.how)
    if not len(table):
        out.skip("utilities_pooled", "no payoffs are known")
        return
    theirs = pd.DataFrame(
        [(r.game, r.agents, r.agent, r.panel, r.model, r.mean, r.sd, r.note) for r in PUBLISHED],
        columns=[
            "game",
            "agents",
            "agent",
            "panel",
            "published_model",
            "published_mean",
            "published_sd",
            "note",
        ],
    )
    made = table.merge(theirs, on=["game", "agents", "agent"], how="left")
    if "iterations" in made:
        other = made["iterations"] != ITERATIONS
        made.loc[other, [name for name in theirs.columns if name not in ("game", "agents", "agent")]] = None
        made = made.drop_duplicates(ignore_index=True)
    made["payoffs"] = [_payoffs(game) for game in made["game"]]
    out.add_table("utilities", made, "Mean and deviation of utility, totals per game", "figures 7 and 8")
    if made["note"].astype(str).str.startswith("infeasible").any():
        out.note("the published stag hunt scores 9.32 and 4.40 cannot come from its payoffs; no target")


def equilibria(play: Play, out: Collected) -> None:
    """Table 2 with play beside it: rates of reaching equilibria, and the plane of payoffs."""
    from .measures import (
        equilibrium_points,
        equilibrium_rates,
        joint_play,
        matrix_of,
        play_distribution,
    )
    from .payoff_plane import draw_planes

    joint = joint_play(play.log, play.table)
    if not len(joint):
        out.skip("equilibria", "no round of a 2x2 game has both actions known")
        return
    more = play.table[["game_id", *play.by[2:]]].drop_duplicates()
    joint = joint.merge(more, on="game_id")
    rates = equilibrium_rates(joint, play.by, **play.how)
    rates["published_kind"] = rates["game"].map(TABLE_2).eq(rates["kind"])
    title = "How often play reaches equilibria"
    out.add_table("equilibrium_rates", rates, title, "table 2")
    by_round = equilibrium_rates(joint, [*play.by, "round"], **play.how)
    out.add_table("equilibrium_rates_by_iteration", by_round, f"{title}, by iteration", "table 2")
    shares = play_distribution(joint, play.by, **play.how)
    out.add_table(
        "joint_play", shares, "Distribution of joint actions, distance to correlated equilibria", "table 2"
    )
    points = []
    planes: dict[str, list[Any]] = {name: [] for name in _TITLES}
    for values, part in play.groups(joint):
        game = matrix_of(part["payoffs"].iloc[0], part["payoff_kind"].iloc[0])
        if game is None or part["payoffs"].nunique() > 1:
            continue
        points.append(equilibrium_points(game).assign(game=values["game"]))
        name = "equilibria_over_x" if over_x(part).any() else "equilibria"
        planes[name].append(_plane(values, part, points[-1], play))
    table = pd.concat(points, ignore_index=True).drop_duplicates()
    out.add_table("equilibria", table[["game", *table.columns[:-1]]], "Outcomes and equilibria", "table 2")
    lines = ["Grey: what lotteries over outcomes can reach. Per cent: share of rounds with the outcome."]
    for name, drawn in planes.items():
        where = "table 2" if name == "equilibria" else None
        for page, shown in paged(drawn, _PLANES):
            draw = partial(draw_planes, shown)
            out.add_figure(f"{name}{page}", draw, _TITLES[name], where, lines=lines)


def _plane(values: dict[str, Any], part: pd.DataFrame, points: pd.DataFrame, play: Play) -> Any:
    from .payoff_plane import Plane

    shares = np.bincount(part["joint"].to_numpy(dtype=np.intp), minlength=4) / len(part)
    means = part.groupby("game_id", observed=True)[["payoff_1", "payoff_2"]].mean()
    seats = (
        play.table[play.table["game_id"].isin(part["game_id"])]
        .groupby("seat", observed=True)["agent"]
        .agg(lambda agents: " or ".join(sorted(map(str, set(agents)))))
    )
    return Plane(
        _words(values),
        points,
        [float(s) for s in shares],
        means,
        bool((part["payoff_kind"] == "penalty").all()),
        (str(seats[1]), str(seats[2])),
    )


def cooperation(play: Play, out: Collected) -> None:
    """Figure 9: cooperation over x."""
    from intent.figures.panels import draw_grouped_bars

    from .measures import cooperation_ratio

    moves = play.over_x
    if not len(moves):
        out.skip("cooperation_over_x", "no play of the x-parameterised game (x_game.yaml)")
        return
    by = ["x", *play.by[1:], "agent"]
    table = cooperation_ratio(moves, by, **play.how)
    title = "Cooperation over the temptation x"
    out.add_table("cooperation_over_x", table, title, "figure 9")
    draw = partial(
        draw_grouped_bars,
        table.assign(group=named_groups(table, play.by[1:])),
        rows=None,
        inner="x",
        outer="group",
        bars="agent",
        label="cooperation (%)",
        limits=(0.0, 1.0),
        title="agent",
        percent=True,
    )
    line = "Mutual cooperation pays 3, mutual competition 1, competing with a cooperator x. " + BANDS
    out.add_figure("cooperation_over_x", draw, title, "figure 9", lines=[line])


def _payoffs(game: str) -> str:
    return "inferred" if game in INFERRED else "printed in the paper"


def _words(values: dict[str, Any]) -> str:
    return ", ".join(in_words(name, value) for name, value in values.items())


def _slug(values: Any) -> str:
    import re

    return re.sub(r"[^\w.]+", "-", "-".join(map(str, values))).strip("-")[:80]


HISTORIES = ("0", "1", "2+")
"""|X|: nothing before, one iteration before, a full buffer."""


def history(rounds: pd.Series[int]) -> pd.Series[str]:
    """|X| of each round: the iterations before it, as one of `HISTORIES`."""
    return (rounds - 1).clip(upper=2).map(dict(enumerate(HISTORIES)))


def choices_by_history(
    table: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """P(a | |X|): share of each action by the number of messages in the history, whatever they say.

    Parameters
    ----------
    table : DataFrame
        As `seated`; moves without a known action are left out.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        `by`, history, action, then as `cell_means`; the shares of a history sum to one.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, hypothesis H2, figure 3.
    """
    known = table[table["action"].notna()]
    known = known.assign(history=history(known["round"]))
    return _shares(known, [*by, "history"], rng, intervals)


def choices_by_perception(
    table: pd.DataFrame,
    types: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """P(a|X) = sum over the perceived type π' of P(a|π', X)·P(π'|X), each factor estimated.

    The type perceived after iteration j - 1 is that under which the move of iteration j is made.

    Parameters
    ----------
    table : DataFrame
        As `seated`.
    types : DataFrame
        As `perceived_types` returns.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        `by`, history, perceived, action, then as `cell_means` of P(a|π', X); p_perceived is P(π'|X), product
        what both make together. Products of a history sum over actions and types to one.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, equation 4, which leaves out the sum.
    """
    before = types[["game_id", "seat", "round", "perceived"]].dropna(subset=["perceived"])
    before = before.assign(round=before["round"] + 1)
    known = table[table["action"].notna()].merge(before, on=["game_id", "seat", "round"])
    known = known.assign(history=history(known["round"]))
    choices = _shares(known, [*by, "history", "perceived"], rng, intervals)
    if not len(known):
        return choices.assign(p_perceived=0.0, product=0.0)
    groups = [*by, "history"]
    counts = known.groupby([*groups, "perceived"], observed=True).size()
    whole = counts.groupby(level=groups, observed=True).transform("sum")
    shares = (counts / whole).rename("p_perceived").reset_index()
    choices = choices.merge(shares, on=[*groups, "perceived"], how="left")
    return choices.assign(product=choices["estimate"] * choices["p_perceived"])


def _shares(
    known: pd.DataFrame, by: list[str], rng: np.random.Generator, intervals: Intervals
) -> pd.DataFrame:
    """Share of each action in every cell."""
    hits = {action: known["action"] == action for action in sorted(known["action"].unique())}
    return means_of(known, by, hits, rng=rng, intervals=intervals, column="action")


QUESTION = "opponent_type"
"""Name of the comprehension question."""

TYPES = ("private", "public")


def perceived_types(log: GameLog) -> pd.DataFrame:
    """What each player took its opponent for after each iteration.

    Returns
    -------
    DataFrame
        game_id, round, seat, perceived (private, public or None where the answer could not be read), actual
        (None where the opponent is neither).
    """
    columns = ["game_id", "round", "seat", "perceived", "actual"]
    if log.questions is None:
        return pd.DataFrame(columns=columns)
    answers = log.questions[log.questions["question"] == QUESTION]
    made = pd.DataFrame(
        {
            "game_id": answers["game_id"].astype(str).to_numpy(),
            "round": answers["round"].to_numpy(dtype=np.intp),
            "seat": answers["seat"].to_numpy(dtype=np.intp),
            "perceived": _types(answers["parsed"]),
            "actual": _types(answers["expected"]),
        }
    )
    return made[columns]


def type_recognition(
    types: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Accuracy of the perceived type, and the bias towards an answer whatever is true.

    Parameters
    ----------
    types : DataFrame
        As `perceived_types`, with the columns `by`.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        `by`, measure, then as `cell_means`. accuracy: N_correct / |J|, unread answers counting as wrong;
        said_private: share of read answers that say private; true_private: share of opponents that are,
        without interval, since the experiment decides it; read: share of answers that could be read. Bias is
        said_private against true_private: who always says private is right in exactly the share true_private.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, hypothesis H2, figure 4.
    """
    known = types[types["actual"].notna()]
    read = known["perceived"].notna()
    measures = {
        "accuracy": (known["perceived"] == known["actual"]).astype(float),
        "said_private": (known["perceived"] == "private").astype(float).where(read),
        "true_private": (known["actual"] == "private").astype(float),
        "read": read.astype(float),
    }
    made = means_of(known, by, measures, rng=rng, intervals=intervals)
    made.loc[made["measure"] == "true_private", ["low", "high"]] = np.nan
    return made


def _types(column: pd.Series[str]) -> list[str | None]:
    folded = [cell.strip().casefold() if isinstance(cell, str) else None for cell in column.astype(object)]
    return [cell if cell in TYPES else None for cell in folded]


TEXTS = {"private_thought": "private", "message": "public"}
"""Column of the moves -> kind of text."""


def thought_lengths(log: GameLog) -> pd.DataFrame:
    """Characters that every player wrote in a game, of each kind of text that the log has.

    Returns
    -------
    DataFrame
        game_id, seat, text (private or public), characters (sum over the game), moves. A player without any
        such text has 0.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, figure 6.
    """
    moves = log.moves
    parts = []
    keys = [moves["game_id"].astype(str).rename("game_id"), moves["seat"].astype(np.intp).rename("seat")]
    for column, text in TEXTS.items():
        if column not in moves.columns:
            continue
        sizes = moves[column].astype(object).map(lambda cell: len(cell) if isinstance(cell, str) else 0)
        sums = sizes.astype(float).groupby(keys, observed=True).agg(["sum", "count"]).reset_index()
        parts.append(sums.rename(columns={"sum": "characters", "count": "moves"}).assign(text=text))
    columns = ["game_id", "seat", "text", "characters", "moves"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def text_lengths(
    table: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Mean characters per player and game.

    Parameters
    ----------
    table : DataFrame
        As `thought_lengths`, with the columns `by`.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        `by`, text, then as `cell_means`.
    """
    return cell_means(table, [*by, "text"], "characters", rng=rng, intervals=intervals)
