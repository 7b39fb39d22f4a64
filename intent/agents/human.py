"""A human at the terminal, asked in words and numbers without holding up the games of others."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.plan import HUMAN, GamePlan, seat_columns
from intent.agents.prompts.prompt_set import cut_message
from intent.base.errors import UsageError, shorten
from intent.games.game import Game, PublicGoods, number
from intent.play.match import View

__all__ = ["HumanAgent", "Terminal", "describe", "harmless"]


def describe(view: View, names: Sequence[str], memory: int | None = None) -> str:
    """What the seat may know: round, payoffs, past rounds, messages.

    Parameters
    ----------
    names : sequence of str, by seat
    memory : past rounds to show; None is all
    """
    players = [_player(view, seat, names) for seat in range(1, view.game.n_players + 1)]
    parts = [
        f"{view.game.name}: round {view.round}{_horizon(view)}. You are {players[view.seat - 1]}.",
        *_payoffs(view.game, view.seat),
        *_errors(view.implementation_error),
        *_past(view, players, memory),
        *(f"  {players[s - 1]} says: {_quoted(text)}" for s, text in view.messages),
        *(f"  {players[s - 1]} has chosen {action or 'nothing'}" for s, action in view.earlier),
    ]
    return "\n".join(parts)


def harmless(text: str) -> str:
    """Text of others without what would steer a terminal, cut to a readable length."""
    return "".join(
        c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in cut_message(text)
    )


def _player(view: View, seat: int, names: Sequence[str]) -> str:
    name = shorten(harmless(names[seat - 1]), 40)
    return f"{name} (seat {seat}, you)" if seat == view.seat else f"{name} (seat {seat})"


def _quoted(text: str | None) -> str:
    return "(nothing)" if text is None else harmless(text)


def _horizon(view: View) -> str:
    if view.horizon is not None:
        return f" of {view.horizon}"
    if view.continuation is not None:
        return f"; after each round another one follows with probability {view.continuation:g}"
    return ""


def _payoffs(game: Game, seat: int) -> list[str]:
    better = "higher is better" if game.kind == "reward" else "lower is better"
    lines = [f"Payoffs are {'rewards' if game.kind == 'reward' else 'penalties'}: {better}."]
    if isinstance(game, PublicGoods):
        give, keep = game.actions
        return [
            *lines,
            f"  {give}: put {game.cost:g} into the pool; {keep}: put nothing in.",
            f"  The pool, times {game.factor:g}, is shared equally by all {game.n_players} players.",
        ]
    for own in game.actions:
        for other in game.actions:
            joint = (own, other) if seat == 1 else (other, own)
            payoffs = [number(float(x)) for x in game.payoff(joint)]
            mine, theirs = payoffs if seat == 1 else payoffs[::-1]
            lines.append(f"  you {own}, other {other}: you get {mine}, the other gets {theirs}")
    return lines


def _errors(error: float) -> list[str]:
    if not error:
        return []
    return [
        f"With probability {error:g}, drawn for each player in every round, the opposite of what was chosen",
        "is played; only what is played counts, and the past rounds show it.",
    ]


def _past(view: View, players: Sequence[str], memory: int | None) -> list[str]:
    played = view.round - 1
    shown = range(0 if memory is None else max(0, played - memory), played)
    lines = []
    for t in shown:
        moves = []
        for i, player in enumerate(players):
            payoff = view.payoffs_by_seat[i][t]
            gets = "" if payoff is None else f" ({number(float(payoff))})"
            moves.append(f"{player} {view.actions_by_seat[i][t] or 'no move'}{gets}")
            message = view.messages_by_seat[i][t]
            if message is not None:
                lines.append(f"  round {t + 1}: {player} said: {harmless(message)}")
        lines.append(f"  round {t + 1}: {', '.join(moves)}")
    return lines


T = TypeVar("T")
_LONGEST_LINE = 100_000


class Terminal:
    """Where humans read and type. One question at a time, whoever asks.

    Parameters
    ----------
    read_line : waits for a line and returns it without its end; raises EOFError at the end of input
    write : shows a text
    """

    def __init__(self, read_line: Callable[[], str], write: Callable[[str], object]) -> None:
        self._read_line = read_line
        self._write = write
        self._turn = threading.Lock()

    async def ask(
        self, question: str, understand: Callable[[str], T | None], hint: str | Callable[[str], str]
    ) -> T:
        """Show a question until a line is understood.

        The wait is in a thread of its own, which does not keep the program from ending.

        Parameters
        ----------
        understand : the value of a line, None where it makes no sense
        hint : str, or callable from the line to it
            What is shown before the next attempt.

        Raises
        ------
        EOFError
            The input has ended.
        """
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[T] = loop.create_future()

        def settle(value: T | None, error: BaseException | None) -> None:
            if answered.done():
                return
            if error is None:
                answered.set_result(value)  # type: ignore[arg-type]
            else:
                answered.set_exception(error)

        def talk() -> None:
            value, error = None, None
            try:
                value = self._until_understood(question, understand, hint, answered.cancelled)
            except Exception as caught:  # noqa: BLE001  (whatever it is, it belongs to whoever asked)
                error = caught
            with suppress(RuntimeError):  # the loop is closed: nobody waits any longer
                loop.call_soon_threadsafe(settle, value, error)

        threading.Thread(target=talk, name="terminal", daemon=True).start()
        return await answered

    def _until_understood(
        self,
        question: str,
        understand: Callable[[str], T | None],
        hint: str | Callable[[str], str],
        given_up: Callable[[], bool],
    ) -> T | None:
        with self._turn:
            if given_up():
                return None
            self._write(question)
            while True:
                line = self._read_line()
                value = understand(line)
                if value is not None or given_up():
                    return value
                self._write(hint if isinstance(hint, str) else hint(line))


@cache
def standard_terminal() -> Terminal:
    """Standard input and, so that results can be piped on, standard error; the same one every time."""
    return Terminal(_Lines(0).next_line, _show)


def _show(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


class _Lines:
    """Lines of a file descriptor.

    Read without Python's buffer of standard input, whose lock a waiting thread would hold when the
    program ends.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._unread = b""

    def next_line(self) -> str:
        while b"\n" not in self._unread and len(self._unread) < _LONGEST_LINE:
            data = os.read(self._descriptor, 4096)
            if not data:
                break
            self._unread += data
        if not self._unread:
            raise EOFError
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")


