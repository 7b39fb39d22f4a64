"""The language models of some games: their names, and a client for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError, UsageError, shorten

if TYPE_CHECKING:
    from intent.agents.client import Client
    from intent.agents.plan import GamePlan
    from intent.workflows.experiment.runtime import Runtime

__all__ = ["has_human", "make_clients", "model_names"]


def model_names(plans: Iterable[GamePlan]) -> list[str]:
    """The language models of some plans, each a name that a client could be made of; no key is needed.

    Raises
    ------
    UsageError
        A name that says no provider, such as those in FAIRGAME's files.
    UnknownNameError
        A provider that is not there, or a scripted strategy that is none.
    """
    from intent.agents.clients.registry import provider_of, providers
    from intent.agents.players import parse_player

    players = dict.fromkeys(seat.player for plan in plans for seat in plan.seats)
    models = [name for name in players if parse_player(name).kind == "model"]
    known = providers()
    for name in models:
        provider = provider_of(name)
        if provider is None:
            raise UsageError(
                f"model {shorten(name)!r} says no provider, expected a name such as openai/gpt-4o; -m NAME "
                f"plays another model instead, intent play --map-model {shorten(name)}=NAME this one by its "
                "name here"
            )
        if provider not in known:
            raise UnknownNameError("provider of models", provider, known)
    return models


def has_human(plans: Iterable[GamePlan]) -> bool:
    """Whether a human has a seat in one of the plans."""
    return any(seat.kind == "human" for plan in plans for seat in plan.seats)


def make_clients(
    plans: Iterable[GamePlan], experiment: Runtime, callables: Mapping[str, Callable[..., Any]]
) -> list[Client]:
    """A client for every language model, which takes the settings that its seats ask for.

    Raises
    ------
    IntentError
        A name, key, file, library or price that is missing, or a setting that the endpoint does not have.
    """
    from intent.agents.client import Message
    from intent.agents.clients.registry import make_client
    from intent.runner.prices import require_prices

    games = list(plans)
    names = model_names(games)
    if experiment.budget is not None:
        require_prices(names, experiment.prices)
    clients = {name: make_client(name, callables=callables) for name in names}
    checked: set[tuple[str, str]] = set()
    for plan in games:
        for seat in plan.seats:
            asked = (seat.player, seat.settings.model_dump_json())
            if seat.player in clients and asked not in checked:
                checked.add(asked)
                labels = plan.stage().actions or ("A", "B")
                settings = seat.settings.model_copy(update={"choices": labels})
                clients[seat.player].body([Message("user", "A or B?")], settings)
    return list(clients.values())
