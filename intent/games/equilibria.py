"""What theory singles out in a 2x2 game: dominance, equilibria, efficient joint actions, the focal point."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import GameError
from intent.base.registry import installed, require
from intent.games.game import Game, MatrixGame, PublicGoods

__all__ = [
    "Dominance",
    "JointAction",
    "MixedEquilibrium",
    "Solutions",
    "best_correlated",
    "correlated_distance",
    "deviation_gain",
    "deviation_gains",
    "dominant_actions",
    "focal_point",
    "joint_actions",
    "mixed_equilibria",
    "nash_equilibria",
    "pareto_efficient",
    "pure_equilibria",
    "solutions",
]


MOST_PROFILES = 4096


@dataclass(frozen=True)
class Dominance:
    """An action that is a best reply to whatever the others do.

    Parameters
    ----------
    action : str
    strict : bool
        Whether it is the only best reply every time.
    """

    action: str
    strict: bool


def dominant_actions(game: Game) -> tuple[Dominance | None, ...]:
    """The dominant action of every seat, None for a seat without one.

    Where both actions always pay the same, neither dominates.

    Parameters
    ----------
    game : Game
        A game of at most 4096 joint actions, or a public goods game of any size.

    Returns
    -------
    tuple of Dominance or None, by seat
    """
    if isinstance(game, PublicGoods):
        keep = _contribution_gain(game)
        best = Dominance(game.actions[keep < 0], strict=True) if keep else None
        return (best,) * game.n_players
    return tuple(_dominant(game, seat) for seat in range(1, game.n_players + 1))


def pure_equilibria(game: Game) -> tuple[tuple[str, ...], ...]:
    """Joint actions from which no player gains by moving alone, in the order of the actions.

    Parameters
    ----------
    game : Game
        A game of at most 4096 joint actions; a public goods game may have more where each player
        has a best action.

    Returns
    -------
    tuple of joint actions, each a tuple of labels by seat

    Raises
    ------
    GameError
        Too many joint actions to list.

    References
    ----------
    Nash 1951, Annals of Mathematics 54:286.
    """
    if isinstance(game, PublicGoods) and _contribution_gain(game):
        return ((game.actions[_contribution_gain(game) < 0],) * game.n_players,)
    profiles = _profiles(game, game.n_players)
    if isinstance(game, PublicGoods):
        return tuple(profiles)
    return tuple(p for p in profiles if all(_is_best(game, p, seat) for seat in range(1, game.n_players + 1)))


def _contribution_gain(game: PublicGoods) -> int:
    """Sign of what a contribution changes in one's own payoff, c·M/N - c, free of rounding."""
    return (game.factor > game.n_players) - (game.factor < game.n_players)


def _profiles(game: Game, n_players: int) -> list[tuple[str, ...]]:
    if len(game.actions) ** n_players > MOST_PROFILES:
        raise GameError(f"{game.name}: {game.n_players} players have more than {MOST_PROFILES} joint actions")
    return list(product(game.actions, repeat=n_players))


def _utility(game: Game, profile: Sequence[str], seat: int) -> float:
    value = game.payoff(profile)[seat - 1]
    return value if game.kind == "reward" else -value


def _is_best(game: Game, profile: tuple[str, ...], seat: int) -> bool:
    own = _utility(game, profile, seat)
    return all(own >= _utility(game, _moved(profile, seat, action), seat) for action in game.actions)


def _moved(profile: tuple[str, ...], seat: int, action: str) -> tuple[str, ...]:
    return (*profile[: seat - 1], action, *profile[seat:])


def _dominant(game: Game, seat: int) -> Dominance | None:
    others = [
        _moved(p, seat, game.actions[0])
        for p in _profiles(game, game.n_players)
        if p[seat - 1] == game.actions[0]
    ]
    for action in game.actions:
        margins = [
            _utility(game, _moved(p, seat, action), seat) - _utility(game, _moved(p, seat, alternative), seat)
            for p in others
            for alternative in game.actions
            if alternative != action
        ]
        if min(margins) >= 0 and max(margins) > 0:
            return Dominance(action, strict=min(margins) > 0)
    return None


