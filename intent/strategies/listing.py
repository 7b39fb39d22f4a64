"""The catalogue of strategies, for reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["draw_strategy", "list_strategies", "show_strategy"]


def list_strategies(names: str = "all") -> list[dict[str, Any]]:
    """Facts on the strategies of a set or list, as `json_objects.JSON_OBJECTS["strategies"]`."""
    from intent.strategies.catalogue import strategy_set

    return [_facts(s) for s in strategy_set(names)]


def show_strategy(name: str) -> dict[str, Any]:
    """Facts on one strategy, with its states and a drawing of the automaton."""
    from intent.strategies.automaton import draw_automaton, state_names
    from intent.strategies.catalogue import SETS, strategy

    s = strategy(name)
    return {
        **_facts(s),
        "first_state": s.start,
        "p_cooperate": dict(zip(state_names(s), s.p_cooperate, strict=True)),
        "next_state": [list(row) for row in s.next_state],
        "sets": [set_name for set_name, (members, _) in SETS.items() if s.name in members],
        "drawing": draw_automaton(s),
    }


def draw_strategy(name: str, path: str | Path, *, overwrite: bool = False) -> Path:
    """Draw the automaton of a strategy into a .png, .svg or .pdf.

    Raises
    ------
    UnknownNameError
        No such strategy.
    OutputError
        The path cannot be written or has another suffix.
    """
    import json

    from intent.strategies.catalogue import strategy
    from intent.strategies.figures import write_automaton
    from intent.version import __version__

    s = strategy(name)
    facts = {"kind": "automaton", "strategy": s.name, "version": __version__}
    return write_automaton(s, path, description=json.dumps(facts), overwrite=overwrite)


def _facts(s: Any) -> dict[str, Any]:
    vector = s.memory_one_vector()
    return {
        "name": s.name,
        "synonyms": list(s.synonyms),
        "rule": s.rule,
        "states": s.n_states,
        "memory_one": None if vector is None else list(vector),
        "citation": s.citation,
    }
