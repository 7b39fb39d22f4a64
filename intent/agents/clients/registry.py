"""The table of providers, and the making of a client from its name in an experiment file.

Outsiders join with an entry point of the group ``intent.clients``: its name is the provider, its value a
callable that takes the whole name, as in ``mine/MODEL``, and returns a `intent.agents.client.Client`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import cast

from intent.agents.client import Client
from intent.base.errors import UnknownNameError, UsageError, shorten
from intent.base.registry import load, loaded, point, points

__all__ = ["ENTRY_POINTS", "LIMITED", "PROVIDERS", "SEEDED", "make_client", "provider_of", "providers"]


ENTRY_POINTS = "intent.clients"

PROVIDERS: Mapping[str, str] = MappingProxyType(
    {
        "openai": "intent.agents.clients.openai:OpenAIClient",
        "anthropic": "intent.agents.clients.anthropic:AnthropicClient",
        "local": "intent.agents.clients.llamacpp:LlamaCppClient",
        "gguf": "intent.agents.clients.llamacpp:LlamaCppClient",
        "scripted": "intent.agents.mock.client:ScriptedClient",
        "python": "intent.agents.clients.function:CallableClient",
    }
)
"""Provider, the part before ``/`` (``:`` for gguf), to the class that is made with the whole name."""

SEEDED = ("local", "gguf", "scripted")
"""Providers whose models all take a seed."""

LIMITED = ("local", "gguf", "anthropic")
"""Providers whose models stop early unless told otherwise."""


def make_client(
    name: str, *, callables: Mapping[str, Callable[..., object]] = MappingProxyType({})
) -> Client:
    """The client of a model.

    Parameters
    ----------
    name : ``openai/NAME``, ``openai/NAME@URL``, ``anthropic/NAME``, ``local/NAME``, ``gguf:PATH``,
        ``scripted/uniform|first|last|agreeable|erratic|strategist|strategist-erratic|says:TEXT``,
        ``scripted/asked:constant:91``, ``scripted/asked:cycle:0,50``, ``scripted/asked:RANDOM``,
        ``python/NAME``, or a provider of an entry point
    callables : mapping
        Name to async function, for ``python/NAME``. Names in experiment files import nothing.

    Raises
    ------
    UnknownNameError
        No such provider, scripted model or callable.
    UsageError
        A malformed name, or a key that is not in the environment.
    MissingExtraError
        The provider's library is not installed.
    """
    provider = provider_of(name)
    if provider is None:
        raise UsageError(
            f"model {shorten(name)!r}: expected PROVIDER/NAME, as in openai/gpt-4o, or gguf:PATH"
        )
    if provider == "python":
        wanted = name.removeprefix("python/")
        if wanted not in callables:
            raise UnknownNameError("callable", wanted, callables)
        return cast(Client, loaded(PROVIDERS["python"])(name, callables[wanted]))
    if provider in PROVIDERS:
        return cast(Client, loaded(PROVIDERS[provider])(name))
    if (there := point(ENTRY_POINTS, provider)) is not None:
        return cast(Client, load(there)(name))
    raise UnknownNameError("provider of models", provider, providers())


def provider_of(name: str) -> str | None:
    """The provider in a model's name: what is before ``/``, or gguf; None where the name says none."""
    if name.startswith("gguf:"):
        return "gguf"
    provider, slash, _ = name.partition("/")
    return provider if slash else None


def providers() -> list[str]:
    """Names of all providers, those of entry points last."""
    return [*PROVIDERS, *points(ENTRY_POINTS)]
