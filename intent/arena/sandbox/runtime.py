"""The play of written code and of automata, inside a confined process; standard library only.

A player is given as a dict: ``{"source": text, "seeded": bool, "scored": bool}``, with ``"code"`` and
``"counts"`` where it was compiled before, or an automaton's ``{"p", "next", "start", "intended", "seeded"}``.
One match is the same for all engines: the players are asked in seat order, then noise flips, then both see
what was realised.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, NoReturn

from intent.arena.sandbox.actions import Action, C, D
from intent.arena.sandbox.generator import Generator
from intent.arena.sandbox.shared import shared
from intent.arena.sandbox.views import Myself, Rules, Seat, namespace, take_seat

__all__ = [
    "BEGIN",
    "DEEPEST",
    "FAULT",
    "KINDS",
    "Foul",
    "Seating",
    "automaton_seat",
    "compiled",
    "flip_codes",
    "leave",
    "play_match",
    "play_pair",
    "reads_counts",
    "serve_player",
]

BEGIN, FAULT = 0xBE, 0xFA
"""First bytes of the referee's word that a match begins, and of a player's process that it cannot go on."""

KINDS = ("refused", "error", "value", "memory")
"""What a player's process can say of itself."""

DEEPEST = 5000
"""Calls within calls that an interpreter bears: more than `plain.zz_DEEPEST` functions of a player need."""

_LONGEST = 400

_COUNTED = ("score", "cooperations", "defections", "attr")

_NUMBERS = bytes.maketrans(b"0123", b"\0\1\2\3")

_FILE = "\ud800"
"""Name of the source: one that cannot be a file's, as Python opens the file of a syntax error to quote it."""


