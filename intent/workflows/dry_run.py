"""What playing an experiment would take, without asking anybody: games, calls, tokens, cost, prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intent.workflows.expected_use import REPLY_TOKENS, Need, client_notes, needed_in_all, priced, tokens_in

if TYPE_CHECKING:
    from intent.agents.agent import Agent
    from intent.agents.plan import GamePlan
    from intent.runner.prices import Price
    from intent.workflows.experiment.model import Experiment

__all__ = ["dry_run"]


def dry_run(
    experiment: Experiment, *, prompts_shown: int | None = None, tracking: str | None = None
) -> dict[str, Any]:
    """Count what an experiment takes, and render prompts; needs no key and makes nothing.

    Parameters
    ----------
    experiment : Experiment
    prompts_shown : int, optional
        Different prompts to render at most: of each condition, one for every role in round 2, after a first
        round made up for the purpose (round 1 of games that have one round only). Seats of different
        architecture, options or attitude are different roles; so are the two sides of a debate, and the
        stages of a decision.

    tracking : str, optional
        MLflow URI or file that the run would be recorded in.

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
    over the first and the last round of a game in which everybody repeats one action. Where a decision
    takes several calls, or questions are asked, each is counted as its first prompt.
    """
    from intent.agents.build import make_agents
    from intent.workflows.check_after import check_after
    from intent.workflows.contacts import contact_rows, job_contacts
    from intent.workflows.experiment.check_agents import check_agents
    from intent.workflows.experiment.grid import cells
    from intent.workflows.experiment.prompt_sets import prompt_sets
    from intent.workflows.run_models import model_names
    from intent.workflows.shown_prompts import shown_prompts

    plans = experiment.plans()
    check_after(experiment.after, plans)
    models = model_names(plans)
    prompts = prompt_sets(experiment, plans)
    check_agents(plans, prompts)
    grid = cells(experiment)
    conditions: list[dict[str, Any]] = []
    shown: dict[str, dict[str, Any]] = {}
    for i, cell in enumerate(grid):
        plan = plans[i]
        agents = make_agents(plan, prompts)
        conditions.append(
            {
                "levels": dict(cell.levels),
                "game": plan.game,
                "players": [seat.player for seat in plan.seats],
                "n_games": experiment.repetitions,
                **_need(plan, agents, experiment.prices).of(experiment.repetitions),
            }
        )
        if prompts_shown is None or len(shown) < prompts_shown:
            for prompt in shown_prompts(plan, agents):
                content = f"{prompt['text']} {prompt['tools']}"
                shown.setdefault(content, {"levels": dict(cell.levels), **prompt})
    return {
        "name": experiment.name,
        "n_conditions": len(grid),
        "repetitions": experiment.repetitions,
        "n_games": len(plans),
        **needed_in_all(conditions),
        "budget": experiment.budget,
        "models": models,
        "contacts": contact_rows(job_contacts(models, tracking)),
        "conditions": conditions,
        "prompts": list(shown.values())[:prompts_shown],
        "notes": [*experiment.notes, *_notes(experiment, plans)],
    }


def _need(plan: GamePlan, agents: Sequence[Agent], prices: Mapping[str, Price]) -> Need:
    """What one game takes."""
    from intent.agents.agent import Answering
    from intent.workflows.calls_needed import question_calls, round_calls
    from intent.workflows.shown_prompts import model_seats

    rounds = plan.horizon().expected
    calls, most, prompt_tokens, reply_tokens = 0.0, 0, 0.0, 0.0
    cost: float | None = 0.0
    sizes: dict[str, float] = {}
    for seat in model_seats(plan):
        player = plan.seats[seat - 1]
        each, question = round_calls(plan, seat), question_calls(plan, seat)
        n = len(plan.questions) if isinstance(agents[seat - 1], Answering) else 0
        mine = rounds * (each.expected + n * question.expected)
        like = f"{player.architecture} {player.options} {player.attitude}"
        if like not in sizes:
            sizes[like] = _prompt_tokens(plan, seat, agents[seat - 1])
        reply = float(player.settings.max_tokens or REPLY_TOKENS) * mine
        calls += mine
        most += plan.rounds * (each.most + n * question.most)
        prompt_tokens += sizes[like] * mine
        reply_tokens += reply
        own_cost = priced(player.player, prices, sizes[like] * mine, reply)
        cost = None if cost is None or own_cost is None else cost + own_cost
    return Need(rounds * len(plan.seats), calls, most, prompt_tokens, reply_tokens, cost)


def _prompt_tokens(plan: GamePlan, seat: int, agent: Agent) -> float:
    from intent.workflows.first_prompt import first_prompt, invented_view

    asked = [first_prompt(agent, invented_view(plan, seat, number)) for number in (1, plan.rounds)]
    return sum(tokens_in(one.text) + sum(tokens_in(str(tool)) for tool in one.tools) for one in asked) / 2


def _notes(experiment: Experiment, plans: Sequence[GamePlan]) -> list[str]:
    """What somebody about to spend money should know."""
    notes = []
    orders = 2 ** len(experiment.counterbalance)
    if experiment.repetitions % orders:
        notes.append(
            f"{experiment.repetitions} repetitions hold the {orders} counterbalanced orders unequally often; "
            f"a multiple of {orders} would balance them"
        )
    noisy = sorted({plan.implementation_error for plan in plans} - {0.0})
    if noisy:
        rates = ", ".join(f"{rate:g}" for rate in noisy)
        number = sum(plan.implementation_error > 0 for plan in plans)
        notes.append(
            f"implementation_error {rates} in {number:,} of {len(plans):,} games: moves are flipped between "
            "decision and play, and every player is told"
        )
    return notes + client_notes(experiment, plans)