class HumanAgent:
    """Shows the view and reads the choice; nonsense is asked for again.

    The log calls the player ``human``, one subject across games.

    Parameters
    ----------
    seat : int, from 1
    terminal : by default standard input and standard error
    """

    def __init__(self, plan: GamePlan, seat: int, terminal: Terminal | None = None) -> None:
        self._plan = plan
        self._seat = seat
        self._terminal = terminal or standard_terminal()

    @property
    def columns(self) -> Mapping[str, Any]:
        """Persona and name, with `player` and `architecture` human."""
        return {**seat_columns(self._plan.seats[self._seat - 1]), "player": HUMAN, "architecture": HUMAN}

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The action of the label, or of its number in the list, that is typed.

        Raises
        ------
        UsageError
            The input has ended.
        """
        labels = list(view.actions)
        if self._plan.listed_first in labels:
            labels.sort(key=lambda label: label != self._plan.listed_first)
        by_text = {str(i): label for i, label in enumerate(labels, start=1)}
        by_text |= {label.casefold(): label for label in labels}
        listed = ", ".join(f"{i} = {label}" for i, label in enumerate(labels, start=1))
        action = await self._ask(
            f"{self._shown(view)}\nYour choice ({listed}): ",
            lambda line: by_text.get(line.strip().casefold()),
            f"Please type one of {listed}: ",
            f"a choice, one of {', '.join(labels)}",
        )
        return Decision(action)

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The line that is typed, None where it is empty.

        Raises
        ------
        UsageError
            The input has ended.
        """
        text = await self._ask(
            f"{self._shown(view)}\nYour message (empty to stay silent): ", str.strip, "", "a message"
        )
        return Decision(None, message=text or None)

    def _shown(self, view: View) -> str:
        names = [seat.name for seat in self._plan.seats]
        return f"\n[{self._plan.game_id}] {describe(view, names, self._plan.memory)}"

    async def _ask(
        self, question: str, understand: Any, hint: str | Callable[[str], str], expected: str
    ) -> str:
        """What is typed, once it is understood; `expected` is for the error where the input ends."""
        try:
            answer: str = await self._terminal.ask(question, understand, hint)
        except EOFError:
            raise UsageError(
                f"{self._plan.game_id}, seat {self._seat}: the input has ended, expected {expected}"
            ) from None
        return answer
