"""Pareto-efficient joint actions and the focal point of a 2x2 game."""

from __future__ import annotations

from itertools import product

from intent.games.equilibria import pure_equilibria
from intent.games.matrix import MatrixGame

__all__ = ["focal_point", "pareto_efficient"]

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
    found = pure_equilibria(game)
    best = [p for p in found if all(p == q or _dominates(game, p, q) for q in found)]
    if len(best) == 1:
        return best[0]
    if not game.is_symmetric:
        return None
    alike = [p for p in found if p[0] == p[1] and not any(_dominates(game, q, p) for q in found)]
    return alike[0] if len({game.payoff(p) for p in alike}) == 1 else None


def _dominates(game: MatrixGame, better: _Joint, worse: _Joint) -> bool:
    """Whether no player prefers `worse` and one prefers `better`."""
    gains = [b - w for b, w in zip(_utilities(game, better), _utilities(game, worse), strict=True)]
    return min(gains) >= 0 and max(gains) > 0


def _utilities(game: MatrixGame, joint: _Joint) -> tuple[float, float]:
    i, j = (game.actions.index(action) for action in joint)
    return game.utilities[i][j]
