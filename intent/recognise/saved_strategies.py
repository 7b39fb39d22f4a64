"""The strategies of a saved recogniser: kept as tables, restored by name where the name still means them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from intent.errors import RecogniserError, StrategyError, UnknownNameError, shorten
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import strategy, strategy_set

__all__ = ["read_strategy", "restored_strategies", "strategy_table", "with_background"]

_LONGEST_SET = 1000
"""Characters or names of a saved parameter that are looked up."""


def strategy_table(s: Strategy) -> dict[str, Any]:
    """A strategy as JSON, without its texts; `read_strategy` takes it back."""
    return {
        "name": s.name,
        "p_cooperate": list(s.p_cooperate),
        "next_state": [list(row) for row in s.next_state],
        "start": s.start,
        "memory": s.memory,
    }


def read_strategy(table: Mapping[str, Any]) -> Strategy:
    """The strategy of a table of name, p_cooperate, next_state, start and memory.

    Raises
    ------
    RecogniserError
        A state is not a whole number.
    StrategyError
        The table is no automaton.
    """
    states = [table["start"], *(t for row in table["next_state"] for t in row)]
    if any(type(t) is not int for t in states):
        raise RecogniserError(f"strategy {shorten(table['name'])} has a state that is no whole number")
    return Strategy(
        table["name"],
        tuple(map(float, table["p_cooperate"])),
        tuple((cc, cd, dc, dd) for cc, cd, dc, dd in table["next_state"]),
        table["start"],
        memory=table["memory"],
    )


def restored_strategies(
    given: Any, tables: Sequence[Mapping[str, Any]], *, background: bool = False
) -> tuple[tuple[Strategy, ...], Any]:
    """The strategies of saved tables, and the parameter that means them.

    Where the parameter still names strategies with these tables, they are those of today's catalogue, with
    their texts; else the saved ones are used and take the parameter's place.

    Parameters
    ----------
    given : the saved parameter: set name, names, or anything that a crafted file holds there
    tables : as `strategy_table`
    background : bool
        As `with_background`.

    Raises
    ------
    RecogniserError, StrategyError
        As `read_strategy`.
    """
    saved = tuple(read_strategy(table) for table in tables)
    named = _named(given, background)
    if [*map(strategy_table, named)] == [*map(strategy_table, saved)]:
        return named, given
    return saved, saved


def with_background(strategies: tuple[Strategy, ...], background: bool) -> tuple[Strategy, ...]:
    """The strategies, and RANDOM where a background is wanted and none of them is one."""
    if background and not any(s.is_background for s in strategies):
        return (*strategies, strategy("RANDOM"))
    return strategies


def _named(given: Any, background: bool) -> tuple[Strategy, ...]:
    """The strategies that a saved parameter names today; none where it names no set of a usual size."""
    if len(given) > _LONGEST_SET:
        return ()
    try:
        return with_background(strategy_set(given), background)
    except (UnknownNameError, StrategyError):
        return ()
