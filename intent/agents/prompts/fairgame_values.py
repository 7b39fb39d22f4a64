"""The values that FAIRGAME puts into its templates, to the last digit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from intent.agents.personas import published_words
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.fairgame_weights import Weight, weight_numbers
from intent.agents.prompts.history import cut_message
from intent.agents.prompts.languages import canonical_language
from intent.games.game import number
from intent.games.public_goods import PublicGoods
from intent.play.view import View

__all__ = ["values_of"]


def values_of(
    view: View, plan: GamePlan, weights: Iterable[Weight], labels: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Placeholder -> value.

    Raises
    ------
    PromptError
        Weights that are no cells of the game.
    """
    opponents = [plan.seats[seat - 1] for seat in view.other_seats]
    numbers = weight_numbers(weights, view.game)
    values: dict[str, Any] = {
        "currentPlayerName": plan.seats[view.seat - 1].name,
        "currentRound": view.round,
        "history": repr(_history(view, plan, numbers)),
    }
    values |= {f"strategy{i}": label for i, label in enumerate(labels or view.game.actions, start=1)}
    values |= {f"weight{i}": value for i, value in enumerate(numbers, start=1)}
    values |= {f"opponent{i}": seat.name for i, seat in enumerate(opponents, start=1)}
    own = _persona(plan.seats[view.seat - 1], plan.language)
    if own != "None":
        values["personality"] = own
    if view.horizon is not None:
        values["nRounds"] = view.horizon
    if isinstance(view.game, PublicGoods):
        values |= _pool(view.game)
    return values | _of_opponents(opponents, plan.language)


def _of_opponents(opponents: list[SeatPlan], language: str) -> dict[str, Any]:
    """What is told of the others, if of anyone: the probability stands with whom it is about."""
    personas = [_persona(seat, language) for seat in opponents]
    chances = [number(float(seat.opponent_persona_probability)) for seat in opponents]
    if not any(chance and words != "None" for chance, words in zip(chances, personas, strict=True)):
        return {}
    values: dict[str, Any] = {
        "opponentPersonality": personas[0],
        "opponentPersonalityProbability": chances[0],
    }
    for i, (words, chance) in enumerate(zip(personas, chances, strict=True), start=1):
        values[f"opponentPersonality{i}"] = words
        values[f"opponentPersonalityProbability{i}"] = chance
    return values


def _persona(seat: SeatPlan, language: str) -> str:
    """The words for a persona, 'None' for none, as FAIRGAME has it."""
    if seat.persona_text is not None:
        return seat.persona_text or "None"
    if not seat.persona:
        return "None"
    return published_words(seat.persona, canonical_language(language))


def _history(view: View, plan: GamePlan, weights: list[int | float]) -> dict[str, dict[str, dict[str, Any]]]:
    """Round -> player -> what the others may know, in FAIRGAME's order of keys."""
    written = {float(w): w for w in reversed(weights)}
    seats = range(1, view.game.n_players + 1)
    talk = plan.communication != "none"
    last = view.round - 1
    first = 0 if plan.memory is None else max(0, last - plan.memory)
    past: dict[str, dict[str, dict[str, Any]]] = {}
    for index in range(first, last):
        entries = past.setdefault(f"round_{index + 1}", {})
        for seat in seats:
            message = view.messages_by_seat[seat - 1][index]
            entry = entries.setdefault(plan.seats[seat - 1].name, {})
            if talk or message is not None:
                entry["message"] = _cut(message)
            entry["strategy"] = view.actions_by_seat[seat - 1][index]
            entry["score"] = _score(view, view.payoffs_by_seat[seat - 1][index], written)
    if view.said:
        now = past.setdefault(f"round_{view.round}", {})
        for seat, message in view.said:
            now[plan.seats[seat - 1].name] = {"message": _cut(message)}
    return past


def _score(view: View, payoff: float | None, written: dict[float, int | float]) -> int | float | None:
    """A payoff as FAIRGAME holds it: the weight itself, or a float that was computed."""
    if payoff is None or isinstance(view.game, PublicGoods):
        return payoff
    return written.get(float(payoff), number(float(payoff)))


def _cut(message: str | None) -> str | None:
    return None if message is None else cut_message(message)


def _pool(game: PublicGoods) -> dict[str, Any]:
    """The placeholders of the public goods game, computed in upstream's order and not rounded."""
    c, m, n = number(float(game.cost)), float(game.factor), game.n_players
    return {
        "contributionCost": c,
        "multiplicationFactor": m,
        "numAgents": n,
        "totalIfAllContribute": c * n,
        "payoffIfAllContribute": c * n * m / n,
        "netGainIfAllContribute": c * n * m / n - c,
        "soloContributionReturn": c * m / n,
        "soloContributionNet": c * m / n - c,
    }
