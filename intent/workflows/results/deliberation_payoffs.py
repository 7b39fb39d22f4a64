"""Results of private deliberation on what agents earn, how they cooperate and which equilibria they reach."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from intent.workflows.results.collected import Collected
from intent.workflows.results.deliberation_play import BANDS, Play, in_words, named_groups, over_x, paged
from intent.workflows.results.published_deliberation import INFERRED, ITERATIONS, PUBLISHED, TABLE_2, panel_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cooperation", "equilibria", "published", "utilities"]

_PLANES = 12
"""Panels of a figure at most."""

_TITLES = {
    "equilibria": "Equilibria and play",
    "equilibria_over_x": "Equilibria and play over the temptation x",
}


def utilities(play: Play, out: Collected) -> None:
    """Figures 7 and 8: average utility of every iteration, a figure per group without the parameter x."""
    from intent.analysis.utilities import utility_by_round
    from intent.report.play_lines import draw_lines

    table = utility_by_round(play.table, [*play.by, "agent"], **play.how)
    if not len(table):
        out.skip("utilities", "no payoffs are known")
        return
    out.table("utility_by_iteration", table, "Average utility by iteration", "figures 7 and 8")
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
        out.figure(name, draw, title, panel, lines=[*lines, INFERRED.get(str(values["game"]), "")])


def published(play: Play, out: Collected) -> None:
    """Means and deviations as figures 7 and 8 print them, beside the published ones."""
    import pandas as pd

    from intent.analysis.utilities import pooled_utility

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
    out.table("utilities", made, "Mean and deviation of utility, totals per game", "figures 7 and 8")
    if made["note"].astype(str).str.startswith("infeasible").any():
        out.note("the published stag hunt scores 9.32 and 4.40 cannot come from its payoffs; no target")


def equilibria(play: Play, out: Collected) -> None:
    """Table 2 with play beside it: rates of reaching equilibria, and the plane of payoffs."""
    import pandas as pd

    from intent.analysis.equilibrium_play import equilibrium_rates, joint_play, matrix_of, play_distribution
    from intent.analysis.equilibrium_points import equilibrium_points
    from intent.report.payoff_plane import draw_planes

    joint = joint_play(play.log, play.table)
    if not len(joint):
        out.skip("equilibria", "no round of a 2x2 game has both actions known")
        return
    more = play.table[["game_id", *play.by[2:]]].drop_duplicates()
    joint = joint.merge(more, on="game_id")
    rates = equilibrium_rates(joint, play.by, **play.how)
    rates["published_kind"] = rates["game"].map(TABLE_2).eq(rates["kind"])
    title = "How often play reaches equilibria"
    out.table("equilibrium_rates", rates, title, "table 2")
    by_round = equilibrium_rates(joint, [*play.by, "round"], **play.how)
    out.table("equilibrium_rates_by_iteration", by_round, f"{title}, by iteration", "table 2")
    shares = play_distribution(joint, play.by, **play.how)
    out.table(
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
    out.table("equilibria", table[["game", *table.columns[:-1]]], "Outcomes and equilibria", "table 2")
    lines = ["Grey: what lotteries over outcomes can reach. Per cent: share of rounds with the outcome."]
    for name, drawn in planes.items():
        where = "table 2" if name == "equilibria" else None
        for page, shown in paged(drawn, _PLANES):
            draw = partial(draw_planes, shown)
            out.figure(f"{name}{page}", draw, _TITLES[name], where, lines=lines)


def _plane(values: dict[str, Any], part: pd.DataFrame, points: pd.DataFrame, play: Play) -> Any:
    import numpy as np

    from intent.report.payoff_plane import Plane

    shares = np.bincount(part["joint"].to_numpy(dtype=np.intp), minlength=4) / len(part)
    means = part.groupby("game_id")[["payoff_1", "payoff_2"]].mean()
    seats = (
        play.table[play.table["game_id"].isin(part["game_id"])]
        .groupby("seat")["agent"]
        .agg(lambda found: " or ".join(sorted(map(str, set(found)))))
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
    from intent.analysis.utilities import cooperation_ratio
    from intent.report.play_bars import draw_grouped_bars

    moves = play.over_x
    if not len(moves):
        out.skip("cooperation_over_x", "no play of the x-parameterised game (x_game.yaml)")
        return
    by = ["x", *play.by[1:], "agent"]
    table = cooperation_ratio(moves, by, **play.how)
    title = "Cooperation over the temptation x"
    out.table("cooperation_over_x", table, title, "figure 9")
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
    out.figure("cooperation_over_x", draw, title, "figure 9", lines=[line])


def _payoffs(game: str) -> str:
    return "inferred" if game in INFERRED else "printed in the paper"


def _words(values: dict[str, Any]) -> str:
    return ", ".join(in_words(name, value) for name, value in values.items())


def _slug(values: Any) -> str:
    import re

    return re.sub(r"[^\w.]+", "-", "-".join(map(str, values))).strip("-")[:80]
