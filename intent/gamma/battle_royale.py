"""The battle royale: players shoot in turn until one is left.

Equilibrium of the sequential N-person duel: whom to shoot at, and when to miss on purpose.

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

Profiles of shooting and missing in a cycle of duellists: chances to win, and profiles in which some mix.

`hit` (k, k) has in row i the chances to win of all k once i has hit its target; `q` (m, k) the probabilities
of each to hit in m profiles.

References
----------
Kilgour 1975, International Journal of Game Theory 4:151; Kilgour 1977, ibid. 6:209 (the infinite sequential
truel). Kilgour & Brams 1997, Mathematics Magazine 70:315. Flesch, Thuijsman & Vrieze 1997, International
Journal of Game Theory 26:303 (three players without a stationary equilibrium).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from intent.base.errors import DataError, GameError, one_line, shorten
from intent.figures.style import palette
from intent.games.game import Facts, RoundOutcome
from intent.gamma.game import (
    CHOICE,
    LONGEST,
    About,
    BenchGame,
    Events,
    GameWords,
    Moves,
    SituatedGame,
    Story,
    Teller,
    Templates,
    check_moves,
    check_whole,
    folded,
    value_text,
)
from intent.gamma.plays import Plays, Scoring, Table, mean_of, whole_or_same
from intent.gamma.saved import number, part, seat_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intent.games.game import CourseGame
    from intent.gamma.saved import Saved


__all__ = [
    "MISS",
    "MOST_SOLVED",
    "BattleRoyale",
    "Stage",
    "battle_equilibrium",
    "chances",
    "top_target",
    "top_target_play",
]


if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MIXED = 1e-9


def chances(q: Floats, hit: Floats) -> tuple[Floats, Floats]:
    """Chances to win (m, k, k), [profile, who is to shoot, who wins], and of any hit in a cycle (m,).

    Where nobody ever hits, nobody wins.
    """
    import numpy as np

    before = np.ones_like(q)
    np.cumprod(1 - q[:, :-1], axis=1, out=before[:, 1:])
    total = 1 - before[:, -1] * (1 - q[:, -1])
    wins = np.empty((*q.shape, q.shape[1]))
    wins[:, 0] = ((before * q) @ hit) / np.where(total > 0, total, 1)[:, None]
    following = wins[:, 0]
    for i in range(q.shape[1] - 1, 0, -1):
        following = q[:, i, None] * hit[i] + (1 - q[:, i, None]) * following
        wins[:, i] = following
    return wins, total


def _advantage(q: Floats, hit: Floats) -> tuple[Floats, Floats]:
    """What each gains by a hit over a miss (m, k), and the chance of any hit in a cycle (m,)."""
    import numpy as np

    wins, total = chances(q, hit)
    places = np.arange(q.shape[1])
    return hit[places, places] - np.roll(wins, -1, axis=1)[:, places, places], total


def _mixed_profile(p: Floats, hit: Floats) -> Floats | None:
    """Probabilities to shoot in an equilibrium with two or three players who mix, None without one.

    With i missing for sure, its advantage times the chance of any hit in a cycle is linear in the probability
    of every other to shoot: known at the pure profiles, it is known everywhere.
    """
    import numpy as np

    k = len(p)
    codes = np.arange(2**k)
    profiles = ((codes[:, None] >> np.arange(k)) & 1).astype(float)
    g = np.empty((2**k, k))
    for i in range(k):
        q = profiles * p
        q[:, i] = 0
        gain, total = _advantage(q, hit)
        g[:, i] = gain[:, i] * total
    for size, roots in ((2, _two), (3, _three)):
        for mixers in combinations(range(k), size):
            pure = codes[(codes & sum(1 << i for i in mixers)) == 0]
            with np.errstate(all="ignore"):
                solutions = roots(g, pure, mixers)
            for x in solutions:
                inside = ((x > 0) & (x < 1)).all(axis=1)
                tried = profiles[pure[inside]]
                tried[:, mixers] = x[inside]
                gain, _ = _advantage(tried * p, hit)
                bound = np.where(
                    tried >= 1, gain >= -_MIXED, np.where(tried <= 0, gain <= _MIXED, abs(gain) <= _MIXED)
                )
                for row in np.flatnonzero(bound.all(axis=1)):
                    chosen: Floats = tried[row]
                    return chosen
    return None


def _two(g: Floats, pure: NDArray[np.intp], mixers: tuple[int, ...]) -> list[Floats]:
    """Where each of two is indifferent: roots of a line in the probability of the other."""
    import numpy as np

    i, j = mixers
    x = g[pure, j] / (g[pure, j] - g[pure | 1 << i, j])
    y = g[pure, i] / (g[pure, i] - g[pure | 1 << j, i])
    return [np.stack([x, y], axis=1)]


def _three(g: Floats, pure: NDArray[np.intp], mixers: tuple[int, ...]) -> list[Floats]:
    """Where each of three is indifferent: x and z follow from y, which solves a quadratic."""
    import numpy as np

    def bilinear(of: int, u: int, v: int) -> tuple[Floats, Floats, Floats, Floats]:
        f, fu, fv = g[pure, of], g[pure | 1 << u, of], g[pure | 1 << v, of]
        return f, fu - f, fv - f, g[pure | 1 << u | 1 << v, of] - fu - fv + f

    first, second, third = mixers
    a1, b1, c1, d1 = bilinear(first, second, third)
    a2, b2, c2, d2 = bilinear(second, first, third)
    a3, b3, c3, d3 = bilinear(third, first, second)
    q0 = a2 * b3 * c1 - b2 * a3 * c1 - c2 * a1 * b3 + d2 * a3 * a1
    q1 = (
        a2 * (b3 * d1 + d3 * c1)
        - b2 * (a3 * d1 + c3 * c1)
        - c2 * (a1 * d3 + b1 * b3)
        + d2 * (a3 * b1 + c3 * a1)
    )
    q2 = a2 * d3 * d1 - b2 * c3 * d1 - c2 * b1 * d3 + d2 * c3 * b1
    w = -0.5 * (q1 + np.copysign(np.sqrt(q1 * q1 - 4 * q2 * q0), q1))
    return [
        np.stack([-(a3 + c3 * y) / (b3 + d3 * y), y, -(a1 + b1 * y) / (c1 + d1 * y)], axis=1)
        for y in (w / q2, q0 / w)
    ]


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
    gain, _ = _advantage(profiles * p, hit)
    stable = np.flatnonzero(np.where(profiles > 0, gain >= -_SAME, gain < -_SAME).all(axis=1))
    epsilon, mixed = 0.0, None
    if len(stable):
        best = profiles[stable[-1]]
    else:
        mixed = _mixed_profile(p, hit)
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


MISS = "miss"
"""The action of a miss on purpose."""

MOST_PLAYERS = 50
_NAMES = "player|seat|p|joueur|joueuse|người chơi|người|玩家|اللاعب|لاعب"
_TARGET = re.compile(rf"(?:#|(?:{_NAMES})[ _#.:-]{{0,3}})?(\d{{1,6}})(?:\.0)?")
_MISSES = frozenset(
    {MISS, "null", "none", "-1", "nobody", "no one", "intentionally miss", "intentional miss"}
)


@dataclass(frozen=True)
class BattleRoyale(SituatedGame):
    """In each round the next of the living shoots at another, or misses on purpose; who is left alone wins 1.

    Seats shoot in order, from the lowest hit rate to the highest, and again from the first; after a shot the
    turn goes to the next seat that is alive. The match ends with one survivor, or when the rounds are used up
    and nobody wins. A hit is drawn with one number from the generator of the match a round, also of a miss on
    purpose.

    Parameters
    ----------
    n_players : int, 2 to 50
    lowest : int
        Hit rate of seat 1, in per cent.
    interval : int
        By how much the hit rate rises from seat to seat; no rate leaves 0 to 100.

    Raises
    ------
    GameError
        Parameters that make no game.

    References
    ----------
    Kilgour 1975, 1977; Kilgour & Brams 1997 (see `intent.gamma.battle_royale`, which computes the
    equilibrium). It takes the rounds for unlimited, as prompts do not say how many there are.
    """

    lowest: int = 35
    interval: int = 5

    name: ClassVar[str] = "battle_royale"
    answer_key: ClassVar[str] = "target"
    open: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_whole(self.name, "n_players", self.n_players, 2, MOST_PLAYERS)
        check_whole(self.name, "lowest", self.lowest, 0, 100)
        check_whole(self.name, "interval", self.interval, 0, 100)
        if self.rates[-1] > 100:
            raise GameError(
                f"{self.name}: hit rates from {self.lowest} by {self.interval} to {self.rates[-1]}, "
                "expected 0 to 100 per cent"
            )

    @property
    def rates(self) -> tuple[int, ...]:
        """Hit rates by seat, in per cent."""
        return tuple(self.lowest + self.interval * i for i in range(self.n_players))

    def course(self, rng: np.random.Generator) -> BattleCourse:
        """A new match."""
        return BattleCourse(self, rng)

    def facts(self) -> Facts:
        """rates."""
        return {"rates": self.rates}

    def settings(self) -> dict[str, object]:
        """The lowest and the highest hit rate."""
        return {"rates": f"{self.rates[0]}/{self.rates[-1]}"}

    def read(self, value: object, seat: int, question: Facts) -> str:
        """The seat of a living other player, or ``miss``.

        ``"player_3"``, ``"3"`` and 3 are seat 3; null, ``"none"``, ``"miss"`` and -1 a miss on purpose. Of a
        whole object {"action", "target"} the action ``"miss"`` is a miss whatever the target says;
        GAMA-Bench's code shoots at the target then.
        """
        if isinstance(value, Mapping):
            missed = isinstance(value.get("action"), str) and folded(str(value["action"])) in _MISSES
            value = None if missed else value.get("target", "")
        targets = [str(s) for s in _alive(question) if s != seat]
        target = _target(value)
        if target == MISS or target in targets:
            return str(target)
        if target == str(seat):
            problem = "is yourself"
        elif target is not None and target.isdigit() and 1 <= int(target) <= self.n_players:
            problem = "is no longer in the game"
        else:
            problem = "is no player"
        raise GameError(
            f"target {one_line(value, LONGEST)!r} {problem}, expected one of {', '.join(targets)}, "
            "or null for a miss on purpose"
        )

    def legal(self, seat: int, question: Facts) -> tuple[str, ...] | None:
        """The others who are alive, and ``miss``."""
        return (*(str(s) for s in _alive(question) if s != seat), MISS)

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """The stationary equilibrium; among more than 12 living players the top target."""
        alive = _alive(question)
        stage, place = self.stage(alive), alive.index(seat)
        chance = stage.shoots[place]
        shot = rng.random() < chance if 0 < chance < 1 else chance > 0
        return str(alive[stage.targets[place]]) if shot else MISS

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """As `equilibrium`: only one player moves in a round, so that there is nothing to reply to."""
        return self.equilibrium(seat, question, rng)

    def gains(self, seat: int, others: Moves, question: Facts, actions: tuple[str, ...]) -> tuple[float, ...]:
        """The chance of being the sole survivor in the end, with `equilibrium` from the next round on."""
        alive = _alive(question)
        place, rate = alive.index(seat), self.rates[seat - 1] / 100
        missed = self.stage(alive).wins[(place + 1) % len(alive)][place]
        gains = []
        for action in actions:
            hit = missed
            if action != MISS:
                left = tuple(s for s in alive if s != int(action))
                following = next((s for s in left if s > seat), left[0])
                hit = self.stage(left).wins[left.index(following)][left.index(seat)]
            gains.append(rate * hit + (1 - rate) * missed)
        return tuple(gains)

    def best(self, seat: int, others: Moves, question: Facts) -> tuple[str, float]:
        """The target with the largest gain, or a miss; of equal ones as `equilibrium` prefers."""
        actions = self.legal(seat, question) or (MISS,)
        gains = self.gains(seat, others, question, actions)
        rank = {str(s): (self.rates[s - 1], s) for s in _alive(question)} | {MISS: (-1, 0)}
        i = max(range(len(actions)), key=lambda j: (round(gains[j], 12), rank[actions[j]]))
        return actions[i], gains[i]

    def stage(self, alive: tuple[int, ...]) -> Stage:
        """Equilibrium among the living seats, chances to win included (`battle_theory.Stage`)."""
        rates = tuple(rate / 100 for rate in self.rates)
        if self.n_players <= MOST_SOLVED:
            return battle_equilibrium(rates)[tuple(s - 1 for s in alive)]
        living = tuple(rates[s - 1] for s in alive)
        if len(alive) > MOST_SOLVED:
            return top_target_play(living)
        return battle_equilibrium(living)[tuple(range(len(alive)))]


class BattleCourse:
    """A battle in progress; the generator draws the hits."""

    def __init__(self, game: BattleRoyale, rng: np.random.Generator) -> None:
        self._game, self._rng = game, rng
        self._alive = tuple(range(1, game.n_players + 1))
        self._shooter = 1

    @property
    def over(self) -> bool:
        """Whether one is left."""
        return len(self._alive) == 1

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """The next shooter alone."""
        return () if self.over else ((self._shooter,),)

    def question(self, seat: int, earlier: Moves) -> Facts:
        """Who is alive, with hit rates, and the own place and hit rate."""
        rates = self._game.rates
        return {
            "alive": self._alive,
            "rates": tuple(rates[s - 1] for s in self._alive),
            "rank": self._alive.index(seat) + 1,
            "hit_rate": rates[seat - 1],
        }

    def complete(self, actions: Moves) -> RoundOutcome:
        """Take the shot."""
        if self.over:
            raise GameError("battle_royale: a move after the last round, expected none")
        check_moves(self._game.name, actions, (self._shooter,))
        shooter, action = self._shooter, actions[self._shooter]
        luck = 100 * self._rng.random()
        target = None if action in (None, MISS) else int(action or 0)
        hit = None if target is None else luck < self._game.rates[shooter - 1]
        if hit:
            self._alive = tuple(s for s in self._alive if s != target)
        self._shooter = next((s for s in self._alive if s > shooter), self._alive[0])
        report: dict[str, object] = {"shooter": shooter, "target": target, "hit": hit, "left": self._alive}
        pays: dict[int, float] = {self._alive[0]: 1.0} if self.over else {}
        return RoundOutcome(
            payoffs=tuple(
                None if s == shooter and action is None else pays.get(s, 0.0)
                for s in range(1, self._game.n_players + 1)
            ),
            values={shooter: None if hit is None else float(hit)},
            reports={s: {**report, "own": action} if s == shooter else report for s in self._alive},
        )


def _alive(question: Facts) -> tuple[int, ...]:
    alive = question.get("alive")
    if not isinstance(alive, tuple):
        raise GameError("battle_royale: a request without the living, expected what the course asks")
    return alive


def _target(value: object) -> str | None:
    """A seat as text, ``miss``, or None of what is neither."""
    if value is None:
        return MISS
    if isinstance(value, float) and value.is_integer():
        value = int(value) if abs(value) < 10**6 else None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**6 else None
    if not isinstance(value, str):
        return None
    text = folded(value)
    match = _TARGET.fullmatch(text)
    return MISS if text in _MISSES else str(int(match[1])) if match else None


@dataclass(frozen=True)
class Shot:
    """One round of battle royale.

    Parameters
    ----------
    shooter : int, seat from 1
    rates : tuple of (seat, hit rate)
        Everybody alive before the shot.
    target : int or None
        Seat; None of a miss on purpose, and of a target that is nobody at the table.
    hit : bool or None
        None where the source does not say; no score depends on it.
    """

    shooter: int
    rates: tuple[tuple[int, float], ...]
    target: int | None
    hit: bool | None = None


@dataclass(frozen=True, kw_only=True)
class BattlePlays(Plays):
    """Who shot at whom.

    Parameters
    ----------
    span : tuple of float
        Lowest and highest hit rate at the start, per cent.
    shots : tuple of Shot
    """

    game = "battle_royale"
    by_round = "shots"
    settings = (("span", "rates", (35, 80)),)

    span: tuple[float, float] = (35, 80)
    shots: tuple[Shot, ...]

    @classmethod
    def from_table(cls, game: BattleRoyale, table: Table) -> dict[str, Any]:
        """A missing move is a miss on purpose."""
        rates = dict(enumerate(game.rates, start=1))
        alive, shots = dict(rates), []
        for i, (played, hits) in enumerate(zip(table.rounds, table.hits, strict=True), start=1):
            if len(played) != 1 or not set(played) <= set(alive):
                raise DataError(f"round {i}: seats {sorted(played)} shot, expected one that is alive")
            ((shooter, action),) = played.items()
            target = None if action in (None, MISS) else table.whole(i, shooter, action)
            aimed = int(target) if target is not None and target in alive else None
            hit = aimed is not None and hits.get(shooter) == 1
            shots.append(Shot(shooter, tuple(alive.items()), aimed, hit))
            if aimed is not None and hit:
                del alive[aimed]
        return {"span": (min(rates.values()), max(rates.values())), "shots": tuple(shots)}

    def moves(self) -> Iterator[tuple[int, int, int, str, float | None]]:
        """Each shot at its target's seat, 1 as the value of a hit that is known."""
        for i, shot in enumerate(self.shots, start=1):
            target = MISS if shot.target is None else str(shot.target)
            yield i, 1, shot.shooter, target, None if shot.hit is None else float(shot.hit)

    @property
    def over(self) -> bool:
        """Whether one is left."""
        return bool(self.shots) and self.shots[-1].hit is True and len(self.shots[-1].rates) == 2

    def rules(self) -> dict[str, Any]:
        """Hit rates that rise evenly from the lowest."""
        lowest, highest = self.span
        interval = (highest - lowest) / max(self.n_players - 1, 1)
        return {"lowest": whole_or_same(lowest), "interval": whole_or_same(interval)}

    def payoffs(self, stage: BattleRoyale) -> Iterator[float | None]:
        """1 for the shot that leaves the shooter alone."""
        yield from (float(shot.hit is True and len(shot.rates) == 2) for shot in self.shots)

    def score(self, scoring: Scoring = "code") -> float:
        """Share of the shots, misses on purpose included, that aim at the best of the others.

        The best has the highest hit rate of those alive, the shooter left out (any of several that tie). The
        paper divides by N k, players times rounds, which its own numbers do not.
        """
        share = 100 * mean_of([float(_aims_at_best(shot)) for shot in self.shots])
        return share if scoring == "code" else share / self.n_players


