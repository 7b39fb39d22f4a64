"""The battle royale: players shoot in turn until one is left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from intent.errors import GameError, one_line
from intent.games.course import Facts, RoundOutcome
from intent.games.gamma.answers import LONGEST, folded
from intent.games.gamma.base import check_moves
from intent.games.gamma.battle_theory import MOST_SOLVED, Stage, battle_equilibrium, top_target_play
from intent.games.gamma.parameters import check_whole
from intent.games.gamma.situated import SituatedGame

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MISS", "BattleRoyale"]

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
    Kilgour 1975, 1977; Kilgour & Brams 1997 (see `intent.games.gamma.battle_theory`, which computes the
    equilibrium). It takes the rounds for unlimited, as prompts do not say how many there are.
    """

    lowest: int = 35
    interval: int = 5

    name: ClassVar[str] = "battle_royale"
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

    def key(self, asked: Facts) -> str:
        """``target``."""
        return "target"

    def read(self, value: object, seat: int, asked: Facts) -> str:
        """The seat of a living other player, or ``miss``.

        ``"player_3"``, ``"3"`` and 3 are seat 3; null, ``"none"``, ``"miss"`` and -1 a miss on purpose. Of a
        whole object {"action", "target"} the action ``"miss"`` is a miss whatever the target says;
        GAMA-Bench's code shoots at the target then.
        """
        if isinstance(value, Mapping):
            missed = isinstance(value.get("action"), str) and folded(str(value["action"])) in _MISSES
            value = None if missed else value.get("target", "")
        targets = [str(s) for s in _alive(asked) if s != seat]
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

    def legal(self, seat: int, asked: Facts) -> tuple[str, ...] | None:
        """The others who are alive, and ``miss``."""
        return (*(str(s) for s in _alive(asked) if s != seat), MISS)

    def equilibrium(self, seat: int, asked: Facts, rng: np.random.Generator) -> str:
        """The stationary equilibrium; among more than 12 living players the top target."""
        alive = _alive(asked)
        stage, place = self.stage(alive), alive.index(seat)
        chance = stage.shoots[place]
        shot = rng.random() < chance if 0 < chance < 1 else chance > 0
        return str(alive[stage.targets[place]]) if shot else MISS

    def best_reply(self, seat: int, told: Facts | None, asked: Facts, rng: np.random.Generator) -> str:
        """As `equilibrium`: only one player moves in a round, so that there is nothing to reply to."""
        return self.equilibrium(seat, asked, rng)

    def gains(
        self, seat: int, others: Mapping[int, str | None], asked: Facts, actions: tuple[str, ...]
    ) -> tuple[float, ...]:
        """The chance of being the sole survivor in the end, with `equilibrium` from the next round on."""
        alive = _alive(asked)
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

    def best(self, seat: int, others: Mapping[int, str | None], asked: Facts) -> tuple[str, float]:
        """The target with the largest gain, or a miss; of equal ones as `equilibrium` prefers."""
        actions = self.legal(seat, asked) or (MISS,)
        gains = self.gains(seat, others, asked, actions)
        rank = {str(s): (self.rates[s - 1], s) for s in _alive(asked)} | {MISS: (-1, 0)}
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
    """A battle in progress.

    Parameters
    ----------
    game : BattleRoyale
    rng : numpy Generator
        Draws the hits.
    """

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

    def asked(self, seat: int, earlier: Mapping[int, str | None]) -> Facts:
        """Who is alive, with hit rates, and the own place and hit rate."""
        rates = self._game.rates
        return {
            "alive": self._alive,
            "rates": tuple(rates[s - 1] for s in self._alive),
            "rank": self._alive.index(seat) + 1,
            "hit_rate": rates[seat - 1],
        }

    def complete(self, actions: Mapping[int, str | None]) -> RoundOutcome:
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
        told: dict[str, object] = {"shooter": shooter, "target": target, "hit": hit, "left": self._alive}
        pays: dict[int, float] = {self._alive[0]: 1.0} if self.over else {}
        return RoundOutcome(
            payoffs=tuple(
                None if s == shooter and action is None else pays.get(s, 0.0)
                for s in range(1, self._game.n_players + 1)
            ),
            values={shooter: None if hit is None else float(hit)},
            told={s: {**told, "own": action} if s == shooter else told for s in self._alive},
        )


def _alive(asked: Facts) -> tuple[int, ...]:
    alive = asked.get("alive")
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
