"""Which hosts a model's name means, before any of them is contacted."""

from __future__ import annotations

import os

from intent.agents.clients.endpoints import base_url, openai_endpoint
from intent.agents.clients.registry import PROVIDERS, provider_of
from intent.agents.local_models import LOCAL_MODELS, fetching, kept_file
from intent.offline import Contact, contact

__all__ = ["ANTHROPIC_URL", "model_contacts"]

ANTHROPIC_URL = "https://api.anthropic.com"

_NOBODY = ("gguf", "scripted")
"""Providers whose models answer within this process."""


def model_contacts(name: str) -> tuple[Contact, ...]:
    """The hosts that asking a model contacts; none for models in this process.

    What a function of the user's or a client of another package contacts is not known here.

    Parameters
    ----------
    name : str
        As in an experiment file.

    Raises
    ------
    UsageError
        A name or an address in the environment that means no endpoint.
    """
    provider = provider_of(name)
    model = name.partition("/")[2]
    if provider in _NOBODY:
        return ()
    if provider == "local":
        known = LOCAL_MODELS.get(model)
        return () if known is None or kept_file(known).is_file() else (fetching(model),)
    if provider == "openai":
        at = openai_endpoint(model)
        return (contact(at.url, f"model {at.model}", direct=at.local),)
    if provider == "anthropic":
        own = os.environ.get("ANTHROPIC_BASE_URL", "").strip()
        url = base_url(own, "ANTHROPIC_BASE_URL")[0] if own else ANTHROPIC_URL
        return (contact(url, f"model {model}"),)
    who = "a function of yours" if provider in PROVIDERS else "a client of another package"
    return (Contact(f"whomever {name} contacts", None, who),)
