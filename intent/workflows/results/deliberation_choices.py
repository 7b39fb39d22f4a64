"""Results of private deliberation on what agents choose, believe, write and announce."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from intent.workflows.results.collected import Collected
from intent.workflows.results.deliberation_play import BANDS, Play, named_groups, paged, without_x

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["deceptions", "histories", "lengths", "perceptions"]

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
    from intent.analysis.deliberation.history_length import choices_by_history
    from intent.report.play_bars import draw_grouped_bars

    moves = play.models
    table = choices_by_history(moves, [*play.by, "agent"], **play.how)
    title = "Choices by the length of the history"
    out.table("choices_by_history", table, title, "figure 3")
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
        out.figure(f"choices_by_history{page}", draw, title, "figure 3", lines=[line])


def perceptions(play: Play, out: Collected) -> None:
    """Figure 4 and equation 4: what players take their opponents for."""
    from intent.analysis.deliberation.history_length import choices_by_perception
    from intent.analysis.deliberation.opponent_types import perceived_types, type_recognition
    from intent.report.play_bars import draw_grouped_bars

    types = play.keyed(perceived_types(play.log))
    if not len(types):
        out.skip("opponent_types", "the question opponent_type was not asked (opponent_types.yaml)")
        return
    table = type_recognition(types, [*play.by, "agent"], **play.how)
    title = "Recognising the type of the opponent"
    out.table("opponent_types", table, title, "figure 4")
    moves = choices_by_perception(play.models, types, [*play.by, "agent"], **play.how)
    out.table("choices_by_perceived_type", moves, "Choices through the perceived type", "equation 4")
    draw = partial(
        draw_grouped_bars,
        _said(table.assign(panel=named_groups(table, play.by))),
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
    out.figure("opponent_types", draw, title, "figure 4", lines=[line])


def lengths(play: Play, out: Collected) -> None:
    """Figure 6: characters of private and public text."""
    from intent.analysis.deliberation.text_lengths import text_lengths, thought_lengths
    from intent.report.play_bars import draw_grouped_bars

    written = play.keyed(thought_lengths(play.log))
    seats = play.models[["game_id", "seat"]].drop_duplicates()
    written = written.merge(seats, on=["game_id", "seat"], how="inner")
    if not len(written):
        out.skip("text_lengths", "the log has no texts of models")
        return
    table = text_lengths(written, [*play.by, "agent"], **play.how)
    title = "Length of private and public thoughts"
    out.table("text_lengths", table, title, "figure 6")
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
    out.figure("text_lengths", draw, title, "figure 6", lines=["Sum over a game. " + BANDS])


def deceptions(play: Play, out: Collected) -> None:
    """Announced against taken actions; the study reports deception without a measure."""
    from intent.analysis.deliberation.deception import deception, deception_rates
    from intent.report.play_bars import draw_grouped_bars

    found = deception(play.log)
    found = play.keyed(found.assign(game_id=found["game_id"].astype(str)))
    found = found.merge(play.models[["game_id", "seat", "round"]], on=["game_id", "seat", "round"])
    if not found["announced"].notna().any():
        out.skip("deception", "no public text announces an action")
        return
    by = [*play.by, "agent"]
    out.table("deception_by_move", found, "Announced, intended and taken actions")
    table = deception_rates(found, by, **play.how)
    title = "Announced actions that were not taken"
    out.table("deception", table, title)
    by_round = deception_rates(found, [*by, "round"], **play.how)
    out.table("deception_by_iteration", by_round, f"{title}, by iteration")
    shown = without_x(table).assign(group=lambda t: named_groups(t, play.by))
    line = (
        "Announces: moves whose public text commits to one action. Takes another one: of these. And means "
        "to: of those with an intention in private text, it was that other action. " + BANDS
    )
    for page, groups in paged(shown["group"].unique().tolist(), _PANELS):
        draw = partial(
            draw_grouped_bars,
            _said(shown[shown["group"].isin(groups)]),
            rows="group",
            inner="agent",
            outer=None,
            bars="measure",
            label="share (%)",
            limits=(0.0, 1.0),
            percent=True,
        )
        out.figure(f"deception{page}", draw, title, lines=[line])


def _said(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its measures as people say them."""
    return table.assign(measure=table["measure"].map(_WORDS))
