"""Answers to comprehension questions as rows of a game log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from intent.games.game import Game
from intent.play.rounds import Match

__all__ = ["Scorer", "add_answers", "question_table"]


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
    """The answers of a match, as rows of `schema.QUESTIONS`.

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
        asked = (match.game, one.seat, one.round, one.question, one.answer)
        scored = (
            [(one.question, None, None, None)]
            if score is None
            else score(*asked, actions, payoffs, architectures)
        )
        for row in scored:
            values = (game_id, one.round, one.seat, one.answer, one.reply, *row)
            for name, value in zip(_COLUMNS, values, strict=True):
                into[name].append(value)


_COLUMNS = ("game_id", "round", "seat", "answer", "reply", "question", "parsed", "expected", "correct")
