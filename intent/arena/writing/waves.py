"""Which attempts are made: as many as are missing, then as many as failed, until enough play."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from intent.arena.writing.attempt import Attempt
from intent.arena.writing.desk import Place
from intent.runner.together import together

__all__ = ["attempts_for", "chosen", "default_limit", "in_waves"]


def default_limit(n: int) -> int:
    """Attempts for an attitude, at most: 3 n + 5."""
    return 3 * n + 5


def chosen(attempts: Sequence[Attempt], n: int) -> tuple[Attempt, ...]:
    """The `n` attempts of the lowest numbers that play."""
    return tuple(sorted((a for a in attempts if a.plays), key=lambda a: a.place.number)[:n])


async def in_waves(
    groups: Mapping[tuple[str, str], Callable[[Place], Awaitable[Attempt]]],
    *,
    n: int,
    limit: int,
    seed: int,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> dict[tuple[str, str], tuple[Attempt, ...]]:
    """Attempts of every style and attitude.

    The first wave holds attempts 1 to `n` of each, for each number all attitudes in turn; each further wave
    as many as are missing. A wave begins when the one before is over, so that which attempts are made, and
    which of them are taken, does not depend on how fast anything is answered.

    Parameters
    ----------
    groups : mapping from (style, attitude) to what makes an attempt
    n : int, strategies wanted for each
    limit : int, attempts for each at most
    seed : int
    update : function of attempts done and issued

    Raises
    ------
    IntentError
        Of the first attempt that raised, once those under way are over.
    """
    made: dict[tuple[str, str], list[Attempt]] = {group: [] for group in groups}
    done = 0

    async def one(group: tuple[str, str], number: int) -> Attempt:
        nonlocal done
        attempt = await groups[group](Place(seed, *group, number))
        done += 1
        update(done, issued)
        return attempt

    while wave := _missing(made, n, limit):
        issued = done + len(wave)
        update(done, issued)
        for attempt in await together([one(group, number) for group, number in wave]):
            made[attempt.place.style, attempt.place.attitude].append(attempt)
    return {group: tuple(sorted(found, key=lambda a: a.place.number)) for group, found in made.items()}


def attempts_for(
    found: Mapping[tuple[str, str], tuple[Attempt, ...]], style: str
) -> dict[str, tuple[Attempt, ...]]:
    """Attitude -> attempts of one style."""
    return {attitude: attempts for (of, attitude), attempts in found.items() if of == style}


def _missing(
    made: Mapping[tuple[str, str], Sequence[Attempt]], n: int, limit: int
) -> list[tuple[tuple[str, str], int]]:
    """Groups and numbers of the next wave, numbers first."""
    wave = []
    for group, attempts in made.items():
        lacking = n - sum(attempt.plays for attempt in attempts)
        first = len(attempts) + 1
        wave += [(group, number) for number in range(first, min(first + lacking, limit + 1))]
    return sorted(wave, key=lambda item: item[1])