def _aims_at_best(shot: Shot) -> bool:
    others = {seat: rate for seat, rate in shot.rates if seat != shot.shooter}
    return shot.target in others and others[shot.target] == max(others.values())


_NOBODY = (None, "", "-1", "null", "none", "nobody", "no one", "miss")
"""Targets of saved files that are a miss on purpose, whatever ``action`` says: upstream reads the target."""


def _saved(saved: Saved) -> dict[str, Any]:
    """A round is a shot, so that the divisor is the number of rounds (``round_id`` - 1).

    Players are matched by their number, not by a piece of their name: 1 is a piece of ``player_10`` too.
    ``removed_player_info`` is the final list in every round, and ignored.
    """
    shots = tuple(_saved_shot(saved, record, f"round {i}") for i, record in enumerate(saved.records, start=1))
    shots = tuple(_with_hit(*each) for each in zip(shots, saved.records, (*shots[1:], None), strict=True))
    if "base_hit_rate" in saved.meta:
        lowest = saved.parameter("base_hit_rate", 35, high=100)
        step = saved.parameter("interval", 5, high=100)
        return {"span": (lowest, lowest + step * (saved.n_players - 1)), "shots": shots}
    rates = [rate for _, rate in shots[0].rates] if shots else [35.0, 80.0]
    return {"span": (min(rates), max(rates)), "shots": shots}


