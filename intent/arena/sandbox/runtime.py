"""The play of written code and of automata, inside a confined process; standard library only.

A player is given as a dict: ``{"source": text, "seeded": bool, "scored": bool}``, with ``"code"`` where it
was compiled before, or an automaton's ``{"p", "next", "start", "intended", "seeded"}``. One match is the same
for all engines: the players are asked in seat order, then noise flips, then both see what was realised.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, NoReturn

from intent.arena.sandbox.actions import Action, C, D
from intent.arena.sandbox.generator import Generator
from intent.arena.sandbox.views import Ask, Myself, Rules, See, namespace, take_seat

__all__ = [
    "BEGIN",
    "FAULT",
    "KINDS",
    "Foul",
    "Seating",
    "automaton_seat",
    "compiled",
    "leave",
    "match_seeds",
    "play_match",
    "play_pair",
    "serve_player",
]

BEGIN, FAULT = 0xBE, 0xFA
"""First bytes of the referee's word that a match begins, and of a player's process that it cannot go on."""

KINDS = ("refused", "error", "value", "memory")
"""What a player's process can say of itself."""

_LONGEST = 400

_COUNTED = ("score", "cooperations", "defections", "attr")

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
        source = spec.get("source", "")
        # a name that is not in the text is reached through getattr and hasattr only, or in other letters
        self._counts = not source.isascii() or any(word in source for word in _COUNTED)
        self._code = spec.get("code") or (compiled(spec["source"]) if "source" in spec else None)

    def take(self, seed: int) -> tuple[Ask, See]:
        """Begin a match with a generator of this seed."""
        if self._code is None:
            return automaton_seat(self.spec, seed)
        if not self.rules.reuse:
            self._me = Myself()
        return take_seat(_function(self._code), self._me, self.rules, seed, self.late, self._counts)


def automaton_seat(spec: dict[str, Any], seed: int) -> tuple[Ask, See]:
    """An automaton at the table, as `take_seat` gives it for code."""
    chances, following, intended = spec["p"], spec["next"], spec["intended"]
    state, intent = spec["start"], C
    choose = Generator(seed).random_choice

    def ask() -> Action:
        nonlocal intent
        intent = choose(chances[state])
        return intent

    def see(own: Action, other: Action) -> None:
        nonlocal state
        mine = intent if intended else own
        state = following[state][(mine is D) * 2 + (other is D)]

    return ask, see


def match_seeds(match: Generator, seeded: Sequence[bool]) -> list[int]:
    """A seed per player from the match's generator, drawn in seat order for those who have a generator."""
    return [match.randint(0, 2**32 - 1) if draws else 0 for draws in seeded]


def play_match(seats: Sequence[Seating], rules: Rules, seed: int) -> bytearray:
    """One match: a byte per round, 0 to 3 for CC, CD, DC, DD (realised, first player's move first).

    Raises
    ------
    Foul
        A move that is none. What the players raise passes through.
    """
    match = Generator(seed)
    seeds = match_seeds(match, [seat.spec["seeded"] for seat in seats])
    (ask_1, see_1), (ask_2, see_2) = (seat.take(s) for seat, s in zip(seats, seeds, strict=True))
    played = bytearray()
    push, noise, draw = played.append, rules.noise, match.random
    for _ in range(rules.turns):
        a = ask_1()
        b = ask_2()
        if not ((a is C or a is D) and (b is C or b is D)):
            raise Foul("value", "no move")
        if noise:
            if draw() < noise:
                a = D if a is C else C
            if draw() < noise:
                b = D if b is C else C
        see_1(a, b)
        see_2(b, a)
        push((a is D) * 2 + (b is D))
    return played


def play_pair(specs: Sequence[dict[str, Any]], rules: Rules, seeds: Sequence[int], write: int) -> None:
    """All matches of a pair, each written to the descriptor as it ends."""
    late = rules.late and all(spec.get("scored") for spec in specs)
    seats = [Seating(spec, rules, late and i == 0) for i, spec in enumerate(specs)]
    for seed in seeds:
        _write(write, play_match(seats, rules, seed))


def serve_player(spec: dict[str, Any], rules: Rules, late: bool, read: int, write: int) -> None:
    """One player, asked by a referee through a pipe.

    The referee sends `BEGIN` and a seed (8 bytes), or the outcome of the last round (one byte as of
    `play_match`, own move first); the answer is one byte, 0 for C and 1 for D. What ends the player is told
    as `FAULT`, the place in `KINDS` and a line of text.
    """
    try:
        seat = Seating(spec, rules, late)
        see: See | None = None
        while command := os.read(read, 16):
            if command[0] == BEGIN:
                ask, see = seat.take(struct.unpack("<Q", command[1:9])[0])
            elif see is not None:
                see(D if command[0] & 2 else C, D if command[0] & 1 else C)
            move = ask()
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
        return compile(source, _FILE, "exec", dont_inherit=True)
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
        text = str(error)[:_LONGEST]
    except BaseException:  # noqa: BLE001 - the text is made by the player's own code
        text = ""
    where = f"line {line}: " if line else ""
    return f"{where}{type(error).__name__}" + (f": {text}" if text else "")


def _shown(value: object) -> str:
    try:
        return repr(value)[:80]
    except BaseException:  # noqa: BLE001 - the text is made by the player's own code
        return f"a {type(value).__name__}"


def _write(descriptor: int, data: bytearray) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def leave(status: int) -> NoReturn:
    """End this process without any of Python's own farewells."""
    os._exit(status)
