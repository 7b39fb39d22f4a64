"""The play of written code and of automata, inside a confined process; standard library only.

A player is given as a dict: ``{"source": text, "seeded": bool, "scored": bool}``, with ``"code"`` and
``"counts"`` where it was compiled before, or an automaton's ``{"p", "next", "start", "intended", "seeded"}``.
One match is the same for all engines: the players are asked in seat order, then noise flips, then both see
what was realised.

What a strategy is called with: itself, a view of the opponent, and the builtins; standard library only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from types import CodeType
from typing import Any, NamedTuple, NoReturn

from intent.arena.sandbox.names import readable
from intent.arena.sandbox.normal_form import normalise, syntax_tree
from intent.arena.sandbox.plain import (
    zz_all,
    zz_any,
    zz_back,
    zz_deeper,
    zz_is,
    zz_items,
    zz_keys,
    zz_next,
    zz_parts,
    zz_pow,
    zz_shift,
    zz_sort,
    zz_text,
    zz_truth,
    zz_values,
    zz_within,
)
from intent.arena.sandbox.values import AXL, Action, C, D, FrozenSet, Game, Generator, History, Set

__all__ = [
    "BEGIN",
    "DEEPEST",
    "FAULT",
    "KINDS",
    "Foul",
    "Myself",
    "Opponent",
    "Play",
    "Rules",
    "Seat",
    "Seating",
    "See",
    "automaton_seat",
    "compile_source",
    "flip_codes",
    "leave",
    "namespace",
    "play_match",
    "play_pair",
    "reads_counts",
    "serve_player",
    "take_seat",
]


Play = Callable[[Any, Any], object]
See = Callable[[Action, Action], None]

_BUILTIN_VALUES = (
    *(
        abs,
        all,
        any,
        bool,
        dict,
        float,
        int,
        isinstance,
        iter,
        len,
        list,
        max,
        min,
        next,
        range,
        sorted,
        tuple,
    ),
    *(ArithmeticError, AttributeError, IndexError, KeyError, LookupError, OverflowError, StopIteration),
    *(TypeError, ValueError, ZeroDivisionError),
)


class Rules(NamedTuple):
    """The rules of a match as the players' process knows them."""

    payoffs: tuple[float, float, float, float]
    turns: int
    noise: float
    late: bool
    known_length: bool
    reuse: bool


class Seat(NamedTuple):
    """A player at a table: each round ``play(me, other)``, then ``see(own, other)`` with what was realised.

    The three are called apart, without a closure around them, which would cost a tenth of a plain match.
    """

    play: Play
    me: Myself | None
    other: Opponent | None
    see: See


def _getattr(thing: object, name: str, *default: object) -> Any:
    if readable(name, type(thing) is Myself):
        return getattr(thing, name, *default)
    if default:
        return default[0]
    raise AttributeError(f"{name} cannot be read")


def _hasattr(thing: object, name: str) -> bool:
    return readable(name, type(thing) is Myself) and hasattr(thing, name)


def _at_once(lazy: Callable[..., Iterable[Any]]) -> Callable[..., Iterator[Any]]:
    def listed(*args: Any, **named: Any) -> Iterator[Any]:
        return iter([*lazy(*args, **named)])

    return listed


def _sum(values: Iterable[Any], start: Any = 0) -> Any:
    # later Pythons add up floats with a compensation that no other engine knows
    return reduce(add, values, start)


def _round(value: Any, ndigits: Any = None) -> Any:
    if not isinstance(value, int | float):
        raise TypeError("round() takes a number")
    return round(value, ndigits)


def _power(a: Any, b: Any) -> Any:
    return zz_pow(a, b)  # type: ignore[no-untyped-call]


_REPLACED: dict[str, Any] = {
    **{lazy.__name__: _at_once(lazy) for lazy in (enumerate, filter, map, reversed, zip)},
    "set": Set,
    "frozenset": FrozenSet,
    "str": zz_text((C, D)),  # type: ignore[no-untyped-call]
    "round": _round,
    "pow": _power,
    "sum": sum if sys.version_info < (3, 12) else _sum,
    "getattr": _getattr,
    "hasattr": _hasattr,
}
"""Builtins that mean the same in every run and on every engine."""

_HELPERS: dict[str, Any] = {
    "zz_deeper": zz_deeper,
    "zz_back": zz_back,
    "zz_within": zz_within,
    **{f"zz_lazy_{lazy.__name__}": lazy for lazy in (enumerate, reversed, zip)},
    "zz_set": Set,
    "zz_truth": zz_truth,
    "zz_iter": iter,
    "zz_kind_str": str,
    "zz_pow": zz_pow,
    "zz_shift": zz_shift,
    "zz_is": zz_is,
    "zz_keys": zz_keys,
    "zz_values": zz_values,
    "zz_items": zz_items,
    "zz_sort": zz_sort,
    "zz_any": zz_any,
    "zz_all": zz_all,
    "zz_next": zz_next,
    "zz_parts": zz_parts,
}
"""What `normal_form.py` writes into code; written code cannot say such names."""


