"""The prompts that have strategies written, rendered without asking, and what asking would take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from intent.workflows.json_values import json_values

if TYPE_CHECKING:
    from intent.agents.client import Message
    from intent.workflows.writing_order import Order

__all__ = ["dry_run_writing", "rendered_prompts"]

STAND_IN = "…"
"""In the place of what models will write."""

WRITTEN_TOKENS = 400
"""Tokens that a reply is taken to have where its length is not limited; reasoning is not counted."""

_HOLDS = {"convert": 1, "critique": 1, "rewrite": 2, "code": 1, "repair": 2}
"""Replies inside a prompt."""


def rendered_prompts(order: Order) -> list[dict[str, Any]]:
    """Every different prompt of an order.

    Returns
    -------
    list of dict
        purpose, attitude, scenario (None where the prompt has none), model, system, user; the prompt of a
        repair without the conversation before it.

    Raises
    ------
    PromptError
    """
    task, found = order.task, []
    purposes = {purpose for style in order.styles for purpose in style.purposes}
    for attitude in order.attitudes:
        if "words" in purposes:
            found.append(_row(order, "words", task.words(attitude), attitude))
        if "plan" in purposes:
            for scenario in order.scenarios:
                asked = task.plan(attitude, scenario), task.convert(attitude, scenario, STAND_IN)
                found.append(_row(order, "plan", asked[0], attitude, scenario))
                found.append(_row(order, "convert", asked[1], attitude, scenario))
        if "critique" in purposes:
            found.append(_row(order, "critique", task.critique(attitude, STAND_IN), attitude))
            found.append(_row(order, "rewrite", task.rewrite(attitude, STAND_IN, STAND_IN), attitude))
    found.append(_row(order, "code", task.code(STAND_IN)))
    found.append(_row(order, "repair", task.repair(STAND_IN, STAND_IN, STAND_IN)[-1:]))
    return found


def dry_run_writing(
    model: str, *, code_model: str | None = None, prices: Mapping[str, Any] | None = None, **order: Any
) -> dict[str, Any]:
    """What an order would take; needs no key, asks nobody and makes nothing.

    Parameters
    ----------
    model, code_model : str
    prices : mapping
    **order
        As `intent.workflows.writing_order.make_order`.

    Returns
    -------
    dict, as `schema.JSON_OBJECTS` describes ``write_dry_run``

    Raises
    ------
    IntentError
        Whatever would keep the strategies from being written, missing keys apart.
    """
    from intent.runner.prices import price_of
    from intent.workflows.contacts import contact_rows, job_contacts
    from intent.workflows.expected_use import tokens_in
    from intent.workflows.writing_order import make_order, prices_of

    made = make_order(model, code_model or model, **order)
    known, rows = prices_of(prices), rendered_prompts(made)
    reply = float(made.settings.max_tokens or WRITTEN_TOKENS)
    calls = prompt_tokens = 0.0
    cost: float | None = 0.0
    for style in made.styles:
        for purpose in style.purposes:
            sizes = [tokens_in(row["system"] + row["user"]) for row in rows if row["purpose"] == purpose]
            n = made.n * len(made.attitudes)
            size = sum(sizes) / len(sizes) + _HOLDS.get(purpose, 0) * min(reply, WRITTEN_TOKENS)
            asked = made.code_model if purpose == "code" else made.model
            price = price_of(asked, known)
            calls, prompt_tokens = calls + n, prompt_tokens + n * size
            if price is None or cost is None:
                cost = None
            else:
                cost += n * (size * price.prompt + reply * price.completion) / 1e6
    most = sum(len(style.purposes) + 1 for style in made.styles) * made.limit * len(made.attitudes)
    result = {
        "n": made.n * len(made.attitudes) * len(made.styles),
        "calls": int(calls),
        "most_calls": most,
        "prompt_tokens": prompt_tokens,
        "reply_tokens": calls * reply,
        "cost": cost,
        "contacts": contact_rows(job_contacts((made.model, made.code_model))),
        "prompts": rows,
        "notes": [
            f"the calls are those of attempts that all play at once; at most {made.limit} attempts are made "
            "for each style and attitude, each with one repair"
        ],
    }
    return dict(json_values(result))


def _row(
    order: Order,
    purpose: str,
    messages: tuple[Message, ...],
    attitude: str | None = None,
    scenario: str | None = None,
) -> dict[str, Any]:
    texts = {message.role: message.content for message in messages}
    return {
        "purpose": purpose,
        "attitude": attitude,
        "scenario": scenario,
        "model": order.code_model if purpose in ("code", "repair") else order.model,
        "system": texts.get("system", ""),
        "user": texts["user"],
    }
