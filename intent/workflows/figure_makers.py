"""Each figure of play, by name: the table that it shows, how it is drawn, what its caption says."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from intent.workflows.figure_subject import Made, Subject

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MAKERS"]

_NO_COOPERATION = "no action of the game is cooperation"


def payoffs(subject: Subject) -> Made | str:
    """Normalised payoff (penalty) by stakes, language and pairing."""
    from intent.analysis.normalised_payoffs import payoffs_by_condition
    from intent.report.play_bars import draw_grouped_bars

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
    return Made(f"Normalised {kind}", table, draw, (line,), shows)


def choices(subject: Subject) -> Made | str:
    """Mean choice by round."""
    from intent.analysis.choices import choice_trajectories
    from intent.report.play_lines import draw_lines

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
    from intent.analysis.choices import cooperation_rates
    from intent.report.play_lines import draw_lines

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
    from intent.analysis.choices import contributor_counts
    from intent.analysis.mismatch import of_games
    from intent.report.contributor_bars import draw_contributors

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

    from intent.analysis.mismatch import mismatch_by_round, round_mismatch
    from intent.report.play_lines import draw_lines

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
    from intent.analysis.choices import cooperation_rates
    from intent.analysis.groups import NONE
    from intent.report.play_bars import draw_grouped_bars

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
    from intent.analysis.behaviour_radar import AXES, behaviour_radar
    from intent.report.radar import LEAST_AXES, draw_radar

    found = behaviour_radar(subject.table, model=subject.by, stakes=subject.stakes, outcome=subject.outcome)
    table = found.table.assign(name=found.table["axis"].map(AXES))
    table = table.rename(columns={"model": subject.by, "stakes": subject.stakes or "stakes"})
    if found.table["value"].isna().all():
        return "; ".join(f"{axis}: {why}" for axis, why in found.missing.items())
    what = "normalised payoff" if found.outcome == "payoff" else "share of cooperation"
    lines = [
        f"Outcome: a player's {what}. IV: variance over repetitions. CI: standard deviation of means over "
        "languages. VR: standard deviation over rounds. SP: standard deviation of means over payoff "
        "settings. All are means over cells of the design.",
        "Radar: over the largest of the models at the same setting. Table: values, in brackets what "
        "repetitions alone would give.",
    ]
    if found.missing and len(found.axes) >= LEAST_AXES:
        lines.append("Not drawn: " + "; ".join(f"{axis}, {why}" for axis, why in found.missing.items()) + ".")
    facts = {"outcome": found.outcome, "missing": dict(found.missing)}
    draw = partial(draw_radar, found, stakes_title=subject.stakes_title)
    return Made("Behavioural measures", table, draw, tuple(lines), None, facts)


def portraits(subject: Subject) -> Made | str:
    """P(C) in round 1 and after each outcome, beside strategies of the catalogue."""
    from intent.analysis.portraits import portraits as estimated
    from intent.analysis.portraits import situation_counts
    from intent.report.portraits import PORTRAIT_LINES, draw_portraits

    if not subject.cooperation:
        return _NO_COOPERATION
    rows = situation_counts(subject.table)
    if rows.empty:
        return "the game has more than two players"
    table = estimated(rows, (subject.by,), **subject.how)
    draw = partial(draw_portraits, table, (subject.by,))
    return Made("Memory-one portraits", table, draw, PORTRAIT_LINES, (subject.by,))


MAKERS: dict[str, Callable[[Subject], Made | str]] = {
    made.__name__: made
    for made in (payoffs, choices, cooperation, contributors, mismatch, personas, radar, portraits)
}
"""Name -> what makes the figure, or says why there is none."""


def _names(*columns: str | None) -> tuple[str, ...]:
    """The columns that there are, each once."""
    return tuple(dict.fromkeys(column for column in columns if column is not None))


def _compositions(table: pd.DataFrame) -> list[str]:
    """All games first, then games of one persona, mixed ones last."""
    from intent.agents.personas import MIXED

    found = list(dict.fromkeys(table["composition"]))
    return sorted(found, key=lambda name: (name != "all games", name == MIXED, str(name)))
