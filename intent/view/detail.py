"""One game in all its parts, as frozen values that a page can show.

Texts that nobody vouches for, as far as a page shows them.

Cells of tables as plain Python values, for a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from intent.base.files import encodable

__all__ = [
    "LIMIT_SHOWN",
    "CallText",
    "GameDetail",
    "Keep",
    "MoveDetail",
    "QuestionDetail",
    "RoundDetail",
    "SeatDetail",
    "Text",
    "TextKeeper",
    "bounded",
    "cells",
    "plain",
    "short_text",
]


@dataclass(frozen=True)
class Text:
    """A text as far as it is shown.

    Parameters
    ----------
    shown : str
        Its beginning. Encodable: what is no character stands as ``⟨U+D800⟩``.
    length : int
        Characters of the whole.
    key : str
        What `Library.text` gives the whole text for.
    """

    shown: str
    length: int
    key: str

    @property
    def is_cut(self) -> bool:
        """Whether there is more than is shown."""
        return self.length > len(self.shown)


@dataclass(frozen=True)
class CallText:
    """A call to a model: what it was asked, and its reply.

    Parameters
    ----------
    attempt : int
        Within round and seat, from 1.
    purpose : str
        choose, message, or as the agent names it.
    model : str or None
        Snapshot that answered.
    prompt : tuple of (role, Text)
        The messages of the request.
    reply : Text
    reasoning : Text or None
    note : str or None
        What else is known in words: cached, tries, tokens, finish reason.
    tools : tuple of (name, Text)
        Tools that the reply calls, and the arguments.
    body : Text or None
        The request as it was sent, JSON.
    """

    attempt: int
    purpose: str
    model: str | None
    prompt: tuple[tuple[str, Text], ...]
    reply: Text
    reasoning: Text | None = None
    note: str | None = None
    tools: tuple[tuple[str, Text], ...] = ()
    body: Text | None = None


@dataclass(frozen=True)
class MoveDetail:
    """What one seat did in one step of a round.

    Parameters
    ----------
    seat, step : int
    action : str or None
    value : float or None
        In games of numbers.
    cooperated : bool or None
        None where the action is missing or the game has no cooperation.
    payoff : float or None
    total : float or None
        Sum of the payoffs up to and with this round.
    status : {"parsed", "defaulted", "missing"}
    message, private_thought, reasoning, details : Text or None
    advice : str or None
        Action that a tool or assistant advised.
    reply, prompt : Text or None
        References to the calls, or the texts themselves where a log of others keeps them so.
    calls : tuple of CallText
        All calls of the seat in the round (with its first step), in a run.
    facts : tuple of (name, value)
        What an architecture recorded in `details`, as far as it is short; then `details` is None.
    turns : tuple of (speaker, Text)
        The conversation that led to the move, of a debate.
    stored : str or None
        What prompt and reply are called in the run, where the log has nothing but that.
    """

    seat: int
    step: int
    action: str | None
    value: float | None
    cooperated: bool | None
    payoff: float | None
    total: float | None
    status: str
    message: Text | None = None
    private_thought: Text | None = None
    reasoning: Text | None = None
    details: Text | None = None
    advice: str | None = None
    reply: Text | None = None
    prompt: Text | None = None
    calls: tuple[CallText, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    turns: tuple[tuple[str, Text], ...] = ()
    stored: str | None = None


@dataclass(frozen=True)
class QuestionDetail:
    """A comprehension question and its answer."""

    seat: int
    question: str
    answer: Text | None
    parsed: str | None
    expected: str | None
    correct: bool | None


@dataclass(frozen=True)
class RoundDetail:
    """One round: moves in the order of steps and seats, and questions after it."""

    number: int
    moves: tuple[MoveDetail, ...]
    questions: tuple[QuestionDetail, ...] = ()


@dataclass(frozen=True, eq=False)
class SeatDetail:
    """A seat, its label, and what its play says round by round.

    Parameters
    ----------
    seat : int
    columns : dict
        Of the seats table that are not null (model, persona, ...).
    focal : bool
    label : dict or None
        Row of the labels; None where the seat has none, and `why` says why.
    why : str or None
    total : float or None
        Sum of its payoffs.
    moves : str
        One letter per round: C, D, lower case for defaulted, ``.`` for unknown; of a game without
        cooperation ``·``.
    classes : tuple of K str
        Strategies of the posterior.
    posterior_after : tuple of int
        Numbers of rounds seen: 0, 1, ..., T (fewer, evenly spread, in long games; in very long ones those
        of the rounds that are shown).
    posterior : tuple of tuples of K float
        After so many rounds each.
    strategies : tuple of str
        Strategies that the play is held against: `classes` and those of the catalogue.
    move_probability : dict of strategy -> tuple of T float or None
        Probability of the own move in each round under the strategy without noise, given what was played
        before; None where the own move is unknown or no evidence.
    contradictions : dict of strategy -> tuple of rounds
        Those with probability 0.
    predicted : tuple of T float or None
        Probability that the recogniser, with its noise and shares, gave to each own move before it was made;
        empty where it predicts no moves.
    """

    seat: int
    columns: dict[str, Any]
    focal: bool
    label: dict[str, Any] | None
    why: str | None
    total: float | None
    moves: str
    classes: tuple[str, ...] = ()
    posterior_after: tuple[int, ...] = ()
    posterior: tuple[tuple[float, ...], ...] = ()
    strategies: tuple[str, ...] = ()
    move_probability: dict[str, tuple[float | None, ...]] | None = None
    contradictions: dict[str, tuple[int, ...]] | None = None
    predicted: tuple[float | None, ...] = ()


@dataclass(frozen=True, eq=False)
class GameDetail:
    """One game.

    Parameters
    ----------
    game_id : str
    columns : dict
        Of the games table that are not null, `payoffs` aside.
    payoffs : str or None
        The payoff table, JSON.
    seats : tuple of SeatDetail
    rounds : tuple of RoundDetail
        Those from `first` on, at most as many as were asked for.
    first : int
        Number of the first round that is shown.
    n_rounds : int
        Rounds of the game.
    state : str or None
        Of a game of a run: finished, playing, waiting, interrupted.
    error : str or None
        What set it aside.
    """

    game_id: str
    columns: dict[str, Any]
    payoffs: str | None
    seats: tuple[SeatDetail, ...]
    rounds: tuple[RoundDetail, ...]
    first: int
    n_rounds: int
    state: str | None = None
    error: str | None = None


Keep = Callable[[Any, str], Text | None]
"""From a value and a key to what a page shows of it."""

LIMIT_SHOWN = 4_000
"""Most characters of one text in a page."""


def bounded(value: Any, key: str, limit: int = LIMIT_SHOWN) -> Text | None:
    """A text cut to what a page shows; None for null.

    Parameters
    ----------
    value : str or null
    key : str, as `Text`
    limit : int, most characters
    """
    if not isinstance(value, str):
        return None
    return Text(encodable(value[:limit]), len(value), key)


class TextKeeper:
    """Cuts texts for a page, and keeps the one whole text that is asked for.

    Parameters
    ----------
    wanted : str, optional
        Key of that text.
    limit : int
        Most characters of one text that are shown.
    """

    def __init__(self, wanted: str | None = None, limit: int = LIMIT_SHOWN) -> None:
        self._wanted, self._limit = wanted, limit
        self.whole: str | None = None

    def __call__(self, value: Any, key: str) -> Text | None:
        """A text as far as a page shows it; None for null."""
        if key == self._wanted and isinstance(value, str):
            self.whole = encodable(value)
        return bounded(value, key, self._limit)


_LIMIT = 200


def cells(row: Any, without: Sequence[str]) -> dict[str, Any]:
    """Values of a row that are not null."""
    values = {str(name): plain(value) for name, value in dict(row).items() if name not in without}
    return {name: value for name, value in values.items() if value is not None}


def plain(value: Any) -> Any:
    """A cell as Python has it; None for null."""
    if value is None or value is pd.NA or value != value:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    return short_text(value) if isinstance(value, str) else value


def short_text(value: Any, limit: int = _LIMIT) -> str | None:
    """A short text; None for null."""
    if not isinstance(value, str):
        return None
    text = encodable(value[: limit + 1])
    return text if len(text) <= limit else text[: limit - 1] + "…"
