"""What the page of one game shows, as plain values for its template.

Lines of the posterior round by round, as the numbers that an SVG of the page is made of.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from intent.figures.style import colour
from intent.view.detail import GameDetail, MoveDetail, QuestionDetail, RoundDetail, SeatDetail
from intent.view.judging import Evidence, fit_sentence, likeliest, move_evidence, reason
from intent.view.places import Places, safe_name
from intent.view.query import Facts, PageState

__all__ = [
    "ROUNDS_SHOWN",
    "Against",
    "Cell",
    "Chart",
    "Line",
    "RoundPart",
    "SeatPanel",
    "Turn",
    "game_values",
    "posterior_chart",
]


_LEFT, _TOP, _WIDTH, _HEIGHT, _RIGHT = 34, 10, 330, 150, 92
_APART = 14
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4", "1 4")
_MOST_NAMED = 7


@dataclass(frozen=True)
class Line:
    """A strategy: its points and where its name stands.

    Parameters
    ----------
    name, colour, dash, points : str
        As attributes of a polyline.
    end : float
        Height at which the line ends.
    text : float or None
        Height of its name; None where it has no room.
    """

    name: str
    colour: str
    dash: str
    points: str
    end: float
    text: float | None


@dataclass(frozen=True)
class Chart:
    """A drawing of `width` by `height`; ticks are (place, word)."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    lines: tuple[Line, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    span: tuple[int, int] = (0, 0)
    """Rounds seen at the left and right ends."""


def posterior_chart(
    classes: Sequence[str], after: Sequence[int], posterior: Sequence[Sequence[float]]
) -> Chart | None:
    """The lines of K strategies over the rounds seen.

    Parameters
    ----------
    classes : K str
    after : ascending int
        Rounds seen.
    posterior : len(after) x K float

    Returns
    -------
    Chart, or None where there is nothing to draw
    """
    if len(after) < 2 or not classes:
        return None
    span = max(after[-1] - after[0], 1)
    bottom = _TOP + _HEIGHT
    xs = [_LEFT + _WIDTH * (n - after[0]) / span for n in after]
    order = sorted(range(len(classes)), key=lambda k: -max(row[k] for row in posterior))
    named = set(order[:_MOST_NAMED])
    ends = {k: bottom - _HEIGHT * posterior[-1][k] for k in range(len(classes))}
    texts = _apart({k: ends[k] for k in named}, bottom)
    lines = tuple(
        Line(
            name=name,
            colour=colour(name),
            dash=_DASHES[k % len(_DASHES)],
            points=" ".join(
                f"{x:.1f},{bottom - _HEIGHT * row[k]:.1f}" for x, row in zip(xs, posterior, strict=True)
            ),
            end=ends[k],
            text=texts.get(k),
        )
        for k, name in enumerate(classes)
    )
    step = next(s * 10**k for k in range(10) for s in (1, 2, 5) if span / (s * 10**k) <= 10)
    ticks = range(after[0], after[-1] + 1, step)
    return Chart(
        width=_LEFT + _WIDTH + _RIGHT,
        height=bottom + 34,
        left=_LEFT,
        right=_LEFT + _WIDTH,
        top=_TOP,
        bottom=bottom,
        lines=lines,
        across=tuple((_LEFT + _WIDTH * (n - after[0]) / span, str(n)) for n in ticks),
        up=tuple((bottom - _HEIGHT * p, f"{p:g}") for p in (0, 0.5, 1)),
        span=(after[0], after[-1]),
    )


def _apart(heights: dict[int, float], bottom: float) -> dict[int, float]:
    """The heights moved so far that names do not overlap, in the same order."""
    order = sorted(heights, key=lambda k: heights[k])
    places: dict[int, float] = {}
    low = _TOP - 4.0
    for k in order:
        places[k] = low = max(heights[k], low + _APART)
    high = bottom + 4.0
    for k in reversed(order):
        places[k] = high = min(places[k], high)
        high -= _APART
    return {k: height + 4 for k, height in places.items()}


ROUNDS_SHOWN = 100
"""Rounds on one page of a game."""

_MOST_ACTIONS = 6
_ASIDE = ("source", "payoff_kind", "cooperative_action", "n_players", "rounds_planned", "repetition", "run")
"""Columns of a game that are shown on demand."""

_NEAREST = 6