def _with_hit(shot: Shot, record: Mapping[str, Any], following: Shot | None) -> Shot:
    """A shot that hit if its record says so, or if its target is not alive in the next round."""
    out = record.get("out")
    if shot.target is None:
        return shot
    if not isinstance(out, bool) and following is not None:
        out = shot.target not in dict(following.rates)
    return replace(shot, hit=out) if isinstance(out, bool) else shot


def _saved_shot(saved: Saved, record: Mapping[str, Any], at: str) -> Shot:
    """One shot, with who was alive before it."""
    rates: dict[int, float] = {}
    for entry in part(record, "initial_players", list, at):
        pair = entry if isinstance(entry, list) and len(entry) == 2 else [None, None]
        seat = seat_of(pair[0])
        if seat is None or seat > saved.n_players or seat in rates:
            expected = f"a list of different players of {saved.n_players} with their hit rates"
            raise DataError(f"{at}: initial_players has {shorten(repr(entry), 40)}, expected {expected}")
        rates[seat] = number(pair[1], f"hit rate of {pair[0]}", at, high=100)
    if len(rates) < 2:
        raise DataError(f"{at}: initial_players has {len(rates)}, expected two or more")
    shooter = seat_of(record.get("player_shooting"))
    if shooter not in rates:
        got = shorten(repr(record.get("player_shooting")), 40)
        raise DataError(f"{at}: player_shooting is {got}, expected one of the players alive")
    target = record.get("shot_player")
    if isinstance(target, bool | float | list | dict):
        got = shorten(repr(target), 40)
        raise DataError(f"{at}: shot_player is {got}, expected a player's number, or null")
    word = target.strip().lower() if isinstance(target, str) else target
    aimed = None if word in _NOBODY else seat_of(word)
    return Shot(shooter, tuple(rates.items()), aimed if aimed in rates else None)


