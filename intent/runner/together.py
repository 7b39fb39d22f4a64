"""Several seats asked at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TypeVar

__all__ = ["together"]

T = TypeVar("T")


async def together(awaited: Sequence[Awaitable[T]]) -> list[T]:
    """All results, asked for at once; an error waits until every one has come, so that no reply is lost."""
    if len(awaited) == 1:
        return [await awaited[0]]
    found = await asyncio.gather(*awaited, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if not isinstance(one, BaseException)]
