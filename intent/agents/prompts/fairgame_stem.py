"""Which of FAIRGAME's templates belongs to a game."""

from __future__ import annotations

from collections.abc import Iterable

from intent.errors import PromptError, UnknownNameError

__all__ = ["stem_of"]


def stem_of(game: str, stems: Iterable[str], where: str) -> str:
    """The template of a game: that of its name, else that of the beginning or the rest of it.

    ``prisoner-dilemma-harsh`` finds ``prisoner_dilemma``, ``public-goods`` finds ``public_goods_game``,
    ``Prisoner's Dilemma`` and ``Battle of sexes`` find ``prisoner_dilemma`` and ``battle_sexes``.

    Raises
    ------
    PromptError
        None fits, or several do.
    """
    known = {_plain(stem): stem for stem in stems}
    name = _plain(game.partition("(")[0])
    if name in known:
        return known[name]
    near = [s for s in known if f"{name}_".startswith(f"{s}_") or f"{s}_".startswith(f"{name}_")]
    if len(near) != 1:
        raise PromptError(f"prompts {where}: {UnknownNameError('template', name, known.values())}")
    return known[near[0]]


def _plain(name: str) -> str:
    text = "".join(c if c.isalnum() else " " for c in name.casefold().replace("'s ", " ").replace("’s ", " "))
    return "_".join(word for word in text.split() if word not in ("of", "the"))
