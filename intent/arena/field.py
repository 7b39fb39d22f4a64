"""The fields that written strategies meet: people's, the catalogue's, and names from both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from intent.arena.entrant import Entrant
from intent.arena.humans import ELEVEN, HUMANS
from intent.errors import StrategyError, UnknownNameError, UsageError
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import CATALOGUE, SETS, strategy, strategy_set

__all__ = ["catalogue_entrants", "humans", "join_fields", "opponents"]


def humans() -> tuple[Entrant, ...]:
    """The eleven strategies of the published tournament, in its order, group ``human``.

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, section 4.1; Beaufils, Delahaye & Mathieu 1996.
    """
    return tuple(HUMANS[name].entrant for name in ELEVEN)


def catalogue_entrants(names: str | Iterable[str | Strategy] = "all") -> tuple[Entrant, ...]:
    """Automata of the catalogue, group ``catalogue``.

    Parameters
    ----------
    names : str or iterable
        A set such as ``canonical4``, names with commas, or a list, as in `strategy_set`.

    Raises
    ------
    UnknownNameError
    StrategyError
    """
    return tuple(Entrant(s.name, automaton=s, group="catalogue", words=s.rule) for s in strategy_set(names))


def opponents(names: str) -> tuple[Entrant, ...]:
    """The opponents that a text names, each strategy once.

    A strategy that an earlier part has under another name is left out, else a field with ``Cooperator``
    and ``ALLC`` would count one strategy twice: ``humans,catalogue`` are the eleven and the twenty of the
    catalogue that are not among them.

    Parameters
    ----------
    names : str
        With commas: ``humans``, ``catalogue``, a set of the catalogue (``canonical4``), one strategy of
        the literature (``Gradual``) or of the catalogue (``GTFT(0.1)``).

    Raises
    ------
    UsageError
        No name at all.
    UnknownNameError
        The nearest names are suggested.
    StrategyError
        A parameter that is not a probability.
    """
    parts = [part.strip() for part in names.split(",") if part.strip()]
    if not parts:
        raise UsageError("no opponents named, expected such as humans,catalogue")
    chosen: dict[str, Entrant] = {}
    for part in parts:
        for entrant in _named(part):
            chosen.setdefault(entrant.digest, entrant)
    return join_fields(tuple(chosen.values()))


def join_fields(*fields: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Fields in one, with names made unique: whose name is taken gets its group behind it.

    ``TFT`` that a user wrote keeps its name, the catalogue's becomes ``TFT (catalogue)``.

    Raises
    ------
    StrategyError
        Two entrants of one field and group have the same name.
    """
    joined: dict[str, Entrant] = {}
    for field in fields:
        for entrant in field:
            name = entrant.name
            if name in joined:
                name = f"{name} ({entrant.group or entrant.origin or 'other'})"
            if name in joined:
                raise StrategyError(f"two strategies are named {name!r}, expected different names")
            joined[name] = entrant if name == entrant.name else replace(entrant, name=name)
    return tuple(joined.values())


def _named(part: str) -> tuple[Entrant, ...]:
    """Entrants of one part of the text."""
    known = {name.casefold(): human for name, human in HUMANS.items()}
    folded = part.casefold()
    if folded in ("humans", "human"):
        return humans()
    if folded == "catalogue":
        return catalogue_entrants()
    if part in SETS:
        return catalogue_entrants(part)
    if part not in CATALOGUE and folded in known:
        return (known[folded].entrant,)
    try:
        return catalogue_entrants([strategy(part)])
    except UnknownNameError:
        every = ("humans", "catalogue", *HUMANS, *CATALOGUE, *SETS)
        raise UnknownNameError("opponent", part, every) from None
