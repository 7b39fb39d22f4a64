"""Games of gamma-bench in a game log, as records of what was played; those told as a story as what they are.

A missing move counts as the games' rules have it: nobody's guess, at home, no bid and no token, no dish, a
miss on purpose. In the pirate game a missing vote is a wrong one, and a missing proposal as far from the
equilibrium as can be. Defaults that replaced an unreadable answer count as moves, since they were played.

The games are also played again: what each seat was asked, what it did, and what the round came to.
The course of a game is driven with the actions of the log. Luck (hits, ties) is taken from what the log says
came of it, never from a seed, so that games recorded elsewhere can be replayed, too.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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

    from intent.games.game import Course, CourseGame, Facts, RoundOutcome
    from intent.logs.gamelog import GameLog

__all__ = [
    "ORIGINAL",
    "STORY",
    "LoggedMove",
    "MovesByGame",
    "ReplayedGame",
    "ReplayedRound",
    "Rounds",
    "course_game",
    "each_plays",
    "each_replayed",
    "plain_log",
    "plays_of",
    "replay",
    "replayed_games",
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


_LUCKS = 2000
"""Draws that are tried for the luck of a round; each of ten tied bidders wins one in ten."""

_CLOSE = 1e-6


@dataclass(frozen=True)
class ReplayedRound:
    """A round that was played again.

    Parameters
    ----------
    number : int
        From 1.
    steps : tuple of tuple of int
        Seats by step.
    questions : mapping of seat -> Facts
        What each seat that moved was shown.
    actions : mapping of seat -> str or None
        Of the seats that moved.
    moves : mapping of seat -> LoggedMove
    outcome : RoundOutcome
    """

    number: int
    steps: tuple[tuple[int, ...], ...]
    questions: Mapping[int, Facts]
    actions: Mapping[int, str | None]
    moves: Mapping[int, LoggedMove]
    outcome: RoundOutcome


@dataclass(frozen=True)
class ReplayedGame:
    """A game of the log: its row in the table of games, the game, its rounds."""

    row: Mapping[str, Any]
    game: CourseGame
    rounds: tuple[ReplayedRound, ...]


def replayed_games(log: GameLog) -> Iterator[ReplayedGame]:
    """As `each_replayed`, with errors raised.

    Raises
    ------
    DataError
        Moves that the game does not allow, or payoffs that no luck explains; the message says in which game
        and round.
    """
    for replayed in each_replayed(log):
        if isinstance(replayed, DataError):
            raise replayed
        yield replayed


def each_replayed(log: GameLog) -> Iterator[ReplayedGame | DataError]:
    """The gamma-bench games of a log, one after the other, with errors in the place of those that cannot be.

    Other games are left out.
    """
    moves = MovesByGame(log)
    for i, row in enumerate(log.games.to_dict("records")):
        try:
            game = course_game(row["payoffs"], row["game"])
            if game is None:
                continue
            named = {str(key): value for key, value in row.items()}
            yield ReplayedGame(named, game, replay(game, moves.rounds(i), str(row["game_id"])))
        except DataError as error:
            yield error
        except GameError as error:
            yield DataError(f"game {shorten(row['game_id'])}: {error}")


def replay(game: CourseGame, rounds: Rounds, name: str) -> tuple[ReplayedRound, ...]:
    """A game's rounds from its moves.

    Parameters
    ----------
    game : CourseGame
    rounds : mapping of round -> seat -> LoggedMove, from round 1 on
    name : str
        Of the game, for messages.

    Raises
    ------
    DataError
        As `replayed_games`.

    Notes
    -----
    Endowments that were drawn are taken as full: what was asked then says more tokens than the seat held.
    """
    luck = np.random.default_rng(0)
    course = _with_full_endowments(game).course(luck)
    replayed: list[ReplayedRound] = []
    for expected, (number, moves) in enumerate(sorted(rounds.items()), start=1):
        where = f"game {shorten(name)} round {number}"
        if number != expected or course.over:
            why = "after the game was over" if course.over else f"expected round {expected}"
            raise DataError(f"{where}: {why}")
        steps = course.steps()
        questions, actions = _questions(game, course, steps, moves, where)
        course, luck, outcome = _completed(course, luck, actions, moves, where)
        replayed.append(ReplayedRound(number, steps, questions, actions, dict(moves), outcome))
    return tuple(replayed)


def _with_full_endowments(game: CourseGame) -> CourseGame:
    """A public goods game without drawn endowments, which no log tells; payoffs do not depend on them."""
    if getattr(game, "least", None) is None:
        return game
    return dataclasses.replace(game, least=None)  # type: ignore[type-var]


def _questions(
    game: CourseGame,
    course: Course,
    steps: tuple[tuple[int, ...], ...],
    moves: Mapping[int, LoggedMove],
    where: str,
) -> tuple[dict[int, Facts], dict[int, str | None]]:
    """What each seat was shown, and its action."""
    questions: dict[int, Facts] = {}
    actions: dict[int, str | None] = {}
    movers = {seat for step in steps for seat in step}
    stranger = next((seat for seat in moves if seat not in movers), None)
    if stranger is not None:
        raise DataError(f"{where}: seat {stranger} moved, expected of {', '.join(map(str, sorted(movers)))}")
    for step in steps:
        earlier = dict(actions)
        for seat in step:
            questions[seat] = course.question(seat, earlier)
            action = moves[seat].action if seat in moves else None
            try:
                actions[seat] = None if action is None else game.read(action, seat, questions[seat])
            except GameError as error:
                raise DataError(f"{where}: seat {seat}: {error}") from None
    return questions, actions


def _completed(
    course: Course,
    luck: np.random.Generator,
    actions: Mapping[int, str | None],
    moves: Mapping[int, LoggedMove],
    where: str,
) -> tuple[Course, np.random.Generator, RoundOutcome]:
    """The course after the round, with luck under which values and payoffs are those of the log.

    A copy of the course shares nothing with it and draws from its own generator, so that it can be tried.
    """
    for seed in range(_LUCKS):
        fresh = np.random.default_rng(seed)
        trial = copy.deepcopy(course, {id(luck): fresh})
        outcome = trial.complete(actions)
        if _as_logged(outcome, moves):
            return trial, fresh, outcome
    got = {seat: move.payoff for seat, move in moves.items() if not math.isnan(move.payoff)}
    raise DataError(f"{where}: payoffs {shorten(got)} do not follow from the moves")


def _as_logged(outcome: RoundOutcome, moves: Mapping[int, LoggedMove]) -> bool:
    for seat, move in moves.items():
        value, payoff = outcome.values.get(seat), outcome.payoffs[seat - 1]
        for got, logged in ((value, move.value), (payoff, move.payoff)):
            if got is None or math.isnan(logged):
                continue
            if not math.isclose(got, logged, rel_tol=_CLOSE, abs_tol=_CLOSE):
                return False
    return True
