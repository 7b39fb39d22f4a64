"""Games that were told as a story, as the games that they are: for scores and comparisons of both."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.errors import GameError
from intent.games.gamma.relabelled import RELABELLED, Relabelled
from intent.logs.gamelog import GameLog
from intent.suites.gamma.replay import course_game

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ORIGINAL", "STORY", "setting_of_story", "setting_without_story", "told_plainly"]

STORY = "story"
"""Condition column: the story a game was told as."""

ORIGINAL = "original"
"""Its value where a game was told as it is."""


def told_plainly(log: GameLog) -> GameLog:
    """The log with the original of every relabelled game, its actions and numbers; other games as they are.

    A log without relabelled games is given back as it is; cells of ``payoffs`` that make no game are left.

    Parameters
    ----------
    log : GameLog

    Returns
    -------
    GameLog
        With the condition column ``story`` where any game was relabelled. Messages and replies stay as they
        are.
    """
    told: dict[int, Relabelled] = {}
    for i, (payoffs, name) in enumerate(zip(log.games["payoffs"], log.games["game"], strict=True)):
        if not isinstance(payoffs, str) or RELABELLED not in payoffs:
            continue
        try:
            game = course_game(payoffs, name)
        except GameError:
            continue
        if isinstance(game, Relabelled):
            told[i] = game
    if not told:
        return log
    games = {name: log.games[name].astype(object).to_numpy().copy() for name in _COLUMNS}
    stories = np.full(len(log.games), ORIGINAL, dtype=object)
    for i, game in told.items():
        inner = game.inner
        new = (inner.name, inner.to_json(), inner.cooperative_label)
        for name, value in zip(_COLUMNS, new, strict=True):
            games[name][i] = value
        stories[i] = game.story.name
    moves = _moves(log, told)
    rows = log.games.assign(**games, **{STORY: stories})
    return GameLog(rows, log.seats, moves, log.questions, provenance=log.provenance, rejects=log.rejects)


def setting_of_story(setting: str, story: object) -> str:
    """The setting of a game that was told as a story, which is none of the paper's.

    Examples
    --------
    >>> setting_of_story("default", "dials"), setting_of_story("ratio=1/2", "original")
    ('story=dials', 'ratio=1/2')
    """
    if not isinstance(story, str) or story == ORIGINAL:
        return setting
    return f"story={story}" if setting == "default" else f"{setting}, story={story}"


def setting_without_story(setting: str, story: object) -> str:
    """The opposite of `setting_of_story`.

    Examples
    --------
    >>> setting_without_story("story=dials", "dials"), setting_without_story("ratio=1/2", "original")
    ('default', 'ratio=1/2')
    """
    return setting.removesuffix(f"story={story}").removesuffix(", ") or "default"


_COLUMNS = ("game", "payoffs", "cooperative_action")

_WHOLE = re.compile(r"\d{1,12}", re.ASCII)


def _moves(log: GameLog, told: dict[int, Relabelled]) -> pd.DataFrame:
    import pandas as pd

    codes = pd.Index(log.games["game_id"]).get_indexer(pd.Index(log.moves["game_id"]))
    actions: Any = log.moves["action"].astype(object).to_numpy().copy()
    values = log.moves["value"].to_numpy(dtype=float, copy=True)
    for i, game in told.items():
        at = np.flatnonzero(codes == i)
        actions[at] = [_inner(game, a) if isinstance(a, str) else None for a in actions[at]]
        if game.centre is not None:
            values[at] = game.centre - values[at]
    return log.moves.assign(action=actions, value=values)


def _inner(game: Relabelled, action: str) -> str:
    """The original of an action; what is none stays as it is, for who reads the original to refuse."""
    return game.inner_action(action) if game.centre is None or _WHOLE.fullmatch(action) else action
