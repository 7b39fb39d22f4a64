"""How a game differs from the one of the paper, in a few words that scores are sorted by."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.games.course import CourseGame

__all__ = ["setting_name"]

_MENU = ("cheap_price", "cheap_utility", "costly_price", "costly_utility")


def setting_name(stage: CourseGame) -> str:
    """What differs from the paper's game, as scores name it; ``default`` where nothing does.

    Examples
    --------
    >>> from intent.games.gamma import gamma_game
    >>> setting_name(gamma_game("divide_dollar", gold=50)), setting_name(gamma_game("divide_dollar"))
    ('gold=50', 'default')
    >>> setting_name(gamma_game("diner", cheap_price=1, n_players=4))
    'menu=1/15/20/20, n_players=4'
    """
    words = _words(stage)
    usual = _words(type(stage)())
    differing = [f"{word}={value}" for word, value in words.items() if value != usual[word]]
    return ", ".join(differing) or "default"


def _words(stage: CourseGame) -> dict[str, str]:
    """Parameter -> value, the parameters that belong together as one."""
    fields = {field.name: getattr(stage, field.name) for field in dataclasses.fields(stage) if field.init}  # type: ignore[arg-type]
    n = fields.pop("n_players")
    if stage.name == "diner":
        fields = {"menu": "/".join(str(fields[name]) for name in _MENU)}
    if stage.name == "battle_royale":
        fields = {"rates": f"{fields['lowest']}/{fields['lowest'] + fields['interval'] * (n - 1)}"}
    words = {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in fields.items()
    }
    return {**words, "n_players": str(n)}
