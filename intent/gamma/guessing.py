"""Guess a ratio of the average: who is closest to it wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from intent.base.errors import GameError
from intent.games.game import Facts, RoundOutcome
from intent.gamma.game import (
    SimultaneousGame,
    by_seat,
    check_players,
    check_whole,
    exact,
    plain,
    whole_number,
    whole_range,
)

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Guessing", "winning_number"]

MOST_RATIO = 1000


def winning_number(numbers: Sequence[int], ratio: Fraction) -> int:
    """The number that is closest to `ratio` times the mean; of two at the same distance the one named first.

    Parameters
    ----------
    numbers : sequence of int, in the order of seats, at least one
    ratio : Fraction

    Examples
    --------
    >>> winning_number([100, 0, 50], Fraction(2, 3))
    50
    """
    scale, target = len(numbers) * ratio.denominator, sum(numbers) * ratio.numerator
    return min(numbers, key=lambda x: abs(x * scale - target))


@dataclass(frozen=True)
class Guessing(SimultaneousGame):
    """Each player names a whole number; those whose number is the winning one get 1, the others 0.

    The winning number is the one closest to ratio · mean of all numbers (exactly, without rounding). Of two
    numbers at the same distance on both sides of the target, only the one that the lower seat named wins: the
    rule of GAMA-Bench's code, where the paper is silent. All who named the winning number win in full.

    Parameters
    ----------
    n_players : int, 2 to 1000
    low, high : int
        The range, both ends included.
    ratio : str, int or float
        Kept as text, as prompts tell it: ``"2/3"``, ``"1"``, ``".5"``.

    Raises
    ------
    GameError
        Parameters that make no game.

    References
    ----------
    Ledoux 1981, Jeux et Stratégie 10:10. Nagel 1995, American Economic Review 85:1313: for a ratio below 1,
    repeated elimination of dominated numbers leads to the lowest; above 1 the highest is the stable
    equilibrium; at 1 every common number is one, of which we take the middle, where the score of Huang et al.
    2024 (arXiv:2403.11807, eq. 1) is best. As the prize is not divided, nobody can gain by leaving a common
    number alone, whatever it is.
    """

    low: int = 0
    high: int = 100
    ratio: str = "2/3"

    name: ClassVar[str] = "guessing"

    def __post_init__(self) -> None:
        check_players(self.name, self.n_players)
        check_whole(self.name, "low", self.low, 0)
        check_whole(self.name, "high", self.high, 0)
        if self.low >= self.high:
            raise GameError(f"{self.name}: low {self.low} and high {self.high}, expected low below high")
        exact(self.name, "ratio", self.ratio, MOST_RATIO)
        object.__setattr__(self, "ratio", str(self.ratio).strip())

    @cached_property
    def exact_ratio(self) -> Fraction:
        """The ratio as a number."""
        return exact(self.name, "ratio", self.ratio, MOST_RATIO)

    def facts(self) -> Facts:
        """low, high, ratio (as written)."""
        return {"low": self.low, "high": self.high, "ratio": self.ratio}

    def key(self, asked: Facts) -> str:
        """``chosen_number``."""
        return "chosen_number"

    def read(self, value: object, seat: int, asked: Facts) -> str:
        """A whole number from low to high."""
        return str(whole_number(value, "number", self.low, self.high))

    def legal(self, seat: int, asked: Facts) -> tuple[str, ...] | None:
        """All numbers of the range, None where it is long."""
        return whole_range(self.low, self.high)

    def outcome(self, actions: Mapping[int, str | None]) -> RoundOutcome:
        """1 for the winning number; mean and target of those who moved."""
        moves = [None if a is None else int(a) for a in by_seat(self.name, self.n_players, actions)]
        numbers = [x for x in moves if x is not None]
        winning = winning_number(numbers, self.exact_ratio) if numbers else None
        mean = Fraction(sum(numbers), len(numbers)) if numbers else None
        public = {
            "mean": None if mean is None else plain(mean),
            "target": None if mean is None else plain(mean * self.exact_ratio),
            "winning": winning,
        }
        seats = range(1, self.n_players + 1)
        return RoundOutcome(
            payoffs=tuple(None if x is None else float(x == winning) for x in moves),
            values={seat: None if x is None else float(x) for seat, x in zip(seats, moves, strict=True)},
            told={
                seat: {"own": x, **public, "won": x is not None and x == winning}
                for seat, x in zip(seats, moves, strict=True)
            },
        )

    def equilibrium(self, seat: int, asked: Facts, rng: np.random.Generator) -> str:
        """Low for a ratio below 1, high above, the middle (rounded down) at 1."""
        ratio = self.exact_ratio
        if ratio == 1:
            return str((self.low + self.high) // 2)
        return str(self.low if ratio < 1 else self.high)

    def best_reply(self, seat: int, told: Facts | None, asked: Facts, rng: np.random.Generator) -> str:
        """The number nearest to its own target, if the others repeat the sum of their last numbers.

        What is told does not say how many moved; all are taken to have.
        """
        mean, own = (told or {}).get("mean"), (told or {}).get("own")
        if not isinstance(mean, int | float):
            return self.equilibrium(seat, asked, rng)
        if isinstance(own, int):
            total = round(mean * self.n_players) - own
        else:
            total = round(mean * (self.n_players - 1))
        return str(self._replies(total, self.n_players - 1)[0])

    def gains(
        self, seat: int, others: Mapping[int, str | None], asked: Facts, actions: tuple[str, ...]
    ) -> tuple[float, ...]:
        """1 for each number that would have won, else 0: `winning_number` for all of them at once.

        A number wins against another by its distance to the target, then by its place: who named it first.
        """
        import numpy as np

        before, after = self._numbers(seat, others)
        n, ratio = len(before) + len(after) + 1, self.exact_ratio
        first = {y: place for place, y in reversed([*enumerate(before)])}
        named = dict.fromkeys(after, n) | first
        mine = [int(action) for action in actions]
        small = 4 * n * n * self.high * max(ratio.as_integer_ratio()) < 2**62
        x, y, place_of_y, place_of_x = (
            np.array(numbers, dtype=np.int64 if small else object)
            for numbers in (
                *(mine, [*named], [*named.values()]),
                [first.get(number, len(before)) for number in mine],
            )
        )
        target = (sum(before) + sum(after) + x) * ratio.numerator
        own = 2 * n * abs(x * n * ratio.denominator - target) + place_of_x
        rival = 2 * n * abs(y * n * ratio.denominator - target[:, None]) + place_of_y
        wins = ((own[:, None] < rival) | (x[:, None] == y)).all(axis=1)
        return tuple(wins.astype(float).tolist())

    def best(self, seat: int, others: Mapping[int, str | None], asked: Facts) -> tuple[str, float]:
        """A number that wins; there always is one.

        Let x* solve x = ratio·(sum of the others + x)/k for k numbers. If x* lies within the range, the
        whole number below or above it wins: one loses only to the other, and targets rise with x. If not, the
        end of the range towards it is closer to its target than any number can be.
        """
        before, after = self._numbers(seat, others)
        ratio = self.exact_ratio
        replies = self._replies(sum(before) + sum(after), len(before) + len(after))
        wins = next(x for x in replies if winning_number([*before, x, *after], ratio) == x)
        return str(wins), 1.0

    def _replies(self, total: int, n_others: int) -> tuple[int, ...]:
        """The whole numbers around the one that is its own target, the nearer first, within the range."""
        ratio = self.exact_ratio
        slope = n_others + 1 - ratio
        if slope <= 0:
            return (self.high,)
        fixed = ratio * total / slope
        below = fixed.numerator // fixed.denominator
        pair = sorted((below, below + 1), key=lambda x: abs(x - fixed))
        return tuple(min(max(x, self.low), self.high) for x in pair)

    def _numbers(self, seat: int, others: Mapping[int, str | None]) -> tuple[list[int], list[int]]:
        """The others' numbers, of lower and of higher seats."""
        numbers = [(s, int(a)) for s, a in sorted(others.items()) if a is not None]
        return [x for s, x in numbers if s < seat], [x for s, x in numbers if s > seat]
