"""Any async function of Python as a language model."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from intent.agents.client import Message, Reply, Settings, Tool
from intent.agents.clients.registry import clean, whole_body
from intent.base.errors import IntentError, RefusedError, RetryableError, UsageError, shorten

__all__ = ["CallableClient"]

Function = Callable[[Sequence[Message], Sequence[Tool], Settings], Awaitable[str | Reply]]
"""``async (messages, tools, settings) -> str | Reply``"""


class CallableClient:
    """Asks a function.

    The function is given all settings, and raises `SettingError` for one that it does not have. It may raise
    `RetryableError`, `TimeoutError` or `ConnectionError` for what may succeed later; whatever else it raises
    is taken to happen again.

    Parameters
    ----------
    name : ``python/NAME``
    function : async callable
    """

    concurrency = 64

    def __init__(self, name: str, function: Function) -> None:
        if not callable(function):
            raise UsageError(f"{name}: expected an async function, got {type(function).__name__}")
        self.name = name
        self.endpoint = name
        self._function = function

    def __repr__(self) -> str:
        return f"CallableClient({self.name!r})"

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        """Messages, tools and settings as given; nothing is sent anywhere."""
        return whole_body(self.name, messages, settings, tools)

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        """One call of the function."""
        body = self.body(messages, settings, tools)
        try:
            async with asyncio.timeout(settings.timeout):
                answer = self._function(messages, tools, settings)
                if not inspect.isawaitable(answer):
                    raise RefusedError(
                        f"{self.name}: expected an async function (async def), it returned "
                        f"{type(answer).__name__} at once"
                    )
                result = await answer
        except IntentError:
            raise
        except TimeoutError:
            raise RetryableError(f"{self.name}: no answer within {settings.timeout:g} s") from None
        except ConnectionError as error:
            raise RetryableError(f"{self.name}: {type(error).__name__}: {shorten(error)}") from error
        except Exception as error:
            raise RefusedError(f"{self.name}: {type(error).__name__}: {shorten(error, 240)}") from error
        reply = Reply(result) if isinstance(result, str) else result
        if not isinstance(reply, Reply):
            raise RefusedError(
                f"{self.name}: expected a text or a Reply, got {type(result).__name__}"  # the user's function
            )
        if not reply.text.strip() and not reply.tool_calls:
            raise RetryableError(f"{self.name}: the answer is empty")
        return replace(reply, text=clean(reply.text), sent=reply.sent or body)

    async def close(self) -> None:
        """Nothing to release."""