@dataclass(frozen=True)
class Cell:
    """A move in the strip.

    Parameters
    ----------
    kind : {"c", "d", "n", "none"}
        Cooperation, defection, a move of a game without them, no move.
    sign : str
        What the cell shows.
    words : str
        What is read aloud, and shown on hover.
    status : {"parsed", "defaulted", "missing"}
    payoff, total : float or None
    """

    kind: str
    sign: str
    words: str
    status: str
    payoff: float | None
    total: float | None


@dataclass(frozen=True)
class Against:
    """How a strategy stands to the moves of a seat.

    Parameters
    ----------
    name : str
    posterior : float or None
        After the last round; None for strategies that are no class of the recogniser.
    known : int
        Moves that are evidence.
    rounds, marked : tuple of int
        Rounds whose move it never makes, and those of them that the page shows.
    consistent, best : bool
        No such round, and no chance in any; the most probable.
    per_move, log_likelihood : float or None
        Of a strategy that leaves some of these moves to chance and contradicts none: how probable it makes
        them, as the mean (geometric) of a move and as the logarithm for all.
    """

    name: str
    posterior: float | None
    known: int
    rounds: tuple[int, ...]
    marked: tuple[int, ...]
    consistent: bool
    best: bool
    per_move: float | None = None
    log_likelihood: float | None = None


@dataclass(frozen=True)
class Turn:
    """A move in the transcript.

    Parameters
    ----------
    move : MoveDetail
    cell : Cell
        As the strip shows it.
    evidence : Evidence or None
        What it says of the strategies; with the first move of a seat in a round.
    followed : bool or None
        Whether it is the action that was advised; None without advice.
    """

    move: MoveDetail
    cell: Cell
    evidence: Evidence | None
    followed: bool | None


