"""The information matrix of writing: what models that write strategies are told, stage by stage.

Made from the prompts of an order, rendered with marks and with a stand-in for what models will write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from intent.agents.prompts.wording import marking
from intent.arena.writing.order import REPLY_TOKENS, STAND_IN, writing_prompts
from intent.runner.information import Information, Profile, Row, facts_in, profile_of
from intent.runner.treatment import FACTS as KNOWN

if TYPE_CHECKING:
    from intent.agents.client import Message
    from intent.arena.writing.order import Order

__all__ = ["FACTS", "writing_information"]

FACTS: dict[str, str | None] = {
    **dict.fromkeys(("game.reward", "game.sucker", "game.temptation", "game.punishment"), "payoffs"),
    "dilemma": "game_name",
    "noise_percent": "errors",
    "mishap": "mishaps",
    "ranking": "outcome_order",
    "attitude": "attitude",
}
"""Placeholder of the texts -> the fact that it shows, beside those that prompts of games have."""

_CODERS = ("code", "repair")


def writing_information(orders: Sequence[tuple[Mapping[str, Any], Order]]) -> Information:
    """What each stage of each order shows, a condition for each style and attitude.

    Parameters
    ----------
    orders : levels of an order (model, game, noise), and the order
    """
    levels: list[Mapping[str, Any]] = []
    rows: dict[Row, list[int]] = {}
    profiles: list[tuple[Profile, ...]] = []
    for common, order in orders:
        for style in order.styles:
            for attitude in order.attitudes:
                one = replace(order, styles=(style,), attitudes=(attitude,))
                stages = _stages(one, (*style.purposes, "repair"))
                for row in (row for some in stages.values() for row in some):
                    places = rows.setdefault(row, [])
                    if len(levels) not in places:
                        places.append(len(levels))
                profiles.append(tuple(profile_of(1, stage, some) for stage, some in stages.items()))
                facts = {name: f"{x:g}" if isinstance(x, float) else x for name, x in common.items()}
                levels.append({**facts, "style": style.name, "attitude": attitude})
    return Information(tuple(levels), {row: tuple(places) for row, places in rows.items()}, tuple(profiles))


def _stages(order: Order, purposes: Sequence[str]) -> dict[str, list[Row]]:
    """Stage -> its rows; settings of everyday life that show the same are one row."""
    stages: dict[str, list[Row]] = {purpose: [] for purpose in purposes}
    with marking():
        for purpose, messages, *_ in writing_prompts(order):
            row = _row(order, purpose, messages)
            if purpose in stages and row not in stages[purpose]:
                stages[purpose].append(row)
    return stages


def _row(order: Order, purpose: str, messages: Sequence[Message]) -> Row:
    shows = set[str]().union(*(facts_in(message.content) for message in messages))
    coder = purpose in _CODERS
    if any(STAND_IN in message.content for message in messages):
        shows.add("others_words" if coder else "own_words")
    if purpose == "repair":
        shows.add("own_words")
    most = order.settings.max_tokens  # what a provider wants named alone tells no arms apart
    return Row(
        "coder" if coder else "writer",
        purpose,
        tuple(fact for fact in KNOWN if fact in shows),
        "–",
        "code" if coder else "text",
        "",
        "same" if purpose == "repair" or any(one.role == "assistant" for one in messages) else "new",
        None if most == REPLY_TOKENS else most,
    )