_PLACE = ("name", "rates", "hit_rate", "rank")

_QUOTED = re.compile(r'"([^"]+)"')


class _Words(GameWords):
    pieces: ClassVar = {
        "rules": _PLACE,
        "hit": ("shooter", "target", "left", CHOICE),
        "missed": ("shooter", "target", "left", CHOICE),
        "on_purpose": ("shooter", "left", CHOICE),
        "request": _PLACE,
    }
    plain: ClassVar = {"form": (), "action": ()}
    length_known = False

    def fields(self, t: Teller, question: Facts) -> dict[str, str]:
        """Whether to shoot, where the text has the words for it (``action``), and at whom."""
        actions = {"action": t.say("action")} if t.has("action") else {}
        return {**actions, **super().fields(t, question)}

    def answer(self, t: Teller, action: str, facts: Facts) -> dict[str, object]:
        """As the object that is asked for: the first word of ``action`` is a shot, the second a miss."""
        words = _QUOTED.findall(t.say("action")) if t.has("action") else []
        actions = {"action": words[action == MISS]} if len(words) > 1 else {}
        return {**actions, **super().answer(t, action, facts)}

    def rules(self, t: Teller) -> list[str]:
        rates: Any = t.game.facts()["rates"]
        order = range(1, len(rates) + 1)
        return [t.say("rules", **self._place(t, order, rates, t.seat, rates[t.seat - 1]))]

    def request(self, t: Teller, question: Facts) -> list[str]:
        place: Any = [question[name] for name in ("alive", "rates", "rank", "hit_rate")]
        return [t.say("request", **self._place(t, *place))]

    def report(self, t: Teller, facts: Facts) -> list[str]:
        left: Any = facts["left"]
        alive = left if isinstance(left, int) else len(left)
        shooter = t.name(facts["shooter"])
        if facts.get("own", shooter) is None:
            return []
        if facts["target"] is None:
            return [t.say("on_purpose", shooter=shooter, left=alive)]
        piece = "hit" if facts["hit"] else "missed"
        return [t.say(piece, shooter=shooter, target=t.name(facts["target"]), left=alive)]

    def had_a_move(self, seat: int, facts: Facts) -> bool:
        return facts["shooter"] == seat

    def _place(
        self, t: Teller, seats: Sequence[int], rates: Sequence[float], rank: int, hit_rate: float
    ) -> dict[str, object]:
        """The shooting order, and one's own place in it."""
        lines = t.lines("rate_line", seats, rate=rates)
        return {"name": t.name(t.seat), "rates": lines, "rank": rank, "hit_rate": value_text(hit_rate)}


