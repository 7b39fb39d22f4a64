"""The moves of a game in one row of a list: how they are kept, and what is drawn of them.

Cooperation and defection differ in shape and in colour, a default for an unread reply is hollow; long play is
condensed to bars, a game of numbers is a line, one of other actions shows their letters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = [
    "COOPERATED",
    "DEFAULTED",
    "DEFECTED",
    "MISSING",
    "OTHER",
    "WIDTH",
    "Marks",
    "SeatMoves",
    "Strip",
    "move_marks",
    "seat_moves",
    "strip",
    "strip_of_seats",
]

NONE, COOPERATED, DEFECTED, OTHER, MISSING = range(5)
DEFAULTED = 8
"""Added to a mark where the move is a default for a reply that nobody could read."""

_KIND = DEFAULTED - 1

WIDTH = 100
"""Moves of a seat whose marks are kept; longer play is read when it is shown."""


def move_marks(moves: pd.DataFrame) -> NDArray[np.uint8]:
    """(n,) mark of each move: cooperated, defected, another action or number, missing."""
    cooperated = moves["cooperated"].to_numpy(dtype=float, na_value=np.nan)
    there = moves["action"].notna().to_numpy() | moves["value"].notna().to_numpy()
    marks = np.where(
        np.isnan(cooperated), np.where(there, OTHER, MISSING), np.where(cooperated > 0, COOPERATED, DEFECTED)
    )
    defaulted = (moves["status"] == "defaulted").to_numpy(dtype=bool)
    codes: NDArray[np.uint8] = (marks + DEFAULTED * defaulted).astype(np.uint8)
    return codes


class Marks:
    """The marks of all seats of a library, in the order of their moves.

    Parameters
    ----------
    n_seats : int
    longest : int
        Rounds of the longest game; at most `WIDTH` moves are kept.

    Attributes
    ----------
    codes : (n_seats, width) uint8
    n_moves : (n_seats,) int32, also of those that are not kept; 0 before `fill`
    """

    def __init__(self, n_seats: int, longest: int) -> None:
        self.codes = np.zeros((n_seats, max(1, min(longest, WIDTH))), dtype=np.uint8)
        self.n_moves = np.zeros(n_seats, dtype=np.int32)

    def fill(self, rows: NDArray[np.intp], log: GameLog) -> None:
        """Keep the marks of a log.

        Parameters
        ----------
        rows : (n,) row here of each row of the log's seats, -1 for none
        log : GameLog
        """
        moves, seats = log.moves, log.seats
        if not len(moves) or not len(seats):
            return
        wide = int(seats["seat"].max()) + 1
        places = pd.Index(log.games["game_id"])
        of_seat = np.full(len(places) * wide, -1, dtype=np.intp)
        key = places.get_indexer(pd.Index(seats["game_id"])) * wide + seats["seat"].to_numpy(dtype=np.intp)
        of_seat[key] = rows
        game = np.asarray(moves["game_id"].cat.codes, dtype=np.intp)
        seat = np.clip(moves["seat"].to_numpy(dtype=np.intp), 0, wide - 1)
        row = of_seat[game * wide + seat]
        order = np.lexsort((moves["step"].to_numpy(), moves["round"].to_numpy(), row))
        order = order[np.searchsorted(row[order], 0) :]
        owner = row[order]
        if not len(owner):
            return
        first = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
        count = np.diff(np.append(first, len(owner)))
        place = np.arange(len(owner)) - np.repeat(first, count)
        self.codes[owner[first]] = NONE
        self.n_moves[owner[first]] = count
        held = place < self.codes.shape[1]
        self.codes[owner[held], place[held]] = move_marks(moves)[order[held]]

    def whole(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(n,), whether the marks of each of these seats say all that a strip shows."""
        codes, count = self.codes[rows], self.n_moves[rows]
        known = (count > 0) & (count <= self.codes.shape[1])
        return np.asarray(known & ~((codes & _KIND) == OTHER).any(axis=1))


@dataclass(frozen=True)
class SeatMoves:
    """The moves of a seat as a list shows them.

    Parameters
    ----------
    marks : bytes, as `Marks.codes`
    values : tuple of float, for a game of numbers (NaN: none)
    actions : tuple of str, for a game of other actions
    """

    marks: bytes
    values: tuple[float, ...] = ()
    actions: tuple[str, ...] = ()


