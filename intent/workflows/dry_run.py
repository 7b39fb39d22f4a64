"""What playing an experiment would take, without asking anybody: games, calls, tokens, cost, prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from intent.errors import IntentError

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.play.view import View
    from intent.runner.prices import Price
    from intent.workflows.experiment.model import Experiment

__all__ = ["REPLY_TOKENS", "dry_run"]

REPLY_TOKENS = 16
"""Tokens that a reply is taken to have where its length is not limited; reasoning is not counted."""


@dataclass(frozen=True)
class _Need:
    """What one game is expected to take, and takes at most."""

    decisions: float
    calls: float
    most_calls: int
    prompt_tokens: float
    reply_tokens: float
    cost: float | None


def dry_run(experiment: Experiment, *, prompts_shown: int | None = None) -> dict[str, Any]:
    """Count what an experiment takes, and render prompts; needs no key and makes nothing.

    Parameters
    ----------
    experiment : Experiment
    prompts_shown : int, optional
        Different prompts to render, one of each condition (None: of every one): that of the first seat
        that a model plays in round 2, after a first round made up for the purpose (round 1 of games that
        have one round only).

    Returns
    -------
    dict as `schema.JSON_OBJECTS["dry_run"]`

    Raises
    ------
    IntentError
        Whatever would keep the experiment from being played, missing keys apart.

    Notes
    -----
    Tokens are a quarter of the ASCII characters of a prompt and three quarters of the others, averaged
    over the first and the last round of a game in which everybody repeats one action.
    """
    from intent.workflows.experiment.grid import cells
    from intent.workflows.experiment.prompt_sets import prompt_sets
    from intent.workflows.run_after import check_after
    from intent.workflows.run_models import model_names

    plans = experiment.plans()
    check_after(experiment.after, plans)
    models = model_names(plans)
    prompts = prompt_sets(experiment, plans)
    grid = cells(experiment)
    conditions: list[dict[str, Any]] = []
    shown: dict[str, dict[str, Any]] = {}
    for i, cell in enumerate(grid):
        plan = plans[i]
        need = _need(plan, prompts, experiment.prices)
        conditions.append(
            {
                "levels": dict(cell.levels),
                "game": plan.game,
                "players": [seat.player for seat in plan.seats],
                "n_games": experiment.repetitions,
                "decisions": need.decisions * experiment.repetitions,
                "calls": need.calls * experiment.repetitions,
                "most_calls": need.most_calls * experiment.repetitions,
                "prompt_tokens": need.prompt_tokens * experiment.repetitions,
                "reply_tokens": need.reply_tokens * experiment.repetitions,
                "cost": None if need.cost is None else need.cost * experiment.repetitions,
            }
        )
        if prompts_shown is None or len(shown) < prompts_shown:
            text = _shown(plan, prompts)
            if text is not None:
                shown.setdefault(text, dict(cell.levels))
    return {
        "name": experiment.name,
        "n_conditions": len(grid),
        "repetitions": experiment.repetitions,
        "n_games": len(plans),
        **{key: sum(c[key] for c in conditions) for key in ("decisions", "calls", "most_calls")},
        **{key: sum(c[key] for c in conditions) for key in ("prompt_tokens", "reply_tokens")},
        "cost": _sum([c["cost"] for c in conditions]),
        "budget": experiment.budget,
        "models": models,
        "conditions": conditions,
        "prompts": [{"levels": levels, "text": text} for text, levels in shown.items()],
        "notes": _notes(experiment, plans),
    }


def _need(plan: GamePlan, prompts: Mapping[str, PromptSet], prices: Mapping[str, Price]) -> _Need:
    """What one game takes."""
    from intent.runner.prices import price_of

    rounds = plan.horizon().expected
    asked = _asked(plan)
    phases = 1 if plan.communication == "none" else 2
    tries = phases - 1 + 1 + plan.reply.retries
    calls = rounds * phases * len(asked)
    per_call = _prompt_tokens(plan, asked, prompts) if asked else 0.0
    cost: float | None = 0.0
    reply_tokens = 0.0
    for seat in asked:
        player = plan.seats[seat - 1]
        reply = float(player.settings.max_tokens or REPLY_TOKENS) * rounds * phases
        reply_tokens += reply
        price = price_of(player.player, prices)
        if price is None or cost is None:
            cost = None
            continue
        spent = per_call * rounds * phases * price.prompt + reply * price.completion
        cost += spent / 1e6
    return _Need(
        decisions=rounds * len(plan.seats),
        calls=calls,
        most_calls=plan.rounds * tries * len(asked),
        prompt_tokens=calls * per_call,
        reply_tokens=reply_tokens,
        cost=cost,
    )


def _asked(plan: GamePlan) -> list[int]:
    """Seats that language models take."""
    return [i for i, seat in enumerate(plan.seats, start=1) if seat.kind == "model"]


def _prompt_tokens(plan: GamePlan, asked: Sequence[int], prompts: Mapping[str, PromptSet]) -> float:
    sizes = [
        _tokens(_text(prompts[plan.prompts], view, plan))
        for view in (_view(plan, asked[0], n) for n in (1, plan.rounds))
    ]
    return sum(sizes) / len(sizes)


def _tokens(text: str) -> float:
    ascii_ = sum(character.isascii() for character in text)
    return ascii_ / 4 + (len(text) - ascii_) * 0.75


def _shown(plan: GamePlan, prompts: Mapping[str, PromptSet]) -> str | None:
    asked = _asked(plan)
    if not asked:
        return None
    return _text(prompts[plan.prompts], _view(plan, asked[0], min(2, plan.rounds)), plan)


def _text(prompts: PromptSet, view: View, plan: GamePlan) -> str:
    return "\n\n".join(message.content for message in prompts.render(view, plan, "choose"))


def _view(plan: GamePlan, seat: int, number: int) -> View:
    """What a seat sees in a round, after others in which seats 1, 3, … took the first action."""
    import numpy as np

    from intent.play.horizon import Horizon
    from intent.play.referee import Referee

    stage = plan.stage()
    told = plan.horizon()
    referee = Referee(stage, Horizon(max(number, plan.rounds), told.known), rng=np.random.default_rng(0))
    for _ in range(number - 1):
        for each in referee.pending():
            referee.submit(each, stage.actions[(each - 1) % 2])
    view = referee.view(seat)
    if told.continuation is None:
        return view
    return replace(view, horizon=None, continuation=told.continuation if told.known else None)


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _notes(experiment: Experiment, plans: Sequence[GamePlan]) -> list[str]:
    """What somebody about to spend money should know."""
    from intent.agents.clients.registry import make_client
    from intent.runner.prices import require_prices
    from intent.workflows.run_models import model_names

    notes = []
    orders = 2 ** len(experiment.counterbalance)
    if experiment.repetitions % orders:
        notes.append(
            f"{experiment.repetitions} repetitions hold the {orders} counterbalanced orders unequally often; "
            f"a multiple of {orders} would balance them"
        )
    if experiment.budget is not None:
        try:
            require_prices(model_names(plans), experiment.prices)
        except IntentError as error:
            notes.append(str(error))
    for name in model_names(plans):
        if name.startswith(("openai/", "anthropic/")):
            try:
                make_client(name)
            except IntentError as error:
                notes.append(f"cannot be played yet: {error}")
    return notes
