"""The tool that advises the best action of one round by the payoffs that the model states."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from intent.agents.plan import GamePlan
from intent.agents.tools.advice import Advice
from intent.agents.tools.numbers import read_numbers
from intent.errors import MissingExtraError, UsageError
from intent.games.matrix import MatrixGame
from intent.games.mixed_equilibria import MixedEquilibrium, nash_equilibria

__all__ = ["ARGUMENTS", "NashAdvice", "best_actions"]

ARGUMENTS = ("temptation", "reward", "punishment", "sucker")
"""Own payoff for (own, other's) choice of defect and cooperate, both cooperate, both defect, cooperate and
defect."""


def best_actions(temptation: float, reward: float, punishment: float, sucker: float) -> tuple[bool, ...]:
    """The best actions of one round of a symmetric game, by its Nash equilibria.

    An action is best where both players choosing it is an equilibrium. Where that holds for both actions
    (stag hunt), or for none, so that only a mixed equilibrium treats the players alike (chicken), both are.

    Parameters
    ----------
    temptation, reward, punishment, sucker : float
        Utilities, higher is better.

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
    found = nash_equilibria(MatrixGame("stated", ("C", "D"), table, "reward"))
    # The solver works with differences that may vanish beside larger numbers; a deviation that pays is one.
    stays = {(1.0, 0.0): reward >= temptation, (0.0, 1.0): punishment >= sucker}
    alike = tuple(
        cooperates
        for cooperates, pure in ((True, (1.0, 0.0)), (False, (0.0, 1.0)))
        if stays[pure] and MixedEquilibrium(pure, pure) in found
    )
    return alike or (True, False)


def _installed() -> None:
    if find_spec("nashpy") is None:
        raise MissingExtraError("nashpy", "games")


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
    cooperate, defect : str
        Labels of the game.
    penalty : bool
        Whether payoffs are penalties, to be made small.
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
        _installed()
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
            math.isclose(said, true, rel_tol=1e-9, abs_tol=1e-9)
            for said, true in zip(read.values, self.payoffs, strict=True)
        )
        return Advice(
            best[int(draw * len(best))],
            best=best,
            stated=tuple(zip(self.arguments, read.values, strict=True)),
            right=right,
            as_text=read.as_text,
        )