def seat_moves(log: GameLog) -> dict[str, dict[int, SeatMoves]]:
    """The moves of each seat of each game of a log."""
    moves = log.moves.assign(_mark=move_marks(log.moves))
    moves = moves.sort_values(["round", "step"], kind="stable")
    parts = moves.groupby(["game_id", "seat"], sort=False, observed=True)
    games: dict[str, dict[int, SeatMoves]] = {str(name): {} for name in log.games["game_id"]}
    for (game, seat), part in parts:
        games[str(game)][int(str(seat))] = _moves_of(part)
    return games


def _moves_of(moves: pd.DataFrame) -> SeatMoves:
    marks = moves["_mark"].to_numpy(dtype=np.uint8)
    if not ((marks & _KIND) == OTHER).any():
        return SeatMoves(marks.tobytes())
    if moves["value"].notna().any():
        values = moves["value"].to_numpy(dtype=float, na_value=np.nan)
        return SeatMoves(marks.tobytes(), values=tuple(values.tolist()))
    actions = tuple("" if action is None or action != action else str(action) for action in moves["action"])
    return SeatMoves(marks.tobytes(), actions=actions)


_MOST = 32
"""Marks of a strip; longer play is condensed."""

_PITCH, _HEIGHT = 8, 12
_LINE_WIDTH, _LINE_HEIGHT = 120, 22
_MOST_LETTERS = 40
LINE = 21.6
"""Height of a line of text in a list, of which a seat's marks take the middle."""

_OUTLINES = {
    "c": "m0 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z",
    "d": "m0 -3.2h6.4v6.4h-6.4z",
    "n": "m0 -.6h6.4v1.2h-6.4z",
}
"""Shapes of hollow marks, from the left end of their middle.

Filled ones are pieces of a thick line, a disc being one of no length with round ends: eight letters a move
where an outline takes forty, which the browser has to read for every row."""

_PIECES = {"c": (4.0, 0.0), "d": (0.8, 6.4), "n": (0.8, 6.4)}
"""Where the piece of a mark begins in its place, and its length."""


@dataclass(frozen=True)
class Strip:
    """What is drawn of the moves of a seat.

    Parameters
    ----------
    kind : {"marks", "bars", "line", "letters", "nothing"}
    words : str
        What is read aloud.
    width, height : float
    paths : tuple of (class, path)
        Class ``c``, ``d``, ``n``, hollow ``ch``, ``dh``, ``nh``, of bars ``cb``, ``db``, or ``line``.
    text : str
        Beside it, or the letters.
    """

    kind: Literal["marks", "bars", "line", "letters", "nothing"]
    words: str
    width: float = 0
    height: float = _HEIGHT
    paths: tuple[tuple[str, str], ...] = ()
    text: str = ""


_DRAWN = 4096
"""Strips that are remembered: many players of a list move alike."""


@lru_cache(_DRAWN)
def strip(moves: SeatMoves) -> Strip:
    """The strip of a seat."""
    if not moves.marks:
        return Strip("nothing", "no moves")
    if moves.values:
        return _line(moves.values)
    if moves.actions:
        return _letters(moves.actions)
    marks = moves.marks
    plain = bytes(mark & _KIND for mark in marks)
    n_c, n_d = plain.count(COOPERATED), plain.count(DEFECTED)
    spoken = f"cooperated in {n_c} of {n_c + n_d} moves"
    if len(marks) > _MOST:
        kinds = np.frombuffer(plain, dtype=np.uint8)
        return _bars(kinds, f"{spoken}, condensed", f"{len(marks):,} moves")
    letters = "".join("?CD??"[mark] for mark in plain)
    n_defaulted = sum(mark >= DEFAULTED for mark in marks)
    more = f", {n_defaulted} of them defaults" if n_defaulted else ""
    paths = tuple((name, _path(name, at, _HEIGHT / 2)) for name, at in _places(marks).items())
    return Strip("marks", f"{letters}: {spoken}{more}", len(marks) * _PITCH, paths=paths)


@lru_cache(_DRAWN)
def strip_of_seats(seats: tuple[SeatMoves, ...]) -> Strip | None:
    """The strips of several seats as one, a line of text each; None where one is not of marks.

    One picture a row is what a browser has to lay out; a class of marks is one path for all seats.
    """
    strips = [strip(moves) for moves in seats]
    if not strips or any(one.kind != "marks" for one in strips):
        return None
    paths: dict[str, str] = {}
    for line, moves in enumerate(seats):
        for name, places in _places(moves.marks).items():
            paths[name] = paths.get(name, "") + _path(name, places, (line + 0.5) * LINE)
    words = "; ".join(f"seat {number}, {one.words}" for number, one in enumerate(strips, start=1))
    width, height = max(one.width for one in strips), LINE * len(strips)
    return Strip("marks", words, width, round(height, 1), tuple(paths.items()))


