"""Addresses of pages, texts and files: those of the server, which a site on disk replaces by its own."""

from __future__ import annotations

import re

from intent.view.query import PageState, game_address, packed

__all__ = ["Places", "safe_name"]

_ODD = re.compile(r"[^A-Za-z0-9._-]+")


def safe_name(text: str, limit: int = 40) -> str:
    """A name for a file from any text: ASCII letters, digits, hyphens, dots within; empty where none is left.

    Examples
    --------
    >>> safe_name("../gpt-4o: game 3")
    'gpt-4o-game-3'
    """
    return _ODD.sub("-", text[: 4 * limit]).strip("-._")[:limit].strip("-._")


class Places:
    """The addresses of the local server.

    Parameters
    ----------
    root : str
        What the addresses of a run or log begin with, where the server shows several.

    Attributes
    ----------
    site : None
        What a page on disk needs beside its templates; a server has nothing of it.
    """

    site: object | None = None

    def __init__(self, root: str = "") -> None:
        self.root = root

    @property
    def home(self) -> str:
        """Where all begins: the list of games, or of runs and logs."""
        return "/"

    def games(self, state: PageState) -> str:
        """The list."""
        return state.address()

    def game(self, game_id: str, state: PageState, first: int = 1) -> str:
        """A game, from a first round on."""
        address = game_address(game_id, state)
        return address if first == 1 else f"{address}&first={first}"

    def round(self, game_id: str, state: PageState, number: int) -> str:
        """A game with one round unfolded."""
        return f"{game_address(game_id, state)}&round={number}#round-{number}"

    def unfolded(self, game_id: str, state: PageState, first: int) -> str | None:
        """A game with all rounds unfolded."""
        return f"{self.game(game_id, state, first)}&round=all#rounds"

    def text(self, game_id: str, key: str) -> str | None:
        """A whole text; None where the page has it already and nothing else does."""
        return f"{self.root}/text?{packed([('id', game_id), ('key', key)])}"
