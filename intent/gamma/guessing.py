"""Guess a ratio of the average: who is closest to it wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from intent.base.errors import DataError, GameError
from intent.games.game import Facts, RoundOutcome
from intent.gamma.game import (
    CHOICE,
    About,
    BenchGame,
    GameWords,
    Moves,
    Picture,
    SimultaneousGame,
    Story,
    Teller,
    Templates,
    check_players,
    check_whole,
    exact,
    number_round,
    plain,
    value_text,
    whole_moves,
    whole_number,
    whole_range,
)
from intent.gamma.plays import (
    Numbers,
    Plays,
    Scoring,
    Table,
    mean_of,
    own_scores,
    whole_or_same,
    whole_within,
)
from intent.gamma.saved import SMALLEST

if TYPE_CHECKING:
    import numpy as np

    from intent.games.game import CourseGame
    from intent.gamma.saved import Saved

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
    return min(dict.fromkeys(numbers), key=lambda x: abs(x * scale - target))


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
    answer_key: ClassVar[str] = "chosen_number"

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

    def read(self, value: object, seat: int, question: Facts) -> str:
        """A whole number from low to high."""
        return str(whole_number(value, "number", self.low, self.high))

    def legal(self, seat: int, question: Facts) -> tuple[str, ...] | None:
        """All numbers of the range, None where it is long."""
        return whole_range(self.low, self.high)

    def outcome(self, actions: Moves) -> RoundOutcome:
        """1 for the winning number; mean and target of those who moved."""
        moves = whole_moves(self.name, self.n_players, actions)
        numbers = [x for x in moves if x is not None]
        winning = winning_number(numbers, self.exact_ratio) if numbers else None
        mean = Fraction(sum(numbers), len(numbers)) if numbers else None
        public = {
            "mean": None if mean is None else plain(mean),
            "target": None if mean is None else plain(mean * self.exact_ratio),
            "winning": winning,
        }
        wins = [x is not None and x == winning for x in moves]
        reports = [{"own": x, **public, "won": won} for x, won in zip(moves, wins, strict=True)]
        return number_round(moves, wins, reports)

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """Low for a ratio below 1, high above, the middle (rounded down) at 1."""
        ratio = self.exact_ratio
        if ratio == 1:
            return str((self.low + self.high) // 2)
        return str(self.low if ratio < 1 else self.high)

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """The number nearest to its own target, if the others repeat the sum of their last numbers.

        What is told does not say how many moved; all are taken to have.
        """
        mean, own = (last or {}).get("mean"), (last or {}).get("own")
        if not isinstance(mean, int | float):
            return self.equilibrium(seat, question, rng)
        if isinstance(own, int):
            total = round(mean * self.n_players) - own
        else:
            total = round(mean * (self.n_players - 1))
        return str(self._replies(total, self.n_players - 1)[0])

    def gains(self, seat: int, others: Moves, question: Facts, actions: tuple[str, ...]) -> tuple[float, ...]:
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

    def best(self, seat: int, others: Moves, question: Facts) -> tuple[str, float]:
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

    def _numbers(self, seat: int, others: Moves) -> tuple[list[int], list[int]]:
        """The others' numbers, of lower and of higher seats."""
        numbers = [(s, int(a)) for s, a in sorted(others.items()) if a is not None]
        return [x for s, x in numbers if s < seat], [x for s, x in numbers if s > seat]


@dataclass(frozen=True, kw_only=True)
class GuessingPlays(Plays):
    """What was guessed.

    Parameters
    ----------
    low, high : float
    ratio : float
    written : str
        The ratio as the rules say it.
    means : tuple of float, by round
        Average of the numbers chosen.
    by_seat : rounds by seats of numbers, optional
    """

    game = "guessing"
    by_round = "means"
    settings = (("low", "low", 0), ("high", "high", 100), ("written", "ratio", "2/3"))

    low: float = 0
    high: float = 100
    ratio: float = 2 / 3
    written: str = "2/3"
    means: tuple[float, ...]
    by_seat: Numbers | None = None

    @classmethod
    def from_table(cls, game: Guessing, table: Table) -> dict[str, Any]:
        """Rounds in which somebody guessed; a missing guess is nobody's."""
        rows = [row for row in table.numbers(game.low, game.high) if any(x is not None for x in row)]
        numbers = [[x for x in row if x is not None] for row in rows]
        return {
            "ratio": float(exact(game.name, "ratio", game.ratio, 10)),
            "written": str(game.ratio),
            "means": tuple(map(mean_of, numbers)),
            "by_seat": tuple(rows),
        }

    def rules(self) -> dict[str, Any]:
        """The ratio as it is written, where that is the ratio."""
        try:
            same = abs(float(exact(self.game, "ratio", self.written, MOST_RATIO)) - self.ratio) < SMALLEST
        except GameError:
            same = False
        ratio = self.written if same else str(Fraction(self.ratio).limit_denominator(MOST_RATIO))
        return {"low": whole_or_same(self.low), "high": whole_or_same(self.high), "ratio": ratio}

    def allowed(self, stage: Guessing) -> bool:
        """Whole numbers of the range."""
        return whole_within(self.by_seat or (), stage.low, stage.high)

    def payoffs(self, stage: Guessing) -> Iterator[float | None]:
        """1 for the winning number."""
        ratio = stage.exact_ratio
        for row in self.by_seat or ():
            guesses = [x for x in row if x is not None]
            winning = winning_number(guesses, ratio)  # type: ignore[arg-type]
            yield from (float(x == winning) for x in guesses)

    def score(self, scoring: Scoring = "code") -> float:
        """Distance of the mean choice from the equilibrium: the least number, of a ratio above 1 the largest.

        With S the mean over rounds of the average less `low`, and D = high - low::

            ratio < 1   code (high - S) / D, paper (D - S) / D
            ratio = 1   1 - abs(2 S - D) / D
            ratio > 1   S / D
        """
        distance, span = mean_of([mean - self.low for mean in self.means]), self.high - self.low
        if self.ratio > 1:
            return 100 * distance / span
        if self.ratio == 1:
            return 100 * (1 - abs(2 * distance - span) / span)
        return 100 * ((self.high if scoring == "code" else span) - distance) / span

    def seat_scores(self, scoring: Scoring = "code") -> tuple[float, ...] | None:
        """As if a seat's numbers were the averages; None at a ratio of 1."""
        if self.by_seat is None or self.ratio == 1:
            return None
        return own_scores(self.by_seat, lambda own: replace(self, means=tuple(own)).score(scoring))


