"""What a move says of the strategies: how likely it was under each, and what became of the posterior."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from intent.base.wording import listed
from intent.view.detail import MoveDetail, SeatDetail
from intent.view.judging import number

__all__ = ["Evidence", "Weight", "move_evidence"]

_EQUAL = 1e-9
_STILL = 0.005
"""Changes of a probability below it are no news."""


@dataclass(frozen=True)
class Weight:
    """A strategy at one move.

    Parameters
    ----------
    name : str
    chance : float or None
        Probability of the move under it without noise; None where it was not computed or is no evidence.
    before, after : float
        Posterior probability without and with the move.
    """

    name: str
    chance: float | None
    before: float
    after: float

    @property
    def change(self) -> float:
        """By how much the posterior went up."""
        return self.after - self.before


@dataclass(frozen=True)
class Evidence:
    """What a round says of one seat.

    Parameters
    ----------
    seat : int
    between : (int, int)
        Rounds seen before and after; more than one apart where the posterior of a long game has gaps.
    weights : tuple of Weight, the most probable afterwards first
    leaders : tuple of str
        The most probable strategies afterwards; several where they tie.
    shift : bool
        Whether these are others than before.
    sentence : str
    """

    seat: int
    between: tuple[int, int]
    weights: tuple[Weight, ...]
    leaders: tuple[str, ...]
    shift: bool
    sentence: str

    @property
    def brief(self) -> str:
        """The leading strategy and its posterior in few words: ``ALLD 0.75 → 0.87``."""
        first = self.weights[0]
        return f"{', '.join(self.leaders)} {number(first.before)} → {number(first.after)}"


def move_evidence(seat: SeatDetail, round_number: int, move: MoveDetail | None) -> Evidence | None:
    """What the round says of a seat; None where there is no posterior before and after it.

    Parameters
    ----------
    seat : SeatDetail
    round_number : int, from 1
    move : MoveDetail or None
        The move of the seat in that round.
    """
    points = seat.posterior_after
    i, j = bisect_right(points, round_number - 1) - 1, bisect_left(points, round_number)
    if i < 0 or j >= len(points):
        return None
    chances = seat.move_probability or {}
    weights = [
        Weight(name, _at(chances.get(name, ()), round_number), before, after)
        for name, before, after in zip(seat.classes, seat.posterior[i], seat.posterior[j], strict=True)
    ]
    before, after = (_leaders([(w.name, getattr(w, when)) for w in weights]) for when in ("before", "after"))
    expected = _at(seat.predicted, round_number)
    ordered = sorted(weights, key=lambda w: (-round(w.after, 9), -w.before))
    sentences = [
        _move(move, weights, "in the first round" if round_number == 1 else "after such a past"),
        _gap(points[i], points[j]),
        _posterior(weights, before, after),
        "" if expected is None else f"The recogniser expected this move with probability {number(expected)}.",
    ]
    return Evidence(
        seat.seat,
        (points[i], points[j]),
        tuple(ordered),
        after,
        after != before,
        " ".join(filter(None, sentences)),
    )


def _at(values: Sequence[float | None], round_number: int) -> float | None:
    return values[round_number - 1] if 0 < round_number <= len(values) else None


def _leaders(shares: Sequence[tuple[str, float]]) -> tuple[str, ...]:
    top = max(share for _, share in shares)
    return tuple(name for name, share in shares if top - share < _EQUAL)


def _move(move: MoveDetail | None, weights: Sequence[Weight], when: str) -> str:
    """Which strategies make the move, given what was played before."""
    known = [w for w in weights if w.chance is not None]
    if not known:
        status = "missing" if move is None else move.status
        if status == "missing":
            return "No move was read, so this round is no evidence."
        if status == "defaulted":
            return "The move is a default for a reply that could not be read, so it is no evidence."
        return ""
    does = "Cooperating" if move is None or move.cooperated else "Defecting"
    always = [w.name for w in known if w.chance == 1]
    never = [w.name for w in known if w.chance == 0]
    parts = [f"what {listed(always)} {_verb('do', always)} {when}"] if always else []
    if never:
        parts.append(f"what {listed(never)} never {_verb('do', never)}")
    chances: dict[float, list[str]] = {}
    for w in known:
        if w.chance is not None and 0 < w.chance < 1:
            chances.setdefault(round(w.chance, 6), []).append(w.name)
    parts += [
        f"what {listed(names)} {_verb('do', names)} with probability {number(p)}"
        for p, names in sorted(chances.items(), reverse=True)
    ]
    return f"{does} here is {listed(parts)}."


def _verb(verb: str, names: Sequence[str]) -> str:
    return {"do": "does", "stay": "stays", "are": "is", "lose": "loses"}[verb] if len(names) == 1 else verb


def _gap(before: int, after: int) -> str:
    return "" if after - before == 1 else f"The posterior is known after rounds {before} and {after}."


def _posterior(weights: Sequence[Weight], before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """How the posterior moved."""
    by_name = {w.name: w for w in weights}
    if max(abs(w.change) for w in weights) < _STILL:
        first = by_name[after[0]]
        return f"The posterior hardly moves: {_standing(after, first)}."
    first, mentioned = by_name[after[0]], {*after}
    if after == before:
        moved = f"{_each(after)}from {number(first.before)} to {number(first.after)}"
        sentence = f"{listed(after)} {_verb('stay', after)} {_most(after)}, {moved}"
    else:
        sentence = (
            f"{listed(after)} {_verb('are', after)} now {_most(after)}, "
            f"{_each(after)}from {number(first.before)} to {number(first.after)}"
        )
        if len(before) == len(weights):
            sentence = f"All were equally probable before; {sentence}"
        elif gone := [name for name in before if name not in after]:
            mentioned |= {*gone}
            last = by_name[gone[0]]
            sentence += f"; {listed(gone)} before, from {number(last.before)} to {number(last.after)}"
    most = min(weights, key=lambda w: w.change)
    if most.change <= -_STILL and most.name not in mentioned:
        sentence += f"; {most.name} loses most, from {number(most.before)} to {number(most.after)}"
    return sentence + "."


def _standing(leaders: tuple[str, ...], first: Weight) -> str:
    return f"{listed(leaders)} {_verb('stay', leaders)} {_most(leaders)}, at {number(first.after)}"


def _most(leaders: tuple[str, ...]) -> str:
    return "the most probable" if len(leaders) == 1 else "tied as the most probable"


def _each(names: Sequence[str]) -> str:
    return "each " if len(names) > 1 else ""
