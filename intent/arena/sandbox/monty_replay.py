"""A pair with a session of Monty for each player and a referee between: what each does, it does alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, FaultKind, Job, MatchRules, Played
from intent.arena.sandbox.actions import C, D
from intent.arena.sandbox.host import player_spec
from intent.arena.sandbox.monty_table import Broken, Draws, Table, all_current, rules_text
from intent.arena.sandbox.runtime import automaton_seat
from intent.errors import one_line

__all__ = ["play_apart"]


class _Foul(Exception):
    def __init__(self, seat: int, turn: int | None, kind: FaultKind, reason: str) -> None:
        super().__init__(reason)
        self.seat, self.turn, self.kind, self.reason = seat, turn, kind, reason


def play_apart(
    job: Job, pair: Sequence[Entrant], rules: MatchRules, tables: Mapping[int, Table]
) -> Played | Fault:
    """The matches of a job, or the fault of the player that could not go on by itself.

    Automata are played here: a table cannot be at fault.

    Parameters
    ----------
    job : Job
    pair : two Entrants
    rules : MatchRules
    tables : seat -> Table, a fresh one for each player of written code, who has entered
    """
    moves = np.empty((len(job.seeds), 2, rules.turns), dtype=np.uint8)
    for repetition, seed in enumerate(job.seeds):
        draws = Draws.of(seed, pair, rules)
        seats = [
            _Written(tables[seat], seat, rules, draws) if seat in tables else _Local(pair[seat], draws, seat)
            for seat in (0, 1)
        ]
        try:
            _one_match(seats, pair, rules, draws, moves[repetition])
        except _Foul as foul:
            place = (job.first, job.second)[foul.seat]
            return Fault(job, place, foul.kind, foul.reason, repetition, foul.turn)
    return Played(job, moves)


class _Written:
    """A player of written code in a session of its own."""

    def __init__(self, table: Table, seat: int, rules: MatchRules, draws: Draws) -> None:
        self._table, self._seat, self._more = table, seat, draws.more()
        told = rules_text(rules).split(", ", 1)[1]
        self._sit = f"zz_seat({seat}, zz_enter_{seat}, {told}, {rules.reuse_instances})"

    def sit_down(self) -> None:
        """Begin a match."""
        self._table.begin_match()
        got = self._ask(self._sit, None)
        if isinstance(got, tuple):
            raise _Foul(self._seat, None, "error", one_line(got[-1]))

    def move(self, turn: int, last: tuple[int, int], own: float, others: float) -> int:
        """The move (1 = cooperate) after the realised moves of the last round, own first, and both scores."""
        step = f"{last[0]}, {last[1]}, {_number(own)}, {_number(others)}"
        got = self._ask(f"zz_step({self._seat}, {step})", turn)
        if isinstance(got, tuple):
            kind, reason = got[2], one_line(got[3])
            if kind == "value":
                reason = f"returned {reason}, expected axl.Action.C or axl.Action.D"
            raise _Foul(self._seat, turn, kind, reason)
        if got not in (0, 1):
            raise _Foul(self._seat, turn, "killed", "its session gave no move")
        return int(got == 1)

    def _ask(self, code: str, turn: int | None) -> object:
        try:
            return self._table.feed(code, self._more)
        except Broken as broken:
            raise _Foul(self._seat, turn, broken.kind, broken.reason) from None


class _Local:
    """An automaton, with the methods of `_Written`."""

    def __init__(self, entrant: Entrant, draws: Draws, seat: int) -> None:
        self._spec, self._seed = player_spec(entrant), draws.seeds[seat]

    def sit_down(self) -> None:
        """Begin a match."""
        self._seat = automaton_seat(self._spec, self._seed)

    def move(self, turn: int, last: tuple[int, int], own: float, others: float) -> int:
        """As `_Written.move`."""
        if turn:
            self._seat.see(*((D, C)[move] for move in last))
        return int(self._seat.play(None, None) is C)


def _one_match(
    seats: Sequence[_Written | _Local],
    pair: Sequence[Entrant],
    rules: MatchRules,
    draws: Draws,
    moves: np.ndarray,
) -> None:
    """Fill the moves (2, turns) of one match."""
    late, pay = not all_current(pair, rules), rules.payoffs
    last, scores, shown = (-1, -1), (0.0, 0.0), 0.0
    for seat in seats:
        seat.sit_down()
    first, second = seats
    for turn in range(rules.turns):
        a = first.move(turn, last, scores[0], shown if late else scores[1])
        b = second.move(turn, last[::-1], scores[1], scores[0])
        if rules.noise:
            flip_a, flip_b = draws.flips[turn]
            a, b = a ^ int(flip_a), b ^ int(flip_b)
        shown = scores[1]
        scores = scores[0] + pay[3 - 2 * a - b], scores[1] + pay[3 - 2 * b - a]
        last = a, b
        moves[:, turn] = last


def _number(score: float) -> str:
    """As the session writes it: whole scores are int."""
    return repr(int(score) if float(score).is_integer() else float(score))
