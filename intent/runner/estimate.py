"""How many tokens a call may take, estimated before it is sent."""

from __future__ import annotations

from dataclasses import replace

from intent.agents.client import Settings, Usage

__all__ = ["TokenEstimate", "completed", "tokens_of"]


class TokenEstimate:
    """Estimates from above, and learns from what replies say.

    Prompt: half a token per byte of the body (English takes about a quarter, Chinese a third to a half)
    until a reply says more, then the largest ratio seen. Completion: ``max_tokens``; where that is not
    set, 1,024 or the largest seen, if that is more.
    """

    def __init__(self) -> None:
        self._ratio: float | None = None
        self._longest = 1_024

    def __call__(self, size: int, settings: Settings) -> Usage:
        """The estimate for a body of `size` bytes."""
        prompt = round(size * (0.5 if self._ratio is None else self._ratio)) + 1
        return Usage(prompt_tokens=prompt, completion_tokens=settings.max_tokens or self._longest)

    def learn(self, size: int, usage: Usage) -> None:
        """Take note of what a body of `size` bytes took."""
        if usage.prompt_tokens and size:
            self._ratio = max(self._ratio or 0.0, usage.prompt_tokens / size)
        self._longest = max(self._longest, usage.completion_tokens or 0)


def completed(usage: Usage, estimate: Usage) -> Usage:
    """What the endpoint counted, with the estimate where it did not."""
    if usage.prompt_tokens is None:
        usage = replace(usage, prompt_tokens=estimate.prompt_tokens)
    if usage.completion_tokens is None:
        usage = replace(usage, completion_tokens=estimate.completion_tokens)
    return usage


def tokens_of(usage: Usage) -> int | None:
    """Prompt and completion together, None where either is unknown."""
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return usage.prompt_tokens + usage.completion_tokens
