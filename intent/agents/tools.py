"""Tools that advise: always the same action, or the best of one round by payoffs that the model states."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from intent.agents.plan import GamePlan, check_attitude
from intent.base.errors import UsageError, shorten
from intent.base.registry import require
from intent.base.replies import digits
from intent.games.equilibria import MixedEquilibrium, nash_equilibria
from intent.games.game import MatrixGame

__all__ = [
    "ARGUMENTS",
    "LARGEST",
    "LONGEST",
    "TOOL_NAME",
    "Advice",
    "Adviser",
    "FixedAdvice",
    "NashAdvice",
    "Numbers",
    "advised_label",
    "best_actions",
    "read_number",
    "read_numbers",
]


TOOL_NAME = "consult_adviser"
"""By which models call the tool, whichever it is."""


@dataclass(frozen=True)
class Advice:
    """The answer to a call.

    Parameters
    ----------
    action : a label of the game; None where the arguments cannot be read
    best : the actions that are best, of which `action` is one
    stated : tuple of (argument, float), optional
        What the model stated.
    right : whether that is what the game says
    as_text : whether a number came as text, such as ``"5 years"``
    problem : what could not be read, in names and values only, so that it reads alike in every language
    """

    action: str | None
    best: tuple[str, ...] | None = None
    stated: tuple[tuple[str, float], ...] | None = None
    right: bool | None = None
    as_text: bool = False
    problem: str | None = None


class Adviser(Protocol):
    """A tool that advises an action.

    Attributes
    ----------
    name : str
        ``fixed``, ``nash``; the phrase ``tool_description_<name>`` describes it.
    arguments : tuple of str
        Names of the numbers that it asks for; the phrase ``argument_<name>`` describes each.
    """

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> tuple[str, ...]: ...

    def advise(self, arguments: str, rng: np.random.Generator) -> Advice:
        """The answer to a call with these arguments, a JSON object as the model wrote it."""
        ...


def advised_label(plan: GamePlan, seat: int) -> str | None:
    """The action that the attitude of a seat means: what its tool or assistant advises.

    Parameters
    ----------
    seat : int, from 1

    Returns
    -------
    str or None
        The cooperative action for ``cooperate`` (that of `GamePlan.cooperate`, where it names one), the other
        one for ``defect``, the action itself for one of the game; None for ``compute`` and no attitude.

    Raises
    ------
    UsageError
        Another attitude, or ``cooperate`` or ``defect`` in a game without a cooperative action.
    """
    game, attitude = plan.stage(), plan.seats[seat - 1].attitude
    if attitude is None or attitude == "compute":
        return None
    if attitude in ("cooperate", "defect"):
        helpful = game.cooperative_action(seat)
        if helpful is None:
            raise UsageError(
                f"{plan.game_id}: attitude {attitude} in {plan.game}, where no action is cooperation; "
                f"expected compute or one of {', '.join(game.actions)}"
            )
        other = next(action for action in game.actions if action != helpful)
        return helpful if attitude == "cooperate" else other
    check_attitude(plan, seat)
    return attitude


@dataclass(frozen=True)
class FixedAdvice:
    """Advises one action, whatever it is called with.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, 2.3.2.
    """

    action: str
    name: str = "fixed"
    arguments: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: GamePlan, seat: int) -> FixedAdvice:
        """The tool of a seat.

        Raises
        ------
        UsageError
            The seat's attitude means no action.
        """
        action = advised_label(plan, seat)
        if action is None:
            raise UsageError(
                f"{plan.game_id}: tool fixed with attitude {plan.seats[seat - 1].attitude}, "
                f"expected cooperate, defect or one of {', '.join(plan.stage().actions)}"
            )
        return cls(action)

    def advise(self, arguments: str, rng: np.random.Generator) -> Advice:
        """The action; neither the arguments nor `rng` are used."""
        return Advice(self.action)


LONGEST = 4_000
"""Characters of arguments that are read."""

LARGEST = 1e9
"""Numbers beyond are refused: no game has such payoffs, and differences between them lose digits."""

_NUMBER = re.compile(r"[-+]?\d{1,40}(?:[.,]\d{1,40})?(?:[eE][-+]?\d{1,3})?")

_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u066b": ".", "\uff0e": ".", "\uff0c": ","})


@dataclass(frozen=True)
class Numbers:
    """The numbers of a call, or what could not be read.

    Parameters
    ----------
    values : in the order of the names; empty where there is a problem
    as_text : whether one of them came as text
    problem : names and values, without words
    """

    values: tuple[float, ...]
    as_text: bool = False
    problem: str | None = None


def read_numbers(arguments: str, names: Sequence[str]) -> Numbers:
    """The numbers of these names in a JSON object; other names in it are passed over.

    Parameters
    ----------
    arguments : as the model wrote it, any text
    names : small letters
    """
    try:
        raw = json.loads(arguments) if len(arguments) <= LONGEST else None
    except (ValueError, RecursionError):
        raw = None
    if not isinstance(raw, dict):
        return Numbers((), problem=shorten(arguments, 80) or "{}")
    by_name = {str(name).strip().casefold(): value for name, value in raw.items()}
    values = {name: read_number(by_name.get(name)) for name in names}
    as_text = any(isinstance(by_name.get(name), str) for name in names)
    bad = [
        f"{name}: {shorten(json.dumps(by_name.get(name), ensure_ascii=False), 40)}"
        for name, value in values.items()
        if value is None
    ]
    if bad:
        return Numbers((), as_text, ", ".join(bad))
    return Numbers(tuple(value for value in values.values() if value is not None), as_text)


def read_number(value: object) -> float | None:
    """The one number that a value is or holds, None without one or with several.

    JSON numbers, and text with one number in it, in the digits of any script: ``"5"``, ``"5 years"``,
    ``"٥"``, ``"5年"``, ``"2,5"``. A comma before three digits may be a decimal one or not, and is refused; so
    are words, booleans, and what is not finite or beyond `LARGEST`.
    """
    if isinstance(value, str):
        value = _in_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number + 0.0 if math.isfinite(number) and abs(number) <= LARGEST else None


def _in_text(text: str) -> float | None:
    if len(text) > 100:
        return None
    plain = digits(text.translate(_SIGNS))
    numbers = _NUMBER.findall(plain)
    if len(numbers) != 1 or re.search(r",\d{3}(?!\d)", numbers[0]):
        return None
    # A number that breaks off, as in 1.2.3 or 40 digits and more, leaves digits behind.
    if re.search(r"\d", plain.replace(numbers[0], "", 1)):
        return None
    return float(numbers[0].replace(",", "."))


ARGUMENTS = ("temptation", "reward", "punishment", "sucker")
"""Own payoff for (own, other's) choice of defect and cooperate, both cooperate, both defect, cooperate and
defect."""


def best_actions(temptation: float, reward: float, punishment: float, sucker: float) -> tuple[bool, ...]:
    """The best actions of one round of a symmetric game, by its Nash equilibria.

    An action is best where both players choosing it is an equilibrium. Where that holds for both actions
    (stag hunt), or for none, so that only a mixed equilibrium treats the players alike (chicken), both are.

    Parameters
    ----------
    temptation, reward, punishment, sucker : utilities, higher is better

    Returns
    -------
    tuple of bool
        True for cooperation, False for defection; one or both, cooperation first.

    Raises
    ------
    MissingExtraError
        nashpy is not installed.

    References
    ----------
    Nash 1951, Annals of Mathematics 54:286; Cremonini 2025, The Agent's Dilemma, 2.3.2 (one choice at random
    where there is no clear decision); Knight & Campbell 2018, Nashpy, JOSS 3(30):904.
    """
    table = (((reward, reward), (sucker, temptation)), ((temptation, sucker), (punishment, punishment)))
    equilibria = nash_equilibria(MatrixGame("stated", ("C", "D"), table, "reward"))
    # The solver works with differences that may vanish beside larger numbers; a deviation that pays is one.
    stays = {(1.0, 0.0): reward >= temptation, (0.0, 1.0): punishment >= sucker}
    alike = tuple(
        cooperates
        for cooperates, pure in ((True, (1.0, 0.0)), (False, (0.0, 1.0)))
        if stays[pure] and MixedEquilibrium(pure, pure) in equilibria
    )
    return alike or (True, False)


@dataclass(frozen=True)
class NashAdvice:
    """Advises a best action by the payoffs it is called with, one at random where both are best.

    One number is drawn for every call that can be read, whether it is needed or not, so that the draws after
    it do not depend on what a model stated.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, 2.3.2.

    Parameters
    ----------
    cooperate, defect : labels of the game
    penalty : whether payoffs are penalties, to be made small
    payoffs : (float, float, float, float)
        Those of the game: temptation, reward, punishment, sucker.
    """

    cooperate: str
    defect: str
    penalty: bool
    payoffs: tuple[float, float, float, float]
    name: str = "nash"
    arguments: tuple[str, ...] = ARGUMENTS

    @classmethod
    def of(cls, plan: GamePlan, seat: int) -> NashAdvice:
        """The tool of a seat.

        Raises
        ------
        UsageError
            The game has no temptation, reward, punishment and sucker's payoff, or the attitude is another
            than compute.
        MissingExtraError
            nashpy is not installed.
        """
        require("nashpy")
        game, attitude = plan.stage(), plan.seats[seat - 1].attitude
        if attitude not in (None, "compute"):
            raise UsageError(f"{plan.game_id}: tool nash with attitude {attitude}, expected compute or none")
        helpful = (
            game.cooperative_action(seat) if isinstance(game, MatrixGame) and game.is_symmetric else None
        )
        if not isinstance(game, MatrixGame) or helpful is None:
            raise UsageError(
                f"{plan.game_id}: tool nash in {plan.game}, "
                "expected a symmetric game of two players where one action is cooperation"
            )
        other = next(action for action in game.actions if action != helpful)
        pairs = ((other, helpful), (helpful, helpful), (other, other), (helpful, other))
        t, r, p, s = (game.payoff(pair)[0] for pair in pairs)
        return cls(helpful, other, game.kind == "penalty", (t, r, p, s))

    def advise(self, arguments: str, rng: np.random.Generator) -> Advice:
        """The answer to a call; `rng` is drawn from once where the arguments can be read."""
        read = read_numbers(arguments, self.arguments)
        if read.problem is not None:
            return Advice(None, problem=read.problem, as_text=read.as_text)
        draw = rng.random()
        sign = -1.0 if self.penalty else 1.0
        t, r, p, s = (sign * value for value in read.values)
        best = tuple(self.cooperate if one else self.defect for one in best_actions(t, r, p, s))
        right = all(
            math.isclose(stated, true, rel_tol=1e-9, abs_tol=1e-9)
            for stated, true in zip(read.values, self.payoffs, strict=True)
        )
        return Advice(
            best[int(draw * len(best))],
            best=best,
            stated=tuple(zip(self.arguments, read.values, strict=True)),
            right=right,
            as_text=read.as_text,
        )
