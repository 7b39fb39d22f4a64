"""What theory singles out in a 2x2 game: equilibria, efficient joint actions, the focal point."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from intent.errors import MissingExtraError
from intent.games.correlated import best_correlated
from intent.games.equilibria import pure_equilibria
from intent.games.focal import focal_point, pareto_efficient
from intent.games.matrix import MatrixGame
from intent.games.mixed_equilibria import MixedEquilibrium, nash_equilibria

__all__ = ["JointAction", "Solutions", "joint_actions", "mixed_equilibria", "solutions"]

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
    try:
        return tuple(e for e in nash_equilibria(game) if not e.is_pure)
    except MissingExtraError:
        return None