class _Templates(Templates):
    folder = "battle_royale"
    inputs: ClassVar = {
        "description": ("n_players", "players", "name", "hit_rate", "rank", "role"),
        "report": ("round", "shooter", "result", "left"),
        "report2": ("round", "action", "target", "own_result", "left"),
        "request": ("round", "players", "name", "hit_rate", "rank", "format"),
    }
    window = 19

    def rule_facts(self, game: CourseGame, seat: int, names: Sequence[str]) -> Facts:
        rates: Any = game.facts()["rates"]
        return {"players": _players(names, range(1, len(rates) + 1), rates), "hit_rate": rates[seat - 1]}

    def request_facts(self, game: CourseGame, names: Sequence[str], question: Facts) -> Facts:
        alive: Any = question["alive"]
        rates: Any = question["rates"]
        return {"players": _players(names, alive, rates)}

    def report_facts(self, game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> Facts:
        shooter, target, left = facts["shooter"], facts["target"], facts["left"]
        shot = "missed on purpose."
        aimed = "null"
        if isinstance(target, int):
            aimed = names[target - 1]
            shot = f"shot at {aimed} and " + (f"hit; {aimed} is out." if facts["hit"] else "missed.")
        return {
            "shooter": names[int(str(shooter)) - 1],
            "target": aimed,
            "action": "miss" if target is None else "shoot",
            "result": shot,
            "own_result": f"You {shot}",
            "left": left if isinstance(left, int) else len(tuple(left)),  # type: ignore[arg-type]
        }

    def fields(self, game: CourseGame, question: Facts) -> dict[str, object]:
        return {"action": "shoot_or_miss", **super().fields(game, question)}

    def answer(self, game: CourseGame, question: Facts) -> object:
        return "playerID_or_null"

    def report_name(self, seat: int, facts: Facts) -> str:
        return "report2" if facts["shooter"] == seat else "report"

    def parts(self, template: str) -> int:
        return 3 if template == "report2" else 1


def _players(names: Sequence[str], seats: Sequence[int], rates: Sequence[float]) -> str:
    return json.dumps(
        {names[s - 1]: f"{value_text(rate)}%" for s, rate in zip(seats, rates, strict=True)},
        ensure_ascii=False,
    )


_MISSED = "#7A7A7A"


def _tones() -> tuple[str, str]:
    """Colours of a hit, and of a miss on purpose."""
    hit, _, _, purpose = palette(4)
    return hit, purpose


def _draw(ax: Axes, run: BattlePlays) -> None:
    """A row per player while alive, an arrow from the shooter to the target of each shot."""
    from matplotlib.ticker import MaxNLocator

    hit_tone, purpose = _tones()
    rates = dict(run.shots[0].rates) if run.shots else {}
    last = len(run.shots)
    bar: dict[str, Any] = {"color": "#8E8E8E", "linewidth": 2.5, "solid_capstyle": "butt", "zorder": 0}
    for seat in rates:
        lived = [n for n, shot in enumerate(run.shots, start=1) if seat in dict(shot.rates)]
        ax.plot([0.5, max(lived) + 0.5], [seat, seat], **bar)
    for n, shot in enumerate(run.shots, start=1):
        if shot.target is None:
            ax.plot(n, shot.shooter, "o", color=purpose, markersize=5)
            continue
        after = dict(run.shots[n].rates) if n < last else {shot.target: 0.0}
        hit = shot.target not in after if shot.hit is None else shot.hit
        how: dict[str, Any] = {"arrowstyle": "->", "color": hit_tone if hit else _MISSED, "linewidth": 1.4}
        ax.annotate("", xy=(n, shot.target), xytext=(n, shot.shooter), arrowprops=how)
    ax.set_yticks(list(rates), [f"{seat} ({rate:g})" for seat, rate in rates.items()])
    ax.set_xlim(0.4, last + 0.6)
    ax.set_ylim(0.4, max(rates, default=1) + 0.6)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))