def _places(marks: bytes) -> dict[str, list[int]]:
    """Where the marks of each class stand."""
    places: dict[str, list[int]] = {}
    for place, whole in enumerate(marks):
        shape = {COOPERATED: "c", DEFECTED: "d"}.get(whole & _KIND, "n")
        places.setdefault(shape + "h" * (whole >= DEFAULTED), []).append(place)
    return places


def _path(name: str, places: Sequence[int], middle: float) -> str:
    """The marks of one class at these places."""
    if name not in _PIECES:
        return "".join(f"M{p * _PITCH + 0.8:g} {middle:g}{_OUTLINES[name[0]]}" for p in places)
    begin, length = _PIECES[name]
    parts, last = [f"M{places[0] * _PITCH + begin:g} {middle:g}h{length:g}"], places[0]
    for place in places[1:]:
        parts.append(f"m{(place - last) * _PITCH - length:g} 0h{length:g}")
        last = place
    return "".join(parts)


def _bars(plain: NDArray[np.uint8], words: str, text: str) -> Strip:
    """A bar for some moves each: its blue part is the share that cooperated."""
    parts = np.array_split(plain, _MOST)
    low, high = [], []
    for place, part in enumerate(parts):
        known = int((part == COOPERATED).sum() + (part == DEFECTED).sum())
        if not known:
            continue
        share = (_HEIGHT - 2) * float((part == COOPERATED).sum()) / known
        x = f"{place * _PITCH + 0.8:g}"
        if share:
            low.append(f"M{x} {_HEIGHT - 1:g}v{-share:.1f}h6.4v{share:.1f}z")
        if share < _HEIGHT - 2:
            high.append(f"M{x} 1v{_HEIGHT - 2 - share:.1f}h6.4v{share - _HEIGHT + 2:.1f}z")
    paths = tuple((name, "".join(d)) for name, d in (("cb", low), ("db", high)) if d)
    return Strip("bars", words, _MOST * _PITCH, paths=paths, text=text)


def _line(values: Sequence[float]) -> Strip:
    """Numbers as a line from the first to the last, with the least, the greatest and the last in words."""
    known = [(i, v) for i, v in enumerate(values) if math.isfinite(v)]
    if not known:
        return Strip("nothing", "no number was read")
    low, high = min(v for _, v in known), max(v for _, v in known)
    first, last = known[0][1], known[-1][1]
    words = f"{len(known)} numbers from {low:g} to {high:g}, first {first:g}, last {last:g}"
    text = f"{first:g} → {last:g}" if len(known) > 1 else f"{first:g}"
    if len(known) == 1:
        return Strip("letters", words, text=text)
    if len(known) > _LINE_WIDTH:
        known = [known[round(i * (len(known) - 1) / (_LINE_WIDTH - 1))] for i in range(_LINE_WIDTH)]
    span, length = (high - low) or 1.0, (known[-1][0] - known[0][0]) or 1
    points = (
        f"{2 + (_LINE_WIDTH - 4) * (i - known[0][0]) / length:.1f} "
        f"{_LINE_HEIGHT - 2 - (_LINE_HEIGHT - 4) * ((v - low) / span if high > low else 0.5):.1f}"
        for i, v in known
    )
    return Strip("line", words, _LINE_WIDTH, _LINE_HEIGHT, (("line", "M" + "L".join(points)),), text)


def _letters(actions: Sequence[str]) -> Strip:
    """A letter for each action: its first or last, where these tell them apart, else a, b, c."""
    names = sorted({action for action in actions if action})
    for place in (0, -1):
        signs = {name: name[place] for name in names}
        if len(set(signs.values())) == len(names):
            break
    else:
        signs = {name: chr(ord("a") + i) if i < 26 else "+" for i, name in enumerate(names)}
    shown = "".join(signs.get(action, "·") for action in actions[:_MOST_LETTERS])
    if len(actions) > _MOST_LETTERS:
        shown += f"… {len(actions):,}"
    meant = ", ".join(f"{sign} {name}" for name, sign in list(signs.items())[:6])
    return Strip("letters", f"{len(actions)} moves: {meant}", text=shown)
