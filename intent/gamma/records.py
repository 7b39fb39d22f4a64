"""Games of gamma-bench in a game log, as records of what was played; those told as a story as what they are.

A missing move counts as the games' rules have it: nobody's guess, at home, no bid and no token, no dish, a
miss on purpose. In the pirate game a missing vote is a wrong one, and a missing proposal as far from the
equilibrium as can be. Defaults that replaced an unreadable answer count as moves, since they were played.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from intent.agents.plan import SCRIPTED
from intent.base.errors import DataError, GameError, shorten
from intent.games.game import course_from_json, holds_rules
from intent.gamma.catalogue import bench_game, setting_name
from intent.gamma.plays import Plays, Table
from intent.gamma.reader import SAVED, saved_part
from intent.gamma.saved import saved_plays
from intent.gamma.stories import RELABELLED, Relabelled
from intent.logs.gamelog import GameLog

if TYPE_CHECKING:
    import pandas as pd

    from intent.games.game import CourseGame


__all__ = [
    "ORIGINAL",
    "STORY",
    "LoggedMove",
    "MovesByGame",
    "Rounds",
    "course_game",
    "each_plays",
    "plain_log",
    "plays_of",
    "setting_of_story",
    "setting_without_story",
]


_COLUMNS = ("round", "step", "seat", "action", "value", "payoff", "status")


class LoggedMove(NamedTuple):
    """A move as the log has it: step, action (None: missing), value, payoff (NaN: unknown), status."""

    step: int
    action: str | None
    value: float
    payoff: float
    status: str = "parsed"


Rounds = Mapping[int, Mapping[int, LoggedMove]]
"""Round -> seat -> move."""


class MovesByGame:
    """The moves of a log as plain values, cut by game once: a frame per game takes longer than its score."""

    def __init__(self, log: GameLog) -> None:
        import pandas as pd

        codes = pd.Index(log.games["game_id"]).get_indexer(pd.Index(log.moves["game_id"]))
        order = np.argsort(codes, kind="stable")
        self._starts = np.searchsorted(codes[order], np.arange(len(log.games) + 1))
        self._columns = [log.moves[name].astype(object).to_numpy()[order] for name in _COLUMNS]

    def rounds(self, game: int) -> dict[int, dict[int, LoggedMove]]:
        """Round -> seat -> move, in the order of rounds; a seat that did not move is absent.

        Parameters
        ----------
        game : int
            Its place in the table of games, from 0.
        """
        by_round: dict[int, dict[int, LoggedMove]] = {}
        here = slice(*self._starts[game : game + 2])
        for number, step, seat, action, value, payoff, status in zip(
            *(column[here] for column in self._columns), strict=True
        ):
            known = action if isinstance(action, str) else None
            move = LoggedMove(int(step), known, _number(value), _number(payoff), str(status))
            by_round.setdefault(int(number), {})[int(seat)] = move
        return dict(sorted(by_round.items()))


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return float("nan")


def plays_of(log: GameLog) -> list[tuple[Mapping[str, Any], Plays]]:
    """Every gamma-bench game of a log, in its order.

    Parameters
    ----------
    log : GameLog

    Returns
    -------
    list of (row of the table of games, Plays)

    Raises
    ------
    DataError
        A game whose parameters or moves cannot be; the message names game, round and seat.
    """
    records = []
    for row, plays in each_plays(log):
        if isinstance(plays, DataError):
            raise plays
        records.append((row, plays))
    return records


def each_plays(log: GameLog) -> Iterator[tuple[Mapping[str, Any], Plays | DataError]]:
    """As `plays_of`, with the error in place of a game that cannot be read."""
    log = plain_log(log)
    moves, players = MovesByGame(log), _players(log)
    places = {game_id: i for i, game_id in enumerate(log.games["game_id"])}
    for row in _gamma_rows(log):
        game_id = row["game_id"]
        try:
            saved = saved_part(row) if SAVED in row else None
            if saved is not None:
                yield row, saved_plays(saved)
                continue
            yield row, _plays(row, players.get(game_id, {}), moves.rounds(places[game_id]))
        except (DataError, GameError) as error:
            yield row, DataError(f"game {shorten(row['game_id'])!r}, {error}")


def _gamma_rows(log: GameLog) -> list[Mapping[str, Any]]:
    """Rows of the games whose payoffs are the rules of a gamma-bench game, or that its code saved."""
    saved = log.games[SAVED] if SAVED in log.games.columns else [None] * len(log.games)
    objects = [isinstance(text, str) and text.lstrip().startswith("{") for text in saved]
    ours = [holds_rules(p) or here for p, here in zip(log.games["payoffs"], objects, strict=True)]
    return [{str(name): value for name, value in row.items()} for row in log.games[ours].to_dict("records")]


def _players(log: GameLog) -> dict[str, dict[int, str]]:
    """game_id -> seat -> model, or the strategy of a scripted seat."""
    players: dict[str, dict[int, str]] = {}
    columns = (log.seats[name].astype(object) for name in ("game_id", "seat", "model", "strategy"))
    for game_id, seat, model, strategy in zip(*columns, strict=True):
        if isinstance(model, str) or isinstance(strategy, str):
            name = model if isinstance(model, str) else SCRIPTED + strategy
            players.setdefault(game_id, {})[int(seat)] = shorten(name, 200)
    return players


def _plays(row: Mapping[str, Any], models: Mapping[int, str], rounds: Rounds) -> Plays:
    game = course_from_json(row["payoffs"], str(row["game"]))
    table = Table.of(rounds, game.n_players)
    by_seat = tuple(models.get(i + 1) for i in range(game.n_players))
    return bench_game(game.name).plays.of_table(game, table, by_seat, setting_name(game))


def course_game(payoffs: object, name: object) -> CourseGame | None:
    """The game that a cell of the column ``payoffs`` holds; None where it is none of gamma-bench's.

    Raises
    ------
    GameError
        The cell claims to be one and is not.
    """
    if not holds_rules(payoffs):
        return None
    return course_from_json(str(payoffs), shorten(name, 40))


STORY = "story"
"""Condition column: the story a game was told as."""

ORIGINAL = "original"
"""Its value where a game was told as it is."""


def plain_log(log: GameLog) -> GameLog:
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
    relabelled: dict[int, Relabelled] = {}
    for i, (payoffs, name) in enumerate(zip(log.games["payoffs"], log.games["game"], strict=True)):
        if not isinstance(payoffs, str) or RELABELLED not in payoffs:
            continue
        try:
            game = course_game(payoffs, name)
        except GameError:
            continue
        if isinstance(game, Relabelled):
            relabelled[i] = game
    if not relabelled:
        return log
    games = {name: log.games[name].astype(object).to_numpy().copy() for name in _PLAINLY_COLUMNS}
    stories = np.full(len(log.games), ORIGINAL, dtype=object)
    for i, game in relabelled.items():
        inner = game.inner
        new = (inner.name, inner.to_json(), inner.cooperative_label)
        for name, value in zip(_PLAINLY_COLUMNS, new, strict=True):
            games[name][i] = value
        stories[i] = game.story.name
    moves = _moves(log, relabelled)
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


_PLAINLY_COLUMNS = ("game", "payoffs", "cooperative_action")

_WHOLE = re.compile(r"\d{1,12}", re.ASCII)


def _moves(log: GameLog, relabelled: dict[int, Relabelled]) -> pd.DataFrame:
    import pandas as pd

    codes = pd.Index(log.games["game_id"]).get_indexer(pd.Index(log.moves["game_id"]))
    actions: Any = log.moves["action"].astype(object).to_numpy().copy()
    values = log.moves["value"].to_numpy(dtype=float, copy=True)
    for i, game in relabelled.items():
        at = np.flatnonzero(codes == i)
        actions[at] = [_inner(game, a) if isinstance(a, str) else None for a in actions[at]]
        if game.centre is not None:
            values[at] = game.centre - values[at]
    return log.moves.assign(action=actions, value=values)


def _inner(game: Relabelled, action: str) -> str:
    """The original of an action; what is none stays as it is, for who reads the original to refuse."""
    return game.inner_action(action) if game.centre is None or _WHOLE.fullmatch(action) else action