def _saved(saved: Saved) -> dict[str, Any]:
    """Numbers may lie in 0 to 100 whatever ``min`` and ``max`` say: upstream checks no others."""
    low, high = (saved.parameter(key, usual, low=-1e6, high=1e6) for key, usual in (("min", 0), ("max", 100)))
    if high - low < SMALLEST:
        raise DataError(f"meta: min is {low:g} and max {high:g}, expected min below max")
    bounds = {"low": min(low, 0), "high": max(high, 100)}
    ratio = saved.parameter("ratio", 2 / 3, high=1000)
    means, rows = saved.figures("mean", mean_of, **bounds)
    return {
        "low": low,
        "high": high,
        "ratio": ratio,
        "written": saved.written("2/3", ratio),
        "means": means,
        "by_seat": saved.by_seat(rows, **bounds),
    }


class _Words(GameWords):
    pieces: ClassVar = {
        "rules": ("low", "high", "ratio"),
        "report": ("mean", "ratio", "target", "winning", CHOICE),
        "won": (),
        "lost": (),
        "request": ("ratio",),
    }
    plain: ClassVar = {"form": ("low", "high"), "told_equilibrium": ("equilibrium",)}

    def report(self, t: Teller, facts: Facts) -> list[str]:
        if facts["mean"] is None:
            return [t.phrase("nobody")]
        numbers = {name: value_text(facts[name]) for name in ("mean", "target", "winning")}
        outcome = [] if facts["own"] is None else [t.say("won" if facts["won"] else "lost")]
        return [t.say("report", ratio=t.game.facts()["ratio"], **numbers), *outcome]


class _Templates(Templates):
    folder = "guessing_game"
    inputs: ClassVar = {
        "description": ("n_players", "rounds", "low", "high", "ratio", "role"),
        "report": ("round", "mean", "ratio", "target", "winning", "own", "outcome"),
        "request": ("round", "ratio", "low", "high", "format"),
    }

    def report_facts(self, game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> Facts:
        return {"outcome": "You won" if facts["won"] else "You lost"}

    def range(self, rules: Facts, question: Facts) -> tuple[object, object]:
        return rules.get("low", 0), rules.get("high")


_RATIOS = ("0", "1/6", "1/3", "1/2", "2/3", "5/6", "1", "7/6", "4/3", "3/2", "5/3", "11/6", "2")

BENCH = BenchGame(
    "cooperative",
    "Guess 2/3 of the Average",
    About(
        "Guess 2/3 of the average",
        "Each player names a whole number from low to high; those who named the number closest to "
        "ratio times the average win 1.",
        "low for a ratio below 1, high above; at 1 any common number, here the middle",
        "Ledoux 1981, Jeux et Stratégie 10:10; Nagel 1995, American Economic Review 85:1313",
    ),
    GuessingPlays,
    _Words(),
    _Templates(),
    # Dials below a stop, the nearest to a ratio of the mean gap wins: 0 is told as the stop.
    Story(
        "dials", (("chosen_number", "dial"),), mirrored="ends", numbers=("own", "mean", "target", "winning")
    ),
    Picture(
        "Thin lines: mean of the numbers chosen in a run; dots: single players.",
        "number chosen",
        lambda run: run.means,
        lambda run: {f"target, {run.written} of the mean": [mean * run.ratio for mean in run.means]},
        choices=lambda run: run.by_seat,
        limits=lambda run: (run.low, run.high),
    ),
    _saved,
    (("min", "max", "ratio"), ("mean_ratio",)),
    missing="nobody's guess",
    discrepancy="below a ratio of 1 the code has max - S where the paper has (max - min) - S: different "
    "where the least number is not 0",
    spellings={"chosen_number": ("number", "guess")},
    short_names=("guessing",),
    sweeps=("r", "m"),
    settings=tuple({"ratio": ratio} for ratio in _RATIOS),
)
