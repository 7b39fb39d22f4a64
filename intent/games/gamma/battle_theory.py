"""Equilibrium of the sequential N-person duel: whom to shoot at, and when to miss on purpose.

Survivors shoot in turn, in a fixed cycle, until one is left, who wins 1. Strategies are stationary: they
depend on who is alive and who is to shoot. Write W(S, i) for the chances of all players to win when S are
alive and i is to shoot. Given W of all smaller sets:

1. Whom i shoots at if it shoots is settled by the smaller sets alone: the j with the largest own chance H(i)
   in W(S without j, next after i). What is left is one choice per player, to shoot or to miss.
2. Shooting is better where H(i) > V(i), the own chance when the next in S shoots. All 2^k pure profiles of a
   set of k are tried at once; in each, W is a geometric series over the cycle.
3. Some sets have no pure equilibrium. There two or three players mix: with i missing for sure, H(i) - V(i)
   times the chance that anybody is hit in a cycle is linear in the probability of every other player to
   shoot, so that the conditions of indifference are solved in closed form (a line for two, a quadratic for
   three).
4. Where neither yields an equilibrium (there need not be one in stationary strategies), the pure profile is
   taken in which the most that a player gains by one deviation, `epsilon`, is smallest.

References
----------
Kilgour 1975, International Journal of Game Theory 4:151; Kilgour 1977, ibid. 6:209 (the infinite sequential
truel). Kilgour & Brams 1997, Mathematics Magazine 70:315. Flesch, Thuijsman & Vrieze 1997, International
Journal of Game Theory 26:303 (three players without a stationary equilibrium).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from intent.games.gamma.battle_profiles import advantage, chances, mixed_profile

__all__ = ["MOST_SOLVED", "Stage", "battle_equilibrium", "top_target", "top_target_play"]

MOST_SOLVED = 12
"""Players for whom the equilibrium is computed: 3^12 profiles, about a second; ten take a fifth of one."""

_SAME = 1e-12


@dataclass(frozen=True)
class Stage:
    """Equilibrium play among those who are alive. Places count the living in shooting order, from 0.

    Parameters
    ----------
    targets : tuple of int, by place of the shooter
        Place of the player to shoot at.
    shoots : tuple of float, by place of the shooter
        Probability of shooting, else of a miss on purpose.
    wins : tuple of tuples of float
        ``wins[i][j]``: chance of place j to win when place i is to shoot.
    epsilon : float
        The most that any of them gains by one deviation; 0 in an equilibrium.
    """

    targets: tuple[int, ...]
    shoots: tuple[float, ...]
    wins: tuple[tuple[float, ...], ...]
    epsilon: float = 0.0


def top_target(alive: Sequence[int], rates: Sequence[float], seat: int) -> int:
    """The seat with the highest hit rate among the others, of equal ones the last: GAMA-Bench's right answer.

    Parameters
    ----------
    alive : sequence of int
        Seats in shooting order.
    rates : sequence of float
        Of these.
    seat : int
        Who asks.

    Examples
    --------
    >>> top_target([1, 4, 9], [35, 50, 75], 1), top_target([1, 4, 9], [35, 50, 75], 9)
    (9, 4)
    """
    others = [(rate, place, s) for place, (s, rate) in enumerate(zip(alive, rates, strict=True)) if s != seat]
    return max(others)[2]


@lru_cache(maxsize=64)
def battle_equilibrium(rates: tuple[float, ...]) -> dict[tuple[int, ...], Stage]:
    """The equilibrium of all sets of living players.

    Of targets that are equally good, the one with the highest hit rate is shot at, of these the last; who
    gains nothing by missing shoots.

    Parameters
    ----------
    rates : tuple of float in [0, 1], at most 12
        Hit rates in shooting order.

    Returns
    -------
    dict of tuple of int -> Stage
        By the places of the living in `rates`, from 0, in order. Do not change it.

    Examples
    --------
    Of three who hit with 1/3, 2/3 and 1, the first does best to miss.

    >>> battle_equilibrium((1 / 3, 2 / 3, 1.0))[0, 1, 2].shoots
    (0.0, 1.0, 1.0)
    """
    n = len(rates)
    stages: dict[tuple[int, ...], Stage] = {(i,): Stage((0,), (0.0,), ((1.0,),)) for i in range(n)}
    for k in range(2, n + 1):
        for alive in combinations(range(n), k):
            stages[alive] = _solved(rates, alive, stages)
    return stages


def _solved(rates: Sequence[float], alive: tuple[int, ...], stages: dict[tuple[int, ...], Stage]) -> Stage:
    import numpy as np

    k = len(alive)
    targets, hit = [], np.zeros((k, k))
    for place in range(k):
        after = {j: _after_hit(alive, place, j, stages) for j in range(k) if j != place}
        target = max(after, key=lambda j: (round(after[j][place], 12), rates[alive[j]], j))
        targets.append(target)
        hit[place] = after[target]
    p = np.array([rates[i] for i in alive])
    profiles = ((np.arange(2**k)[:, None] >> np.arange(k)) & 1).astype(float)
    gain, _ = advantage(profiles * p, hit)
    stable = np.flatnonzero(np.where(profiles > 0, gain >= -_SAME, gain < -_SAME).all(axis=1))
    epsilon, mixed = 0.0, None
    if len(stable):
        best = profiles[stable[-1]]
    else:
        mixed = mixed_profile(p, hit)
        loss = (np.where(profiles > 0, -gain, gain).clip(0) * p).max(axis=1)
        epsilon = float(loss.min()) if mixed is None else 0.0
        best = profiles[loss.argmin()] if mixed is None else mixed
    wins, _ = chances((best * p)[None], hit)
    return Stage(tuple(targets), tuple(best.tolist()), tuple(map(tuple, wins[0].tolist())), epsilon)


def _after_hit(
    alive: tuple[int, ...], shooter: int, target: int, stages: dict[tuple[int, ...], Stage]
) -> list[float]:
    """Chances by place in `alive` after the hit, the next of the survivors being to shoot."""
    left = alive[:target] + alive[target + 1 :]
    turn = (shooter + (shooter < target)) % len(left)
    wins = stages[left].wins[turn]
    return [*wins[:target], 0.0, *wins[target:]]


@lru_cache(maxsize=1024)
def top_target_play(rates: tuple[float, ...]) -> Stage:
    """Play in which everybody shoots at the top target: what stands for the equilibrium of larger groups.

    Parameters
    ----------
    rates : tuple of float in [0, 1]
        Of the living, in shooting order.
    """
    import numpy as np

    k = len(rates)
    if k == 1:
        return Stage((0,), (0.0,), ((1.0,),))
    targets, hit = [], np.zeros((k, k))
    for place in range(k):
        target = top_target(range(k), rates, place)
        wins = top_target_play(rates[:target] + rates[target + 1 :]).wins[
            (place + (place < target)) % (k - 1)
        ]
        targets.append(target)
        hit[place] = [*wins[:target], 0.0, *wins[target:]]
    wins_here, _ = chances(np.array([rates]), hit)
    return Stage(tuple(targets), (1.0,) * k, tuple(map(tuple, wins_here[0].tolist())))