class Foul(Exception):
    """A player cannot go on: `kind` of fault and one line that says why."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind, self.reason = kind, reason


class Seating:
    """One player over the matches of a job: every match takes new objects, unless they are to be reused.

    Parameters
    ----------
    spec : dict, the player
    rules : Rules
    late : bool
        Whether it sees the other's score one round late.
    """

    def __init__(self, spec: dict[str, Any], rules: Rules, late: bool) -> None:
        self.spec, self.rules, self.late = spec, rules, late
        self._me = Myself()
        self._code: CodeType | None = None
        if "source" in spec:
            self._code = spec["code"] if "code" in spec else compiled(spec["source"])
            self._counts: bool = spec["counts"] if "counts" in spec else reads_counts(spec["source"])

    def take(self, seed: int) -> Seat:
        """Begin a match with a generator of this seed."""
        if self._code is None:
            return automaton_seat(self.spec, seed)
        if not self.rules.reuse:
            self._me = Myself()
        return take_seat(_function(self._code), self._me, self.rules, seed, self.late, self._counts)


def reads_counts(source: str) -> bool:
    """Whether a source may read scores or numbers of moves."""
    # a name that is not in the text is reached through getattr and hasattr only, or in other letters
    return not source.isascii() or any(word in source for word in _COUNTED)


def automaton_seat(spec: dict[str, Any], seed: int) -> Seat:
    """An automaton at the table, as `take_seat` gives it for code; it looks at neither view."""
    chances, following, intended = spec["p"], spec["next"], spec["intended"]
    state, intent = spec["start"], C
    choose = Generator(seed).random_choice

    def play(me: object, other: object) -> Action:
        nonlocal intent
        intent = choose(chances[state])
        return intent

    def see(own: Action, other: Action) -> None:
        nonlocal state
        mine = intent if intended else own
        state = following[state][(mine is D) * 2 + (other is D)]

    return Seat(play, None, None, see)


def flip_codes(flips: str, turns: int) -> bytes:
    """A number per round from the digits of a job, or zeros where there are none."""
    return flips.encode().translate(_NUMBERS) if flips else bytes(turns)


def play_match(seats: Sequence[Seating], rules: Rules, seeds: Sequence[int], flips: str) -> bytearray:
    """One match: a byte per round, 0 to 3 for CC, CD, DC, DD (realised, first player's move first).

    Parameters
    ----------
    seats : the two Seatings
    rules : Rules
    seeds : of the players' generators
    flips : str
        What noise flips: a digit per round, 2 for the first player's move, 1 for the second's, 3 for both;
        empty where there is no noise.

    Raises
    ------
    Foul
        A move that is none. What the players raise passes through.
    """
    play_1, me_1, other_1, see_1 = seats[0].take(seeds[0])
    play_2, me_2, other_2, see_2 = seats[1].take(seeds[1])
    played = bytearray()
    push = played.append
    for flip in flip_codes(flips, rules.turns):
        a = play_1(me_1, other_1)
        b = play_2(me_2, other_2)
        if not ((a is C or a is D) and (b is C or b is D)):
            raise Foul("value", "no move")
        if flip:
            if flip & 2:
                a = D if a is C else C
            if flip & 1:
                b = D if b is C else C
        see_1(a, b)
        see_2(b, a)
        push((a is D) * 2 + (b is D))
    return played


def play_pair(
    specs: Sequence[dict[str, Any]], rules: Rules, matches: Sequence[tuple[Sequence[int], str]], write: int
) -> None:
    """All matches of a pair, given by seeds and flips, each written to the descriptor as it ends."""
    sys.setrecursionlimit(DEEPEST)
    late = rules.late and all(spec.get("scored") for spec in specs)
    seats = [Seating(spec, rules, late and i == 0) for i, spec in enumerate(specs)]
    for seeds, flips in matches:
        _write(write, play_match(seats, rules, seeds, flips))


def serve_player(spec: dict[str, Any], rules: Rules, late: bool, read: int, write: int) -> None:
    """One player, asked by a referee through a pipe.

    The referee sends `BEGIN` and a seed (16 bytes), or the outcome of the last round (one byte as of
    `play_match`, own move first); the answer is one byte, 0 for C and 1 for D. What ends the player is told
    as `FAULT`, the place in `KINDS` and a line of text.
    """
    sys.setrecursionlimit(DEEPEST)
    try:
        seating = Seating(spec, rules, late)
        seat: Seat | None = None
        while command := os.read(read, 32):
            if command[0] == BEGIN:
                seat = seating.take(int.from_bytes(command[1:17], "little"))
            elif seat is not None:
                seat.see(D if command[0] & 2 else C, D if command[0] & 1 else C)
            move = seat.play(seat.me, seat.other) if seat is not None else None
            if move is not C and move is not D:
                raise Foul("value", f"returned {_shown(move)}, expected axl.Action.C or axl.Action.D")
            os.write(write, b"\x00" if move is C else b"\x01")
    except Foul as foul:
        kind, reason = foul.kind, foul.reason
    except MemoryError:
        kind, reason = "memory", "asked for more memory than it may have"
    except BaseException as error:  # noqa: BLE001 - whatever a player raises is its fault, and told
        kind, reason = "error", _told(error)
    else:
        return
    text = reason.encode("utf-8", "replace")[:_LONGEST]
    os.write(write, bytes((FAULT, KINDS.index(kind))) + text)


def compiled(source: str) -> CodeType:
    """The code of a source; nothing of it is run.

    Raises
    ------
    Foul
    """
    try:
        return compile(shared(ast.parse(source, _FILE), native=True), _FILE, "exec", dont_inherit=True)
    except MemoryError:
        raise Foul("refused", "the source is too deep or too long to compile") from None
    except (SyntaxError, ValueError, RecursionError, OverflowError) as error:
        line = getattr(error, "lineno", None)
        what = getattr(error, "msg", None) or str(error)
        raise Foul("refused", f"line {line}: {what}" if line else f"does not compile: {what}") from None


def _function(code: CodeType) -> Callable[..., object]:
    """The strategy with globals of its own."""
    names = namespace()
    exec(code, names)  # noqa: S102 - this process is confined; see seccomp.py
    function = names.get("strategy")
    if not callable(function):
        raise Foul("refused", "defines no function 'strategy'")
    return function  # type: ignore[no-any-return]


def _told(error: BaseException) -> str:
    """The line of the source and the error, in a word."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        text = _placeless(str(error)[:_LONGEST])
    except BaseException:  # noqa: BLE001 - the text is made by the player's own code
        text = ""
    where = f"line {line}: " if line else ""
    return f"{where}{type(error).__name__}" + (f": {text}" if text else "")


def _shown(value: object) -> str:
    try:
        return _placeless(repr(value)[:200])[:80]
    except BaseException:  # noqa: BLE001 - the text is made by the player's own code
        return f"a {type(value).__name__}"


def _placeless(text: str) -> str:
    """A text without the addresses of objects, which no two runs share."""
    first, *others = text.split(" at 0x")
    return first + "".join(other.lstrip("0123456789abcdefABCDEF") for other in others)


def _write(descriptor: int, data: bytearray) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def leave(status: int) -> NoReturn:
    """End this process without any of Python's own farewells."""
    os._exit(status)
