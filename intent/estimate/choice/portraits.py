"""Portraits of the types of a mixture: how each answers, and which named strategy plays like it.

All is measured on the play that the mixture was fitted to. With r_i the posterior that row i is of a type,
and q_it the probability with which the type cooperates in round t after the past of row i, the answer to a
situation is the mean of q_it over rounds in it, weighted by r_i. The distance from a strategy that would
cooperate with v_it is

    d^2 = min_eps sum r_i (q_it - v_it - eps (1 - 2 v_it))^2 / sum r_i,    0 <= eps <= 1/5,

over the same rounds: two ways of playing are alike where they do the same in the games that were played.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.base.job import Table
from intent.estimate.choice.checks import outcome_codes, outcome_names
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.model import ChoiceModel, ChoiceType, Parameter
from intent.recognise.hmm import MOST_NOISE, Neighbour
from intent.strategies.catalogue import Strategy

__all__ = ["Portrait", "effects_table", "portraits"]

Floats = NDArray[np.float64]

_MOST_ROWS = 20_000
"""Rows on which types and strategies are compared; of more, evenly spread ones."""
_NEAREST = 3
_EFFECTS = 40
"""Effects of covariates that are printed."""
_ACTS_ON = {"shift": "cooperating"}


@dataclass(frozen=True)
class Portrait:
    """A type in words and numbers.

    Attributes
    ----------
    name : str
    share : float
    se : float or None
    moves : float, that are its own by the posterior
    first : float or None, P(cooperate) in the first round
    after : tuple of 4 float or None
        P(cooperate) after CC, CD, DC, DD (own move first); None where no move of it is there.
    after_two : tuple of 16 float or None
        After two rounds, the one before first: CC CC, CC CD, ..., DD DD.
    nearest : tuple of Neighbour, nearest first
    """

    name: str
    share: float
    se: float | None
    moves: float
    first: float | None
    after: tuple[float | None, ...]
    after_two: tuple[float | None, ...]
    nearest: tuple[Neighbour, ...]


def two_round_names() -> list[str]:
    """Names of the sixteen situations after two rounds."""
    names = outcome_names(COOPERATION)
    return [f"{before} {last}" for before in names for last in names]


def portraits(model: ChoiceModel, X: Choices, strategies: Sequence[Strategy]) -> tuple[Portrait, ...]:
    """Portraits of all types, those with the largest shares first.

    Parameters
    ----------
    model : fitted, of a game with a cooperative action
    X : Choices that it was fitted to
    strategies : those whose play may be near
    """
    types = model.types()
    if not types or X.actions != COOPERATION:
        return ()
    posterior = model.memberships(X)
    step = -(-len(X) // _MOST_ROWS)
    rows = np.arange(0, len(X), step)
    play, posterior = X[rows], posterior[rows]
    known = _known(play)
    theirs = [(s.name, _along(s, play)) for s in strategies]
    drawn = [_portrait(t, posterior[:, k], play, known, theirs) for k, t in enumerate(types)]
    return tuple(sorted(drawn, key=lambda portrait: -portrait.share))


def effects_table(effects: Sequence[Parameter]) -> Table:
    """What covariates do to the responses of all types, beside what they make of an even chance."""
    rows: list[list[object]] = []
    for p in effects:
        level, what = (p.of, p.name) if p.name.startswith("shift") else (p.name, p.of)
        even = 1 / (1 + math.exp(-p.value))
        rows.append([level, _ACTS_ON.get(what, what), p.value, p.se, f"{even:.0%}"])
    return Table(
        ["covariate", "acts on", "log odds", "s.e.", "50 % becomes"],
        rows[:_EFFECTS],
        "What covariates do to the responses of every type"
        + (f" ({len(rows) - _EFFECTS:,} more with -o or --json)" if len(rows) > _EFFECTS else ""),
    )


def _portrait(
    kind: ChoiceType,
    belief: Floats,
    X: Choices,
    known: NDArray[np.bool_],
    strategies: Sequence[tuple[str, Floats]],
) -> Portrait:
    weights = belief[:, None] * (X.counted & known)
    q = _along(kind.strategy, X)
    last = outcome_codes(X.own, X.other, X.actions)
    rounds = X.shape[1]
    first = _mean(q[:, :1], weights[:, :1])
    after = [_mean(q[:, 1:], weights[:, 1:] * (last[:, :-1] == o)) for o in range(4)]
    two: list[float | None] = [None] * 16
    if rounds > 2:
        pair = np.where((last[:, :-2] >= 0) & (last[:, 1:-1] >= 0), last[:, :-2] * 4 + last[:, 1:-1], -1)
        two = [_mean(q[:, 2:], weights[:, 2:] * (pair == o)) for o in range(16)]
    total = float(weights.sum())
    near = []
    for name, v in strategies if total > 0 else ():
        away = 1 - 2 * v
        size = float((weights * away**2).sum())
        eps = float(np.clip((weights * away * (q - v)).sum() / size, 0, MOST_NOISE)) if size else 0.0
        distance = float(np.sqrt((weights * (q - v - eps * away) ** 2).sum() / total))
        near.append(Neighbour(name, distance, eps))
    near.sort(key=lambda one: one.distance)
    return Portrait(
        kind.name, kind.share, kind.se, total, first, tuple(after), tuple(two), tuple(near[:_NEAREST])
    )


def _mean(values: Floats, weights: Floats) -> float | None:
    total = float(weights.sum())
    return float((values * weights).sum() / total) if total >= 0.5 else None


def _known(X: Choices) -> NDArray[np.bool_]:
    """(n, T), rounds before which no move is unknown, so that every automaton's state is known."""
    gap = (X.own < 0) | (X.other < 0)
    before: NDArray[np.bool_] = np.cumsum(gap, axis=1) - gap == 0
    return before


def _along(s: Strategy, X: Choices) -> Floats:
    """(n, T), P(cooperate) along the play as it was; an unknown move leaves the state as it is."""
    n, rounds = X.shape
    table, p = np.array(s.next_state, dtype=np.intp), np.array(s.p_cooperate)
    outcomes = outcome_codes(X.own, X.other, X.actions)
    state = np.full(n, s.start, dtype=np.intp)
    along = np.empty((n, rounds))
    for t in range(rounds):
        along[:, t] = p[state]
        code = outcomes[:, t]
        state = np.where(code >= 0, table[state, np.maximum(code, 0)], state)
    return along
