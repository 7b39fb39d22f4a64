"""Matches as a game log.

Answers to comprehension questions as rows of a game log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from intent.base.errors import GameError
from intent.games.game import Game
from intent.logs.gamelog import GameLog
from intent.play.match import Match

__all__ = ["Scorer", "add_answers", "question_table", "to_log"]


class Scorer(Protocol):
    """Understands an answer and says what is correct; a question may be scored under several names."""

    def __call__(
        self,
        game: Game,
        seat: int,
        round: int,
        question: str,
        answer: str | None,
        actions_by_seat: Sequence[Sequence[str | None]],
        payoffs_by_seat: Sequence[Sequence[float | None]],
        architectures: Sequence[str | None],
        /,
    ) -> Sequence[tuple[str, str | None, str | None, bool | None]]:
        """Name, answer as understood, correct answer, whether they agree; actions are of the whole game."""
        ...


def question_table() -> dict[str, list[Any]]:
    """Empty columns of the log's table of questions."""
    return {name: [] for name in _COLUMNS}


def add_answers(match: Match, game_id: str, into: dict[str, list[Any]], score: Scorer | None) -> None:
    """The answers of a match, as rows of `codebook.QUESTIONS`.

    Parameters
    ----------
    match : Match
    game_id : str
    into : dict of column -> values
    score : Scorer, optional
        None leaves open what the answers mean.
    """
    if not match.answers:
        return
    seats = range(1, match.game.n_players + 1)
    actions = [match.actions(seat) for seat in seats]
    payoffs = [match.payoffs(seat) for seat in seats]
    described = [*match.seats, *({} for _ in range(len(seats) - len(match.seats)))]
    architectures = [seat.get("architecture") for seat in described]
    for one in match.answers:
        question = (match.game, one.seat, one.round, one.question, one.answer)
        scored = (
            [(one.question, None, None, None)]
            if score is None
            else score(*question, actions, payoffs, architectures)
        )
        for row in scored:
            values = (game_id, one.round, one.seat, one.answer, one.reply, *row)
            for name, value in zip(_COLUMNS, values, strict=True):
                into[name].append(value)


_COLUMNS = ("game_id", "round", "seat", "answer", "reply", "question", "parsed", "expected", "correct")


def to_log(matches: Iterable[Match], *, source: str | None = None, score: Scorer | None = None) -> GameLog:
    """The game log of matches, in their order.

    Games are named ``game_0``, ``game_1``, … unless a match's columns have a ``game_id``; repeats of
    the same game under the same conditions are numbered from 1 unless they have a ``repetition``. Messages,
    private texts and references to replies and prompts make columns where any move has them.

    Parameters
    ----------
    matches : iterable of Match
    source : str, optional
        File or generator that the matches come from.
    score : Scorer, optional
        What answers to comprehension questions are understood and scored with; without it the table of
        questions has the answers alone.

    Raises
    ------
    GameError
        A match describes more seats than its game has.
    DataError
        A game_id occurs twice.
    """
    import pandas as pd

    games: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    moves: dict[str, list[Any]] = {name: [] for name in (*_MOVE_COLUMNS, *_TEXT_COLUMNS)}
    answers = question_table()
    repeats: Counter[str] = Counter()
    for i, match in enumerate(matches):
        row = {**_game_row(match, source), **match.columns}
        described = _conditions(match, row)
        repeats[described] += 1
        row.setdefault("repetition", repeats[described])
        row.setdefault("game_id", f"game_{i}")
        games.append(row)
        seats.extend(_seat_rows(match, row["game_id"]))
        _add_moves(match, row["game_id"], moves)
        add_answers(match, row["game_id"], answers, score)
    if any("implementation_error" in row for row in games):
        games = [{"implementation_error": 0.0, **row} for row in games]
    for name in ("value", "decided", *_TEXT_COLUMNS):
        if all(cell is None for cell in moves[name]):
            del moves[name]
    return GameLog(
        pd.DataFrame(
            games, columns=None if games else ["game_id", "n_players", "rounds_played", "repetition"]
        ),
        pd.DataFrame(seats, columns=None if seats else ["game_id", "seat", "focal"]),
        pd.DataFrame(moves),
        pd.DataFrame(answers) if answers["game_id"] else None,
    )


_MOVE_COLUMNS = (
    *("game_id", "round", "step", "seat", "action", "value", "cooperated", "decided", "payoff", "status"),
)
_TEXT_COLUMNS = ("message", "private_thought", "reasoning", "reply", "prompt", "advice", "details")
"""Columns that are left out where no move has any."""


def _game_row(match: Match, source: str | None) -> dict[str, Any]:
    game, horizon = match.game, match.horizon
    return {
        "source": source,
        "game": game.name,
        "payoffs": game.to_json(),
        "payoff_kind": game.kind,
        "cooperative_action": game.cooperative_label,
        "n_players": game.n_players,
        "rounds_planned": horizon.planned,
        "rounds_played": len(match.rounds),
        "horizon_known": horizon.told is not None,
        **({} if horizon.continuation is None else {"continuation": horizon.continuation}),
    }


def _conditions(match: Match, row: dict[str, Any]) -> str:
    """All that two repeats have in common, which leaves out what happened and the name."""
    fixed = {name: value for name, value in row.items() if name not in ("game_id", "rounds_played")}
    of_seats = [sorted(seat.items(), key=str) for seat in match.seats]
    return repr((sorted(fixed.items(), key=str), match.horizon, of_seats))


def _seat_rows(match: Match, game_id: str) -> list[dict[str, Any]]:
    n = match.game.n_players
    if len(match.seats) > n:
        raise GameError(f"{game_id}: {len(match.seats)} seats are described, expected at most {n}")
    described = [*match.seats, *({} for _ in range(n - len(match.seats)))]
    return [
        {"focal": True, **columns, "game_id": game_id, "seat": seat}
        for seat, columns in enumerate(described, start=1)
    ]


def _add_moves(match: Match, game_id: str, into: dict[str, list[Any]]) -> None:
    cooperate = [match.game.cooperative_action(seat) for seat in range(1, match.game.n_players + 1)]
    for played in match.rounds:
        for move in played.moves:
            label = cooperate[move.seat - 1]
            into["game_id"].append(game_id)
            into["round"].append(played.number)
            into["step"].append(move.step)
            into["seat"].append(move.seat)
            into["action"].append(move.action)
            into["cooperated"].append(None if move.action is None or label is None else move.action == label)
            into["decided"].append(None if move.decided is None or label is None else move.decided == label)
            into["value"].append(played.values.get(move.seat))
            into["payoff"].append(played.payoffs[move.seat - 1])
            into["status"].append(move.status)
            for name in _TEXT_COLUMNS:
                into[name].append(getattr(move, name))
