"""Posterior-predictive checks: play simulated from a fitted model, beside the play it was fitted to.

1. Every player plays again: before each of its moves the model says the probability of every action after
   the past as simulated, and the move is drawn. Where both seats of a game are among the rows, and players do
   not return, both are simulated; elsewhere the other's moves are as observed.
2. Three things are compared with what was observed: the rate of cooperation by round, the rate after each
   joint outcome, and the lengths of streaks of one action. (Of more than two actions: the rate of every
   action by round, and of repeating one's action after each joint outcome.)

A model that predicts the next move well may still play otherwise than people do, since its errors add up.

References
----------
Gelman, Meng & Stern (1996), Statistica Sinica 6:733 (posterior predictive checks).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.model import ChoiceModel, bounded

__all__ = ["Check", "outcome_names", "predictive_checks", "simulate"]

Floats = NDArray[np.float64]
Moves = NDArray[np.int8]
Codes = NDArray[np.intp]

_MOST_ROWS = 100_000
"""Rows that are simulated at once, in all copies together."""
_MOST_STEPS = 200
"""Rounds of all games of a subject that are simulated one after another."""
_STREAKS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, None))


@dataclass(frozen=True)
class Check:
    """One number of the play, as observed and as simulated.

    Attributes
    ----------
    kind : str
        ``round``, ``after`` (a joint outcome) or ``streak``.
    name : str
    n : int, moves or streaks that the observed number is of
    observed : float
    expected : float, mean over simulations
    low, high : float, 95 % of simulations lie between
    p : float
        Twice the share of simulations at least as far out, the observed one among them.
    """

    kind: str
    name: str
    n: int
    observed: float
    expected: float
    low: float
    high: float
    p: float

    @property
    def outside(self) -> bool:
        """Whether p is .05 at most, so that a star never stands beside a larger one."""
        return self.p <= 0.05


def outcome_names(actions: tuple[str, ...]) -> list[str]:
    """Names of joint outcomes, own action first, in the order CC, CD, DC, DD where one cooperates."""
    if actions == COOPERATION:
        return ["CC", "CD", "DC", "DD"]
    return [f"{own}/{other}" for own in actions for other in actions]


def outcome_codes(own: Moves, other: Moves, actions: tuple[str, ...]) -> Codes:
    """Place of each joint outcome among `outcome_names`, -1 where a move is unknown."""
    a = len(actions)
    codes = own.astype(np.intp) * a + other
    if actions == COOPERATION:
        codes = 3 - codes
    return np.where((own >= 0) & (other >= 0), codes, -1)


def predictive_checks(
    model: ChoiceModel, X: Choices, *, samples: int = 100, rng: np.random.Generator
) -> tuple[Check, ...]:
    """Observed numbers beside those of simulated plays.

    Parameters
    ----------
    model : fitted
    X : Choices
        Of each subject, the first games that together have at most 200 rounds; where there are many rows,
        those of some subjects, drawn at random.
    samples : int, simulated plays
    rng : Generator
    """
    games = max(1, _MOST_STEPS // max(X.shape[1], 1))
    X = _fewer(X[X.before(np.ones(len(X))) < games], max(1, _MOST_ROWS // samples), rng)
    n = len(X)
    copies = X[np.tile(np.arange(n), samples)]
    subjects = np.unique(X.subject, return_inverse=True)[1].reshape(-1)
    shift = int(subjects.max(initial=0)) + 1
    copies = replace(
        copies, subject=(subjects[None] + shift * np.arange(samples)[:, None]).reshape(-1).astype(np.intp)
    )
    partner = _partners(X)
    if partner is not None:
        partner = (partner[None] + n * np.arange(samples)[:, None]).reshape(-1)
    own, other = simulate(model, copies, partner=partner, rng=rng)
    counted = X.counted & (np.arange(X.shape[1]) < _MOST_STEPS)
    played = np.tile(counted, (samples, 1))
    copy = np.repeat(np.arange(samples), n)
    observed = _numbers(X.own, X.other, counted, np.zeros(n, dtype=np.intp), 1, X.actions)
    drawn = _numbers(own, other, played, copy, samples, X.actions)
    checks = []
    for (kind, name), (value, number) in observed.items():
        values = drawn[kind, name][0]
        if not number[0] or not np.isfinite(values).any():
            continue
        known = values[np.isfinite(values)]
        middle, seen = float(known.mean()), float(value[0])
        low, high = (float(end) for end in np.quantile(known, [0.025, 0.975]))
        beyond = min((known >= seen - 1e-12).sum(), (known <= seen + 1e-12).sum())
        p = min(1.0, 2 * (1 + int(beyond)) / (1 + len(known)))
        checks.append(Check(kind, name, int(number[0]), seen, middle, low, high, p))
    return tuple(checks)


def simulate(
    model: ChoiceModel, X: Choices, *, partner: Codes | None = None, rng: np.random.Generator
) -> tuple[Moves, Moves]:
    """Own and other's moves, the own ones drawn from the model wherever one was decided.

    Parameters
    ----------
    model : fitted
    X : Choices
        A subject's later games beyond 200 rounds in all stay as they were.
    partner : (n,) int, optional
        Row of the other seat of each row's game; then its simulated moves are the other's.
    rng : Generator

    Returns
    -------
    own, other : (n, T) int8
    """
    own, other, chosen = X.own.copy(), X.other.copy(), X.chosen.copy()
    rounds = X.shape[1]
    place = X.before(np.ones(len(X))).astype(np.intp)
    games = max(1, _MOST_STEPS // max(rounds, 1))
    ahead = model.ahead(X)
    for turn in range(min(int(place.max(initial=-1)) + 1, games)):
        at = np.flatnonzero(place == turn)
        ahead.begin(at)
        for t in range(min(rounds, _MOST_STEPS)):
            decided = X.counted[at, t]
            if decided.any():
                p = bounded(ahead.next_move()[:, None])[:, 0]
                moves = (rng.random(len(at))[:, None] > np.cumsum(p, axis=1)[:, :-1]).sum(1).astype(np.int8)
                changed = at[decided]
                own[changed, t] = chosen[changed, t] = moves[decided]
                if partner is not None:
                    other[partner[changed], t] = moves[decided]
            ahead.moved(own[at, t], other[at, t], chosen[at, t])
    return own, other


def _fewer(X: Choices, most: int, rng: np.random.Generator) -> Choices:
    """Some of the games, drawn at random, or of the subjects where these return."""
    if len(X) <= most:
        return X
    groups = X.subject
    if len(np.unique(X.subject)) == len(X) and X.keys is not None and "game_id" in X.keys:
        groups = pd.factorize(X.keys["game_id"])[0]
    codes = np.unique(groups, return_inverse=True)[1].reshape(-1)
    order = rng.permutation(int(codes.max()) + 1)
    size = np.cumsum(np.bincount(codes)[order])
    chosen = order[: max(1, int(np.searchsorted(size, most, side="right")))]
    return X[np.flatnonzero(np.isin(codes, chosen))]


def _partners(X: Choices) -> Codes | None:
    """Row of the other seat, where each row has one and no subject returns; else None."""
    keys = X.keys
    if keys is None or not {"game_id", "seat"} <= set(keys.columns):
        return None
    if len(np.unique(X.subject)) < len(X):
        return None
    place = pd.MultiIndex.from_arrays([keys["game_id"].astype(str), keys["seat"].astype(int)])
    if not place.is_unique:
        return None
    other = pd.MultiIndex.from_arrays([keys["game_id"].astype(str), 3 - keys["seat"].astype(int)])
    rows = place.get_indexer(other)
    return rows.astype(np.intp) if (rows >= 0).all() else None


def _numbers(
    own: Moves, other: Moves, counted: NDArray[np.bool_], copy: Codes, copies: int, actions: tuple[str, ...]
) -> dict[tuple[str, str], tuple[Floats, Floats]]:
    """(kind, name) -> value in each copy of the play, and what it is of."""
    numbers: dict[tuple[str, str], tuple[Floats, Floats]] = {}
    two = len(actions) == 2

    def mean(hit: NDArray[np.bool_], of: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        n = np.bincount(copy, weights=of.sum(-1), minlength=copies)
        hits = np.bincount(copy, weights=(hit & of).sum(-1), minlength=copies)
        with np.errstate(invalid="ignore", divide="ignore"):
            return hits / n, n.astype(float)

    for t in range(own.shape[1]):
        for action in range(1, 2) if two else range(len(actions)):
            name = f"{t + 1}" if two else f"{t + 1} {actions[action]}"
            numbers["round", name] = mean((own[:, t] == action)[:, None], counted[:, t, None])
    last = outcome_codes(own[:, :-1], other[:, :-1], actions)
    hit = own[:, 1:] == (1 if two else own[:, :-1])
    for code, name in enumerate(outcome_names(actions)):
        numbers["after", name] = mean(hit, counted[:, 1:] & (last == code))
    lengths, of = _streaks(own, counted, copy)
    total = np.bincount(of, minlength=copies).astype(float)
    for low, high in _STREAKS:
        inside = (lengths >= low) & (lengths <= (high or np.inf))
        name = f"{low}" if low == high else f"{low}+" if high is None else f"{low}-{high}"
        share = np.bincount(of, weights=inside, minlength=copies)
        with np.errstate(invalid="ignore", divide="ignore"):
            numbers["streak", name] = (share / total, total)
    return numbers


def _streaks(own: Moves, counted: NDArray[np.bool_], copy: Codes) -> tuple[Codes, Codes]:
    """Lengths of the streaks of one action in counted rounds, and the copy of each."""
    begins = counted.copy()
    begins[:, 1:] &= ~(counted[:, :-1] & (own[:, 1:] == own[:, :-1]))
    number = np.cumsum(begins.reshape(-1)) - 1
    inside = counted.reshape(-1)
    lengths = np.bincount(number[inside], minlength=int(begins.sum()))
    rows = np.repeat(copy, own.shape[1])
    return lengths.astype(np.intp), rows[begins.reshape(-1)]