@dataclass(frozen=True)
class RoundPart:
    """A round of the transcript.

    Parameters
    ----------
    number : int
    turns : tuple of Turn
    questions : tuple of QuestionDetail
    holds : tuple of str
        What there is to read in it: ``2 messages``, ``private thought``, ``4 calls``.
    previews : tuple of (seat, kind, str)
        How what was said begins.
    open : bool
        Whether it is unfolded at first.
    address : str
    """

    number: int
    turns: tuple[Turn, ...]
    questions: tuple[QuestionDetail, ...]
    holds: tuple[str, ...]
    previews: tuple[tuple[int, str, str], ...]
    open: bool
    address: str

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What it says of the seats."""
        return tuple(turn.evidence for turn in self.turns if turn.evidence is not None)


@dataclass(frozen=True, eq=False)
class SeatPanel:
    """A seat: its label in words, its posterior, the strategies beside its moves."""

    seat: SeatDetail
    title: str
    facts: tuple[tuple[str, Any], ...]
    best: Any
    reason: str
    fit: str | None
    chart: Chart | None
    strategies: tuple[Against, ...]
    further: tuple[Against, ...]
    known: int


def game_values(
    facts: Facts,
    game: GameDetail,
    state: PageState,
    neighbours: tuple[str | None, str | None],
    link: str,
    unfolded: int | None = None,
    at: Places | None = None,
) -> dict[str, Any]:
    """Values of the template ``game.html``.

    Parameters
    ----------
    facts : Facts
    game : GameDetail
    state : PageState
        Of the list that the reader came from.
    neighbours : (game_id or None, game_id or None)
        Before and after it in that list.
    link : str
        Whole address of the game alone, to be copied; empty where the browser's is.
    unfolded : int or None
        Round that is unfolded at first; 0: all.
    at : Places, by default those of the server
    """
    at = at or Places()
    before, after = (None if n is None else at.game(n, state) for n in neighbours)
    shown = [one.number for one in game.rounds]
    earlier, later = game.first > 1, bool(shown) and shown[-1] < game.n_rounds
    strip = [(seat, [_cells(one, seat) for one in game.rounds]) for seat in game.seats]
    panels = [_panel(seat, shown) for seat in game.seats]

    def part(first: int) -> str:
        return at.game(game.game_id, state, first)

    return {
        "facts": facts,
        "game": game,
        "state": state,
        "link": link,
        "at": at,
        "here": part(1),
        "folded": part(game.first),
        "all_unfolded": at.unfolded(game.game_id, state, game.first),
        "name": safe_name(game.game_id) or "game",
        "back": at.games(state),
        "previous": before,
        "following": after,
        "conditions": [pair for pair in game.columns.items() if pair[0] not in ("game_id", *_ASIDE)],
        "aside": [pair for pair in game.columns.items() if pair[0] in _ASIDE],
        "payoffs": payoff_table(game.payoffs),
        "panels": panels,
        "unjudged": _unjudged(panels),
        "numbers": shown,
        "strip": strip,
        "rounds": [
            _round_part(one, game.seats, unfolded, at.round(game.game_id, state, one.number))
            for one in game.rounds
        ],
        "round_addresses": {n: at.round(game.game_id, state, n) for n in shown},
        "stored": next((move.stored for one in game.rounds for move in one.moves if move.stored), None),
        "titles": {seat.seat: _title(seat) for seat in game.seats},
        "begin": part(1) if earlier else None,
        "earlier": part(max(1, game.first - ROUNDS_SHOWN)) if earlier else None,
        "later": part(shown[-1] + 1) if later else None,
        "end": part(_last_page(game)) if later else None,
        "any_defaulted": any(m.status == "defaulted" for one in game.rounds for m in one.moves),
        "any_missing": any(m.status == "missing" for one in game.rounds for m in one.moves),
        "any_cooperation": any(m.cooperated is not None for one in game.rounds for m in one.moves),
    }


def _last_page(game: GameDetail) -> int:
    """The round with which the last page begins, counted in whole pages from the first that is shown."""
    return game.first + (game.n_rounds - game.first) // ROUNDS_SHOWN * ROUNDS_SHOWN


def payoff_table(payoffs: str | None) -> tuple[list[str], list[tuple[str, list[str]]]] | None:
    """Actions of the second player, and rows (action of the first, payoffs of both); None if no table."""
    try:
        table = json.loads(payoffs or "null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(table, dict) or not table:
        return None
    cells: dict[tuple[str, str], str] = {}
    for joint, pair in table.items():
        actions = joint.split(",")
        if len(actions) != 2 or not isinstance(pair, list) or len(pair) != 2:
            return None
        cells[actions[0], actions[1]] = ", ".join("–" if x is None else str(x) for x in pair)
    rows, columns = (list(dict.fromkeys(key[side] for key in cells)) for side in (0, 1))
    if max(len(rows), len(columns)) > _MOST_ACTIONS:
        return None
    return columns, [(row, [cells.get((row, column), "–") for column in columns]) for row in rows]


def _cells(one: RoundDetail, seat: SeatDetail) -> list[Cell]:
    moves = [move for move in one.moves if move.seat == seat.seat]
    cells = [_cell(move) for move in moves]
    p = seat.predicted[one.number - 1] if one.number <= len(seat.predicted) else None
    if cells and p is not None:
        cells[0] = replace(cells[0], words=f"{cells[0].words}, predicted with probability {p:.2f}")
    return cells or [Cell("none", "", "no part in this round", "parsed", None, None)]


def _cell(move: MoveDetail) -> Cell:
    option = move.action if move.action is not None else ""
    if move.value is not None:
        option = f"{move.value:g}"
    if move.status == "missing" and move.cooperated is None and not option:
        return Cell("none", "?", "no move was read", "missing", move.payoff, move.total)
    if move.cooperated is None:
        sign = (
            option if len(option) <= 6 else f"{option[:3]}…{option[-2:]}"
        )  # OptionA and OptionB end differently
        kind, words = "n", option
    else:
        kind, sign = ("c", "C") if move.cooperated else ("d", "D")
        words = "cooperated" if move.cooperated else "defected"
        words += f" ({option})" if option and option != sign else ""
    if move.status != "parsed":
        words += ", default for a reply that could not be read" if move.status == "defaulted" else ", missing"
    return Cell(kind, sign, words, move.status, move.payoff, move.total)


def _panel(seat: SeatDetail, shown: Sequence[int]) -> SeatPanel:
    label = seat.label
    against = _against(seat, frozenset(shown))
    near = [one for one in against if one.posterior is not None]
    further = [one for one in against if one.posterior is None]
    known = max((one.known for one in against), default=0)
    head = [one for one in further if one.consistent]
    rest = [one for one in further if not one.consistent and one.per_move is None]
    head += rest[: max(0, _NEAREST - len(near) - len(head))]
    named = ("model", "player")
    return SeatPanel(
        seat=seat,
        title=_title(seat),
        facts=tuple((name, value) for name, value in seat.columns.items() if name not in (*named, "seat")),
        best=likeliest(label) if label else None,
        reason=reason(label) if label else f"No label: {seat.why or 'this seat is not labelled'}.",
        fit=fit_sentence(label) if label else None,
        chart=posterior_chart(seat.classes, seat.posterior_after, seat.posterior),
        strategies=(*near, *head),
        further=tuple(one for one in further if one not in head),
        known=known,
    )


def _unjudged(panels: Sequence[SeatPanel]) -> dict[str, Any] | None:
    """The seats as one table where none of them has a label, a posterior or strategies beside its moves."""
    if len(panels) < 2 or any(one.seat.label or one.chart or one.strategies for one in panels):
        return None
    names = list(dict.fromkeys(name for one in panels for name, _ in one.facts))
    return {
        "reasons": list(dict.fromkeys(one.reason for one in panels)),
        "names": names,
        "rows": [(one, [dict(one.facts).get(name) for name in names]) for one in panels],
    }


def _against(seat: SeatDetail, shown: frozenset[int]) -> list[Against]:
    """Strategies beside the moves: classes by posterior, then the others by rounds against them."""
    last = dict(zip(seat.classes, seat.posterior[-1], strict=True)) if seat.posterior else {}
    best = likeliest(seat.label) if seat.label else None
    leaders = (best,) if isinstance(best, str) else best or ()
    lines = []
    for name in dict.fromkeys((*seat.classes, *seat.strategies)):
        rounds = tuple((seat.contradictions or {}).get(name, ()))
        chances = [p for p in (seat.move_probability or {}).get(name, ()) if p is not None]
        known = len(chances)
        marked = tuple(number for number in rounds if number in shown)
        fits, log_p = known > 0 and not rounds, None
        if fits and min(chances) < 1:
            fits, log_p = False, sum(map(math.log, chances))
        per_move = None if log_p is None else math.exp(log_p / known)
        lines.append(
            Against(name, last.get(name), known, rounds, marked, fits, name in leaders, per_move, log_p)
        )

    def place(one: Against) -> tuple[bool, float, bool, int]:
        return one.posterior is None, -round(one.posterior or 0, 12), not one.best, len(one.rounds)

    return sorted(lines, key=place)


def _title(seat: SeatDetail) -> str:
    for name in ("model", "player", "strategy"):
        if seat.columns.get(name) not in (None, ""):
            return str(seat.columns[name])
    return f"seat {seat.seat}"


_PREVIEW, _MOST_PREVIEWS = 160, 3
_SPOKEN = {"message": "", "private_thought": "private thought", "reasoning": "reasoning"}


def _round_part(
    one: RoundDetail, seats: Sequence[SeatDetail], unfolded: int | None, address: str
) -> RoundPart:
    by_seat = {seat.seat: seat for seat in seats}
    turns: list[Turn] = []
    for move in one.moves:
        seat = by_seat.get(move.seat)
        is_first = move.seat not in {turn.move.seat for turn in turns}
        evidence = move_evidence(seat, one.number, move) if seat is not None and is_first else None
        followed = None if move.advice is None else move.advice == move.action
        turns.append(Turn(move, _cell(move), evidence, followed))
    previews = [
        (move.seat, kind, " ".join(words.shown[: 2 * _PREVIEW].split())[:_PREVIEW])
        for move in one.moves
        for field, kind in _SPOKEN.items()
        if (words := getattr(move, field)) is not None and words.shown.strip()
    ]
    spoken = [one for one in previews if not one[1]]
    return RoundPart(
        number=one.number,
        turns=tuple(turns),
        questions=one.questions,
        holds=_holds(one),
        previews=tuple((spoken or previews)[:_MOST_PREVIEWS]),
        open=unfolded in (0, one.number),
        address=address,
    )


def _holds(one: RoundDetail) -> tuple[str, ...]:
    """What there is to read in a round, in words."""
    moves = one.moves
    counts = {
        "message": sum(move.message is not None for move in moves),
        "private thought": sum(move.private_thought is not None for move in moves),
        "reasoning": sum(move.reasoning is not None for move in moves),
        "advice": sum(move.advice is not None for move in moves),
        "tool call": sum(len(call.tools) for move in moves for call in move.calls),
        "conversation": sum(bool(move.turns) for move in moves),
        "request": sum(len(move.calls) for move in moves),
        "reply": sum(move.reply is not None for move in moves if not move.calls),
        "question": len(one.questions),
    }
    plural = {"advice": "advice", "reasoning": "reasoning", "reply": "replies"}
    return tuple(name if n == 1 else f"{n} {plural.get(name, f'{name}s')}" for name, n in counts.items() if n)


def rounds_in_words(rounds: Sequence[int], most: int = 12) -> str:
    """``3, 5–8 and 2 more``."""
    runs: list[list[int]] = []
    for number in rounds:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [str(a) if a == b else f"{a}–{b}" for a, b in runs]
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return ", ".join(words)
