"""One session of a run: clients, callers and agents put together, and the games played."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from intent.workflows.calling import session_callers
from intent.workflows.own_loop import in_own_loop
from intent.workflows.run_models import has_human

if TYPE_CHECKING:
    from intent.agents.agent import Agent
    from intent.agents.client import Client
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.runner.called import Called, Event
    from intent.runner.caller import Caller
    from intent.runner.progress import Progress
    from intent.runner.run import Outcome, Run
    from intent.workflows.experiment.runtime import Runtime

    AgentsOf = Callable[[GamePlan, Mapping[str, PromptSet]], Sequence[Agent]]

__all__ = ["FEW_GAMES", "Live", "play_session"]

FEW_GAMES = 4
"""Games in play at a time where all calls go one after another."""


@dataclass(frozen=True)
class Live:
    """What is known of a run while it is played.

    Attributes
    ----------
    progress : Progress
    cost : float, of the calls of this session
    troubles : int, requests of this session that failed or had to wait
    trouble : str, the latest of them in words
    """

    progress: Progress
    cost: float
    troubles: int
    trouble: str


def play_session(
    run: Run,
    experiment: Runtime,
    clients: Sequence[Client],
    *,
    on_live: Callable[[Live], None] = lambda live: None,
    agents_of: AgentsOf | None = None,
) -> Outcome:
    """Play what is left of a run.

    In a thread of its own where a loop runs already, as in a notebook.

    Parameters
    ----------
    run : Run
    experiment : Runtime
        Its limits, prices, budget and the like; the games are those of the run.
    clients : one for every language model of the run; closed at the end
    on_live : called at most ten times a second
    agents_of : from a plan and the prompt sets of the run to the agents, by seat, optional
        Default: `intent.agents.build.make_agents`.
    """
    work = _Session(run, experiment, clients, on_live, agents_of).play
    return in_own_loop(work)


@dataclass
class _Session:
    run: Run
    experiment: Runtime
    clients: Sequence[Client]
    on_live: Callable[[Live], None]
    agents_of: AgentsOf | None = None
    costs: list[float] = field(default_factory=lambda: [0.0])
    troubles: int = 0
    trouble: str = ""

    async def play(self) -> Outcome:
        from intent.agents.build import make_agents
        from intent.agents.prompts import prompts_from_json

        try:
            callers = {name: _Metered(caller, self.costs) for name, caller in self._callers().items()}
            prompts = {name: prompts_from_json(text) for name, text in self.run.prompts().items()}
            return await self.run.play(
                callers.__getitem__,
                lambda plan: (self.agents_of or make_agents)(plan, prompts),
                window=self._window(),
                on_progress=self._told,
            )
        finally:
            for client in self.clients:
                await client.close()

    def _window(self) -> int | None:
        """Games in play at a time, None for as many as the run likes.

        A model that answers one call at a time, such as one in this process, gains nothing by many games,
        and loses the beginnings of prompts that it remembers.
        """
        if has_human(self.run.plans()):
            return 1
        at_once = [self.experiment.concurrency or client.concurrency for client in self.clients]
        return self.experiment.window or (FEW_GAMES if at_once == [1] else None)

    def _callers(self) -> dict[str, Caller]:
        experiment = self.experiment
        return session_callers(
            self.clients,
            limits=experiment.limits,
            prices=experiment.prices,
            cache=experiment.cache,
            budget=experiment.budget,
            spent=self.run.status().cost if experiment.budget is not None else 0.0,
            concurrency=experiment.concurrency,
            retry=experiment.retry,
            listener=self._listen,
        )

    def _listen(self, event: Event) -> None:
        self.troubles += 1
        self.trouble = f"{event.kind}, {event.text}, {event.model}"

    def _told(self, progress: Progress) -> None:
        self.on_live(Live(progress, self.costs[0], self.troubles, self.trouble))


class _Metered:
    """A caller whose costs are added up."""

    def __init__(self, caller: Caller, costs: list[float]) -> None:
        self._caller, self._costs = caller, costs

    async def call(self, *asked: Any, **how: Any) -> Called:
        """As `Caller.call`."""
        called = await self._caller.call(*asked, **how)
        self._costs[0] += called.cost or 0.0
        return called