def namespace() -> dict[str, Any]:
    """The globals of one strategy: ``axl`` and the builtins, none of them shared with another strategy."""
    builtins = {thing.__name__: thing for thing in _BUILTIN_VALUES}
    moves = {"axl.Action.C": C, "axl.Action.D": D}  # see runtime.py
    return {"__builtins__": {**builtins, **_REPLACED}, "axl": AXL, **moves, **_HELPERS}


class Myself:
    """The player itself; what it writes here stays for the match."""

    history: History
    score: float
    match_attributes: dict[str, Any]
    _random: Generator

    @property
    def cooperations(self) -> int:
        """Own moves that were C."""
        return self.history.cooperations

    @property
    def defections(self) -> int:
        """Own moves that were D."""
        return self.history.defections

    def first_round(self) -> bool:
        """Whether nothing was played yet."""
        return not self.history

    def total_scores(self, mine: Iterable[Action], theirs: Iterable[Action]) -> tuple[float, float]:
        """Sums of the payoffs of two records of equal length: own, other's."""
        own: float = 0
        other: float = 0
        score = self.match_attributes["game"].score
        for pair in zip(mine, theirs):  # noqa: B905 - the shorter one decides, as upstream
            a, b = score(pair)
            own += a
            other += b
        return own, other


class Opponent:
    """The other player, for reading."""

    __slots__ = ("history", "score")
    history: History
    score: float

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("the opponent cannot be changed")

    @property
    def cooperations(self) -> int:
        """Moves of the other that were C."""
        return self.history.cooperations

    @property
    def defections(self) -> int:
        """Moves of the other that were D."""
        return self.history.defections


_set_score: Callable[[Opponent, float], None] = Opponent.__dict__["score"].__set__
_set_history: Callable[[Opponent, History], None] = Opponent.__dict__["history"].__set__


def take_seat(
    function: Callable[[Myself, Opponent], object],
    me: Myself,
    rules: Rules,
    seed: int,
    late: bool,
    counts: bool = True,
) -> Seat:
    """Put a player at the table of a new match.

    Parameters
    ----------
    function : the strategy
    me : Myself
        A new one, or that of the last match where attributes are to live on.
    seed : int, of the player's own generator
    late : bool
        Whether it sees the other's score one round late.
    counts : bool
        Whether scores and numbers of moves are kept; False for code that cannot read them.
    """
    mine, theirs = History(), History()
    game = Game(rules.payoffs)
    cc, dd, cd, dc = game.RPST()
    me.history, me.score, me._random = mine, 0, Generator(seed)
    length = rules.turns if rules.known_length else -1
    me.match_attributes = {"length": length, "game": game, "noise": rules.noise}
    other = Opponent()
    _set_history(other, theirs)
    _set_score(other, 0)
    # bound to these lists at C speed, past the overridden method of the class
    push_mine: Callable[[Action], None] = list.append.__get__(mine)
    push_theirs: Callable[[Action], None] = list.append.__get__(theirs)
    score: float = 0
    others_score: float = 0

    def see(own_move: Action, others_move: Action) -> None:
        nonlocal score, others_score
        push_mine(own_move)
        push_theirs(others_move)
        if late:
            _set_score(other, others_score)
        if own_move is C:
            mine.cooperations += 1
            if others_move is C:
                theirs.cooperations += 1
                score += cc
                others_score += cc
            else:
                theirs.defections += 1
                score += cd
                others_score += dc
        else:
            mine.defections += 1
            if others_move is C:
                theirs.cooperations += 1
                score += dc
                others_score += cd
            else:
                theirs.defections += 1
                score += dd
                others_score += dd
        me.score = score
        if not late:
            _set_score(other, others_score)

    def see_moves(own_move: Action, others_move: Action) -> None:
        push_mine(own_move)
        push_theirs(others_move)

    return Seat(function, me, other, see if counts else see_moves)


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
    late : bool
        Whether it sees the other's score one round late.
    """

    def __init__(self, spec: dict[str, Any], rules: Rules, late: bool) -> None:
        self.spec, self.rules, self.late = spec, rules, late
        self._me = Myself()
        self._code: CodeType | None = None
        if "source" in spec:
            self._code = spec["code"] if "code" in spec else compile_source(spec["source"])
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
        kind, reason = "error", _error_words(error)
    else:
        return
    text = reason.encode("utf-8", "replace")[:_LONGEST]
    os.write(write, bytes((FAULT, KINDS.index(kind))) + text)


def compile_source(source: str) -> CodeType:
    """The code of a source; nothing of it is run.

    Raises
    ------
    Foul
    """
    try:
        return compile(normalise(syntax_tree(source, _FILE), native=True), _FILE, "exec", dont_inherit=True)
    except (MemoryError, SystemError):
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


def _error_words(error: BaseException) -> str:
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
