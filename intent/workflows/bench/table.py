"""Who sits at a table: a model in all seats, or players of several kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from intent.errors import DataError, shorten

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MODEL", "REST", "seated", "table_name", "wants_model"]

MODEL = "model"
"""Stands for the model whose table it is."""

REST = "rest"
"""Stands for the number of seats that are left."""

Table = Mapping[str, int | str] | Sequence[str] | None


def wants_model(table: Table) -> bool:
    """Whether a table has a seat for the model whose table it is.

    Examples
    --------
    >>> wants_model({"model": 9, "human": 1}), wants_model(["human", "scripted/RANDOM"]), wants_model(None)
    (True, False, True)
    """
    return table is None or MODEL in table


def seated(table: Table, model: str | None, n_players: int, rng: np.random.Generator) -> tuple[str, ...]:
    """The players by seat; those of a mapping are shuffled.

    Parameters
    ----------
    table : player -> seats, players by seat, or None for the model in all seats
    model : str, optional
    n_players : int
    rng : numpy Generator

    Raises
    ------
    DataError
        Another number of seats than players, or no model where one is to sit.

    Examples
    --------
    >>> import numpy as np
    >>> sorted(seated({"human": 1, "model": "rest"}, "local/a", 3, np.random.default_rng(0)))
    ['human', 'local/a', 'local/a']
    """
    players = _shuffled(_counts(table, n_players), rng) if isinstance(table, Mapping) else table
    listed = tuple(players) if players is not None else (MODEL,) * n_players
    if len(listed) != n_players:
        raise DataError(f"table: {len(listed)} seats ({shorten(', '.join(listed))}), expected {n_players}")
    if MODEL in listed and not model:
        raise DataError("table: no model; give `models:` in the file or -m on the command line")
    return tuple(model or "" if player == MODEL else player for player in listed)


def table_name(players: Sequence[str]) -> str:
    """Who sits there, in order of first appearance by name: ``local/a×9, scripted/constant:91×1``.

    Examples
    --------
    >>> table_name(["b", "a", "b"])
    'b×2, a×1'
    """
    counts = Counter(players)
    return ", ".join(f"{name}×{counts[name]}" for name in sorted(counts, key=lambda n: (-counts[n], n)))


def _counts(table: Mapping[str, int | str], n_players: int) -> dict[str, int]:
    fixed = {name: n for name, n in table.items() if isinstance(n, int)}
    free = [name for name in table if name not in fixed]
    left = n_players - sum(fixed.values())
    if len(free) > 1 or left < 0 or (not free and left):
        raise DataError(
            f"table: {shorten(dict(table))} is {sum(fixed.values())} seats, expected {n_players}; "
            f"one player may have {REST}"
        )
    return {name: fixed.get(name, left) for name in table}


def _shuffled(counts: Mapping[str, int], rng: np.random.Generator) -> list[str]:
    players = [name for name, n in counts.items() for _ in range(n)]
    return [players[i] for i in rng.permutation(len(players))]
