"""What the page of the repeats of a condition shows, as plain values for its template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from intent.view.list_page import head_rows
from intent.view.query import Facts, Page, PageState, game_address

__all__ = ["repeats_values"]


def repeats_values(
    facts: Facts, state: PageState, conditions: Sequence[tuple[str, str]], page: Page, game_id: str
) -> dict[str, Any]:
    """Values of the template ``repeats.html``.

    Parameters
    ----------
    facts : Facts
    state : PageState
        Of the list that the reader came from.
    conditions : (column, value)
    page : Page
        The games of these conditions.
    game_id : str
        The one whose repeats they are.
    """
    rows = head_rows(page, state)
    n_seats = max((len(row.strips) for row in rows), default=0)
    return {
        "facts": facts,
        "state": state,
        "conditions": conditions,
        "rows": rows,
        "total": page.total,
        "seats": range(1, n_seats + 1),
        "own": game_id,
        "game": game_address(game_id, state),
        "payoffs": [[seat.get("total_payoff") for seat in row.get("seats") or []] for row in page.rows],
        "same": _distinct(page),
    }


def _distinct(page: Page) -> int | None:
    """Different games among them, by their moves; None where some are not at hand."""
    played = [row.get("moves") for row in page.rows]
    if not played or any(not moves for moves in played) or len(played) < page.total:
        return None
    return len({tuple(moves) for moves in played if moves})
