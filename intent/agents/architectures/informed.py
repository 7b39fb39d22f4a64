"""A player who is told, before each choice, what an observer believes of the other player.

The observer is a tracker (`intent.estimate.choice.tracker`): it has seen every round so far, and says which
ways of playing are most probable, and how probable it is that the other cooperates now. The player decides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.base import (
    ModelAgent,
    Options,
    ask_until_read,
    choosing,
    decision_of,
    read_label,
    read_options,
)
from intent.agents.plan import GamePlan
from intent.agents.prompts.prompt_set import Inside, PromptSet
from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import UsageError
from intent.estimate.choice.tracker import Belief, Tracker
from intent.play.match import View
from intent.play.players import action_labels

__all__ = ["InformedAgent", "InformedOptions"]


class InformedOptions(Options):
    """Options of the architecture.

    Attributes
    ----------
    recogniser : str
        What the observer knows: a shipped recogniser, or the folder of a saved one or of a fitted model of
        choice.
    named : int
        How many of the most probable ways of playing the player is told.
    """

    recogniser: str = DEFAULT_RECOGNISER
    named: int = Field(default=3, ge=1, le=20)


class InformedAgent(ModelAgent):
    """A language model that is asked as in `PlainAgent`, with one sentence more: what an observer believes.

    1. The tracker takes in the rounds since the last choice, the other's moves as the own ones of the player
       that it follows.
    2. The prompt's block ``informed`` says its most probable ways of playing, and the probability that the
       other cooperates in this round, in per cent.
    3. The reply is read, and asked for again, as in `PlainAgent`.

    The move's details record what was told.

    Raises
    ------
    UsageError
        Unknown options; games of more than two players, or without a cooperative action; ``then: default``
        without a default.
    UnknownNameError, RecogniserError
        No such recogniser.
    """

    blocks = frozenset({"informed"})

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        options = read_options(InformedOptions, self._seat, plan)
        game = plan.stage()
        if game.n_players != 2 or game.cooperative_label is None:
            raise UsageError(
                f"{plan.game_id}: architecture informed plays games of two with a cooperative action, "
                f"{game.name} is none"
            )
        self._tracker = Tracker(options.recogniser)
        self._named, self._known = options.named, 0

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move; `rng` is not used."""
        plan, settings = self._plan, choosing(self._seat, view, self._plan)
        belief = self._belief(view)
        values = self._values(view, belief)
        settled = await ask_until_read(
            ask,
            self._prompts.render(view, plan, "choose", Inside(blocks=self.blocks, values=values)),
            settings,
            lambda text: read_label(text, view.actions, plan, settings),
            plan.reply,
            lambda: self._prompts.remind(plan.language, settings.choices, plan.reply.parser),
        )
        details = {"beliefs": values["beliefs"], "next_move": round(belief.next_move, 6)}
        return decision_of(settled, plan.reply, details=details)

    def _belief(self, view: View) -> Belief:
        """What the tracker believes of the other after all rounds so far."""
        (theirs,) = view.other_seats
        if view.round - 1 < self._known:
            self._tracker.restart()
            self._known = 0
        for number in range(self._known, view.round - 1):
            moves = []
            for seat in (theirs, view.seat):
                action = view.actions_by_seat[seat - 1][number]
                moves.append(None if action is None else int(action == action_labels(view.game, seat)[0]))
            self._tracker.update(*moves)
        self._known = view.round - 1
        return self._tracker.belief

    def _values(self, view: View, belief: Belief) -> dict[str, Any]:
        plan, (theirs,) = self._plan, view.other_seats
        likely = sorted(belief.posterior.items(), key=lambda pair: -pair[1])[: self._named]
        named = [
            self._prompts.say("belief", plan, way=name, probability=f"{100 * p:.0f}") for name, p in likely
        ]
        return {
            "beliefs": self._prompts.say("comma", plan).join(named),
            "expected_option": action_labels(view.game, theirs)[0],
            "chance": f"{100 * belief.next_move:.0f}",
        }

    def _inside(self, request: str | None = None, **values: object) -> Inside:
        """Messages and answers go without the observer, who is asked before choices alone."""
        return Inside(request=request, values=values)