_DIGITS = 9
"""Decimals to which probabilities that differ only by rounding are the same."""

_Mixture = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True)
class MixedEquilibrium:
    """A pair of mixed strategies that are best replies to one another.

    Parameters
    ----------
    first : (float, float)
        Probability of each of the game's actions, of seat 1.
    second : (float, float), of seat 2
    """

    first: tuple[float, float]
    second: tuple[float, float]

    @property
    def is_pure(self) -> bool:
        """Whether both seats play one action for sure."""
        return {*self.first, *self.second} == {0.0, 1.0}


def nash_equilibria(game: MatrixGame) -> tuple[MixedEquilibrium, ...]:
    """The Nash equilibria in pure and mixed strategies, by enumeration of supports.

    A degenerate game, in which a player is indifferent against a pure strategy, may have infinitely many:
    then its pure equilibria are listed, and the mixed ones that the enumeration meets.

    Parameters
    ----------
    game : MatrixGame

    Returns
    -------
    tuple of MixedEquilibrium
        Pure ones first, in the order of the actions.

    Raises
    ------
    MissingExtraError
        nashpy is not installed.

    References
    ----------
    Nash 1951, Annals of Mathematics 54:286; Nisan et al. 2007, Algorithmic Game Theory, algorithm 3.4.
    """
    require("nashpy")
    import nashpy

    utilities = np.asarray(game.utilities, dtype=float)
    size = float(np.abs(utilities).max()) or 1.0
    a, b = np.moveaxis(utilities / size, -1, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an even number of equilibria, as degenerate games have
        pairs = list(nashpy.Game(a, b).support_enumeration())
    equilibria = {_equilibrium(game, x, y) for x, y in pairs if np.all(np.isfinite([x, y]))}
    return tuple(sorted(equilibria, key=lambda e: (not e.is_pure, -e.first[0], -e.second[0])))


def _equilibrium(game: MatrixGame, x: _Mixture, y: _Mixture) -> MixedEquilibrium:
    """Rounded, unless that made pure actions that are no equilibrium of ones that mix a little."""
    rounded = MixedEquilibrium(_pair(x), _pair(y))
    played = tuple(game.actions[pair.index(1.0)] for pair in (rounded.first, rounded.second) if 1.0 in pair)
    if rounded.is_pure and played not in pure_equilibria(game):
        return MixedEquilibrium(*((float(pair[0]), float(pair[1])) for pair in (x, y)))
    return rounded


def _pair(values: _Mixture) -> tuple[float, float]:
    first, second = (round(float(value), _DIGITS) + 0.0 for value in values)
    return first, second


_TOLERANCE = 1e-9


def deviation_gains(game: MatrixGame) -> NDArray[np.float64]:
    """What disobeying brings, for each seat and recommended action, as rows to multiply a distribution by.

    For seat 1, action i and its alternative i', the row holds u1(i', j) - u1(i, j) at (i, j) and 0 elsewhere;
    likewise for seat 2. A joint distribution p is a correlated equilibrium where all four products are at
    most 0.

    Parameters
    ----------
    game : MatrixGame

    Returns
    -------
    (4, 4) float, utilities (penalties with their sign turned)
        Rows: seat 1 told its first, its second action, seat 2 told its first, its second. Columns: the joint
        actions in the order 11, 12, 21, 22.

    References
    ----------
    Aumann 1987, Econometrica 55:1.
    """
    u = np.asarray(game.utilities, dtype=float)
    rows = np.zeros((4, 2, 2))
    for advice in (0, 1):
        rows[advice, advice, :] = u[1 - advice, :, 0] - u[advice, :, 0]
        rows[2 + advice, :, advice] = u[:, 1 - advice, 1] - u[:, advice, 1]
    return rows.reshape(4, 4)


def deviation_gain(game: MatrixGame, joint: Any) -> NDArray[np.float64]:
    """The most that a player would have gained per round by replacing one action by the other throughout.

    0 exactly where the distribution is a correlated equilibrium. The largest of the four products of
    `deviation_gains`, and 0.

    Parameters
    ----------
    game : MatrixGame
    joint : (4,) or (n, 4) float
        Probabilities of the joint actions in the order 11, 12, 21, 22.

    Returns
    -------
    () or (n,) float, in the units of the game

    References
    ----------
    Hart & Mas-Colell 2000, Econometrica 68:1127 (the regret whose vanishing leads play there).
    """
    gains = np.asarray(joint, dtype=float) @ deviation_gains(game).T
    gain: NDArray[np.float64] = np.maximum(gains.max(axis=-1), 0.0)
    return gain


def best_correlated(game: MatrixGame) -> tuple[float, float, float, float]:
    """The correlated equilibrium with the largest sum of utilities.

    Of several, one in which the player who is worse off is best off.

    Parameters
    ----------
    game : MatrixGame

    Returns
    -------
    tuple of 4 float
        Probabilities of the joint actions in the order 11, 12, 21, 22.

    References
    ----------
    Aumann 1974, Journal of Mathematical Economics 1:67; Papadimitriou & Roughgarden 2008, Journal of the
    ACM 55:14 (the linear programme).
    """
    u = np.asarray(game.utilities, dtype=float).reshape(4, 2)
    size = float(np.abs(u).max()) or 1.0
    u, gains = u / size, deviation_gains(game) / size
    welfare = u.sum(axis=1)
    first = _solve(-welfare, gains, np.zeros(4), np.ones((1, 4)), bounds=[(0, 1)] * 4)
    # Second programme, of p and the least utility z: max z with p as good in sum, u1·p >= z, u2·p >= z.
    rows = np.zeros((7, 5))
    rows[:4, :4] = gains
    rows[4, :4] = -welfare
    rows[5:, :4], rows[5:, 4] = -u.T, 1.0
    most = np.array([0.0] * 4 + [_TOLERANCE - float(welfare @ first)] + [0.0] * 2)
    sums = np.array([[1.0, 1.0, 1.0, 1.0, 0.0]])
    goal = np.array([0.0, 0.0, 0.0, 0.0, -1.0])
    p = _solve(goal, rows, most, sums, bounds=[(0, 1)] * 4 + [(None, None)])[:4]
    weights = np.round(np.clip(p, 0, 1), 7) + 0.0
    cc, cd, dc, dd = (float(x) for x in weights / weights.sum())
    return cc, cd, dc, dd


def correlated_distance(game: MatrixGame, joint: Any) -> float:
    """Total variation distance from a distribution to the nearest correlated equilibrium.

    The least share of rounds whose joint action would have had to be another.

    Parameters
    ----------
    game : MatrixGame
    joint : (4,) float
        Probabilities of the joint actions in the order 11, 12, 21, 22.

    Returns
    -------
    float in [0, 1]
    """
    target = np.asarray(joint, dtype=float)
    gains = deviation_gains(game)
    gains = gains / (float(np.abs(gains).max()) or 1.0)
    eye = np.eye(4)
    # Variables q and d with |q - p| <= d elementwise; the distance is half the sum of d.
    rows = np.block([[gains, np.zeros((4, 4))], [eye, -eye], [-eye, -eye]])
    most = np.concatenate([np.zeros(4), target, -target])
    sums = np.array([[1.0] * 4 + [0.0] * 4])
    solution = _solve(np.array([0.0] * 4 + [0.5] * 4), rows, most, sums, bounds=[(0, 1)] * 8)
    return float(np.clip(solution[4:].sum() / 2, 0, 1)) if solution[4:].sum() > _TOLERANCE else 0.0


def _solve(
    goal: NDArray[np.float64],
    rows: NDArray[np.float64],
    most: NDArray[np.float64],
    sums: NDArray[np.float64],
    *,
    bounds: list[tuple[float | None, float | None]],
) -> NDArray[np.float64]:
    """The x that minimises goal·x with rows·x <= most and sums·x = 1."""
    from scipy.optimize import linprog

    solution = linprog(goal, A_ub=rows, b_ub=most, A_eq=sums, b_eq=[1.0], bounds=bounds, method="highs")
    assert solution.status == 0, "every game has a correlated equilibrium"
    return np.asarray(solution.x, dtype=float)


_Joint = tuple[str, ...]


def pareto_efficient(game: MatrixGame) -> tuple[_Joint, ...]:
    """Joint actions that no other joint action improves on for one player without harm to the other.

    Only what the players can choose together in one round is compared, no lotteries and no alternation.

    Parameters
    ----------
    game : MatrixGame

    Returns
    -------
    tuple of joint actions, each a tuple of labels by seat, in the order of the actions

    References
    ----------
    Poje et al. 2024, Entropy 26:524, Table 2.
    """
    profiles = list(product(game.actions, repeat=2))
    return tuple(p for p in profiles if not any(_dominates(game, q, p) for q in profiles))


def focal_point(game: MatrixGame) -> _Joint | None:
    """The pure equilibrium that both players would single out without a word, None where none stands out.

    1. The pure equilibrium that is at least as good for both players as every other one and better for one
       of them (payoff dominance); the only one, where there is one.
    2. Else, in a symmetric game, of the equilibria that no other equilibrium improves on for both, those in
       which both do the same: the one in the action that is listed first, if they all pay alike.

    Payoffs alone never tell heads from tails: that the first on a list stands out is a convention, as is
    any other answer in such a game.

    Parameters
    ----------
    game : MatrixGame

    References
    ----------
    Schelling 1960, The Strategy of Conflict, ch. 3; Harsanyi & Selten 1988, A General Theory of Equilibrium
    Selection in Games (payoff dominance).
    """
    pure = pure_equilibria(game)
    best = [p for p in pure if all(p == q or _dominates(game, p, q) for q in pure)]
    if len(best) == 1:
        return best[0]
    if not game.is_symmetric:
        return None
    alike = [p for p in pure if p[0] == p[1] and not any(_dominates(game, q, p) for q in pure)]
    return alike[0] if len({game.payoff(p) for p in alike}) == 1 else None


def _dominates(game: MatrixGame, better: _Joint, worse: _Joint) -> bool:
    """Whether no player prefers `worse` and one prefers `better`."""
    gains = [b - w for b, w in zip(_utilities(game, better), _utilities(game, worse), strict=True)]
    return min(gains) >= 0 and max(gains) > 0


def _utilities(game: MatrixGame, joint: _Joint) -> tuple[float, float]:
    i, j = (game.actions.index(action) for action in joint)
    return game.utilities[i][j]


JointAction = tuple[str, ...]
"""The actions of the seats, in their order."""

_NEVER = 1e-6
"""Probability up to which a joint action is not recommended; linear programmes are as exact."""


@dataclass(frozen=True)
class Solutions:
    """The joint actions of each kind, in the order of `joint_actions`.

    Parameters
    ----------
    nash : pure Nash equilibria
    pareto : joint actions that no other one improves on
    focal : the focal point; empty where none stands out
    correlated : joint action -> probability, of those that the best correlated equilibrium recommends
    """

    nash: tuple[JointAction, ...]
    pareto: tuple[JointAction, ...]
    focal: tuple[JointAction, ...]
    correlated: tuple[tuple[JointAction, float], ...]


def joint_actions(game: MatrixGame) -> tuple[JointAction, ...]:
    """The four joint actions: 11, 12, 21, 22, seat 1 first."""
    return tuple(product(game.actions, repeat=2))


def solutions(game: MatrixGame) -> Solutions:
    """All that takes no mixing by the players themselves.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, Table 2; `pure_equilibria`, `pareto_efficient`, `focal_point`,
    `best_correlated`.
    """
    focal = focal_point(game)
    lottery = zip(joint_actions(game), best_correlated(game), strict=True)
    return Solutions(
        tuple(pure_equilibria(game)),
        pareto_efficient(game),
        () if focal is None else (focal,),
        tuple((joint, p) for joint, p in lottery if p > _NEVER),
    )


def mixed_equilibria(game: MatrixGame) -> tuple[MixedEquilibrium, ...] | None:
    """The Nash equilibria that are not pure; None without nashpy."""
    if not installed("nashpy"):
        return None
    return tuple(e for e in nash_equilibria(game) if not e.is_pure)