def _legend() -> list[Any]:
    from matplotlib.lines import Line2D

    hit, purpose = _tones()
    return [
        Line2D([], [], color=hit, marker=">", linewidth=1.4, label="hit"),
        Line2D([], [], color=_MISSED, marker=">", linewidth=1.4, label="missed"),
        Line2D([], [], color=purpose, marker="o", linewidth=0, label="missed on purpose"),
    ]


BENCH = BenchGame(
    "sequential",
    "Battle Royale",
    About(
        "Battle royale",
        "The players shoot in turn, the worst shot first, at whom they like or at nobody; who is "
        "left alone wins.",
        "stationary, computed from the last two back; may miss on purpose",
        "Kilgour 1975, International Journal of Game Theory 4:151; Kilgour & Brams 1997, "
        "Mathematics Magazine 70:315",
    ),
    BattlePlays,
    _Words(),
    _Templates(),
    Story("tag", (("target", "aim"),)),
    Events(
        "Arrows: from the shooter to the target; grey bars: who is alive.",
        *(4.0, 2.9, 34),
        *("shot", "player (hit rate in %)"),
        *(_draw, _legend),
    ),
    _saved,
    (("base_hit_rate",), ("player_shooting",)),
    missing="a miss on purpose",
    discrepancy="the paper divides by players times rounds, the code by rounds",
    spellings={"target": ("target_player", "player", "shoot")},
    short_names=("battle",),
    sweeps=("h",),
    settings=tuple({"lowest": low, "interval": step} for low, step in ((51, 1), (35, 5), (10, 10))),
    matches=20,
    most_moves=lambda rounds, seats: rounds if seats else 0,
)
