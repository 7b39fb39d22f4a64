"""What the page of a search shows, as plain values for its template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intent.view.game_page import ROUNDS_SHOWN
from intent.view.query import Facts, PageState, packed
from intent.view.texts import KINDS, Found, Hit

__all__ = ["GAMES_SHOWN", "HITS_SHOWN", "Match", "search_values"]

GAMES_SHOWN = 25
HITS_SHOWN = 3
"""Games on one page of a search, and places of each."""


@dataclass(frozen=True)
class Match:
    """A game with its first places; a place has the address of its round."""

    name: str
    address: str
    n: int
    hits: tuple[tuple[Hit, str], ...]


def search_values(
    facts: Facts,
    state: PageState,
    words: str,
    kinds: Sequence[str],
    outcome: Found | None,
    matches: Sequence[tuple[str, int, Sequence[Hit]]],
    *,
    first: int,
    n_games: int,
    texts: tuple[int, float, bool],
) -> dict[str, Any]:
    """Values of the template ``search.html``.

    Parameters
    ----------
    facts : Facts
    state : PageState
        Of the list whose games are searched.
    words : str
    kinds : of `KINDS`, those that are searched; none: all
    outcome : Found, or None where nothing was searched for
    matches : (game_id, places, first places) of the games on this page
    first : int
        Games before them.
    n_games : int
        Games that were to be searched.
    texts : as `Library.texts`
    """
    ask = [("q", words), *(("in", kind) for kind in kinds)]
    total = 0 if outcome is None else len(outcome.games)

    def page(offset: int) -> str:
        return state.at("search", *ask, *([("from", str(offset))] if offset else []))

    return {
        "facts": facts,
        "state": state,
        "words": words,
        "here": page(first),
        "outcome": outcome,
        "places": 0 if outcome is None else int(outcome.places.sum()),
        "total": total,
        "n_games": n_games,
        "matches": [_match(state, *one) for one in matches],
        "kinds": [(kind, kind.replace("_", " "), _places(outcome, kind), kind in kinds) for kind in KINDS],
        "n_texts": texts[0],
        "read": texts[1],
        "full": texts[2],
        "kept": packed([pair for pair in state.pairs() if pair[0] != "offset"]),
        "first": first + 1 if matches else 0,
        "last": first + len(matches),
        "previous": page(max(0, first - GAMES_SHOWN)) if first else None,
        "following": page(first + GAMES_SHOWN) if first + len(matches) < total else None,
        "filtered": bool(state.query.filters or state.query.jump),
    }


def _places(outcome: Found | None, kind: str) -> int | None:
    kinds: Mapping[str, int] = {} if outcome is None else outcome.kinds
    return kinds.get(kind)


def _match(state: PageState, name: str, n: int, hits: Sequence[Hit]) -> Match:
    address = state.at("game", ("id", name))
    return Match(name, address, n, tuple((hit, _round_address(address, hit.round)) for hit in hits))


def _round_address(address: str, number: int) -> str:
    """Of a round: on the page of the game that shows it."""
    first = (max(number, 1) - 1) // ROUNDS_SHOWN * ROUNDS_SHOWN + 1
    return f"{address}{f'&first={first}' if first > 1 else ''}#round-{number}"
