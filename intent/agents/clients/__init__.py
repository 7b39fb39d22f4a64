"""Clients of language models, one file per kind of endpoint, all behind `intent.agents.client.Client`."""

from intent.agents.clients.registry import ENTRY_POINTS, PROVIDERS, make_client

__all__ = ["ENTRY_POINTS", "PROVIDERS", "make_client"]
